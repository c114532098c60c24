//! The flow: ten calls in a row.

use domain::stage::Stage;

use crate::checkpoint::after::{Describe, Embed, Parse, Profile, Receive, Reconcile, Relate, Sample, TagPii};
use crate::context::Context;
use crate::failure::Stop;
use crate::publish_plan::PublishPlan;
use crate::stages;
use crate::step::Steps;

/// Runs all ten stages of PARSE_AND_INGEST or REPARSE. The tenth is a plan: the engine applies it in the transaction
/// that ends the job, so that job and snapshots become visible together or not at all.
pub async fn ingest(ctx: &Context) -> Result<PublishPlan, Stop> {
    let steps = Steps::new(ctx);
    let received = steps.start::<Receive>(stages::receive::start).await?;
    let parsed = steps.step::<Parse>(received).await?;
    let reconciled = steps.step::<Reconcile>(parsed).await?;
    let sampled = steps.step::<Sample>(reconciled).await?;
    let profiled = steps.step::<Profile>(sampled).await?;
    let related = steps.step::<Relate>(profiled).await?;
    let described = steps.step::<Describe>(related).await?;
    let tagged = steps.step::<TagPii>(described).await?;
    let embedded = steps.step::<Embed>(tagged).await?;
    ctx.check_halt().map_err(|stop| stop.in_stage(Stage::Publish))?;
    Ok(PublishPlan::new(ctx.clone(), embedded))
}
