//! Policies: how a dataset wants its files treated. Parsed once at the door; unknown keys are refused there.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::closed::closed_list;
use crate::stage::Stage;

closed_list! {
    /// What happens to samples of columns that hold personal data.
    pub enum PiiPolicy {
        /// Tag only.
        Warn = "warn",
        /// Tag and empty the samples.
        Redact = "redact",
        /// Tag and refuse the column.
        Reject = "reject",
    }
}

closed_list! {
    /// Which recogniser looks for personal data.
    pub enum PiiScannerKind {
        /// Patterns and names.
        Regex = "regex",
        /// None.
        Disabled = "disabled",
    }
}

/// Who confirms a rename.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DriftPolicy {
    /// A unique match is a rename at once.
    #[default]
    Auto,
    /// A person confirms.
    Manual,
}

impl DriftPolicy {
    /// The word in the database and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "AUTO",
            Self::Manual => "MANUAL",
        }
    }
}

impl std::str::FromStr for DriftPolicy {
    type Err = crate::closed::UnknownWord;
    /// `REVIEW` is another word for `MANUAL` (decision 16).
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "AUTO" => Ok(Self::Auto),
            "MANUAL" | "REVIEW" => Ok(Self::Manual),
            _ => Err(crate::closed::UnknownWord { word: text.to_owned(), allowed: &["AUTO", "MANUAL", "REVIEW"] }),
        }
    }
}

/// A BCP 47 locale as far as reading numbers and dates needs it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Locale(String);

impl Default for Locale {
    fn default() -> Self {
        Self("en-US".to_owned())
    }
}

impl Locale {
    /// Wraps a locale tag.
    pub fn new(tag: impl Into<String>) -> Self {
        Self(tag.into())
    }

    /// The tag as given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether 01/02 means the first of February (contract 2.8): en-GB, fr, es, de, it, pt, nl.
    pub fn is_day_first(&self) -> bool {
        let tag = self.0.to_ascii_lowercase().replace('_', "-");
        let language = tag.split('-').next().unwrap_or_default();
        tag == "en-gb" || matches!(language, "fr" | "es" | "de" | "it" | "pt" | "nl")
    }
}

/// `ingest_policy_json` of a dataset (decision 45); every field has the meaning "as the settings say" when absent.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct IngestPolicy {
    /// Stages 4 to 8 left out.
    #[serde(default)]
    pub skip_stages: Vec<Stage>,
    /// Columns (`table.column` or `column`) that alone are annotated; empty means all.
    #[serde(default)]
    pub include_columns: Vec<String>,
    /// Columns that are not annotated.
    #[serde(default)]
    pub exclude_columns: Vec<String>,
    /// What happens to samples that hold personal data.
    pub pii_policy_samples: Option<PiiPolicy>,
    /// Which recogniser.
    pub pii_scanner: Option<PiiScannerKind>,
    /// Budget of a describe run in cents.
    pub describe_budget_cents: Option<u64>,
    /// Columns per call of a describer.
    pub describe_batch: Option<u32>,
    /// Title rows that may stand above a header.
    pub max_title_rows: Option<u32>,
}

/// One thing wrong in a policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}: {message}")]
pub struct PolicyError {
    /// JSON pointer (RFC 6901) to the key.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
}

