//! Names as words: how `orderID`, `order_id` and `Order Id` become the same two words, and `customers` one customer.

pub(crate) use domain::search::words;

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
