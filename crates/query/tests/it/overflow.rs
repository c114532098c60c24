//! Integers past their type are refused, never wrapped around; everything else is computed as before.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int64Array, UInt64Array};
use serde_json::json;

use crate::world::{World, batch};

/// A table whose ids are as large as those of social networks, with their unsigned twins and small numbers.
async fn ids() -> World {
    const ID: i64 = 1_300_000_000_000_000_000;
    let mut world = World::new();
    let rows = 9;
    let id: Int64Array = (0..rows).map(|i| (i != 4).then_some(ID + i)).collect();
    let unsigned = UInt64Array::from_iter_values((0..rows).map(|i| u64::MAX - i.unsigned_abs()));
    let columns: [(&str, ArrayRef); 4] = [
        ("id", Arc::new(id)),
        ("u", Arc::new(unsigned)),
        ("small", Arc::new(Int64Array::from_iter_values(0..rows))),
        ("g", Arc::new(Int64Array::from_iter_values((0..rows).map(|i| i % 2)))),
    ];
    world.put("t", &batch(&columns)).await;
    world
}

#[tokio::test]
async fn arithmetic_past_64_bits_is_refused_with_a_way_out() {
    let world = ids().await;
    for sql in [
        "select 9223372036854775807 + 1",
        "select -9223372036854775807 - 2",
        "select 4000000000 * 4000000000",
        "select id * 10 from t",
        "select id + 9000000000000000000 from t",
        "select id from t where id * 10 > 0",
        "select count(*) from t group by id * 10",
        "select small from t order by id * 10",
        "select a.id from t a join t b on a.id * 10 = b.id",
        "select u + u from t",
        "select min(u) - max(u) from t",
        "select (-9223372036854775807 - 1) / -1",
        "select -(small - 9223372036854775807 - 1) from t",
        "select (select max(id * 10) from t)",
        "select sum(id * 10) from t",
    ] {
        let message = world.wrong(sql).await;
        assert!(message.contains("DECIMAL(38,0)"), "{sql}: {message}");
    }
    let message = world.wrong("select id * 10 from t").await;
    assert!(message.contains("a result of * is past a signed 64-bit integer"), "{message}");
    assert!(!message.contains("13000"), "no cell is quoted: {message}");
    let message = world.wrong("select u + u from t").await;
    assert!(message.contains("an unsigned 64-bit integer"), "{message}");
    let message = world.wrong("select abs(small - 9223372036854775807 - 1) from t").await;
    assert!(message.contains("overflow"), "{message}");
}

#[tokio::test]
async fn the_way_out_leads_out() {
    let world = ids().await;
    let cases = [
        ("select cast(id as decimal(38,0)) * 10 from t where small = 1", json!([["13000000000000000010"]])),
        ("select cast(id as double) * 10 > 1.2e19 from t where small = 1", json!([[true]])),
        ("select cast(9223372036854775807 as decimal(38,0)) + 1", json!([["9223372036854775808"]])),
    ];
    for (sql, expected) in cases {
        assert_eq!(world.rows(sql).await, expected, "{sql}");
    }
}

