//! Counting cells or rows with the first places where they stand: what warnings say instead of showing values.

/// How many, and the first three rows (1-based data rows).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Places {
    count: u64,
    first: [u64; 3],
}

impl Places {
    /// One more, in a 1-based data row.
    pub fn add(&mut self, row: u64) {
        if let Some(slot) = usize::try_from(self.count).ok().and_then(|i| self.first.get_mut(i)) {
            *slot = row;
        }
        self.count += 1;
    }

    /// How many.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Without the last `n`.
    pub const fn less(mut self, n: u64) -> Self {
        self.count = self.count.saturating_sub(n);
        self
    }

    /// `row 7` or `rows 7, 12, 90, …`.
    pub fn describe(&self) -> String {
        self.describe_as("row")
    }

    /// As [`Places::describe`], of something else than rows.
    pub fn describe_as(&self, noun: &str) -> String {
        let n = usize::try_from(self.count).unwrap_or(3).min(3);
        let shown: Vec<String> = self.first[..n].iter().map(u64::to_string).collect();
        match shown.len() {
            0 => format!("no {noun}"),
            1 => format!("{noun} {}", shown[0]),
            _ if self.count > 3 => format!("{noun}s {}, …", shown.join(", ")),
            _ => format!("{noun}s {}", shown.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_three_rows_are_named() {
        let mut places = Places::default();
        assert_eq!(places.describe(), "no row");
        places.add(7);
        assert_eq!(places.describe(), "row 7");
        for row in 8..20 {
            places.add(row);
        }
        assert_eq!(places.describe(), "rows 7, 8, 9, …");
        assert_eq!(places.count(), 13);
    }
}
