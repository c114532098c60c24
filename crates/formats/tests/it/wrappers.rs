//! Detection and wrappers: names against content, gzip in all its states, bombs.

use std::io::{self, Read};

use domain::{Compression, ErrorCode, FileFormat};
use flyquery_formats::{Caps, Detected, detect, unpacked};

use crate::desk::{bzip2, gzip, read};

fn code(bytes: &[u8], name: &str) -> ErrorCode {
    read(bytes, name).err().expect("a refusal").code
}

#[test]
fn contradictions_are_refused_naming_both() {
    for (bytes, name, both) in [
        (&b"PAR1\x15\x04\x15\x00\x15\x02\x00\x00"[..], "a.csv", ["csv", "parquet"]),
        (b"a,b\n1,2\n", "a.parquet", ["parquet", "text"]),
        (b"a,b\n1,2\n", "a.csv.gz", ["gz", "text"]),
        (&gzip(b"a,b\n"), "a.csv", ["csv", "gz"]),
        (&gzip(b"PAR1\x15\x04\x15\x00\x15\x02\x00\x00"), "a.csv.gz", ["csv", "parquet"]),
        (b"PK\x03\x04\x14\x00\x00\x00\x00\x00\x00\x00", "a.csv", ["csv", "zip"]),
        (b"<!DOCTYPE html>\n<html><body>Not found</body></html>\n", "export.csv", ["csv", "HTML"]),
        (b"%PDF-1.7\n%\xe2\xe3\n", "report.csv", ["csv", "PDF"]),
        (
            &[0x93, 0x01, 0x00, 0x02, 0x00, 0x00, 0x07, 0x1b, 0x99, 0x00, 0x00, 0x00, 0x05].repeat(9),
            "junk.csv",
            ["csv", "binary"],
        ),
    ] {
        let failure = detect(bytes, name, None).expect_err(name);
        assert_eq!(failure.code, ErrorCode::FormatMismatch, "{name}: {failure}");
        assert!(both.iter().all(|word| failure.detail.contains(word)), "{failure}");
    }
}

#[test]
fn a_declared_format_replaces_the_extension() {
    let detected = detect(b"a\tb\n1\t2\n", "data.txt", Some(FileFormat::Tsv)).expect("declared");
    assert_eq!(detected, Detected { format: FileFormat::Tsv, compression: Compression::None });
    assert_eq!(detect(b"a,b\n", "data", None).expect_err("unknown").code, ErrorCode::UnsupportedFormat);
    assert_eq!(detect(b"", "data.csv", None).expect_err("empty").code, ErrorCode::EmptyFile);
    let detected = detect(b"[{\"a\": 1}]", "data", None).expect("JSON by content");
    assert_eq!(detected.format, FileFormat::Json);
}

#[test]
fn known_formats_without_a_reader_say_so() {
    for (bytes, name) in [
        (&b"PK\x03\x04\x14\x00\x00\x00\x00\x00\x00\x00"[..], "a.xlsx"),
        (b"Obj\x01\x04\x16avro.schema\x02{}", "a.avro"),
        // Text enough to be a text, but named and marked as what it is.
        (b"ORC plainly readable words and more of them", "a.orc"),
        (&gzip(&gzip(b"a,b\n")), "a.csv.gz"),
        (&bzip2(&gzip(b"a,b\n")), "a.csv.bz2"),
    ] {
        assert_eq!(code(bytes, name), ErrorCode::UnsupportedFormat, "{name}");
    }
}

#[test]
fn words_that_open_other_formats_may_open_a_text() {
    let table = read(b"ORC,count\nUruk,5\n", "tribes.csv").expect("text");
    assert_eq!(table.names(), ["ORC", "count"]);
}

