//! Stage 6: which columns point to which tables.

use annotate::profile::ColumnProfile;
use annotate::relations::relation_column;
use async_trait::async_trait;
use db::Tx;
use domain::event::{EventStage, NewEvent};
use domain::ports::relation_proposer::{RelationProposal, RelationTable};
use domain::semantic::RelationKind;
use domain::table::ObjectKind;
use domain::{ErrorCode, Failure, RelationId, Schema, SnapshotId, TableId};
use serde_json::json;

use crate::checkpoint::{Work, after};
use crate::context::Context;
use crate::failure::Stop;
use crate::step::Step;

#[async_trait]
impl Step for after::Relate {
    type Previous = after::Profile;
    type Found = Vec<RelationProposal>;

    async fn find(ctx: &Context, work: &Work) -> Result<Self::Found, Stop> {
        let fresh: Vec<TableId> = work.sections.iter().map(|s| s.target().table).collect();
        let mut tables = Vec::new();
        for section in &work.sections {
            let target = section.target();
            tables.push(facts(ctx, target.table, &section.name, target.snapshot, &section.schema).await?);
        }
        tables.extend(published(ctx, &fresh).await?);
        propose(ctx, &tables, &fresh).await
    }

    async fn write(ctx: &Context, tx: &Tx, _: &mut Work, found: Self::Found) -> Result<Vec<NewEvent>, Stop> {
        Ok(vec![store(ctx, tx, &found).await?])
    }
}

/// The published tables of the dataset, but for those in `without`.
pub async fn published(ctx: &Context, without: &[TableId]) -> Result<Vec<RelationTable>, Stop> {
    let tx = ctx.ports.db.scope_read(&ctx.job.scope).await?;
    let current = db::snapshots::published(&tx, ctx.job.dataset).await?;
    tx.rollback().await?;
    let mut tables = Vec::with_capacity(current.len());
    for table in current.iter().filter(|t| !without.contains(&t.table_id)) {
        ctx.check_halt()?;
        tables.push(facts(ctx, table.table_id, &table.name, table.snapshot_id, &table.schema).await?);
    }
    Ok(tables)
}

async fn facts(
    ctx: &Context,
    id: TableId,
    name: &str,
    snapshot: SnapshotId,
    schema: &Schema,
) -> Result<RelationTable, Stop> {
    let tx = ctx.ports.db.scope_read(&ctx.job.scope).await?;
    let objects = db::schema_objects::list(&tx, snapshot).await?;
    tx.rollback().await?;
    let columns = schema
        .columns
        .iter()
        .map(|column| {
            let object = objects.iter().find(|o| o.kind == ObjectKind::Column && o.name == column.name);
            let profile = object.and_then(|o| o.profile.as_ref()).and_then(ColumnProfile::from_json);
            relation_column(column, profile.as_ref())
        })
        .collect();
    Ok(RelationTable { id, name: name.to_owned(), columns })
}

/// Asks the proposer and drops what it is not sure enough of.
pub async fn propose(
    ctx: &Context,
    tables: &[RelationTable],
    fresh: &[TableId],
) -> Result<Vec<RelationProposal>, Stop> {
    let mut proposals = ctx
        .ports
        .proposer
        .propose(tables, fresh)
        .await
        .map_err(|e| Failure::new(ErrorCode::InfrastructureUnavailable, e.to_string()))?;
    proposals.retain(|p| p.confidence >= ctx.settings.relation_min_confidence);
    Ok(proposals)
}

/// Writes proposals; what a person approved or rejected stays as it is.
pub async fn store(ctx: &Context, tx: &Tx, proposals: &[RelationProposal]) -> Result<NewEvent, Stop> {
    let rows: Vec<(RelationId, RelationProposal)> =
        proposals.iter().map(|p| (RelationId(ctx.ports.entropy.id()), p.clone())).collect();
    db::relations::propose(tx, ctx.job.dataset, &rows).await?;
    let by = |kind: RelationKind| proposals.iter().filter(|p| p.kind == kind).count();
    let payload = json!({
        "dataset_id": ctx.job.dataset,
        "heuristic_proposed": by(RelationKind::Heuristic),
        "agent_proposed": by(RelationKind::AgentProposed),
    });
    Ok(NewEvent::ok(EventStage::RelationsProposed, payload))
}
