//! What a hit shows of itself: the piece of its description that was met, or else its names.

use db::ObjectRow;
use domain::search::{Term, words};

/// Characters of a snippet.
const CHARS: usize = 160;
/// Characters shown before the word that was met.
const BEFORE: usize = 40;

/// The snippet of an object that was found by these words.
pub fn of(object: &ObjectRow, terms: &[Term]) -> String {
    let said = &object.annotations;
    let description = said.description.as_deref().unwrap_or_default().trim();
    if let Some(met) = place(description, terms) {
        return piece(description, met);
    }
    let synonyms = said.synonyms.join(", ");
    if let Some(met) = place(&synonyms, terms) {
        return piece(&synonyms, met);
    }
    piece(if description.is_empty() { &object.qualified_name } else { description }, 0)
}

/// Byte at which the first word begins that one of the terms means.
fn place(text: &str, terms: &[Term]) -> Option<usize> {
    let mut from = 0;
    for chunk in text.split_inclusive(char::is_whitespace) {
        if words(chunk).iter().any(|word| terms.iter().any(|term| meets(term, word))) {
            return Some(from);
        }
        from += chunk.len();
    }
    None
}

/// Whether the word is the term, in one of the forms that the text index also takes for it.
fn meets(term: &Term, word: &str) -> bool {
    word == term.word
        || term.prefix && word.starts_with(&term.word)
        || word.strip_suffix('s').is_some_and(|one| one == term.word)
        || term.word.strip_suffix('s').is_some_and(|one| one == word)
}

/// The text around a byte, cut between two words where it can be.
fn piece(text: &str, met: usize) -> String {
    let skipped = text[..met].chars().count().saturating_sub(BEFORE);
    let mut shown = text;
    if skipped > 0 {
        let start = text.char_indices().nth(skipped).map_or(0, |(at, _)| at);
        let blank = text[start..met].find(char::is_whitespace).map_or(met, |at| start + at);
        shown = text[blank..].trim_start();
    }
    let end = shown.char_indices().nth(CHARS).map(|(at, _)| at);
    let kept = end.map_or(shown, |end| {
        let blank = shown[..end].rfind(char::is_whitespace).filter(|at| *at > 0).unwrap_or(end);
        shown[..blank].trim_end()
    });
    let (before, after) = (if skipped > 0 { "…" } else { "" }, if end.is_some() { "…" } else { "" });
    format!("{before}{kept}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<Term> {
        words(text).into_iter().map(|word| Term { prefix: word.len() > 3, word }).collect()
    }

    #[test]
    fn words_are_met_in_their_forms() {
        assert_eq!(place("E-mail addresses of the customer", &terms("address")), Some(7));
        assert_eq!(place("Prices, net", &terms("price")), Some(0));
        assert_eq!(place("the price", &terms("prices")), Some(4));
        assert_eq!(place("the price", &terms("ice")), None);
        assert_eq!(place("", &terms("x")), None);
    }

    #[test]
    fn a_long_text_is_cut_around_the_word() {
        let text = format!("{}needle {}", "é lorem ".repeat(40), "ipsum ".repeat(100));
        let shown = piece(&text, place(&text, &terms("needle")).expect("found"));
        assert!(shown.starts_with('…') && shown.ends_with("ipsum…") && shown.contains("needle"), "{shown}");
        assert!(shown.chars().count() <= CHARS + 2, "{shown}");
        assert_eq!(piece("short", 0), "short");
        let endless = "x".repeat(10_000);
        assert_eq!(piece(&endless, 0).chars().count(), CHARS + 1);
        assert!(piece(&format!("{endless} needle"), 10_001).starts_with("…needle"));
    }
}
