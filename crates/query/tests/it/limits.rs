//! Every limit: rows, bytes, time, memory, and how many at once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::limits::{SQL_CONCURRENT, SQL_RESULT_BYTES};
use domain::ports::sql::{Sql, SqlError};
use flyquery_query::{QueryEngine, QuerySettings};
use serde_json::json;

use crate::world::{World, batch, ints};

/// Runs for hours.
const ENDLESS: &str = "SELECT sum(a.value * b.value % 7) FROM generate_series(1, 1000000) a, \
                       generate_series(1, 100000000) b";

#[tokio::test]
async fn rows_past_the_cap_are_cut_and_reported() {
    let world = World::shop().await;
    let ask = async |cap| {
        let mut request = world.request("SELECT orderid FROM orders ORDER BY orderid");
        request.row_cap = cap;
        world.engine.execute(request).await.expect("an answer")
    };
    for (cap, truncated) in [(0, true), (1, true), (4, true), (5, false), (6, false)] {
        let answer = ask(cap).await;
        assert_eq!((answer.rows.len(), answer.truncated), (cap.min(5), truncated), "cap {cap}");
    }
}

#[tokio::test]
async fn a_capped_endless_query_answers_at_once() {
    let world = World::new();
    let answer = world.sql("WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT i FROM n").await;
    assert_eq!(answer.rows.len(), 1_000);
    assert!(answer.truncated);
}

#[tokio::test]
async fn answers_are_cut_at_their_bytes() {
    let world = World::new();
    let mut request = world.request("SELECT lpad(value, 100, 'x') FROM generate_series(1, 2000000)");
    request.row_cap = 2_000_000;
    let answer = world.engine.execute(request).await.expect("an answer");
    assert!(answer.truncated);
    assert!((100_000..SQL_RESULT_BYTES / 100).contains(&answer.rows.len()), "{} rows", answer.rows.len());
}

#[tokio::test]
async fn the_time_limit_holds_while_others_answer() {
    let world = World::shop().await;
    let hog = |limit| {
        let mut request = world.request(ENDLESS);
        request.timeout = limit;
        let engine = world.engine.clone();
        async move {
            let started = Instant::now();
            let answer = engine.execute(request).await;
            (answer, started.elapsed())
        }
    };
    let limit = Duration::from_secs(2);
    let others = async {
        for _ in 0..3 {
            assert_eq!(world.rows("SELECT count(*) FROM orders WHERE amount > 1").await, json!([[4]]));
        }
        Instant::now()
    };
    let started = Instant::now();
    let ((answer, took), others_done) = tokio::join!(hog(limit), others);
    assert_eq!(answer, Err(SqlError::TimedOut(limit)));
    assert!(took >= limit && took < limit * 3, "took {took:?}");
    assert!(others_done - started < limit, "the others did not wait for the limit");
}

#[tokio::test]
async fn a_timed_out_statement_really_stops() {
    let world = World::with(256 << 20, 1);
    let values = "(SELECT value % 10 AS v FROM generate_series(1, 1000000)) ";
    for sql in [
        ENDLESS.to_owned(),
        format!("SELECT count(*) FROM {values} a JOIN {values} b ON a.v = b.v WHERE a.v + b.v < 0"),
        format!("SELECT count(*) FROM {values} a JOIN {values} b ON a.v * b.v = -1"),
        format!("SELECT count(*) FROM {values} a WHERE EXISTS (SELECT 1 FROM {values} b WHERE a.v * b.v = -1)"),
        "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i % 7 FROM n) SELECT sum(i) FROM n".to_owned(),
        "SELECT sum(u) FROM (SELECT unnest(range(0, a.value % 500)) AS u FROM generate_series(1, 100000000) a)"
            .to_owned(),
    ] {
        let mut request = world.request(&sql);
        request.timeout = Duration::from_millis(300);
        // More than there are slots: were they still held, the last would wait in vain.
        for _ in 0..=SQL_CONCURRENT {
            let answer = world.engine.execute(request.clone()).await;
            assert_eq!(answer, Err(SqlError::TimedOut(request.timeout)), "{sql}");
        }
        let mut request = world.request("SELECT 1");
        request.timeout = Duration::from_secs(10);
        let answer = world.engine.execute(request).await.unwrap_or_else(|error| panic!("after {sql}: {error}"));
        assert_eq!(answer.rows, [[json!(1)]]);
    }
}

#[tokio::test]
async fn a_caller_that_goes_away_frees_its_slot() {
    let world = World::with(256 << 20, 1);
    for _ in 0..SQL_CONCURRENT * 2 {
        let running = world.engine.execute(world.request(ENDLESS));
        assert!(tokio::time::timeout(Duration::from_millis(50), running).await.is_err());
    }
    assert_eq!(world.rows("SELECT 1").await, json!([[1]]));
}

