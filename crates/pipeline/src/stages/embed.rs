//! Stage 9: a vector and the words of each object, for search.

use async_trait::async_trait;
use db::schema_objects::NewEmbedding;
use db::{ObjectRow, Tx};
use domain::event::{EventStage, NewEvent};
use domain::ports::embedder::{EmbedError, Embedder};
use domain::search::SearchText;
use domain::{ErrorCode, Failure, SnapshotId, TableId};
use serde_json::json;

use crate::checkpoint::{Work, after};
use crate::context::Context;
use crate::failure::Stop;
use crate::step::{Step, fail_point};

/// Objects embedded at once; a cancel is noticed between batches.
pub(crate) const BATCH: usize = 256;

#[async_trait]
impl Step for after::Embed {
    type Previous = after::TagPii;
    type Found = Vec<Vec<NewEmbedding>>;

    async fn find(ctx: &Context, work: &Work) -> Result<Self::Found, Stop> {
        let mut found = Vec::with_capacity(work.sections.len());
        for section in &work.sections {
            found.push(embed(ctx, section.target().snapshot).await?);
        }
        Ok(found)
    }

    async fn write(ctx: &Context, tx: &Tx, work: &mut Work, found: Self::Found) -> Result<Vec<NewEvent>, Stop> {
        let mut events = Vec::with_capacity(found.len());
        for (section, embeddings) in work.sections.iter().zip(&found) {
            let target = section.target();
            events.push(store(ctx, tx, target.table, target.snapshot, embeddings).await?);
        }
        Ok(events)
    }
}

/// Vectors of the objects of a snapshot, and the words they are made of.
pub async fn embed(ctx: &Context, snapshot: SnapshotId) -> Result<Vec<NewEmbedding>, Stop> {
    let tx = ctx.ports.db.scope_read(&ctx.job.scope).await?;
    let objects = db::schema_objects::list(&tx, snapshot).await?;
    tx.rollback().await?;
    let mut embedded = Vec::with_capacity(objects.len());
    for batch in objects.chunks(BATCH) {
        ctx.check_halt()?;
        let vectors = vectors(ctx.ports.embedder.as_ref(), batch).await;
        embedded.extend(vectors.map_err(|e| Failure::new(ErrorCode::InfrastructureUnavailable, e.to_string()))?);
        fail_point("embed.batch");
    }
    Ok(embedded)
}

/// Writes what was embedded and gives the event.
pub async fn store(
    ctx: &Context,
    tx: &Tx,
    table: TableId,
    snapshot: SnapshotId,
    embeddings: &[NewEmbedding],
) -> Result<NewEvent, Stop> {
    let model = ctx.ports.embedder.model();
    db::schema_objects::set_embeddings(tx, model, embeddings).await?;
    let payload = json!({"table_id": table, "snapshot_id": snapshot, "model": model, "objects": embeddings.len()});
    Ok(NewEvent::ok(EventStage::Embedded, payload))
}

/// A vector for each object.
pub(crate) async fn vectors(embedder: &dyn Embedder, objects: &[ObjectRow]) -> Result<Vec<NewEmbedding>, EmbedError> {
    let texts: Vec<SearchText> = objects.iter().map(ObjectRow::search_text).collect();
    let gists: Vec<String> = texts.iter().map(SearchText::gist).collect();
    let vectors = embedder.embed(&gists).await?;
    let parts = objects.iter().zip(texts).zip(vectors);
    Ok(parts.map(|((object, text), vector)| NewEmbedding { id: object.id, vector, text }).collect())
}
