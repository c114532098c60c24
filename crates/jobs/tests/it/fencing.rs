//! The fence: a claim that was lost changes nothing any more.

use domain::event::EventStage;
use domain::{ClaimToken, JobState, Stage};
use jobs::{Beat, BeatReply, Stop, checkpoint, claim, drain, heartbeat};
use serde_json::json;
use test_support::TestDb;

use crate::build::{Hooks, LEASE, cancel, crashed, finish, pass, reap, row, running, stages, succeeded, told};

/// Everything a worker could write with its claim is refused.
async fn assert_fenced(db: &TestDb, claim: domain::job::Claim) {
    let before = row(db, claim.job_id).await;
    let ledger = stages(db, claim.job_id).await;
    assert_eq!(checkpoint::begin(db, claim).await.err(), Some(Stop::Fenced));
    assert_eq!(finish(db, claim, succeeded()).await.err(), Some(Stop::Fenced));
    assert_eq!(drain::hand_back(db, &*db.ids(), claim, &Hooks::default()).await.err(), Some(Stop::Fenced));
    let beat = Beat { claim, progress: None };
    assert_eq!(heartbeat::beat(db, &[beat], LEASE).await.unwrap(), [(claim, BeatReply::Lost)]);
    assert_eq!(row(db, claim.job_id).await, before);
    assert_eq!(stages(db, claim.job_id).await, ledger);
    assert_eq!(told(db, "published", claim.job_id).await, u64::from(before.status == JobState::Succeeded));
}

test_support::for_each_db! {
    async fn a_zombie_changes_nothing_before_the_next_claim_during_it_and_after_its_success(db: TestDb) {
        let zombie = running(&db).await.claim();
        pass(&db, 61);
        assert_eq!(reap(&db).await.requeued, 1);
        assert_fenced(&db, zombie).await;

        let second = claim::claim(&db, &crashed(&db)).await.unwrap().remove(0);
        assert_eq!(second.token, ClaimToken(2));
        assert_fenced(&db, zombie).await;

        finish(&db, second.claim(), succeeded()).await.unwrap();
        assert_fenced(&db, zombie).await;
        assert_fenced(&db, second.claim()).await;
    }

    async fn a_zombie_that_waited_at_the_lock_finds_the_fence(db: TestDb) {
        let first = running(&db).await.claim();
        let held = checkpoint::begin(&db, first).await.unwrap();
        // queues behind the lock; on SQLite behind the writer
        let late = finish(&db, first, succeeded());
        tokio::pin!(late);
        assert!(futures_poll_once(&mut late).await.is_none());
        // the holder ends the claim
        let tx = held.tx();
        tx.execute(
            "UPDATE flyquery_ingest_jobs SET claim_token = claim_token + 1 WHERE id = $1",
            db::params![first.job_id],
        ).await.unwrap();
        // a commit of the stage would be refused by its own guard now
        assert_eq!(held.commit(Stage::Receive, &json!({}), &[]).await.err(), Some(Stop::Fenced));
        assert!(late.await.is_ok(), "the holder rolled back, the claim stands");
        assert_eq!(row(&db, first.job_id).await.status, JobState::Succeeded);
    }

    async fn a_cancelled_and_reaped_job_is_fenced_too(db: TestDb) {
        let job = running(&db).await;
        cancel(&db, job.id).await;
        pass(&db, 61);
        assert_eq!(reap(&db).await.cancelled, 1);
        assert_fenced(&db, job.claim()).await;
        assert_eq!(stages(&db, job.id).await.last(), Some(&EventStage::Error));
    }
}

/// Polls once, so that the future has sent what it will wait for.
async fn futures_poll_once<F: std::future::Future + Unpin>(future: &mut F) -> Option<F::Output> {
    std::future::poll_fn(|context| {
        std::task::Poll::Ready(match std::pin::Pin::new(&mut *future).poll(context) {
            std::task::Poll::Ready(output) => Some(output),
            std::task::Poll::Pending => None,
        })
    })
    .await
}
