//! Ordinary questions get right answers.

use domain::ports::sql::{Sql, SqlError};
use domain::schema::SqlType;
use serde_json::json;

use crate::world::{World, batch, ints};

#[tokio::test]
async fn joins_and_aggregates_answer() {
    let world = World::shop().await;
    let rows = world
        .rows(
            "SELECT c.name, count(*) AS n, sum(o.amount) AS total FROM orders o JOIN customers c \
             ON o.customerid = c.customerid GROUP BY c.name ORDER BY total DESC",
        )
        .await;
    assert_eq!(rows, json!([["Cleo", 1, 40.0], ["Bob", 1, 20.0], ["Ada", 2, 15.75]]));
    let rows = world
        .rows("SELECT o.orderid FROM orders o LEFT JOIN customers c USING (customerid) WHERE c.name IS NULL")
        .await;
    assert_eq!(rows, json!([[5]]));
}

#[tokio::test]
async fn subqueries_windows_ctes_and_set_operations_answer() {
    let world = World::shop().await;
    let ask = async |sql: &str| world.rows(sql).await;
    assert_eq!(
        ask("WITH big AS (SELECT * FROM orders WHERE amount > 10) SELECT count(*) FROM big").await,
        json!([[3]])
    );
    assert_eq!(
        ask(
            "SELECT orderid, row_number() OVER (PARTITION BY customerid ORDER BY amount) FROM orders ORDER BY 1 LIMIT 3"
        )
        .await,
        json!([[1, 2], [2, 1], [3, 1]])
    );
    assert_eq!(ask("SELECT customerid FROM orders EXCEPT SELECT customerid FROM customers").await, json!([[99]]));
    assert_eq!(
        ask("SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customerid = c.customerid \
             AND o.amount > 30)")
        .await,
        json!([["Cleo"]])
    );
    assert_eq!(
        ask("WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 4) SELECT sum(i) FROM n").await,
        json!([[10]])
    );
    assert_eq!(ask("VALUES (1, 'a'), (2, 'b')").await, json!([[1, "a"], [2, "b"]]));
    assert_eq!(ask("FROM customers SELECT name ORDER BY name LIMIT 1").await, json!([["Ada"]]));
}

#[tokio::test]
async fn a_filter_prunes_row_groups_and_still_answers_right() {
    let mut world = World::new();
    let values: Vec<_> = (0..10).map(|i| batch(&[("v", ints::<3>([i * 3, i * 3 + 1, i * 3 + 2]))])).collect();
    world.put_groups("t", &values, 3).await;
    assert_eq!(
        world.rows("SELECT v FROM t WHERE v BETWEEN 13 AND 16 ORDER BY v").await,
        json!([[13], [14], [15], [16]])
    );
    assert_eq!(world.rows("SELECT count(*), min(v), max(v) FROM t").await, json!([[30, 0, 29]]));
}

#[tokio::test]
async fn an_empty_table_has_columns_and_no_rows() {
    let mut world = World::new();
    world.put("empty", &batch(&[("a", ints::<0>([]))])).await;
    let answer = world.sql("SELECT * FROM empty").await;
    assert_eq!(answer.columns.len(), 1);
    assert!(answer.rows.is_empty() && !answer.truncated);
    assert_eq!(world.rows("SELECT count(*) FROM empty").await, json!([[0]]));
}

#[tokio::test]
async fn describe_and_show_speak_the_type_names_of_the_wire() {
    let world = World::shop().await;
    let columns = json!([["customerid", "BIGINT", true], ["Name", "VARCHAR", true], ["city", "VARCHAR", true]]);
    assert_eq!(world.rows("DESCRIBE Customers").await, columns);
    assert_eq!(world.rows("DESC shop.customers").await, columns);
    assert_eq!(world.rows("SHOW COLUMNS FROM customers").await, columns);
    assert_eq!(world.rows("SHOW TABLES").await, json!([["Orders", 4, 5], ["customers", 3, 3]]));
    assert_eq!(
        world.rows("DESCRIBE SELECT orderid, sum(amount) AS s FROM orders GROUP BY 1").await,
        json!([["orderid", "BIGINT", true], ["s", "DOUBLE", true]])
    );
}

#[tokio::test]
async fn explain_shows_the_plan_without_places_in_the_store() {
    let world = World::shop().await;
    let answer = world.sql("EXPLAIN SELECT name FROM customers WHERE city = 'Rome'").await;
    let text = serde_json::Value::from(answer.rows).to_string();
    assert!(text.contains("logical_plan") && text.contains("Rome"), "{text}");
    assert!(!text.contains("parquet") && !text.contains("flyquery/"), "{text}");
    assert_eq!(answer.columns[1].sql_type, SqlType::Varchar);
}

#[tokio::test]
async fn wrong_statements_say_what_would_be_right() {
    let world = World::shop().await;
    assert_eq!(world.wrong("SELECT * FROM ordrs").await, "there is no table \"ordrs\"; did you mean \"Orders\"?");
    assert_eq!(
        world.wrong("SELECT * FROM zebra").await,
        "there is no table \"zebra\"; the tables are \"Orders\", \"customers\""
    );
    assert_eq!(
        world.wrong("SELECT custmerid FROM orders").await,
        "there is no column \"custmerid\"; did you mean \"CustomerID\"?"
    );
    assert_eq!(
        world.wrong("SELECT o.nme FROM customers o").await,
        "there is no column \"nme\"; did you mean \"Name\"?"
    );
    assert!(world.wrong("SELECT x.name FROM customers c").await.contains("no table or alias \"x\""));
    let message = world.wrong("SELECT customerid FROM orders, customers").await;
    assert!(message.contains("more than one table"), "{message}");
    assert!(world.wrong("SELEC 1").await.starts_with("syntax error: "), "syntax");
    assert!(world.wrong("SELECT 'open").await.starts_with("syntax error: "), "token");
    assert!(world.wrong("").await.contains("empty"), "empty");
    assert!(world.wrong(" ; -- nothing").await.contains("empty"), "only a comment");
    assert!(world.wrong("SELECT * FROM finance.orders").await.contains("no dataset \"finance\""), "dataset");
    assert!(world.wrong("SELECT nosuch(1)").await.contains("nosuch"), "function");
    assert!(world.wrong("SELECT 1/0").await.to_lowercase().contains("divide by zero"), "division");
    assert!(world.wrong("SELECT CAST('x' AS BIGINT)").await.contains("'x'"), "cast");
}

#[tokio::test]
async fn a_table_whose_object_is_gone_is_an_internal_error() {
    let mut world = World::shop().await;
    world.tables[0].object_key = "flyquery/gone.parquet".to_owned();
    assert!(matches!(world.try_sql("SELECT * FROM orders").await, Err(SqlError::Internal(_))));
    assert!(matches!(world.engine.rows(&world.tables[0], 0, 1).await, Err(SqlError::Internal(_))));
    assert_eq!(world.rows("SELECT count(*) FROM customers").await, json!([[3]]), "the others still answer");
}

#[tokio::test]
async fn now_is_the_time_of_the_statement() {
    let world = World::new();
    let first = world.rows("SELECT now()").await;
    let second = world.rows("SELECT now()").await;
    assert_ne!(first, second);
}
