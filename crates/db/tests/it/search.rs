//! What search reads stands in step with the objects: written, changed and removed in their transactions.

use db::schema_objects::{self, NewDescription, NewEmbedding, ObjectUpdate};
use db::search::{self, SearchFilter};
use db::{Dialect, ObjectRow, SnapshotRow, TableRow, Tx, datasets, params, snapshots, tables};
use domain::ObjectId;
use domain::search::{Term, words};
use domain::semantic::{DescriptionSource, SemanticType};
use domain::table::ObjectKind;
use test_support::TestDb;

use crate::build;

const MODEL: &str = "two-numbers";
const ALL: SearchFilter = SearchFilter { dataset: None, table: None, kind: None };

fn terms(text: &str) -> Vec<Term> {
    words(text).into_iter().map(|word| Term { prefix: word.len() > 3, word }).collect()
}

async fn names(tx: &Tx, filter: &SearchFilter, text: &str) -> Vec<String> {
    let ids = search::by_words(tx, filter, &terms(text), 50).await.unwrap();
    let rows = schema_objects::by_ids(tx, &ids).await.unwrap();
    let name = |id: &ObjectId| rows.iter().find(|row| row.id == *id).unwrap().qualified_name.clone();
    ids.iter().map(name).collect()
}

async fn vectors(tx: &Tx, filter: &SearchFilter) -> Vec<(ObjectId, Vec<u8>)> {
    let mut all = Vec::new();
    search::each_vector(tx, filter, MODEL, |id, bytes| all.push((id, bytes.to_vec()))).await.unwrap();
    all.sort();
    all
}

/// Vectors and words of a snapshot's objects, as stage 9 writes them.
async fn embed(tx: &Tx, snapshot: &SnapshotRow) -> Vec<ObjectRow> {
    let objects = schema_objects::list(tx, snapshot.id).await.unwrap();
    let new: Vec<NewEmbedding> =
        objects.iter().map(|o| NewEmbedding { id: o.id, vector: vec![1.0, 0.5], text: o.search_text() }).collect();
    schema_objects::set_embeddings(tx, MODEL, &new).await.unwrap();
    objects
}

/// A published table that can be found, with its objects: table, `id`, `price`.
async fn findable(tx: &Tx, db: &TestDb, name: &str) -> (TableRow, SnapshotRow, Vec<ObjectRow>) {
    let table = build::table(tx, db, name).await;
    let snapshot = build::published(tx, db, &table).await;
    build::objects(tx, db, &snapshot, &table).await;
    let objects = embed(tx, &snapshot).await;
    (table, snapshot, objects)
}

/// Entries of the text index that hold the word, whatever object they belong to.
async fn entries(tx: &Tx, word: &str) -> i64 {
    let sql = match tx.dialect() {
        Dialect::Sqlite => "SELECT count(*) AS n FROM flyquery_schema_search WHERE flyquery_schema_search MATCH $1",
        Dialect::Postgres => {
            "SELECT count(*) AS n FROM flyquery_schema_objects WHERE search_words @@ to_tsquery('english', $1)"
        }
    };
    tx.row(sql, params![word]).await.unwrap().unwrap().get("n").unwrap()
}

/// FTS5 compares its index with the rows it was made of.
async fn assert_sound(tx: &Tx) {
    if tx.dialect() == Dialect::Sqlite {
        let check = "INSERT INTO flyquery_schema_search (flyquery_schema_search, rank) VALUES ('integrity-check', 1)";
        tx.execute(check, vec![]).await.expect("index and rows agree");
    }
}