impl IngestPolicy {
    /// Reads a policy; synonyms of the reference are understood, unknown keys and wrong values refused.
    pub fn parse(json: &Value) -> Result<Self, PolicyError> {
        let object = match json {
            Value::Null => return Ok(Self::default()),
            Value::Object(object) => object,
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                return Err(PolicyError { pointer: String::new(), message: "must be an object".into() });
            }
        };
        let mut policy = Self::default();
        for (key, value) in object {
            policy.set(key, value).map_err(|message| PolicyError { pointer: format!("/{key}"), message })?;
        }
        Ok(policy)
    }

    fn set(&mut self, key: &str, value: &Value) -> Result<(), String> {
        match key {
            "skip_stages" => {
                for word in strings(value)? {
                    let stage: Stage = word.parse().map_err(|e: crate::closed::UnknownWord| e.to_string())?;
                    if !stage.can_skip() {
                        return Err(format!("stage '{stage}' can't be skipped; stages 4 to 8 can"));
                    }
                    self.skip(stage);
                }
            }
            "sample_disabled" => self.skip_if(Stage::Sample, value)?,
            "profile_disabled" => self.skip_if(Stage::Profile, value)?,
            "describe_disabled" => self.skip_if(Stage::Describe, value)?,
            "relation_proposer_disabled" => self.skip_if(Stage::Relate, value)?,
            "include_columns" => self.include_columns = strings(value)?,
            "exclude_columns" => self.exclude_columns = strings(value)?,
            "pii_policy_samples" | "pii_policy_samples_override" => self.pii_policy_samples = word(value)?,
            "pii_scanner" | "pii_scanner_override" => self.pii_scanner = word(value)?,
            "describe_budget_cents" | "describe_budget_cents_override" => self.describe_budget_cents = whole(value)?,
            "describe_batch" | "describe_batch_override" => self.describe_batch = whole32(value, 1)?,
            "max_title_rows" | "max_title_rows_override" => self.max_title_rows = whole32(value, 0)?,
            _ => return Err("is not a key of an ingest policy".into()),
        }
        Ok(())
    }

    fn skip(&mut self, stage: Stage) {
        if !self.skip_stages.contains(&stage) {
            self.skip_stages.push(stage);
        }
    }

    fn skip_if(&mut self, stage: Stage, value: &Value) -> Result<(), String> {
        if value.as_bool().ok_or("must be true or false")? {
            self.skip(stage);
        }
        Ok(())
    }

    /// Whether the policy leaves a stage out.
    pub fn skips(&self, stage: Stage) -> bool {
        self.skip_stages.contains(&stage)
    }

    /// Whether a column of a table is annotated (samples, profile, description, PII).
    pub fn covers(&self, table: &str, column: &str) -> bool {
        let named = |list: &[String]| {
            list.iter().any(|entry| match entry.split_once('.') {
                Some((t, c)) => t == table && c == column,
                None => entry == column,
            })
        };
        (self.include_columns.is_empty() || named(&self.include_columns)) && !named(&self.exclude_columns)
    }
}

fn strings(value: &Value) -> Result<Vec<String>, String> {
    let list = value.as_array().ok_or("must be a list of strings")?;
    list.iter().map(|v| v.as_str().map(str::to_owned).ok_or_else(|| "must be a list of strings".to_owned())).collect()
}

fn word<T: std::str::FromStr<Err = crate::closed::UnknownWord>>(value: &Value) -> Result<Option<T>, String> {
    if value.is_null() {
        return Ok(None);
    }
    value.as_str().ok_or("must be a string")?.parse().map(Some).map_err(|e: crate::closed::UnknownWord| e.to_string())
}

fn whole(value: &Value) -> Result<Option<u64>, String> {
    if value.is_null() {
        return Ok(None);
    }
    value.as_u64().map(Some).ok_or_else(|| "must be a whole number, zero or more".to_owned())
}

fn whole32(value: &Value, least: u32) -> Result<Option<u32>, String> {
    match whole(value)? {
        None => Ok(None),
        Some(n) => match u32::try_from(n) {
            Ok(n) if n >= least => Ok(Some(n)),
            _ => Err(format!("must be between {least} and {}", u32::MAX)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn synonyms_of_the_reference_are_understood() {
        let policy = IngestPolicy::parse(&json!({
            "sample_disabled": true, "describe_batch_override": 5, "pii_policy_samples_override": "reject",
            "skip_stages": ["tag_pii"], "max_title_rows": 0
        }))
        .expect("valid");
        assert!(policy.skips(Stage::Sample) && policy.skips(Stage::TagPii) && !policy.skips(Stage::Profile));
        assert_eq!(policy.describe_batch, Some(5));
        assert_eq!(policy.pii_policy_samples, Some(PiiPolicy::Reject));
        assert_eq!(policy.max_title_rows, Some(0));
    }

    #[test]
    fn unknown_keys_and_wrong_values_are_refused_with_their_place() {
        for (json, pointer) in [
            (json!({"sample_disable": true}), "/sample_disable"),
            (json!({"skip_stages": ["publish"]}), "/skip_stages"),
            (json!({"describe_batch": 0}), "/describe_batch"),
            (json!({"pii_scanner": "presidio"}), "/pii_scanner"),
            (json!([]), ""),
        ] {
            assert_eq!(IngestPolicy::parse(&json).expect_err("refused").pointer, pointer);
        }
    }

    #[test]
    fn columns_are_covered_by_name_or_by_table_and_name() {
        let policy = IngestPolicy::parse(&json!({"exclude_columns": ["orders.note", "secret"]})).expect("valid");
        assert!(!policy.covers("orders", "note"));
        assert!(policy.covers("customers", "note"));
        assert!(!policy.covers("customers", "secret"));
    }

    #[test]
    fn day_first_locales() {
        assert!(Locale::new("en-GB").is_day_first() && Locale::new("de_AT").is_day_first());
        assert!(!Locale::new("en-US").is_day_first() && !Locale::default().is_day_first());
    }
}
