//! How far removed and added columns hold the same values: what tells a rename from a column that went and another that
//! came.

use std::collections::BTreeSet;

use annotate::Sampler;
use arrow::array::ArrayRef;
use db::tables::ByName;
use domain::drift::{Overlap, open_pairs};
use domain::table::PublishedTable;
use domain::{DatasetId, Schema, SnapshotId};

use crate::checkpoint::{Section, Target};
use crate::column_scan::{Rows, Visitor, over_columns};
use crate::context::Context;
use crate::failure::Stop;

/// Distinct values kept of a column to compare it by: the share is right within a few percent.
const SKETCH: usize = 512;
/// Columns compared on each side; beyond that a file is another table rather than a renamed one.
const COLUMNS: usize = 64;

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
    let pairs: Vec<(usize, usize)> = open_pairs(&current.schema, &section.schema)
        .into_iter()
        .filter_map(|(old, new)| Some((place(&current.schema, &old.name)?, place(&section.schema, &new.name)?)))
        .collect();
    let gone: BTreeSet<usize> = pairs.iter().map(|(old, _)| *old).take(COLUMNS).collect();
    let came: BTreeSet<usize> = pairs.iter().map(|(_, new)| *new).take(COLUMNS).collect();
    if gone.is_empty() || came.is_empty() {
        return Ok(Likeness { to, overlaps: Vec::new() });
    }
    let before = stored(current);
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

fn place(schema: &Schema, name: &str) -> Option<usize> {
    schema.columns.iter().position(|column| column.name == name)
}

struct Sketch(Sampler);

impl Visitor for Sketch {
    fn visit(&mut self, array: &ArrayRef) {
        self.0.update(array.as_ref());
    }
}

async fn sketches(ctx: &Context, section: &Section, columns: BTreeSet<usize>) -> Result<Vec<(usize, Sampler)>, Stop> {
    let columns: Vec<usize> = columns.into_iter().collect();
    let visitors = over_columns(ctx, section, columns.clone(), Rows::All, |_| Sketch(Sampler::new(SKETCH))).await?;
    Ok(columns.into_iter().zip(visitors.into_iter().map(|visitor| visitor.0)).collect())
}

fn stored(table: PublishedTable) -> Section {
    Section {
        name: table.name,
        path: None,
        schema: table.schema,
        rows: table.n_rows,
        object_key: table.object_key,
        parquet_bytes: table.byte_size,
        target: Some(Target { table: table.table_id, snapshot: table.snapshot_id, previous: None }),
    }
}
