//! What the workspace's manifests say about who depends on whom.

use std::collections::BTreeMap;

use toml::{Table, Value};

use crate::tree::Tree;

/// Which list of a manifest a dependency stands in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DependencyKind {
    /// `[dependencies]`: part of what is shipped.
    Normal,
    /// `[dev-dependencies]`: tests only.
    Dev,
    /// `[build-dependencies]`.
    Build,
}

/// One line of a dependency list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dependency {
    /// The package's name, not the one it is renamed to.
    pub package: String,
    /// The list it stands in.
    pub kind: DependencyKind,
}

/// One crate of the workspace.
#[derive(Clone, Debug)]
pub struct Member {
    /// Path of its manifest.
    pub path: String,
    /// Package name.
    pub package: String,
    /// Everything it depends on directly.
    pub dependencies: Vec<Dependency>,
    /// Whether it takes the workspace's lints.
    pub takes_lints: bool,
}

/// Reads every crate's manifest; a manifest that is no TOML is an error naming it.
pub fn members(tree: &Tree) -> Result<Vec<Member>, String> {
    let renames = workspace_renames(tree)?;
    let mut members = Vec::new();
    for path in tree.files().filter(|path| path.ends_with("/Cargo.toml") && !path.starts_with("fixtures/")) {
        let table = parse(tree, path)?;
        let Some(package) = table.get("package").and_then(|p| p.get("name")).and_then(Value::as_str) else { continue };
        let takes_lints = table.get("lints").and_then(|l| l.get("workspace")).and_then(Value::as_bool) == Some(true);
        members.push(Member {
            path: path.to_owned(),
            package: package.to_owned(),
            dependencies: dependencies(&table, &renames),
            takes_lints,
        });
    }
    Ok(members)
}

fn parse(tree: &Tree, path: &str) -> Result<Table, String> {
    let text = tree.text(path).ok_or_else(|| format!("{path} cannot be read"))?;
    text.parse().map_err(|error| format!("{path}: {error}"))
}

/// Names used in the workspace's dependency table whose package is called otherwise.
fn workspace_renames(tree: &Tree) -> Result<BTreeMap<String, String>, String> {
    let root = parse(tree, "Cargo.toml")?;
    let list = root.get("workspace").and_then(|w| w.get("dependencies")).and_then(Value::as_table);
    Ok(list.into_iter().flatten().filter_map(|(name, spec)| Some((name.clone(), package_of(spec)?))).collect())
}

fn package_of(spec: &Value) -> Option<String> {
    spec.get("package").and_then(Value::as_str).map(str::to_owned)
}

fn dependencies(table: &Table, renames: &BTreeMap<String, String>) -> Vec<Dependency> {
    let mut found = Vec::new();
    collect(table, renames, &mut found);
    let targets = table.get("target").and_then(Value::as_table);
    for target in targets.into_iter().flat_map(Table::values).filter_map(Value::as_table) {
        collect(target, renames, &mut found);
    }
    found
}

fn collect(table: &Table, renames: &BTreeMap<String, String>, found: &mut Vec<Dependency>) {
    let lists = [
        ("dependencies", DependencyKind::Normal),
        ("dev-dependencies", DependencyKind::Dev),
        ("build-dependencies", DependencyKind::Build),
    ];
    for (list, kind) in lists {
        for (name, spec) in table.get(list).and_then(Value::as_table).into_iter().flatten() {
            let package = package_of(spec).or_else(|| renames.get(name).cloned()).unwrap_or_else(|| name.clone());
            found.push(Dependency { package, kind });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::Planted;

    #[test]
    fn every_list_is_read_and_renames_are_seen_through() {
        let planted = Planted::new()
            .file("Cargo.toml", "[workspace.dependencies]\nshort = { path = \"x\", package = \"long-name\" }\n")
            .file(
                "crates/a/Cargo.toml",
                "[package]\nname = \"a\"\n[dependencies]\nshort.workspace = true\nown = { package = \"real\", version = \"1\" }\n\
                 [dev-dependencies]\nd = \"1\"\n[target.'cfg(unix)'.dependencies]\nu = \"1\"\n[lints]\nworkspace = true\n",
            );
        let members = members(&planted.tree()).expect("the manifests are TOML");
        let names: Vec<&str> = members[0].dependencies.iter().map(|d| d.package.as_str()).collect();
        assert_eq!(names, ["long-name", "real", "d", "u"]);
        assert_eq!(members[0].dependencies[2].kind, DependencyKind::Dev);
        assert!(members[0].takes_lints);
    }
}
