//! Handing a job back: the process leaves, the job does not pay for it.

use db::Db;
use domain::job::Claim;
use domain::ports::clock::Entropy;

use crate::checkpoint::Stop;
use crate::ending::{Ending, Return, end, requeue};
use crate::handler::OnTerminal;
use crate::metrics;
use crate::row::{JobRow, lock_claim};
use crate::wake;

/// Sends a claimed job back to the queue at once and without charge, or ends it when a cancel was requested. The row
/// as it is now.
pub async fn hand_back(
    db: &Db,
    entropy: &dyn Entropy,
    claim: Claim,
    terminal: &dyn OnTerminal,
) -> Result<JobRow, Stop> {
    let mut tx = db.fleet().await?;
    let Some(locked) = lock_claim(&tx, claim).await? else {
        tx.rollback().await?;
        return Err(Stop::Fenced);
    };
    tx.bind(&locked.job.scope)?;
    let job = if locked.job.cancel_requested {
        end(&tx, &locked, Ending::Cancelled, false, terminal).await?
    } else {
        let job = requeue(&tx, &locked.job, Return::HandedBack).await?;
        wake::announce(&tx, entropy, &job).await?;
        job
    };
    tx.commit().await?;
    metrics::settled(&job);
    Ok(job)
}
