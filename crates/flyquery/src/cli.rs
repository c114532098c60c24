//! The command line: every command, flag and its help.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use uuid::Uuid;

use crate::settings::Override;

const AFTER: &str = "\
Commands speak to the server that holds the data directory, to the one named by --server, or, when \
there is none, to one they start for themselves and stop again.

Exit codes:
  0  done
  1  the job or the statement failed, or the server refused the request
  2  wrong command line or settings
  3  the server can't be reached
  4  the data directory or the database can't be opened
  130, 143  ended by Ctrl-C or SIGTERM (`serve` ends with 0)";

/// Files in, tables out: uploads become typed, profiled, described tables that answer SQL.
#[derive(Debug, Parser)]
#[command(name = "flyquery", version, about, after_help = AFTER, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Turn files into tables and show what they hold
    Ingest(Ingest),
    /// Run one read-only SQL statement over a dataset's tables
    Sql(Sql),
    /// Find tables and columns by words
    Search(Search),
    /// List, watch and cancel jobs
    #[command(subcommand)]
    Jobs(Jobs),
    /// Run the server: HTTP API and, in the embedded home, its workers
    Serve(Serve),
    /// Bring the database's schema up to date
    Migrate(Migrate),
    /// Show every setting, its value and where it came from
    Config(Config),
    /// Print the OpenAPI document
    Openapi,
    /// Print the version
    Version,
}

/// Which server a command speaks to, and as whom.
#[derive(Debug, Clone, Default, Args)]
pub struct Target {
    /// Speak to this server, e.g. http://127.0.0.1:8520
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// Folder of the embedded home
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Tenant to act for
    #[arg(long, value_name = "SLUG")]
    pub tenant: Option<String>,
    /// Workspace to act in, by id or slug
    #[arg(long, value_name = "WORKSPACE")]
    pub workspace: Option<String>,
}

impl Target {
    /// The flags as overrides of settings.
    pub fn overrides(&self) -> Vec<Override> {
        let data_dir = self.data_dir.as_ref().map(|path| path.display().to_string());
        [
            ("SERVER", "--server", self.server.clone()),
            ("DATA_DIR", "--data-dir", data_dir),
            ("TENANT", "--tenant", self.tenant.clone()),
            ("WORKSPACE", "--workspace", self.workspace.clone()),
        ]
        .into_iter()
        .filter_map(|(name, flag, text)| Some(Override { name, flag, text: text? }))
        .collect()
    }
}

/// `flyquery ingest`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  flyquery ingest samples/*.csv\n  flyquery ingest big.csv.gz --dataset web --json | jq .files[0].report.tables"
)]
pub struct Ingest {
    /// Files to turn into tables; each becomes a table named after it, or a new version of that table
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Dataset to put them in; made when it is missing
    #[arg(long, default_value = "default", value_name = "NAME")]
    pub dataset: String,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Which server.
    #[command(flatten)]
    pub target: Target,
}

/// How rows are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RowFormat {
    /// Columns for people
    Table,
    /// An array with one object a row
    Json,
    /// RFC 4180 with a header
    Csv,
}

/// `flyquery sql`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  flyquery sql \"select count(*) from orders\"\n  flyquery sql \"select * from orders\" --format csv --max-rows 500 > orders.csv"
)]
pub struct Sql {
    /// The statement
    #[arg(value_name = "SQL")]
    pub statement: String,
    /// Dataset whose tables it reads
    #[arg(long, default_value = "default", value_name = "NAME")]
    pub dataset: String,
    /// How to print the rows
    #[arg(long, value_enum, default_value_t = RowFormat::Table)]
    pub format: RowFormat,
    /// Print at most so many rows; the server has a cap of its own (FLYQUERY_DEFAULT_ROW_CAP)
    #[arg(long, value_name = "N")]
    pub max_rows: Option<u64>,
    /// Which server.
    #[command(flatten)]
    pub target: Target,
}

/// `flyquery search`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  flyquery search buyer mail\n  flyquery search unit price --dataset shop --top-k 3 --json"
)]
pub struct Search {
    /// Words to look for in names, synonyms and descriptions; misspelt ones count too
    #[arg(required = true, value_name = "WORD")]
    pub words: Vec<String>,
    /// Only tables of this dataset
    #[arg(long, value_name = "NAME")]
    pub dataset: Option<String>,
    /// How many
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=domain::limits::SEARCH_TOP_K))]
    pub top_k: u64,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Which server.
    #[command(flatten)]
    pub target: Target,
}

