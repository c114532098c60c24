//! What is expected of each file: the rows of `manifest.tsv`.

use crate::outcome::Shape;

/// What a file is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// It must be read.
    Read,
    /// It must be refused.
    Refuse,
    /// Both are fine.
    Either,
}

/// One file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Path under `files`.
    pub path: String,
    /// Format word, with the wrapper behind a dot: `csv`, `csv.gz`.
    pub format: String,
    /// Whether it must be read.
    pub expected: Expected,
    /// Tables that must come out; empty when the manifest does not say.
    pub shapes: Vec<Shape>,
}

impl Entry {
    /// Whether it is delimited text that the floor counts.
    pub fn is_delimited(&self) -> bool {
        matches!(self.format.as_str(), "csv" | "tsv" | "csv.gz" | "tsv.gz")
    }
}

/// Reads the manifest; columns are found by their names in its first line.
pub fn parse(text: &str) -> Result<Vec<Entry>, String> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| {
        names.iter().position(|n| *n == name).ok_or_else(|| format!("the manifest has no column '{name}'"))
    };
    let columns = [column("path")?, column("format")?, column("expected")?, column("rows")?, column("cols")?];
    let tables = column("tables")?;
    lines.filter(|line| !line.is_empty()).map(|line| entry(line, columns, tables)).collect()
}

fn entry(line: &str, columns: [usize; 5], tables: usize) -> Result<Entry, String> {
    let fields: Vec<&str> = line.split('\t').collect();
    let field = |at: usize| fields.get(at).copied().unwrap_or_default();
    let [path, format, expected, rows, cols] = columns.map(field);
    let expected = match expected {
        "ok" => Expected::Read,
        "reject" => Expected::Refuse,
        "either" => Expected::Either,
        other => return Err(format!("{path}: expected is '{other}', not ok, reject or either")),
    };
    Ok(Entry { path: path.to_owned(), format: format.to_owned(), expected, shapes: shapes(field(tables), rows, cols) })
}

/// The list `Sheet1=4x8;Sheet2=2x3` when there is one, else the one table of rows and columns.
fn shapes(tables: &str, rows: &str, cols: &str) -> Vec<Shape> {
    if tables.is_empty() {
        let one = rows.parse().ok().zip(cols.parse().ok());
        return one.map(|(rows, columns)| Shape { rows, columns }).into_iter().collect();
    }
    let shapes: Option<Vec<Shape>> = tables.split(';').map(|table| table.rsplit_once('=')?.1.parse().ok()).collect();
    shapes.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "path\tsource\tformat\tbytes\texpected\trows\tcols\ttables\tby\tdetail\n";

    #[test]
    fn rows_say_what_is_expected() {
        let text = format!("{HEAD}a.csv\tx\tcsv\t1\tok\t3\t6\t\t\t\nb.xlsx\tx\txlsx\t1\teither\t\t\tA=4x8;B=2x3\t\t\n");
        let entries = parse(&text).expect("the manifest is whole");
        assert_eq!(entries[0].shapes, [Shape { rows: 3, columns: 6 }]);
        assert_eq!(entries[1].shapes, [Shape { rows: 4, columns: 8 }, Shape { rows: 2, columns: 3 }]);
        assert_eq!((entries[0].expected, entries[1].expected), (Expected::Read, Expected::Either));
        assert!(entries[0].is_delimited() && !entries[1].is_delimited());
    }

    #[test]
    fn a_manifest_of_another_form_is_an_error() {
        assert!(parse("path\tformat\n").is_err());
        assert!(parse(&format!("{HEAD}a.csv\tx\tcsv\t1\tperhaps\t\t\t\t\t\n")).is_err());
    }
}
