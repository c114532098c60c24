//! A Rust file split into what the compiler reads and what people read.
//!
//! Both views keep every line and column of the file: what does not belong to a view is blank in it. So a gate that
//! looks for a macro is not fooled by a comment or a string that names it.

/// A Rust file in views of equal shape.
pub struct Source {
    raw: Vec<String>,
    code: Vec<String>,
    comments: Vec<String>,
    test: Vec<bool>,
}

/// Which view a character belongs to.
#[derive(Clone, Copy, PartialEq)]
enum View {
    Code,
    Comment,
    Literal,
}

impl Source {
    /// Splits a file.
    pub fn parse(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let views = classify(&chars);
        let pick = |view: View| -> String {
            chars.iter().zip(&views).map(|(&c, &v)| if c == '\n' || v == view { c } else { ' ' }).collect()
        };
        let code_text = pick(View::Code);
        let in_tests = test_lines(&code_text, text.lines().count());
        let lines = |text: &str| text.lines().map(str::to_owned).collect();
        Self { raw: lines(text), code: lines(&code_text), comments: lines(&pick(View::Comment)), test: in_tests }
    }

    /// The lines as they are.
    pub fn raw(&self) -> &[String] {
        &self.raw
    }

    /// The lines without comments and without the text of literals.
    pub fn code(&self) -> &[String] {
        &self.code
    }

    /// The lines' comments.
    pub fn comments(&self) -> &[String] {
        &self.comments
    }

    /// Whether a line (from 0) lies in an inline test module.
    pub fn is_test(&self, line: usize) -> bool {
        self.test.get(line).copied().unwrap_or(false)
    }

    /// Lines outside inline test modules.
    pub fn body_lines(&self) -> usize {
        self.test.iter().filter(|test| !**test).count()
    }
}

fn classify(chars: &[char]) -> Vec<View> {
    let mut views = vec![View::Code; chars.len()];
    let mut at = 0;
    while at < chars.len() {
        let (end, view) = token(chars, at);
        views[at..end].fill(view);
        at = end;
    }
    views
}

/// The end of the token that starts at `at`, and its view.
fn token(chars: &[char], at: usize) -> (usize, View) {
    let next = chars.get(at + 1).copied();
    match chars[at] {
        '/' if next == Some('/') => (line_end(chars, at), View::Comment),
        '/' if next == Some('*') => (block_end(chars, at), View::Comment),
        '"' => (quoted_end(chars, at + 1, '"'), View::Literal),
        '\'' => char_literal(chars, at),
        c if crate::text::is_word(c) => word(chars, at),
        _ => (at + 1, View::Code),
    }
}

fn line_end(chars: &[char], at: usize) -> usize {
    chars[at..].iter().position(|&c| c == '\n').map_or(chars.len(), |length| at + length)
}

fn block_end(chars: &[char], at: usize) -> usize {
    let mut depth = 0_usize;
    let mut i = at;
    while i + 1 < chars.len() {
        match (chars[i], chars[i + 1]) {
            ('/', '*') => {
                depth += 1;
                i += 2;
            }
            ('*', '/') => {
                depth -= 1;
                i += 2;
                if depth == 0 {
                    return i;
                }
            }
            _ => i += 1,
        }
    }
    chars.len()
}

fn quoted_end(chars: &[char], from: usize, quote: char) -> usize {
    let mut i = from;
    while i < chars.len() {
        match chars[i] {
            '\\' => i += 2,
            c if c == quote => return i + 1,
            _ => i += 1,
        }
    }
    chars.len()
}

/// A character literal, or the apostrophe of a lifetime.
fn char_literal(chars: &[char], at: usize) -> (usize, View) {
    let escaped = chars.get(at + 1) == Some(&'\\');
    if escaped || chars.get(at + 2) == Some(&'\'') {
        return (quoted_end(chars, at + 1, '\''), View::Literal);
    }
    (at + 1, View::Code)
}

