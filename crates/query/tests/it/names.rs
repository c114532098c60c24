//! Decision 48: names without regard to case, and exact spellings that always work.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, StructArray};
use datafusion::arrow::datatypes::{DataType, Field};
use domain::ports::sql::SqlError;
use serde_json::json;

use crate::world::{World, batch, ints, texts};

#[tokio::test]
async fn unquoted_names_match_in_any_case() {
    let world = World::shop().await;
    for sql in [
        "select count(*) from Orders",
        "SELECT COUNT(*) FROM ORDERS",
        "select Count(OrderId) from oRDERS",
        "select count(orders.CUSTOMERID) from Orders",
        "select count(o.customerid) from Orders O",
        "select count(*) from SHOP.orders",
        "select count(*) from shop.\"Orders\" where \"OrderID\" > 0",
        "select count(*) from (select OrderID as Foo from orders) X where x.fOO > 0",
        "with T as (select AMOUNT as A from orders) select count(t.a) from t",
        "with t(Q) as (select amount from orders) select count(q) from T",
        "select sum(n) from (select customerid, count(*) as N from orders group by CustomerId)",
        "select count(*) from orders where exists (select 1 from customers where orders.ORDERID is not null)",
    ] {
        assert_eq!(world.rows(sql).await, json!([[5]]), "{sql}");
    }
}

#[tokio::test]
async fn quoted_exact_spellings_always_work() {
    let world = World::shop().await;
    assert_eq!(
        world.rows("SELECT \"Orders\".\"OrderID\" FROM \"Orders\" WHERE \"Order Date\" = DATE '2022-01-08'").await,
        json!([[1]])
    );
    assert_eq!(
        world.rows("SELECT \"Name\" FROM \"customers\" ORDER BY \"customerid\" LIMIT 1").await,
        json!([["Ada"]])
    );
}

#[tokio::test]
async fn results_carry_the_spelling_people_know() {
    let world = World::shop().await;
    assert_eq!(world.names("SELECT * FROM orders").await, ["OrderID", "CustomerID", "Amount", "Order Date"]);
    assert_eq!(world.names("SELECT ORDERID, amount FROM orders").await, ["OrderID", "Amount"]);
    assert_eq!(
        world.names("SELECT o.orderid AS Number, count(*) AS nUM FROM orders o GROUP BY 1").await,
        ["Number", "nUM"]
    );
    assert_eq!(world.names("SELECT amount AS \"AMOUNT\" FROM orders").await, ["AMOUNT"]);
    assert_eq!(world.names("SELECT sum(Amount), 1 + 1 FROM orders").await, ["sum(Amount)", "1 + 1"]);
    assert_eq!(
        world.names("SELECT o.*, c.customerid FROM orders o JOIN customers c ON o.customerid = c.customerid").await,
        ["OrderID", "CustomerID", "Amount", "Order Date", "customerid"]
    );
    assert_eq!(world.names("SELECT * FROM (SELECT amount AS Total FROM orders)").await, ["Total"]);
    assert_eq!(
        world.names("SELECT a.orderid, b.orderid FROM orders a, orders b").await,
        ["OrderID", "OrderID_2"],
        "names of a result are unique"
    );
    assert_eq!(world.names("SELECT name FROM customers UNION ALL SELECT city FROM customers").await, ["name"]);
    assert_eq!(world.names("SELECT 1 AS first, * FROM customers").await, ["first", "customerid", "Name", "city"]);
}

#[tokio::test]
async fn columns_that_differ_only_by_case_keep_it() {
    let mut world = World::new();
    world.put("t", &batch(&[("id", ints([1])), ("ID", ints([2])), ("Other", ints([3]))])).await;
    assert_eq!(world.rows("SELECT id, ID, other FROM t").await, json!([[1, 2, 3]]));
    assert_eq!(world.rows("SELECT \"ID\", \"id\" FROM T").await, json!([[2, 1]]));
    assert_eq!(world.names("SELECT * FROM t").await, ["id", "ID", "Other"]);
    let message = world.wrong("SELECT Id FROM t").await;
    assert!(message.starts_with("there is no column \"Id\"; did you mean \"i"), "{message}");
}

#[tokio::test]
async fn tables_that_differ_only_by_case_keep_it() {
    let mut world = World::new();
    world.put("t", &batch(&[("a", ints([1]))])).await;
    world.put("T", &batch(&[("a", ints([2]))])).await;
    assert_eq!(world.rows("SELECT a FROM t").await, json!([[1]]));
    assert_eq!(world.rows("SELECT A FROM T").await, json!([[2]]));
    assert_eq!(world.rows("SELECT a FROM \"T\"").await, json!([[2]]));
}

#[tokio::test]
async fn a_table_not_mentioned_does_not_make_names_ambiguous() {
    let mut world = World::shop().await;
    world.put("odd", &batch(&[("amount", ints([1])), ("AMOUNT", ints([2]))])).await;
    assert_eq!(world.rows("SELECT max(aMount) FROM orders").await, json!([[40.0]]));
}

#[tokio::test]
async fn fields_of_a_struct_match_in_any_case() {
    let mut world = World::new();
    let field = |name: &str, array: ArrayRef| (Arc::new(Field::new(name, DataType::Utf8, true)), array);
    let person = StructArray::from(vec![field("FirstName", texts(["Ada"])), field("city", texts(["Paris"]))]);
    world.put("people", &batch(&[("Person", Arc::new(person)), ("id", ints([7]))])).await;
    assert_eq!(world.rows("SELECT person.firstname, PERSON.City FROM people").await, json!([["Ada", "Paris"]]));
    assert_eq!(world.rows("SELECT p.person.firstname FROM people p").await, json!([["Ada"]]));
    assert_eq!(world.rows("SELECT person['FirstName'] FROM people").await, json!([["Ada"]]));
    assert_eq!(world.rows("SELECT * FROM people").await, json!([[{"FirstName": "Ada", "city": "Paris"}, 7]]));
}

#[tokio::test]
async fn names_that_are_keywords_or_hold_marks_work_quoted() {
    let mut world = World::new();
    let columns = [("order", ints([1])), ("a.b", ints([2])), ("say \"hi\"", ints([3])), ("Größe", ints([4]))];
    world.put("Sheet 1", &batch(&columns)).await;
    assert_eq!(
        world.rows("SELECT \"order\", \"a.b\", \"say \"\"hi\"\"\", größe FROM \"sheet 1\"").await,
        json!([[1, 2, 3, 4]])
    );
    assert_eq!(world.names("SELECT * FROM \"Sheet 1\"").await, ["order", "a.b", "say \"hi\"", "Größe"]);
}

#[tokio::test]
async fn only_the_tables_handed_over_exist() {
    let mut world = World::shop().await;
    world.tables.truncate(1);
    assert!(world.wrong("SELECT * FROM customers").await.starts_with("there is no table \"customers\""));
    for name in [
        "information_schema.tables",
        "information_schema.df_settings",
        "pg_catalog.pg_class",
        "a.b.c",
        "flyquery.main.zebra",
    ] {
        let answer = world.try_sql(&format!("SELECT * FROM {name}")).await;
        assert!(matches!(answer, Err(SqlError::Wrong(_))), "{name}: {answer:?}");
    }
}
