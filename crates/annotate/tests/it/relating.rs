//! Relations: found where names, types and values agree; refused where one of them objects.

use annotate::HeuristicProposer;
use annotate::profile::ColumnProfiler;
use annotate::relations::relation_column;
use arrow::array::Int64Array;
use domain::id::TableId;
use domain::ports::relation_proposer::{RelationColumn, RelationProposal, RelationProposer, RelationTable};
use domain::{Column, SqlType};
use uuid::Uuid;

use crate::shop;

fn id(n: usize) -> TableId {
    TableId::from(Uuid::from_u128(n as u128 + 1))
}

fn propose(tables: &[RelationTable], fresh: &[TableId]) -> Vec<RelationProposal> {
    futures::executor::block_on(HeuristicProposer::new().propose(tables, fresh)).unwrap()
}

/// The proposals as `table.column -> table.column`.
fn arrows(tables: &[RelationTable], proposals: &[RelationProposal]) -> Vec<String> {
    let name = |id: TableId| &tables.iter().find(|t| t.id == id).unwrap().name;
    let arrow = |p: &RelationProposal| {
        format!("{}.{} -> {}.{}", name(p.from_table), p.from_column, name(p.to_table), p.to_column)
    };
    proposals.iter().map(arrow).collect()
}

fn all_of(tables: &[RelationTable]) -> Vec<String> {
    let fresh: Vec<TableId> = tables.iter().map(|t| t.id).collect();
    arrows(tables, &propose(tables, &fresh))
}

/// A column of `values` rows with `distinct` values between `min` and `max`.
fn column(name: &str, sql_type: SqlType, values: u64, distinct: u64, range: (&str, &str)) -> RelationColumn {
    RelationColumn {
        name: name.into(),
        sql_type,
        non_null: Some(values),
        distinct: Some(distinct),
        min: Some(range.0.into()),
        max: Some(range.1.into()),
        lowest_hashes: Vec::new(),
    }
}

fn table(n: usize, name: &str, columns: Vec<RelationColumn>) -> RelationTable {
    RelationTable { id: id(n), name: name.into(), columns }
}

fn key(name: &str) -> RelationColumn {
    column(name, SqlType::BigInt, 100, 100, ("1", "100"))
}

fn reference(name: &str) -> RelationColumn {
    column(name, SqlType::BigInt, 1_000, 80, ("2", "99"))
}

#[test]
fn the_joins_of_the_samples_are_found_and_no_other() {
    let tables: Vec<RelationTable> = shop::all()
        .iter()
        .enumerate()
        .map(|(n, shop)| {
            let column = |(at, column)| relation_column(column, Some(&shop.profile(at)));
            table(n, shop.name, shop.columns.iter().enumerate().map(column).collect())
        })
        .collect();
    let fresh: Vec<TableId> = tables.iter().map(|t| t.id).collect();
    let proposals = propose(&tables, &fresh);
    assert_eq!(
        arrows(&tables, &proposals),
        ["orders.customer_id -> customers.id", "orders.product_sku -> products.sku"]
    );
    assert!(proposals.iter().all(|p| p.confidence >= 0.9), "{proposals:?}");
    assert!(proposals[0].reason.contains("every value of customers.id is distinct"), "{}", proposals[0].reason);
    assert!(!proposals[0].reason.contains("1001"), "no cell's text: {}", proposals[0].reason);
}

#[test]
fn names_match_in_every_spelling() {
    for (target, columns, source) in [
        ("customers", "id", "customerId"),
        ("Customer", "ID", "customer_id"),
        ("dim_customers", "customer_key", "customer_key"),
        ("customers", "customer_id", "customer_id"),
        ("customers", "id", "fk_customer"),
        ("customers", "id", "customer"),
        ("customers", "id", "billing_customer_id"),
        ("categories", "id", "category_id"),
        ("people", "id", "person_id"),
        ("order_items", "id", "order_item_id"),
    ] {
        let tables = [table(0, target, vec![key(columns)]), table(1, "facts_here", vec![reference(source)])];
        assert_eq!(all_of(&tables), [format!("facts_here.{source} -> {target}.{columns}")], "{target}.{columns}");
    }
}

