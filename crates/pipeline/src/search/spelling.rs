//! Misspelt words: which known word somebody may have meant.

use std::collections::{HashMap, HashSet};

/// Letters below which a word is too short to tell a slip from another word.
const SHORTEST: usize = 4;
/// Letters from which on a word may hold two slips instead of one.
const LONG: usize = 6;
/// Letters beyond which a word is none that anybody types.
const LONGEST: usize = 64;
/// Words offered for each misspelt one.
const OFFERS: usize = 3;
/// Different words that are remembered as judged; later ones may be judged again.
const REMEMBERED: usize = 16_384;

/// Looks through the words in use for those near to unknown ones.
pub struct Spelling {
    unknown: Vec<Unknown>,
    judged: HashSet<String>,
}

struct Unknown {
    word: String,
    letters: Vec<char>,
    /// Nearest first: slips, and the word.
    offers: Vec<(usize, String)>,
}

impl Spelling {
    /// For these words; those too short or too long are left as they are.
    pub fn new(unknown: Vec<String>) -> Self {
        let judge = |word: String| Unknown { letters: word.chars().collect(), word, offers: Vec::new() };
        let sized = |unknown: &Unknown| (SHORTEST..=LONGEST).contains(&unknown.letters.len());
        Self { unknown: unknown.into_iter().map(judge).filter(sized).collect(), judged: HashSet::new() }
    }

    /// Whether no word is left that could be misspelt.
    pub fn is_done(&self) -> bool {
        self.unknown.is_empty()
    }

    /// Judges a word in use.
    pub fn see(&mut self, word: &str) {
        if self.judged.contains(word) {
            return;
        }
        if self.judged.len() < REMEMBERED {
            self.judged.insert(word.to_owned());
        }
        let letters: Vec<char> = word.chars().take(LONGEST + 1).collect();
        if !(SHORTEST..=LONGEST).contains(&letters.len()) {
            return;
        }
        for unknown in &mut self.unknown {
            unknown.judge(word, &letters);
        }
    }

    /// What each word may mean, likeliest first.
    pub fn offers(self) -> HashMap<String, Vec<String>> {
        let words = |unknown: Unknown| (unknown.word, unknown.offers.into_iter().map(|(_, word)| word).collect());
        self.unknown.into_iter().map(words).collect()
    }
}

impl Unknown {
    fn judge(&mut self, word: &str, letters: &[char]) {
        let most = if self.letters.len() >= LONG { 2 } else { 1 };
        if self.letters.len().abs_diff(letters.len()) > most {
            return;
        }
        let offer = (slips(&self.letters, letters), word.to_owned());
        if offer.0 > most || self.offers.contains(&offer) {
            return;
        }
        let place = self.offers.partition_point(|known| *known < offer);
        self.offers.insert(place, offer);
        self.offers.truncate(OFFERS);
    }
}

/// Letters left out, put in, exchanged or swapped with their neighbour (optimal string alignment).
fn slips(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i + 1);
        for (j, y) in b.iter().enumerate() {
            let mut least = (above[j] + usize::from(x != y)).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offers(unknown: &str, known: &[&str]) -> Vec<String> {
        let mut spelling = Spelling::new(vec![unknown.to_owned()]);
        for word in known.iter().chain(known) {
            spelling.see(word);
        }
        spelling.offers().remove(unknown).unwrap_or_default()
    }

    #[test]
    fn slips_are_counted() {
        let count = |a: &str, b: &str| slips(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        for (a, b, n) in [("emial", "email", 1), ("custmer", "customers", 2), ("straße", "strase", 1), ("", "ab", 2)] {
            assert_eq!((count(a, b), count(b, a)), (n, n), "{a} {b}");
        }
    }

    #[test]
    fn near_words_are_offered_nearest_first() {
        assert_eq!(offers("custmer", &["orders", "customers", "email", "customer"]), ["customer", "customers"]);
        assert_eq!(offers("emial", &["email", "serial", "mail"]), ["email"]);
        assert_eq!(offers("prices", &["price", "prize", "prizes", "prided"]).len(), OFFERS);
    }

    #[test]
    fn short_and_endless_words_are_left_alone() {
        assert!(offers("ids", &["idx", "id"]).is_empty());
        assert!(Spelling::new(vec!["x".repeat(10_000), "ab".to_owned()]).is_done());
        assert!(offers("price", &["x".repeat(100_000).as_str()]).is_empty());
    }
}
