//! The offline describer: a semantic type and one plain sentence for each column, from names, types and profiles.
//!
//! A sentence may name the range of numbers and dates and the choices of a short list, but nothing of a column that looks like
//! personal data.

mod facts;
mod phrase;

use async_trait::async_trait;
use domain::SqlType;
use domain::ports::describer::{ColumnBrief, ColumnDescription, DescribeError, Describer, FACTS};
use domain::semantic::DescriptionSource;

use crate::pii::RegexScanner;
use crate::profile::ColumnProfile;
use crate::semantic_type::{Evidence, semantic_type};

/// Column names that the sentence about a table spells out.
const NAMED_COLUMNS: usize = 6;

/// Describes by rules; costs nothing.
#[derive(Debug, Default, Clone)]
pub struct OfflineDescriber {
    scanner: RegexScanner,
}

impl OfflineDescriber {
    /// The describer; a value that `scanner` takes for personal data is never told.
    pub fn new(scanner: RegexScanner) -> Self {
        Self { scanner }
    }

    /// One sentence about a table.
    pub fn describe_table(table: &str, columns: &[(String, SqlType)], n_rows: u64) -> String {
        let rows = if n_rows == 1 { "1 row".to_owned() } else { format!("{n_rows} rows") };
        let count = if columns.len() == 1 { "1 column".to_owned() } else { format!("{} columns", columns.len()) };
        let mut named: Vec<&str> = columns.iter().take(NAMED_COLUMNS).map(|(name, _)| name.as_str()).collect();
        let more = columns.len().saturating_sub(NAMED_COLUMNS);
        let rest = format!("{more} more");
        if more > 0 {
            named.push(&rest);
        }
        let subject = phrase::table_words(table);
        if named.is_empty() {
            return format!("Table of {subject} with {rows} and no columns.");
        }
        format!("Table of {subject} with {rows} and {count}: {}.", phrase::enumerate(&named))
    }

    /// Semantic type and sentence of one column.
    pub fn describe_column(&self, brief: &ColumnBrief) -> ColumnDescription {
        let profile = brief.profile.as_ref().and_then(ColumnProfile::from_json);
        let evidence = Evidence {
            table: &brief.table,
            column: &brief.column,
            sql_type: &brief.sql_type,
            samples: &brief.samples,
            profile: profile.as_ref(),
        };
        let semantic_type = semantic_type(&evidence);
        let mut clauses = vec![phrase::opening(&brief.table, &brief.column, semantic_type)];
        clauses.extend(phrase::kind(&brief.column, semantic_type).map(str::to_owned));
        clauses.extend(profile.iter().flat_map(|profile| facts::of(&self.scanner, brief, semantic_type, profile)));
        ColumnDescription {
            semantic_type,
            description: format!("{}.", clauses.join(FACTS)),
            source: DescriptionSource::Heuristic,
        }
    }
}

#[async_trait]
impl Describer for OfflineDescriber {
    async fn describe(&self, batch: &[ColumnBrief]) -> Result<(Vec<ColumnDescription>, f64), DescribeError> {
        Ok((batch.iter().map(|brief| self.describe_column(brief)).collect(), 0.0))
    }
}
