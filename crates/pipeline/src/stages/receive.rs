//! Stage 1 as a job sees it: the bytes were stored, hashed and detected while they arrived, so the job only makes sure
//! that row and object are both there.

use domain::event::{EventStage, NewEvent};
use domain::{ErrorCode, Failure, FileStatus};
use object_store::ObjectStoreExt;
use object_store::path::Path;
use serde_json::json;

pub use formats::{Detected, detect};

use crate::checkpoint::{FileFacts, Work};
use crate::context::Context;
use crate::failure::{Stop, defect, store_failure};
use crate::stages::describe::Tally;

/// Loads the file's facts. The event says that receiving was not repeated.
pub async fn start(ctx: &Context) -> Result<(Work, Vec<NewEvent>), Stop> {
    let id = ctx.job.file.ok_or_else(|| defect("The job names no file."))?;
    let tx = ctx.ports.db.scope_read(&ctx.job.scope).await?;
    let row = db::files::get(&tx, id).await?;
    tx.rollback().await?;
    let row = row.ok_or_else(|| Failure::new(ErrorCode::ResourceNotFound, "The job's file is gone."))?;
    if row.status == FileStatus::Deleted {
        return Err(Failure::new(ErrorCode::Conflict, "The file was deleted after the job was made.").into());
    }
    if row.file_format.is_none()
        && let Some(failure) = row.error.as_ref().and_then(recorded)
    {
        return Err(failure.into());
    }
    let stored = ctx.ports.store.head(&Path::from(row.object_key.as_str())).await.map_err(|e| store_failure(&e))?;
    if stored.size != row.size_bytes {
        let detail = format!("The stored original has {} bytes, its row says {}.", stored.size, row.size_bytes);
        return Err(defect(detail).into());
    }
    let work = Work {
        file: FileFacts {
            id,
            object_key: row.object_key,
            name: row.original_filename,
            format: row.file_format.ok_or_else(|| defect("The file was stored without its format."))?,
            compression: row.compression,
            size: row.size_bytes,
            extraction_rules: Some(row.extraction_rules).filter(|r| r.as_object().is_some_and(|o| !o.is_empty())),
        },
        dataset: ctx.job.dataset,
        dataset_name: ctx.dataset_name.clone(),
        sections: Vec::new(),
        warnings: Vec::new(),
        stages: Vec::new(),
        tally: Tally::default(),
    };
    let payload = json!({"file_id": id, "skipped": true, "reason": "already_received"});
    Ok((work, vec![NewEvent::ok(EventStage::Received, payload)]))
}

/// Why stage 1 rejected the content, as the file's row says it.
fn recorded(error: &serde_json::Value) -> Option<Failure> {
    let code = error.get("error_code")?.as_str()?.parse().ok()?;
    Some(Failure::new(code, error.get("error_detail")?.as_str()?))
}
