//! What search goes by: the words of a table or column, and the words that somebody looks for.
//!
//! Values never become words here: of a description made by rules only the part before
//! [`describer::FACTS`] counts, because what follows may name ranges and choices.

use std::collections::HashSet;

use crate::limits;
use crate::ports::describer;
use crate::semantic::{DescriptionSource, SemanticType};
use crate::table::ObjectKind;

/// Words beside the names that count for the vector: a long text would drown them.
const GIST_WORDS: usize = 12;
/// Words that say nothing of what a column holds.
const FILLERS: &[&str] = &[
    "a", "an", "and", "at", "by", "each", "for", "from", "in", "is", "it", "of", "on", "or", "that", "the", "this",
    "to", "when", "where", "whether", "which", "with",
];

/// The words of a name or text in lower case, in order. Split at anything that is no letter or digit, between `lower`
/// and `Upper`, and between a word and the number after it.
pub fn words(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = text.chars().collect();
    for (i, &c) in chars.iter().enumerate() {
        if !c.is_alphanumeric() {
            flush(&mut word, &mut all);
            continue;
        }
        let before = i.checked_sub(1).map(|p| chars[p]);
        let after = chars.get(i + 1);
        let hump = c.is_uppercase()
            && before.is_some_and(|b| {
                b.is_lowercase() || b.is_numeric() || b.is_uppercase() && after.is_some_and(|a| a.is_lowercase())
            });
        let number = c.is_numeric() && before.is_some_and(char::is_alphabetic);
        if hump || number {
            flush(&mut word, &mut all);
        }
        word.extend(c.to_lowercase());
    }
    flush(&mut word, &mut all);
    all
}

fn flush(word: &mut String, all: &mut Vec<String>) {
    if !word.is_empty() {
        all.push(std::mem::take(word));
    }
}

/// What is known of a table or column, as far as search may know it.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Table or column.
    pub kind: ObjectKind,
    /// Its name.
    pub name: &'a str,
    /// `<dataset>.<table>` or `<dataset>.<table>.<column>`.
    pub qualified_name: &'a str,
    /// What it means.
    pub description: Option<&'a str>,
    /// Who says so.
    pub description_source: Option<DescriptionSource>,
    /// Its semantic type, as the catalogue spells it.
    pub semantic_type: Option<&'a str>,
    /// Other names that people gave it.
    pub synonyms: &'a [String],
}

/// The words under which a table or column is found, separated by blanks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SearchText {
    /// Words of its names, which weigh more.
    pub names: String,
    /// Words of what surrounds it: the column's table, the semantic type, the description.
    pub about: String,
}

impl SearchText {
    /// The words of a table or column; as many as [`limits::SEARCH_TEXT_CHARS`] allows in each part.
    pub fn of(subject: Subject<'_>) -> Self {
        let mut seen = HashSet::new();
        let spoken = std::iter::once(subject.name).chain(subject.synonyms.iter().map(String::as_str));
        let names = spoken.flat_map(words).filter(|word| seen.insert(word.clone())).collect();
        let mut about = match subject.kind {
            ObjectKind::Table => Vec::new(),
            ObjectKind::Column => words(table_of(&subject)),
        };
        let known = subject.semantic_type.filter(|word| *word != SemanticType::Unknown.as_str());
        about.extend(known.map(words).into_iter().flatten());
        about.extend(words(said(&subject)));
        Self { names: bounded(names), about: bounded(about) }
    }

    /// The text whose vector stands for the table or column: the names, which count twice, and what is new in the rest.
    pub fn gist(&self) -> String {
        let mut seen: HashSet<&str> = self.names.split(' ').chain(FILLERS.iter().copied()).collect();
        let about: Vec<&str> = self.about.split(' ').filter(|word| seen.insert(word)).take(GIST_WORDS).collect();
        format!("{} {} {}", self.names, self.names, about.join(" "))
    }
}

/// The table's name out of a column's qualified name.
fn table_of<'a>(subject: &Subject<'a>) -> &'a str {
    let owner = subject.qualified_name.strip_suffix(subject.name).unwrap_or(subject.qualified_name);
    owner.split_once('.').map_or(owner, |(_, table)| table)
}

