//! Types by the whole file: whatever the head proposes, the last row decides, and a second pass is enough.

use std::io::{self, Read, Write};

use domain::WarningCode;
use flyquery_formats::{ReadOptions, Source};

use crate::desk::{Table, csv, read, read_source};

/// A file that is made while it is read: a header, many equal lines, a last line.
struct Made {
    head: &'static str,
    line: &'static str,
    lines: u64,
    last: &'static str,
    gzip: bool,
}

struct Maker {
    pending: Vec<u8>,
    at: usize,
    block: Vec<u8>,
    block_lines: u64,
    line: &'static str,
    lines: u64,
    last: Option<&'static str>,
}

impl Read for Maker {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.at == self.pending.len() {
            self.at = 0;
            if self.lines >= self.block_lines {
                self.lines -= self.block_lines;
                self.pending.clone_from(&self.block);
            } else if self.lines > 0 {
                self.pending = self.line.repeat(usize::try_from(self.lines).expect("small")).into_bytes();
                self.lines = 0;
            } else {
                self.pending = self.last.take().unwrap_or_default().as_bytes().to_vec();
            }
        }
        let n = buf.len().min(self.pending.len() - self.at);
        buf[..n].copy_from_slice(&self.pending[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

impl Source for Made {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        let block_lines = 1000;
        let maker = Maker {
            pending: self.head.as_bytes().to_vec(),
            at: 0,
            block: self.line.repeat(1000).into_bytes(),
            block_lines,
            line: self.line,
            lines: self.lines,
            last: Some(self.last),
        };
        if self.gzip {
            return Ok(Box::new(flate2::read::GzEncoder::new(maker, flate2::Compression::fast())));
        }
        Ok(Box::new(maker))
    }

    fn len(&self) -> Option<u64> {
        None
    }
}

const ROWS: u64 = 3_000_000;

/// Every type is contradicted by the last of three million rows.
fn contradicted(gzip: bool) -> Table {
    let source = Made {
        head: "b,i,u,d,dec,day,order,time,stamp,zoned,code,empty\n",
        line: "true,1,18446744073709551615,0.5,1.0000000000000000001,2024-01-31,01/02/2024,10:00:00,\
               2024-01-31 10:00:00,2024-01-31T10:00:00Z,10000,\n",
        lines: ROWS - 1,
        last: "maybe,1.5,-1,0.1000000000000000055511151231257827,text,2024-13-01,01/31/2024,25:00:00,\
               2024-01-31,2024-01-31T10:00:00,00042,7\n",
        gzip,
    };
    read_source(
        &source,
        if gzip { "big.csv.gz" } else { "big.csv" },
        &ReadOptions { locale: domain::Locale::new("de-DE"), ..ReadOptions::default() },
    )
    .expect("a readable file")
}

fn check(table: &Table) {
    assert_eq!(table.section.rows, ROWS);
    assert_eq!(table.passes, [1, 2]);
    let expected = [
        ("b", "VARCHAR", "true", Some("maybe")),
        ("i", "DOUBLE", "1.0", Some("1.5")),
        ("u", "DECIMAL(38,0)", "18446744073709551615", Some("-1")),
        ("d", "DECIMAL(38,34)", "0.5000000000000000000000000000000000", Some("0.1000000000000000055511151231257827")),
        ("dec", "VARCHAR", "1.0000000000000000001", Some("text")),
        ("day", "VARCHAR", "2024-01-31", Some("2024-13-01")),
        ("order", "DATE", "2024-01-02", Some("2024-01-31")),
        ("time", "VARCHAR", "10:00:00", Some("25:00:00")),
        ("stamp", "VARCHAR", "2024-01-31 10:00:00", Some("2024-01-31")),
        ("zoned", "VARCHAR", "2024-01-31T10:00:00Z", Some("2024-01-31T10:00:00")),
        ("code", "VARCHAR", "10000", Some("00042")),
    ];
    let last = usize::try_from(ROWS - 1).expect("fits");
    for ((name, sql_type, first, end), got) in expected.iter().zip(table.types()) {
        assert_eq!(&got, sql_type, "{name}");
        for row in [0, 20_000, last - 1] {
            assert_eq!(table.cell(row, name).as_deref(), Some(*first), "{name} in row {row}");
        }
        assert_eq!(table.cell(last, name).as_deref(), *end, "{name}");
    }
    assert_eq!(table.types()[11], "BIGINT");
    assert_eq!(table.cell(0, "empty"), None);
    assert_eq!(table.cell(last, "empty").as_deref(), Some("7"));
    let kept: Vec<_> = table.section.warnings.iter().filter(|w| w.code == WarningCode::KeptAsText).collect();
    assert_eq!(kept.len(), 7, "{kept:?}");
    assert!(kept.iter().all(|w| !w.message.contains("maybe") && !w.message.contains("00042")));
}

#[test]
fn the_last_of_three_million_rows_decides() {
    check(&contradicted(false));
}

#[test]
fn the_last_of_three_million_rows_decides_in_gzip() {
    check(&contradicted(true));
}

#[test]
fn one_pass_is_enough_where_the_head_was_right() {
    let table = csv("a,b\n1,x\n2,y\n");
    assert_eq!(table.passes, [1]);
    assert_eq!(table.types(), ["BIGINT", "VARCHAR"]);
}

#[test]
fn the_sample_changes_nothing_but_the_number_of_passes() {
    let cells = [
        "7",
        "-3",
        "1.5",
        "1,234",
        "1.234",
        "1.234,5",
        "9223372036854775808",
        "007",
        "NA",
        "",
        "true",
        "2024-01-02",
        "01/02/2024",
        "13/02/2024",
        "2024-01-02 03:04:05",
        "10:11",
        "x",
        "1e-3",
        "0.30000000000000004",
        "12E12",
        " 5 ",
    ];
    for (i, a) in cells.iter().enumerate() {
        for b in cells.iter().skip(i) {
            let text = format!("h,n\n\"{a}\",0\n\"{b}\",0\n");
            let swapped = format!("h,n\n\"{b}\",0\n\"{a}\",0\n");
            let mut types = Vec::new();
            for file in [&text, &swapped] {
                for sample in [1, 2] {
                    let options = ReadOptions { infer_sample_rows: sample, ..ReadOptions::default() };
                    let source = crate::desk::Bytes(file.clone().into_bytes());
                    types.push(read_source(&source, "a.csv", &options).expect("readable").types()[0].clone());
                }
            }
            types.dedup();
            assert_eq!(types.len(), 1, "{a:?} and {b:?}: {types:?}");
        }
    }
}

#[test]
fn a_late_longer_row_becomes_a_column() {
    let mut text = "a,b\n".to_owned() + &"1,2\n".repeat(100_000);
    text.push_str("1,2,late\n1,2\n");
    let table = csv(&text);
    assert_eq!(table.names(), ["a", "b", "column2"]);
    assert_eq!(table.passes, [1, 2]);
    assert_eq!(table.cell(100_000, "column2").as_deref(), Some("late"));
    assert_eq!(table.cell(100_001, "column2"), None);
}

#[test]
fn late_bytes_of_another_encoding_are_read_in_it() {
    let mut bytes = b"id,name\n".to_vec();
    for i in 0..200_000 {
        writeln!(bytes, "{i},plain").expect("memory");
    }
    bytes.extend_from_slice(b"200000,caf\xe9 cr\xe8me br\xfbl\xe9e d\xe9j\xe0 vu\n");
    let table = read(&bytes, "late.csv").expect("readable");
    assert_eq!(table.cell(200_000, "name").as_deref(), Some("café crème brûlée déjà vu"));
    assert!(table.warning(WarningCode::EncodingGuessed).is_some());
    assert!(table.warning(WarningCode::EncodingReplaced).is_none());
}
