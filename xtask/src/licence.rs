//! Judging a licence expression (SPDX, and the older form with a slash) against a list of accepted licences.

/// Whether the expression can be satisfied with accepted licences alone. What can't be parsed is not accepted.
pub fn accepted(expression: &str, allow: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut parser = Parser { words: &words, at: 0, allow };
    parser.any().is_some_and(|ok| ok && parser.at == words.len())
}

struct Parser<'a> {
    words: &'a [&'a str],
    at: usize,
    allow: &'a [String],
}

impl Parser<'_> {
    fn any(&mut self) -> Option<bool> {
        let mut ok = self.all()?;
        while self.take("OR") {
            ok |= self.all()?;
        }
        Some(ok)
    }

    fn all(&mut self) -> Option<bool> {
        let mut ok = self.one()?;
        while self.take("AND") {
            ok &= self.one()?;
        }
        Some(ok)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let ok = self.any()?;
            return self.take(")").then_some(ok);
        }
        let mut name = (*self.words.get(self.at)?).to_owned();
        self.at += 1;
        if self.take("WITH") {
            name = format!("{name} WITH {}", self.words.get(self.at)?);
            self.at += 1;
        }
        Some(self.allow.contains(&name))
    }

    fn take(&mut self, word: &str) -> bool {
        let there = self.words.get(self.at) == Some(&word);
        self.at += usize::from(there);
        there
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ok(expression: &str) -> bool {
        accepted(expression, &["MIT".to_owned(), "Zlib".to_owned(), "Apache-2.0 WITH LLVM-exception".to_owned()])
    }

    #[test]
    fn either_side_of_or_is_enough_and_both_of_and_are_needed() {
        assert!(ok("GPL-3.0 OR MIT") && ok("GPL-3.0/MIT") && ok("MIT AND Zlib"));
        assert!(!ok("MIT AND GPL-3.0") && !ok("GPL-3.0"));
        assert!(ok("(MIT OR GPL-3.0) AND Zlib") && !ok("(MIT OR GPL-3.0) AND BSD"));
    }

    #[test]
    fn an_exception_belongs_to_its_licence() {
        assert!(ok("Apache-2.0 WITH LLVM-exception") && !ok("Apache-2.0"));
    }

    #[test]
    fn nonsense_is_not_accepted() {
        assert!(!ok("") && !ok("MIT OR") && !ok("(MIT") && !ok("MIT Zlib"));
    }
}
