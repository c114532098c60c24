//! A describer that costs: batches, budgets, and the passes that go on where a budget ended (decision 55).

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use domain::ports::describer::{ColumnBrief, ColumnDescription, DescribeError, Describer};
use domain::semantic::{DescriptionSource, SemanticType};
use domain::{JobKind, JobState};
use jobs::JobRow;
use pipeline::PipelineSettings;
use serde_json::json;
use test_support::TestDb;

use crate::stand::Stand;

/// Takes four cents a call and remembers what it was asked.
#[derive(Default)]
struct Costly(Mutex<Vec<Vec<String>>>);

#[async_trait]
impl Describer for Costly {
    async fn describe(&self, batch: &[ColumnBrief]) -> Result<(Vec<ColumnDescription>, f64), DescribeError> {
        self.0.lock().unwrap().push(batch.iter().map(|brief| brief.column.clone()).collect());
        let answer = |brief: &ColumnBrief| ColumnDescription {
            semantic_type: SemanticType::Unknown,
            description: format!("What {} says.", brief.column),
            source: DescriptionSource::Agent,
        };
        Ok((batch.iter().map(answer).collect(), 4.0))
    }
}

fn settings(budget: u64) -> PipelineSettings {
    PipelineSettings { describe_batch: 2, describe_budget_cents: budget, ..PipelineSettings::default() }
}

/// A file of so many columns: `c1,c2,…`.
fn wide(columns: usize) -> String {
    let names: Vec<String> = (1..=columns).map(|n| format!("c{n}")).collect();
    let values: Vec<String> = (1..=columns).map(|n| n.to_string()).collect();
    format!("{}\n{}\n", names.join(","), values.join(","))
}

async fn run(db: &TestDb, budget: u64, columns: usize) -> (Vec<JobRow>, Vec<Vec<String>>) {
    let costly = Arc::new(Costly::default());
    let stand = Stand::start(db, db.db(), Arc::clone(&costly) as Arc<dyn Describer>, settings(budget)).await;
    stand.upload(db, "wide.csv", &wide(columns)).await.unwrap();
    let jobs = stand.all_ended(db).await;
    stand.stop().await;
    let asked = costly.0.lock().unwrap().clone();
    (jobs, asked)
}

async fn descriptions(db: &TestDb, job: &JobRow) -> Vec<Option<String>> {
    let tx = db.read().await;
    let objects = db::schema_objects::list(&tx, job.snapshot.unwrap()).await.unwrap();
    tx.rollback().await.unwrap();
    objects.into_iter().map(|object| object.annotations.description).collect()
}

test_support::for_each_db! {
    async fn a_budget_ends_the_stage_and_passes_go_on_at_the_first_undescribed_column(db: TestDb) {
        // ten cents pay for two batches, and the third begins while something is left
        let (jobs, asked) = run(&db, 10, 14).await;
        let told: Vec<_> = jobs.iter().map(|job| (job.kind, job.status, job.cost_cents.as_str())).collect();
        assert_eq!(told, [
            (JobKind::ParseAndIngest, JobState::Succeeded, "12"),
            (JobKind::DescribePass, JobState::Succeeded, "12"),
            (JobKind::DescribePass, JobState::Succeeded, "4"),
        ]);
        assert_eq!((jobs[1].parent, jobs[2].parent), (Some(jobs[0].id), Some(jobs[1].id)));
        assert_eq!(jobs[0].result["cost_cents"], "12");
        assert_eq!(jobs[1].result, json!({"described": 6, "deferred": 2}));
        assert_eq!(jobs[2].result, json!({"described": 2, "deferred": 0}));
        let columns: Vec<String> = (1..=14).map(|n| format!("c{n}")).collect();
        assert_eq!(asked, columns.chunks(2).map(<[String]>::to_vec).collect::<Vec<_>>(), "each once, in order");
        assert!(descriptions(&db, &jobs[0]).await.iter().all(Option::is_some));
    }

    async fn a_pass_that_describes_nothing_makes_no_other(db: TestDb) {
        let (jobs, asked) = run(&db, 0, 3).await;
        let kinds: Vec<_> = jobs.iter().map(|job| (job.kind, job.status)).collect();
        let ended = JobState::Succeeded;
        assert_eq!(kinds, [(JobKind::ParseAndIngest, ended), (JobKind::DescribePass, ended)]);
        assert_eq!(jobs[1].result, json!({"described": 0, "deferred": 3}));
        assert_eq!(asked, Vec::<Vec<String>>::new());
        assert!(descriptions(&db, &jobs[0]).await[1..].iter().all(Option::is_none));
    }

    async fn a_budget_that_lasts_makes_no_pass(db: TestDb) {
        let (jobs, asked) = run(&db, 8, 4).await;
        assert_eq!((jobs.len(), jobs[0].cost_cents.as_str(), asked.len()), (1, "8", 2));
    }
}
