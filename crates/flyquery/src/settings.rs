//! Settings: one typed tree, read once from flags, environment and `.env`, checked as a whole, with the origin of each value.
//!
//! A setting is one line in its section's file; its documentation, its check and its place in `flyquery config` follow.

mod annotate;
mod client;
mod database;
mod declare;
pub mod document;
mod dotenv;
mod ingest;
mod log;
mod objects;
mod query;
mod reader;
mod retention;
mod server;
mod source;
mod unused;
pub mod value;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use annotate::Annotate;
pub use client::Client;
pub use database::Database;
use declare::{Section, Spec};
pub use ingest::Ingest;
pub use log::Log;
pub use objects::Objects;
pub use query::Query;
pub use retention::Retention;
pub use server::Server;
pub use source::{Environment, Origin, Override, PREFIX};

/// Least time between two sweeps, in seconds.
const SCAN_FLOOR: f64 = 60.0;
/// Names that tests of the product may set; they are passed over.
const RESERVED: &str = "TEST_";

macro_rules! tree {
    ($($field:ident: $Section:ident),+ $(,)?) => {
        /// Every setting with its effective value.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Settings {
            $(#[doc = concat!("Section `", stringify!($field), "`.")] pub $field: $Section,)+
            origins: BTreeMap<&'static str, Origin>,
        }

        impl Settings {
            fn read(reader: &mut reader::Reader<'_>) -> Self {
                let mut settings = Self { $($field: $Section::read(reader),)+ origins: BTreeMap::new() };
                settings.origins = std::mem::take(&mut reader.origins);
                settings
            }

            /// Name and effective value of each setting in the order of the sections.
            fn shown(&self) -> Vec<(&'static str, String)> {
                [$(self.$field.shown()),+].concat()
            }
        }

        /// Title and settings of each section.
        fn sections() -> Vec<(&'static str, Vec<Spec>)> {
            vec![$(($Section::TITLE.trim(), $Section::specs())),+]
        }
    };
}

tree! {
    server: Server,
    database: Database,
    objects: Objects,
    ingest: Ingest,
    annotate: Annotate,
    query: Query,
    retention: Retention,
    log: Log,
    client: Client,
}

/// Settings with what should be said about them once a log exists.
#[derive(Debug)]
pub struct Loaded {
    /// The settings.
    pub settings: Settings,
    /// Variables that are set and have no effect, with the reason.
    pub warnings: Vec<String>,
}

/// Everything that is wrong with the settings.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct SettingsError(pub Vec<String>);

impl Settings {
    /// Reads and checks the settings; flags win over the environment, the environment over `.env`.
    pub fn load(environment: &Environment, flags: &[Override]) -> Result<Loaded, SettingsError> {
        let mut given = environment.ours();
        let (warnings, mut errors) = judge_names(given.keys());
        for flag in flags {
            let value = source::Given { text: flag.text.clone(), origin: Origin::Flag(flag.flag) };
            given.insert(flag.name.to_owned(), value);
        }
        let mut reader = reader::Reader::new(&given);
        let mut settings = Self::read(&mut reader);
        errors.append(&mut reader.errors);
        settings.fill(environment, &mut errors);
        settings.check(&mut errors);
        if errors.is_empty() { Ok(Loaded { settings, warnings }) } else { Err(SettingsError(errors)) }
    }

    /// Gives the defaults that depend on other settings or on the machine.
    fn fill(&mut self, environment: &Environment, errors: &mut Vec<String>) {
        self.retention.scan_interval.0 = self.retention.scan_interval.0.max(SCAN_FLOOR);
        if self.server.host.is_none() {
            self.server.host = Some(if self.is_embedded() { "127.0.0.1" } else { "0.0.0.0" }.to_owned());
        }
        let data_dir = self.server.data_dir.take().or_else(|| environment.default_data_dir());
        match data_dir.map(|path| std::path::absolute(&path).unwrap_or(path)) {
            Some(path) => {
                self.objects.base.get_or_insert_with(|| path.join("blobs"));
                self.server.data_dir = Some(path);
            }
            None => errors.push(format!("{PREFIX}DATA_DIR must be set: neither XDG_DATA_HOME nor HOME is")),
        }
    }

    fn check(&self, errors: &mut Vec<String>) {
        let (lease, timeout, grace) =
            (self.ingest.processing_lease.0, self.ingest.handler_timeout.0, self.ingest.shutdown_grace.0);
        if lease <= timeout + grace {
            errors.push(format!(
                "{PREFIX}PROCESSING_LEASE_S ({lease}) must exceed {PREFIX}INGEST_HANDLER_TIMEOUT_S ({timeout}) plus \
                 {PREFIX}INGEST_SHUTDOWN_GRACE_S ({grace}): a job still within its time would be taken away"
            ));
        }
        if let Some(server) = &self.client.server
            && !(server.starts_with("http://") || server.starts_with("https://"))
        {
            errors.push(format!("{PREFIX}SERVER must begin with http:// or https://"));
        }
    }

    /// Whether this is the embedded home: no database named.
    pub fn is_embedded(&self) -> bool {
        self.database.url.is_none()
    }

    /// Where a value came from.
    pub fn origin(&self, name: &str) -> &Origin {
        self.origins.get(name).unwrap_or(&Origin::Default)
    }

    /// The data directory.
    pub fn data_dir(&self) -> &Path {
        self.server.data_dir.as_deref().expect("load fills the data directory or fails")
    }

    /// The root of the objects.
    pub fn objects_dir(&self) -> &Path {
        self.objects.base.as_deref().expect("load fills the object store's base or fails")
    }

    /// The address or name to listen on.
    pub fn host(&self) -> &str {
        self.server.host.as_deref().expect("load fills the host")
    }

    /// The folder for what SQL spills.
    pub fn spill_dir(&self) -> PathBuf {
        self.data_dir().join("tmp")
    }
}

/// Warnings for known variables without effect, errors for unknown ones.
fn judge_names<'a>(names: impl Iterator<Item = &'a String>) -> (Vec<String>, Vec<String>) {
    let known: Vec<&'static str> =
        sections().iter().flat_map(|(_, specs)| specs.iter().map(|spec| spec.name)).collect();
    let mut warnings = Vec::new();
    let mut errors = Vec::new();
    for name in names {
        if known.contains(&name.as_str()) || name.starts_with(RESERVED) {
            continue;
        }
        match unused::reason(name) {
            Some(reason) => warnings.push(format!("{PREFIX}{name} has no effect: {reason}")),
            None => errors.push(match nearest(name, &known) {
                Some(near) => format!("{PREFIX}{name} is not a setting; did you mean {PREFIX}{near}?"),
                None => format!("{PREFIX}{name} is not a setting; `flyquery config` lists them all"),
            }),
        }
    }
    (warnings, errors)
}

/// The known name closest to a wrong one, unless nothing is close.
fn nearest(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let all = known.iter().copied().chain(unused::UNUSED.iter().flat_map(|group| group.names.iter().copied()));
    all.map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .min()
        .filter(|(distance, candidate)| *distance <= 2.max(candidate.len() / 3))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests;
