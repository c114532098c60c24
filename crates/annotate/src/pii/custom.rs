//! Patterns of an operator's own: `CUSTOM:<name>`.

use domain::semantic::PiiTag;
use regex::{RegexSet, RegexSetBuilder};

use super::{VALUE_SHARE, enough};

/// Most patterns in a file.
const PATTERNS: usize = 100;
/// Longest name and longest pattern, in bytes.
const NAME_BYTES: usize = 64;
const PATTERN_BYTES: usize = 4_096;
/// Bytes that all patterns together may take when compiled.
const COMPILED_BYTES: usize = 16 << 20;

/// Why a set of patterns can't be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PatternError {
    /// Too many.
    #[error("it has {0} patterns; up to {PATTERNS} are looked for")]
    TooMany(usize),
    /// A name that can't be part of a tag.
    #[error("'{0}' can't be a pattern's name: use up to {NAME_BYTES} letters, digits, _ and -")]
    Name(String),
    /// A pattern that is no regular expression, or one that is too large.
    #[error("the pattern of '{name}' can't be used: {reason}")]
    Pattern {
        /// Its name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Named regular expressions. A value that one of them matches anywhere is personal data; of several, the first one that
/// was given counts.
#[derive(Debug, Default)]
pub struct CustomPatterns {
    names: Vec<String>,
    patterns: RegexSet,
}

impl CustomPatterns {
    /// Compiles patterns, in the order in which they count.
    pub fn new(patterns: Vec<(String, String)>) -> Result<Self, PatternError> {
        if patterns.len() > PATTERNS {
            return Err(PatternError::TooMany(patterns.len()));
        }
        for (name, pattern) in &patterns {
            let plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
            if name.is_empty() || name.len() > NAME_BYTES || !name.chars().all(plain) {
                return Err(PatternError::Name(name.clone()));
            }
            // One by one, because a set does not say which of its patterns is wrong.
            compiled(std::slice::from_ref(pattern))
                .map_err(|reason| PatternError::Pattern { name: name.clone(), reason })?;
        }
        let (names, texts): (Vec<String>, Vec<String>) = patterns.into_iter().unzip();
        let patterns = compiled(&texts).map_err(|reason| PatternError::Pattern { name: names.join("', '"), reason })?;
        Ok(Self { names, patterns })
    }

    /// The tag of the first pattern that the text holds.
    pub(super) fn find(&self, text: &str) -> Option<PiiTag> {
        self.first(text).map(|index| PiiTag::Custom(self.names[index].clone()))
    }

    /// The tag that enough of the values have.
    pub(super) fn of_column(&self, values: &[String]) -> Option<PiiTag> {
        let mut hits = vec![0; self.names.len()];
        for index in values.iter().filter_map(|value| self.first(value)) {
            hits[index] += 1;
        }
        let index = hits.iter().position(|n| enough(*n, values.len(), VALUE_SHARE))?;
        Some(PiiTag::Custom(self.names[index].clone()))
    }

    /// Position of the first pattern that the text holds.
    fn first(&self, text: &str) -> Option<usize> {
        // Asked for every value, and mostly there are no patterns.
        if self.names.is_empty() { None } else { self.patterns.matches(text).iter().next() }
    }
}

fn compiled(patterns: &[String]) -> Result<RegexSet, String> {
    if let Some(long) = patterns.iter().find(|pattern| pattern.len() > PATTERN_BYTES) {
        return Err(format!("it has {} bytes; up to {PATTERN_BYTES} are allowed", long.len()));
    }
    let built = RegexSetBuilder::new(patterns).size_limit(COMPILED_BYTES).dfa_size_limit(COMPILED_BYTES).build();
    built.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(list: &[(&str, &str)]) -> Result<CustomPatterns, PatternError> {
        CustomPatterns::new(list.iter().map(|(n, p)| ((*n).to_owned(), (*p).to_owned())).collect())
    }

    fn tag(name: &str) -> PiiTag {
        PiiTag::Custom(name.to_owned())
    }

    #[test]
    fn the_first_pattern_that_matches_counts() {
        let custom = patterns(&[("badge", r"\bEMP-\d{6}\b"), ("any-code", r"[A-Z]{3}-\d+")]).expect("valid");
        assert_eq!(custom.find("by EMP-123456 today"), Some(tag("badge")));
        assert_eq!(custom.find("EMP-1234567"), Some(tag("any-code")));
        assert_eq!(custom.find("emp-123456"), None);
        let values = |list: &[&str]| list.iter().map(|v| (*v).to_owned()).collect::<Vec<_>>();
        assert_eq!(custom.of_column(&values(&["EMP-123456", "none"])), Some(tag("badge")));
        assert_eq!(custom.of_column(&values(&["EMP-123456", "none", "none"])), None);
        assert_eq!(custom.of_column(&[]), None);
        assert_eq!(CustomPatterns::default().find("EMP-123456"), None);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error = |list: &[(&str, &str)]| patterns(list).expect_err("refused").to_string();
        assert!(
            error(&[("ok", "a"), ("bad", "a(")]).starts_with("the pattern of 'bad' can't be used: regex parse error")
        );
        assert!(error(&[("big", r"(?:\w{1000}){1000}")]).contains("exceeds size limit"));
        assert!(error(&[("long", &"a".repeat(5_000))]).contains("5000 bytes"));
        assert_eq!(patterns(&[("a b", "x")]).expect_err("refused"), PatternError::Name("a b".to_owned()));
        let many: Vec<(String, String)> = (0..101).map(|n| (format!("n{n}"), "x".to_owned())).collect();
        assert_eq!(CustomPatterns::new(many).expect_err("refused"), PatternError::TooMany(101));
    }
}
