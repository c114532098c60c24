//! Schema objects and changes: what describers say, what people say, and who wins.

use db::schema_objects::{self, NewDescription, NewEmbedding, NewPii, ObjectUpdate};
use db::{Annotations, ObjectRow, Tx, params, schema_changes, tables};
use domain::drift::{ChangeKind, SchemaChange};
use domain::search::SearchText;
use domain::semantic::{DescriptionSource, PiiSource, PiiTag, SemanticType};
use domain::{Actor, ChangeId, ObjectId};
use serde_json::json;
use test_support::TestDb;

use crate::build;

/// A published table with its objects: table, `id`, `price`.
async fn described(tx: &Tx, db: &TestDb, name: &str) -> (db::TableRow, db::SnapshotRow, [ObjectId; 3]) {
    let table = build::table(tx, db, name).await;
    let snapshot = build::published(tx, db, &table).await;
    let objects = build::objects(tx, db, &snapshot, &table).await;
    (table, snapshot, [objects[0].id, objects[1].id, objects[2].id])
}

async fn read(tx: &Tx, id: ObjectId) -> ObjectRow {
    schema_objects::get(tx, id).await.expect("read").expect("an object")
}

fn description(id: ObjectId, text: &str, semantic_type: SemanticType) -> NewDescription {
    NewDescription { id, description: text.to_owned(), source: DescriptionSource::Heuristic, semantic_type }
}

fn text(names: &str, about: &str) -> SearchText {
    SearchText { names: names.to_owned(), about: about.to_owned() }
}

fn pii(id: ObjectId, tag: PiiTag, scrub: bool, deactivate: bool) -> NewPii {
    NewPii { id, tag, source: PiiSource::Regex, scrub, deactivate }
}

