//! Jobs that jobs make: over a whole dataset, in the transaction that ends the job whose work they go on with.

use std::sync::Arc;

use async_trait::async_trait;
use db::{DbError, Tx};
use domain::ports::clock::Entropy;
use domain::table::TriggeredBy;
use domain::{JobId, JobKind};
use jobs::{Birth, CommitError, Effect, JobRow, NewJob};
use pipeline::stages::describe::Tally;

/// Makes a job of `kind` over the dataset of `parent`, unless one waits there already: it will see all that this one
/// would.
pub async fn once(tx: &Tx, entropy: &dyn Entropy, parent: &JobRow, kind: JobKind) -> Result<(), DbError> {
    if jobs::pending_of_kind(tx, parent.dataset, kind).await?.is_some() {
        return Ok(());
    }
    let pass = NewJob {
        parent: Some(parent.id),
        triggered_by: TriggeredBy::Agent,
        ..NewJob::new(JobId(entropy.id()), parent.scope.clone(), parent.dataset, kind)
    };
    jobs::enqueue(tx, entropy, pass, Birth::Pending).await.map(|_| ())
}

/// The end of a DESCRIBE_PASS: another one goes on where its budget ended, unless it got nowhere (decision 55).
pub struct DescribeOn {
    /// How far it came.
    pub tally: Tally,
    /// Ids.
    pub entropy: Arc<dyn Entropy>,
}

#[async_trait]
impl jobs::Commit for DescribeOn {
    async fn apply(&self, tx: &Tx, job: &JobRow) -> Result<Effect, CommitError> {
        if self.tally.deferred > 0 && self.tally.described > 0 {
            once(tx, &*self.entropy, job, JobKind::DescribePass).await.map_err(CommitError::Db)?;
        }
        Ok(Effect::default())
    }
}
