//! Every error code has a page in `docs/problems/` that a person who met it can act on, and no page is left without a code.

use crate::offence::Offence;
use crate::tree::Tree;

const CODES: &str = "crates/domain/src/error_code.rs";
const PAGES: &str = "docs/problems/";
/// The page that lists the others.
const INDEX: &str = "README";

/// A row of the closed list.
#[derive(Debug, PartialEq, Eq)]
struct Code {
    word: String,
    status: String,
}

/// Compares the closed list with the pages.
pub fn check(tree: &Tree) -> Vec<Offence> {
    let codes = codes(&tree.text(CODES).unwrap_or_default());
    if codes.is_empty() {
        return vec![Offence::file(CODES, "no row of error_codes! was understood; mend this check with the macro")];
    }
    let mut offences: Vec<Offence> = codes.iter().filter_map(|code| missing_or_wrong(tree, code)).collect();
    let pages = tree.files().filter_map(|path| Some((path, path.strip_prefix(PAGES)?.strip_suffix(".md")?)));
    let stray = pages.filter(|(_, name)| *name != INDEX && codes.iter().all(|code| code.word != **name));
    offences.extend(stray.map(|(path, _)| Offence::file(path, "there is no such error code")));
    offences
}

fn missing_or_wrong(tree: &Tree, code: &Code) -> Option<Offence> {
    let path = format!("{PAGES}{}.md", code.word);
    let Some(page) = tree.text(&path) else {
        return Some(Offence::file(path, format!("the page of {} is missing", code.word)));
    };
    let heading = format!("# {}", code.word);
    if page.lines().next() != Some(heading.as_str()) {
        return Some(Offence::line(path, 0, format!("the first line must be '{heading}'")));
    }
    let status = format!("HTTP {}", code.status);
    (!page.contains(&status)).then(|| Offence::file(path, format!("the page must say '{status}', as the code does")))
}

/// Rows `Variant = "word", 422, Class, …`.
fn codes(text: &str) -> Vec<Code> {
    text.lines().filter_map(row).collect()
}

fn row(line: &str) -> Option<Code> {
    let (variant, rest) = line.trim().split_once(" = \"")?;
    let (word, rest) = rest.split_once("\", ")?;
    let status: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let named = variant.chars().all(char::is_alphanumeric);
    (named && status.len() == 3).then(|| Code { word: word.to_owned(), status })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::Planted;

    const LIST: &str = "error_codes! {\n    /// Doc.\n    EmptyFile = \"EMPTY_FILE\", 422, Rejected, \"The file is empty\",\n        \"Advice.\";\n}\n";

    fn with(pages: &[(&str, &str)]) -> Vec<Offence> {
        let mut planted = Planted::new().file(CODES, LIST);
        for (name, text) in pages {
            planted = planted.file(&format!("{PAGES}{name}.md"), text);
        }
        check(&planted.tree())
    }

    #[test]
    fn a_code_with_its_page_passes() {
        assert_eq!(with(&[("EMPTY_FILE", "# EMPTY_FILE\n\nHTTP 422\n"), ("README", "# Problems\n")]), []);
    }

    #[test]
    fn a_missing_a_stray_and_a_wrong_page_are_refused() {
        assert!(with(&[])[0].message.contains("is missing"));
        assert!(with(&[("EMPTY_FILE", "# EMPTY_FILE\nHTTP 422"), ("OTHER", "")])[0].message.contains("no such"));
        assert!(with(&[("EMPTY_FILE", "# Empty\nHTTP 422")])[0].message.contains("first line"));
        assert!(with(&[("EMPTY_FILE", "# EMPTY_FILE\nHTTP 400")])[0].message.contains("HTTP 422"));
    }

    #[test]
    fn a_list_that_is_not_understood_is_no_pass() {
        assert_eq!(check(&Planted::new().file(CODES, "enum ErrorCode {}").tree()).len(), 1);
    }
}
