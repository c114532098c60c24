//! Stage 7: a semantic type and a sentence for every column that has none, within the budget.

use annotate::OfflineDescriber;
use async_trait::async_trait;
use db::ObjectRow;
use db::Tx;
use db::schema_objects::NewDescription;
use domain::event::{EventStage, NewEvent};
use domain::ports::describer::{ColumnBrief, ColumnDescription};
use domain::semantic::{DescriptionSource, SemanticType};
use domain::table::ObjectKind;
use domain::{ErrorCode, Failure, ObjectId, SnapshotId, SqlType, TableId};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::checkpoint::{Work, after};
use crate::context::Context;
use crate::failure::Stop;
use crate::step::Step;

/// The descriptions of one table.
pub struct Described {
    table: TableId,
    snapshot: SnapshotId,
    sentence: Option<(ObjectId, String)>,
    columns: Vec<(ObjectId, ColumnDescription)>,
    deferred: u64,
    spent_cents: f64,
}

impl Described {
    /// Whether nothing was described.
    pub fn is_empty(&self) -> bool {
        self.sentence.is_none() && self.columns.is_empty()
    }
}

/// How far a run of the describer has come; kept in the job's checkpoint, so that a DESCRIBE_PASS that is interrupted
/// spends no more than one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Columns described.
    pub described: u64,
    /// Columns that wait for another pass because the budget had ended.
    pub deferred: u64,
    /// What it has cost, in cents.
    pub spent_cents: f64,
}

impl Tally {
    /// Counts what was found about one table.
    pub fn add(&mut self, found: &Described) {
        self.described += found.columns.len() as u64;
        self.deferred += found.deferred;
        self.spent_cents += found.spent_cents;
    }

    /// The cost in cents as the wire writes it: a decimal number without needless zeros.
    pub fn cost_cents(&self) -> String {
        let text = format!("{:.4}", self.spent_cents);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

/// What a describe run may still spend; shared by all tables of a run.
pub struct Budget {
    left_cents: f64,
}

impl Budget {
    /// The budget of a run that has spent so much already.
    pub fn new(ctx: &Context, spent_cents: f64) -> Self {
        let cents = ctx.policy.describe_budget_cents.unwrap_or(ctx.settings.describe_budget_cents);
        Self { left_cents: cents as f64 - spent_cents }
    }
}

/// A table to describe.
pub struct Subject<'a> {
    /// The table.
    pub table: TableId,
    /// Its name.
    pub name: &'a str,
    /// The snapshot whose objects are described.
    pub snapshot: SnapshotId,
    /// Its columns.
    pub schema: &'a domain::Schema,
    /// Its rows.
    pub rows: u64,
}

#[async_trait]
impl Step for after::Describe {
    type Previous = after::Relate;
    type Found = Vec<Described>;

    async fn find(ctx: &Context, work: &Work) -> Result<Self::Found, Stop> {
        let mut budget = Budget::new(ctx, 0.0);
        let mut found = Vec::with_capacity(work.sections.len());
        for section in &work.sections {
            let target = section.target();
            let subject = Subject {
                table: target.table,
                name: &section.name,
                snapshot: target.snapshot,
                schema: &section.schema,
                rows: section.rows,
            };
            found.push(describe(ctx, &subject, &mut budget).await?);
        }
        Ok(found)
    }

    async fn write(_: &Context, tx: &Tx, work: &mut Work, found: Self::Found) -> Result<Vec<NewEvent>, Stop> {
        let mut events = Vec::with_capacity(found.len());
        for described in &found {
            work.tally.add(described);
            events.push(store(tx, described).await?);
        }
        Ok(events)
    }
}

/// Describes the objects of a snapshot that have no description.
pub async fn describe(ctx: &Context, subject: &Subject<'_>, budget: &mut Budget) -> Result<Described, Stop> {
    let tx = ctx.ports.db.scope_read(&ctx.job.scope).await?;
    let objects = db::schema_objects::list(&tx, subject.snapshot).await?;
    tx.rollback().await?;
    let mut open: Vec<&ObjectRow> = objects.iter().filter(|o| o.annotations.description.is_none()).collect();
    open.sort_by_key(|object| object.ordinal);
    let sentence = open.iter().find(|o| o.kind == ObjectKind::Table).map(|o| (o.id, table_sentence(subject)));
    let briefs: Vec<(ObjectId, ColumnBrief)> = open
        .iter()
        .filter(|o| o.kind == ObjectKind::Column && ctx.policy.covers(subject.name, &o.name))
        .filter_map(|o| Some((o.id, brief(subject, o)?)))
        .collect();
    let mut described = Described {
        table: subject.table,
        snapshot: subject.snapshot,
        sentence,
        columns: Vec::with_capacity(briefs.len()),
        deferred: 0,
        spent_cents: 0.0,
    };
    let size = ctx.policy.describe_batch.map_or(ctx.settings.describe_batch, |n| n as usize).max(1);
    for batch in briefs.chunks(size) {
        ctx.check_halt()?;
        if budget.left_cents <= 0.0 {
            described.deferred += batch.len() as u64;
            continue;
        }
        let asked: Vec<ColumnBrief> = batch.iter().map(|(_, b)| b.clone()).collect();
        let (answers, cents) = ctx
            .ports
            .describer
            .describe(&asked)
            .await
            .map_err(|e| Failure::new(ErrorCode::InfrastructureUnavailable, e.to_string()))?;
        budget.left_cents -= cents;
        described.spent_cents += cents;
        described.columns.extend(batch.iter().map(|(id, _)| *id).zip(answers));
    }
    Ok(described)
}

/// Writes what was described, only where still nothing stands, and gives the event.
pub async fn store(tx: &Tx, described: &Described) -> Result<NewEvent, Stop> {
    let whole = described.sentence.iter().map(|(id, sentence)| NewDescription {
        id: *id,
        description: sentence.clone(),
        source: DescriptionSource::Heuristic,
        semantic_type: SemanticType::Unknown,
    });
    let columns = described.columns.iter().map(|(id, answer)| NewDescription {
        id: *id,
        description: answer.description.clone(),
        source: answer.source,
        semantic_type: answer.semantic_type,
    });
    let rows: Vec<NewDescription> = whole.chain(columns).collect();
    db::schema_objects::set_descriptions(tx, &rows).await?;
    let payload = json!({
        "table_id": described.table,
        "snapshot_id": described.snapshot,
        "described": described.columns.len(),
        "deferred": described.deferred,
        "spent_cents": described.spent_cents,
    });
    Ok(NewEvent::ok(EventStage::Described, payload))
}

fn table_sentence(subject: &Subject<'_>) -> String {
    let columns: Vec<(String, SqlType)> =
        subject.schema.columns.iter().map(|c| (c.name.clone(), c.sql_type.clone())).collect();
    OfflineDescriber::describe_table(subject.name, &columns, subject.rows)
}

fn brief(subject: &Subject<'_>, object: &ObjectRow) -> Option<ColumnBrief> {
    let column = subject.schema.column(&object.name)?;
    Some(ColumnBrief {
        table: subject.name.to_owned(),
        column: column.name.clone(),
        sql_type: column.sql_type.clone(),
        samples: object.samples.clone().unwrap_or_default(),
        profile: object.profile.clone(),
    })
}