#[tokio::test]
async fn dates_are_still_subtracted_in_days() {
    let world = World::shop().await;
    let cases = [
        ("select date '2024-03-01' - date '2024-02-01'", json!([[29]])),
        ("select (date '2024-03-01' - date '2024-02-01') * 2 + 1", json!([[59]])),
        (r#"select max("Order Date") - min("Order Date") from orders"#, json!([[4]])),
        (r#"select orderid, "Order Date" - date '2022-01-08' from orders order by 2 desc limit 1"#, json!([[5, 4]])),
    ];
    for (sql, expected) in cases {
        assert_eq!(world.rows(sql).await, expected, "{sql}");
    }
}

#[tokio::test]
async fn an_outer_join_filtered_by_arithmetic_answers_as_before() {
    let world = World::shop().await;
    let sql = "select o.orderid from orders o left join customers c on o.customerid = c.customerid \
               where c.customerid + 1 > 11 order by 1";
    assert_eq!(world.rows(sql).await, json!([[2], [4]]));
    let sql = "select o.orderid from orders o left join customers c on o.customerid = c.customerid \
               where c.customerid + 1 is null";
    assert_eq!(world.rows(sql).await, json!([[5]]));
}

#[tokio::test]
async fn arithmetic_within_64_bits_is_exact() {
    let world = ids().await;
    let cases = [
        ("select 9223372036854775806 + 1", json!([[9_223_372_036_854_775_807_i64]])),
        ("select -9223372036854775807 - 1", json!([[i64::MIN]])),
        ("select -small, small * 3 - 1, 2 * small + 1 from t where small + 1 = 3", json!([[-2, 5, 5]])),
        ("select small + null, small * 1.5 from t limit 1", json!([[null, 0.0]])),
        ("select u + 1 from t where small = 0", json!([["18446744073709551616"]])),
        ("select sum(small) + 1 from t group by g order by g", json!([[21], [17]])),
        ("select small + 1 as next from t group by small + 1 order by 1 limit 1", json!([[1]])),
        ("select date '2024-01-31' + interval '1 day'", json!([["2024-02-01"]])),
    ];
    for (sql, expected) in cases {
        assert_eq!(world.rows(sql).await, expected, "{sql}");
    }
    assert_eq!(world.names("select id + 1 from t limit 1").await, ["id + 1"]);
}

#[tokio::test]
async fn sums_past_64_bits_are_refused_and_the_others_are_exact() {
    let world = ids().await;
    for sql in [
        "select sum(id) from t",
        "select sum(distinct id) from t",
        "select sum(u) from t",
        "select sum(id) over () from t",
        "select sum(id) over (order by small) from t",
        "select sum(distinct id) over (order by small rows between 8 preceding and current row) from t",
        "select sum(id) filter (where small <> 3) + 0 from (select * from t union all select * from t)",
        "select small * 0, sum(id) from t group by 1",
    ] {
        let message = world.wrong(sql).await;
        assert!(message.contains("a sum is too large for a 64-bit integer"), "{sql}: {message}");
    }
    let cases = [
        ("select cast(sum(cast(id as decimal(38,0))) as varchar) from t", json!([["10400000000000000032"]])),
        ("select sum(id) from t where small < 4", json!([[5_200_000_000_000_000_006_i64]])),
        ("select sum(id) from t where small > 99", json!([[null]])),
        (
            "select g, sum(id) from t where small < 8 group by g order by g",
            json!([[0, 3_900_000_000_000_000_008_i64], [1, 5_200_000_000_000_000_016_i64]]),
        ),
        ("select sum(distinct g) from t", json!([[1]])),
        (
            "select sum(id) over (order by small rows between 1 preceding and current row) from t where small < 4",
            json!([
                [1_300_000_000_000_000_000_i64],
                [2_600_000_000_000_000_001_i64],
                [2_600_000_000_000_000_003_i64],
                [2_600_000_000_000_000_005_i64]
            ]),
        ),
        (
            "select small, sum(distinct id) over (order by small rows between 1 preceding and current row) as s \
             from (select * from t union all select * from t) where small < 3 order by small, s",
            json!([
                [0, 1_300_000_000_000_000_000_i64],
                [0, 1_300_000_000_000_000_000_i64],
                [1, 1_300_000_000_000_000_001_i64],
                [1, 2_600_000_000_000_000_001_i64],
                [2, 1_300_000_000_000_000_002_i64],
                [2, 2_600_000_000_000_000_003_i64]
            ]),
        ),
        (
            "select small, sum(distinct u) over (order by small rows between current row and current row) from t \
             where small < 2 order by small",
            json!([[0, u64::MAX], [1, u64::MAX - 1]]),
        ),
        (
            "select small, sum(distinct id) over (order by small rows between current row and current row) from t \
             where small in (4, 5) order by small",
            json!([[4, null], [5, 1_300_000_000_000_000_005_i64]]),
        ),
        ("select sum(u) from t where small = 8", json!([[18_446_744_073_709_551_607_u64]])),
        ("select sum(small * 0.5), sum(cast(small as decimal(10,2))) from t", json!([[18.0, "36.00"]])),
        ("select avg(id) > 1.0e18 from t", json!([[true]])),
    ];
    for (sql, expected) in cases {
        assert_eq!(world.rows(sql).await, expected, "{sql}");
    }
}

#[tokio::test]
async fn a_grouped_sum_over_many_batches_and_threads_is_exact() {
    let mut world = World::new();
    let batches: Vec<_> = (0..64_i64)
        .map(|part| {
            let value = Int64Array::from_iter_values((0..1_000).map(|i| part * 1_000 + i));
            let group = Int64Array::from_iter_values((0..1_000).map(|i| i % 7));
            batch(&[("v", Arc::new(value) as ArrayRef), ("g", Arc::new(group))])
        })
        .collect();
    world.put_groups("t", &batches, 1_000).await;
    let rows = world.rows("select sum(s), count(*) from (select g, sum(v) as s from t group by g)").await;
    assert_eq!(rows, json!([[64_000_i64 * 63_999 / 2, 7]]));
}

#[tokio::test]
async fn a_filter_on_the_days_between_two_dates_answers() {
    let world = World::shop().await;
    let sql = "select orderid from orders where \"Order Date\" - date '2022-01-08' > 3";
    assert_eq!(world.rows(sql).await, json!([[5]]));
}
