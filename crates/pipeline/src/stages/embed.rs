//! Stage 9: a vector and a text per object, for search.

use annotate::OfflineEmbedder;
use async_trait::async_trait;
use db::Tx;
use db::schema_objects::NewEmbedding;
use domain::event::{EventStage, NewEvent};
use domain::{ErrorCode, Failure};
use serde_json::json;

use crate::checkpoint::{Work, after};
use crate::context::Context;
use crate::failure::Stop;
use crate::step::Step;

/// Objects embedded at once; a cancel is noticed between batches.
const BATCH: usize = 256;

#[async_trait]
impl Step for after::Embed {
    type Previous = after::TagPii;
    type Found = Vec<Vec<NewEmbedding>>;

    async fn find(ctx: &Context, work: &Work) -> Result<Self::Found, Stop> {
        let mut found = Vec::with_capacity(work.sections.len());
        for section in &work.sections {
            let tx = ctx.ports.db.scope_read(&ctx.job.scope).await?;
            let objects = db::schema_objects::list(&tx, section.target().snapshot).await?;
            tx.rollback().await?;
            let mut embedded = Vec::with_capacity(objects.len());
            for batch in objects.chunks(BATCH) {
                ctx.check_halt()?;
                let texts: Vec<String> = batch
                    .iter()
                    .map(|o| OfflineEmbedder::object_text(&o.qualified_name, o.annotations.description.as_deref()))
                    .collect();
                let vectors = ctx
                    .ports
                    .embedder
                    .embed(&texts)
                    .await
                    .map_err(|e| Failure::new(ErrorCode::InfrastructureUnavailable, e.to_string()))?;
                embedded.extend(batch.iter().zip(texts).zip(vectors).map(|((o, content), vector)| NewEmbedding {
                    id: o.id,
                    vector,
                    content,
                }));
            }
            found.push(embedded);
        }
        Ok(found)
    }

    async fn write(ctx: &Context, tx: &Tx, work: &mut Work, found: Self::Found) -> Result<Vec<NewEvent>, Stop> {
        let model = ctx.ports.embedder.model();
        let mut events = Vec::with_capacity(found.len());
        for (section, embeddings) in work.sections.iter().zip(&found) {
            db::schema_objects::set_embeddings(tx, model, embeddings).await?;
            let target = section.target();
            let payload = json!({
                "table_id": target.table, "snapshot_id": target.snapshot, "model": model, "objects": embeddings.len(),
            });
            events.push(NewEvent::ok(EventStage::Embedded, payload));
        }
        Ok(events)
    }
}
