//! Names: how file names become table names and how column names are made usable without losing what was written.

use std::collections::HashMap;

use crate::limits;

/// A table name from a file stem or sheet name: runs of anything outside `[A-Za-z0-9_]` become one `_`, trimmed;
/// empty becomes `table` (contract 2.8).
pub fn table_name(raw: &str) -> String {
    let mut name = String::with_capacity(raw.len());
    for c in raw.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            name.push(c);
        } else if !name.ends_with('_') {
            name.push('_');
        }
    }
    let trimmed: String = name.trim_matches('_').chars().take(limits::TABLE_NAME_CHARS).collect();
    if trimmed.is_empty() { "table".to_owned() } else { trimmed }
}

/// Column names made from a header, and whether any differs from what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnNames {
    /// Usable, unique names, one per column.
    pub names: Vec<String>,
    /// Indexes of names that differ from the header's text.
    pub changed: Vec<usize>,
}

/// Makes column names from header cells: outer blanks trimmed, control characters dropped, cut to the bound;
/// an empty one becomes `column<index>`, a repeated one gets `_2`, `_3`, … (decision 66). Names that differ only
/// in case count as different.
pub fn column_names<S: AsRef<str>>(header: &[S]) -> ColumnNames {
    let mut taken: HashMap<String, u32> = HashMap::with_capacity(header.len());
    let written: std::collections::HashSet<String> = header.iter().map(|h| clean(h.as_ref())).collect();
    let mut names = Vec::with_capacity(header.len());
    let mut changed = Vec::new();
    for (index, raw) in header.iter().enumerate() {
        let base = clean(raw.as_ref());
        let base = if base.is_empty() { format!("column{index}") } else { base };
        let mut name = base.clone();
        let mut n = taken.get(&base).copied().unwrap_or(0);
        while taken.contains_key(&name) || (n > 0 && written.contains(&name)) {
            n = n.max(1) + 1;
            name = format!("{base}_{n}");
        }
        taken.insert(base, n);
        taken.entry(name.clone()).or_insert(0);
        if name != raw.as_ref() {
            changed.push(index);
        }
        names.push(name);
    }
    ColumnNames { names, changed }
}

fn clean(raw: &str) -> String {
    let text: String = raw
        .chars()
        .map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c })
        .filter(|c| !c.is_control() && *c != '\u{feff}')
        .collect();
    text.trim().chars().take(limits::COLUMN_NAME_CHARS).collect::<String>().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_names_follow_the_contract() {
        assert_eq!(table_name("Orders 2024 (final)"), "Orders_2024_final");
        assert_eq!(table_name("---"), "table");
        assert_eq!(table_name("_x__y_"), "x__y");
        assert_eq!(table_name("été"), "t");
    }

    #[test]
    fn column_names_are_unique_and_close_to_the_header() {
        let names = column_names(&["id", " name ", "", "id", "id_2", "id"]);
        assert_eq!(names.names, ["id", "name", "column2", "id_3", "id_2", "id_4"]);
        assert_eq!(names.changed, [1, 2, 3, 5]);
    }

    #[test]
    fn no_two_names_are_equal_whatever_the_header() {
        let header = ["a", "a", "a_2", "a_2", "", "column4", "a", ""];
        let names = column_names(&header).names;
        let unique: std::collections::HashSet<_> = names.iter().collect();
        assert_eq!(unique.len(), header.len(), "{names:?}");
    }
}
