//! The kinds of value a setting can have: how each is read from text, shown, and described.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use domain::policy::PiiScannerKind;
use domain::{Locale, PiiPolicy};

/// A value that can stand in the environment.
pub trait Value: Sized {
    /// What is accepted, in words.
    const ACCEPTS: &'static str;
    /// Reads it; `Err` says what is wrong, without the setting's name.
    fn parse(text: &str) -> Result<Self, String>;
    /// Shows it as it would be written; secrets hidden.
    fn show(&self) -> String;
}

macro_rules! whole_number {
    ($($Type:ty),+) => {$(
        impl Value for $Type {
            const ACCEPTS: &'static str = "whole number";
            fn parse(text: &str) -> Result<Self, String> {
                text.parse().map_err(|_| format!("must be a whole number up to {}", <$Type>::MAX))
            }
            fn show(&self) -> String {
                self.to_string()
            }
        }
    )+};
}
whole_number!(u16, u32, u64, usize);

macro_rules! word {
    ($($Type:ty: $words:literal),+ $(,)?) => {$(
        impl Value for $Type {
            const ACCEPTS: &'static str = $words;
            fn parse(text: &str) -> Result<Self, String> {
                text.to_ascii_lowercase().parse().map_err(|_| format!("must be one of {}", $words))
            }
            fn show(&self) -> String {
                self.to_string()
            }
        }
    )+};
}
word!(PiiPolicy: "warn, redact, reject", PiiScannerKind: "regex, disabled", LogFormat: "text, json");

impl Value for bool {
    const ACCEPTS: &'static str = "true or false";
    fn parse(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" | "t" | "y" => Ok(true),
            "false" | "0" | "no" | "off" | "f" | "n" => Ok(false),
            _ => Err("must be true or false".to_owned()),
        }
    }
    fn show(&self) -> String {
        self.to_string()
    }
}

impl Value for f64 {
    const ACCEPTS: &'static str = "number";
    fn parse(text: &str) -> Result<Self, String> {
        text.parse::<f64>().ok().filter(|n| n.is_finite()).ok_or_else(|| "must be a number".to_owned())
    }
    fn show(&self) -> String {
        self.to_string()
    }
}

impl Value for String {
    const ACCEPTS: &'static str = "text";
    fn parse(text: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }
    fn show(&self) -> String {
        self.clone()
    }
}

impl Value for PathBuf {
    const ACCEPTS: &'static str = "path";
    fn parse(text: &str) -> Result<Self, String> {
        Ok(Self::from(text))
    }
    fn show(&self) -> String {
        self.display().to_string()
    }
}

/// An empty text means "not set", as the contract's `""` defaults do.
impl<T: Value> Value for Option<T> {
    const ACCEPTS: &'static str = T::ACCEPTS;
    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() { Ok(None) } else { T::parse(text).map(Some) }
    }
    fn show(&self) -> String {
        self.as_ref().map_or_else(String::new, Value::show)
    }
}

/// A span of time in seconds; fractions are welcome.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Seconds(pub f64);

impl Seconds {
    /// The span itself.
    pub fn duration(self) -> Duration {
        Duration::from_secs_f64(self.0)
    }
}

impl Value for Seconds {
    const ACCEPTS: &'static str = "seconds, fractions allowed";
    fn parse(text: &str) -> Result<Self, String> {
        let seconds = text.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
        seconds.map(Self).ok_or_else(|| "must be a number of seconds".to_owned())
    }
    fn show(&self) -> String {
        self.0.to_string()
    }
}

/// A size in bytes: `4GB`, `512 MiB`, `1048576`. Units are powers of 1024, as engines read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

const UNITS: [(&str, u32); 4] = [("t", 40), ("g", 30), ("m", 20), ("k", 10)];

impl Value for Bytes {
    const ACCEPTS: &'static str = "size such as 512MB or 4GB";
    fn parse(text: &str) -> Result<Self, String> {
        let lower = text.trim().to_ascii_lowercase();
        let bare = lower.strip_suffix("ib").or_else(|| lower.strip_suffix('b')).unwrap_or(&lower).trim_end();
        let (number, shift) = UNITS
            .iter()
            .find_map(|(unit, shift)| bare.strip_suffix(unit).map(|number| (number.trim_end(), *shift)))
            .unwrap_or((bare, 0));
        let wrong = || "must be a size such as 512MB or 4GB".to_owned();
        let number: f64 = number.parse().map_err(|_| wrong())?;
        let bytes = number * 2f64.powi(shift as i32);
        if bytes.is_finite() && bytes >= 0.0 { Ok(Self(bytes as u64)) } else { Err(wrong()) }
    }
    fn show(&self) -> String {
        UNITS
            .iter()
            .find(|(_, shift)| self.0 > 0 && self.0.is_multiple_of(1 << shift))
            .map_or_else(|| self.0.to_string(), |(unit, shift)| format!("{}{}B", self.0 >> shift, unit.to_uppercase()))
    }
}

impl Value for Locale {
    const ACCEPTS: &'static str = "locale such as en-US or de-DE";
    fn parse(text: &str) -> Result<Self, String> {
        Ok(Self::new(text))
    }
    fn show(&self) -> String {
        self.as_str().to_owned()
    }
}

/// Where the catalogue lives. Its password is never shown.
#[derive(Clone, PartialEq, PartialOrd)]
pub struct DatabaseUrl(pub String);

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.show())
    }
}

