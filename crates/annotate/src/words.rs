//! Names as words: how `orderID`, `order_id` and `Order Id` become the same two words, and `customers` one customer.

/// The words of a name in lower case, in order. Split at anything that is no letter or digit, between `lower` and `Upper`,
/// and between a word and the number after it.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = name.chars().collect();
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

/// Words whose singular the rules below would miss.
const IRREGULAR: &[(&str, &str)] = &[
    ("people", "person"),
    ("children", "child"),
    ("men", "man"),
    ("women", "woman"),
    ("movies", "movie"),
    ("cookies", "cookie"),
    ("calories", "calorie"),
    ("caches", "cache"),
    ("shoes", "shoe"),
    ("statuses", "status"),
    ("buses", "bus"),
    ("bonuses", "bonus"),
    ("campuses", "campus"),
    ("viruses", "virus"),
    ("analyses", "analysis"),
    ("indices", "index"),
    ("indexes", "index"),
    ("vertices", "vertex"),
    ("news", "news"),
    ("series", "series"),
    ("species", "species"),
    ("sms", "sms"),
    ("gps", "gps"),
];

/// The singular of an English noun in lower case; a noun that is singular already stays as it is.
pub(crate) fn singular(word: &str) -> String {
    if let Some((_, one)) = IRREGULAR.iter().find(|(many, _)| *many == word) {
        return (*one).to_owned();
    }
    if word.len() < 4 || !word.ends_with('s') || ["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        return word.to_owned();
    }
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    if ["sses", "shes", "ches", "xes", "zzes", "oes"].iter().any(|end| word.ends_with(end)) {
        return word[..word.len() - 2].to_owned();
    }
    word[..word.len() - 1].to_owned()
}

/// Whether `phrase` stands in `words`, one word after the other.
pub(crate) fn holds(words: &[String], phrase: &[&str]) -> bool {
    words.windows(phrase.len()).any(|window| window.iter().zip(phrase).all(|(a, b)| a == b))
}

/// Whether `words` end with `phrase`.
pub(crate) fn ends_with(words: &[String], phrase: &[&str]) -> bool {
    words.len() >= phrase.len() && holds(&words[words.len() - phrase.len()..], phrase)
}

/// Whether any of `some` is one of `words`.
pub(crate) fn any(words: &[String], some: &[&str]) -> bool {
    words.iter().any(|word| some.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_split_into_words_however_they_are_spelt() {
        for name in ["order_id", "orderId", "OrderID", "Order Id", "ORDER-ID", " order.id "] {
            assert_eq!(words(name), ["order", "id"], "{name}");
        }
        assert_eq!(words("HTTPStatus2"), ["http", "status", "2"]);
        assert_eq!(words("2nd_Straße"), ["2nd", "straße"]);
        assert!(words("__").is_empty());
    }

    #[test]
    fn plurals_become_singular_and_singulars_stay() {
        for (many, one) in [
            ("customers", "customer"),
            ("categories", "category"),
            ("addresses", "address"),
            ("boxes", "box"),
            ("statuses", "status"),
            ("houses", "house"),
            ("people", "person"),
            ("movies", "movie"),
        ] {
            assert_eq!(singular(many), one);
            assert_eq!(singular(one), one);
        }
        assert_eq!(singular("bus"), "bus");
        assert_eq!(singular("analysis"), "analysis");
    }
}
