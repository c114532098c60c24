//! Which handler runs which kind of job: one exhaustive match.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{Actor, JobKind, TableId};
use jobs::{Handler, HandlerEnd, JobContext, JobRow, Success};
use pipeline::context::JobFacts;
use pipeline::failure::defect;
use pipeline::{Context, PipelineSettings, Ports, Stop};
use serde_json::json;

use crate::fence::{JobFence, PublishCommit, handler_end};
use crate::follow_up::DescribeOn;

/// Runs jobs of every kind.
pub struct Kinds {
    ports: Ports,
    settings: Arc<PipelineSettings>,
}

impl Kinds {
    /// Joins ports and settings.
    pub fn new(ports: Ports, settings: PipelineSettings) -> Self {
        Self { ports, settings: Arc::new(settings) }
    }

    async fn end(&self, ctx: JobContext) -> Result<Success, Stop> {
        let facts = facts(&ctx.job);
        let (kind, table) = (ctx.job.kind, ctx.job.table);
        let fence = Arc::new(JobFence(ctx));
        let context = Context::load(self.ports.clone(), Arc::clone(&self.settings), facts, fence).await?;
        match kind {
            JobKind::ParseAndIngest | JobKind::Reparse => ingest(&context).await,
            JobKind::SampleRefresh => {
                pipeline::single::sample_refresh(&context, named(table)?).await?;
                Ok(plain())
            }
            JobKind::DescribePass => {
                let tally = pipeline::single::describe_pass(&context).await?;
                Ok(Success {
                    result: json!({ "described": tally.described, "deferred": tally.deferred }),
                    cost_cents: Some(tally.cost_cents()),
                    commit: Some(Box::new(DescribeOn { tally, entropy: Arc::clone(&self.ports.entropy) })),
                    ..plain()
                })
            }
            JobKind::RelationPass => {
                pipeline::single::relation_pass(&context).await?;
                Ok(plain())
            }
        }
    }
}

#[async_trait]
impl Handler for Kinds {
    async fn run(&self, ctx: JobContext) -> HandlerEnd {
        match self.end(ctx).await {
            Ok(success) => HandlerEnd::Succeeded(Box::new(success)),
            Err(stop) => handler_end(stop),
        }
    }
}

async fn ingest(context: &Context) -> Result<Success, Stop> {
    let plan = pipeline::run::ingest(context).await?;
    let only = plan.only();
    Ok(Success {
        // the commit gives it: only publishing knows the last warnings
        result: serde_json::Value::Null,
        table: only.map(|(table, _)| table),
        snapshot: only.map(|(_, snapshot)| snapshot),
        cost_cents: Some(plan.cost_cents()),
        commit: Some(Box::new(PublishCommit { plan, entropy: Arc::clone(&context.ports.entropy) })),
    })
}

fn plain() -> Success {
    Success { result: json!({}), table: None, snapshot: None, cost_cents: None, commit: None }
}

fn named(table: Option<TableId>) -> Result<TableId, Stop> {
    table.ok_or_else(|| defect("A SAMPLE_REFRESH job names no table.").into())
}

fn facts(job: &JobRow) -> JobFacts {
    let actor = job.request.get("actor").and_then(serde_json::Value::as_str);
    JobFacts {
        scope: job.scope.clone(),
        claim: job.claim(),
        dataset: job.dataset,
        file: job.file,
        table: job.table,
        actor: actor.map_or_else(|| Actor(job.scope.tenant.to_string()), |a| Actor(a.to_owned())),
        triggered_by: job.triggered_by,
        checkpoint: job.checkpoint.clone(),
    }
}
