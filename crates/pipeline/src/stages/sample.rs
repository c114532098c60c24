//! Stage 4: a few distinct values per column, spread over the file. Personal data never becomes a sample.

use annotate::sample::{SCAN, Sampler, spread};
use arrow::array::ArrayRef;
use async_trait::async_trait;
use db::Tx;
use domain::event::{EventStage, NewEvent};
use domain::ports::pii_scanner::PiiScanner;
use domain::semantic::PiiTag;
use domain::{Column, ObjectId, PiiPolicy};
use serde_json::json;

use crate::checkpoint::{Section, Work, after};
use crate::column_scan::{Rows, Visitor, over_columns};
use crate::context::Context;
use crate::failure::Stop;
use crate::objects::columns_of;
use crate::step::Step;

/// The rows a scan looks at: enough for a verdict on a column, few enough to cost nothing.
pub const SCANNED: Rows = Rows::Spread { runs: 32, length: 64 };

/// Samples of the columns of one section: position of the column, its values.
pub type Samples = Vec<(usize, Vec<String>)>;

#[async_trait]
impl Step for after::Sample {
    type Previous = after::Reconcile;
    type Found = Vec<Samples>;

    async fn find(ctx: &Context, work: &Work) -> Result<Self::Found, Stop> {
        let mut found = Vec::with_capacity(work.sections.len());
        for section in &work.sections {
            found.push(samples(ctx, section).await?);
        }
        Ok(found)
    }

    async fn write(ctx: &Context, tx: &Tx, work: &mut Work, found: Self::Found) -> Result<Vec<NewEvent>, Stop> {
        let mut events = Vec::with_capacity(found.len());
        for (section, samples) in work.sections.iter().zip(&found) {
            events.push(store(ctx, tx, section, samples).await?);
        }
        Ok(events)
    }
}

/// Samples of every covered column of a section.
pub async fn samples(ctx: &Context, section: &Section) -> Result<Samples, Stop> {
    let columns: Vec<usize> = section.covered(&ctx.policy).map(|(i, _)| i).collect();
    let scanned = scan(ctx, section, columns.clone()).await?;
    Ok(columns
        .into_iter()
        .zip(scanned)
        .map(|(i, values)| (i, keep(ctx, &section.schema.columns[i], &values)))
        .collect())
}

/// Writes samples to the columns' objects; a column that a person tagged as personal data gets none.
pub async fn store(ctx: &Context, tx: &Tx, section: &Section, samples: &Samples) -> Result<NewEvent, Stop> {
    let target = section.target();
    let columns = columns_of(tx, target.snapshot).await?;
    let rows: Vec<(ObjectId, Vec<String>)> = samples
        .iter()
        .filter_map(|(index, values)| {
            let column = columns.get(&section.schema.columns[*index].name)?;
            let personal = column.annotations.pii_tag.as_ref().is_some_and(|tag| *tag != PiiTag::None);
            let hidden = personal && ctx.pii_policy() != PiiPolicy::Warn;
            Some((column.id, if hidden { Vec::new() } else { values.clone() }))
        })
        .collect();
    db::schema_objects::set_samples(tx, &rows).await?;
    let payload = json!({"table_id": target.table, "snapshot_id": target.snapshot, "sampled_columns": rows.len()});
    Ok(NewEvent::ok(EventStage::Sampled, payload))
}

/// Up to `SCAN` distinct values of each column.
pub async fn scan(ctx: &Context, section: &Section, columns: Vec<usize>) -> Result<Vec<Vec<String>>, Stop> {
    let visitors = over_columns(ctx, section, columns, SCANNED, |_| Sampler::new(SCAN)).await?;
    Ok(visitors.into_iter().map(Sampler::finish).collect())
}

impl Visitor for Sampler {
    fn visit(&mut self, array: &ArrayRef) {
        self.update(array.as_ref());
    }
}

fn keep(ctx: &Context, column: &Column, values: &[String]) -> Vec<String> {
    let Some(scanner) = ctx.scanner() else { return spread(values, ctx.settings.sample_n) };
    let personal = scanner.column(&column.name, &column.sql_type, values) != PiiTag::None;
    if personal && ctx.pii_policy() != PiiPolicy::Warn {
        return Vec::new();
    }
    spread(&harmless(scanner.as_ref(), values), ctx.settings.sample_n)
}

/// The values that do not look like personal data; a single look-alike is dropped whatever the policy.
fn harmless(scanner: &dyn PiiScanner, values: &[String]) -> Vec<String> {
    values.iter().filter(|v| scanner.value(v).is_none()).cloned().collect()
}
