//! How far removed and added columns hold the same values: what tells a rename from a column that went and another that
//! came.

use std::collections::BTreeSet;

use annotate::Sampler;
use db::tables::ByName;
use domain::drift::{Overlap, open_pairs};
use domain::{DatasetId, SnapshotId};

use crate::checkpoint::Section;
use crate::column_scan::{Rows, over_columns};
use crate::context::Context;
use crate::failure::Stop;

/// Distinct values kept of a column to compare it by: the share is right within a few percent.
const SKETCH: usize = 512;

/// Of one section, against one snapshot.
#[derive(Clone, Debug, Default)]
pub struct Likeness {
    /// The snapshot that was current when the values were compared.
    pub to: Option<SnapshotId>,
    /// The pairs of columns that were compared.
    pub overlaps: Vec<Overlap>,
}

/// Compares the section's new columns with those that its table no longer has.
pub(super) async fn of(ctx: &Context, dataset: DatasetId, section: &Section) -> Result<Likeness, Stop> {
    let tx = ctx.ports.db.scope_read(&ctx.job.scope).await?;
    let current = match db::tables::by_name(&tx, &section.name, Some(dataset)).await? {
        ByName::One(row) => db::snapshots::published_table(&tx, row.id).await?,
        ByName::None | ByName::Ambiguous => None,
    };
    tx.rollback().await?;
    let Some(current) = current else { return Ok(Likeness::default()) };
    let to = Some(current.snapshot_id);
    let pairs = open_pairs(&current.schema, &section.schema);
    if pairs.is_empty() {
        return Ok(Likeness { to, overlaps: Vec::new() });
    }
    let gone: BTreeSet<usize> = pairs.iter().map(|(old, _)| *old).collect();
    let came: BTreeSet<usize> = pairs.iter().map(|(_, new)| *new).collect();
    let before = Section::from(current);
    let old = sketches(ctx, &before, gone).await?;
    let new = sketches(ctx, section, came).await?;
    let overlaps = pairs
        .into_iter()
        .filter_map(|(i, j)| {
            let ours = old.iter().find(|(column, _)| *column == i)?;
            let theirs = new.iter().find(|(column, _)| *column == j)?;
            Some(Overlap {
                from: before.schema.columns[i].name.clone(),
                to: section.schema.columns[j].name.clone(),
                share: ours.1.overlap(&theirs.1),
            })
        })
        .collect();
    Ok(Likeness { to, overlaps })
}

async fn sketches(ctx: &Context, section: &Section, columns: BTreeSet<usize>) -> Result<Vec<(usize, Sampler)>, Stop> {
    let columns: Vec<usize> = columns.into_iter().collect();
    let visitors = over_columns(ctx, section, columns.clone(), Rows::All, |_| Sampler::new(SKETCH)).await?;
    Ok(columns.into_iter().zip(visitors).collect())
}
