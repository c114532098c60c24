//! Tables.

use db::tables::{self, ByName, TableFilter, TableUpdate};
use db::{DbError, Page, datasets, params, snapshots};
use domain::semantic::DescriptionSource;
use domain::table::TableKind;
use domain::{JobId, TableId};

use crate::build;

const PAGE: Page = Page { limit: 100, offset: 0 };

test_support::for_each_db! {
    async fn a_table_is_hidden_until_its_first_snapshot_is_current(db: TestDb) {
        let tx = db.tx().await;
        let table = build::table(&tx, &db, "orders").await;
        assert_eq!(tables::get(&tx, table.id).await.unwrap(), None);
        assert!(tables::list_active(&tx, db.dataset()).await.unwrap().is_empty());
        assert_eq!(tables::by_name(&tx, "orders", None).await.unwrap(), ByName::None);
        assert_eq!(tables::list(&tx, &TableFilter::default(), PAGE).await.unwrap().total, 0);
        assert_eq!(tables::update(&tx, table.id, &TableUpdate::default()).await.unwrap(), None);
        assert!(tables::find(&tx, db.dataset(), "orders").await.unwrap().is_some());
        let snapshot = build::published(&tx, &db, &table).await;
        let shown = tables::get(&tx, table.id).await.unwrap().unwrap();
        assert_eq!((shown.current_snapshot, shown.n_columns), (Some(snapshot.id), Some(2)));
        assert_eq!(tables::list_active(&tx, db.dataset()).await.unwrap(), [shown]);
    }

    async fn the_loser_of_a_race_for_a_name_finds_the_winners_table(db: TestDb) {
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..6 {
            let (pool, scope, new) = (db.db(), db.scope().clone(), build::new_table(&db, "orders"));
            tasks.spawn(async move {
                let tx = pool.scope(&scope).await?;
                let row = match tables::insert(&tx, &new).await? {
                    Some(row) => (row, true),
                    None => (tables::find(&tx, new.dataset, &new.name).await?.expect("the winner's"), false),
                };
                tx.commit().await?;
                Ok::<_, DbError>((row.0.id, row.1))
            });
        }
        let (mut ids, mut made) = (std::collections::HashSet::new(), 0);
        while let Some(done) = tasks.join_next().await {
            let (id, fresh) = done.unwrap().unwrap();
            ids.insert(id);
            made += u32::from(fresh);
        }
        assert_eq!((ids.len(), made), (1, 1));
    }

    async fn an_inactive_table_has_no_name_and_comes_back_with_an_upload(db: TestDb) {
        let tx = db.tx().await;
        let table = build::table(&tx, &db, "orders").await;
        build::published(&tx, &db, &table).await;
        let away = tables::set_active(&tx, table.id, false).await.unwrap().unwrap();
        assert!(!away.is_active && away.archived_at.is_some());
        assert_eq!(tables::by_name(&tx, "orders", None).await.unwrap(), ByName::None);
        let inactive = TableFilter { is_active: false, ..TableFilter::default() };
        assert_eq!(tables::list(&tx, &inactive, PAGE).await.unwrap().total, 1);
        assert_eq!(tables::list(&tx, &TableFilter::default(), PAGE).await.unwrap().total, 0);
        assert!(snapshots::published(&tx, db.dataset()).await.unwrap().is_empty());
        // found by the pipeline all the same
        let found = tables::find(&tx, db.dataset(), "orders").await.unwrap().unwrap();
        build::published(&tx, &db, &found).await;
        let back = tables::get(&tx, table.id).await.unwrap().unwrap();
        assert!(back.is_active && back.archived_at.is_none());
    }

    async fn a_name_in_two_datasets_is_ambiguous(db: TestDb) {
        let tx = db.tx().await;
        let other = datasets::insert(&tx, &datasets::NewDataset::named(db.id(), "crm")).await.unwrap();
        let first = build::table(&tx, &db, "orders").await;
        build::published(&tx, &db, &first).await;
        let ByName::One(only) = tables::by_name(&tx, "orders", None).await.unwrap() else { panic!("one") };
        assert_eq!(only.id, first.id);
        let mut new = build::new_table(&db, "orders");
        new.dataset = other.id;
        new.kind = TableKind::Derived;
        let second = tables::insert(&tx, &new).await.unwrap().unwrap();
        build::published(&tx, &db, &second).await;
        assert_eq!(tables::by_name(&tx, "orders", None).await.unwrap(), ByName::Ambiguous);
        let ByName::One(one) = tables::by_name(&tx, "orders", Some(other.id)).await.unwrap() else { panic!("one") };
        assert_eq!(one.id, second.id);
        let derived = TableFilter { kind: Some(TableKind::Derived), dataset: Some(other.id), ..TableFilter::default() };
        assert_eq!(tables::list(&tx, &derived, PAGE).await.unwrap().total, 1);
        let q = TableFilter { q: Some("SALES.ord".into()), name: Some("orders".into()), ..TableFilter::default() };
        assert_eq!(tables::list(&tx, &q, PAGE).await.unwrap().total, 2);
    }

    async fn what_a_person_says_about_a_table_is_kept(db: TestDb) {
        let tx = db.tx().await;
        let table = build::table(&tx, &db, "orders").await;
        build::published(&tx, &db, &table).await;
        let update = TableUpdate { description: Some("All orders".into()), business_owner: Some("Bo".into()), ..TableUpdate::default() };
        let row = tables::update(&tx, table.id, &update).await.unwrap().unwrap();
        assert_eq!((row.description_source, row.business_owner.as_deref()), (Some(DescriptionSource::Human), Some("Bo")));
        let row = tables::update(&tx, table.id, &TableUpdate::default()).await.unwrap().unwrap();
        assert_eq!(row.description.as_deref(), Some("All orders"));
    }

    async fn tables_of_a_purging_dataset_are_not_seen(db: TestDb) {
        let tx = db.tx().await;
        let table = build::table(&tx, &db, "orders").await;
        build::published(&tx, &db, &table).await;
        tx.execute("UPDATE flyquery_datasets SET status = 'PURGING' WHERE id = $1", params![db.dataset()]).await.unwrap();
        assert_eq!(tables::get(&tx, table.id).await.unwrap(), None);
        assert_eq!(tables::list(&tx, &TableFilter::default(), PAGE).await.unwrap().total, 0);
        assert!(snapshots::published(&tx, db.dataset()).await.unwrap().is_empty());
        assert_eq!(snapshots::published_table(&tx, table.id).await.unwrap(), None);
    }

    async fn a_job_without_effect_leaves_no_table(db: TestDb) {
        let tx = db.tx().await;
        let job = db.id::<JobId>();
        let make = |name: &str| db::tables::NewTable { job: Some(job), ..build::new_table(&db, name) };
        let empty = tables::insert(&tx, &make("empty")).await.unwrap().unwrap();
        let shared = tables::insert(&tx, &make("shared")).await.unwrap().unwrap();
        let live = tables::insert(&tx, &make("live")).await.unwrap().unwrap();
        // another job's snapshot in the table that this one made
        build::partial(&tx, &db, &shared).await;
        build::published(&tx, &db, &live).await;
        assert_eq!(tables::delete_unpublished_of_job(&tx, job).await.unwrap(), 1);
        let left = |id: TableId| tables::lock(&tx, id);
        assert!(left(empty.id).await.unwrap().is_none());
        assert!(left(shared.id).await.unwrap().is_some() && left(live.id).await.unwrap().is_some());
        assert_eq!(tables::delete_unpublished_of_job(&tx, db.id()).await.unwrap(), 0);
    }
}
