//! The difference between two schemas of a table (pure).

use serde::{Deserialize, Serialize};

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

/// Compares two schemas by column name and type.
///
/// A removed and an added column of one type, each the only one of that type, count as a rename when
/// `confirm_renames`, else as a candidate beside its ADDED and REMOVED rows.
pub fn diff(before: &Schema, after: &Schema, confirm_renames: bool) -> Vec<SchemaChange> {
    let mut changes = Vec::new();
    for old in &before.columns {
        if let Some(new) = after.column(&old.name)
            && new.sql_type != old.sql_type
        {
            changes.push(SchemaChange {
                column_name: old.name.clone(),
                change: ChangeKind::TypeChanged,
                before: Some(type_json(old)),
                after: Some(type_json(new)),
                rationale: None,
            });
        }
    }
    let removed: Vec<&Column> = before.columns.iter().filter(|c| after.column(&c.name).is_none()).collect();
    let added: Vec<&Column> = after.columns.iter().filter(|c| before.column(&c.name).is_none()).collect();
    let pairs = rename_pairs(&removed, &added);
    for (old, new) in &pairs {
        changes.push(rename(old, new, confirm_renames));
    }
    let renamed = |c: &Column| confirm_renames && pairs.iter().any(|(o, n)| o.name == c.name || n.name == c.name);
    for old in removed.iter().filter(|c| !renamed(c)) {
        changes.push(SchemaChange {
            column_name: old.name.clone(),
            change: ChangeKind::Removed,
            before: Some(type_json(old)),
            after: None,
            rationale: None,
        });
    }
    for new in added.iter().filter(|c| !renamed(c)) {
        changes.push(SchemaChange {
            column_name: new.name.clone(),
            change: ChangeKind::Added,
            before: None,
            after: Some(type_json(new)),
            rationale: None,
        });
    }
    changes
}

fn rename_pairs<'a>(removed: &[&'a Column], added: &[&'a Column]) -> Vec<(&'a Column, &'a Column)> {
    let only =
        |list: &[&'a Column], column: &Column| list.iter().filter(|c| c.sql_type == column.sql_type).count() == 1;
    removed
        .iter()
        .filter(|old| only(removed, old))
        .filter_map(|old| {
            let new = added.iter().find(|new| new.sql_type == old.sql_type)?;
            only(added, new).then_some((*old, *new))
        })
        .collect()
}

fn rename(old: &Column, new: &Column, confirmed: bool) -> SchemaChange {
    let rationale = format!("the only {} column that went is matched by the only one that came", old.sql_type);
    let (change, after) = if confirmed {
        (ChangeKind::Renamed, named_json(new))
    } else {
        let candidate = serde_json::json!({"name": new.name, "confidence": null, "rationale": rationale});
        (ChangeKind::RenamedCandidate, serde_json::json!({"candidates": [candidate]}))
    };
    SchemaChange {
        column_name: old.name.clone(),
        change,
        before: Some(named_json(old)),
        after: Some(after),
        rationale: Some(rationale),
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

    #[test]
    fn added_removed_retyped_and_renamed() {
        let before = schema(&[
            ("id", SqlType::BigInt),
            ("old", SqlType::Varchar),
            ("gone", SqlType::Double),
            ("n", SqlType::BigInt),
        ]);
        let after = schema(&[
            ("id", SqlType::BigInt),
            ("new", SqlType::Varchar),
            ("came", SqlType::Date),
            ("n", SqlType::Double),
        ]);
        let kinds: Vec<(String, ChangeKind)> =
            diff(&before, &after, true).into_iter().map(|c| (c.column_name, c.change)).collect();
        assert_eq!(
            kinds,
            [
                ("n".into(), ChangeKind::TypeChanged),
                ("old".into(), ChangeKind::Renamed),
                ("gone".into(), ChangeKind::Removed),
                ("came".into(), ChangeKind::Added)
            ]
        );
    }

    #[test]
    fn a_manual_policy_only_proposes() {
        let before = schema(&[("old", SqlType::Varchar)]);
        let after = schema(&[("new", SqlType::Varchar)]);
        let kinds: Vec<ChangeKind> = diff(&before, &after, false).into_iter().map(|c| c.change).collect();
        assert_eq!(kinds, [ChangeKind::RenamedCandidate, ChangeKind::Removed, ChangeKind::Added]);
    }

    #[test]
    fn equal_schemas_have_no_difference() {
        let one = schema(&[("a", SqlType::Varchar)]);
        assert!(diff(&one, &one, true).is_empty());
    }
}