/// The part of the description that counts. A sentence that rules make of a table only counts and lists its columns, which
/// are found by themselves.
fn said<'a>(subject: &Subject<'a>) -> &'a str {
    let description = subject.description.unwrap_or_default();
    match (subject.description_source, subject.kind) {
        (Some(DescriptionSource::Heuristic), ObjectKind::Table) => "",
        (Some(DescriptionSource::Heuristic), ObjectKind::Column) => {
            description.split_once(describer::FACTS).map_or(description, |(opening, _)| opening)
        }
        (Some(DescriptionSource::Human | DescriptionSource::Agent) | None, _) => description,
    }
}

/// The words joined by blanks, cut between two words.
fn bounded(words: Vec<String>) -> String {
    let mut text = String::new();
    let mut left = limits::SEARCH_TEXT_CHARS;
    for word in words {
        let needed = word.chars().count() + 1;
        if needed > left {
            break;
        }
        left -= needed;
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&word);
    }
    text
}

/// A word to look for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Term {
    /// Letters and digits only, in lower case.
    pub word: String,
    /// Whether words that begin with it count too.
    pub prefix: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column<'a>(description: Option<&'a str>, source: DescriptionSource, synonyms: &'a [String]) -> Subject<'a> {
        Subject {
            kind: ObjectKind::Column,
            name: "birthDate",
            qualified_name: "shop.all_customers.birthDate",
            description,
            description_source: Some(source),
            semantic_type: Some("date"),
            synonyms,
        }
    }

    #[test]
    fn names_split_into_words_however_they_are_spelt() {
        for name in ["order_id", "orderId", "OrderID", "Order Id", "ORDER-ID", " order.id "] {
            assert_eq!(words(name), ["order", "id"], "{name}");
        }
        assert_eq!(words("HTTPStatus2"), ["http", "status", "2"]);
        assert_eq!(words("2nd_Straße"), ["2nd", "straße"]);
        assert!(words("__\0\"'*").is_empty());
    }

    #[test]
    fn a_column_is_found_by_name_table_type_description_and_synonyms() {
        let synonyms = ["DOB".to_owned(), "date of birth".to_owned()];
        let text = SearchText::of(column(Some("When they were born."), DescriptionSource::Human, &synonyms));
        assert_eq!(text.names, "birth date dob of");
        assert_eq!(text.about, "all customers date when they were born");
        assert_eq!(text.gist(), "birth date dob of birth date dob of all customers they were born");
    }

    #[test]
    fn values_in_a_description_made_by_rules_do_not_become_words() {
        let said = Some("Status of the order; one of shipped, cancelled.");
        let about = |source| SearchText::of(column(said, source, &[])).about;
        assert_eq!(about(DescriptionSource::Heuristic), "all customers date status of the order");
        assert!(about(DescriptionSource::Human).ends_with("one of shipped cancelled"));
    }

    #[test]
    fn a_table_has_no_other_table_and_an_unknown_type_is_no_word() {
        let subject = Subject {
            kind: ObjectKind::Table,
            name: "orders",
            qualified_name: "shop.orders",
            description: Some("Table of orders with 3 rows and 1 column: id."),
            description_source: Some(DescriptionSource::Heuristic),
            semantic_type: Some("unknown"),
            synonyms: &[],
        };
        assert_eq!(SearchText::of(subject), SearchText { names: "orders".into(), about: String::new() });
        let human =
            Subject { description_source: Some(DescriptionSource::Human), description: Some("Sales."), ..subject };
        assert_eq!(SearchText::of(human).about, "sales");
    }

    #[test]
    fn the_text_is_bounded_and_cut_between_words() {
        let long = "lorem ".repeat(limits::SEARCH_TEXT_CHARS);
        let text = SearchText::of(column(Some(&long), DescriptionSource::Human, &[]));
        assert!(text.about.len() <= limits::SEARCH_TEXT_CHARS && text.about.ends_with(" lorem"));
    }
}
