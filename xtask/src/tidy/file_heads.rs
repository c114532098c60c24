//! Every Rust file begins with a `//!` line that says what it is for.

use crate::offence::Offence;
use crate::tree::Tree;

/// Looks at the first line of every Rust file.
pub fn check(tree: &Tree) -> Vec<Offence> {
    let headless = |path: &&str| !tree.text(path).is_some_and(|text| has_head(&text));
    tree.rust_files()
        .filter(headless)
        .map(|path| Offence::line(path, 0, "begin with //! and what the file is for"))
        .collect()
}

fn has_head(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty());
    first.and_then(|line| line.strip_prefix("//!")).is_some_and(|rest| rest.trim().len() > 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::Planted;

    #[test]
    fn a_file_that_does_not_say_what_it_is_for_is_refused() {
        let planted = Planted::new()
            .file("good.rs", "//! What it is for.\n")
            .file("code.rs", "fn main() {}\n//! Late.\n")
            .file("bare.rs", "//!\n")
            .file("void.rs", "");
        let offences = check(&planted.tree());
        assert_eq!(offences.iter().map(|o| o.path.as_str()).collect::<Vec<_>>(), ["bare.rs", "code.rs", "void.rs"]);
    }
}
