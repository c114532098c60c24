//! From files to answers by the command line alone.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::cli::{Home, json, sample, text};

const SAMPLES: [&str; 3] = ["customers.csv", "orders.csv", "products.csv"];

fn ingest_samples(home: &Home) -> Value {
    let mut arguments = vec!["ingest".to_owned(), "--json".to_owned()];
    arguments.extend(SAMPLES.map(sample));
    json(&home.flyquery(&arguments).assert().success().get_output().stdout)
}

/// Rows of a sample, read without flyquery.
fn records(name: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(sample(name)).expect("a sample");
    reader.deserialize().map(|record| record.expect("a record")).collect()
}

#[test]
fn the_samples_become_tables_that_answer_a_join() {
    let home = Home::new();
    let document = ingest_samples(&home);
    let names: Vec<&str> =
        document["files"].as_array().expect("files").iter().filter_map(|f| f["tables"][0]["name"].as_str()).collect();
    assert_eq!(names, ["customers", "orders", "products"]);

    let category: BTreeMap<String, String> =
        records("products.csv").into_iter().map(|p| (p["sku"].clone(), p["category"].clone())).collect();
    let mut expected: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for order in records("orders.csv") {
        let sums = expected.entry(category[&order["product_sku"]].clone()).or_default();
        sums.0 += 1;
        sums.1 += order["quantity"].parse::<i64>().expect("a number");
    }
    let rows = home.rows(
        "select p.category, count(*) as orders, sum(o.quantity) as items from orders o \
         join products p on p.sku = o.product_sku group by p.category order by p.category",
    );
    let wanted: Value = expected
        .into_iter()
        .map(|(category, (orders, items))| json!({"category": category, "orders": orders, "items": items}))
        .collect();
    assert_eq!(rows, wanted);
}

#[test]
fn the_document_tells_types_profiles_and_personal_data() {
    let home = Home::new();
    let document = ingest_samples(&home);
    let customers = &document["files"][0]["tables"][0];
    let column = |name: &str| {
        let columns = customers["columns"].as_array().expect("columns");
        columns.iter().find(|column| column["name"] == name).unwrap_or_else(|| panic!("no column {name}")).clone()
    };
    assert_eq!(customers["n_rows"], 60);
    assert_eq!(column("id")["data_type"], "BIGINT");
    assert_eq!(column("postal_code")["data_type"], "VARCHAR", "leading zeros are kept");
    assert_eq!(column("birth_date")["data_type"], "DATE");
    assert_eq!(column("newsletter")["data_type"], "BOOLEAN");
    assert_eq!(column("email")["pii_tag"], "EMAIL");
    assert_eq!(column("email")["samples"], json!([]), "no samples of personal data");
    let emails: Vec<String> = records("customers.csv").into_iter().map(|c| c["email"].clone()).collect();
    assert!(
        emails.iter().filter(|email| !email.is_empty()).all(|email| !document.to_string().contains(email.as_str()))
    );
    let missing = records("customers.csv").iter().filter(|c| c["phone"].is_empty()).count();
    let fraction = column("phone")["profile"]["null_fraction"].as_f64().expect("profiled");
    assert!((fraction - missing as f64 / 60.0).abs() < 1e-9, "{fraction}");
}

#[test]
fn what_is_piped_is_clean_and_in_the_order_of_the_files() {
    let home = Home::new();
    let (first, second) = (home.file("b.csv", "x,y\n1,a\n2,b\n"), home.file("a.csv", "z\n2024-05-01\n"));
    let done = home.flyquery(&[std::path::Path::new("ingest"), &first, &second]).assert().success();
    let shown = text(&done.get_output().stdout);
    assert!(!shown.contains('\u{1b}'), "no colours without a terminal: {shown}");
    assert_eq!(text(&done.get_output().stderr), "", "no bars without a terminal");
    let place = |word: &str| shown.find(word).unwrap_or_else(|| panic!("{word} is missing in {shown}"));
    assert!(place("b.csv") < place("default.b  2 rows, 2 columns"), "{shown}");
    assert!(place("default.b ") < place("a.csv") && place("a.csv") < place("default.a "), "{shown}");
    assert!(shown.contains("flyquery sql \"select * from b limit 10\""), "{shown}");
}

#[test]
fn rows_come_as_table_json_or_csv() {
    let home = Home::new();
    let file = home.file("t.csv", "id,word,price\n1,\"a, b\",1.5\n2,,2.25\n");
    home.flyquery(&[std::path::Path::new("ingest"), &file]).assert().success();
    let query = "select * from t order by id";
    let csv = home.flyquery(&["sql", query, "--format", "csv"]).assert().success();
    assert_eq!(text(&csv.get_output().stdout), "id,word,price\r\n1,\"a, b\",1.5\r\n2,,2.25\r\n");
    let table = home.flyquery(&["sql", query]).assert().success();
    assert_eq!(text(&table.get_output().stdout), "id  word  price\n 1  a, b    1.5\n 2  NULL   2.25\n");
    assert_eq!(home.rows("select id, word from T where id = 2"), json!([{"id": 2, "word": null}]));
    let cut = home.flyquery(&["sql", query, "--max-rows", "1", "--format", "csv"]).assert().success();
    assert_eq!(text(&cut.get_output().stdout).lines().count(), 2);
    assert!(text(&cut.get_output().stderr).starts_with("warning: cut off after 1 row;"));
}

