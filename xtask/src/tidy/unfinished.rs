//! What is shipped is finished: no placeholder macro, no note to do it later, no word that excuses the present.

use crate::offence::Offence;
use crate::source::Source;
use crate::text;
use crate::tree::{Tree, is_test_file};

const MACROS: [&str; 2] = ["todo", "unimplemented"];
/// Words of a comment; spelled in parts so that this file does not refuse itself.
const NOTES: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
/// Phrases in a comment or a literal, in lower case.
const EXCUSES: [&str; 2] = [concat!("for ", "now"), concat!("not yet ", "implemented")];

/// Reads every Rust file but for tests.
pub fn check(tree: &Tree) -> Vec<Offence> {
    let shipped = tree.rust_files().filter(|path| !is_test_file(path));
    shipped.flat_map(|path| in_file(path, &tree.text(path).unwrap_or_default())).collect()
}

fn in_file(path: &str, text: &str) -> Vec<Offence> {
    let source = Source::parse(text);
    let mut offences = Vec::new();
    for index in (0..source.raw().len()).filter(|index| !source.is_test(*index)) {
        if let Some(word) = offending_word(&source, index) {
            offences.push(Offence::line(
                path,
                index,
                format!("'{word}': finish it, or describe the present without it"),
            ));
        }
    }
    offences
}

fn offending_word(source: &Source, index: usize) -> Option<&'static str> {
    let code = &source.code()[index];
    let called = |name: &&&str| text::word_positions(code, name).any(|at| code[at + name.len()..].starts_with('!'));
    let noted = |name: &&&str| text::has_word(&source.comments()[index], name);
    let lower = source.raw()[index].to_lowercase();
    let excused = |phrase: &&&str| text::has_word(&lower, phrase);
    MACROS.iter().find(called).or_else(|| NOTES.iter().find(noted)).or_else(|| EXCUSES.iter().find(excused)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::Planted;

    #[test]
    fn each_mark_of_unfinished_work_is_refused() {
        let lines = [
            format!("fn a() {{ {}!() }}", MACROS[0]),
            format!("fn a() {{ {}!(\"later\") }}", MACROS[1]),
            format!("// {}: later", NOTES[0]),
            format!("// {} later", NOTES[1]),
            format!("/* {} */", NOTES[2]),
            format!("// good enough {}", EXCUSES[0]),
            format!("let a = \"{}\";", EXCUSES[1].to_uppercase()),
        ];
        for line in lines {
            let planted = Planted::new().file("src/a.rs", &format!("//! x\n{line}\n"));
            assert_eq!(check(&planted.tree()).len(), 1, "{line}");
        }
    }

    #[test]
    fn words_that_only_look_alike_pass() {
        let text = format!("//! x\nlet ssn = \"{0}-{0}\"; // formats nowhere\nlet todo = 1;\n", NOTES[2]);
        assert_eq!(check(&Planted::new().file("src/a.rs", &text).tree()), []);
    }

    #[test]
    fn tests_may_stop_anywhere() {
        let inline = format!("//! x\n#[cfg(test)]\nmod tests {{\n    fn a() {{ {}!() }}\n}}\n", MACROS[0]);
        let planted = Planted::new().file("src/a.rs", &inline).file("tests/it/b.rs", &format!("// {}", NOTES[0]));
        assert_eq!(check(&planted.tree()), []);
    }
}
