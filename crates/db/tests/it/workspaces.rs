//! Workspaces.

use db::workspaces::{self, NewWorkspace, WorkspaceFilter, WorkspaceUpdate};
use db::{DbError, Page, params};
use domain::{Lifecycle, Locale, WorkspaceId};
use serde_json::json;
use test_support::TestDb;

fn new(db: &TestDb, slug: &str) -> NewWorkspace {
    NewWorkspace {
        id: db.id::<WorkspaceId>(),
        slug: slug.to_owned(),
        name: format!("The {slug}"),
        kms_key_uri: None,
        retention_days: Some(30),
        allow_direct_sql: false,
        default_locale: Locale::new("de-DE"),
        metadata: json!({"team": "x"}),
    }
}

const PAGE: Page = Page { limit: 100, offset: 0 };

test_support::for_each_db! {
    async fn a_workspace_is_read_as_it_was_made(db: TestDb) {
        let tx = db.tenant(&db.scope().tenant).await.unwrap();
        let wanted = new(&db, "lab");
        let row = workspaces::insert(&tx, &wanted).await.unwrap();
        assert_eq!((row.status, row.storage_used_bytes, row.retention_days), (Lifecycle::Active, 0, Some(30)));
        assert_eq!((row.default_locale.as_str(), &row.metadata), ("de-DE", &wanted.metadata));
        assert_eq!(workspaces::get(&tx, wanted.id).await.unwrap().as_ref(), Some(&row));
        assert_eq!(workspaces::by_slug(&tx, "lab").await.unwrap().as_ref(), Some(&row));
        let loud = wanted.id.to_string().to_uppercase();
        assert_eq!(workspaces::find(&tx, &loud).await.unwrap().as_ref(), Some(&row));
        assert_eq!(workspaces::find(&tx, "lab").await.unwrap().as_ref(), Some(&row));
        assert_eq!(workspaces::find(&tx, "nowhere").await.unwrap(), None);
    }

    async fn a_slug_is_taken_once_per_tenant(db: TestDb) {
        db.other_scope("rival").await;
        let tx = db.tenant(&db.scope().tenant).await.unwrap();
        workspaces::insert(&tx, &new(&db, "other")).await.unwrap();
        let again = workspaces::get_or_create(&tx, &new(&db, "other")).await.unwrap();
        assert_eq!(again.name, "The other");
        let error = workspaces::insert(&tx, &new(&db, "other")).await.unwrap_err();
        assert!(error.is_conflict_on("flyquery_workspaces"), "{error:?}");
    }

    async fn the_default_workspace_is_made_once_by_many(db: TestDb) {
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..6 {
            let (pool, tenant, wanted) = (db.db(), db.scope().tenant.clone(), new(&db, "default"));
            tasks.spawn(async move {
                let tx = pool.tenant(&tenant).await?;
                let row = workspaces::get_or_create(&tx, &wanted).await?;
                tx.commit().await?;
                Ok::<_, DbError>(row.id)
            });
        }
        let mut ids = std::collections::HashSet::new();
        while let Some(id) = tasks.join_next().await {
            ids.insert(id.unwrap().unwrap());
        }
        assert_eq!(ids.len(), 1);
    }

    async fn lists_are_filtered_counted_and_newest_first(db: TestDb) {
        for slug in ["a_b", "axb", "zeta"] {
            let tx = db.tenant(&db.scope().tenant).await.unwrap();
            workspaces::insert(&tx, &new(&db, slug)).await.unwrap();
            tx.commit().await.unwrap();
            db.shift_time(chrono::TimeDelta::seconds(1));
        }
        let tx = db.tenant_read(&db.scope().tenant).await.unwrap();
        let slugs = |list: db::Paged<db::WorkspaceRow>| (list.items.into_iter().map(|w| w.slug).collect::<Vec<_>>(), list.total);
        let all = workspaces::list(&tx, &WorkspaceFilter::default(), Page { limit: 2, offset: 1 }).await.unwrap();
        assert_eq!(slugs(all), (vec!["axb".into(), "a_b".into()], 4));
        // an underscore is no wildcard, and case does not matter
        let q = WorkspaceFilter { q: Some("A_B".into()), ..WorkspaceFilter::default() };
        assert_eq!(slugs(workspaces::list(&tx, &q, PAGE).await.unwrap()), (vec!["a_b".into()], 1));
        let q = WorkspaceFilter { q: Some("the Z".into()), status: Some(Lifecycle::Active), ..WorkspaceFilter::default() };
        assert_eq!(slugs(workspaces::list(&tx, &q, PAGE).await.unwrap()), (vec!["zeta".into()], 1));
        let gone = WorkspaceFilter { status: Some(Lifecycle::Archived), ..WorkspaceFilter::default() };
        assert_eq!(workspaces::list(&tx, &gone, PAGE).await.unwrap().total, 0);
    }

    async fn an_update_leaves_out_what_is_none(db: TestDb) {
        let tx = db.tenant(&db.scope().tenant).await.unwrap();
        let before = workspaces::insert(&tx, &new(&db, "lab")).await.unwrap();
        let update = WorkspaceUpdate { name: Some("New".into()), allow_direct_sql: Some(true), ..WorkspaceUpdate::default() };
        let after = workspaces::update(&tx, before.id, &update).await.unwrap().unwrap();
        assert_eq!((after.name.as_str(), after.allow_direct_sql, after.retention_days), ("New", true, Some(30)));
        assert_eq!(after.metadata, before.metadata);
        assert_eq!(workspaces::update(&tx, db.id(), &update).await.unwrap(), None);
    }

    async fn storage_is_summed_and_never_negative(db: TestDb) {
        let tx = db.tx().await;
        assert_eq!(workspaces::add_storage(&tx, 3 << 40).await.unwrap(), 3 << 40);
        assert_eq!(workspaces::add_storage(&tx, -5).await.unwrap(), (3 << 40) - 5);
        assert_eq!(workspaces::add_storage(&tx, i64::MIN / 2).await.unwrap(), 0);
    }

    async fn a_purging_workspace_is_not_seen(db: TestDb) {
        let tx = db.tx().await;
        tx.execute("UPDATE flyquery_workspaces SET status = 'PURGING' WHERE id = $1", params![db.scope().workspace]).await.unwrap();
        assert_eq!(workspaces::find(&tx, "main").await.unwrap(), None);
        assert_eq!(workspaces::get(&tx, db.scope().workspace).await.unwrap(), None);
        assert_eq!(workspaces::list(&tx, &WorkspaceFilter::default(), PAGE).await.unwrap().total, 0);
    }
}
