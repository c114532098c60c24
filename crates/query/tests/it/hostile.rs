//! Statements made to hurt: they end in an answer or an error, quickly, and the engine lives on.

use std::time::{Duration, Instant};

use domain::ports::sql::{Sql, SqlError, StatementKind};
use serde_json::json;

use crate::world::World;

const SIZE: usize = 65_000;

/// Runs a statement that must not answer, and reads it as `classify` does.
async fn survives(world: &World, what: &str, sql: &str) {
    let started = Instant::now();
    let mut request = world.request(sql);
    request.timeout = Duration::from_secs(20);
    let answer = world.engine.execute(request).await;
    assert!(
        matches!(answer, Err(SqlError::Wrong(_) | SqlError::Refused(_) | SqlError::OutOfMemory(_))),
        "{what}: {answer:?}"
    );
    let kind = world.engine.classify(sql);
    assert!(matches!(kind, StatementKind::Select | StatementKind::Unknown), "{what}: {kind}");
    assert!(started.elapsed() < Duration::from_secs(15), "{what} took {:?}", started.elapsed());
}

#[tokio::test]
async fn deep_nesting_never_overflows_the_stack() {
    let world = World::shop().await;
    let repeated = |text: &str| text.repeat(SIZE / text.len());
    let cases = [
        ("parentheses", format!("SELECT {}", "(".repeat(SIZE))),
        ("closed parentheses", format!("SELECT {}1{}", "(".repeat(SIZE / 2), ")".repeat(SIZE / 2))),
        ("parentheses of a FROM", format!("SELECT * FROM {}orders", "(".repeat(40))),
        ("spread parentheses", format!("SELECT 1 {}", repeated("+ ("))),
        ("sums", format!("SELECT 1{}", repeated("+1"))),
        ("conditions", format!("SELECT 1 WHERE true{}", repeated(" OR true"))),
        ("negations", format!("SELECT {}true", repeated("NOT "))),
        ("minuses", format!("SELECT {}1", repeated("- "))),
        ("casts", format!("SELECT 1{}", repeated("::int"))),
        ("brackets", format!("SELECT {}", "[".repeat(SIZE))),
        ("subscripts", format!("SELECT a{}", repeated("[1]"))),
        ("cases", format!("SELECT {}", repeated("CASE WHEN "))),
        ("functions", format!("SELECT {}", repeated("abs("))),
        ("subqueries", format!("SELECT * FROM {}", repeated("(SELECT * FROM "))),
        ("with", repeated("WITH a AS (")),
        ("unions", format!("SELECT 1{}", repeated(" UNION SELECT 1"))),
        ("values unions", format!("VALUES (1){}", repeated(" UNION VALUES (1)"))),
        ("joins", format!("SELECT 1 FROM orders{}", repeated(" CROSS JOIN orders"))),
        ("explains", format!("{}SELECT 1", repeated("EXPLAIN "))),
        ("types", format!("SELECT CAST(1 AS {}", repeated("STRUCT<a "))),
        ("braces", format!("SELECT {}", repeated("{'a':"))),
        ("dots", format!("SELECT a{}", repeated(".a"))),
        ("comments", format!("SELECT 1 {}", repeated("/*"))),
        ("long", format!("SELECT '{}'", "x".repeat(70_000))),
    ];
    for (what, sql) in &cases {
        survives(&world, what, sql).await;
    }
    assert_eq!(world.rows("SELECT count(*) FROM orders").await, json!([[5]]));
}

#[tokio::test]
async fn wide_statements_answer() {
    let world = World::shop().await;
    let list: Vec<String> = (0..9_000).map(|n| n.to_string()).collect();
    let sql = format!("SELECT count(*) FROM orders WHERE customerid IN ({})", list.join(","));
    assert_eq!(world.rows(&sql).await, json!([[5]]));
    let chain: Vec<String> = (0..150).map(|n| format!("customerid = {n}")).collect();
    let sql = format!("SELECT count(*) FROM orders WHERE {}", chain.join(" OR "));
    assert_eq!(world.rows(&sql).await, json!([[5]]));
    let values: Vec<String> = (0..3_000).map(|n| format!("({n})")).collect();
    assert_eq!(world.sql(&format!("VALUES {}", values.join(","))).await.rows.len(), 1_000);
    let columns: Vec<String> = (0..1_500).map(|n| format!("orderid + {n} AS c{n}")).collect();
    let sql = format!("SELECT {} FROM orders", columns.join(","));
    assert_eq!(world.sql(&sql).await.columns.len(), 1_500);
}

#[tokio::test]
async fn nothing_outside_the_store_can_be_read() {
    let world = World::shop().await;
    let outside = world.folder.path().join("outside.csv");
    std::fs::write(&outside, "secret\n1\n").expect("written");
    let outside = outside.display();
    for sql in [
        "SELECT * FROM read_csv('/etc/passwd')".to_owned(),
        "SELECT * FROM read_parquet('flyquery/t/w/d/tables/0/0.parquet')".to_owned(),
        "SELECT * FROM '/etc/passwd'".to_owned(),
        format!("SELECT * FROM '{outside}'"),
        format!("SELECT * FROM \"{outside}\""),
        format!("SELECT * FROM \"file://{outside}\""),
        "SELECT * FROM \"flyquery://store/flyquery/t/w/d/tables/0/0.parquet\"".to_owned(),
        "SELECT * FROM glob('*')".to_owned(),
        "SELECT * FROM parquet_metadata('x')".to_owned(),
        "SELECT getenv('HOME')".to_owned(),
        "SELECT current_setting('x')".to_owned(),
        "SELECT @@version".to_owned(),
        "SELECT pg_read_file('/etc/passwd')".to_owned(),
        "SELECT input_file_name() FROM orders".to_owned(),
        "SELECT arrow_metadata(name) FROM customers".to_owned(),
        "TABLE nosuch".to_owned(),
    ] {
        let answer = world.try_sql(&sql).await;
        assert!(matches!(answer, Err(SqlError::Wrong(_) | SqlError::Refused(_))), "{sql}: {answer:?}");
    }
}

