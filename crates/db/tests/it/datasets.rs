//! Datasets.

use db::datasets::{self, DatasetFilter, DatasetUpdate, NewDataset};
use db::{DbError, Page, params};
use domain::{DatasetId, DriftPolicy, Lifecycle};
use serde_json::json;

const PAGE: Page = Page { limit: 100, offset: 0 };

test_support::for_each_db! {
    async fn a_dataset_is_read_as_it_was_made(db: TestDb) {
        let tx = db.tx().await;
        let mut new = NewDataset::named(db.id(), "crm");
        new.drift_policy = DriftPolicy::Manual;
        new.ingest_policy = json!({"skip_stages": ["sample"]});
        let row = datasets::insert(&tx, &new).await.unwrap();
        assert_eq!((row.drift_policy, row.status), (DriftPolicy::Manual, Lifecycle::Active));
        assert_eq!(row.ingest_policy, new.ingest_policy);
        assert_eq!(datasets::get(&tx, new.id).await.unwrap().as_ref(), Some(&row));
        assert_eq!(datasets::by_name(&tx, "crm").await.unwrap(), Some(row));
        assert_eq!(datasets::by_name(&tx, "CRM").await.unwrap(), None);
    }

    async fn archiving_frees_the_name_and_keeps_the_row(db: TestDb) {
        let tx = db.tx().await;
        let archived = datasets::archive(&tx, db.dataset()).await.unwrap().unwrap();
        assert_eq!(archived.status, Lifecycle::Archived);
        assert_eq!(datasets::by_name(&tx, "sales").await.unwrap(), None);
        assert!(datasets::get(&tx, db.dataset()).await.unwrap().is_some());
        let fresh = datasets::get_or_create(&tx, &NewDataset::named(db.id(), "sales")).await.unwrap();
        assert_ne!(fresh.id, db.dataset());
        let same = datasets::get_or_create(&tx, &NewDataset::named(db.id(), "sales")).await.unwrap();
        assert_eq!(same.id, fresh.id);
        assert_eq!(datasets::archive(&tx, db.id()).await.unwrap(), None);
        let error = datasets::insert(&tx, &NewDataset::named(db.id(), "sales")).await.unwrap_err();
        assert!(error.is_conflict_on("flyquery_datasets"), "{error:?}");
    }

    async fn a_rename_to_a_taken_name_is_a_conflict(db: TestDb) {
        let tx = db.tx().await;
        let other = datasets::insert(&tx, &NewDataset::named(db.id(), "b")).await.unwrap();
        let update = DatasetUpdate { description: Some("d".into()), ..DatasetUpdate::default() };
        let row = datasets::update(&tx, other.id, &update).await.unwrap().unwrap();
        assert_eq!((row.name.as_str(), row.description.as_deref()), ("b", Some("d")));
        let update = DatasetUpdate { name: Some("sales".into()), ..DatasetUpdate::default() };
        let error = datasets::update(&tx, other.id, &update).await.unwrap_err();
        assert!(matches!(error, DbError::Conflict { .. }), "{error:?}");
    }

    async fn lists_are_filtered_by_text_name_and_status(db: TestDb) {
        let tx = db.tx().await;
        let mut new = NewDataset::named(db.id(), "crm");
        new.description = Some("Customers of SALES".into());
        datasets::insert(&tx, &new).await.unwrap();
        let q = DatasetFilter { q: Some("sales".into()), ..DatasetFilter::default() };
        assert_eq!(datasets::list(&tx, &q, PAGE).await.unwrap().total, 2);
        let name = DatasetFilter { name: Some("sales".into()), ..DatasetFilter::default() };
        assert_eq!(datasets::list(&tx, &name, PAGE).await.unwrap().total, 1);
        datasets::archive(&tx, new.id).await.unwrap();
        let archived = DatasetFilter { status: Some(Lifecycle::Archived), ..DatasetFilter::default() };
        assert_eq!(datasets::list(&tx, &archived, PAGE).await.unwrap().items[0].id, new.id);
        tx.execute("UPDATE flyquery_datasets SET status = 'PURGING' WHERE id = $1", params![new.id]).await.unwrap();
        assert_eq!(datasets::list(&tx, &DatasetFilter::default(), PAGE).await.unwrap().total, 1);
        assert_eq!(datasets::get(&tx, new.id).await.unwrap(), None);
        assert_eq!(datasets::update(&tx, new.id, &DatasetUpdate::default()).await.unwrap(), None);
    }

    async fn the_default_dataset_is_made_once_by_many(db: TestDb) {
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..6 {
            let (pool, scope, id) = (db.db(), db.scope().clone(), db.id::<DatasetId>());
            tasks.spawn(async move {
                let tx = pool.scope(&scope).await?;
                let row = datasets::get_or_create(&tx, &NewDataset::named(id, "default")).await?;
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
}
