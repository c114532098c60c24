//! Uploaded files.

use db::files;
use db::{DbError, Page};
use domain::{Compression, FileFormat, FileStatus};
use serde_json::json;

use crate::build;

const PAGE: Page = Page { limit: 100, offset: 0 };

test_support::for_each_db! {
    async fn a_file_accepted_later_has_a_higher_place(db: TestDb) {
        let mut places = Vec::new();
        for name in ["a.csv", "b.csv", "c.csv"] {
            let tx = db.tx().await;
            places.push(build::file(&tx, &db, name).await.accepted_seq);
            tx.commit().await.unwrap();
        }
        assert!(places.is_sorted_by(|a, b| a < b), "{places:?}");
        let tx = db.read().await;
        let list = files::list(&tx, db.dataset(), PAGE).await.unwrap();
        let names: Vec<_> = list.items.iter().map(|f| f.original_filename.as_str()).collect();
        assert_eq!((names, list.total), (vec!["c.csv", "b.csv", "a.csv"], 3));
    }

    async fn a_rejected_file_keeps_its_reason_and_may_have_no_format(db: TestDb) {
        let tx = db.tx().await;
        let mut new = build::new_file(&db, "noise.bin");
        new.file_format = None;
        let row = files::insert(&tx, &new).await.unwrap();
        assert_eq!((row.status, row.file_format), (FileStatus::Received, None));
        let reason = json!({"code": "UNSUPPORTED_FORMAT"});
        assert!(files::set_status(&tx, row.id, FileStatus::Failed, Some(&reason)).await.unwrap());
        let row = files::get(&tx, row.id).await.unwrap().unwrap();
        assert_eq!((row.status, row.error), (FileStatus::Failed, Some(reason)));
        // a REPARSE that succeeds clears it
        assert!(files::set_format(&tx, row.id, FileFormat::Json, Compression::Gz).await.unwrap());
        assert!(files::set_status(&tx, row.id, FileStatus::Parsed, None).await.unwrap());
        let row = files::get(&tx, row.id).await.unwrap().unwrap();
        assert_eq!((row.file_format, row.compression, row.error), (Some(FileFormat::Json), Compression::Gz, None));
    }

    async fn a_deleted_file_is_marked_and_stays_deleted(db: TestDb) {
        let tx = db.tx().await;
        let row = build::file(&tx, &db, "a.csv").await;
        assert!(files::set_status(&tx, row.id, FileStatus::Deleted, None).await.unwrap());
        assert!(!files::set_status(&tx, row.id, FileStatus::Parsed, None).await.unwrap());
        assert_eq!(files::list(&tx, db.dataset(), PAGE).await.unwrap().total, 0);
        assert_eq!(files::get(&tx, row.id).await.unwrap().unwrap().status, FileStatus::Deleted);
    }

    async fn a_file_needs_its_dataset(db: TestDb) {
        let tx = db.tx().await;
        let mut new = build::new_file(&db, "a.csv");
        new.dataset = db.id();
        assert!(matches!(files::insert(&tx, &new).await, Err(DbError::Missing(_))));
    }
}
