//! `flyquery config`: every setting with its effective value and where it came from.

use crate::cli::Config;
use crate::error::CliError;
use crate::render::grid::{Cell, Grid, Tone};
use crate::render::style::Style;
use crate::render::{self, text};
use crate::settings::{Environment, Settings, document};

/// Prints the settings or their documentation.
pub fn run(arguments: &Config, environment: &Environment, style: Style) -> Result<(), CliError> {
    if arguments.markdown {
        return render::put(&document::markdown());
    }
    let loaded = Settings::load(environment, &arguments.target.overrides())?;
    if arguments.json {
        render::put_json(&document::json(&loaded.settings))?;
    } else {
        let mut grid = Grid::new(&[("setting".into(), false), ("value".into(), false), ("from".into(), false)]);
        for row in document::rows(&loaded.settings) {
            let tone = if row.origin == "default" { Tone::Dim } else { Tone::Bold };
            let value = if row.value.is_empty() { "(unset)".to_owned() } else { text::visible(&row.value) };
            grid.row(vec![Cell::new(row.name), Cell::new(value).tone(tone), Cell::new(row.origin).tone(Tone::Dim)]);
        }
        render::put(&grid.render(style, ""))?;
    }
    for warning in loaded.warnings {
        eprintln!("warning: {warning}");
    }
    Ok(())
}
