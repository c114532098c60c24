//! The answer to a commit gets lost: what was committed counts.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use db::{Db, DbSettings, DbUrl};
use domain::JobState;
use domain::ports::describer::{ColumnBrief, ColumnDescription, DescribeError, Describer};
use object_store::ObjectStoreExt as _;
use object_store::path::Path;
use pipeline::PipelineSettings;
use test_support::{CuttingProxy, TestDb};

use crate::stand::Stand;

/// Is not asked: its budget is nothing.
struct Mute;

#[async_trait]
impl Describer for Mute {
    async fn describe(&self, _: &[ColumnBrief]) -> Result<(Vec<ColumnDescription>, f64), DescribeError> {
        Err(DescribeError("not asked".to_owned()))
    }
}

async fn an_upload_whose_commit_was_not_answered_is_taken(db: TestDb) {
    let DbUrl::Postgres(url) = db.url() else { unreachable!("only run on Postgres") };
    let proxy = CuttingProxy::before(url, "INSERT INTO flyquery_files").await;
    let settings = DbSettings {
        url: DbUrl::Postgres(proxy.url().to_owned()),
        max_connections: 4,
        acquire_timeout: Duration::from_secs(20),
    };
    let pipeline = PipelineSettings { describe_budget_cents: 0, ..PipelineSettings::default() };
    let by_proxy = Db::connect(settings).await.unwrap();
    let stand = Stand::start(&db, by_proxy, Arc::new(Mute), pipeline).await;
    proxy.arm();
    let accepted = stand.upload(&db, "a.csv", "x\n1\n").await.unwrap();
    assert!(proxy.has_cut(), "no answer was lost");
    let jobs = stand.all_ended(&db).await;
    assert_eq!((jobs[0].id, jobs[0].status), (accepted.job, JobState::Succeeded));
    let tx = db.read().await;
    let file = db::files::get(&tx, accepted.file).await.unwrap().unwrap();
    tx.rollback().await.unwrap();
    stand.store.head(&Path::from(file.object_key)).await.expect("the original is kept");
    stand.stop().await;
}

#[test]
fn an_upload_whose_commit_was_not_answered_is_taken_on_postgres() {
    test_support::run_on_postgres(an_upload_whose_commit_was_not_answered_is_taken);
}