#[test]
fn gzip_members_follow_each_other() {
    let bytes = [gzip(b"a,b\n1,"), gzip(b""), gzip(b"2\n3,4\n"), vec![0; 700]].concat();
    let table = read(&bytes, "a.csv.gz").expect("readable");
    assert_eq!(table.column("b"), [Some("2".to_owned()), Some("4".to_owned())]);
}

#[test]
fn broken_gzip_is_the_files_fault() {
    let whole = gzip("a,b\n1,2\n".repeat(50_000).as_bytes());
    for cut in [whole.len() / 2, whole.len() - 3, 12] {
        let failure = read(&whole[..cut], "a.csv.gz").err().expect("a refusal");
        assert_eq!(failure.code, ErrorCode::ParseError, "{failure}");
        assert!(failure.detail.contains("ends in the middle"), "{failure}");
    }
    let mut garbage = whole.clone();
    garbage.extend_from_slice(b"garbage");
    assert!(read(&garbage, "a.csv.gz").err().expect("a refusal").detail.contains("follow its last member"));
    let mut flipped = whole;
    let at = flipped.len() - 6;
    flipped[at] ^= 0xff;
    assert_eq!(code(&flipped, "a.csv.gz"), ErrorCode::ParseError);
}

fn inflate(packed: Vec<u8>, caps: Caps) -> io::Result<u64> {
    let raw = Box::new(io::Cursor::new(packed));
    let (mut reader, _) = unpacked(raw, Compression::Gz, caps).expect("an unpacker");
    let mut block = vec![0; 64 << 10];
    let mut total = 0;
    loop {
        match reader.read(&mut block)? {
            0 => return Ok(total),
            n => total += n as u64,
        }
    }
}

#[test]
fn bombs_are_refused_while_inflating() {
    let packed = gzip(&vec![0; 8 << 20]);
    let caps = Caps { bytes: 1 << 30, ratio: 10_000, ratio_floor: 0 };
    assert_eq!(inflate(packed.clone(), caps).expect("within the caps"), 8 << 20);
    for caps in [Caps { bytes: 1 << 20, ..caps }, Caps { ratio: 50, ratio_floor: 1 << 20, ..caps }] {
        let error = inflate(packed.clone(), caps).expect_err("a bomb");
        let failure = error.downcast::<domain::Failure>().expect("a failure inside");
        assert_eq!(failure.code, ErrorCode::ZipBomb);
    }
    // Many members do not hide the sum.
    let many = gzip(&vec![0; 1 << 20]).repeat(8);
    assert!(inflate(many, Caps { bytes: 4 << 20, ..caps }).is_err());
}

#[test]
fn bzip2_streams_follow_each_other_and_break_like_gzip() {
    let bytes = [bzip2(b"a,b\n1,"), bzip2(b"2\n3,4\n")].concat();
    let table = read(&bytes, "a.csv.bz2").expect("readable");
    assert_eq!(table.column("b"), [Some("2".to_owned()), Some("4".to_owned())]);
    let whole = bzip2("a,b\n1,2\n".repeat(50_000).as_bytes());
    for cut in [whole.len() / 2, whole.len() - 3, 20] {
        let failure = read(&whole[..cut], "a.csv.bz2").err().expect("a refusal");
        assert_eq!(failure.code, ErrorCode::ParseError, "{failure}");
        assert!(failure.detail.contains("bzip2"), "{failure}");
    }
    assert_eq!(code(&[&whole[..], b"garbage"].concat(), "a.csv.bz2"), ErrorCode::ParseError);
    let raw = Box::new(io::Cursor::new(bzip2(&vec![0; 8 << 20])));
    let caps = Caps { bytes: 1 << 20, ratio: u64::MAX, ratio_floor: 0 };
    let (mut reader, _) = unpacked(raw, Compression::Bz2, caps).expect("an unpacker");
    let failure = reader.read_to_end(&mut Vec::new()).expect_err("a bomb").downcast::<domain::Failure>();
    assert_eq!(failure.expect("a failure inside").code, ErrorCode::ZipBomb);
}