#[tokio::test]
async fn functions_that_make_much_out_of_little_are_bounded() {
    let world = World::shop().await;
    for sql in [
        "SELECT repeat('x', 2000000000)",
        "SELECT length(repeat(repeat('x', 60000), 60000))",
        "SELECT repeat(name, 100000000) FROM customers",
        "SELECT lpad('x', 2000000000)",
        "SELECT rpad(name, 2000000000, 'y') FROM customers",
        "SELECT replace(repeat('a', 60000), 'a', repeat('b', 60000))",
        "SELECT regexp_replace(repeat('a', 60000), 'a', repeat('b', 60000), 'g')",
        "SELECT range(0, 10000000000)",
        "SELECT generate_series(0, orderid * 10000000000) FROM orders",
        "SELECT generate_series(TIMESTAMP '1900-01-01', TIMESTAMP '2200-01-01', INTERVAL '1 second')",
        "SELECT array_repeat(1, 10000000000)",
        "SELECT array_resize([1], 10000000000, 2)",
        "SELECT concat(repeat('x', 60000), repeat('y', 60000))",
        "SELECT repeat('x', 60000) || repeat('y', 60000)",
        "SELECT sum(levenshtein(repeat(name, 20000), repeat(city, 20000))) FROM customers",
        "SELECT sum(length(a || a)) FROM (SELECT value, repeat('x', 60000) AS a FROM generate_series(1, 100000))",
        "SELECT array_to_string(range(0, 4000), repeat('x', 60000))",
    ] {
        let answer = world.try_sql(sql).await;
        assert!(matches!(answer, Err(SqlError::OutOfMemory(_))), "{sql}: {answer:?}");
    }
}

#[tokio::test]
async fn fenced_functions_still_work() {
    let world = World::shop().await;
    let ask = async |sql: &str| world.rows(sql).await;
    assert_eq!(
        ask("SELECT repeat('ab', 3), lpad('7', 3, '0'), rpad('a', 3, 'b')").await,
        json!([["ababab", "007", "abb"]])
    );
    assert_eq!(
        ask("SELECT replace('banana', 'an', 'o'), regexp_replace('a1b2', '[0-9]', '#', 'g')").await,
        json!([["booa", "a#b#"]])
    );
    assert_eq!(
        ask("SELECT 'a' || 'b' || 1, 'a' || NULL, name || '!' FROM customers LIMIT 1").await,
        json!([["ab1", null, "Ada!"]])
    );
    assert_eq!(
        ask("SELECT concat('a', NULL, 'b'), concat_ws('-', name, city) FROM customers LIMIT 1").await,
        json!([["ab", "Ada-Paris"]])
    );
    assert_eq!(
        ask("SELECT range(0, 4), generate_series(1, 5, 2), [1] || [2], array_repeat('x', 2)").await,
        json!([[[0, 1, 2, 3], [1, 3, 5], [1, 2], ["x", "x"]]])
    );
    assert_eq!(ask("SELECT count(*) FROM (SELECT unnest(generate_series(DATE '2024-01-01', DATE '2024-12-31', INTERVAL '1 day')))").await, json!([[366]]));
    assert_eq!(
        ask("SELECT array_to_string([1, 2], ','), array_resize([1], 3, 0), array_append([1], 2)").await,
        json!([["1,2", [1, 0, 0], [1, 2]]])
    );
    assert_eq!(ask("SELECT levenshtein('kitten', 'sitting')").await, json!([[3]]));
    assert_eq!(ask("SELECT count(*) FROM customers WHERE name || city LIKE 'Ada%'").await, json!([[1]]));
}

/// A chain of `n` common table expressions, each of which reads the one before `times` times.
fn chain(n: usize, times: usize) -> String {
    let link = |i: usize| {
        let from: Vec<String> = (0..times).map(|k| format!("t{} x{k}", i - 1)).collect();
        format!(", t{i} AS (SELECT x0.id FROM {})", from.join(", "))
    };
    let links: String = (1..n).map(link).collect();
    format!("WITH t0 AS (SELECT orderid AS id FROM orders){links} SELECT count(*) FROM t{}", n - 1)
}

#[tokio::test]
async fn table_expressions_that_multiply_are_refused_before_they_are_planned() {
    let world = World::shop().await;
    for sql in [chain(24, 2), chain(14, 2), chain(7, 3), chain(24, 2).replace("t0", "T0")] {
        let error = world.try_sql(&sql).await.expect_err("too large");
        assert!(error.to_string().contains("written out"), "{error}");
    }
    assert!(world.try_sql(&chain(3, 2)).await.is_ok());
    assert!(world.try_sql(&chain(60, 1)).await.is_ok(), "a long chain is not a large one");
}
