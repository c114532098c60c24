//! The heartbeat.

use db::Dialect;
use domain::event::Progress;
use jobs::{Beat, BeatReply, checkpoint, heartbeat, inspect};

use crate::build::{LEASE, cancel, crashed, finish, pass, reap, row, running, succeeded};

fn beat(claim: domain::job::Claim) -> Beat {
    Beat { claim, progress: None }
}

fn progress(rows: u64) -> Progress {
    Progress { stage: "parse".into(), table: Some("orders".into()), rows, bytes: 2 * rows, bytes_total: None }
}

test_support::for_each_db! {
    async fn one_beat_tells_the_kept_from_the_cancelled_and_the_lost(db: TestDb) {
        let zombie = running(&db).await.claim();
        pass(&db, 61);
        reap(&db).await;
        jobs::claim::claim(&db, &crashed(&db)).await.unwrap();
        let kept = running(&db).await.claim();
        let cancelled = running(&db).await.claim();
        cancel(&db, cancelled.job_id).await;
        let ended = running(&db).await.claim();
        finish(&db, ended, succeeded()).await.unwrap();
        let claims = [ended, kept, zombie, cancelled];
        let replies = heartbeat::beat(&db, &claims.map(beat), LEASE).await.unwrap();
        let expected = [BeatReply::Lost, BeatReply::Kept, BeatReply::Lost, BeatReply::CancelRequested];
        assert_eq!(replies, claims.into_iter().zip(expected).collect::<Vec<_>>());
        assert!(heartbeat::beat(&db, &[], LEASE).await.unwrap().is_empty());
    }

    async fn an_old_claim_is_lost_though_the_same_process_holds_the_new_one(db: TestDb) {
        let old = running(&db).await.claim();
        jobs::drain::hand_back(&db, &*db.ids(), old, &crate::build::Hooks::default()).await.unwrap();
        let new = crate::build::claim(&db).await.claim();
        let replies = heartbeat::beat(&db, &[old, new].map(beat), LEASE).await.unwrap();
        assert_eq!(replies, [(old, BeatReply::Lost), (new, BeatReply::Kept)]);
    }

    async fn progress_rides_on_the_beat_and_ends_with_the_stage(db: TestDb) {
        let job = running(&db).await;
        let other = running(&db).await;
        let note = Beat { claim: job.claim(), progress: Some(progress(7)) };
        heartbeat::beat(&db, &[note, beat(other.claim())], LEASE).await.unwrap();
        heartbeat::beat(&db, &[beat(job.claim())], LEASE).await.unwrap();
        let standings = inspect::standings(&db.fleet_read().await.unwrap(), &[job.id, other.id]).await.unwrap();
        let of = |id| standings.iter().find(|standing| standing.job == id).unwrap().progress.clone();
        assert_eq!((of(job.id), of(other.id)), (Some(progress(7)), None), "a beat without a note leaves the last one");
        let guarded = checkpoint::begin(&db, job.claim()).await.unwrap();
        guarded.commit(domain::Stage::Parse, &serde_json::json!({}), &[]).await.unwrap();
        assert_eq!(row(&db, job.id).await.progress, None);
    }

    async fn a_stage_commit_of_one_job_does_not_keep_the_others_from_being_renewed(db: TestDb) {
        let busy = running(&db).await.claim();
        let free = running(&db).await.claim();
        let held = checkpoint::begin(&db, busy).await.unwrap();
        if held.tx().dialect() == Dialect::Postgres {
            let replies = heartbeat::beat(&db, &[busy, free].map(beat), LEASE).await.unwrap();
            assert_eq!(replies, [(busy, BeatReply::Busy), (free, BeatReply::Kept)]);
        }
        held.rollback().await.unwrap();
        let replies = heartbeat::beat(&db, &[busy, free].map(beat), LEASE).await.unwrap();
        assert_eq!(replies, [(busy, BeatReply::Kept), (free, BeatReply::Kept)]);
    }

    async fn a_late_beat_renews_a_lapsed_lease_that_nobody_reaped(db: TestDb) {
        let job = running(&db).await;
        pass(&db, 100);
        let replies = heartbeat::beat(&db, &[beat(job.claim())], LEASE).await.unwrap();
        assert_eq!(replies, [(job.claim(), BeatReply::Kept)]);
        assert_eq!(reap(&db).await.total(), 0);
    }
}
