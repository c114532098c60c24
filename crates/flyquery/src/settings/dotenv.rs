//! Reads `.env` text: `NAME=value` lines, `#` comments, an optional `export`, single or double quotes.
//!
//! A `.env` file is often shared with other programs, so a line of another shape is passed over, never an error.

/// One assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Line number, from 1.
    pub number: usize,
    /// Name as written.
    pub name: String,
    /// Value without its quotes.
    pub value: String,
}

/// Every assignment of a text, in order.
pub fn lines(text: &str) -> Vec<Line> {
    text.lines()
        .enumerate()
        .filter_map(|(index, line)| {
            let line = line.trim();
            let line = line.strip_prefix("export ").unwrap_or(line);
            let (name, value) = line.split_once('=')?;
            let name = name.trim();
            let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            is_name.then(|| Line { number: index + 1, name: name.to_owned(), value: value_of(value.trim()) })
        })
        .collect()
}

fn value_of(raw: &str) -> String {
    if let Some(rest) = raw.strip_prefix('\'')
        && let Some((inside, _)) = rest.split_once('\'')
    {
        return inside.to_owned();
    }
    if let Some(rest) = raw.strip_prefix('"')
        && let Some(inside) = double_quoted(rest)
    {
        return inside;
    }
    // Unquoted: a comment starts at a '#' that follows a blank.
    let end = raw.find(" #").or_else(|| raw.find("\t#")).unwrap_or(raw.len());
    raw[..end].trim_end().to_owned()
}

fn double_quoted(rest: &str) -> Option<String> {
    let mut value = String::new();
    let mut chars = rest.chars();
    loop {
        match chars.next()? {
            '"' => return Some(value),
            '\\' => match chars.next()? {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_comments_and_export_are_understood() {
        let text = "# a comment\nA=1\nexport B = two words # said so\nC='a # b'\nD=\"x \\\"y\\\" \\n\"\nnonsense\n=3\nE=\nF=a#b\n";
        let found: Vec<(usize, String, String)> =
            lines(text).into_iter().map(|line| (line.number, line.name, line.value)).collect();
        let expected = [
            (2, "A", "1"),
            (3, "B", "two words"),
            (4, "C", "a # b"),
            (5, "D", "x \"y\" \n"),
            (8, "E", ""),
            (9, "F", "a#b"),
        ];
        assert_eq!(found, expected.map(|(n, name, value)| (n, name.to_owned(), value.to_owned())));
    }
}
