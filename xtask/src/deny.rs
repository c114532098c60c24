//! The rules of `deny.toml`, the part that the gates check without the tool that the file is written for.

use toml::{Table, Value};

use crate::tree::Tree;

/// What may be in the dependency tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Licences that are accepted.
    pub licences: Vec<String>,
    /// Packages that must not be there.
    pub banned: Vec<String>,
    /// Packages that must be there in one version only.
    pub single: Vec<String>,
}

/// Reads `deny.toml`.
pub fn rules(tree: &Tree) -> Result<Rules, String> {
    let text = tree.text("deny.toml").ok_or("deny.toml is missing")?;
    let table: Table = text.parse().map_err(|error| format!("deny.toml: {error}"))?;
    let mut rules = Rules::default();
    let allow = table.get("licenses").and_then(|l| l.get("allow")).and_then(Value::as_array);
    rules.licences.extend(allow.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
    let deny = table.get("bans").and_then(|b| b.get("deny")).and_then(Value::as_array);
    for entry in deny.into_iter().flatten() {
        let Some(name) = entry.get("crate").and_then(Value::as_str) else { continue };
        if entry.get("deny-multiple-versions").and_then(Value::as_bool) == Some(true) {
            rules.single.push(name.to_owned());
        } else {
            rules.banned.push(name.to_owned());
        }
    }
    if rules.licences.is_empty() || rules.single.is_empty() {
        return Err("deny.toml names no licences, or no package that must have one version".to_owned());
    }
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::Planted;

    #[test]
    fn the_three_lists_are_read() {
        let text = "[licenses]\nallow = [\"MIT\"]\n[bans]\ndeny = [{ crate = \"bad\" }, { crate = \"one\", deny-multiple-versions = true }]\n";
        let rules = rules(&Planted::new().file("deny.toml", text).tree()).expect("the file is whole");
        assert_eq!(
            (rules.licences, rules.banned, rules.single),
            (vec!["MIT".into()], vec!["bad".into()], vec!["one".into()])
        );
    }

    #[test]
    fn an_empty_list_is_an_error_and_not_a_pass() {
        assert!(rules(&Planted::new().file("deny.toml", "[licenses]\nallow = []\n").tree()).is_err());
    }
}
