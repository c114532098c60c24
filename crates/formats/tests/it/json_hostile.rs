//! Hostile JSON: broken at every byte, nested without end, longer than any bound, and texts that no type can hold.

use std::io::{self, Read};

use domain::{ErrorCode, WarningCode};
use flyquery_formats::{ReadOptions, Source};

use crate::desk::{read, read_source};

fn refusal(bytes: &[u8], name: &str) -> domain::Failure {
    read(bytes, name).err().unwrap_or_else(|| panic!("{name} was read: {}", String::from_utf8_lossy(bytes)))
}

#[test]
fn a_document_cut_anywhere_is_refused_with_its_place() {
    let text = r#"{"rows": [{"a": "x\u00e9", "b": [1, -2.5e3, true, null]}, {"a": null}]}"#;
    for cut in 1..text.len() {
        let failure = refusal(&text.as_bytes()[..cut], "a.json");
        assert_eq!(failure.code, ErrorCode::ParseError, "{cut}: {failure}");
        assert!(failure.detail.contains("line 1, byte"), "{failure}");
    }
    let text = "[{\"a\": 1},\n {\"a\": 2]";
    assert!(
        refusal(text.as_bytes(), "a.json").detail.contains("line 2, byte 9"),
        "{}",
        refusal(text.as_bytes(), "a.json")
    );
}

#[test]
fn what_is_not_json_is_refused() {
    for text in [
        "[1,]",
        "[,1]",
        "[1 2]",
        "{\"a\" 1}",
        "{\"a\": }",
        "{a: 1}",
        "{'a': 1}",
        "[01]",
        "[+1]",
        "[.5]",
        "[1.]",
        "[1e]",
        "[NaN]",
        "[Infinity]",
        "[tru]",
        "[\"some text before and more of it, so that it is text\", \"\u{1}\"]",
        "[\"a\nb\"]",
        "[\"\\x\"]",
        "[\"\\u12g4\"]",
        "[1]x",
        "[1][2]",
        "{\"a\": 1} \"x\"",
        "{\"a\": 1},",
        "[1}",
        "{\"a\": 1]",
        "// no\n[1]",
        "[\"some text before\", \"and more of it, so that it is text\", \0 1]",
        "{\"a\": [1, 2}",
        "nul",
        "-",
        "{\"rows\": [{\"a\": 1},]}",
        "{\"rows\": [{}], }",
        "\"abc",
    ] {
        let failure = refusal(text.as_bytes(), "a.json");
        assert_eq!(failure.code, ErrorCode::ParseError, "{text}: {failure}");
    }
    for blank in ["  \n ", "\u{feff}"] {
        assert_eq!(refusal(blank.as_bytes(), "a.json").code, ErrorCode::EmptyFile);
        assert_eq!(refusal(blank.as_bytes(), "a.jsonl").code, ErrorCode::EmptyFile);
    }
}

#[test]
fn nesting_without_end_is_refused_and_deep_nesting_is_json() {
    for bomb in ["[".repeat(3_000_000), "{\"a\":".repeat(1_000_000), format!("[{{\"a\": {}", "[".repeat(100_000))] {
        let failure = refusal(bomb.as_bytes(), "a.json");
        assert_eq!(failure.code, ErrorCode::LimitExceeded, "{failure}");
        assert!(failure.detail.contains("512"), "{failure}");
    }
    let deep = format!("[{{\"a\": {}{}}}]", "[".repeat(400), "]".repeat(400));
    let table = read(deep.as_bytes(), "a.json").expect("within the bound");
    assert!(table.types()[0].starts_with("JSON[][]"), "{:?}", table.types());
    assert!(table.cell(0, "a").is_some_and(|cell| cell.matches('[').count() == 400));
}

/// A beginning, then one text again and again.
struct Endless(&'static str, &'static str, u64);

impl Source for Endless {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        let block = self.1.repeat(1 + 65_536 / self.1.len());
        let len = block.len() as u64;
        let blocks = (0..=self.2 / len).map(move |_| io::Cursor::new(block.clone().into_bytes()));
        let mut chain: Box<dyn Read + Send> = Box::new(self.0.as_bytes());
        chain = Box::new(chain.chain(Joined { blocks: Box::new(blocks), now: None }));
        Ok(chain)
    }

    fn len(&self) -> Option<u64> {
        None
    }
}

struct Joined {
    blocks: Box<dyn Iterator<Item = io::Cursor<Vec<u8>>> + Send>,
    now: Option<io::Cursor<Vec<u8>>>,
}

impl Read for Joined {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(block) = &mut self.now {
                let n = block.read(buf)?;
                if n > 0 {
                    return Ok(n);
                }
            }
            self.now = self.blocks.next();
            if self.now.is_none() {
                return Ok(0);
            }
        }
    }
}

#[test]
fn records_longer_than_the_bounds_are_refused() {
    for (source, name) in [
        (Endless("[{\"a\": \"", "x", 200 << 20), "a.json"),
        (Endless("{\"a\": \"", "x", 200 << 20), "a.jsonl"),
        (Endless("[[", "1,", 200 << 20), "a.json"),
        (Endless("{\"a\": 1, \"b\": \"", "x", 200 << 20), "a.json"),
    ] {
        let failure = read_source(&source, name, &ReadOptions::default()).err().expect("a refusal");
        assert_eq!(failure.code, ErrorCode::LimitExceeded, "{failure}");
    }
}

#[test]
fn too_many_keys_are_refused_by_number() {
    let record: Vec<String> = (0..20_000).map(|i| format!("\"k{i}\": 1")).collect();
    let failure = refusal(format!("[{{{}}}]", record.join(",")).as_bytes(), "a.json");
    assert_eq!(failure.code, ErrorCode::LimitExceeded);
    assert!(failure.detail.contains("16384"), "{failure}");
    let tables: Vec<String> = (0..2_000).map(|i| format!("\"t{i}\": [{{}}]")).collect();
    assert!(refusal(format!("{{{}}}", tables.join(",")).as_bytes(), "a.json").detail.contains("2000"));
    // As many in a nested object are a map.
    let table = read(format!("[{{\"m\": {{{}}}}}]", record.join(",")).as_bytes(), "a.json").expect("a map");
    assert_eq!(table.types(), ["JSON"]);
    // The same key again and again costs no column.
    let again = format!("[{{{}}}]", vec!["\"k\": 1"; 500_000].join(","));
    assert_eq!(read(again.as_bytes(), "a.json").expect("one key").names(), ["k"]);
}

#[test]
fn lone_surrogates_and_nuls_are_counted_or_kept() {
    let table = read(br#"[{"a": "x\ud800y"}, {"a": "n\u0000l"}]"#, "a.json").expect("readable");
    assert_eq!(table.cell(0, "a").as_deref(), Some("x\u{fffd}y"));
    assert_eq!(table.cell(1, "a").as_deref(), Some("n\0l"));
    assert_eq!(table.warning(WarningCode::EncodingReplaced).and_then(|w| w.rows), Some(1));
    // In JSON texts the escape stays what it is.
    let table = read(br#"[{"a": "\ud800"}, {"a": 1}]"#, "a.json").expect("readable");
    assert_eq!(table.cell(0, "a").as_deref(), Some("\"\\ud800\""));
    let broken = [&b"[{\"a\": \""[..], "é".repeat(50).as_bytes(), b"\xff\"}]"].concat();
    assert!(read(&broken, "a.json").expect("readable").warning(WarningCode::EncodingReplaced).is_some());
}
