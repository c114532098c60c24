//! The kinds of job that run one stage on what is already published.

use domain::event::NewEvent;
use domain::table::PublishedTable;
use domain::{ErrorCode, Failure, Stage, TableId};
use serde_json::json;

use crate::checkpoint::Section;
use crate::context::Context;
use crate::failure::Stop;
use crate::stages::describe::{self, Tally};
use crate::stages::{embed, relate, sample};
use crate::step::stage_event;

/// SAMPLE_REFRESH: takes new samples of a table's current snapshot.
pub async fn sample_refresh(ctx: &Context, table: TableId) -> Result<(), Stop> {
    let tx = ctx.ports.db.scope_read(&ctx.job.scope).await?;
    let published = db::snapshots::published_table(&tx, table).await?;
    tx.rollback().await?;
    let published =
        published.ok_or_else(|| Failure::new(ErrorCode::ResourceNotFound, "The table is not published any more."))?;
    if ctx.policy.skips(Stage::Sample) {
        return commit(ctx, Stage::Sample, vec![skipped(Stage::Sample)]).await;
    }
    let section = Section::from(published);
    let samples = sample::samples(ctx, &section).await.map_err(|s| s.in_stage(Stage::Sample))?;
    let guard = ctx.fence.begin().await?;
    let event = sample::store(ctx, guard.tx(), &section, &samples).await.map_err(|s| s.in_stage(Stage::Sample))?;
    Ok(guard.commit(Stage::Sample, serde_json::Value::Null, vec![event]).await?)
}

/// DESCRIBE_PASS: describes what has no description yet in every published table; each table is a commit of its own,
/// so that a pass that is interrupted goes on at the first undescribed object.
pub async fn describe_pass(ctx: &Context) -> Result<Tally, Stop> {
    let resumed = ctx.job.checkpoint.clone().and_then(|json| serde_json::from_value(json).ok());
    let mut tally: Tally = resumed.unwrap_or_default();
    if ctx.policy.skips(Stage::Describe) {
        commit(ctx, Stage::Describe, vec![skipped(Stage::Describe)]).await?;
        return Ok(tally);
    }
    let mut budget = describe::Budget::new(ctx, tally.spent_cents);
    // Counted anew: what was left open before the interruption is found open again.
    tally.deferred = 0;
    for table in published(ctx).await? {
        ctx.check_halt()?;
        let subject = describe::Subject {
            table: table.table_id,
            name: &table.name,
            snapshot: table.snapshot_id,
            schema: &table.schema,
            rows: table.n_rows,
        };
        let found = describe::describe(ctx, &subject, &mut budget).await.map_err(|s| s.in_stage(Stage::Describe))?;
        tally.add(&found);
        let reached = json!(tally);
        let guard = ctx.fence.begin().await?;
        let event = describe::store(guard.tx(), &found).await.map_err(|s| s.in_stage(Stage::Describe))?;
        guard.commit(Stage::Describe, reached.clone(), vec![event]).await?;
        if found.is_empty() {
            continue;
        }
        // The words followed in that commit; their vectors do here.
        let embeddings = embed::embed(ctx, table.snapshot_id).await.map_err(|s| s.in_stage(Stage::Embed))?;
        let guard = ctx.fence.begin().await?;
        let event = embed::store(ctx, guard.tx(), table.table_id, table.snapshot_id, &embeddings).await;
        let event = event.map_err(|s| s.in_stage(Stage::Embed))?;
        guard.commit(Stage::Embed, reached, vec![event]).await?;
    }
    Ok(tally)
}

/// RELATION_PASS: relates all published tables of the dataset to each other.
pub async fn relation_pass(ctx: &Context) -> Result<(), Stop> {
    if ctx.policy.skips(Stage::Relate) {
        return commit(ctx, Stage::Relate, vec![skipped(Stage::Relate)]).await;
    }
    let tables = relate::published(ctx).await?;
    let all: Vec<TableId> = tables.iter().map(|(_, table)| table.id).collect();
    let proposals = relate::propose(ctx, tables, &all).await.map_err(|s| s.in_stage(Stage::Relate))?;
    let guard = ctx.fence.begin().await?;
    let event = relate::store(ctx, guard.tx(), &proposals).await.map_err(|s| s.in_stage(Stage::Relate))?;
    Ok(guard.commit(Stage::Relate, serde_json::Value::Null, vec![event]).await?)
}

async fn commit(ctx: &Context, stage: Stage, events: Vec<NewEvent>) -> Result<(), Stop> {
    Ok(ctx.fence.begin().await?.commit(stage, serde_json::Value::Null, events).await?)
}

fn skipped(stage: Stage) -> NewEvent {
    NewEvent::ok(stage_event(stage), json!({"skipped": true, "reason": "ingest_policy"}))
}

async fn published(ctx: &Context) -> Result<Vec<PublishedTable>, Stop> {
    let tx = ctx.ports.db.scope_read(&ctx.job.scope).await?;
    let tables = db::snapshots::published(&tx, ctx.job.dataset).await?;
    tx.rollback().await?;
    Ok(tables)
}