/// `flyquery jobs …`
#[derive(Debug, Subcommand)]
pub enum Jobs {
    /// List jobs, the latest first
    #[command(after_help = "Example:\n  flyquery jobs list --status FAILED --json")]
    List(JobsList),
    /// Show one job
    #[command(after_help = "Example:\n  flyquery jobs show 0192f3c1-7b1e-7c54-9d2b-0a6a4b7d9f10")]
    Show(OneJob),
    /// Show what happened in a job
    #[command(after_help = "Example:\n  flyquery jobs events 0192f3c1-7b1e-7c54-9d2b-0a6a4b7d9f10")]
    Events(OneJob),
    /// Watch a job until it ends; exits with 1 unless it succeeds
    #[command(after_help = "Example:\n  flyquery jobs follow 0192f3c1-7b1e-7c54-9d2b-0a6a4b7d9f10")]
    Follow(OneJob),
    /// Ask a job to stop
    #[command(after_help = "Example:\n  flyquery jobs cancel 0192f3c1-7b1e-7c54-9d2b-0a6a4b7d9f10")]
    Cancel(OneJob),
}

/// `flyquery jobs list`
#[derive(Debug, Args)]
pub struct JobsList {
    /// Only these states: PENDING, RUNNING, SUCCEEDED, FAILED, CANCELLED, separated by commas
    #[arg(long, value_name = "STATES")]
    pub status: Option<String>,
    /// Only these kinds: PARSE_AND_INGEST, REPARSE, SAMPLE_REFRESH, DESCRIBE_PASS, RELATION_PASS, separated by commas
    #[arg(long, value_name = "KINDS")]
    pub kind: Option<String>,
    /// Only jobs of this dataset
    #[arg(long, value_name = "NAME")]
    pub dataset: Option<String>,
    /// How many
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=domain::limits::JOBS_PAGE))]
    pub limit: u64,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Which server.
    #[command(flatten)]
    pub target: Target,
}

/// A command about one job.
#[derive(Debug, Args)]
pub struct OneJob {
    /// The job's id
    #[arg(value_name = "JOB")]
    pub job: Uuid,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Which server.
    #[command(flatten)]
    pub target: Target,
}

impl Jobs {
    /// Which server the command speaks to.
    pub fn target(&self) -> &Target {
        match self {
            Self::List(list) => &list.target,
            Self::Show(one) | Self::Events(one) | Self::Follow(one) | Self::Cancel(one) => &one.target,
        }
    }
}

/// `flyquery serve`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  flyquery serve --port 8521 --data-dir ./data")]
pub struct Serve {
    /// Address or name to listen on
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
    /// Port to listen on; 0 takes a free one
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
    /// Folder of the embedded home
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// With a Postgres database: run jobs in this process too (the embedded home always does)
    #[arg(long)]
    pub with_workers: bool,
}

impl Serve {
    /// The flags as overrides of settings.
    pub fn overrides(&self) -> Vec<Override> {
        let data_dir = self.data_dir.as_ref().map(|path| path.display().to_string());
        [
            ("HOST", "--host", self.host.clone()),
            ("PORT", "--port", self.port.map(|port| port.to_string())),
            ("DATA_DIR", "--data-dir", data_dir),
        ]
        .into_iter()
        .filter_map(|(name, flag, text)| Some(Override { name, flag, text: text? }))
        .collect()
    }
}

/// `flyquery migrate`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  FLYQUERY_DATABASE_URL=postgresql://flyquery@db/flyquery flyquery migrate")]
pub struct Migrate {
    /// Folder of the embedded home
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
}

impl Migrate {
    /// The flags as overrides of settings.
    pub fn overrides(&self) -> Vec<Override> {
        let text = self.data_dir.as_ref().map(|path| path.display().to_string());
        text.map(|text| Override { name: "DATA_DIR", flag: "--data-dir", text }).into_iter().collect()
    }
}

/// `flyquery config`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  flyquery config --json | jq '.[] | select(.origin != \"default\")'")]
pub struct Config {
    /// Print the settings' documentation (docs/settings.md) instead
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Which server.
    #[command(flatten)]
    pub target: Target,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_sound() {
        super::Cli::command().debug_assert();
    }
}
