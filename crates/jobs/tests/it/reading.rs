//! What the API and the streams read.

use chrono::TimeDelta;
use domain::event::EventStage;
use domain::{EventId, JobKind, JobState, TableId};
use jobs::{EventFilter, JobFilter, JobRow, inspect};
use test_support::TestDb;

use crate::build::{claim, finish, ledger, new_job, pending, running, succeeded};

async fn ids(db: &TestDb, filter: &JobFilter, limit: u64, offset: u64) -> (Vec<domain::JobId>, u64) {
    let listed = inspect::list(&db.read().await, filter, limit, offset).await.unwrap();
    (listed.items.iter().map(|job: &JobRow| job.id).collect(), listed.total)
}

test_support::for_each_db! {
    async fn jobs_are_listed_latest_start_first_and_waiting_ones_last(db: TestDb) {
        let first = running(&db).await.id;
        finish(&db, claim_of(&db, first).await, succeeded()).await.unwrap();
        crate::build::pass(&db, 5);
        let second = running(&db).await.id;
        let (older, newer) = (pending(&db).await.id, pending(&db).await.id);
        assert_eq!(ids(&db, &JobFilter::default(), 10, 0).await, (vec![second, first, newer, older], 4));
        assert_eq!(ids(&db, &JobFilter::default(), 2, 1).await, (vec![first, newer], 4));
        assert_eq!(ids(&db, &JobFilter::default(), 2, 9).await, (vec![], 4));
    }

    async fn every_filter_of_the_list_filters(db: TestDb) {
        let plain = pending(&db).await;
        let mut new = new_job(&db);
        new.kind = JobKind::SampleRefresh;
        let table = db.id::<TableId>();
        new.table = Some(table);
        let tx = db.tx().await;
        let refresh = jobs::enqueue(&tx, &*db.ids(), new, jobs::Birth::Pending).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(claim(&db).await.id, plain.id);
        let any = JobFilter::default;
        let hour = TimeDelta::hours(1);
        for (filter, found) in [
            (JobFilter { statuses: vec![JobState::Running, JobState::Failed], ..any() }, vec![plain.id]),
            (JobFilter { statuses: vec![JobState::Succeeded], ..any() }, vec![]),
            (JobFilter { kinds: vec![JobKind::SampleRefresh], ..any() }, vec![refresh.id]),
            (JobFilter { kinds: vec![JobKind::SampleRefresh], statuses: vec![JobState::Running], ..any() }, vec![]),
            (JobFilter { dataset: Some(db.dataset()), ..any() }, vec![plain.id, refresh.id]),
            (JobFilter { dataset: Some(db.id()), ..any() }, vec![]),
            (JobFilter { table: Some(table), ..any() }, vec![refresh.id]),
            (JobFilter { attempts_gte: Some(1), ..any() }, vec![plain.id]),
            (JobFilter { created_before: Some(plain.created_at + hour), ..any() }, vec![plain.id, refresh.id]),
            (JobFilter { created_before: Some(plain.created_at), ..any() }, vec![]),
            (JobFilter { created_after: Some(plain.created_at), ..any() }, vec![plain.id, refresh.id]),
            (JobFilter { created_after: Some(plain.created_at + hour), ..any() }, vec![]),
        ] {
            let count = found.len() as u64;
            assert_eq!(ids(&db, &filter, 10, 0).await, (found, count), "{filter:?}");
        }
    }

    async fn a_ledger_is_read_by_page_after_an_event_and_by_stage(db: TestDb) {
        let job = running(&db).await;
        finish(&db, job.claim(), succeeded()).await.unwrap();
        let all = ledger(&db, job.id).await;
        assert_eq!(all.len(), 4);
        let read = db.read().await;
        let page = inspect::events(&read, job.id, &EventFilter::default(), 2, 1).await.unwrap();
        assert_eq!((page.items.as_slice(), page.total), (&all[1..3], 4));
        let after = EventFilter { after: Some(all[1].id), stages: vec![] };
        let page = inspect::events(&read, job.id, &after, 10, 0).await.unwrap();
        assert_eq!((page.items.as_slice(), page.total), (&all[2..], 2));
        let stages = EventFilter { after: None, stages: vec![EventStage::Queued, EventStage::Final] };
        let page = inspect::events(&read, job.id, &stages, 10, 0).await.unwrap();
        assert_eq!((page.items, page.total), (vec![all[0].clone(), all[3].clone()], 2));
        assert!(inspect::has_event(&read, job.id, all[2].id).await.unwrap());
        assert!(!inspect::has_event(&read, job.id, EventId(all[3].id.0 + 1)).await.unwrap());
    }

    async fn one_look_follows_many_jobs_from_a_cursor_each(db: TestDb) {
        let (one, two) = (running(&db).await, pending(&db).await);
        let (of_one, of_two) = (ledger(&db, one.id).await, ledger(&db, two.id).await);
        let tx = db.fleet_read().await.unwrap();
        let cursors = [(one.id, of_one[0].id), (two.id, EventId(0))];
        let mut expected = vec![of_one[1].clone(), of_two[0].clone()];
        expected.sort_by_key(|event| (event.job, event.id));
        assert_eq!(inspect::tail(&tx, &cursors, 10).await.unwrap(), expected);
        assert_eq!(inspect::tail(&tx, &cursors, 1).await.unwrap(), expected[..1]);
        assert!(inspect::tail(&tx, &[], 10).await.unwrap().is_empty());
        let standings = inspect::standings(&tx, &[one.id, two.id, db.id()]).await.unwrap();
        assert_eq!(standings.len(), 2, "a job that is gone is left out");
        assert!(inspect::standings(&tx, &[]).await.unwrap().is_empty());
    }

    async fn another_workspace_sees_nothing(db: TestDb) {
        let job = running(&db).await;
        let event = ledger(&db, job.id).await[0].id;
        let other = db.other_scope("acme").await;
        let tx = db.scope_read(&other).await.unwrap();
        assert_eq!(inspect::get(&tx, job.id).await.unwrap(), None);
        assert_eq!(inspect::list(&tx, &JobFilter::default(), 10, 0).await.unwrap().total, 0);
        assert_eq!(inspect::events(&tx, job.id, &EventFilter::default(), 10, 0).await.unwrap().total, 0);
        assert!(inspect::events_after(&tx, job.id, EventId(0), 10).await.unwrap().is_empty());
        assert!(!inspect::has_event(&tx, job.id, event).await.unwrap());
    }
}

async fn claim_of(db: &TestDb, job: domain::JobId) -> domain::job::Claim {
    crate::build::row(db, job).await.claim()
}
