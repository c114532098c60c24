//! What somebody typed, as the text index and the embedder take it.

use std::collections::{HashMap, HashSet};

use domain::limits;
use domain::search::{Term, words};

/// Letters from which on a word counts as the beginning of longer ones.
const PREFIX: usize = 4;
/// Texts with synonyms at most.
const VARIANTS: usize = 6;

/// The different words of a text, at most [`limits::SEARCH_WORDS`]; punctuation has no meaning.
pub fn typed(text: &str) -> Vec<Term> {
    let mut seen = HashSet::new();
    let different = words(text).into_iter().filter(|word| seen.insert(word.clone()));
    let term = |word: String| Term { prefix: word.chars().count() >= PREFIX, word };
    different.take(limits::SEARCH_WORDS).map(term).collect()
}

/// Words to look for, and texts whose vectors are near to what is meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// The words as typed, then as they may be meant.
    pub terms: Vec<Term>,
    /// The words as typed; spelt as they may be meant; and with one synonym after the other in their places, because a text of
    /// all of them at once would be near to nothing.
    pub texts: Vec<String>,
}

impl Question {
    /// The typed words, and what misspelt ones among them may mean.
    pub fn new(typed: Vec<Term>, offers: &HashMap<String, Vec<String>>) -> Self {
        let mut seen: HashSet<String> = typed.iter().map(|term| term.word.clone()).collect();
        let mut meant = Vec::new();
        let mut spelt = Vec::new();
        for term in &typed {
            let offered = offers.get(&term.word).map(Vec::as_slice).unwrap_or_default();
            let likeliest = offered.first().unwrap_or(&term.word);
            spelt.push((likeliest.clone(), annotate::synonyms(likeliest)));
            let forms = std::iter::once(&term.word).chain(offered);
            let others = forms.flat_map(|word| annotate::synonyms(word)).map(str::to_owned);
            meant.extend(offered.iter().cloned().chain(others).filter(|word| seen.insert(word.clone())));
        }
        let as_typed: Vec<&str> = typed.iter().map(|term| term.word.as_str()).collect();
        let mut texts = vec![as_typed.join(" "), variant(&spelt, None)];
        let most = spelt.iter().map(|(_, synonyms)| synonyms.len()).max().unwrap_or(0);
        texts.extend((0..most.min(VARIANTS)).map(|n| variant(&spelt, Some(n))));
        texts.dedup();
        let as_meant = meant.into_iter().map(|word| Term { word, prefix: false });
        Self { terms: typed.into_iter().chain(as_meant).collect(), texts }
    }
}

/// The words, each replaced by its `n`th synonym; those with fewer begin again.
fn variant(words: &[(String, Vec<&'static str>)], n: Option<usize>) -> String {
    let word = |(word, synonyms): &(String, Vec<&'static str>)| match n.and_then(|n| n.checked_rem(synonyms.len())) {
        Some(place) => synonyms[place].to_owned(),
        None => word.clone(),
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(text: &str, offers: &[(&str, &[&str])]) -> Question {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Question::new(typed(text), &offers.iter().map(|(word, offered)| ((*word).to_owned(), owned(offered))).collect())
    }

    fn shown(question: &Question) -> Vec<(&str, bool)> {
        question.terms.iter().map(|term| (term.word.as_str(), term.prefix)).collect()
    }

    #[test]
    fn words_come_with_their_synonyms() {
        let question = question("Buyer MAIL, mail", &[]);
        assert_eq!(shown(&question)[..2], [("buyer", true), ("mail", true)]);
        assert!(shown(&question).contains(&("customer", false)) && shown(&question).contains(&("email", false)));
        assert_eq!(question.texts[..3], ["buyer mail", "customer email", "client email"]);
    }

    #[test]
    fn misspelt_words_come_with_what_they_may_mean_and_its_synonyms() {
        let question = question("emial of zebras", &[("emial", &["email"])]);
        assert_eq!(
            shown(&question),
            [("emial", true), ("of", false), ("zebras", true), ("email", false), ("mail", false)]
        );
        assert_eq!(question.texts, ["emial of zebras", "email of zebras", "mail of zebras"]);
    }

    #[test]
    fn unknown_words_stay_alone_and_punctuation_is_nothing() {
        assert_eq!(question("zebra?", &[]).texts, ["zebra"]);
        assert_eq!(typed("\" OR * \0 ()").len(), 1);
        assert!(typed("?!").is_empty());
    }

    #[test]
    fn words_beyond_the_limit_are_passed_over() {
        let many: Vec<String> =
            (0..1_000).map(|n| format!("w{}", char::from_u32(0x4e00 + n).expect("a character"))).collect();
        assert_eq!(typed(&many.join(" ")).len(), limits::SEARCH_WORDS);
    }
}
