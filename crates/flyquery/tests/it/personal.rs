//! Personal data: found by form and by name, and never written where people did not ask for it.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::server::{Server, text};

const ROWS: usize = 40;

/// The value of a column in row `i`.
type Cell = fn(usize) -> String;

/// Every kind of personal data, with values that stand nowhere else: column, tag, value of row `i`.
fn personal() -> Vec<(&'static str, &'static str, Cell)> {
    vec![
        ("contact", "EMAIL", |i| format!("quilla{i}.vex@zorbin-mail.example")),
        ("mobile", "PHONE", |i| format!("+49 30 9018{:04}", 2110 + i)),
        ("ref_a", "SSN", |i| format!("219-47-{:04}", 6310 + i)),
        ("ref_b", "CREDIT_CARD", |i| card(i)),
        ("ref_c", "IBAN", |i| iban(i)),
        ("host", "IP_ADDRESS", |i| format!("203.0.113.{}", 17 + i)),
        ("host6", "IP_ADDRESS", |i| format!("2001:db8:77aa::{:x}:5e1f", 0x1a0 + i)),
        ("date_of_birth", "DOB", |i| format!("19{}-{:02}-{:02}", 41 + i % 50, 1 + i % 12, 3 + i % 25)),
        ("full_name", "NAME", |i| format!("Quorra{} Zelnick", "abcdefghij".chars().nth(i % 10).unwrap_or('z'))),
        ("badge", "CUSTOM:badge", |i| format!("EMP-{:06}", 771_200 + i)),
    ]
}

/// What looks like it and is not.
fn harmless() -> Vec<(&'static str, Cell)> {
    vec![
        ("bad_card", |i| {
            let good = card(i);
            let last = good.bytes().last().map_or(0, |b| (b - b'0' + 5) % 10);
            format!("{}{last}", &good[..15])
        }),
        ("bad_iban", |i| {
            let good = iban(i);
            format!("{}{:02}{}", &good[..2], (good[2..4].parse::<u32>().unwrap_or(0) + 1) % 98, &good[4..])
        }),
        ("zip", |i| format!("0{:04}", 1201 + i * 7)),
        ("version", |i| format!("1.{}.0.{}", i % 9, i)),
        ("shipped_on", |i| format!("2024-{:02}-{:02}", 1 + i % 12, 1 + i % 28)),
        ("sku", |i| format!("SKU-{i:04}-17")),
        ("clock", |i| format!("{:02}:{:02}:09", i % 24, i % 60)),
    ]
}

/// A sixteen-digit number that passes Luhn.
fn card(i: usize) -> String {
    let body = format!("4{:014}", 53_907_711_200_000_usize + i * 7_919);
    let sum: u32 = body
        .bytes()
        .rev()
        .enumerate()
        .map(|(at, b)| {
            let digit = u32::from(b - b'0') * if at % 2 == 0 { 2 } else { 1 };
            digit / 10 + digit % 10
        })
        .sum();
    format!("{body}{}", (10 - sum % 10) % 10)
}

/// A German IBAN that passes mod 97.
fn iban(i: usize) -> String {
    let account = format!("37040044{:010}", 77_120_000 + i * 13);
    // D = 13, E = 14, and two zeros for the check digits
    let rest = format!("{account}131400").bytes().fold(0, |rest, b| (rest * 10 + u32::from(b - b'0')) % 97);
    format!("DE{:02}{account}", 98 - rest)
}

fn file() -> Vec<u8> {
    let (personal, harmless) = (personal(), harmless());
    let names = personal.iter().map(|(name, ..)| *name).chain(harmless.iter().map(|(name, _)| *name));
    let mut csv = format!("id,{}\n", names.collect::<Vec<_>>().join(","));
    for i in 0..ROWS {
        let cells = personal.iter().map(|(_, _, value)| value(i)).chain(harmless.iter().map(|(_, value)| value(i)));
        let cells: Vec<String> = cells.collect();
        writeln!(csv, "{i},{}", cells.join(",")).expect("a string takes everything");
    }
    csv.into_bytes()
}

