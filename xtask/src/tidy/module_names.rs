//! Modules are named after what they hold; a name that would fit anything invites everything.

use crate::offence::Offence;
use crate::source::Source;
use crate::text;
use crate::tree::Tree;

const REFUSED: [&str; 7] = ["utils", "util", "common", "helpers", "helper", "types", "misc"];

/// Looks at file names, folder names and inline modules.
pub fn check(tree: &Tree) -> Vec<Offence> {
    tree.rust_files().flat_map(|path| by_place(path).into_iter().chain(inline(tree, path))).collect()
}

fn by_place(path: &str) -> Option<Offence> {
    let bare = path.strip_suffix(".rs").unwrap_or(path);
    let name = bare.split('/').find(|part| REFUSED.contains(part))?;
    Some(Offence::file(path, format!("'{name}' says nothing about what is in it")))
}

fn inline(tree: &Tree, path: &str) -> Vec<Offence> {
    let source = Source::parse(&tree.text(path).unwrap_or_default());
    let mut offences = Vec::new();
    for (index, line) in source.code().iter().enumerate() {
        for at in text::word_positions(line, "mod") {
            let name: String = line[at + 3..].trim_start().chars().take_while(|c| text::is_word(*c)).collect();
            let has_body = line.contains('{');
            if has_body && REFUSED.contains(&name.as_str()) {
                offences.push(Offence::line(path, index, format!("'{name}' says nothing about what is in it")));
            }
        }
    }
    offences
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::Planted;

    #[test]
    fn files_folders_and_inline_modules_are_refused() {
        let planted = Planted::new()
            .file("crates/a/src/utils.rs", "//! x")
            .file("crates/a/src/common/clock.rs", "//! x")
            .file("crates/a/src/inline.rs", "pub mod helpers {\n}\n")
            .file("crates/a/src/semantic_types.rs", "// mod misc {\nmod typeset {}\n");
        let paths: Vec<String> = check(&planted.tree()).into_iter().map(|o| o.path).collect();
        assert_eq!(paths, ["crates/a/src/common/clock.rs", "crates/a/src/inline.rs", "crates/a/src/utils.rs"]);
    }
}
