//! Where the header stands, or that there is none: title rows above it, its names, the table's width.

use domain::name::column_names;

use crate::text::dialect::usual_width;
use crate::text::evidence::{Evidence, trim};
use crate::text::infer::{Reading, decide};
use crate::text::locale::Preference;

/// A record of the sample: its cells' values.
pub type Record = Vec<Vec<u8>>;

/// What stands above the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Title rows that are left out.
    pub titles: usize,
    /// Whether the record after them is a header.
    pub has_header: bool,
    /// Fields a record should have: as many as the header names, or as most rows have.
    pub usual: usize,
    /// Column names.
    pub names: Vec<String>,
    /// Columns whose name differs from what the header says or that it does not name.
    pub made_up: usize,
}

/// Finds the layout from the first records that are not blank.
pub fn find(records: &[Record], max_titles: usize, preference: Preference) -> Layout {
    let titles = titles(records, max_titles);
    let table = &records[titles.min(records.len())..];
    let Some(first) = table.first() else {
        return Layout { titles, has_header: false, usual: 1, names: vec!["column0".to_owned()], made_up: 1 };
    };
    let body = &table[1..];
    let has_header = is_header(first, body, preference);
    let width = width(first, body, has_header);
    let widths: Vec<usize> = body.iter().map(Vec::len).collect();
    let usual = usual_width(&widths).max(if has_header { last_filled(first).max(1) } else { 1 }).min(width);
    let texts: Vec<String> = (0..width)
        .map(|i| match first.get(i).filter(|_| has_header) {
            Some(cell) => String::from_utf8_lossy(cell).into_owned(),
            None => String::new(),
        })
        .collect();
    let named = column_names(&texts);
    let made_up = if has_header { named.changed.len() } else { width };
    Layout { titles, has_header, usual, names: named.names, made_up }
}

/// Records of fewer fields before the first record as wide as most are titles.
fn titles(records: &[Record], max_titles: usize) -> usize {
    let widths: Vec<usize> = records.iter().map(Vec::len).collect();
    let usual = usual_width(&widths);
    if usual < 2 {
        return 0;
    }
    // A header may be wider or one shorter than its rows, so only records of one or two cells with text are titles.
    let filled = |record: &Record| record.iter().filter(|cell| !trim(cell).is_empty()).count();
    let is_title =
        |record: &Record| record.len() + 1 < usual && filled(record) <= 2 || (filled(record) <= 1 && usual > 2);
    let first = records.iter().take(max_titles + 1).position(|record| !is_title(record)).unwrap_or(0);
    if first > max_titles { 0 } else { first }
}

/// The width: as many columns as most rows have, unless the header names more that are not empty.
fn width(first: &Record, body: &[Record], has_header: bool) -> usize {
    if !has_header {
        return first.len().max(body.iter().map(Vec::len).max().unwrap_or(0)).max(1);
    }
    let used = body.iter().map(last_filled).max().unwrap_or(0);
    last_filled(first).max(1).max(used)
}

/// Fields up to the last one that is not blank.
fn last_filled(record: &Record) -> usize {
    record.iter().rposition(|cell| !trim(cell).is_empty()).map_or(0, |last| last + 1)
}

/// Whether the first record names the columns rather than fills them.
fn is_header(first: &Record, body: &[Record], preference: Preference) -> bool {
    let cells: Vec<&[u8]> = first.iter().map(|cell| trim(cell)).collect();
    if body.is_empty() {
        return cells.iter().all(|cell| typed_alone(cell, preference) == Reading::Text);
    }
    let (mut alike, mut unlike) = (0, 0);
    for (i, cell) in cells.iter().enumerate() {
        let column = read(body.iter().filter_map(|record| record.get(i)).map(Vec::as_slice), preference);
        if column == Reading::Text || cell.is_empty() {
            continue;
        }
        let together = read(
            body.iter().filter_map(|record| record.get(i)).map(Vec::as_slice).chain(std::iter::once(*cell)),
            preference,
        );
        if together == Reading::Text { unlike += 1 } else { alike += 1 }
    }
    if unlike > 0 {
        return true;
    }
    if alike > 0 {
        return are_years(&cells);
    }
    // Only text: a header unless its cells repeat what stands below or could be values themselves.
    cells.iter().all(|cell| typed_alone(cell, preference) == Reading::Text)
}

/// A header such as `country,2019,2020,2021`: years in a row over numbers.
fn are_years(cells: &[&[u8]]) -> bool {
    let numbers: Vec<i64> = cells.iter().filter_map(|cell| crate::text::number::parse_i64(cell)).collect();
    let others = cells.len() - numbers.len();
    others > 0
        && numbers.len() > 1
        && numbers.iter().all(|year| (1800..=2200).contains(year))
        && numbers.windows(2).all(|pair| (pair[1] - pair[0]).abs() == 1)
}

fn typed_alone(cell: &[u8], preference: Preference) -> Reading {
    read(std::iter::once(cell), preference)
}

fn read<'a>(cells: impl Iterator<Item = &'a [u8]>, preference: Preference) -> Reading {
    let mut evidence = Evidence::default();
    for (row, cell) in cells.enumerate() {
        evidence.observe(trim(cell), row as u64 + 1);
    }
    decide(&evidence, preference)
}

#[cfg(test)]
mod tests {
    use domain::Locale;

    use super::*;

    fn layout(text: &str) -> Layout {
        let records: Vec<Record> =
            text.lines().map(|line| line.split(',').map(|cell| cell.as_bytes().to_vec()).collect()).collect();
        find(&records, 20, Preference::of(&Locale::default()))
    }

    #[test]
    fn the_first_record_is_a_header_where_it_does_not_fit_the_column() {
        assert!(layout("id,name\n1,a\n2,b").has_header);
        assert!(layout("a,b\nx,y").has_header);
        assert!(!layout("6,test\n7,test").has_header);
        assert!(!layout("0.0\n10.5").has_header);
        assert!(layout("country,2019,2020\nFR,1,2\nDE,3,4").has_header);
        assert!(layout("a,b,c").has_header);
        assert!(!layout("1,2,3").has_header);
    }

    #[test]
    fn names_come_from_the_left() {
        assert_eq!(layout("id,x\n1,2,3\n4,5,6").names, ["id", "x", "column2"]);
        assert_eq!(layout("a,b,c,\n1,2,3\n4,5,6").names, ["a", "b", "c"]);
        assert_eq!(layout("1,2\n3,4").names, ["column0", "column1"]);
    }

    #[test]
    fn titles_stand_above_the_header() {
        let found = layout("exported by tool 7\n# comment\nx,y,z\n1,2,3\n4,5,6");
        assert_eq!((found.titles, found.has_header), (2, true));
    }
}
