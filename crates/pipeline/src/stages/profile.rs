//! Stage 5: what the columns hold: nulls, distinct values, range, frequent values.

use annotate::profile::{ColumnProfile, ColumnProfiler};
use arrow::array::ArrayRef;
use arrow::error::ArrowError;
use async_trait::async_trait;
use db::{ObjectRow, Tx};
use domain::ObjectId;
use domain::event::{EventStage, NewEvent};
use serde_json::json;

use crate::checkpoint::{Section, Work, after};
use crate::column_scan::{Rows, Visitor, over_columns};
use crate::context::Context;
use crate::failure::{Stop, defect};
use crate::objects::columns_of;
use crate::stages::tag_pii::{hidden, hides_tagged, verdicts};
use crate::step::Step;

/// Profiles of one section, or `None` when it has too many rows.
type Profiles = Option<Vec<(usize, ColumnProfile)>>;

#[async_trait]
impl Step for after::Profile {
    type Previous = after::Sample;
    type Found = Vec<Profiles>;

    async fn find(ctx: &Context, work: &Work) -> Result<Self::Found, Stop> {
        let mut found = Vec::with_capacity(work.sections.len());
        for section in &work.sections {
            let small = section.rows <= ctx.settings.profile_row_threshold;
            found.push(if small { Some(profiles(ctx, section).await?) } else { None });
        }
        Ok(found)
    }

    async fn write(ctx: &Context, tx: &Tx, work: &mut Work, found: Self::Found) -> Result<Vec<NewEvent>, Stop> {
        let mut events = Vec::with_capacity(found.len());
        for (section, profiles) in work.sections.iter().zip(found) {
            let target = section.target();
            let ids = json!({"table_id": target.table, "snapshot_id": target.snapshot});
            events.push(match profiles {
                None => {
                    let threshold = ctx.settings.profile_row_threshold;
                    let reason = format!("{} rows are above the threshold of {threshold}", section.rows);
                    NewEvent::ok(EventStage::Profiled, with(ids, json!({"skipped": true, "reason": reason})))
                }
                Some(profiles) => {
                    let columns = columns_of(tx, target.snapshot).await?;
                    let count = profiles.len();
                    let rows: Vec<(ObjectId, serde_json::Value)> = profiles
                        .into_iter()
                        .filter_map(|(i, p)| Some(row(ctx, columns.get(&section.schema.columns[i].name)?, p)))
                        .collect();
                    db::schema_objects::set_profiles(tx, &rows).await?;
                    NewEvent::ok(EventStage::Profiled, with(ids, json!({"profiled_columns": count})))
                }
            });
        }
        Ok(events)
    }
}

/// What is written of a column; of one that a person tagged as personal data no value is.
fn row(ctx: &Context, object: &ObjectRow, profile: ColumnProfile) -> (ObjectId, serde_json::Value) {
    let profile = if hides_tagged(ctx, object) { profile.without_values() } else { profile };
    (object.id, profile.to_json())
}

async fn profiles(ctx: &Context, section: &Section) -> Result<Vec<(usize, ColumnProfile)>, Stop> {
    let columns: Vec<usize> = section.covered(&ctx.policy).map(|(i, _)| i).collect();
    let hidden = hidden(ctx, &verdicts(ctx, section).await?);
    let visitors = over_columns(ctx, section, columns.clone(), Rows::All, |column| Profiling {
        profiler: ColumnProfiler::new(column),
        error: None,
    })
    .await?;
    columns
        .into_iter()
        .zip(visitors)
        .map(|(index, visitor)| match visitor.error {
            None if hidden.contains(&index) => Ok((index, visitor.profiler.finish().without_values())),
            None => Ok((index, harmless(ctx, visitor.profiler.finish()))),
            Some(error) => Err(Stop::Failed(defect(format!("A column could not be profiled: {error}.")))),
        })
        .collect()
}

/// A single value that looks like personal data is not shown, even in a column that is not tagged.
fn harmless(ctx: &Context, profile: ColumnProfile) -> ColumnProfile {
    match ctx.scanner() {
        Some(scanner) if ctx.hides_personal_data() => profile.hiding(|value| scanner.value(value).is_some()),
        Some(_) | None => profile,
    }
}

struct Profiling {
    profiler: ColumnProfiler,
    error: Option<ArrowError>,
}

impl Visitor for Profiling {
    fn visit(&mut self, array: &ArrayRef) {
        if self.error.is_none()
            && let Err(error) = self.profiler.update(array.as_ref())
        {
            self.error = Some(error);
        }
    }
}

/// Joins two JSON objects.
fn with(mut base: serde_json::Value, more: serde_json::Value) -> serde_json::Value {
    if let (Some(base), serde_json::Value::Object(more)) = (base.as_object_mut(), more) {
        base.extend(more);
    }
    base
}
