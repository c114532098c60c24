//! What a transaction promises, whatever the database.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use db::{DbError, DbSettings, Dialect, params};
use domain::{JobState, TenantId};
use serde_json::json;
use test_support::TestDb;

use crate::build;

test_support::for_each_db! {
    async fn a_dropped_transaction_leaves_nothing(db: TestDb) {
        let tx = db.tx().await;
        build::file(&tx, &db, "a.csv").await;
        drop(tx);
        let tx = db.tx().await;
        build::file(&tx, &db, "b.csv").await;
        tx.rollback().await.expect("rolled back");
        let tx = db.read().await;
        let n: i64 = tx.row("SELECT count(*) AS n FROM flyquery_files", vec![]).await.unwrap().unwrap().get("n").unwrap();
        assert_eq!(n, 0);
    }

    async fn values_come_back_as_they_were_bound(db: TestDb) {
        let tx = db.tx().await;
        tx.execute(
            &match tx.dialect() {
                Dialect::Sqlite => "CREATE TABLE kinds (u blob, t text, i integer, b integer, r real, y blob, j text, w text) STRICT".to_owned(),
                Dialect::Postgres => "CREATE TABLE kinds (u uuid, t timestamptz, i bigint, b boolean, r double precision, y bytea, j jsonb, w text)".to_owned(),
            },
            vec![],
        )
        .await
        .unwrap();
        let id: uuid::Uuid = db.id();
        let time: DateTime<Utc> = "2024-02-29T23:59:59.123456Z".parse().unwrap();
        let payload = json!({"a": [1, null, "x"], "ü": 1.5});
        let sql = "INSERT INTO kinds VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        tx.execute(sql, params![id, time, u64::MAX, true, 0.1, vec![0_u8, 255], &payload, JobState::Running]).await.unwrap();
        let nulls = params![
            None::<uuid::Uuid>, None::<DateTime<Utc>>, None::<i64>, None::<bool>, None::<f64>, None::<Vec<u8>>,
            None::<serde_json::Value>, None::<JobState>
        ];
        tx.execute(sql, nulls).await.unwrap();
        let rows = tx.rows("SELECT * FROM kinds ORDER BY i NULLS LAST", vec![]).await.unwrap();
        let row = &rows[0];
        assert_eq!(row.get::<uuid::Uuid>("u").unwrap(), id);
        assert_eq!(row.get::<DateTime<Utc>>("t").unwrap(), time);
        assert_eq!(row.get::<i64>("i").unwrap(), i64::MAX);
        assert!(row.get::<bool>("b").unwrap());
        assert!((row.get::<f64>("r").unwrap() - 0.1).abs() < f64::EPSILON);
        assert_eq!(row.get::<Vec<u8>>("y").unwrap(), [0, 255]);
        assert_eq!(row.get::<serde_json::Value>("j").unwrap(), payload);
        assert_eq!(row.get::<JobState>("w").unwrap(), JobState::Running);
        for column in ["u", "t", "i", "b", "r", "y", "j", "w"] {
            assert!(matches!(rows[1].get::<String>(column), Err(DbError::Bug(_))), "{column}");
        }
        assert_eq!(rows[1].get::<Option<uuid::Uuid>>("u").unwrap(), None);
        assert_eq!(rows[1].get::<Option<DateTime<Utc>>>("t").unwrap(), None);
        assert_eq!(rows[1].get::<Option<JobState>>("w").unwrap(), None);
        assert_eq!(rows[1].get::<Option<serde_json::Value>>("j").unwrap(), None);
    }

    async fn sql_time_moves_with_the_tests_clock_and_keeps_its_order(db: TestDb) {
        async fn times(db: &TestDb) -> (DateTime<Utc>, DateTime<Utc>, DateTime<Utc>) {
            let tx = db.tx().await;
            let claim = build::job(&tx, db, "PENDING", 0).await;
            let sql = format!(
                "UPDATE flyquery_ingest_jobs SET started_at = {}, lease_until = {}, finished_at = {} WHERE id = $1 \
                 RETURNING started_at, lease_until, finished_at",
                tx.now(), tx.now_plus(-90.5), tx.now_plus_bound("$2")
            );
            let row = tx.row(&sql, params![claim.job_id, 3600.25]).await.unwrap().unwrap();
            (row.get("started_at").unwrap(), row.get("lease_until").unwrap(), row.get("finished_at").unwrap())
        }
        let (now, before, after) = times(&db).await;
        assert_eq!((now - before).num_milliseconds(), 90_500);
        assert_eq!((after - now).num_milliseconds(), 3_600_250);
        db.shift_time(TimeDelta::hours(2));
        let (later, before, after) = times(&db).await;
        assert!((later - now).num_minutes() >= 120, "{later} {now}");
        assert_eq!((later - before).num_milliseconds(), 90_500);
        assert_eq!((after - later).num_milliseconds(), 3_600_250);
        // a bound time and the database's own compare
        let tx = db.tx().await;
        let sql = format!("SELECT CASE WHEN $1 <= {} THEN 1 ELSE 0 END AS past", tx.now());
        let past: i64 = tx.row(&sql, params![later]).await.unwrap().unwrap().get("past").unwrap();
        assert_eq!(past, 1);
    }

    async fn errors_are_classed(db: TestDb) {
        let tx = db.tx().await;
        let first = build::new_table(&db, "orders");
        db::tables::insert(&tx, &first).await.unwrap();
        let sql = format!(
            "INSERT INTO flyquery_tables (id, tenant_id, workspace_id, dataset_id, name, qualified_name, created_at, \
             updated_at) VALUES ($1, 'acme', $2, $3, 'orders', 'x', {now}, {now})", now = tx.now()
        );
        let error = tx.execute(&sql, params![db.id::<uuid::Uuid>(), db.scope().workspace, db.dataset()]).await.unwrap_err();
        assert!(error.is_conflict_on("flyquery_tables") && !error.is_transient(), "{error:?}");
        drop(tx);
        let tx = db.tx().await;
        let error = tx.execute(&sql.replace("'orders'", "'b'"), params![db.id::<uuid::Uuid>(), db.scope().workspace, db.id::<uuid::Uuid>()]).await;
        // SQLite and Postgres both check the key at the statement's end
        assert!(matches!(error, Err(DbError::Missing(_))), "{error:?}");
        drop(tx);
        let tx = db.tx().await;
        let error = tx.execute("SELEKT", vec![]).await.unwrap_err();
        assert!(matches!(error, DbError::Bug(_)), "{error:?}");
        drop(tx);
        let tx = db.tx().await;
        let error = tx.execute("UPDATE flyquery_workspaces SET status = 'SOLD'", vec![]).await.unwrap_err();
        assert!(matches!(error, DbError::Bug(_)), "{error:?}");
    }

    async fn a_read_transaction_sees_one_snapshot_and_cannot_write(db: TestDb) {
        let count = "SELECT count(*) AS n FROM flyquery_files";
        let read = db.read().await;
        let before: i64 = read.row(count, vec![]).await.unwrap().unwrap().get("n").unwrap();
        let tx = db.tx().await;
        build::file(&tx, &db, "a.csv").await;
        tx.commit().await.unwrap();
        let after: i64 = read.row(count, vec![]).await.unwrap().unwrap().get("n").unwrap();
        assert_eq!((before, after), (0, 0));
        assert!(read.execute("DELETE FROM flyquery_files", vec![]).await.is_err());
        drop(read);
        let read = db.read().await;
        let fresh: i64 = read.row(count, vec![]).await.unwrap().unwrap().get("n").unwrap();
        assert_eq!(fresh, 1);
    }

    async fn many_writers_at_once_never_meet_a_busy_database(db: TestDb) {
        let mut tasks = tokio::task::JoinSet::new();
        for worker in 0..8_u32 {
            let (pool, scope, dataset) = (db.db(), db.scope().clone(), db.dataset());
            let names: Vec<_> = (0..10).map(|i| { let mut f = build::new_file(&db, &format!("{worker}-{i}.csv")); f.dataset = dataset; f }).collect();
            tasks.spawn(async move {
                for file in names {
                    let tx = pool.scope(&scope).await?;
                    // read first: a deferred transaction would now fail to become a writer
                    tx.row("SELECT count(*) AS n FROM flyquery_files", vec![]).await?;
                    db::files::insert(&tx, &file).await?;
                    tx.commit().await?;
                }
                Ok::<_, DbError>(())
            });
        }
        while let Some(done) = tasks.join_next().await {
            done.expect("no panic").expect("no error");
        }
        let tx = db.read().await;
        let row = tx.row("SELECT count(*) AS n, count(DISTINCT accepted_seq) AS places FROM flyquery_files", vec![]).await.unwrap().unwrap();
        assert_eq!((row.get::<i64>("n").unwrap(), row.get::<i64>("places").unwrap()), (80, 80));
    }

    async fn a_cancelled_transaction_frees_its_connection(db: TestDb) {
        for _ in 0..20 {
            let pool = db.db();
            let scope = db.scope().clone();
            let work = async move {
                let tx = pool.scope(&scope).await.unwrap();
                tx.execute("UPDATE flyquery_workspaces SET name = 'half'", vec![]).await.unwrap();
                std::future::pending::<()>().await;
            };
            assert!(tokio::time::timeout(Duration::from_millis(30), work).await.is_err());
        }
        let tx = db.tx().await;
        let name: String = tx.row("SELECT name FROM flyquery_workspaces", vec![]).await.unwrap().unwrap().get("name").unwrap();
        assert_eq!(name, "Workspace main");
    }

    async fn a_pool_without_a_free_connection_is_unavailable(db: TestDb) {
        let settings = DbSettings { url: db.url().clone(), max_connections: 1, acquire_timeout: Duration::from_secs(1) };
        let small = db::Db::connect(settings).await.unwrap();
        let held = small.scope(db.scope()).await.unwrap();
        let error = small.scope(db.scope()).await.unwrap_err();
        assert!(error.is_transient(), "{error:?}");
        drop(held);
        small.ping().await.unwrap();
        small.close().await;
        assert!(small.ping().await.unwrap_err().is_transient());
    }

    async fn a_fleet_transaction_is_bound_once(db: TestDb) {
        let other = db.other_scope("rival").await;
        let mut tx = db.fleet().await.unwrap();
        assert!(tx.scope().is_err() && tx.tenant().is_err());
        assert!(db::datasets::get(&tx, db.dataset()).await.is_err());
        tx.bind(db.scope()).unwrap();
        tx.bind(db.scope()).unwrap();
        assert!(tx.bind(&other).is_err());
        assert_eq!(tx.bound(), Some(db.scope()));
        assert!(db::datasets::get(&tx, db.dataset()).await.unwrap().is_some());
    }

    async fn row_level_security_would_know_the_scope(db: TestDb) {
        if db.dialect() == Dialect::Postgres {
            let sql = "SELECT current_setting('app.tenant_id', true) AS t, current_setting('app.workspace_id', true) AS w";
            let tx = db.tx().await;
            let row = tx.row(sql, vec![]).await.unwrap().unwrap();
            assert_eq!(row.get::<String>("t").unwrap(), "acme");
            assert_eq!(row.get::<String>("w").unwrap(), db.scope().workspace.to_string());
            tx.commit().await.unwrap();
            // local to the transaction: nothing is left on the connection
            for _ in 0..4 {
                let tx = db.fleet().await.unwrap();
                let row = tx.row(sql, vec![]).await.unwrap().unwrap();
                assert_eq!(row.get::<Option<String>>("t").unwrap().unwrap_or_default(), "");
                let tenant = db.tenant(&TenantId::new("acme").unwrap()).await.unwrap();
                let row = tenant.row(sql, vec![]).await.unwrap().unwrap();
                assert_eq!(row.get::<String>("t").unwrap(), "acme");
                assert_eq!(row.get::<Option<String>>("w").unwrap().unwrap_or_default(), "");
            }
        }
    }

    async fn statements_run_without_named_prepared_statements(db: TestDb) {
        if let db::DbUrl::Postgres(url) = db.url() {
            let url = db::DbUrl::parse(&format!("{url}?statement-cache-capacity=0")).unwrap();
            let plain = db::Db::connect(DbSettings { url, max_connections: 1, acquire_timeout: Duration::from_secs(5) }).await.unwrap();
            let tx = plain.scope(db.scope()).await.unwrap();
            build::file(&tx, &db, "a.csv").await;
            tx.rows("SELECT * FROM flyquery_files WHERE id <> $1", params![db.id::<uuid::Uuid>()]).await.unwrap();
            let named: i64 = tx.row("SELECT count(*) AS n FROM pg_prepared_statements", vec![]).await.unwrap().unwrap().get("n").unwrap();
            assert_eq!(named, 0);
        }
    }

    async fn a_commit_is_durable_and_in_the_log_ahead(db: TestDb) {
        if db.dialect() == Dialect::Sqlite {
            let tx = db.tx().await;
            let row = tx.row("SELECT * FROM pragma_journal_mode, pragma_synchronous, pragma_foreign_keys, pragma_busy_timeout", vec![]).await.unwrap().unwrap();
            assert_eq!(row.get::<String>("journal_mode").unwrap(), "wal");
            assert_eq!(row.get::<i64>("synchronous").unwrap(), 2);
            assert_eq!(row.get::<i64>("foreign_keys").unwrap(), 1);
            assert_eq!(row.get::<i64>("timeout").unwrap(), 30_000);
        }
    }

    async fn a_full_disk_breaks_one_transaction_and_no_later_one(db: TestDb) {
        if db.dialect() == Dialect::Sqlite {
            let tx = db.tx().await;
            tx.execute("CREATE TABLE filler (t text NOT NULL) STRICT", vec![]).await.unwrap();
            tx.commit().await.unwrap();
            let tx = db.tx().await;
            tx.row("PRAGMA max_page_count = 1", vec![]).await.unwrap();
            let mut failed = None;
            for _ in 0..2_000 {
                let inserted = tx.execute("INSERT INTO filler VALUES ($1)", params!["x".repeat(50_000)]).await;
                if let Err(error) = inserted {
                    failed = Some(error);
                    break;
                }
            }
            let error = failed.expect("the database may not grow");
            assert!(matches!(error, DbError::Full(_)), "{error:?}");
            drop(tx.commit().await);
            for _ in 0..3 {
                // a new connection has no bound
                let tx = db.tx().await;
                build::file(&tx, &db, "later.csv").await;
                tx.commit().await.expect("committed");
            }
            db.db().ping().await.expect("writes are possible again");
        }
    }
}
