//! A Rust file that a person can hold in mind: at most 400 lines, its inline test modules not counted.

use crate::offence::Offence;
use crate::source::Source;
use crate::tree::Tree;

const LIMIT: usize = 400;

/// Counts the lines of every Rust file.
pub fn check(tree: &Tree) -> Vec<Offence> {
    tree.rust_files().filter_map(|path| too_long(path, &tree.text(path)?)).collect()
}

fn too_long(path: &str, text: &str) -> Option<Offence> {
    let lines = Source::parse(text).body_lines();
    (lines > LIMIT).then(|| Offence::file(path, format!("its body has {lines} lines, more than {LIMIT}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::Planted;

    #[test]
    fn one_line_too_many_is_refused() {
        let planted = Planted::new().file("a.rs", &"\n".repeat(LIMIT)).file("b.rs", &"\n".repeat(LIMIT + 1));
        let offences = check(&planted.tree());
        assert_eq!(offences.iter().map(|o| o.path.as_str()).collect::<Vec<_>>(), ["b.rs"]);
    }

    #[test]
    fn inline_tests_are_not_counted() {
        let text = format!("{}#[cfg(test)]\nmod tests {{\n{}}}\n", "\n".repeat(LIMIT), "\n".repeat(LIMIT));
        assert_eq!(check(&Planted::new().file("a.rs", &text).tree()), []);
    }
}
