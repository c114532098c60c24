//! Finding words in text without a regular-expression engine.

/// Byte offsets at which `needle` stands as a whole word, letters and digits on neither side.
pub fn word_positions<'a>(line: &'a str, needle: &'a str) -> impl Iterator<Item = usize> + 'a {
    line.match_indices(needle).map(|(at, _)| at).filter(move |&at| {
        let before = line[..at].chars().next_back();
        let after = line[at + needle.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

/// Whether `needle` stands in the line as a whole word.
pub fn has_word(line: &str, needle: &str) -> bool {
    word_positions(line, needle).next().is_some()
}

/// Whether a character can be part of a word or a Rust name.
pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_count() {
        assert!(has_word("a sleep(1)", "sleep"));
        assert!(!has_word("asleep(1)", "sleep"));
        assert!(!has_word("sleep_until(1)", "sleep"));
        assert_eq!(word_positions("ab cab ab", "ab").collect::<Vec<_>>(), [0, 7]);
    }
}
