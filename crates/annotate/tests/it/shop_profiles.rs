//! Profiles of the samples against a plain computation over the text of the files: no sketch, no arrow, no shared code.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use domain::SqlType;
use serde_json::{Value, json};

use crate::shop;

/// Orders two cells the way their type does.
fn order(sql_type: &SqlType, a: &str, b: &str) -> Ordering {
    if sql_type.is_numeric() {
        a.parse::<f64>().unwrap().partial_cmp(&b.parse::<f64>().unwrap()).unwrap()
    } else {
        // Dates and timestamps of the samples are ISO with four-digit years, where order of text is order of time.
        a.as_bytes().cmp(b.as_bytes())
    }
}

/// The text a cell should have in a profile.
fn spelt(sql_type: &SqlType, cell: &str) -> String {
    match sql_type {
        SqlType::Double => format!("{:?}", cell.parse::<f64>().unwrap()),
        _ => cell.to_owned(),
    }
}

/// The profile of a column, the slow and obvious way.
fn expected(sql_type: &SqlType, cells: &[&str]) -> Value {
    let mut values: Vec<String> = cells.iter().filter(|c| !c.is_empty()).map(|c| spelt(sql_type, c)).collect();
    values.sort_by(|a, b| order(sql_type, a, b));
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for value in &values {
        *counts.entry(value).or_default() += 1;
    }
    let nulls = cells.len() - values.len();
    let mut profile = json!({
        "null_fraction": nulls as f64 / cells.len() as f64,
        "distinct_estimate": counts.len(),
        "n_rows": cells.len(),
        "min": values.first().unwrap(),
        "max": values.last().unwrap(),
        "nulls": nulls,
        "distinct_exact": true,
    });
    if counts.len() <= 100 {
        let mut top: Vec<(&str, u64)> = counts.iter().map(|(v, n)| (*v, *n)).collect();
        top.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| order(sql_type, a.0, b.0)));
        let top: Vec<Value> =
            top.iter().take(5).map(|(value, count)| json!({"value": value, "count": count})).collect();
        profile["top_values"] = json!(top);
    }
    if sql_type.is_numeric() || sql_type.is_temporal() {
        // Nearest rank: the first value that at least p percent of the values don't exceed.
        let rank = |p: usize| (0..values.len()).find(|i| (i + 1) * 100 >= p * values.len()).unwrap();
        let at = |p: usize| values[rank(p)].clone();
        profile["quantiles"] = json!({"p05": at(5), "p25": at(25), "p50": at(50), "p75": at(75), "p95": at(95)});
    }
    if *sql_type == SqlType::Varchar {
        let lengths: Vec<usize> = values.iter().map(|v| v.chars().count()).collect();
        profile["lengths"] = json!({
            "min": lengths.iter().min().unwrap(),
            "max": lengths.iter().max().unwrap(),
            "avg": lengths.iter().sum::<usize>() as f64 / lengths.len() as f64,
        });
    }
    if *sql_type == SqlType::Boolean {
        let count = |word: &str| counts.get(word).copied().unwrap_or(0);
        profile["booleans"] = json!({"true_count": count("true"), "false_count": count("false")});
    }
    profile
}

#[test]
fn profiles_of_the_samples_equal_a_plain_computation_over_their_text() {
    let mut seen = 0;
    for shop in shop::all() {
        assert_eq!(shop.raw.len(), shop.batches.iter().map(arrow::array::RecordBatch::num_rows).sum::<usize>());
        for (at, column) in shop.columns.iter().enumerate() {
            let mut profile = shop.profile(at);
            let sketch = std::mem::take(&mut profile.lowest_hashes);
            assert!(sketch.is_sorted_by(|a, b| a < b), "{}.{}", shop.name, column.name);
            let keys = column.sql_type.may_hold_keys();
            assert_eq!(sketch.len() as u64, if keys { profile.distinct_estimate.min(128) } else { 0 });
            assert_eq!(profile.to_json(), expected(&column.sql_type, &shop.cells(at)), "{}.{}", shop.name, column.name);
            assert_eq!(annotate::ColumnProfile::from_json(&profile.to_json()), Some(profile));
            seen += 1;
        }
    }
    assert_eq!(seen, 33);
}

#[test]
fn samples_of_the_shop_hold_what_readers_get_wrong() {
    let (customers, products) = (shop::customers(), shop::products());
    let codes = customers.sample(6);
    assert!(codes.contains(&"01067".to_owned()), "leading zeros survive: {codes:?}");
    assert!(customers.sample(7).contains(&"NA".to_owned()), "Namibia is no missing value");
    assert!(products.sample(0).iter().all(|sku| sku.len() == 5 && sku.starts_with('0')));
    let names: HashMap<&str, usize> = products.cells(1).into_iter().map(|name| (name, name.len())).collect();
    assert!(names.keys().any(|n| n.contains(',')) && names.keys().any(|n| n.contains('"')), "quoting is exercised");
}
