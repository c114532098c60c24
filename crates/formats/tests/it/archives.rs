//! Zip archives: one file in every way it can be packed, and every way in which an archive lies.

use std::io::{self, Read, Write};

use domain::{Compression, ErrorCode};
use flyquery_formats::{Caps, detect, unpacked};

use crate::desk::{gzip, read};

/// A file to be packed, and what its headers shall say.
struct Packed<'a> {
    name: &'a str,
    content: &'a [u8],
    method: u16,
    flags: u16,
    /// Whether sizes stand behind the content only.
    streamed: bool,
    /// Added to the size that the directory says.
    lie: u32,
    wide: bool,
}

fn deflated<'a>(name: &'a str, content: &'a [u8]) -> Packed<'a> {
    Packed { name, content, method: 8, flags: 0, streamed: false, lie: 0, wide: false }
}

fn le(values: &[(u64, usize)]) -> Vec<u8> {
    values.iter().flat_map(|(value, n)| value.to_le_bytes()[..*n].to_vec()).collect()
}

fn zip(files: &[Packed<'_>], comment: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    for file in files {
        let mut crc = flate2::Crc::new();
        crc.update(file.content);
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(file.content).expect("memory");
        let deflated = encoder.finish().expect("memory");
        let body = if file.method == 8 { &deflated[..] } else { file.content };
        let (crc, packed, size) = (u64::from(crc.sum()), body.len() as u64, file.content.len() as u64);
        let (at, name) = (out.len() as u64, file.name.len() as u64);
        let flags = u64::from(file.flags) | if file.streamed { 8 } else { 0 };
        let method = u64::from(file.method);
        let told = if file.streamed { (0, 0, 0) } else { (crc, packed, size) };
        out.extend(b"PK\x03\x04");
        out.extend(le(&[
            (20, 2),
            (flags, 2),
            (method, 2),
            (0, 4),
            (told.0, 4),
            (told.1, 4),
            (told.2, 4),
            (name, 2),
            (0, 2),
        ]));
        out.extend(file.name.as_bytes());
        out.extend(body);
        if file.streamed {
            out.extend(b"PK\x07\x08");
            out.extend(le(&[(crc, 4), (packed, 4), (size, 4)]));
        }
        let size = size + u64::from(file.lie);
        let narrow = if file.wide { [0xffff_ffff; 3] } else { [packed, size, at] };
        let extra = if file.wide { le(&[(1, 2), (24, 2), (size, 8), (packed, 8), (at, 8)]) } else { Vec::new() };
        directory.extend(b"PK\x01\x02");
        directory.extend(le(&[
            (20, 2),
            (20, 2),
            (flags, 2),
            (method, 2),
            (0, 4),
            (crc, 4),
            (narrow[0], 4),
            (narrow[1], 4),
        ]));
        directory.extend(le(&[(name, 2), (extra.len() as u64, 2), (0, 2), (0, 2), (0, 2), (0, 4), (narrow[2], 4)]));
        directory.extend(file.name.as_bytes());
        directory.extend(extra);
    }
    let (start, n) = (out.len() as u64, files.len() as u64);
    out.extend(&directory);
    out.extend(b"PK\x05\x06");
    out.extend(le(&[
        (0, 2),
        (0, 2),
        (n, 2),
        (n, 2),
        (directory.len() as u64, 4),
        (start, 4),
        (comment.len() as u64, 2),
    ]));
    out.extend(comment.as_bytes());
    out
}

const CSV: &[u8] = b"a,b\n1,x\n2,y\n";

fn code(bytes: &[u8]) -> ErrorCode {
    read(bytes, "a.csv.zip").err().expect("a refusal").code
}

#[test]
fn the_one_file_is_read_however_it_is_packed() {
    for file in [
        deflated("a.csv", CSV),
        Packed { method: 0, ..deflated("a.csv", CSV) },
        Packed { streamed: true, ..deflated("a.csv", CSV) },
        Packed { streamed: true, method: 0, ..deflated("a.csv", CSV) },
        Packed { wide: true, ..deflated("a.csv", CSV) },
        // The name of the file is a name, never a place.
        deflated("../../etc/a.csv", CSV),
        deflated("C:\\temp\\a.csv", CSV),
    ] {
        for comment in ["", "made by hand PK\u{5}\u{6}"] {
            let bytes = zip(&[Packed { ..file }], comment);
            let table = read(&bytes, "a.csv.zip").unwrap_or_else(|e| panic!("{}: {e}", file.name));
            assert_eq!(table.column("b"), [Some("x".to_owned()), Some("y".to_owned())]);
        }
    }
}