test_support::for_each_db! {
    async fn the_table_comes_first_then_columns_by_name(db: TestDb) {
        let tx = db.tx().await;
        let (_, snapshot, ids) = described(&tx, &db, "orders").await;
        let list = schema_objects::list(&tx, snapshot.id).await.unwrap();
        assert_eq!(list.iter().map(|o| o.id).collect::<Vec<_>>(), ids);
        assert_eq!((list[2].name.as_str(), list[2].ordinal, list[2].parent), ("price", 1, Some(ids[0])));
        assert_eq!((list[2].data_type.as_deref(), list[2].is_nullable), (Some("DECIMAL(10,2)"), Some(true)));
        assert!(schema_objects::list(&tx, db.id()).await.unwrap().is_empty());
        assert_eq!(schema_objects::list_current(&tx, db.dataset()).await.unwrap(), list);
    }

    async fn a_wide_table_is_written_in_few_statements(db: TestDb) {
        let tx = db.tx().await;
        let table = build::table(&tx, &db, "wide").await;
        let snapshot = build::partial(&tx, &db, &table).await;
        let first = build::objects(&tx, &db, &snapshot, &table).await[1].clone();
        let wide: Vec<_> = (0..1_003_u32)
            .map(|i| schema_objects::NewObject {
                id: db.id(), name: format!("c{i}"), qualified_name: format!("sales.wide.c{i}"), ordinal: i + 2, ..first.clone()
            })
            .collect();
        schema_objects::insert_many(&tx, &wide).await.unwrap();
        let profiles: Vec<_> = wide.iter().map(|o| (o.id, json!({"n_rows": o.ordinal}))).collect();
        schema_objects::set_profiles(&tx, &profiles).await.unwrap();
        let list = schema_objects::list(&tx, snapshot.id).await.unwrap();
        assert_eq!(list.len(), 1_006);
        for object in list.iter().filter(|o| o.name.starts_with('c')) {
            assert_eq!(object.profile, Some(json!({"n_rows": object.ordinal})));
        }
    }

    async fn samples_profiles_and_vectors_are_kept(db: TestDb) {
        let tx = db.tx().await;
        let (_, _, [_, id, price]) = described(&tx, &db, "orders").await;
        schema_objects::set_samples(&tx, &[(id, vec!["1".into(), "ü\u{0}".replace('\u{0}', "2")]), (price, vec![])]).await.unwrap();
        let vector = vec![0.5_f32, -1.25, f32::MIN_POSITIVE];
        schema_objects::set_embeddings(&tx, "hash-3", &[NewEmbedding { id, vector: vector.clone(), text: text("id", "orders") }]).await.unwrap();
        let row = read(&tx, id).await;
        assert_eq!((row.samples, row.embedding_model.as_deref()), (Some(vec!["1".into(), "ü2".into()]), Some("hash-3")));
        assert!(row.sample_taken_at.is_some());
        assert_eq!(read(&tx, price).await.samples, Some(vec![]));
        let raw = tx.row("SELECT embedding, content_names, content_text FROM flyquery_schema_objects WHERE id = $1", params![id]).await.unwrap().unwrap();
        let bytes: Vec<u8> = raw.get("embedding").unwrap();
        let back: Vec<f32> = bytes.chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
        assert_eq!(back, vector);
        assert_eq!(text(&raw.get::<String>("content_names").unwrap(), &raw.get::<String>("content_text").unwrap()), text("id", "orders"));
    }

    async fn a_describer_never_overwrites_a_person(db: TestDb) {
        let tx = db.tx().await;
        let (_, _, [_, id, price]) = described(&tx, &db, "orders").await;
        let said = ObjectUpdate { description: Some("The key".into()), ..ObjectUpdate::default() };
        schema_objects::update_by_person(&tx, id, &said).await.unwrap().unwrap();
        schema_objects::set_descriptions(&tx, &[description(id, "a number", SemanticType::Count), description(price, "a price", SemanticType::Unknown)]).await.unwrap();
        let row = read(&tx, id).await.annotations;
        assert_eq!((row.description.as_deref(), row.description_source), (Some("The key"), Some(DescriptionSource::Human)));
        let row = read(&tx, price).await.annotations;
        assert_eq!((row.description.as_deref(), row.governance["semantic_type"].as_str()), (Some("a price"), Some("unknown")));
        // a better word replaces an unknown type, not a known one
        schema_objects::set_descriptions(&tx, &[description(price, "an amount", SemanticType::Amount)]).await.unwrap();
        schema_objects::set_descriptions(&tx, &[description(price, "an amount!", SemanticType::Text)]).await.unwrap();
        let row = read(&tx, price).await.annotations;
        assert_eq!((row.description.as_deref(), row.governance["semantic_type"].as_str()), (Some("an amount!"), Some("amount")));
    }

    async fn a_scanner_scrubs_refuses_and_never_overwrites_a_person(db: TestDb) {
        let tx = db.tx().await;
        let (_, _, [_, id, price]) = described(&tx, &db, "orders").await;
        schema_objects::set_samples(&tx, &[(id, vec!["a@b.cd".into()]), (price, vec!["1".into()])]).await.unwrap();
        let profile = json!({"n_rows": 3, "min": "a@b.cd", "max": "z@b.cd", "top_values": [{"value": "a@b.cd", "count": 3}]});
        schema_objects::set_profiles(&tx, &[(id, profile.clone()), (price, profile.clone())]).await.unwrap();
        schema_objects::set_pii(&tx, &[pii(id, PiiTag::Email, true, true), pii(price, PiiTag::None, false, false)]).await.unwrap();
        let row = read(&tx, id).await;
        assert_eq!((row.samples, row.profile, row.is_active), (Some(vec![]), Some(json!({"n_rows": 3})), false));
        assert_eq!((row.annotations.pii_tag, row.annotations.pii_source), (Some(PiiTag::Email), Some(PiiSource::Regex)));
        let row = read(&tx, price).await;
        assert_eq!((row.samples, row.profile, row.is_active), (Some(vec!["1".into()]), Some(profile), true));
        let said = ObjectUpdate { pii_tag: Some(PiiTag::None), ..ObjectUpdate::default() };
        schema_objects::update_by_person(&tx, price, &said).await.unwrap();
        schema_objects::set_pii(&tx, &[pii(price, PiiTag::Phone, true, false)]).await.unwrap();
        let row = read(&tx, price).await;
        assert_eq!((row.annotations.pii_tag, row.samples), (Some(PiiTag::None), Some(vec!["1".into()])));
    }

    async fn a_persons_pii_tag_removes_the_columns_values(db: TestDb) {
        let tx = db.tx().await;
        let (_, _, [_, id, price]) = described(&tx, &db, "orders").await;
        schema_objects::set_samples(&tx, &[(id, vec!["secret".into()])]).await.unwrap();
        schema_objects::set_profiles(&tx, &[(id, json!({"n_rows": 1, "min": "secret", "max": "secret"}))]).await.unwrap();
        let said = ObjectUpdate { pii_tag: Some(PiiTag::Custom("badge".into())), ..ObjectUpdate::default() };
        let row = schema_objects::update_by_person(&tx, id, &said).await.unwrap().unwrap();
        assert_eq!((row.samples, row.profile), (Some(vec![]), Some(json!({"n_rows": 1}))));
        assert_eq!(row.annotations.pii_source, Some(PiiSource::Human));
        // nothing sampled yet: nothing to scrub
        let row = schema_objects::update_by_person(&tx, price, &said).await.unwrap().unwrap();
        assert_eq!((row.samples, row.profile), (None, None));
        assert_eq!(schema_objects::update_by_person(&tx, db.id(), &said).await.unwrap(), None);
    }

    async fn what_is_said_about_a_tables_object_is_said_about_the_table(db: TestDb) {
        let tx = db.tx().await;
        let (table, _, [top, ..]) = described(&tx, &db, "orders").await;
        let said = ObjectUpdate { description: Some("All".into()), business_owner: Some("Bo".into()), ..ObjectUpdate::default() };
        schema_objects::update_by_person(&tx, top, &said).await.unwrap();
        let row = tables::get(&tx, table.id).await.unwrap().unwrap();
        assert_eq!((row.description.as_deref(), row.business_owner.as_deref()), (Some("All"), Some("Bo")));
        assert_eq!(row.description_source, Some(DescriptionSource::Human));
    }

    async fn the_next_snapshot_takes_over_what_people_said(db: TestDb) {
        let tx = db.tx().await;
        let (_, _, [_, id, price]) = described(&tx, &db, "orders").await;
        let said = ObjectUpdate {
            pii_tag: Some(PiiTag::Email), business_owner: Some("Bo".into()), synonyms: Some(vec!["key".into()]),
            governance: Some(json!({"semantic_type": "email", "class": 3}).as_object().unwrap().clone()), ..ObjectUpdate::default()
        };
        schema_objects::update_by_person(&tx, id, &said).await.unwrap();
        schema_objects::set_descriptions(&tx, &[description(id, "by rule", SemanticType::Text), description(price, "by rule", SemanticType::Amount)]).await.unwrap();
        schema_objects::set_pii(&tx, &[pii(price, PiiTag::Phone, false, false)]).await.unwrap();
        let carried = read(&tx, id).await.carried();
        assert_eq!((carried.description, carried.pii_tag, carried.pii_source), (None, Some(PiiTag::Email), Some(PiiSource::Human)));
        assert_eq!((carried.business_owner.as_deref(), carried.synonyms), (Some("Bo"), vec!["key".to_owned()]));
        assert_eq!(carried.governance["class"], 3);
        let carried = read(&tx, price).await.carried();
        assert_eq!((&carried.description, &carried.pii_tag), (&None, &None));
        // and writes it
        let (_, _, [_, fresh, _]) = described(&tx, &db, "other").await;
        let old = read(&tx, fresh).await;
        let new = schema_objects::NewObject {
            id: db.id(), table: old.table, snapshot: old.snapshot, kind: old.kind, parent: None, name: "again".into(),
            qualified_name: "sales.other.again".into(), ordinal: 9, data_type: None, is_nullable: None, source_hash: String::new(),
            annotations: Annotations { pii_tag: Some(PiiTag::Iban), pii_source: Some(PiiSource::Human), ..Annotations::default() },
        };
        schema_objects::insert_many(&tx, std::slice::from_ref(&new)).await.unwrap();
        assert_eq!(read(&tx, new.id).await.annotations, new.annotations);
    }

    async fn a_confirmed_rename_moves_what_was_said(db: TestDb) {
        let tx = db.tx().await;
        let (_, _, [_, id, price]) = described(&tx, &db, "orders").await;
        schema_objects::set_samples(&tx, &[(price, vec!["x".into()])]).await.unwrap();
        let said = ObjectUpdate { description: Some("Kept".into()), pii_tag: Some(PiiTag::Name), ..ObjectUpdate::default() };
        schema_objects::update_by_person(&tx, id, &said).await.unwrap();
        assert!(schema_objects::move_annotations(&tx, id, price).await.unwrap());
        let (old, new) = (read(&tx, id).await, read(&tx, price).await);
        assert_eq!(old.annotations, Annotations::default());
        assert_eq!((new.annotations.description.as_deref(), new.annotations.pii_tag), (Some("Kept"), Some(PiiTag::Name)));
        assert_eq!(new.samples, Some(vec![]));
        assert!(!schema_objects::move_annotations(&tx, id, db.id()).await.unwrap());
    }

    async fn what_people_say_late_is_found_and_carried(db: TestDb) {
        let tx = db.tx().await;
        let (table, old, [_, id, price]) = described(&tx, &db, "orders").await;
        let next = build::partial(&tx, &db, &table).await;
        let objects = build::objects(&tx, &db, &next, &table).await;
        assert!(db::snapshots::is_first(&tx, table.id, old.id).await.unwrap());
        assert_eq!(db::tables::count_published(&tx, db.dataset()).await.unwrap(), 1);
        tx.commit().await.unwrap();
        db.shift_time(chrono::TimeDelta::seconds(1));
        let tx = db.tx().await;
        let taken = db::snapshots::get(&tx, next.id).await.unwrap().unwrap().taken_at;
        assert!(schema_objects::changed_since(&tx, old.id, taken).await.unwrap().is_empty());
        let said = ObjectUpdate { description: Some("late".into()), ..ObjectUpdate::default() };
        schema_objects::update_by_person(&tx, price, &said).await.unwrap();
        let late = schema_objects::changed_since(&tx, old.id, taken).await.unwrap();
        assert_eq!(late.iter().map(|o| o.id).collect::<Vec<_>>(), [price]);
        let to = objects.iter().find(|o| o.name == late[0].name).unwrap().id;
        assert!(schema_objects::carry(&tx, &late[0], to).await.unwrap());
        assert_eq!(read(&tx, to).await.annotations.description.as_deref(), Some("late"));
        assert_eq!(read(&tx, price).await.annotations.description.as_deref(), Some("late"), "it is copied, not moved");
        let machine = read(&tx, id).await;
        schema_objects::carry(&tx, &machine, to).await.unwrap();
        assert_eq!(read(&tx, to).await.annotations.description.as_deref(), Some("late"), "a describer's word is not carried");
        db::snapshots::mark_ready(&tx, next.id).await.unwrap();
        assert!(!db::snapshots::is_first(&tx, table.id, next.id).await.unwrap());
    }

    async fn columns_that_went_become_inactive(db: TestDb) {
        let tx = db.tx().await;
        let (_, snapshot, [top, id, price]) = described(&tx, &db, "orders").await;
        let n = schema_objects::deactivate(&tx, snapshot.id, &["price".into(), "orders".into(), "none".into()]).await.unwrap();
        assert_eq!(n, 1);
        assert!(read(&tx, top).await.is_active && read(&tx, id).await.is_active && !read(&tx, price).await.is_active);
    }

    async fn changes_are_seen_once_their_snapshot_is_ready(db: TestDb) {
        let tx = db.tx().await;
        let (table, old, _) = described(&tx, &db, "orders").await;
        let next = build::partial(&tx, &db, &table).await;
        let change = |name: &str, change| SchemaChange {
            column_name: name.to_owned(), change, before: Some(json!({"data_type": "DATE"})), after: None, rationale: None,
        };
        let list = [
            (db.id::<ChangeId>(), change("z", ChangeKind::Removed)),
            (db.id::<ChangeId>(), change("a", ChangeKind::RenamedCandidate)),
            (db.id::<ChangeId>(), change("a", ChangeKind::Removed)),
            (db.id::<ChangeId>(), change("b", ChangeKind::Added)),
        ];
        schema_changes::insert_many(&tx, table.id, old.id, next.id, &list).await.unwrap();
        assert!(schema_changes::list(&tx, table.id).await.unwrap().is_empty());
        db::snapshots::mark_ready(&tx, next.id).await.unwrap();
        let names: Vec<_> = schema_changes::list(&tx, table.id).await.unwrap().into_iter().map(|c| c.column_name).collect();
        assert_eq!(names, ["z", "a", "a", "b"]);
        assert_eq!(schema_changes::of_next(&tx, next.id).await.unwrap().len(), 4);
        let after = json!({"column_name": "b", "data_type": "DATE"});
        let actor = Actor("ann".into());
        let row = schema_changes::confirm(&tx, list[1].0, &after, &actor).await.unwrap().unwrap();
        assert_eq!((row.change, row.after, row.approved_by), (ChangeKind::Renamed, Some(after.clone()), Some(actor.clone())));
        assert!(row.approved_at.is_some());
        let names: Vec<_> = schema_changes::list(&tx, table.id).await.unwrap().into_iter().map(|c| c.column_name).collect();
        assert_eq!(names, ["z", "a"], "the column neither went nor came");
        assert_eq!(schema_changes::confirm(&tx, list[1].0, &after, &actor).await.unwrap(), None);
        assert_eq!(schema_changes::confirm(&tx, list[0].0, &after, &actor).await.unwrap(), None);
        assert!(schema_changes::get(&tx, list[0].0).await.unwrap().is_some());
    }
}