/// A name, or a string with a prefix: `r"…"`, `r#"…"#`, `b"…"`, `br"…"`, `c"…"`.
fn word(chars: &[char], at: usize) -> (usize, View) {
    let end = chars[at..].iter().position(|&c| !crate::text::is_word(c)).map_or(chars.len(), |n| at + n);
    let name: String = chars[at..end].iter().collect();
    let raw = matches!(name.as_str(), "r" | "br" | "cr");
    match chars.get(end) {
        Some('"') if raw => (raw_end(chars, end), View::Literal),
        Some('"') if matches!(name.as_str(), "b" | "c") => (quoted_end(chars, end + 1, '"'), View::Literal),
        Some('\'') if name == "b" => (quoted_end(chars, end + 1, '\''), View::Literal),
        Some('#') if raw && opens_raw_string(chars, end) => (raw_end(chars, end), View::Literal),
        _ => (end, View::Code),
    }
}

fn opens_raw_string(chars: &[char], at: usize) -> bool {
    chars[at..].iter().find(|&&c| c != '#') == Some(&'"')
}

/// The end of a raw string whose hashes start at `at`.
fn raw_end(chars: &[char], at: usize) -> usize {
    let hashes = chars[at..].iter().take_while(|&&c| c == '#').count();
    let mut i = at + hashes + 1;
    while i < chars.len() {
        if chars[i] == '"' && chars[i + 1..].iter().take(hashes).filter(|&&c| c == '#').count() == hashes {
            return i + 1 + hashes;
        }
        i += 1;
    }
    chars.len()
}

/// Marks the lines of every `#[cfg(test)] mod name { … }`.
fn test_lines(code: &str, lines: usize) -> Vec<bool> {
    let mut test = vec![false; lines];
    let mut from = 0;
    while let Some(found) = code[from..].find("#[cfg(").map(|at| from + at) {
        let Some(close) = code[found..].find(']').map(|at| found + at + 1) else { break };
        from = close;
        if !crate::text::has_word(&code[found..close], "test") || code[found..close].contains("not(") {
            continue;
        }
        let Some(end) = module_end(code, close) else { continue };
        let first = code[..found].matches('\n').count();
        let last = code[..end].matches('\n').count();
        test[first..=last.min(lines.saturating_sub(1))].fill(true);
        from = end;
    }
    test
}

/// The offset behind the closing brace of the inline module that follows the attribute; `None` when no module follows.
fn module_end(code: &str, after: usize) -> Option<usize> {
    let mut rest = code[after..].trim_start();
    while rest.starts_with("#[") {
        rest = rest[rest.find(']')? + 1..].trim_start();
    }
    let rest = rest.strip_prefix("pub ").unwrap_or(rest);
    if !rest.starts_with("mod ") {
        return None;
    }
    let open = code.len() - rest.len() + rest.find(['{', ';'])?;
    if code.as_bytes()[open] == b';' {
        return None;
    }
    matching_brace(code, open)
}

/// The offset behind the brace that closes the one at `open`.
pub fn matching_brace(code: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in code[open..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(open + at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_no_code() {
        let source = Source::parse("let a = \"todo!() // x\"; // todo!()\nlet b = 'x'; /* a /* b */ c */ d");
        assert!(!source.code()[0].contains("todo!"));
        assert!(source.comments()[0].contains("// todo!()"));
        assert!(!source.comments()[0].contains("\"todo"));
        assert!(source.code()[1].ends_with(" d"));
        assert_eq!(source.code()[0].len(), source.raw()[0].len());
    }

    #[test]
    fn raw_strings_end_with_their_own_hashes() {
        let source = Source::parse("let a = r#\"quote \" inside\"#; real()\nlet b = br\"x\\\"; also()");
        assert!(source.code()[0].contains("real()") && !source.code()[0].contains("inside"));
        assert!(source.code()[1].contains("also()"));
    }

    #[test]
    fn lifetimes_are_no_character_literals() {
        let source = Source::parse("fn f<'a>(x: &'a str) -> char { '\\'' }\nfn g() { '\"' } // end");
        assert!(source.code()[0].contains("str) -> char {"));
        assert!(source.comments()[1].contains("// end"));
    }

    #[test]
    fn an_inline_test_module_is_no_body() {
        let text = "fn a() {}\n\n#[cfg(test)]\n#[allow(x)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n";
        let source = Source::parse(text);
        assert_eq!(source.body_lines(), 3);
        assert!(source.is_test(2) && source.is_test(6) && !source.is_test(7));
    }

    #[test]
    fn an_out_of_line_test_module_and_a_negation_are_body() {
        let source = Source::parse("#[cfg(test)]\nmod tests;\n#[cfg(not(test))]\nmod real {\n}\n");
        assert_eq!(source.body_lines(), 5);
    }
}
