//! Profilers: a column profiled in parts is the column profiled whole; estimates stay within their bounds.

use std::sync::Arc;

use annotate::profile::{COUNTED_DISTINCT, EXACT_DISTINCT, QUANTILE_SAMPLE};
use annotate::{ColumnProfile, ColumnProfiler};
use arrow::array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Decimal128Array, DictionaryArray, Float64Array, Int64Array,
    LargeStringArray, ListArray, StringArray, StringViewArray, UInt64Array,
};
use arrow::datatypes::{Int32Type, Int64Type};
use domain::{Column, SqlType};
use proptest::prelude::*;

fn column(sql_type: SqlType) -> Column {
    Column { name: "c".into(), sql_type, nullable: true }
}

fn whole(sql_type: &SqlType, array: &dyn Array) -> ColumnProfile {
    let mut profiler = ColumnProfiler::new(&column(sql_type.clone()));
    profiler.update(array).unwrap();
    profiler.finish()
}

/// Profiles the parts between `cuts` by a profiler each, and merges them in order.
fn in_parts(sql_type: &SqlType, array: &ArrayRef, cuts: &[usize]) -> ColumnProfile {
    let mut edges: Vec<usize> = cuts.iter().map(|cut| cut % (array.len() + 1)).collect();
    edges.extend([0, array.len()]);
    edges.sort_unstable();
    let mut merged = ColumnProfiler::new(&column(sql_type.clone()));
    for pair in edges.windows(2) {
        let mut part = ColumnProfiler::new(&column(sql_type.clone()));
        part.update(array.slice(pair[0], pair[1] - pair[0]).as_ref()).unwrap();
        merged.merge(part).unwrap();
    }
    merged.finish()
}

fn cuts() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(any::<usize>(), 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn numbers_in_parts_equal_numbers_whole(
        values in prop::collection::vec(prop::option::weighted(0.9, prop_oneof![-5i64..5, any::<i64>()]), 0..400),
        cuts in cuts(),
    ) {
        let array: ArrayRef = Arc::new(Int64Array::from(values));
        prop_assert_eq!(in_parts(&SqlType::BigInt, &array, &cuts), whole(&SqlType::BigInt, array.as_ref()));
    }

    #[test]
    fn floats_in_parts_equal_floats_whole(
        values in prop::collection::vec(prop::option::weighted(0.9, prop_oneof![-2.0..2.0, any::<f64>()]), 0..400),
        cuts in cuts(),
    ) {
        let array: ArrayRef = Arc::new(Float64Array::from(values));
        prop_assert_eq!(in_parts(&SqlType::Double, &array, &cuts), whole(&SqlType::Double, array.as_ref()));
    }

    #[test]
    fn texts_in_parts_equal_texts_whole(
        values in prop::collection::vec(prop::option::weighted(0.9, prop_oneof!["[a-c]{0,2}", ".{0,12}"]), 0..400),
        cuts in cuts(),
    ) {
        let array: ArrayRef = Arc::new(StringArray::from(values.clone()));
        let plain = whole(&SqlType::Varchar, array.as_ref());
        prop_assert_eq!(&in_parts(&SqlType::Varchar, &array, &cuts), &plain);
        // However arrow keeps the texts, the profile is the same.
        prop_assert_eq!(&whole(&SqlType::Varchar, &values.iter().map(Option::as_deref).collect::<StringViewArray>()), &plain);
        prop_assert_eq!(&whole(&SqlType::Varchar, &LargeStringArray::from(values.clone())), &plain);
        let dictionary: DictionaryArray<Int32Type> = values.iter().map(Option::as_deref).collect();
        prop_assert_eq!(&whole(&SqlType::Varchar, &dictionary), &plain);
    }

    #[test]
    fn booleans_in_parts_equal_booleans_whole(values in prop::collection::vec(any::<Option<bool>>(), 0..200), cuts in cuts()) {
        let array: ArrayRef = Arc::new(BooleanArray::from(values));
        prop_assert_eq!(in_parts(&SqlType::Boolean, &array, &cuts), whole(&SqlType::Boolean, array.as_ref()));
    }

    #[test]
    fn distinct_is_exact_while_it_is_small(n in 1usize..EXACT_DISTINCT, repeats in 1usize..3) {
        let array = Int64Array::from_iter_values((0..n * repeats).rev().map(|i| (i % n) as i64 * 7_919));
        let profile = whole(&SqlType::BigInt, &array);
        prop_assert_eq!((profile.distinct_estimate, profile.distinct_exact), (n as u64, true));
        prop_assert_eq!(profile.top_values.is_empty(), n > COUNTED_DISTINCT);
        prop_assert_eq!(profile.is_unique(), repeats == 1);
    }
}

