//! Many rows in few statements.

/// Rows of a statement at most.
const LARGEST: usize = 64;

/// Cuts a list into parts of 64, 32, 16, 8, 4, 2 and 1: few round trips for any length, and only seven texts for the
/// cache of prepared statements.
pub(crate) fn batches<T>(items: &[T]) -> impl Iterator<Item = &[T]> {
    let mut rest = items;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let power = 1_usize << rest.len().min(LARGEST).ilog2();
        let (part, after) = rest.split_at(power);
        rest = after;
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_length_becomes_powers_of_two() {
        let sizes = |n: usize| batches(&vec![(); n]).map(<[()]>::len).collect::<Vec<_>>();
        assert_eq!(sizes(0), Vec::<usize>::new());
        assert_eq!(sizes(1), [1]);
        assert_eq!(sizes(141), [64, 64, 8, 4, 1]);
    }
}
