//! Samples: distinct, the same in every run, drawn from the whole column.

use std::collections::HashSet;
use std::sync::Arc;

use annotate::Sampler;
use annotate::sample::spread;
use arrow::array::{ArrayRef, Int64Array, StringArray, StringViewArray};
use proptest::prelude::*;

fn sample(n: usize, array: &ArrayRef, batch: usize) -> Vec<String> {
    let mut sampler = Sampler::new(n);
    for start in (0..array.len()).step_by(batch) {
        sampler.update(array.slice(start, batch.min(array.len() - start)).as_ref());
    }
    sampler.finish()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn samples_are_distinct_real_and_independent_of_batches(
        values in prop::collection::vec(prop::option::weighted(0.8, "[a-d ]{0,3}"), 1..300),
        n in 0usize..12,
        batch in 1usize..50,
    ) {
        let array: ArrayRef = Arc::new(StringArray::from(values.clone()));
        let drawn = sample(n, &array, batch);
        let real: HashSet<&str> = values.iter().flatten().map(String::as_str).filter(|v| !v.trim().is_empty()).collect();
        prop_assert_eq!(drawn.len(), n.min(real.len()));
        prop_assert_eq!(drawn.iter().collect::<HashSet<_>>().len(), drawn.len());
        prop_assert!(drawn.iter().all(|v| real.contains(v.as_str())));
        prop_assert_eq!(&drawn, &sample(n, &array, values.len()));
        let views: ArrayRef = Arc::new(values.iter().map(Option::as_deref).collect::<StringViewArray>());
        prop_assert_eq!(&drawn, &sample(n, &views, batch));
    }
}

#[test]
fn samples_come_from_the_whole_column() {
    let array: ArrayRef = Arc::new(Int64Array::from_iter_values(0..100_000));
    let drawn: Vec<i64> = sample(20, &array, 8_192).iter().map(|v| v.parse().unwrap()).collect();
    assert!(drawn.is_sorted(), "in the order of the column: {drawn:?}");
    for quarter in 0..4 {
        let range = quarter * 25_000..(quarter + 1) * 25_000;
        assert!(drawn.iter().any(|v| range.contains(v)), "none of {range:?} in {drawn:?}");
    }
}

#[test]
fn long_values_are_cut_and_still_distinct() {
    let long = "x".repeat(10_000);
    let array: ArrayRef = Arc::new(StringArray::from(vec![format!("{long}1"), format!("{long}2"), "short".into()]));
    assert_eq!(sample(5, &array, 2), [&"x".repeat(256), "short"]);
}

#[test]
fn spreading_keeps_order_and_takes_from_everywhere() {
    let values: Vec<String> = (0..10).map(|i| i.to_string()).collect();
    assert_eq!(spread(&values, 5), ["0", "2", "4", "6", "8"]);
    assert_eq!(spread(&values, 20), values);
    assert!(spread(&values, 0).is_empty());
}