#[test]
fn objections_of_types_uniqueness_or_range_are_heard() {
    let source = || table(1, "orders", vec![reference("customer_id")]);
    for (why, target) in [
        ("type", column("id", SqlType::Varchar, 100, 100, ("1", "99"))),
        ("not distinct", column("id", SqlType::BigInt, 100, 40, ("1", "100"))),
        ("elsewhere", column("id", SqlType::BigInt, 100, 100, ("5000", "6000"))),
        ("empty", column("id", SqlType::BigInt, 0, 0, ("1", "100"))),
    ] {
        assert!(all_of(&[table(0, "customers", vec![target]), source()]).is_empty(), "{why}");
    }
    let unused = column("customer_id", SqlType::BigInt, 0, 0, ("1", "2"));
    assert!(all_of(&[table(0, "customers", vec![key("id")]), table(1, "orders", vec![unused])]).is_empty());
}

#[test]
fn partly_outside_lowers_confidence_and_says_so() {
    let stray = column("customer_id", SqlType::BigInt, 1_000, 80, ("50", "150"));
    let tables = [table(0, "customers", vec![key("id")]), table(1, "orders", vec![stray])];
    let found = propose(&tables, &[id(0)]);
    assert!(found[0].confidence < 0.8 && found[0].reason.contains("partly outside"), "{found:?}");
}

#[test]
fn shared_columns_that_name_no_table_need_one_key_and_many_uses() {
    let lots = table(0, "production", vec![column("batch_code", SqlType::Varchar, 50, 50, ("A", "Z"))]);
    let tests = table(1, "lab", vec![column("batch_code", SqlType::Varchar, 500, 48, ("A", "Y"))]);
    assert_eq!(all_of(&[lots.clone(), tests]), ["lab.batch_code -> production.batch_code"]);
    let twin = table(1, "lab", vec![column("batch_code", SqlType::Varchar, 50, 50, ("A", "Z"))]);
    assert!(all_of(&[lots, twin]).is_empty(), "two keys say nothing about who refers to whom");
}

