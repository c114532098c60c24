//! Stage 4: a few distinct values per column, spread over the file. Personal data never becomes a sample.

use annotate::sample::{SCAN, Sampler, spread};
use arrow::array::ArrayRef;
use async_trait::async_trait;
use db::Tx;
use domain::ObjectId;
use domain::event::{EventStage, NewEvent};
use serde_json::json;

use crate::checkpoint::{Section, Work, after};
use crate::column_scan::{Rows, Visitor, over_columns};
use crate::context::Context;
use crate::failure::Stop;
use crate::objects::columns_of;
use crate::stages::tag_pii::{Verdicts, hidden, hides_tagged, judge};
use crate::step::Step;

/// The rows a scan looks at: enough for a verdict on a column, few enough to cost nothing.
pub const SCANNED: Rows = Rows::Spread { runs: 32, length: 64 };

/// What was sampled of one section.
pub struct Samples {
    /// Position of each column, and its values.
    values: Vec<(usize, Vec<String>)>,
    /// What the scanned values say of personal data: no later stage need look again.
    verdicts: Verdicts,
}

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
        for (section, samples) in work.sections.iter_mut().zip(found) {
            events.push(store(ctx, tx, section, &samples).await?);
            section.verdicts = samples.verdicts;
        }
        Ok(events)
    }
}

/// Samples of every covered column of a section.
pub async fn samples(ctx: &Context, section: &Section) -> Result<Samples, Stop> {
    let scanned = scan(ctx, section).await?;
    let verdicts = judge(ctx, section, &scanned);
    let hidden = hidden(ctx, &verdicts);
    let kept = |(index, values): &(usize, Vec<String>)| {
        (*index, if hidden.contains(index) { Vec::new() } else { keep(ctx, values) })
    };
    Ok(Samples { values: scanned.iter().map(kept).collect(), verdicts })
}

/// Writes samples to the columns' objects; a column that a person tagged as personal data gets none.
pub async fn store(ctx: &Context, tx: &Tx, section: &Section, samples: &Samples) -> Result<NewEvent, Stop> {
    let target = section.target();
    let columns = columns_of(tx, target.snapshot).await?;
    let rows: Vec<(ObjectId, Vec<String>)> = samples
        .values
        .iter()
        .filter_map(|(index, values)| {
            let column = columns.get(&section.schema.columns[*index].name)?;
            Some((column.id, if hides_tagged(ctx, column) { Vec::new() } else { values.clone() }))
        })
        .collect();
    db::schema_objects::set_samples(tx, &rows).await?;
    let payload = json!({"table_id": target.table, "snapshot_id": target.snapshot, "sampled_columns": rows.len()});
    Ok(NewEvent::ok(EventStage::Sampled, payload))
}

/// Position of each covered column, and up to `SCAN` distinct values of it.
pub async fn scan(ctx: &Context, section: &Section) -> Result<Vec<(usize, Vec<String>)>, Stop> {
    let columns: Vec<usize> = section.covered(&ctx.policy).map(|(i, _)| i).collect();
    let visitors = over_columns(ctx, section, columns.clone(), SCANNED, |_| Sampler::new(SCAN)).await?;
    Ok(columns.into_iter().zip(visitors.into_iter().map(Sampler::finish)).collect())
}

impl Visitor for Sampler {
    fn visit(&mut self, array: &ArrayRef) {
        self.update(array.as_ref());
    }
}

/// Up to so many of the values as are kept. A single look-alike of personal data is dropped whatever the policy.
fn keep(ctx: &Context, values: &[String]) -> Vec<String> {
    let Some(scanner) = ctx.scanner() else { return spread(values, ctx.settings.sample_n) };
    let harmless: Vec<String> = values.iter().filter(|v| scanner.value(v).is_none()).cloned().collect();
    spread(&harmless, ctx.settings.sample_n)
}
