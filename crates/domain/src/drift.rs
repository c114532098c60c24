//! The difference between two schemas of a table (pure).

mod rename;

use serde::{Deserialize, Serialize};

use self::rename::Pair;
pub use self::rename::{Overlap, open_pairs};
use crate::closed::closed_list;
use crate::schema::{Column, Schema};

closed_list! {
    /// What happened to a column between two snapshots.
    pub enum ChangeKind {
        /// New.
        Added = "ADDED",
        /// Gone.
        Removed = "REMOVED",
        /// Same name, other type.
        TypeChanged = "TYPE_CHANGED",
        /// Same column, other name.
        Renamed = "RENAMED",
        /// Perhaps renamed; a person decides.
        RenamedCandidate = "RENAMED_CANDIDATE",
    }
}

/// One difference.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SchemaChange {
    /// The column as it was called before, or its new name when it was added.
    pub column_name: String,
    /// What happened.
    pub change: ChangeKind,
    /// Shape before (contract 2.7); `None` when added.
    pub before: Option<serde_json::Value>,
    /// Shape after; `None` when removed.
    pub after: Option<serde_json::Value>,
    /// Why a rename was assumed.
    pub rationale: Option<String>,
}

/// Compares two schemas by column name and type. `overlaps` tells of removed and added columns of one type how far
/// their values agree.
///
/// A removed and an added column that are the clear best match for each other count as a rename when their values
/// agree and `confirm_renames`, else as a candidate beside its ADDED and REMOVED rows.
pub fn diff(before: &Schema, after: &Schema, overlaps: &[Overlap], confirm_renames: bool) -> Vec<SchemaChange> {
    let mut changes = Vec::new();
    for old in &before.columns {
        if let Some(new) = after.column(&old.name)
            && new.sql_type != old.sql_type
        {
            let (before, after) = (Some(type_json(old)), Some(type_json(new)));
            changes.push(change(&old.name, ChangeKind::TypeChanged, before, after));
        }
    }
    let pairs = rename::pairs(before, after, overlaps);
    changes.extend(pairs.iter().map(|pair| renamed(pair, confirm_renames && pair.sure)));
    let settled = |name: &str| {
        let of = |pair: &Pair<'_>| pair.old.name == name || pair.new.name == name;
        pairs.iter().any(|pair| confirm_renames && pair.sure && of(pair))
    };
    for old in before.columns.iter().filter(|c| after.column(&c.name).is_none() && !settled(&c.name)) {
        changes.push(change(&old.name, ChangeKind::Removed, Some(type_json(old)), None));
    }
    for new in after.columns.iter().filter(|c| before.column(&c.name).is_none() && !settled(&c.name)) {
        changes.push(change(&new.name, ChangeKind::Added, None, Some(type_json(new))));
    }
    changes
}

fn change(
    name: &str,
    change: ChangeKind,
    before: Option<serde_json::Value>,
    after: Option<serde_json::Value>,
) -> SchemaChange {
    SchemaChange { column_name: name.to_owned(), change, before, after, rationale: None }
}

fn renamed(pair: &Pair<'_>, confirmed: bool) -> SchemaChange {
    let (kind, after) = if confirmed {
        (ChangeKind::Renamed, named_json(pair.new))
    } else {
        let candidate = serde_json::json!({"name": pair.new.name, "confidence": pair.score, "rationale": pair.reason});
        (ChangeKind::RenamedCandidate, serde_json::json!({"candidates": [candidate]}))
    };
    SchemaChange {
        rationale: Some(format!("{} (score {:.2})", pair.reason, pair.score)),
        ..change(&pair.old.name, kind, Some(named_json(pair.old)), Some(after))
    }
}

fn type_json(column: &Column) -> serde_json::Value {
    serde_json::json!({"data_type": column.sql_type.to_string()})
}

