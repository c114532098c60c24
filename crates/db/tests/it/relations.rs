//! Relations.

use db::relations::{self, NewRelation};
use domain::ports::relation_proposer::RelationProposal;
use domain::semantic::{RelationKind, RelationStatus};
use domain::{Actor, RelationId, TableId};

use crate::build;

fn proposal(from: TableId, to: TableId, column: &str, confidence: f64) -> RelationProposal {
    RelationProposal {
        from_table: from,
        from_column: column.to_owned(),
        to_table: to,
        to_column: "id".to_owned(),
        confidence,
        reason: "names match".to_owned(),
        kind: RelationKind::Heuristic,
    }
}

test_support::for_each_db! {
    async fn proposals_are_refreshed_and_decisions_stay(db: TestDb) {
        let tx = db.tx().await;
        let (a, b) = (build::table(&tx, &db, "a").await, build::table(&tx, &db, "b").await);
        let ids: Vec<RelationId> = (0..3).map(|_| db.id()).collect();
        let first = [
            (ids[0], proposal(a.id, b.id, "x", 0.5)),
            (ids[1], proposal(a.id, b.id, "y", 0.9)),
            (ids[2], proposal(a.id, b.id, "z", 0.7)),
        ];
        assert_eq!(relations::propose(&tx, db.dataset(), &first).await.unwrap(), 3);
        let actor = Actor("ann".into());
        let approved = relations::set_status(&tx, ids[1], RelationStatus::Approved, Some(&actor)).await.unwrap().unwrap();
        assert_eq!((approved.status, approved.approved_by), (RelationStatus::Approved, Some(actor)));
        relations::set_status(&tx, ids[2], RelationStatus::Rejected, None).await.unwrap().unwrap();
        let again: Vec<_> = ["x", "y", "z"].map(|c| (db.id(), proposal(a.id, b.id, c, 0.99))).into();
        assert_eq!(relations::propose(&tx, db.dataset(), &again).await.unwrap(), 1);
        let list = relations::list(&tx, db.dataset(), None).await.unwrap();
        let seen: Vec<_> = list.iter().map(|r| (r.id, r.status, r.confidence)).collect();
        assert_eq!(seen, [
            (ids[0], RelationStatus::Proposed, 0.99),
            (ids[1], RelationStatus::Approved, 0.9),
            (ids[2], RelationStatus::Rejected, 0.7),
        ]);
        assert_eq!((list[0].from_table_name.as_deref(), list[0].to_table_name.as_deref()), (Some("a"), Some("b")));
        let rejected = relations::list(&tx, db.dataset(), Some(RelationStatus::Rejected)).await.unwrap();
        assert_eq!(rejected.len(), 1);
        assert_eq!(relations::get(&tx, ids[2]).await.unwrap().as_ref(), rejected.first());
        assert_eq!(relations::set_status(&tx, db.id(), RelationStatus::Approved, None).await.unwrap(), None);
    }

    async fn what_a_person_knows_replaces_a_proposal_but_no_decision(db: TestDb) {
        let tx = db.tx().await;
        let (a, b) = (build::table(&tx, &db, "a").await, build::table(&tx, &db, "b").await);
        let ids: Vec<RelationId> = (0..2).map(|_| db.id()).collect();
        let found = [(ids[0], proposal(a.id, b.id, "x", 0.5)), (ids[1], proposal(a.id, b.id, "y", 0.9))];
        relations::propose(&tx, db.dataset(), &found).await.unwrap();
        relations::set_status(&tx, ids[1], RelationStatus::Rejected, None).await.unwrap().unwrap();
        let known = |column: &str| NewRelation {
            id: db.id(), dataset: db.dataset(), from: (a.id, column.to_owned()), to: (b.id, "id".to_owned()),
            reason: Some("ours".to_owned()), by: Actor("ann".into()),
        };
        let made = relations::insert(&tx, &known("x")).await.unwrap().unwrap();
        assert_eq!((made.id, made.kind, made.status), (ids[0], RelationKind::Manual, RelationStatus::Approved));
        assert_eq!((made.approved_by, made.reason.as_deref()), (Some(Actor("ann".into())), Some("ours")));
        assert_eq!(relations::insert(&tx, &known("y")).await.unwrap(), None, "rejected stays rejected");
        let fresh = relations::insert(&tx, &known("z")).await.unwrap().unwrap();
        assert_eq!(relations::list(&tx, db.dataset(), None).await.unwrap().len(), 3);
        assert!(relations::delete(&tx, fresh.id).await.unwrap());
        assert!(!relations::delete(&tx, fresh.id).await.unwrap());
    }
}
