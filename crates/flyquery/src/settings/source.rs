//! Where settings come from: command-line flags, the environment, and a `.env` file in the working directory.
//!
//! This is the one place that reads the environment; everything else is handed what it needs.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use super::dotenv;

/// What every variable of ours begins with.
pub const PREFIX: &str = "FLYQUERY_";

/// Where an effective value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A command-line flag.
    Flag(&'static str),
    /// The environment, under this name.
    Environment(String),
    /// A line of the `.env` file.
    DotEnv(usize),
    /// Nobody set it.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => f.write_str(flag),
            Self::Environment(name) => f.write_str(name),
            Self::DotEnv(line) => write!(f, ".env:{line}"),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A value with its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The text.
    pub text: String,
    /// Where it stands.
    pub origin: Origin,
}

/// A flag that overrides a setting: the setting's name, the flag, its value.
#[derive(Clone, Debug)]
pub struct Override {
    /// Name without prefix.
    pub name: &'static str,
    /// The flag as typed.
    pub flag: &'static str,
    /// Its value.
    pub text: String,
}

/// The environment of the process, read once.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    variables: BTreeMap<String, String>,
    dotenv: Vec<dotenv::Line>,
}

impl Environment {
    /// Reads the process's environment and `.env` in the working directory. A variable that is not Unicode is left out.
    pub fn of_process() -> Self {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let dotenv = std::fs::read_to_string(Path::new(".env")).map(|text| dotenv::lines(&text)).unwrap_or_default();
        Self { variables, dotenv }
    }

    /// An environment made of the given variables and `.env` text.
    #[cfg(test)]
    pub fn of<const N: usize>(variables: [(&str, &str); N], dotenv: &str) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Self { variables, dotenv: dotenv::lines(dotenv) }
    }

    /// A variable that is not ours; an empty one counts as absent.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Where data lives when no setting says so: `$XDG_DATA_HOME/flyquery`, else `~/.local/share/flyquery`.
    pub fn default_data_dir(&self) -> Option<PathBuf> {
        let xdg = self.get("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let base = xdg.or_else(|| self.get("HOME").map(|home| Path::new(home).join(".local/share")))?;
        Some(base.join("flyquery"))
    }

    /// Every `FLYQUERY_` variable by its upper-case name without prefix; the environment wins over `.env`, and a name
    /// spelled in capitals over another spelling of it.
    pub fn ours(&self) -> BTreeMap<String, Given> {
        let mut given = BTreeMap::new();
        for line in &self.dotenv {
            if let Some(name) = strip_prefix(&line.name) {
                given.insert(name, Given { text: line.value.clone(), origin: Origin::DotEnv(line.number) });
            }
        }
        // Capitals sort before small letters: walk backwards so that they are written last.
        for (name, value) in self.variables.iter().rev() {
            if let Some(short) = strip_prefix(name) {
                let origin = Origin::Environment(name.clone());
                given.insert(short, Given { text: value.clone(), origin });
            }
        }
        given
    }
}

fn strip_prefix(name: &str) -> Option<String> {
    name.to_ascii_uppercase().strip_prefix(PREFIX).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_wins_over_dotenv_and_capitals_over_small_letters() {
        let environment = Environment::of(
            [("flyquery_port", "1"), ("FLYQUERY_PORT", "2"), ("PORT", "3"), ("flyquery_host", "h")],
            "FLYQUERY_PORT=4\nFLYQUERY_LOG_LEVEL=debug\nOTHER=5\n",
        );
        let ours = environment.ours();
        let names: Vec<(&str, String)> =
            ours.iter().map(|(name, given)| (name.as_str(), given.origin.to_string())).collect();
        let expected = [("HOST", "flyquery_host"), ("LOG_LEVEL", ".env:2"), ("PORT", "FLYQUERY_PORT")];
        assert_eq!(names, expected.map(|(name, origin)| (name, origin.to_owned())));
        assert_eq!(ours["PORT"].text, "2");
    }

    #[test]
    fn the_data_directory_follows_xdg_then_home() {
        let xdg = Environment::of([("XDG_DATA_HOME", "/x"), ("HOME", "/h")], "");
        assert_eq!(xdg.default_data_dir(), Some(PathBuf::from("/x/flyquery")));
        let home = Environment::of([("XDG_DATA_HOME", "relative"), ("HOME", "/h")], "");
        assert_eq!(home.default_data_dir(), Some(PathBuf::from("/h/.local/share/flyquery")));
        assert_eq!(Environment::default().default_data_dir(), None);
    }
}
