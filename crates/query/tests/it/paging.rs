//! Pages of a table in file order.

use domain::ports::sql::{Sql, SqlRows};
use serde_json::json;

use crate::world::{World, batch, ints, texts};

async fn page(world: &World, offset: u64, limit: usize) -> Vec<i64> {
    let answer = world.engine.rows(world.table("Big"), offset, limit).await.expect("a page");
    answer.rows.iter().map(|row| row[0].as_i64().expect("a number")).collect()
}

#[tokio::test]
async fn pages_follow_the_file_across_row_groups() {
    let mut world = World::new();
    let batches: Vec<_> =
        (0..7).map(|n| batch(&[("N", ints::<10>(std::array::from_fn(|i| n * 10 + i as i64)))])).collect();
    world.put_groups("Big", &batches, 10).await;
    for (offset, limit) in [(0, 5), (0, 70), (3, 10), (9, 1), (9, 2), (10, 10), (15, 40), (65, 10), (69, 1), (0, 1)] {
        let expected: Vec<i64> = (offset as i64..(offset as i64 + limit as i64).min(70)).collect();
        assert_eq!(page(&world, offset, limit).await, expected, "{offset} {limit}");
    }
    for (offset, limit) in [(70, 10), (u64::MAX, 10), (1_000, usize::MAX), (5, 0)] {
        assert_eq!(page(&world, offset, limit).await, [0; 0], "{offset} {limit}");
    }
}

#[tokio::test]
async fn a_page_has_the_columns_of_the_table() {
    let world = World::shop().await;
    let SqlRows { columns, rows, truncated } = world.engine.rows(world.table("customers"), 1, 1).await.expect("a page");
    assert_eq!(columns, world.table("customers").schema.columns);
    assert_eq!(rows, [[json!(20), json!("Bob"), json!("Rome")]]);
    assert!(!truncated);
}

#[tokio::test]
async fn a_page_cut_by_its_bytes_says_so() {
    let mut world = World::new();
    let long = "x".repeat(9 << 20);
    world.put("wide", &batch(&[("t", texts([&long, &long, &long, &long, &long]))])).await;
    let answer = world.engine.rows(world.table("wide"), 0, 5).await.expect("a page");
    assert_eq!((answer.rows.len(), answer.truncated), (3, true));
    let rest = world.engine.rows(world.table("wide"), 3, 5).await.expect("a page");
    assert_eq!((rest.rows.len(), rest.truncated), (2, false));
}
