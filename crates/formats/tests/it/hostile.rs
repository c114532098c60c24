//! Hostile input: every bound answers with a code that names the place, and memory stays bounded.

use std::io::{self, Read};

use domain::{ErrorCode, limits};
use flyquery_formats::{ReadOptions, Source};

use crate::desk::{csv, read, read_source};

/// A prefix, then one byte without end (up to a length).
struct Endless {
    prefix: &'static [u8],
    byte: u8,
    len: u64,
}

impl Source for Endless {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(self.prefix.chain(io::repeat(self.byte).take(self.len))))
    }

    fn len(&self) -> Option<u64> {
        None
    }
}

fn refused(source: &dyn Source) -> String {
    let failure = read_source(source, "a.csv", &ReadOptions::default()).err().expect("a refusal");
    assert_eq!(failure.code, ErrorCode::LimitExceeded, "{failure}");
    failure.detail
}

#[test]
fn a_quote_that_never_closes_is_refused_at_the_bound_of_a_cell() {
    let head = refused(&Endless { prefix: b"a,b\n1,\"", byte: b'x', len: 100 << 20 });
    assert!(head.contains("column"), "{head}");
    let late: &'static [u8] =
        Vec::leak(["a,b\n".to_owned(), "1,x\n".repeat(400_000), "7,\"".to_owned()].concat().into_bytes());
    let detail = refused(&Endless { prefix: late, byte: b'x', len: 100 << 20 });
    assert!(detail.contains("row 400001, column 2"), "{detail}");
}

#[test]
fn a_record_without_end_is_refused() {
    let detail = refused(&Endless { prefix: b"a\n", byte: b'x', len: 200 << 20 });
    assert!(detail.contains("bytes"), "{detail}");
    let detail = refused(&Endless { prefix: b"a,b\n", byte: b',', len: 200 << 20 });
    assert!(detail.contains("columns"), "{detail}");
}

#[test]
fn a_large_cell_within_bounds_is_kept() {
    let cell = "y".repeat(3 << 20);
    let table = csv(&format!("a,b\n1,x\n2,\"{cell}\"\n"));
    assert_eq!(table.cell(1, "b").map(|c| c.len()), Some(cell.len()));
}

#[test]
fn too_many_columns_are_refused_by_number() {
    let header: Vec<String> = (0..20_000).map(|i| format!("c{i}")).collect();
    let row = vec!["1"; 20_000].join(",");
    let failure = read(format!("{}\n{row}\n", header.join(",")).as_bytes(), "a.csv").err().expect("a refusal");
    assert_eq!(failure.code, ErrorCode::LimitExceeded);
    assert!(failure.detail.contains("20000") && failure.detail.contains("16384"), "{failure}");
    // One late row that wide in a narrow file.
    let late = format!("a,b\n{}{row}\n", "1,2\n".repeat(400_000));
    assert_eq!(read(late.as_bytes(), "a.csv").err().expect("a refusal").code, ErrorCode::LimitExceeded);
}

#[test]
fn as_many_columns_as_allowed_are_written() {
    let header: Vec<String> = (0..limits::COLUMNS).map(|i| format!("c{i}")).collect();
    let row = vec!["1"; limits::COLUMNS].join(",");
    let table = csv(&format!("{}\n{}", header.join(","), format!("{row}\n").repeat(20)));
    assert_eq!((table.section.rows, table.names().len()), (20, limits::COLUMNS));
    assert_eq!(table.cell(19, "c16383").as_deref(), Some("1"));
}

#[test]
fn nuls_and_controls_are_kept_in_text() {
    let rows = "1,plain text here\n".repeat(200);
    let table = csv(&format!("a,b\n{rows}1,x\0y\n"));
    assert_eq!(table.cell(200, "b").as_deref(), Some("x\0y"));
}

#[test]
fn lines_of_nothing_do_not_cost_memory() {
    let table = csv(&format!("a,b\n1,2\n{}3,4\n", "\n".repeat(5_000_000)));
    assert_eq!(table.section.rows, 2);
}