#[test]
fn unrelated_tables_with_usual_columns_stay_unrelated() {
    let usual =
        || vec![key("id"), column("name", SqlType::Varchar, 100, 100, ("A", "Z")), reference("year"), key("number")];
    let tables: Vec<RelationTable> =
        (0..5).map(|n| table(n, ["a", "bikes", "cars", "names", "years"][n], usual())).collect();
    let found: Vec<String> =
        all_of(&tables).into_iter().filter(|a| !a.contains("year") && !a.contains("name")).collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_table_may_refer_to_itself_only_where_it_could() {
    let tree = vec![key("id"), reference("parent_id")];
    assert_eq!(all_of(&[table(0, "categories", tree)]), ["categories.parent_id -> categories.id"]);
    let outside = vec![key("id"), column("parent_id", SqlType::BigInt, 10, 5, ("900", "950"))];
    assert!(all_of(&[table(0, "categories", outside)]).is_empty());
    assert!(all_of(&[table(0, "orders", vec![key("id"), key("order_id")])]).is_empty(), "its own key is no reference");
}

#[test]
fn only_links_of_fresh_tables_are_proposed() {
    let tables = [
        table(0, "customers", vec![key("id")]),
        table(1, "orders", vec![key("id"), reference("customer_id")]),
        table(2, "visits", vec![reference("customer_id")]),
    ];
    assert_eq!(arrows(&tables, &propose(&tables, &[id(2)])), ["visits.customer_id -> customers.id"]);
    assert_eq!(propose(&tables, &[id(0)]).len(), 2);
    assert!(propose(&tables, &[]).is_empty());
}

#[test]
fn unprofiled_columns_are_proposed_with_less_confidence() {
    let bare = |name: &str| RelationColumn {
        name: name.into(),
        sql_type: SqlType::BigInt,
        non_null: None,
        distinct: None,
        min: None,
        max: None,
        lowest_hashes: Vec::new(),
    };
    let tables = [table(0, "customers", vec![bare("id")]), table(1, "orders", vec![bare("customer_id")])];
    let found = propose(&tables, &[id(1)]);
    assert!((found[0].confidence - 0.6).abs() < 1e-9, "{found:?}");
}

/// A column of whole numbers, profiled.
fn profiled(name: &str, values: impl Iterator<Item = i64>) -> RelationColumn {
    let column = Column { name: name.into(), sql_type: SqlType::BigInt, nullable: false };
    let mut profiler = ColumnProfiler::new(&column);
    profiler.update(&Int64Array::from_iter_values(values)).unwrap();
    relation_column(&column, Some(&profiler.finish()))
}

#[test]
fn values_that_are_found_speak_for_a_relation_and_values_that_are_not_rule_it_out() {
    let even = || profiled("id", (0..20_000).map(|n| n * 2));
    let tables = |values: Vec<i64>| {
        [table(0, "customers", vec![even()]), table(1, "orders", vec![profiled("customer_id", values.into_iter())])]
    };
    let twice = |values: std::ops::Range<i64>, odd: i64| values.flat_map(|n| [n * 2 + odd; 2]).collect::<Vec<i64>>();
    let found = propose(&tables(twice(0..9_000, 0)), &[id(1)]);
    assert!(found[0].confidence >= 0.9, "{found:?}");
    assert!(found[0].reason.contains("its values are found in customers.id"), "{found:?}");
    assert!(propose(&tables(twice(0..9_000, 1)), &[id(1)]).is_empty(), "none of them is found");
    let half: Vec<i64> = (0..9_000).flat_map(|n| [n, n]).collect();
    let found = propose(&tables(half), &[id(1)]);
    assert!(found[0].confidence < 0.8 && found[0].reason.contains("only some of its values"), "{found:?}");
}

#[test]
fn only_columns_that_names_put_in_question_are_asked_for() {
    let named = |n: usize, name: &str, columns: &[&str]| {
        let column = |name: &&str| Column { name: (*name).to_owned(), sql_type: SqlType::BigInt, nullable: true };
        table(n, name, columns.iter().map(|name| relation_column(&column(name), None)).collect())
    };
    let tables = [
        named(0, "customers", &["id", "age", "batch_code"]),
        named(1, "orders", &["id", "customer_id", "amount", "batch_code"]),
        named(2, "visits", &["id", "customer_id"]),
        named(3, "weather", &["id", "degrees"]),
    ];
    let needs = |fresh: &[TableId]| HeuristicProposer::new().needs(&tables, fresh);
    assert_eq!(needs(&[id(1)]), [vec![0, 2], vec![1, 3], vec![1], vec![]]);
    assert_eq!(needs(&[id(0)]), [vec![0, 2], vec![1, 3], vec![1], vec![]]);
    assert_eq!(needs(&[id(3)]), [const { Vec::<usize>::new() }; 4]);
}

#[test]
fn ten_thousand_tables_are_related_by_their_columns_not_by_their_pairs() {
    let tables: Vec<RelationTable> = (0..10_000)
        .map(|n| {
            let mut columns = vec![key("id"), reference(&format!("thing{}x_id", n / 2))];
            columns.extend((0..8).map(|c| reference(&format!("value_{c}"))));
            table(n, &format!("thing{n}x"), columns)
        })
        .collect();
    let fresh: Vec<TableId> = tables.iter().map(|t| t.id).collect();
    assert_eq!(propose(&tables, &fresh).len(), 9_999, "each refers to that of half its number, the first to itself");
}

#[test]
fn ten_thousand_tables_of_one_name_and_shape_are_no_hundred_million_pairs() {
    let shape = || vec![key("id"), reference("customer_id"), reference("batch_code"), reference("event_ref")];
    let mut tables: Vec<RelationTable> = (1..10_000).map(|n| table(n, &format!("events_{n}"), shape())).collect();
    tables.push(table(0, "customers", vec![key("id")]));
    tables.push(table(10_000, "batches", vec![column("batch_code", SqlType::BigInt, 100, 100, ("1", "100"))]));
    let fresh: Vec<TableId> = tables.iter().map(|t| t.id).collect();
    let needs = HeuristicProposer::new().needs(&tables, &fresh);
    assert!(needs[0].contains(&1) && needs[9_999] == [0] && needs[10_000] == [0], "{:?}", &needs[9_998..]);
    let found = propose(&tables, &fresh);
    let to = |n: usize| found.iter().filter(|proposal| proposal.to_table == id(n)).count();
    assert_eq!((to(0), to(10_000), found.len()), (9_999, 9_999, 19_998));
}
