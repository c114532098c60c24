//! The schema's history.

use db::{DbError, Dialect, params};

test_support::for_each_db! {
    async fn migrating_twice_does_nothing(db: TestDb) {
        let report = db.migrate().await.unwrap();
        assert!(report.applied.is_empty() && report.current >= 3, "{report:?}");
        assert!(db.pending_migrations().await.unwrap().is_empty());
    }

    async fn migrators_that_start_together_take_turns(db: TestDb) {
        let tx = db.fleet().await.unwrap();
        let tables = match tx.dialect() {
            Dialect::Sqlite => "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'flyquery_%'",
            Dialect::Postgres => "SELECT tablename::text AS name FROM pg_tables WHERE tablename LIKE 'flyquery_%'",
        };
        let cascade = if tx.dialect() == Dialect::Postgres { " CASCADE" } else { "" };
        // references point from later tables to earlier ones
        for name in [
            "schema_migrations", "agent_tokens", "cost_events", "audit_events", "idempotency_keys", "pending_objects",
            "event_outbox", "callback_attempts", "callback_outbox", "ingest_events", "ingest_jobs", "relations",
            "schema_objects", "schema_search", "schema_changes", "schema_snapshots", "tables", "files", "datasets", "workspaces",
        ] {
            // only SQLite has a table for its text index
            tx.execute(&format!("DROP TABLE IF EXISTS flyquery_{name}{cascade}"), vec![]).await.unwrap();
        }
        assert!(tx.rows(tables, vec![]).await.unwrap().is_empty());
        tx.commit().await.unwrap();
        assert_eq!(db.pending_migrations().await.unwrap(), [1, 2, 3]);
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..4 {
            let other = db.second().await;
            tasks.spawn(async move { other.migrate().await });
        }
        let mut applied = Vec::new();
        while let Some(done) = tasks.join_next().await {
            applied.extend(done.unwrap().unwrap().applied);
        }
        assert_eq!(applied, [1, 2, 3]);
    }

    async fn a_database_of_a_newer_version_is_refused(db: TestDb) {
        let tx = db.fleet().await.unwrap();
        let sql = format!("INSERT INTO flyquery_schema_migrations (id, name, checksum, applied_at) VALUES ($1, 'x', 'y', {})", tx.now());
        tx.execute(&sql, params![999_i64]).await.unwrap();
        tx.commit().await.unwrap();
        let error = db.migrate().await.unwrap_err();
        assert!(matches!(error, DbError::Newer { found: 999, .. }), "{error:?}");
        assert!(error.to_string().contains("newer version"), "{error}");
        assert!(db.pending_migrations().await.is_err());
    }

    async fn an_edited_migration_is_noticed(db: TestDb) {
        let tx = db.fleet().await.unwrap();
        tx.execute("UPDATE flyquery_schema_migrations SET checksum = 'x' WHERE id = 1", vec![]).await.unwrap();
        tx.commit().await.unwrap();
        assert!(matches!(db.migrate().await, Err(DbError::Bug(_))));
    }

    async fn attempts_can_be_given_back_but_never_below_zero(db: TestDb) {
        let tx = db.tx().await;
        let claim = crate::build::job(&tx, &db, "PENDING", 0).await;
        let error = tx.execute("UPDATE flyquery_ingest_jobs SET attempts = -1 WHERE id = $1", params![claim.job_id]).await;
        assert!(error.is_err());
    }

    async fn claims_and_leases_are_found_by_an_index(db: TestDb) {
        let tx = db.tx().await;
        let now = tx.now();
        let queue = format!("SELECT id FROM flyquery_ingest_jobs WHERE status = 'PENDING' AND run_after <= {now} ORDER BY run_after, id LIMIT 4");
        let leases = format!("SELECT id FROM flyquery_ingest_jobs WHERE status = 'RUNNING' AND lease_until < {now}");
        for (sql, index) in [(queue, "flyquery_ingest_jobs_queue"), (leases, "flyquery_ingest_jobs_leases")] {
            let plan: String = match tx.dialect() {
                Dialect::Sqlite => {
                    let rows = tx.rows(&format!("EXPLAIN QUERY PLAN {sql}"), vec![]).await.unwrap();
                    rows.iter().map(|row| row.get::<String>("detail").unwrap()).collect()
                }
                Dialect::Postgres => {
                    tx.execute("SET LOCAL enable_seqscan = off", vec![]).await.unwrap();
                    let rows = tx.rows(&format!("EXPLAIN {sql}"), vec![]).await.unwrap();
                    rows.iter().map(|row| row.get::<String>("QUERY PLAN").unwrap()).collect()
                }
            };
            assert!(plan.contains(index), "{plan}");
        }
    }
}
