//! Stage 8: which columns hold personal data, and what the policy does about them.

use std::collections::HashSet;

use async_trait::async_trait;
use db::schema_objects::NewPii;
use db::{ObjectRow, Tx};
use domain::event::{EventStage, NewEvent};
use domain::semantic::{PiiSource, PiiTag};
use domain::{PiiPolicy, Stage};
use serde_json::json;

use crate::checkpoint::{Section, Work, after};
use crate::context::Context;
use crate::failure::Stop;
use crate::objects::columns_of;
use crate::stages::sample::scan;
use crate::step::{Step, stage_event};

/// Position of each column with its verdict; `None` when no recogniser is on.
pub type Verdicts = Option<Vec<(usize, PiiTag)>>;

#[async_trait]
impl Step for after::TagPii {
    type Previous = after::Describe;
    type Found = Vec<Verdicts>;

    async fn find(ctx: &Context, work: &Work) -> Result<Self::Found, Stop> {
        let mut found = Vec::with_capacity(work.sections.len());
        for section in &work.sections {
            found.push(verdicts(ctx, section).await?);
        }
        Ok(found)
    }

    async fn write(ctx: &Context, tx: &Tx, work: &mut Work, found: Self::Found) -> Result<Vec<NewEvent>, Stop> {
        let mut events = Vec::with_capacity(found.len());
        for (section, verdicts) in work.sections.iter().zip(&found) {
            events.push(store(ctx, tx, section, verdicts.as_deref()).await?);
        }
        Ok(events)
    }
}

/// What the columns hold, as the first stage found that looked.
pub async fn verdicts(ctx: &Context, section: &Section) -> Result<Verdicts, Stop> {
    if section.verdicts.is_some() || ctx.scanner().is_none() {
        return Ok(section.verdicts.clone());
    }
    let scanned = scan(ctx, section).await?;
    Ok(judge(ctx, section, &scanned))
}

/// The verdicts on columns of which these values were scanned.
pub fn judge(ctx: &Context, section: &Section, found: &[(usize, Vec<String>)]) -> Verdicts {
    let scanner = ctx.scanner()?;
    let verdict = |(index, values): &(usize, Vec<String>)| {
        let column = &section.schema.columns[*index];
        (*index, scanner.column(&column.name, &column.sql_type, values))
    };
    Some(found.iter().map(verdict).collect())
}

/// Positions of the columns whose values the policy hides.
pub fn hidden(ctx: &Context, verdicts: &Verdicts) -> HashSet<usize> {
    if !ctx.hides_personal_data() {
        return HashSet::new();
    }
    verdicts.iter().flatten().filter(|(_, tag)| *tag != PiiTag::None).map(|(index, _)| *index).collect()
}

/// Whether the policy hides the values of a column that carries a tag already: one that a person gave it.
pub fn hides_tagged(ctx: &Context, object: &ObjectRow) -> bool {
    ctx.hides_personal_data() && object.annotations.pii_tag.as_ref().is_some_and(|tag| *tag != PiiTag::None)
}

async fn store(
    ctx: &Context,
    tx: &Tx,
    section: &Section,
    verdicts: Option<&[(usize, PiiTag)]>,
) -> Result<NewEvent, Stop> {
    let target = section.target();
    let policy = ctx.pii_policy();
    let Some(verdicts) = verdicts else {
        let reason = json!({
            "table_id": target.table, "snapshot_id": target.snapshot, "skipped": true, "reason": "pii_scanner disabled"
        });
        return Ok(NewEvent::ok(stage_event(Stage::TagPii), reason));
    };
    let columns = columns_of(tx, target.snapshot).await?;
    let mut tagged = Vec::new();
    let mut rows = Vec::with_capacity(verdicts.len());
    for (index, tag) in verdicts {
        let name = &section.schema.columns[*index].name;
        let Some(object) = columns.get(name) else { continue };
        let found = *tag != PiiTag::None;
        rows.push(NewPii {
            id: object.id,
            tag: tag.clone(),
            source: PiiSource::Regex,
            scrub: found && policy != PiiPolicy::Warn,
            deactivate: found && policy == PiiPolicy::Reject,
        });
        if found {
            tagged.push(json!({"column": name, "pii_tag": tag.to_string()}));
        }
    }
    db::schema_objects::set_pii(tx, &rows).await?;
    let payload = json!({
        "table_id": target.table, "snapshot_id": target.snapshot, "policy": policy, "tagged": tagged,
    });
    Ok(NewEvent::ok(EventStage::PiiTagged, payload))
}