fn named_json(column: &Column) -> serde_json::Value {
    serde_json::json!({"column_name": column.name, "data_type": column.sql_type.to_string()})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::SqlType;

    fn schema(columns: &[(&str, SqlType)]) -> Schema {
        let columns = columns
            .iter()
            .map(|(name, sql_type)| Column { name: (*name).into(), sql_type: sql_type.clone(), nullable: true })
            .collect();
        Schema { columns }
    }

    fn overlap(from: &str, to: &str, share: f64) -> Overlap {
        Overlap { from: from.into(), to: to.into(), share: Some(share) }
    }

    fn kinds(changes: Vec<SchemaChange>) -> Vec<(String, ChangeKind)> {
        changes.into_iter().map(|c| (c.column_name, c.change)).collect()
    }

    #[test]
    fn one_added_one_removed_one_retyped_and_one_renamed_are_four_rows() {
        let before = schema(&[
            ("id", SqlType::BigInt),
            ("old", SqlType::Varchar),
            ("gone", SqlType::Varchar),
            ("n", SqlType::BigInt),
        ]);
        let after = schema(&[
            ("id", SqlType::BigInt),
            ("came", SqlType::Varchar),
            ("new", SqlType::Varchar),
            ("n", SqlType::Double),
        ]);
        let overlaps = [
            overlap("old", "new", 0.9),
            overlap("old", "came", 0.0),
            overlap("gone", "new", 0.02),
            overlap("gone", "came", 0.0),
        ];
        let expected = [
            ("n".into(), ChangeKind::TypeChanged),
            ("old".into(), ChangeKind::Renamed),
            ("gone".into(), ChangeKind::Removed),
            ("came".into(), ChangeKind::Added),
        ];
        let changes = diff(&before, &after, &overlaps, true);
        assert_eq!(
            changes[1].rationale.as_deref(),
            Some("both VARCHAR, one place apart, 90 % of the values are the same (score 0.84)")
        );
        assert_eq!(kinds(changes), expected);
    }

    #[test]
    fn a_manual_policy_only_proposes() {
        let (before, after) = (schema(&[("old", SqlType::Varchar)]), schema(&[("new", SqlType::Varchar)]));
        let expected = [ChangeKind::RenamedCandidate, ChangeKind::Removed, ChangeKind::Added];
        let changes = diff(&before, &after, &[overlap("old", "new", 1.0)], false);
        assert_eq!(changes[0].after.as_ref().expect("candidates")["candidates"][0]["confidence"], 1.0);
        assert_eq!(changes.iter().map(|c| c.change).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn values_that_tell_nothing_make_a_candidate_at_best() {
        let (before, after) = (schema(&[("old", SqlType::Boolean)]), schema(&[("new", SqlType::Boolean)]));
        assert_eq!(diff(&before, &after, &[], true)[0].change, ChangeKind::RenamedCandidate);
        let unlike = diff(&before, &after, &[overlap("old", "new", 0.0)], true);
        assert_eq!(unlike.iter().map(|c| c.change).collect::<Vec<_>>(), [ChangeKind::Removed, ChangeKind::Added]);
    }

    #[test]
    fn two_equally_good_matches_are_no_match() {
        let before = schema(&[("old", SqlType::Varchar)]);
        let after = schema(&[("a", SqlType::Varchar), ("b", SqlType::Varchar)]);
        let overlaps = [overlap("old", "a", 0.7), overlap("old", "b", 0.95)];
        assert!(diff(&before, &after, &overlaps, true).iter().all(|c| c.change != ChangeKind::Renamed));
    }

    #[test]
    fn a_file_with_other_columns_altogether_has_no_renames() {
        let wide = |prefix: &str, n: usize| Schema {
            columns: (0..n)
                .map(|i| Column { name: format!("{prefix}{i}"), sql_type: SqlType::Varchar, nullable: true })
                .collect(),
        };
        let most = crate::limits::RENAME_COLUMNS;
        assert_eq!(open_pairs(&wide("a", most), &wide("b", most)).len(), most * most);
        assert!(open_pairs(&wide("a", most + 1), &wide("b", 1)).is_empty());
        let changes = diff(&wide("a", 5_000), &wide("b", 5_000), &[], true);
        assert_eq!(changes.len(), 10_000, "every column went, every column came");
    }

    #[test]
    fn equal_schemas_have_no_difference() {
        let one = schema(&[("a", SqlType::Varchar)]);
        assert!(diff(&one, &one, &[], true).is_empty());
    }
}
