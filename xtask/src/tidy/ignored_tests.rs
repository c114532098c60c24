//! Every test runs: one that is switched off proves nothing and is soon wrong.

use crate::offence::Offence;
use crate::source::Source;
use crate::tree::Tree;

/// Looks for the attribute in every Rust file.
pub fn check(tree: &Tree) -> Vec<Offence> {
    tree.rust_files().flat_map(|path| in_file(path, &tree.text(path).unwrap_or_default())).collect()
}

fn in_file(path: &str, text: &str) -> Vec<Offence> {
    let source = Source::parse(text);
    let lines = source.code().iter().enumerate();
    let ignored = lines.filter(|(_, line)| line.contains("#[ignore") || ignored_by_condition(line));
    ignored.map(|(index, _)| Offence::line(path, index, "mend the test or delete it; none is ignored")).collect()
}

fn ignored_by_condition(line: &str) -> bool {
    line.contains("cfg_attr(") && crate::text::has_word(line, "ignore")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::Planted;

    #[test]
    fn an_ignored_test_is_refused() {
        let planted = Planted::new()
            .file("tests/a.rs", "#[test]\n#[ignore = \"slow\"]\nfn a() {}\n")
            .file("tests/b.rs", "#[cfg_attr(windows, ignore)]\nfn b() {}\n")
            .file("src/c.rs", "// #[ignore] is refused\nlet ignore = 1;\n");
        let places: Vec<_> = check(&planted.tree()).into_iter().map(|o| (o.path, o.line)).collect();
        assert_eq!(places, [("tests/a.rs".to_owned(), Some(2)), ("tests/b.rs".to_owned(), Some(1))]);
    }
}