#[test]
fn a_wrong_statement_fails_with_its_reason_and_an_empty_output() {
    let home = Home::new();
    let file = home.file("t.csv", "id\n1\n");
    home.flyquery(&[std::path::Path::new("ingest"), &file]).assert().success();
    for statement in ["select nothing from t", "delete from t", "select"] {
        let failed = home.flyquery(&["sql", statement]).assert().code(1);
        assert_eq!(text(&failed.get_output().stdout), "", "{statement}");
        assert!(text(&failed.get_output().stderr).starts_with("error: "), "{statement}");
    }
    let missing = home.flyquery(&["sql", "select 1", "--dataset", "nowhere"]).assert().code(1);
    assert!(text(&missing.get_output().stderr).contains("resource_not_found"));
}

#[test]
fn a_rejected_file_does_not_keep_the_others_from_their_tables() {
    let home = Home::new();
    let (good, bad) = (home.file("good.csv", "a,b\n1,2\n"), home.file("bad.csv", ""));
    let done = home.flyquery(&[std::path::Path::new("ingest"), &bad, &good]).assert().code(1);
    let shown = text(&done.get_output().stdout);
    assert!(shown.starts_with("✗ ") && shown.contains("EMPTY_FILE") && shown.contains("default.good"), "{shown}");
    assert_eq!(home.rows("select b from good"), json!([{"b": 2}]));
    let document =
        home.flyquery(&[std::path::Path::new("ingest"), std::path::Path::new("--json"), &bad]).assert().code(1);
    let document = json(&document.get_output().stdout);
    assert_eq!(
        (&document["files"][0]["ok"], &document["files"][0]["error"]["code"]),
        (&json!(false), &json!("EMPTY_FILE"))
    );
}

#[test]
fn a_file_that_is_not_there_stops_the_command_before_it_starts() {
    let home = Home::new();
    let failed = home.flyquery(&["ingest", "nowhere.csv"]).assert().code(2);
    assert!(text(&failed.get_output().stderr).starts_with("error: cannot read nowhere.csv: "));
    assert!(!home.data().exists(), "nothing was made");
}

#[test]
fn of_two_files_for_one_table_the_later_one_is_current() {
    let home = Home::new();
    std::fs::create_dir(home.path().join("new")).expect("made");
    let (old, new) = (home.file("t.csv", "v\n1\n"), home.file("new/t.csv", "w\n2\n"));
    let shown = home.flyquery(&[std::path::Path::new("ingest"), &old, &new]).assert().success();
    let shown = text(&shown.get_output().stdout);
    let first =
        |column: &str| shown.lines().skip_while(|l| l.trim() != column).nth(1).map(str::trim).map(str::to_owned);
    assert_eq!(
        (first("v"), first("w")),
        (Some("1".to_owned()), Some("2".to_owned())),
        "each file shows its own:\n{shown}"
    );
    assert_eq!(home.rows("select w from t"), json!([{"w": 2}]));
}

#[test]
fn jobs_are_listed_shown_and_told_again() {
    let home = Home::new();
    let file = home.file("t.csv", "v\n1\n");
    home.flyquery(&[std::path::Path::new("ingest"), &file]).assert().success();
    let list = json(
        &home.flyquery(&["jobs", "list", "--json", "--status", "SUCCEEDED"]).assert().success().get_output().stdout,
    );
    assert_eq!((&list["total"], &list["items"][0]["job_kind"]), (&json!(1), &json!("PARSE_AND_INGEST")));
    let id = list["items"][0]["id"].as_str().expect("an id").to_owned();
    let table = text(&home.flyquery(&["jobs", "list"]).assert().success().get_output().stdout);
    assert!(table.contains(&id) && table.contains("default.t (1 row)"), "{table}");
    let shown = text(&home.flyquery(&["jobs", "show", &id]).assert().success().get_output().stdout);
    assert!(shown.contains("SUCCEEDED") && shown.contains("default.t (1 row)"), "{shown}");
    let followed = text(&home.flyquery(&["jobs", "follow", &id]).assert().success().get_output().stdout);
    let events = text(&home.flyquery(&["jobs", "events", &id]).assert().success().get_output().stdout);
    assert_eq!(followed, events, "a stream of a job that has ended tells the ledger");
    let stages: Vec<&str> = events.lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert_eq!((stages.first(), stages.last()), (Some(&"queued"), Some(&"final")));
    let cancelled = text(&home.flyquery(&["jobs", "cancel", &id]).assert().success().get_output().stdout);
    assert!(cancelled.starts_with("SUCCEEDED: "), "{cancelled}");
    home.flyquery(&["jobs", "show", "00000000-0000-0000-0000-000000000000"]).assert().code(1);
}