#[tokio::test]
async fn waiting_for_a_slot_counts_against_the_time() {
    let world = World::new();
    let mut long = world.request(ENDLESS);
    long.timeout = Duration::from_secs(3);
    let hogs = futures::future::join_all((0..SQL_CONCURRENT).map(|_| world.engine.execute(long.clone())));
    let waiting = async {
        let mut request = world.request("SELECT 1");
        request.timeout = Duration::from_millis(500);
        world.engine.execute(request).await
    };
    let (answers, waited) = tokio::join!(hogs, waiting);
    assert_eq!(waited, Err(SqlError::TimedOut(Duration::from_millis(500))));
    assert!(answers.iter().all(|answer| matches!(answer, Err(SqlError::TimedOut(_)))), "{answers:?}");
}

#[tokio::test]
async fn many_statements_at_once_all_answer() {
    let world = World::shop().await;
    let asks = (0..40).map(|n| {
        let engine = world.engine.clone();
        let request = world.request(&format!("SELECT count(*) + {n} FROM orders JOIN customers USING (customerid)"));
        async move { engine.execute(request).await }
    });
    for (n, answer) in futures::future::join_all(asks).await.into_iter().enumerate() {
        assert_eq!(answer.expect("an answer").rows, vec![vec![json!(4 + n)]]);
    }
}

#[tokio::test]
async fn a_statement_past_its_memory_fails_and_leaves_no_trace() {
    let world = World::with(8 << 20, 2);
    let sql = "SELECT sum(a.value * b.value) FROM generate_series(1, 3000000) a \
               JOIN generate_series(1, 3000000) b ON a.value = b.value";
    let answer = world.try_sql(sql).await;
    assert!(matches!(answer, Err(SqlError::OutOfMemory(_))), "{answer:?}");
    assert_eq!(world.rows("SELECT count(*) FROM generate_series(1, 1000)").await, json!([[1000]]));
}

#[tokio::test]
async fn a_sort_larger_than_memory_spills_and_cleans_up() {
    let mut world = World::with(64 << 20, 1);
    let batches: Vec<_> = (0..40_i64)
        .map(|n| {
            let values: Vec<i64> = (0..50_000).map(|i| (i * 7_919 + n * 104_729) % 1_000_003).collect();
            batch(&[("v", Arc::new(datafusion::arrow::array::Int64Array::from(values)) as _)])
        })
        .collect();
    world.put_groups("big", &batches, 1 << 20).await;
    let answer = world.sql("SELECT max(r) FROM (SELECT row_number() OVER (ORDER BY v) AS r FROM big)").await;
    assert_eq!(answer.rows, [[json!(2_000_000)]]);
    let spilled = std::fs::read_dir(world.folder.path().join("spill")).expect("list");
    for folder in spilled {
        let left = std::fs::read_dir(folder.expect("entry").path()).expect("list").count();
        assert_eq!(left, 0, "spilled files are gone");
    }
}

#[tokio::test]
async fn the_spill_folder_is_emptied_of_a_crashed_run_only() {
    let world = World::new();
    let spill = world.folder.path().join("other-spill");
    std::fs::create_dir_all(spill.join("datafusion-dead")).expect("folder");
    std::fs::write(spill.join("datafusion-dead/x"), "x").expect("written");
    std::fs::write(spill.join("mine"), "x").expect("written");
    let store = Arc::new(object_store::memory::InMemory::new());
    let settings = QuerySettings { memory_bytes: 1 << 20, threads: 1, spill_dir: spill.clone() };
    QueryEngine::new(store, settings).expect("an engine");
    assert!(!spill.join("datafusion-dead").exists());
    assert!(spill.join("mine").exists());
}

#[tokio::test]
async fn a_dropped_engine_stops_what_runs() {
    let World { engine, tables, folder, .. } = World::shop().await;
    let request = domain::ports::sql::SqlRequest {
        sql: ENDLESS.to_owned(),
        tables,
        dataset: None,
        row_cap: 1,
        timeout: Duration::from_mins(1),
    };
    let mut running = Box::pin({
        let engine = engine.clone();
        async move { engine.execute(request).await }
    });
    assert!(tokio::time::timeout(Duration::from_millis(50), &mut running).await.is_err());
    drop(running);
    drop(engine);
    drop(folder);
}

#[tokio::test]
async fn one_row_past_all_bytes_is_an_error() {
    let mut world = World::new();
    world.put("t", &batch(&[("a", ints([1]))])).await;
    let piece = "repeat('x', 60000)";
    let wide = vec![piece; 600].iter().enumerate().map(|(i, p)| format!("{p} AS c{i}")).collect::<Vec<_>>().join(",");
    let answer = world.try_sql(&format!("SELECT {wide} FROM t")).await;
    assert!(matches!(answer, Err(SqlError::OutOfMemory(_))), "{answer:?}");
}
