//! No file names a folder that exists on one machine only.

use crate::offence::Offence;
use crate::text;
use crate::tree::Tree;

/// Roots of such folders; spelled in parts so that this file does not refuse itself.
const ROOTS: [&str; 4] = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/Us", "ers/")];

/// Owners of a home folder that is plainly made up.
const NOBODY: [&str; 2] = ["someone", "you"];

/// Reads every text file.
pub fn check(tree: &Tree) -> Vec<Offence> {
    tree.texts().flat_map(|(path, text)| in_file(path, &text)).collect()
}

fn in_file(path: &str, text: &str) -> Vec<Offence> {
    let lines = text.lines().enumerate();
    let found = lines.filter_map(|(index, line)| Some((index, ROOTS.iter().find(|root| has_path(line, root))?)));
    found
        .map(|(index, root)| Offence::line(path, index, format!("a path under {root} exists on one machine only")))
        .collect()
}

/// Whether an absolute path under the root stands in the line: not as the middle of another path or address.
fn has_path(line: &str, root: &str) -> bool {
    line.match_indices(root).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let begins = !before.is_some_and(|c| text::is_word(c) || matches!(c, '.' | '-' | '/' | '}' | '~' | ')'));
        let name: String = line[at + root.len()..].chars().take_while(|c| text::is_word(*c)).collect();
        begins && !name.is_empty() && !NOBODY.contains(&name.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::Planted;

    #[test]
    fn a_path_of_one_machine_is_refused_wherever_it_stands() {
        for root in ROOTS {
            let planted = Planted::new().file("docs/a.md", &format!("See `{root}place/file`.\n"));
            assert_eq!(check(&planted.tree()).len(), 1, "{root}");
        }
    }

    #[test]
    fn other_paths_pass() {
        let text = format!(
            "https://example.com{}x ./a{}b $HOME/.cache /var/lib/flyquery {}you/x\n",
            ROOTS[0], ROOTS[2], ROOTS[2]
        );
        assert_eq!(check(&Planted::new().file("docs/a.md", &text).tree()), []);
    }
}
