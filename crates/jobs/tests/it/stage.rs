//! The commit of a stage.

use db::outbox::{self, NewOutboxEvent};
use domain::Stage;
use domain::event::{EventStage, NewEvent};
use domain::ports::clock::Entropy as _;
use jobs::{Stop, checkpoint, drain};
use serde_json::json;
use test_support::TestDb;

use crate::build::{Hooks, cancel, claim, ledger, row, running, stages};

fn parsed() -> [NewEvent; 1] {
    [NewEvent::ok(EventStage::Parsed, json!({ "n_tables": 1 })).with_message("one table")]
}

async fn write(db: &TestDb, guarded: &checkpoint::Guarded) {
    let event = NewOutboxEvent { id: db.ids().id(), topic: "t".into(), event_type: "stage".into(), payload: json!({}) };
    outbox::insert(guarded.tx(), &guarded.job().scope, &event).await.unwrap();
}

async fn written(db: &TestDb) -> u64 {
    let tx = db.fleet_read().await.unwrap();
    let row = tx.row("SELECT COUNT(*) AS n FROM flyquery_event_outbox WHERE event_type = 'stage'", vec![]).await;
    row.unwrap().unwrap().get("n").unwrap()
}

test_support::for_each_db! {
    async fn a_stage_commits_its_rows_its_checkpoint_and_its_events_together(db: TestDb) {
        let job = running(&db).await;
        let guarded = checkpoint::begin(&db, job.claim()).await.unwrap();
        assert_eq!(guarded.tx().bound(), Some(db.scope()));
        assert_eq!(guarded.job().id, job.id);
        write(&db, &guarded).await;
        guarded.commit(Stage::Parse, &json!({ "v": 1 }), &parsed()).await.unwrap();
        let now = row(&db, job.id).await;
        assert_eq!((now.stage, now.checkpoint), (Some(Stage::Parse), Some(json!({ "v": 1 }))));
        let last = ledger(&db, job.id).await.pop().unwrap();
        assert_eq!((last.stage, last.message.as_deref()), (EventStage::Parsed, Some("one table")));
        assert_eq!(last.payload, json!({ "n_tables": 1, "attempt": 1 }));
        assert_eq!(written(&db).await, 1);
    }

    async fn a_stage_that_is_not_committed_leaves_nothing(db: TestDb) {
        let job = running(&db).await;
        let guarded = checkpoint::begin(&db, job.claim()).await.unwrap();
        write(&db, &guarded).await;
        drop(guarded);
        assert_eq!(row(&db, job.id).await, job);
        assert_eq!(written(&db).await, 0);
    }

    async fn a_cancelled_job_commits_no_stage(db: TestDb) {
        let job = running(&db).await;
        cancel(&db, job.id).await;
        assert_eq!(checkpoint::begin(&db, job.claim()).await.err(), Some(Stop::Cancelled));
    }

    async fn the_next_claim_finds_the_checkpoint(db: TestDb) {
        let job = running(&db).await;
        let guarded = checkpoint::begin(&db, job.claim()).await.unwrap();
        guarded.commit(Stage::Parse, &json!({ "v": 1 }), &parsed()).await.unwrap();
        drain::hand_back(&db, &*db.ids(), job.claim(), &Hooks::default()).await.unwrap();
        let again = claim(&db).await;
        assert_eq!((again.stage, again.checkpoint.as_ref()), (Some(Stage::Parse), Some(&json!({ "v": 1 }))));
        let last = ledger(&db, job.id).await.pop().unwrap();
        assert_eq!((last.stage, &last.payload["resumes_after"]), (EventStage::Running, &json!("parse")));
    }

    async fn ids_of_a_jobs_events_grow_in_the_order_of_its_commits(db: TestDb) {
        let job = running(&db).await;
        for stage in [Stage::Receive, Stage::Parse, Stage::Reconcile] {
            let guarded = checkpoint::begin(&db, job.claim()).await.unwrap();
            guarded.commit(stage, &json!({}), &parsed()).await.unwrap();
        }
        let ids: Vec<_> = ledger(&db, job.id).await.iter().map(|event| event.id).collect();
        assert!(ids.is_sorted() && ids.len() == 5);
        assert_eq!(stages(&db, job.id).await[2..], [EventStage::Parsed; 3]);
    }
}
