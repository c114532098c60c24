//! Stage 6: which columns point to which tables.

use std::collections::{BTreeSet, HashMap};

use annotate::profile::ColumnProfile;
use annotate::relations::relation_column;
use async_trait::async_trait;
use db::Tx;
use domain::event::{EventStage, NewEvent};
use domain::ports::relation_proposer::{RelationProposal, RelationTable};
use domain::semantic::RelationKind;
use domain::{Column, ErrorCode, Failure, RelationId, Schema, SnapshotId, TableId};
use serde_json::json;

use crate::checkpoint::{Work, after};
use crate::context::Context;
use crate::failure::Stop;
use crate::step::Step;

/// Tables whose profiles are read in one statement.
const TABLES_AT_ONCE: usize = 64;
/// Names of columns that are asked for in one statement.
const NAMES_AT_ONCE: usize = 256;

#[async_trait]
impl Step for after::Relate {
    type Previous = after::Profile;
    type Found = Vec<RelationProposal>;

    async fn find(ctx: &Context, work: &Work) -> Result<Self::Found, Stop> {
        let fresh: Vec<TableId> = work.sections.iter().map(|s| s.target().table).collect();
        let own = work.sections.iter().map(|section| {
            let target = section.target();
            (target.snapshot, named(target.table, &section.name, &section.schema))
        });
        let others = published(ctx).await?.into_iter().filter(|(_, table)| !fresh.contains(&table.id));
        propose(ctx, own.chain(others).collect(), &fresh).await
    }

    async fn write(ctx: &Context, tx: &Tx, _: &mut Work, found: Self::Found) -> Result<Vec<NewEvent>, Stop> {
        Ok(vec![store(ctx, tx, &found).await?])
    }
}

/// The published tables of the dataset with their snapshots, by names and types alone.
pub async fn published(ctx: &Context) -> Result<Vec<(SnapshotId, RelationTable)>, Stop> {
    let tx = ctx.ports.db.scope_read(&ctx.job.scope).await?;
    let current = db::snapshots::published(&tx, ctx.job.dataset).await?;
    tx.rollback().await?;
    Ok(current.iter().map(|t| (t.snapshot_id, named(t.table_id, &t.name, &t.schema))).collect())
}

fn named(id: TableId, name: &str, schema: &Schema) -> RelationTable {
    let columns = schema.columns.iter().map(|column| relation_column(column, None)).collect();
    RelationTable { id, name: name.to_owned(), columns }
}

/// Asks the proposer, with the profiles that it needs, and drops what it is not sure enough of.
pub async fn propose(
    ctx: &Context,
    tables: Vec<(SnapshotId, RelationTable)>,
    fresh: &[TableId],
) -> Result<Vec<RelationProposal>, Stop> {
    let (snapshots, mut tables): (Vec<SnapshotId>, Vec<RelationTable>) = tables.into_iter().unzip();
    let needs = ctx.ports.proposer.needs(&tables, fresh);
    let asked: Vec<usize> =
        (0..tables.len()).filter(|at| needs.get(*at).is_some_and(|need| !need.is_empty())).collect();
    for part in asked.chunks(TABLES_AT_ONCE) {
        ctx.check_halt()?;
        profile(ctx, part, &needs, &snapshots, &mut tables).await?;
    }
    let mut proposals = ctx
        .ports
        .proposer
        .propose(&tables, fresh)
        .await
        .map_err(|e| Failure::new(ErrorCode::InfrastructureUnavailable, e.to_string()))?;
    proposals.retain(|p| p.confidence >= ctx.settings.relation_min_confidence);
    Ok(proposals)
}

/// Adds what the profiles of some tables say of the columns that are asked for.
async fn profile(
    ctx: &Context,
    part: &[usize],
    needs: &[Vec<usize>],
    snapshots: &[SnapshotId],
    tables: &mut [RelationTable],
) -> Result<(), Stop> {
    let mut wanted: HashMap<(SnapshotId, String), (usize, usize)> = HashMap::new();
    for &at in part {
        for &column in &needs[at] {
            wanted.insert((snapshots[at], tables[at].columns[column].name.clone()), (at, column));
        }
    }
    let of: Vec<SnapshotId> = part.iter().map(|at| snapshots[*at]).collect();
    let names: BTreeSet<&str> = wanted.keys().map(|(_, name)| name.as_str()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let mut found = Vec::new();
    for names in names.chunks(NAMES_AT_ONCE) {
        let tx = ctx.ports.db.scope_read(&ctx.job.scope).await?;
        found.extend(db::schema_objects::profiles(&tx, &of, names).await?);
        tx.rollback().await?;
    }
    for (snapshot, name, profile) in found {
        if let Some(&(at, column)) = wanted.get(&(snapshot, name)) {
            let known = &mut tables[at].columns[column];
            let column = Column { name: known.name.clone(), sql_type: known.sql_type.clone(), nullable: true };
            *known = relation_column(&column, ColumnProfile::from_json(&profile).as_ref());
        }
    }
    Ok(())
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