const POSTGRES_SCHEMES: [&str; 4] = ["postgres", "postgresql", "postgresql+asyncpg", "postgresql+psycopg"];

impl Value for DatabaseUrl {
    const ACCEPTS: &'static str = "postgresql:// URL";
    fn parse(text: &str) -> Result<Self, String> {
        let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        match scheme.as_deref() {
            Some(scheme) if POSTGRES_SCHEMES.contains(&scheme) => Ok(Self(text.to_owned())),
            Some("sqlite") => Err("must be a postgresql:// URL; leave it unset for SQLite, which lives in the data \
                                   directory (FLYQUERY_DATA_DIR)"
                .to_owned()),
            Some(_) | None => Err("must be a postgresql:// URL".to_owned()),
        }
    }
    fn show(&self) -> String {
        hide_password(&self.0)
    }
}

fn hide_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (rest, query) = rest.split_once('?').map_or((rest, ""), |(rest, query)| (rest, query));
    let shown = match rest.rsplit_once('@') {
        Some((user, host)) => match user.split_once(':') {
            Some((name, _)) => format!("{scheme}://{name}:***@{host}"),
            None => format!("{scheme}://{user}@{host}"),
        },
        None => format!("{scheme}://{rest}"),
    };
    if query.is_empty() {
        shown
    } else {
        let pairs: Vec<String> = query
            .split('&')
            .map(|pair| match pair.split_once('=') {
                Some((key, _)) if key.to_ascii_lowercase().contains("password") => format!("{key}=***"),
                _ => pair.to_owned(),
            })
            .collect();
        format!("{shown}?{}", pairs.join("&"))
    }
}

impl Value for ObjectStoreKind {
    const ACCEPTS: &'static str = "local";
    fn parse(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "local" => Ok(Self::Local),
            "s3" | "gcs" | "azure" => Err(format!("must be local: this version has no adapter for {text}")),
            _ => Err("must be local".to_owned()),
        }
    }
    fn show(&self) -> String {
        match self {
            Self::Local => "local".to_owned(),
        }
    }
}

/// Where objects are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectStoreKind {
    /// A folder.
    Local,
}

/// A log filter: one level, or `target=level` directives.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct LogLevel(pub String);

impl Value for LogLevel {
    const ACCEPTS: &'static str = "error, warn, info, debug, trace, off, or target=level directives";
    fn parse(text: &str) -> Result<Self, String> {
        // The reference's words for the same levels.
        let text = match text.to_ascii_lowercase().as_str() {
            "warning" => "warn".to_owned(),
            "critical" | "fatal" => "error".to_owned(),
            other => other.to_owned(),
        };
        let known = |level: &str| level.parse::<tracing::level_filters::LevelFilter>().is_ok();
        let directive = |part: &str| part.rsplit_once('=').map_or_else(|| known(part), |(_, level)| known(level));
        if !text.is_empty() && text.split(',').all(|part| directive(part.trim())) {
            Ok(Self(text))
        } else {
            Err(format!("must be {}", Self::ACCEPTS))
        }
    }
    fn show(&self) -> String {
        self.0.clone()
    }
}

/// How log lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

impl fmt::Display for LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Json => "json",
        })
    }
}

impl std::str::FromStr for LogFormat {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            other => Err(other.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_and_without_units() {
        for (text, bytes) in
            [("1048576", 1 << 20), ("4GB", 4 << 30), ("1.5 GiB", 3 << 29), ("512m", 512 << 20), ("0", 0)]
        {
            assert_eq!(Bytes::parse(text), Ok(Bytes(bytes)), "{text}");
        }
        for text in ["", "GB", "-1", "4 parsecs", "inf"] {
            assert!(Bytes::parse(text).is_err(), "{text}");
        }
        assert_eq!(Bytes(4 << 30).show(), "4GB");
        assert_eq!(Bytes(1000).show(), "1000");
    }

    #[test]
    fn passwords_never_show() {
        for (url, shown) in [
            ("postgresql://me:p@ss:w@host:5432/db", "postgresql://me:***@host:5432/db"),
            ("postgresql://me@host/db", "postgresql://me@host/db"),
            ("postgresql://host/db?user=a&password=x", "postgresql://host/db?user=a&password=***"),
        ] {
            assert_eq!(hide_password(url), shown);
        }
    }

    #[test]
    fn a_database_url_is_postgres_in_any_of_its_spellings() {
        assert!(DatabaseUrl::parse("postgresql+asyncpg://u:p@h/d").is_ok());
        assert!(DatabaseUrl::parse("sqlite:///x.db").is_err_and(|wrong| wrong.contains("FLYQUERY_DATA_DIR")));
        assert!(DatabaseUrl::parse("h/d").is_err());
    }

    #[test]
    fn log_levels_are_levels_or_directives() {
        assert_eq!(LogLevel::parse("WARNING"), Ok(LogLevel("warn".into())));
        assert!(LogLevel::parse("info,sqlx=warn").is_ok());
        assert!(LogLevel::parse("loud").is_err() && LogLevel::parse("").is_err());
    }

    #[test]
    fn seconds_take_fractions_and_refuse_nonsense() {
        assert_eq!(Seconds::parse("0.25").map(Seconds::duration), Ok(Duration::from_millis(250)));
        assert!(Seconds::parse("-1").is_err() && Seconds::parse("NaN").is_err());
    }
}