/// Numbers without any order that a sketch could lean on.
fn scrambled(n: u64) -> impl Iterator<Item = u64> {
    (0..n).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9))
}

#[test]
fn distinct_of_large_columns_is_off_by_less_than_three_percent_and_the_same_however_it_is_split() {
    for n in [5_000_u64, 12_000, 30_000, 100_000, 400_000] {
        let numbers: ArrayRef = Arc::new(UInt64Array::from_iter_values(scrambled(n).chain(scrambled(n / 2))));
        let texts: ArrayRef = Arc::new(StringArray::from_iter_values(scrambled(n).map(|i| format!("user-{i}"))));
        for (sql_type, array) in [(SqlType::UBigInt, numbers), (SqlType::Varchar, texts)] {
            let profile = whole(&sql_type, array.as_ref());
            let off = (profile.distinct_estimate as f64 - n as f64).abs() / n as f64;
            assert!(off < 0.03, "{n} of {sql_type}: {} is off by {off}", profile.distinct_estimate);
            assert!(!profile.distinct_exact);
            for cuts in [vec![17], vec![n as usize / 3, n as usize / 2], vec![2_000, 90_000]] {
                let parts = in_parts(&sql_type, &array, &cuts);
                assert_eq!(parts.distinct_estimate, profile.distinct_estimate, "{n} of {sql_type} cut at {cuts:?}");
                assert_eq!((&parts.min, &parts.max, &parts.lengths), (&profile.min, &profile.max, &profile.lengths));
            }
        }
    }
}

#[test]
fn quantiles_of_large_columns_lie_within_three_percentiles() {
    let n = 300_000_u64;
    let values = scrambled(n).map(|i| (i % 1_000_000) as i64);
    let array: ArrayRef = Arc::new(Int64Array::from_iter_values(values));
    for profile in [whole(&SqlType::BigInt, array.as_ref()), in_parts(&SqlType::BigInt, &array, &[50_000, 200_001])] {
        let quantiles = profile.quantiles.unwrap();
        for (text, percent) in [
            (quantiles.p05, 5.0),
            (quantiles.p25, 25.0),
            (quantiles.p50, 50.0),
            (quantiles.p75, 75.0),
            (quantiles.p95, 95.0),
        ] {
            // The values are spread evenly over a million: a value is its own rank.
            let rank = text.parse::<f64>().unwrap() / 10_000.0;
            assert!((rank - percent).abs() < 3.0, "p{percent} is at {rank}");
        }
    }
    assert!(QUANTILE_SAMPLE < n as usize);
}

#[test]
fn rising_columns_are_known_to_be_distinct_whatever_their_length() {
    let rising: ArrayRef = Arc::new(Int64Array::from_iter_values(0..50_000));
    for profile in [whole(&SqlType::BigInt, rising.as_ref()), in_parts(&SqlType::BigInt, &rising, &[9, 30_000])] {
        assert_eq!((profile.distinct_estimate, profile.distinct_exact, profile.is_unique()), (50_000, true, true));
    }
    let broken = Int64Array::from_iter_values((0..50_000).chain([49_999]));
    assert!(!whole(&SqlType::BigInt, &broken).distinct_exact);
}

