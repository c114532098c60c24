//! Who may know whom: the table of `ARCHITECTURE.md`, held against every manifest. Editing the table is the review.

use crate::manifest::{self, Dependency, DependencyKind, Member};
use crate::offence::Offence;
use crate::tree::Tree;

/// What one crate may depend on.
struct Layer {
    package: &'static str,
    /// Crates of ours.
    may: &'static [&'static str],
    /// Outside crates that what it ships must not use directly.
    must_not: &'static [&'static str],
}

/// Made for tests: usable by those of every crate, by what is shipped of none.
const TESTS_ONLY: &str = "flyquery-test-support";
/// What tests may use beyond their layer: clocks, buses and stores are needed to run anything at all, and the crate that
/// holds them knows nothing but the vocabulary.
const FOR_TESTS: [&str; 2] = [TESTS_ONLY, "flyquery-adapters"];

const LAYERS: &[Layer] = &[
    Layer {
        package: "flyquery-domain",
        may: &[],
        must_not: &[
            "tokio",
            "tokio-util",
            "sea-orm",
            "sqlx",
            "axum",
            "tower",
            "reqwest",
            "arrow",
            "parquet",
            "datafusion",
            "object_store",
            "tempfile",
            "clap",
            "figment",
        ],
    },
    Layer {
        package: "flyquery-db",
        may: &["flyquery-domain"],
        must_not: &["axum", "tower-http", "reqwest", "arrow", "parquet", "datafusion", "object_store"],
    },
    Layer {
        package: "flyquery-formats",
        may: &["flyquery-domain"],
        must_not: &["object_store", "sea-orm", "sqlx", "axum", "reqwest", "datafusion"],
    },
    Layer {
        package: "flyquery-annotate",
        may: &["flyquery-domain"],
        must_not: &["sea-orm", "sqlx", "reqwest", "axum", "object_store", "datafusion", "tokio"],
    },
    Layer { package: "flyquery-query", may: &["flyquery-domain"], must_not: &["sea-orm", "sqlx", "axum", "reqwest"] },
    Layer {
        package: "flyquery-adapters",
        may: &["flyquery-domain"],
        must_not: &["axum", "arrow", "parquet", "datafusion"],
    },
    Layer {
        package: "flyquery-jobs",
        may: &["flyquery-domain", "flyquery-db"],
        must_not: &["sea-orm", "sqlx", "axum", "reqwest", "arrow", "parquet", "datafusion", "object_store"],
    },
    Layer {
        package: "flyquery-callbacks",
        may: &["flyquery-domain", "flyquery-db"],
        must_not: &["sea-orm", "sqlx", "axum", "arrow", "parquet", "datafusion", "object_store"],
    },
    Layer {
        package: "flyquery-pipeline",
        may: &["flyquery-domain", "flyquery-db", "flyquery-formats", "flyquery-annotate"],
        must_not: &["sea-orm", "sqlx", "axum", "tower-http", "reqwest", "datafusion"],
    },
    Layer {
        package: "flyquery-worker",
        may: &["flyquery-domain", "flyquery-db", "flyquery-jobs", "flyquery-pipeline", "flyquery-callbacks"],
        must_not: &["sea-orm", "sqlx", "axum", "tower-http", "reqwest", "datafusion"],
    },
    Layer {
        package: "flyquery-api",
        may: &["flyquery-domain", "flyquery-db", "flyquery-jobs", "flyquery-callbacks"],
        must_not: &["sea-orm", "sqlx", "arrow", "parquet", "datafusion", "object_store"],
    },
    Layer { package: "flyquery", may: PRODUCT, must_not: &[] },
    Layer { package: "flyquery-benches", may: PRODUCT, must_not: &[] },
    Layer { package: TESTS_ONLY, may: &["flyquery-domain", "flyquery-db", "flyquery-adapters"], must_not: &[] },
    Layer { package: "flyquery-corpus", may: &["flyquery-domain", "flyquery-formats"], must_not: &[] },
    Layer { package: "xtask", may: &[], must_not: &["tokio", "arrow", "datafusion", "sea-orm"] },
];

