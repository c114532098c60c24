//! The tenant wall: what another tenant or workspace holds does not exist.

use db::{Page, datasets, files, relations, schema_changes, schema_objects, snapshots, tables, workspaces};
use domain::ports::relation_proposer::RelationProposal;
use domain::semantic::{PiiTag, RelationKind, RelationStatus};
use domain::{Compression, FileFormat, FileStatus, RelationId};

use crate::build;

const PAGE: Page = Page { limit: 10, offset: 0 };

test_support::for_each_db! {
    async fn nothing_of_another_workspace_is_read_or_changed(db: TestDb) {
        let tx = db.tx().await;
        let file = build::file(&tx, &db, "a.csv").await;
        let table = build::table(&tx, &db, "orders").await;
        let snapshot = build::published(&tx, &db, &table).await;
        let half = build::partial(&tx, &db, &table).await;
        let objects = build::objects(&tx, &db, &snapshot, &table).await;
        let relation = RelationProposal {
            from_table: table.id, from_column: "id".into(), to_table: table.id, to_column: "price".into(), confidence: 1.0,
            reason: String::new(), kind: RelationKind::Manual,
        };
        let relation_id = db.id::<RelationId>();
        relations::propose(&tx, db.dataset(), &[(relation_id, relation)]).await.unwrap();
        tx.commit().await.unwrap();

        let same_tenant = db.other_scope("acme").await;
        let other_tenant = db.other_scope("rival").await;
        for scope in [same_tenant, other_tenant] {
            let tx = db.db().scope(&scope).await.unwrap();
            assert!(datasets::get(&tx, db.dataset()).await.unwrap().is_none());
            assert!(datasets::by_name(&tx, "sales").await.unwrap().is_none());
            assert!(datasets::archive(&tx, db.dataset()).await.unwrap().is_none());
            assert!(files::get(&tx, file.id).await.unwrap().is_none());
            assert!(!files::set_status(&tx, file.id, FileStatus::Deleted, None).await.unwrap());
            assert!(!files::set_format(&tx, file.id, FileFormat::Json, Compression::None).await.unwrap());
            assert!(files::insert(&tx, &build::new_file(&db, "b.csv")).await.is_err());
            assert!(tables::get(&tx, table.id).await.unwrap().is_none());
            assert!(tables::lock(&tx, table.id).await.unwrap().is_none());
            assert!(tables::find(&tx, db.dataset(), "orders").await.unwrap().is_none());
            assert!(tables::list_active(&tx, db.dataset()).await.unwrap().is_empty());
            assert!(tables::insert(&tx, &build::new_table(&db, "mine")).await.unwrap().is_none());
            assert!(tables::set_active(&tx, table.id, false).await.unwrap().is_none());
            assert!(!tables::set_current(&tx, table.id, half.id, None, None).await.unwrap());
            assert!(snapshots::get(&tx, snapshot.id).await.unwrap().is_none());
            assert!(snapshots::list(&tx, table.id).await.unwrap().is_empty());
            assert!(snapshots::by_ids(&tx, &[snapshot.id]).await.unwrap().is_empty());
            assert!(snapshots::published(&tx, db.dataset()).await.unwrap().is_empty());
            assert!(snapshots::published_at(&tx, db.dataset(), &[snapshot.id]).await.unwrap().is_empty());
            assert!(snapshots::published_table(&tx, table.id).await.unwrap().is_none());
            assert!(snapshots::current(&tx, table.id).await.unwrap().is_none());
            assert!(!snapshots::mark_ready(&tx, half.id).await.unwrap());
            assert!(snapshots::delete_partial_of_job(&tx, half.job.unwrap()).await.unwrap().is_empty());
            assert!(snapshots::insert_partial(&tx, &build::new_snapshot(&db, &table)).await.is_err());
            assert!(schema_objects::list(&tx, snapshot.id).await.unwrap().is_empty());
            let said = schema_objects::ObjectUpdate { pii_tag: Some(PiiTag::Email), ..Default::default() };
            assert!(schema_objects::update_by_person(&tx, objects[1].id, &said).await.unwrap().is_none());
            schema_objects::set_samples(&tx, &[(objects[1].id, vec!["theirs".into()])]).await.unwrap();
            assert!(schema_changes::list(&tx, table.id).await.unwrap().is_empty());
            assert!(relations::list(&tx, db.dataset(), None).await.unwrap().is_empty());
            assert!(relations::set_status(&tx, relation_id, RelationStatus::Rejected, None).await.unwrap().is_none());
            tx.commit().await.unwrap();
        }
        let tx = db.read().await;
        assert!(tables::get(&tx, table.id).await.unwrap().unwrap().is_active);
        assert_eq!(schema_objects::get(&tx, objects[1].id).await.unwrap().unwrap().samples, None);
    }

    async fn another_tenants_workspace_does_not_exist(db: TestDb) {
        let other = db.other_scope("rival").await;
        let tx = db.tenant(&other.tenant).await.unwrap();
        let id = db.scope().workspace;
        assert!(workspaces::get(&tx, id).await.unwrap().is_none());
        assert!(workspaces::find(&tx, &id.to_string()).await.unwrap().is_none());
        assert!(workspaces::by_slug(&tx, "main").await.unwrap().is_none());
        assert_eq!(workspaces::list(&tx, &workspaces::WorkspaceFilter::default(), PAGE).await.unwrap().total, 1);
        let update = workspaces::WorkspaceUpdate { name: Some("taken".into()), ..Default::default() };
        assert!(workspaces::update(&tx, id, &update).await.unwrap().is_none());
        drop(tx);
        // a scope whose workspace is another tenant's finds nothing and makes nothing
        let mixed = domain::Scope { tenant: other.tenant.clone(), workspace: id };
        let tx = db.db().scope(&mixed).await.unwrap();
        assert!(datasets::get(&tx, db.dataset()).await.unwrap().is_none());
        assert!(datasets::insert(&tx, &datasets::NewDataset::named(db.id(), "x")).await.is_err());
        assert!(workspaces::add_storage(&tx, 1).await.is_err());
    }
}
