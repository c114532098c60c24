//! JSON documents and lines: layouts, types by the whole file, nesting, what is kept and what is said.

use domain::WarningCode;
use flyquery_formats::ReadOptions;
use serde_json::json;

use crate::desk::{Bytes, Table, gzip, read, read_tables};

fn lines(text: &str) -> Table {
    read(text.as_bytes(), "input.jsonl").expect("readable lines")
}

fn document(text: &str) -> Table {
    read(text.as_bytes(), "input.json").expect("a readable document")
}

fn some(values: &[&str]) -> Vec<Option<String>> {
    values.iter().map(|v| Some((*v).to_owned())).collect()
}

#[test]
fn every_layout_gives_the_same_table() {
    let records = [r#"{"a": 1, "b": "x"}"#, r#"{"a": 2, "b": "y"}"#];
    for (text, name) in [
        (records.join("\n"), "a.jsonl"),
        (records.join("\r\n\r\n") + "\r\n", "a.ndjson"),
        (format!("[{}]", records.join(",")), "a.json"),
        (format!(" [\n{}\n]\n", records.join("\n,\n")), "a.json"),
        (records.concat(), "a.json"),
        (records.join("\n"), "a.json"),
        (format!("{{\"rows\": [{}]}}", records.join(", ")), "a.json"),
    ] {
        let plain = read(text.as_bytes(), name).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(plain.types(), ["BIGINT", "VARCHAR"], "{text}");
        assert_eq!(plain.column("a"), some(&["1", "2"]), "{text}");
        let marked = ["\u{feff}", &text].concat();
        assert_eq!(read(marked.as_bytes(), name).expect("with a mark").column("b"), some(&["x", "y"]));
        let wide: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(read(&wide, name).expect("UTF-16").column("b"), some(&["x", "y"]));
        let packed = read(&gzip(text.as_bytes()), &format!("{name}.gz")).expect("gzip");
        assert_eq!(packed.column("b"), some(&["x", "y"]));
    }
}

#[test]
fn each_list_of_a_document_is_a_table_and_the_rest_is_counted() {
    let text =
        r#"{"status": "ok", "users": [{"id": 1}, {"id": 2}], "page": 1, "tags": ["a"], "log ins": [{"u": 1.5}]}"#;
    let tables = read_tables(&Bytes(text.into()), "a.json", &ReadOptions::default()).expect("readable");
    let found: Vec<_> =
        tables.iter().map(|t| (t.section.name.as_str(), t.section.path.as_deref(), t.section.rows)).collect();
    assert_eq!(found, [("users", Some("users"), 2), ("tags", Some("tags"), 1), ("log_ins", Some("log ins"), 1)]);
    assert_eq!(tables[1].column("value"), some(&["a"]));
    assert_eq!(tables[0].warning(WarningCode::ValuesLeftOut).and_then(|w| w.rows), Some(2));
}

#[test]
fn one_record_stays_one_row() {
    let table = document(r#"{"name": "x", "tags": ["a", "b"], "size": {"w": 1, "h": 2.5}}"#);
    assert_eq!(table.section.rows, 1);
    assert_eq!(table.types(), ["VARCHAR", "VARCHAR[]", "STRUCT(\"w\" BIGINT, \"h\" DOUBLE)"]);
    assert_eq!(table.cell(0, "tags").as_deref(), Some("[a, b]"));
    assert_eq!(document("[1, 2, null]").column("value"), [Some("1".into()), Some("2".into()), None]);
    assert_eq!(document("{}").column("value"), some(&["{}"]));
    let empty = document("[]");
    assert_eq!((empty.section.rows, empty.names()), (0, vec!["value"]));
    assert!(empty.warning(WarningCode::HeaderOnly).is_some());
}

#[test]
fn paths_lead_to_tables_wherever_they_stand() {
    let text = r#"{"meta": {"n": 2}, "data": {"total": 2, "items": [{"a": 1}, {"a": 2}], "one.two": {"k": true}}}"#;
    let options = |rules| ReadOptions { extraction_rules: Some(rules), ..ReadOptions::default() };
    let rules = json!({"json_paths": ["data.items", ["data", "one.two"]]});
    let tables = read_tables(&Bytes(text.into()), "a.json", &options(rules)).expect("readable");
    assert_eq!(tables[0].column("a"), some(&["1", "2"]));
    assert_eq!((tables[0].section.path.as_deref(), tables[0].section.name.as_str()), (Some("data.items"), "items"));
    assert_eq!(tables[1].column("k"), some(&["true"]));
    for (rules, word) in [
        (json!({"json_paths": "data"}), "list of paths"),
        (json!({"json_paths": [1]}), "path 1"),
        (json!({"json_paths": ["data", "data.items"]}), "path 2"),
        (json!({"json_path": ["data"]}), "unknown key"),
        (json!(["data"]), "object"),
        (json!({"json_paths": ["data.nothing"]}), "data.nothing"),
    ] {
        let failure = read_tables(&Bytes(text.into()), "a.json", &options(rules)).err().expect("a refusal");
        assert!(failure.detail.contains(word), "{failure}");
    }
    for (text, name) in [("{\"a\": 1}\n", "a.jsonl"), ("a,b\n1,2\n", "a.csv")] {
        let rules = json!({"json_paths": ["data"]});
        let failure = read_tables(&Bytes(text.into()), name, &options(rules)).err().expect("a refusal");
        assert_eq!(failure.code, domain::ErrorCode::InvalidRequest);
    }
}

#[test]
fn numbers_keep_every_digit() {
    let column = |values: &[&str]| {
        let text = values.iter().map(|v| format!("{{\"n\": {v}}}")).collect::<Vec<_>>().join("\n");
        let table = lines(&text);
        (table.types()[0].clone(), table.column("n").into_iter().flatten().collect::<Vec<_>>())
    };
    for (values, sql, read) in [
        (&["1", "-9223372036854775808"][..], "BIGINT", &["1", "-9223372036854775808"][..]),
        (&["1", "18446744073709551615"], "UBIGINT", &["1", "18446744073709551615"]),
        (&["-1", "18446744073709551615"], "DECIMAL(38,0)", &["-1", "18446744073709551615"]),
        (&["1", "1e3", "-2.5E-1", "7E2"], "DOUBLE", &["1.0", "1000.0", "-0.25", "700.0"]),
        (&["0.1234567890123456789"], "DECIMAL(38,19)", &["0.1234567890123456789"]),
        (&["1e400", "2"], "VARCHAR", &["1e400", "2"]),
        (&["-0"], "DOUBLE", &["-0.0"]),
    ] {
        assert_eq!(column(values), (sql.to_owned(), read.iter().map(|v| (*v).to_owned()).collect()), "{values:?}");
    }
}

#[test]
fn strings_are_texts_unless_all_are_moments() {
    let table = lines(
        "{\"n\": \"30\", \"d\": \"2024-02-01\", \"t\": \"2024-02-01T10:00:00Z\", \"x\": \"2024-02-01\", \"e\": \"\"}\n\
         {\"n\": \"NA\", \"d\": null, \"t\": \"2024-02-01T12:00:00+02:00\", \"x\": \"soon\", \"e\": \" \"}\n",
    );
    assert_eq!(table.types(), ["VARCHAR", "DATE", "TIMESTAMP WITH TIME ZONE", "VARCHAR", "VARCHAR"]);
    assert_eq!(table.column("n"), some(&["30", "NA"]));
    assert_eq!(table.column("e"), some(&["", " "]));
    assert_eq!(table.cell(0, "t"), table.cell(1, "t"));
}

#[test]
fn kinds_that_mix_are_json_texts() {
    let table =
        document(r#"[{"a": 1, "b": [1, "x"], "c": {"k": 1}}, {"a": "1", "b": [], "c": [ 2 , "y z" ]}, {"a": null}]"#);
    assert_eq!(table.types(), ["JSON", "JSON[]", "JSON"]);
    assert_eq!(table.column("a"), [Some("1".into()), Some("\"1\"".into()), None]);
    assert_eq!(table.column("c"), [Some("{\"k\":1}".into()), Some("[2,\"y z\"]".into()), None]);
    let warned = table.section.warnings.iter().filter(|w| w.code == WarningCode::KeptAsText);
    assert_eq!(warned.filter_map(|w| w.column.as_deref()).collect::<Vec<_>>(), ["a", "b[]", "c"]);
}

#[test]
fn nested_records_are_structs_and_lists_whose_late_fields_count() {
    let mut text = "{\"g\": {\"lat\": 1}, \"l\": [{\"q\": 1}]}\n".repeat(40_000);
    text.push_str("{\"g\": {\"lat\": 1.5, \"deep\": {\"k\": [true]}}, \"l\": [{\"q\": 2, \"r\": \"x\"}, null]}\n{\"g\": null}\n{}\n");
    let table = lines(&text);
    assert_eq!(table.passes, [1, 2]);
    assert_eq!(
        table.types(),
        ["STRUCT(\"lat\" DOUBLE, \"deep\" STRUCT(\"k\" BOOLEAN[]))", "STRUCT(\"q\" BIGINT, \"r\" VARCHAR)[]"]
    );
    assert_eq!(table.cell(40_000, "g").as_deref(), Some("{lat: 1.5, deep: {k: [true]}}"));
    assert_eq!(table.cell(40_000, "l").as_deref(), Some("[{q: 2, r: x}, ]"));
    assert_eq!(table.cell(39_999, "l").as_deref(), Some("[{q: 1, r: }]"));
    assert_eq!((table.cell(40_001, "g"), table.cell(40_002, "l")), (None, None));
}

#[test]
fn what_the_sample_proposed_is_read_once_when_it_holds() {
    let text = "{\"a\": 1, \"b\": \"x\", \"c\": 2.5, \"d\": \"2024-01-31\", \"e\": [1, 2]}\n".repeat(50_000);
    let table = lines(&text);
    assert_eq!((table.passes.as_slice(), table.section.rows), ([1].as_slice(), 50_000));
    // A late type in one table of a document makes only that one be read again.
    let text = format!("{{\"a\": [{}true], \"b\": [{{\"x\": 1}}]}}", "1, ".repeat(600_000));
    let tables = read_tables(&Bytes(text.into()), "a.json", &ReadOptions::default()).expect("readable");
    assert_eq!((tables[0].section.pass, tables[1].section.pass), (2, 1));
    assert_eq!((tables[0].types(), tables[0].section.rows), (vec!["JSON".to_owned()], 600_001));
}

#[test]
fn objects_with_little_in_common_are_json() {
    let text: Vec<_> = (0..600).map(|i| format!("{{\"id\": {i}, \"by_id\": {{\"k{i}\": {i}}}}}")).collect();
    let table = lines(&text.join("\n"));
    assert_eq!(table.types(), ["BIGINT", "JSON"]);
    assert_eq!(table.cell(599, "by_id").as_deref(), Some("{\"k599\":599}"));
}

#[test]
fn keys_become_usable_names() {
    let table = document(r#"[{"": 1, " a ": 2, "a": 3, "A": 4, "\u0041\n": 5}]"#);
    assert_eq!(table.names(), ["column0", "a", "a_2", "A", "A_2"]);
    assert!(table.warning(WarningCode::NamesChanged).is_some());
}

#[test]
fn a_key_that_stands_twice_keeps_its_last_value_and_is_counted() {
    let table = lines("{\"id\": 1}\n{\"id\": 3, \"id\": 42, \"n\": \"x\"}\n");
    assert_eq!(table.column("id"), some(&["1", "42"]));
    let warning = table.warning(WarningCode::DuplicateKeys).expect("a warning");
    assert_eq!(warning.rows, Some(1));
    assert!(warning.message.contains("row 2"), "{}", warning.message);
}

#[test]
fn a_few_bad_lines_are_counted_and_many_refuse_the_file() {
    let text = ["{\"a\": 1}\n".repeat(300), "{\"a\": oops\n".into(), "{\"a\": 2}\n{\"a\": 3".into()].concat();
    let table = lines(&text);
    assert_eq!(table.section.rows, 301);
    let warning = table.warning(WarningCode::BadLines).expect("a warning");
    assert_eq!(warning.rows, Some(2));
    assert!(warning.message.contains("lines 301, 303"), "{}", warning.message);
    let failure = read(b"{\"a\": 1}\n{\"a\": \"secret\" oops}\n{\"a\": 3}\n", "a.jsonl").err().expect("a refusal");
    assert!(failure.detail.contains("line 2") && !failure.detail.contains("secret"), "{failure}");
}
