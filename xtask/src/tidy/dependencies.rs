//! What the build really takes in, held against `deny.toml`: licences, banned packages, packages in one version only.

use crate::cargo_tree::{self, Package};
use crate::deny::{self, Rules};
use crate::licence;
use crate::offence::Offence;
use crate::tree::Tree;

/// Asks cargo for the tree and judges it.
pub fn check(tree: &Tree) -> Vec<Offence> {
    match deny::rules(tree).and_then(|rules| Ok(judge(&cargo_tree::packages(tree.root())?, &rules))) {
        Ok(offences) => offences,
        Err(error) => vec![Offence::file("deny.toml", error)],
    }
}

fn judge(packages: &[Package], rules: &Rules) -> Vec<Offence> {
    let mut offences = Vec::new();
    for package in packages.iter().filter(|package| !package.own) {
        let Package { name, version, licence, .. } = package;
        if !licence::accepted(licence, &rules.licences) {
            offences
                .push(Offence::file("Cargo.lock", format!("{name} {version}: licence '{licence}' is not accepted")));
        }
        if rules.banned.contains(name) {
            offences.push(Offence::file(
                "Cargo.lock",
                format!("{name} is banned; `cargo tree -i {name}` says who takes it in"),
            ));
        }
    }
    for name in &rules.single {
        let versions: Vec<&str> = packages.iter().filter(|p| p.name == *name).map(|p| p.version.as_str()).collect();
        if versions.len() > 1 {
            offences.push(Offence::file("Cargo.lock", format!("{name} is there in versions {}", versions.join(", "))));
        }
    }
    offences
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(tree: &str) -> Vec<Offence> {
        let rules = Rules { licences: vec!["MIT".into()], banned: vec!["bad".into()], single: vec!["arrow".into()] };
        judge(&cargo_tree::parse(tree), &rules)
    }

    #[test]
    fn a_tree_that_follows_the_rules_passes() {
        assert_eq!(
            judged("own v0.1.0 (/x)|\narrow v59.0.0|MIT\narrow v59.0.0|MIT (*)\nserde v1.0.0|MIT OR Other\n"),
            []
        );
    }

    #[test]
    fn a_licence_a_ban_and_a_second_version_are_refused() {
        assert!(judged("a v1.0.0|GPL-3.0\n")[0].message.contains("licence"));
        assert!(judged("a v1.0.0|\n")[0].message.contains("licence"));
        assert!(judged("bad v1.0.0|MIT\n")[0].message.contains("banned"));
        assert!(judged("arrow v59.0.0|MIT\narrow v60.0.0|MIT\n")[0].message.contains("59.0.0, 60.0.0"));
    }
}
