//! Files speak about flyquery, not about who or what typed them.

use crate::offence::Offence;
use crate::text;
use crate::tree::Tree;

/// Words in the case they are written in; spelled in parts so that this file does not refuse itself. Names of models
/// and the role of a chat message are spelled in lower case or stand in quotes, and pass.
const WORDS: [&str; 7] = [
    concat!("Cla", "ude"),
    concat!("Chat", "GPT"),
    concat!("Co", "pilot"),
    concat!("assis", "tant"),
    concat!("Assis", "tant"),
    concat!("this work", "place"),
    concat!("helper ", "agent"),
];

/// Reads every text file.
pub fn check(tree: &Tree) -> Vec<Offence> {
    tree.texts().flat_map(|(path, text)| in_file(path, &text)).collect()
}

fn in_file(path: &str, text: &str) -> Vec<Offence> {
    let lines = text.lines().enumerate();
    let found = lines.filter_map(|(index, line)| Some((index, WORDS.iter().find(|word| stands(line, word))?)));
    found.map(|(index, word)| Offence::line(path, index, format!("'{word}' is no word of this project"))).collect()
}

fn stands(line: &str, word: &str) -> bool {
    text::word_positions(line, word).any(|at| {
        let quoted = line[..at].ends_with('"') && line[at + word.len()..].starts_with('"');
        !quoted
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::Planted;

    #[test]
    fn each_word_is_refused() {
        for word in WORDS {
            let planted = Planted::new().file("src/a.rs", &format!("// written by {word}\n"));
            assert_eq!(check(&planted.tree()).len(), 1, "{word}");
        }
    }

    #[test]
    fn a_model_and_a_role_of_a_message_pass() {
        let text = format!("role: \"{}\", model: \"anthropic:{}-x\"\n", WORDS[3], WORDS[0].to_lowercase());
        assert_eq!(check(&Planted::new().file("src/a.rs", &text).tree()), []);
    }
}
