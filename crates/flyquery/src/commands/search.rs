//! `flyquery search`: tables and columns that fit some words.

use serde::Deserialize as _;
use serde_json::Value;

use crate::cli::Search;
use crate::client::{SearchHit, Server, Session};
use crate::error::CliError;
use crate::render::grid::{Cell, Grid, Tone};
use crate::render::style::Style;
use crate::render::{self, text};

/// Asks the server and prints what it found, best first.
pub async fn run(session: &Session, arguments: &Search, style: Style) -> Result<(), CliError> {
    let answer = session.ask(async |server| ask(server, arguments).await).await?;
    if arguments.json {
        return render::put_json(&answer);
    }
    let items = answer.get("items").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if items.is_empty() {
        return render::put("nothing found\n");
    }
    let mut grid = Grid::new(&["name", "type", "what"].map(|name| (name.to_owned(), false)));
    for item in items {
        let hit = SearchHit::deserialize(item).map_err(|e| {
            CliError::Strange(format!("the server speaks of what it found in words of another version: {e}"))
        })?;
        grid.row(vec![
            Cell::new(text::visible(&hit.object.qualified_name)),
            Cell::new(hit.object.data_type.unwrap_or(hit.object.kind)).tone(Tone::Dim),
            Cell::new(text::visible(&hit.snippet)),
        ]);
    }
    render::put(&grid.render(style, ""))
}

async fn ask(server: &Server, arguments: &Search) -> Result<Value, CliError> {
    let mut query = vec![("q", arguments.words.join(" ")), ("top_k", arguments.top_k.to_string())];
    if let Some(name) = &arguments.dataset {
        query.push(("dataset_id", server.dataset(name).await?.id.to_string()));
    }
    server.get("/schema-objects:search", &query).await
}