#[test]
fn the_name_inside_tells_what_the_archives_name_does_not() {
    let table = read(&zip(&[deflated("a.jsonl", b"{\"k\": 7}\n")], ""), "export.zip").expect("readable");
    assert_eq!(table.column("k"), [Some("7".to_owned())]);
    let failure = detect(&zip(&[deflated("a.bin", &[0, 1, 2, 3])], ""), "export.zip", None).expect_err("unknown");
    assert_eq!(failure.code, ErrorCode::UnsupportedFormat);
    let failure = detect(&zip(&[deflated("a.csv", b"%PDF-1.7\n")], ""), "a.csv.zip", None).expect_err("a PDF");
    assert_eq!(failure.code, ErrorCode::FormatMismatch);
    let nested = gzip(CSV);
    let failure = detect(&zip(&[deflated("a.csv", &nested)], ""), "a.csv.zip", None).expect_err("nested");
    assert_eq!(failure.code, ErrorCode::UnsupportedFormat);
}

#[test]
fn folders_and_forks_do_not_count_as_files_but_others_do() {
    let extra = [deflated("data/", b""), deflated("data/a.csv", CSV), deflated("__MACOSX/data/._a.csv", b"fork")];
    assert_eq!(read(&zip(&extra, ""), "a.csv.zip").expect("readable").section.rows, 2);
    assert_eq!(read(&zip(&extra, ""), "export.zip").expect("readable").section.rows, 2);
    let failure = read(&zip(&[deflated("a.csv", CSV), deflated("b.csv", CSV)], ""), "a.csv.zip").err().expect("two");
    assert_eq!(failure.code, ErrorCode::ZipMultiEntry);
    assert!(failure.detail.contains("2 files"), "{failure}");
    assert_eq!(code(&zip(&[deflated("data/", b"")], "")), ErrorCode::ZipMultiEntry);
    assert_eq!(code(&zip(&[], "")), ErrorCode::ZipMultiEntry);
    let many: Vec<_> = (0..5_000).map(|_| deflated("a.csv", CSV)).collect();
    assert_eq!(code(&zip(&many, "")), ErrorCode::ZipMultiEntry);
}

#[test]
fn encrypted_and_unknown_methods_say_so() {
    for file in [Packed { flags: 1, ..deflated("a.csv", CSV) }, Packed { method: 14, ..deflated("a.csv", CSV) }] {
        let failure = read(&zip(&[file], ""), "a.csv.zip").err().expect("a refusal");
        assert_eq!(failure.code, ErrorCode::UnsupportedFormat);
        assert!(failure.detail.contains("encrypted") || failure.detail.contains("method 14"), "{failure}");
    }
}

#[test]
fn archives_that_lie_or_are_cut_are_the_files_fault() {
    assert_eq!(code(&zip(&[Packed { lie: 1, ..deflated("a.csv", CSV) }], "")), ErrorCode::ParseError);
    let whole = zip(&[deflated("a.csv", CSV)], "");
    for cut in 30..whole.len() {
        assert_eq!(code(&whole[..cut]), ErrorCode::ParseError, "cut at {cut}");
    }
    // A wrong byte anywhere is found or harmless, never a crash.
    for at in 4..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 0xff;
        if let Err(failure) = read(&flipped, "a.csv.zip") {
            assert!(failure.code.class() == domain::FailureClass::Rejected, "{at}: {failure}");
        }
    }
}

#[test]
fn bombs_are_refused_by_what_they_say_and_by_what_they_do() {
    let zeros = vec![0; 8 << 20];
    let inflate = |bytes: Vec<u8>, caps| -> io::Result<u64> {
        let (mut reader, _) =
            unpacked(Box::new(io::Cursor::new(bytes)), Compression::Zip, caps).map_err(io::Error::other)?;
        io::copy(&mut reader, &mut io::sink())
    };
    let bomb = zip(&[deflated("a.csv", &zeros)], "");
    let caps = Caps { bytes: 1 << 30, ratio: 10_000, ratio_floor: 0 };
    assert_eq!(inflate(bomb.clone(), caps).expect("within the caps"), 8 << 20);
    for caps in [Caps { bytes: 1 << 20, ..caps }, Caps { ratio: 50, ratio_floor: 1 << 20, ..caps }] {
        let failure =
            inflate(bomb.clone(), caps).expect_err("a bomb").downcast::<domain::Failure>().expect("a failure");
        assert_eq!(failure.code, ErrorCode::ZipBomb);
    }
    let mut reader = unpacked(Box::new(io::Cursor::new(bomb)), Compression::Zip, caps).expect("an archive").0;
    assert_eq!(reader.read(&mut []).expect("nothing"), 0);
}