test_support::for_each_db! {
    async fn words_are_found_in_any_form_and_names_come_first(db: TestDb) {
        let tx = db.tx().await;
        let (_, _, objects) = findable(&tx, &db, "allOrders").await;
        findable(&tx, &db, "customers").await;
        let said = ObjectUpdate { description: Some("Given before the prices.".into()), ..Default::default() };
        schema_objects::update_by_person(&tx, objects[1].id, &said).await.unwrap();
        let prices = names(&tx, &ALL, "PRICES").await;
        assert!(prices[..2].iter().all(|name| name.rsplit('.').next() == Some("price")), "{prices:?}");
        assert_eq!(prices[2..], ["sales.allOrders.id"]);
        assert_eq!(names(&tx, &ALL, "order").await[0], "sales.allOrders");
        assert_eq!(names(&tx, &ALL, "custom").await.len(), 3);
        assert_eq!(names(&tx, &ALL, "nothing like it").await, [""; 0]);
        assert!(search::by_words(&tx, &ALL, &[], 50).await.unwrap().is_empty());
        assert_eq!(search::by_words(&tx, &ALL, &terms("price"), 1).await.unwrap().len(), 1);
        let term = |word: &str| Term { word: word.into(), prefix: false };
        assert!(search::knows(&tx, &term("prices")).await.unwrap() && !search::knows(&tx, &term("pric")).await.unwrap());
        let mut names = Vec::new();
        search::each_names(&tx, |words| names.push(words.to_owned())).await.unwrap();
        names.sort();
        assert_eq!(names, ["all orders", "customers", "id", "id", "price", "price"]);
        assert_sound(&tx).await;
    }

    async fn filters_narrow_words_and_vectors_alike(db: TestDb) {
        let tx = db.tx().await;
        let (orders, _, objects) = findable(&tx, &db, "orders").await;
        findable(&tx, &db, "customers").await;
        let table = SearchFilter { table: Some(orders.id), ..ALL };
        let kind = SearchFilter { kind: Some(ObjectKind::Table), ..ALL };
        let dataset = SearchFilter { dataset: Some(db.dataset()), ..ALL };
        let other = SearchFilter { dataset: Some(db.id()), ..ALL };
        assert_eq!(names(&tx, &table, "price customers").await, ["sales.orders.price"]);
        assert_eq!(names(&tx, &kind, "price customers").await, ["sales.customers"]);
        let counts = [vectors(&tx, &ALL).await.len(), vectors(&tx, &table).await.len(), vectors(&tx, &kind).await.len(),
            vectors(&tx, &dataset).await.len(), vectors(&tx, &other).await.len()];
        assert_eq!(counts, [6, 3, 2, 6, 0]);
        let bytes: Vec<u8> = [1.0_f32, 0.5].iter().flat_map(|x| x.to_le_bytes()).collect();
        assert!(vectors(&tx, &table).await.contains(&(objects[0].id, bytes)));
        let mut seen = 0;
        search::each_vector(&tx, &ALL, "another-model", |_, _| seen += 1).await.unwrap();
        assert_eq!(seen, 0);
    }

    async fn only_current_snapshots_of_active_tables_are_found(db: TestDb) {
        let tx = db.tx().await;
        let (table, _, old) = findable(&tx, &db, "orders").await;
        let newer = build::published(&tx, &db, &table).await;
        build::objects(&tx, &db, &newer, &table).await;
        assert!(names(&tx, &ALL, "price").await.is_empty());
        let objects = embed(&tx, &newer).await;
        assert_eq!(search::by_words(&tx, &ALL, &terms("price"), 50).await.unwrap(), [objects[2].id]);
        assert!(!vectors(&tx, &ALL).await.iter().any(|(id, _)| old.iter().any(|o| o.id == *id)));

        let half = build::partial(&tx, &db, &table).await;
        build::objects(&tx, &db, &half, &table).await;
        embed(&tx, &half).await;
        assert_eq!(names(&tx, &ALL, "price").await.len(), 1);

        schema_objects::deactivate(&tx, newer.id, &["price".to_owned()]).await.unwrap();
        assert!(names(&tx, &ALL, "price").await.is_empty());
        assert_eq!(vectors(&tx, &ALL).await.len(), 2);
        tables::set_active(&tx, table.id, false).await.unwrap().unwrap();
        assert!(names(&tx, &ALL, "orders").await.is_empty() && vectors(&tx, &ALL).await.is_empty());
        tables::set_active(&tx, table.id, true).await.unwrap().unwrap();
        assert_eq!(names(&tx, &ALL, "orders").await.len(), 2);
        datasets::archive(&tx, db.dataset()).await.unwrap().unwrap();
        assert!(names(&tx, &ALL, "orders").await.is_empty() && vectors(&tx, &ALL).await.is_empty());
    }

    async fn nothing_is_found_from_another_workspace(db: TestDb) {
        let tx = db.tx().await;
        let (_, _, objects) = findable(&tx, &db, "orders").await;
        tx.commit().await.unwrap();
        for tenant in ["acme", "rival"] {
            let other = db.db().scope(&db.other_scope(tenant).await).await.unwrap();
            assert!(!search::knows(&other, &terms("price")[0]).await.unwrap());
            search::each_names(&other, |names| panic!("{names}")).await.unwrap();
            assert!(names(&other, &ALL, "price orders").await.is_empty() && vectors(&other, &ALL).await.is_empty());
            assert!(schema_objects::by_ids(&other, &[objects[0].id]).await.unwrap().is_empty());
        }
    }

    async fn a_rolled_back_batch_leaves_neither_vector_nor_word(db: TestDb) {
        let tx = db.tx().await;
        let table = build::table(&tx, &db, "orders").await;
        let snapshot = build::published(&tx, &db, &table).await;
        build::objects(&tx, &db, &snapshot, &table).await;
        tx.commit().await.unwrap();
        for dropped in [false, true] {
            let tx = db.tx().await;
            embed(&tx, &snapshot).await;
            assert_eq!((entries(&tx, "price").await, vectors(&tx, &ALL).await.len()), (1, 3));
            if dropped { drop(tx) } else { tx.rollback().await.unwrap() }
            let tx = db.tx().await;
            assert_eq!((entries(&tx, "price").await, vectors(&tx, &ALL).await.len()), (0, 0));
            let left = "SELECT count(*) AS n FROM flyquery_schema_objects WHERE embedding IS NOT NULL OR content_text IS NOT NULL";
            assert_eq!(tx.row(left, vec![]).await.unwrap().unwrap().get::<i64>("n").unwrap(), 0);
            assert_sound(&tx).await;
        }
    }

    async fn words_go_with_the_snapshot_they_belong_to(db: TestDb) {
        let tx = db.tx().await;
        let table = build::table(&tx, &db, "orders").await;
        let snapshot = build::partial(&tx, &db, &table).await;
        build::objects(&tx, &db, &snapshot, &table).await;
        embed(&tx, &snapshot).await;
        assert_eq!(entries(&tx, "price").await, 1);
        snapshots::delete_partial_of_job(&tx, snapshot.job.unwrap()).await.unwrap();
        assert_eq!(entries(&tx, "price").await, 0);
        findable(&tx, &db, "customers").await;
        tx.execute("DELETE FROM flyquery_datasets", vec![]).await.unwrap();
        assert_eq!((entries(&tx, "price").await, entries(&tx, "customers").await), (0, 0));
        assert_sound(&tx).await;
    }

    async fn what_a_person_writes_is_found_from_the_same_commit_on(db: TestDb) {
        let tx = db.tx().await;
        let (_, _, objects) = findable(&tx, &db, "orders").await;
        tx.commit().await.unwrap();
        let [_, id, price] = [objects[0].id, objects[1].id, objects[2].id];
        let said = ObjectUpdate {
            description: Some("What the zebra pays".into()), synonyms: Some(vec!["listTariff".into()]), ..Default::default()
        };
        let tx = db.tx().await;
        schema_objects::update_by_person(&tx, price, &said).await.unwrap();
        tx.rollback().await.unwrap();
        let tx = db.tx().await;
        assert!(names(&tx, &ALL, "zebra tariff").await.is_empty());
        schema_objects::update_by_person(&tx, price, &said).await.unwrap();
        for text in ["zebra", "tariff", "price"] {
            assert_eq!(names(&tx, &ALL, text).await, ["sales.orders.price"], "{text}");
        }
        let less = ObjectUpdate { description: Some(String::new()), synonyms: Some(vec![]), ..Default::default() };
        schema_objects::move_annotations(&tx, price, id).await.unwrap();
        assert_eq!(names(&tx, &ALL, "zebra tariff").await, ["sales.orders.id"]);
        schema_objects::update_by_person(&tx, id, &less).await.unwrap();
        assert!(names(&tx, &ALL, "zebra tariff").await.is_empty());
        assert_sound(&tx).await;
    }

    async fn what_a_describer_writes_is_found_but_for_values(db: TestDb) {
        let tx = db.tx().await;
        let (_, _, objects) = findable(&tx, &db, "orders").await;
        let said = NewDescription {
            id: objects[2].id, description: "Tariff of the order; one of zebra, gnu.".into(),
            source: DescriptionSource::Heuristic, semantic_type: SemanticType::Amount,
        };
        schema_objects::set_descriptions(&tx, &[said]).await.unwrap();
        assert_eq!(names(&tx, &ALL, "tariff").await, names(&tx, &ALL, "amount").await);
        assert!(names(&tx, &ALL, "zebra gnu").await.is_empty());
        schema_objects::set_samples(&tx, &[(objects[2].id, vec!["okapi".into()])]).await.unwrap();
        schema_objects::set_profiles(&tx, &[(objects[2].id, serde_json::json!({"min": "okapi"}))]).await.unwrap();
        embed(&tx, &snapshots::get(&tx, objects[2].snapshot).await.unwrap().unwrap()).await;
        assert!(names(&tx, &ALL, "okapi zebra").await.is_empty());
    }

    async fn a_vector_made_of_old_words_is_not_written(db: TestDb) {
        let tx = db.tx().await;
        let (_, _, objects) = findable(&tx, &db, "orders").await;
        let price = &objects[2];
        let stale = NewEmbedding { id: price.id, vector: vec![9.0, 9.0], text: price.search_text() };
        let said = ObjectUpdate { synonyms: Some(vec!["tariff".into()]), ..Default::default() };
        let row = schema_objects::update_by_person(&tx, price.id, &said).await.unwrap().unwrap();
        let fresh = NewEmbedding { id: price.id, vector: vec![2.0, 2.0], text: row.search_text() };
        let only = SearchFilter { table: Some(price.table), kind: Some(ObjectKind::Column), ..ALL };
        for (new, expected) in [(&stale, 1.0_f32), (&fresh, 2.0), (&stale, 2.0)] {
            schema_objects::set_vectors(&tx, MODEL, std::slice::from_ref(new)).await.unwrap();
            let all = vectors(&tx, &only).await;
            let (_, bytes) = all.iter().find(|(id, _)| *id == price.id).unwrap();
            assert_eq!(bytes[..4], expected.to_le_bytes());
        }
    }

    async fn hostile_words_are_only_words(db: TestDb) {
        let tx = db.tx().await;
        findable(&tx, &db, "orders").await;
        let long = "x".repeat(10_000);
        for text in ["' OR 1=1 --", "\"price\" NOT *", "price:* & !x | (", "NEAR(price, 2)", "content_text:price", "\0price\0",
            "日本語 ²³ ß İ", "\u{301}\u{200d}", long.as_str(), "and or not", "a* b*"] {
            search::by_words(&tx, &ALL, &terms(text), 50).await.unwrap_or_else(|e| panic!("{text}: {e}"));
        }
        assert!(names(&tx, &ALL, "NEAR(price, 2)").await.contains(&"sales.orders.price".to_owned()));
        let said = ObjectUpdate { synonyms: Some(vec![format!("{long} \" ' : * 日本語 ²³ {}", "y ".repeat(40_000))]), ..Default::default() };
        let ids = search::by_words(&tx, &ALL, &terms("price"), 1).await.unwrap();
        schema_objects::update_by_person(&tx, ids[0], &said).await.unwrap().unwrap();
        assert_sound(&tx).await;
    }
}