#[test]
fn no_rows_and_no_values_have_profiles_too() {
    for sql_type in [SqlType::BigInt, SqlType::Double, SqlType::Varchar, SqlType::Boolean, SqlType::Date, SqlType::Blob]
    {
        let empty = ColumnProfiler::new(&column(sql_type.clone())).finish();
        assert_eq!((empty.n_rows, empty.null_fraction, empty.distinct_estimate), (0, 0.0, 0), "{sql_type}");
        assert!(empty.min.is_none() && empty.top_values.is_empty() && empty.quantiles.is_none());
    }
    let profile = whole(&SqlType::Varchar, &StringArray::from(vec![None::<&str>; 3]));
    assert_eq!((profile.nulls, profile.null_fraction, profile.non_null(), profile.is_unique()), (3, 1.0, 0, false));
    let profile = whole(&SqlType::BigInt, &arrow::array::NullArray::new(2));
    assert_eq!((profile.n_rows, profile.nulls), (2, 2));
}

#[test]
fn floats_without_order_and_both_zeros_are_counted_by_value() {
    let profile =
        whole(&SqlType::Double, &Float64Array::from(vec![0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, 1.5]));
    assert_eq!(profile.distinct_estimate, 4);
    assert_eq!((profile.min.as_deref(), profile.max.as_deref()), (Some("0.0"), Some("Infinity")));
}

#[test]
fn decimals_keep_all_digits() {
    let digits = 99_999_999_999_999_999_999_999_999_999_999_999_999_i128;
    let array = Decimal128Array::from(vec![digits, -5, digits]).with_precision_and_scale(38, 2).unwrap();
    let profile = whole(&SqlType::Decimal(38, 2), &array);
    assert_eq!(profile.max.as_deref(), Some("999999999999999999999999999999999999.99"));
    assert_eq!(profile.min.as_deref(), Some("-0.05"));
    assert_eq!((profile.distinct_estimate, profile.top_values[0].count), (2, 2));
}

#[test]
fn bytes_and_nested_values_have_counts_but_no_order() {
    let profile = whole(&SqlType::Blob, &BinaryArray::from_vec(vec![b"ab", b"", b"ab"]));
    assert_eq!((profile.distinct_estimate, profile.min.as_deref()), (2, None));
    assert_eq!(profile.lengths.map(|l| (l.min, l.max)), Some((0, 2)));
    let lists = ListArray::from_iter_primitive::<Int64Type, _, _>(vec![Some(vec![Some(1)]), Some(vec![Some(1)]), None]);
    let profile = whole(&SqlType::List(Box::new(SqlType::BigInt)), &lists);
    assert_eq!((profile.distinct_estimate, profile.nulls, profile.top_values.len()), (1, 1, 0));
}

#[test]
fn long_texts_are_cut_in_the_profile_but_told_apart_by_all_their_characters() {
    let long = "é".repeat(5_000);
    let profile = whole(&SqlType::Varchar, &StringArray::from(vec![format!("{long}a"), format!("{long}b")]));
    assert_eq!((profile.distinct_estimate, profile.lengths.map(|l| l.max)), (2, Some(5_001)));
    assert_eq!(profile.max.map(|m| m.chars().count()), Some(256));
    assert!(profile.top_values.iter().all(|top| top.value.chars().count() == 256));
}

#[test]
fn an_array_of_another_type_is_refused_rather_than_nulled() {
    let mut profiler = ColumnProfiler::new(&column(SqlType::BigInt));
    assert!(profiler.update(&StringArray::from(vec!["12", "x"])).is_err());
    assert!(profiler.merge(ColumnProfiler::new(&column(SqlType::Varchar))).is_err());
}

#[test]
fn without_values_no_cell_is_left() {
    let json = whole(&SqlType::Varchar, &StringArray::from(vec!["secret-1", "secret-2"])).without_values().to_json();
    assert!(!json.to_string().contains("secret"), "{json}");
    assert_eq!(json["distinct_estimate"], 2);
    let json = whole(&SqlType::BigInt, &Int64Array::from(vec![4_711, 4_712])).without_values().to_json();
    assert!(!json.to_string().contains("471"), "{json}");
}

#[test]
fn single_values_can_be_hidden_from_a_profile() {
    let profile = whole(&SqlType::Varchar, &StringArray::from(vec!["a@example.com", "none", "none", "zebra"]));
    let kept = profile.hiding(|value| value.contains('@'));
    assert_eq!((kept.min, kept.max.as_deref(), kept.top_values.len()), (None, Some("zebra"), 2));
}
