//! A `match` over an enum of the vocabulary names every variant, so that a new one is a compile error where it matters.
//!
//! Clippy's own lint for this also refuses wildcards over other people's enums; this gate looks at ours only.

use crate::offence::Offence;
use crate::source::{Source, matching_brace};
use crate::text;
use crate::tree::{Tree, is_test_file};

const VOCABULARY: &str = "crates/domain/src/";
/// Grows with every feature, and each of its variants carries what a caller asks of it: class, status, advice.
const REGISTER: &str = "ErrorCode";

/// Reads every Rust file of the crates but for tests.
pub fn check(tree: &Tree) -> Vec<Offence> {
    let ours = enums(tree);
    let files = tree.rust_files().filter(|path| path.starts_with("crates/") && !is_test_file(path));
    files.flat_map(|path| in_file(path, &tree.text(path).unwrap_or_default(), &ours)).collect()
}

/// Names of the vocabulary's enums.
fn enums(tree: &Tree) -> Vec<String> {
    let mut names = Vec::new();
    for path in tree.rust_files().filter(|path| path.starts_with(VOCABULARY)) {
        let source = Source::parse(&tree.text(path).unwrap_or_default());
        for line in source.code() {
            for at in text::word_positions(line, "enum") {
                let name: String = line[at + 4..].trim_start().chars().take_while(|c| text::is_word(*c)).collect();
                if !name.is_empty() && name != REGISTER {
                    names.push(name);
                }
            }
        }
    }
    names
}

fn in_file(path: &str, file: &str, ours: &[String]) -> Vec<Offence> {
    let source = Source::parse(file);
    let code = source.code().join("\n");
    let mut offences = Vec::new();
    for at in text::word_positions(&code, "match") {
        let Some(open) = body_start(&code, at) else { continue };
        let Some(end) = matching_brace(&code, open) else { continue };
        let patterns = patterns(&code[open + 1..end - 1]);
        let over = patterns.iter().find_map(|(_, pattern)| named_enum(pattern, ours));
        let wild = patterns.iter().find(|(_, pattern)| is_wild(pattern));
        if let (Some(name), Some((offset, _))) = (over, wild) {
            let index = code[..open + 1 + offset].matches('\n').count();
            if !source.is_test(index) {
                offences.push(Offence::line(path, index, format!("name the variants of {name} that are left")));
            }
        }
    }
    offences
}

/// The opening brace of a match's arms: the first one outside parentheses and brackets.
fn body_start(code: &str, at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, c) in code[at..].char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.checked_sub(1)?,
            '{' if depth == 0 => return Some(at + offset),
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The patterns of the arms, each with the offset at which it ends.
fn patterns(arms: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(arrow) = top_level(&arms[rest..], "=>").map(|at| rest + at) {
        found.push((arrow, arms[rest..arrow].trim().to_owned()));
        rest = arm_end(arms, arrow + 2);
    }
    found
}

/// The offset behind an arm whose expression starts at `from`.
fn arm_end(arms: &str, from: usize) -> usize {
    let start = from + arms[from..].len() - arms[from..].trim_start().len();
    if arms[start..].starts_with('{')
        && let Some(end) = matching_brace(arms, start)
    {
        let after = arms[end..].trim_start();
        return arms.len() - after.strip_prefix(',').unwrap_or(after).len();
    }
    top_level(&arms[from..], ",").map_or(arms.len(), |at| from + at + 1)
}

/// The first place of a mark outside all brackets.
fn top_level(code: &str, mark: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in code.char_indices() {
        if depth == 0 && code[at..].starts_with(mark) {
            return Some(at);
        }
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The enum of ours whose variant the pattern begins with.
fn named_enum<'a>(pattern: &str, ours: &'a [String]) -> Option<&'a str> {
    let head = pattern.trim_start_matches(['&', '|', ' ']);
    let path: String = head.chars().take_while(|c| text::is_word(*c) || *c == ':').collect();
    let parts: Vec<&str> = path.split("::").collect();
    let owner = parts.len().checked_sub(2).and_then(|at| parts.get(at))?;
    ours.iter().find(|name| name == owner).map(String::as_str)
}

fn is_wild(pattern: &str) -> bool {
    let mut chars = pattern.chars();
    let lower = chars.next().is_some_and(|c| c == '_' || c.is_lowercase());
    lower && chars.all(text::is_word) && !matches!(pattern, "true" | "false")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::Planted;

    fn with(body: &str) -> Vec<Offence> {
        let planted = Planted::new()
            .file(
                "crates/domain/src/stage.rs",
                "pub enum ErrorCode {}\nclosed_list! {\n    pub enum Stage {\n        A = \"a\",\n    }\n}\n",
            )
            .file("crates/x/src/a.rs", body);
        check(&planted.tree())
    }

    #[test]
    fn a_wildcard_over_an_enum_of_ours_is_refused() {
        let text = "fn a(s: Stage) -> u8 {\n    match s {\n        Stage::A => { 1 }\n        _ => 2,\n    }\n}\n";
        assert_eq!(with(text)[0].line, Some(4));
        assert_eq!(with("let x = match f(s) { domain::Stage::A | Stage::B => g(1, 2), other => other };").len(), 1);
    }

    #[test]
    fn a_match_that_names_all_passes() {
        assert_eq!(with("match s { Stage::A => 1, Stage::B => match n { 0 => 1, _ => 2 } }"), []);
    }

    #[test]
    fn wildcards_over_other_things_pass() {
        assert_eq!(with("match t { DataType::Int8 => Stage::A, _ => Stage::B }"), []);
        assert_eq!(with("match code { ErrorCode::Conflict => 1, _ => 2 }"), []);
        assert_eq!(with("match pair { (Stage::A, true) => 1, _ => 2 }"), []);
        assert_eq!(with("// match s { Stage::A => 1, _ => 2 }"), []);
    }
}
