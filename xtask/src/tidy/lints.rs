//! Every crate takes the workspace's lints; the vocabulary and its ports document everything they show.

use crate::manifest;
use crate::offence::Offence;
use crate::tree::Tree;

const VOCABULARY: &str = "crates/domain/src/lib.rs";
const DEMANDS: [&str; 2] = ["#![warn(missing_docs)]", "#![warn(clippy::wildcard_enum_match_arm)]"];

/// Looks at the manifests and at the head of the vocabulary.
pub fn check(tree: &Tree) -> Vec<Offence> {
    let members = match manifest::members(tree) {
        Ok(members) => members,
        Err(error) => return vec![Offence::file("Cargo.toml", error)],
    };
    let without = members.into_iter().filter(|member| !member.takes_lints);
    let mut offences: Vec<Offence> =
        without.map(|member| Offence::file(member.path, "write [lints] with workspace = true")).collect();
    let vocabulary = tree.text(VOCABULARY).unwrap_or_default();
    let missing = DEMANDS.iter().filter(|demand| !vocabulary.lines().any(|line| line.trim() == **demand));
    offences.extend(missing.map(|demand| Offence::file(VOCABULARY, format!("{demand} must stand at its top"))));
    offences
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::Planted;

    const HEAD: &str = "//! Words.\n#![warn(missing_docs)]\n#![warn(clippy::wildcard_enum_match_arm)]\n";

    fn with(manifest: &str, head: &str) -> Vec<Offence> {
        let planted = Planted::new().file("Cargo.toml", "[workspace]\n").file("crates/a/Cargo.toml", manifest);
        check(&planted.file(VOCABULARY, head).tree())
    }

    #[test]
    fn a_crate_with_the_lints_passes() {
        assert_eq!(with("[package]\nname = \"a\"\n[lints]\nworkspace = true\n", HEAD), []);
    }

    #[test]
    fn a_crate_without_them_is_refused() {
        assert_eq!(with("[package]\nname = \"a\"\n", HEAD)[0].path, "crates/a/Cargo.toml");
    }

    #[test]
    fn a_vocabulary_that_need_not_be_documented_is_refused() {
        let offences = with("[package]\nname = \"a\"\n[lints]\nworkspace = true\n", "//! Words.\n");
        assert_eq!(offences.len(), 2);
    }
}
