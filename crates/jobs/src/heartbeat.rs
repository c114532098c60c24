//! The heartbeat: one statement per process and beat renews every lease, carries progress, and says which jobs were
//! cancelled or lost.

use std::collections::HashMap;
use std::time::Duration;

use db::{Db, DbError, Dialect, Row, Tx, params};
use domain::event::Progress;
use domain::job::Claim;
use domain::{ClaimToken, JobId};

/// One job of a beat.
#[derive(Clone, PartialEq, Debug)]
pub struct Beat {
    /// The claim to be renewed.
    pub claim: Claim,
    /// How far it is; `None` leaves what is there.
    pub progress: Option<Progress>,
}

/// What a beat learned about a job.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BeatReply {
    /// Renewed.
    Kept,
    /// Renewed, and a cancel was requested.
    CancelRequested,
    /// Another transaction holds the row just now: not renewed, not lost. The next beat tells more.
    Busy,
    /// The claim does not hold any more.
    Lost,
}

/// Renews the leases of `beats` to `lease` from now. One reply per beat, in their order.
pub async fn beat(db: &Db, beats: &[Beat], lease: Duration) -> Result<Vec<(Claim, BeatReply)>, DbError> {
    if beats.is_empty() {
        return Ok(Vec::new());
    }
    let tx = db.fleet().await?;
    let mut values = params![lease.as_secs_f64()];
    for beat in beats {
        let progress = beat.progress.as_ref().and_then(|p| serde_json::to_value(p).ok());
        values.extend(params![beat.claim.job_id, beat.claim.token, progress]);
    }
    let held = Dialect::values(2, beats.len(), 3);
    let replies = match tx.dialect() {
        Dialect::Sqlite => sqlite(&tx, &held, values).await?,
        Dialect::Postgres => postgres(&tx, &held, values).await?,
    };
    tx.commit().await?;
    Ok(beats.iter().map(|beat| (beat.claim, replies.get(&beat.claim).copied().unwrap_or(BeatReply::Lost))).collect())
}

type Replies = HashMap<Claim, BeatReply>;

async fn sqlite(tx: &Tx, held: &str, values: Vec<db::Value>) -> Result<Replies, DbError> {
    let sql = format!(
        "UPDATE flyquery_ingest_jobs SET lease_until = {until}, \
         progress_json = COALESCE(held.column3, progress_json) FROM (VALUES {held}) AS held \
         WHERE id = held.column1 AND claim_token = held.column2 AND status = 'RUNNING' \
         RETURNING id, claim_token, cancel_requested",
        until = tx.now_plus_bound("$1"),
    );
    tx.rows(&sql, values).await?.iter().map(|row| Ok((claim_of(row)?, kept(row)?))).collect()
}

/// Rows that another transaction holds are passed over, or a long stage commit of one job would keep the others from
/// being renewed; the statement's snapshot tells whether such a row was still ours. Tokens are compared throughout: a
/// process may hold a job's old claim, whose handler has not stopped yet, beside its new one.
async fn postgres(tx: &Tx, held: &str, values: Vec<db::Value>) -> Result<Replies, DbError> {
    let sql = format!(
        "WITH held AS (SELECT column1 AS id, column2 AS claim_token, column3 AS progress FROM (VALUES {held}) AS v), \
         locked AS (SELECT j.id FROM flyquery_ingest_jobs AS j JOIN held AS h ON j.id = h.id \
           AND j.claim_token = h.claim_token WHERE j.status = 'RUNNING' FOR UPDATE OF j SKIP LOCKED), \
         kept AS (UPDATE flyquery_ingest_jobs AS j SET lease_until = {until}, \
           progress_json = COALESCE(h.progress, j.progress_json) FROM held AS h \
           WHERE j.id = h.id AND j.claim_token = h.claim_token AND j.status = 'RUNNING' \
           AND j.id IN (SELECT id FROM locked) RETURNING j.id, j.claim_token, j.cancel_requested) \
         SELECT h.id, h.claim_token, kept.id IS NOT NULL AS kept, \
           COALESCE(kept.cancel_requested, false) AS cancel_requested, seen.id IS NOT NULL AS seen \
         FROM held AS h LEFT JOIN kept ON kept.id = h.id AND kept.claim_token = h.claim_token LEFT JOIN flyquery_ingest_jobs AS seen \
           ON seen.id = h.id AND seen.claim_token = h.claim_token AND seen.status = 'RUNNING'",
        until = tx.now_plus_bound("$1"),
    );
    let rows = tx.rows(&sql, values).await?;
    let mut replies = Replies::with_capacity(rows.len());
    for row in &rows {
        let reply = match (row.get("kept")?, row.get("seen")?) {
            (true, _) => kept(row)?,
            (false, true) => BeatReply::Busy,
            (false, false) => BeatReply::Lost,
        };
        replies.insert(claim_of(row)?, reply);
    }
    Ok(replies)
}

fn claim_of(row: &Row) -> Result<Claim, DbError> {
    Ok(Claim { job_id: row.get::<JobId>("id")?, token: row.get::<ClaimToken>("claim_token")? })
}

fn kept(row: &Row) -> Result<BeatReply, DbError> {
    Ok(if row.get("cancel_requested")? { BeatReply::CancelRequested } else { BeatReply::Kept })
}