/// Every file below a folder but the originals and tables themselves, with its bytes.
fn written(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").map_while(Result::ok) {
        let path = entry.path();
        match path.is_dir() {
            true if entry.file_name() == "blobs" => {}
            true => found.extend(written(&path)),
            false => found.push((path.display().to_string(), std::fs::read(&path).expect("readable"))),
        }
    }
    found
}

fn holds(bytes: &[u8], value: &str) -> bool {
    bytes.windows(value.len()).any(|window| window == value.as_bytes())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_is_tagged_and_no_value_is_written_anywhere_under_redact() {
    let home = tempfile::tempdir().expect("a folder");
    let patterns = home.path().join("patterns.toml");
    std::fs::write(&patterns, "badge = '^EMP-\\d{6}$'\n").expect("written");
    let env =
        [("FLYQUERY_PII_REGEX_PATTERNS_PATH", patterns.to_str().expect("a name")), ("FLYQUERY_LOG_LEVEL", "debug")];
    let server = Server::start_with(&home.path().join("data"), &env).await;
    let dataset = server.dataset("d").await;
    let job = server.upload(&dataset, "people.csv", file()).await;
    let stream = server.http.get(format!("{}/api/v1/ingest-jobs/{job}/stream", server.url)).send().await;
    let frames = stream.expect("a stream").text().await.expect("it ends");
    let row = server.ended(&job).await;
    assert_eq!(row["status"], "SUCCEEDED", "{row}");
    let table = text(&row["result_json"]["tables"][0]["table_id"]);
    let objects = server.get(&format!("/api/v1/tables/{table}/objects?limit=100")).await;

    let tag = |name: &str| {
        let items = objects["items"].as_array().expect("items");
        let object = items.iter().find(|o| text(&o["qualified_name"]).ends_with(&format!(".{name}")));
        object.map_or(Value::Null, |o| o["pii_tag"].clone())
    };
    let tags: Vec<(&str, Value)> = personal().iter().map(|(name, ..)| (*name, tag(name))).collect();
    let right: Vec<(&str, Value)> = personal().iter().map(|(name, tag, _)| (*name, json!(tag))).collect();
    assert_eq!(tags, right);
    let tags: Vec<(&str, Value)> = harmless().iter().map(|(name, _)| (*name, tag(name))).collect();
    let right: Vec<(&str, Value)> = harmless().iter().map(|(name, _)| (*name, json!("NONE"))).collect();
    assert_eq!(tags, right, "no false ones");

    let events = json!(server.events(&job).await).to_string();
    let log = server.terminate_and_read_log().1.join("\n");
    assert!(log.contains("answered status=202"), "the log tells of the upload");
    let mut places = written(&home.path().join("data"));
    assert!(places.iter().any(|(name, bytes)| name.ends_with("flyquery.db") && holds(bytes, "shipped_on")));
    for (name, said) in [("stream", frames), ("row", row.to_string()), ("ledger", events), ("log", log)] {
        places.push((name.to_owned(), said.into_bytes()));
    }
    places.push(("objects".to_owned(), objects.to_string().into_bytes()));
    for (column, _, value) in personal() {
        for value in (0..ROWS).map(value) {
            let leaks: Vec<&str> =
                places.iter().filter(|(_, bytes)| holds(bytes, &value)).map(|(name, _)| name.as_str()).collect();
            assert_eq!(leaks, Vec::<&str>::new(), "{column} {value} was written");
        }
    }
}

#[test]
fn patterns_that_cannot_be_used_are_named_before_anything_starts() {
    let home = tempfile::tempdir().expect("a folder");
    let patterns = home.path().join("patterns.toml");
    for (content, said) in [
        ("badge = 'EMP-(\\d'\n", "the pattern of 'badge' can't be used"),
        ("badge = 7\n", "'badge' must be a regular expression in quotes"),
        ("badge\n", "TOML parse error"),
        ("'a b' = 'x'\n", "'a b' can't be a pattern's name"),
    ] {
        std::fs::write(&patterns, content).expect("written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_flyquery"));
        command.args(["serve", "--port", "0", "--data-dir"]).arg(home.path().join("data")).env_clear();
        let output = command.env("FLYQUERY_PII_REGEX_PATTERNS_PATH", &patterns).output().expect("it runs");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(said) && stderr.contains("FLYQUERY_PII_REGEX_PATTERNS_PATH"), "{stderr}");
    }
}
