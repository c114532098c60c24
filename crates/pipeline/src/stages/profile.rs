//! Stage 5: what the columns hold: nulls, distinct values, range, frequent values.

use annotate::profile::ColumnProfile;
use arrow::array::ArrayRef;
use async_trait::async_trait;
use db::{ObjectRow, Tx};
use domain::ObjectId;
use domain::event::{EventStage, NewEvent};
use serde_json::json;

use crate::checkpoint::{Section, Work, after};
use crate::column_scan::{Rows, Visitor, over_columns};
use crate::context::Context;
use crate::failure::{Stop, defect};
use crate::first_look::Profiling;
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

/// The profiles of the columns that the policy covers: those that were made while the table was written, and the others
/// from the table itself.
async fn profiles(ctx: &Context, section: &Section) -> Result<Vec<(usize, ColumnProfile)>, Stop> {
    let hidden = hidden(ctx, &verdicts(ctx, section).await?);
    let mut known = ctx.first_look.take(&section.object_key);
    let columns: Vec<usize> = section.covered(&ctx.policy).map(|(i, _)| i).collect();
    let unknown: Vec<usize> = columns.iter().copied().filter(|index| !known.contains_key(index)).collect();
    if !unknown.is_empty() {
        let visitors = over_columns(ctx, section, unknown.clone(), Rows::All, Profiling::new).await?;
        known.extend(unknown.into_iter().zip(visitors.into_iter().map(Profiling::finish)));
    }
    columns
        .into_iter()
        .filter_map(|index| Some((index, known.remove(&index)?)))
        .map(|(index, profile)| match profile {
            Ok(profile) if hidden.contains(&index) => Ok((index, profile.without_values())),
            Ok(profile) => Ok((index, harmless(ctx, profile))),
            Err(error) => Err(Stop::Failed(defect(format!("A column could not be profiled: {error}.")))),
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

impl Visitor for Profiling {
    fn visit(&mut self, array: &ArrayRef) {
        self.update(array);
    }
}

/// Joins two JSON objects.
fn with(mut base: serde_json::Value, more: serde_json::Value) -> serde_json::Value {
    if let (Some(base), serde_json::Value::Object(more)) = (base.as_object_mut(), more) {
        base.extend(more);
    }
    base
}
