//! What may run, what is refused, and what each statement is.

use domain::ports::sql::{Sql, SqlError, StatementKind};

use crate::world::World;

#[tokio::test]
async fn only_reading_statements_run() {
    let world = World::shop().await;
    let before = files(&world);
    for sql in [
        "INSERT INTO orders VALUES (1)",
        "UPDATE orders SET amount = 0",
        "DELETE FROM orders",
        "TRUNCATE TABLE orders",
        "MERGE INTO orders USING customers ON true WHEN MATCHED THEN DELETE",
        "CREATE TABLE t AS SELECT 1",
        "CREATE VIEW v AS SELECT 1",
        "CREATE MACRO f(a) AS a",
        "CREATE SCHEMA s",
        "DROP TABLE orders",
        "ALTER TABLE orders ADD COLUMN x INT",
        "COPY orders TO 'out.csv'",
        "COPY (SELECT * FROM orders) TO 'out.parquet'",
        "COPY orders FROM '/etc/passwd'",
        "SET datafusion.execution.target_partitions = 64",
        "USE other",
        "BEGIN",
        "COMMIT",
        "PREPARE p AS SELECT 1",
        "EXECUTE p",
        "CALL f()",
        "ATTACH 'file.db' AS x",
        "INSTALL httpfs",
        "LOAD httpfs",
        "PRAGMA version",
        "EXPLAIN DELETE FROM orders",
        "EXPLAIN ANALYZE SELECT 1",
        "WITH x AS (INSERT INTO orders VALUES (1) RETURNING *) SELECT * FROM x",
        "WITH x AS (DELETE FROM orders RETURNING *) SELECT * FROM x",
        "SELECT * INTO t FROM orders",
        "SELECT * FROM orders FOR UPDATE",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP TABLE orders",
        "SHOW ALL",
        "SHOW FUNCTIONS",
    ] {
        let answer = world.try_sql(sql).await;
        assert!(matches!(answer, Err(SqlError::Refused(_))), "{sql}: {answer:?}");
    }
    // These do not even parse as statements here.
    for sql in [
        "EXPLAIN EXPLAIN SELECT 1",
        "CREATE EXTERNAL TABLE t STORED AS CSV LOCATION '/etc/passwd'",
        "RESET ALL TABLES",
        "EXPORT DATABASE 'x'",
    ] {
        let answer = world.try_sql(sql).await;
        assert!(matches!(answer, Err(SqlError::Refused(_) | SqlError::Wrong(_))), "{sql}: {answer:?}");
    }
    assert_eq!(files(&world), before, "nothing was written");
}

fn files(world: &World) -> usize {
    fn count(folder: &std::path::Path) -> usize {
        let entries = std::fs::read_dir(folder).expect("list").map(|entry| entry.expect("entry").path());
        entries.map(|path| if path.is_dir() { count(&path) } else { 1 }).sum()
    }
    count(&world.folder.path().join("objects"))
}

#[tokio::test]
async fn trailing_semicolons_and_comments_are_fine() {
    let world = World::shop().await;
    for sql in ["SELECT 1;", "SELECT 1 ; ;", "-- why\nSELECT /* so */ 1 -- end"] {
        assert_eq!(world.sql(sql).await.rows.len(), 1, "{sql}");
    }
}

#[tokio::test]
async fn a_refusal_names_the_statement() {
    let world = World::shop().await;
    let Err(SqlError::Refused(message)) = world.try_sql("drop table orders").await else { panic!("refused") };
    assert_eq!(message, "DROP is not allowed; only statements that read are allowed");
}

#[tokio::test]
async fn statements_are_classified_by_their_syntax() {
    let world = World::new();
    for (sql, kind) in [
        ("SELECT 1", StatementKind::Select),
        ("WITH a AS (SELECT 1) SELECT * FROM a", StatementKind::Select),
        ("VALUES (1)", StatementKind::Select),
        ("EXPLAIN SELECT 1", StatementKind::Select),
        ("DESCRIBE t", StatementKind::Select),
        ("SHOW TABLES", StatementKind::Select),
        ("INSERT INTO t VALUES (1)", StatementKind::Insert),
        ("WITH a AS (INSERT INTO t VALUES (1)) SELECT 1", StatementKind::Insert),
        ("UPDATE t SET a = 1", StatementKind::Update),
        ("DELETE FROM t", StatementKind::Delete),
        ("TRUNCATE TABLE t", StatementKind::Delete),
        ("DROP TABLE t", StatementKind::Ddl),
        ("CREATE TABLE t (a INT)", StatementKind::Ddl),
        ("COPY t TO 'x'", StatementKind::Ddl),
        ("SET a = 1", StatementKind::Ddl),
        ("SELECT * INTO x FROM t", StatementKind::Ddl),
        ("SELECT 1; DROP TABLE t", StatementKind::Ddl),
        ("SELEC 1", StatementKind::Unknown),
        ("", StatementKind::Unknown),
        ("SELECT 'open", StatementKind::Unknown),
    ] {
        assert_eq!(world.engine.classify(sql), kind, "{sql}");
    }
}
