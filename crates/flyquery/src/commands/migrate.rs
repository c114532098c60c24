//! `flyquery migrate`: brings the database's schema up to date without serving.

use std::process::ExitCode;
use std::sync::Arc;

use crate::error::CliError;
use crate::home::DataDir;
use crate::render::{self, number};
use crate::settings::Settings;
use crate::wiring;

/// Migrates, or says who has done so already.
pub async fn run(settings: &Arc<Settings>) -> Result<ExitCode, CliError> {
    let lock = if settings.is_embedded() {
        let home = DataDir::open(settings.data_dir())?;
        let lock = home.try_lock()?;
        if lock.is_none() {
            let holder = home.note().map_or_else(|| "another process".to_owned(), |note| note.url);
            render::put(&format!("{} is held by {holder}, which brought it up to date\n", home.path().display()))?;
            return Ok(ExitCode::SUCCESS);
        }
        lock
    } else {
        None
    };
    let db = wiring::connect(settings).await?;
    let report = db.migrate().await.map_err(|e| wiring::database_error(&e))?;
    db.close().await;
    drop(lock);
    let applied = number::count(report.applied.len() as u64, "migration");
    render::put(&format!("{applied} applied; the schema is at version {}\n", report.current))?;
    Ok(ExitCode::SUCCESS)
}