/// Every crate that is part of what is shipped, but for the binary.
const PRODUCT: &[&str] = &[
    "flyquery-domain",
    "flyquery-db",
    "flyquery-formats",
    "flyquery-annotate",
    "flyquery-query",
    "flyquery-adapters",
    "flyquery-jobs",
    "flyquery-callbacks",
    "flyquery-pipeline",
    "flyquery-worker",
    "flyquery-api",
];

/// Holds the table against the manifests.
pub fn check(tree: &Tree) -> Vec<Offence> {
    let members = match manifest::members(tree) {
        Ok(members) => members,
        Err(error) => return vec![Offence::file("Cargo.toml", error)],
    };
    let is_ours = |package: &str| members.iter().any(|member| member.package == package);
    members.iter().flat_map(|member| judge(member, &is_ours)).collect()
}

fn judge(member: &Member, is_ours: &dyn Fn(&str) -> bool) -> Vec<Offence> {
    let Some(layer) = LAYERS.iter().find(|layer| layer.package == member.package) else {
        let message = format!("the crate {} has no row in the table of crate edges", member.package);
        return vec![Offence::file(member.path.as_str(), message)];
    };
    let wrong = |dependency: &&Dependency| {
        if is_ours(&dependency.package) {
            !allowed_edge(layer, dependency)
        } else {
            dependency.kind != DependencyKind::Dev && layer.must_not.contains(&dependency.package.as_str())
        }
    };
    let offence = |dependency: &Dependency| {
        let message = format!("{} must not depend on {}", member.package, dependency.package);
        Offence::file(member.path.as_str(), message)
    };
    member.dependencies.iter().filter(wrong).map(offence).collect()
}

fn allowed_edge(layer: &Layer, dependency: &Dependency) -> bool {
    let for_tests = dependency.kind == DependencyKind::Dev && FOR_TESTS.contains(&dependency.package.as_str());
    for_tests || layer.may.contains(&dependency.package.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::Planted;

    fn tree_with(package: &str, dependencies: &str) -> Vec<Offence> {
        let manifest = |name: &str, rest: &str| format!("[package]\nname = \"{name}\"\n{rest}");
        let planted = Planted::new()
            .file("Cargo.toml", "[workspace.dependencies]\njobs = { path = \"j\", package = \"flyquery-jobs\" }\n")
            .file("crates/j/Cargo.toml", &manifest("flyquery-jobs", ""))
            .file("crates/t/Cargo.toml", &manifest(TESTS_ONLY, ""))
            .file("crates/x/Cargo.toml", &manifest(package, dependencies));
        check(&planted.tree())
    }

    #[test]
    fn an_edge_of_the_table_passes() {
        assert_eq!(tree_with("flyquery-worker", "[dependencies]\njobs.workspace = true\ntokio = \"1\"\n"), []);
    }

    #[test]
    fn an_edge_that_is_not_in_the_table_is_refused_in_every_list() {
        for list in ["dependencies", "dev-dependencies", "build-dependencies", "target.'cfg(unix)'.dependencies"] {
            let offences = tree_with("flyquery-pipeline", &format!("[{list}]\njobs.workspace = true\n"));
            assert_eq!(offences.len(), 1, "{list}");
            assert!(offences[0].message.contains("flyquery-pipeline must not depend on flyquery-jobs"));
        }
    }

    #[test]
    fn an_outside_crate_that_a_layer_must_not_know_is_refused_unless_only_tests_use_it() {
        assert_eq!(tree_with("flyquery-domain", "[dependencies]\ntokio = \"1\"\n").len(), 1);
        assert_eq!(
            tree_with("flyquery-api", "[dependencies]\na = { package = \"arrow\", version = \"59\" }\n").len(),
            1
        );
        assert_eq!(tree_with("flyquery-domain", "[dev-dependencies]\ntokio = \"1\"\n"), []);
    }

    #[test]
    fn what_is_made_for_tests_stays_in_tests() {
        let line = format!("{TESTS_ONLY} = {{ path = \"../t\" }}\n");
        assert_eq!(tree_with("flyquery-domain", &format!("[dev-dependencies]\n{line}")), []);
        assert_eq!(tree_with("flyquery-domain", &format!("[dependencies]\n{line}")).len(), 1);
    }

    #[test]
    fn a_crate_without_a_row_is_refused() {
        assert!(tree_with("flyquery-new", "")[0].message.contains("has no row"));
    }
}
