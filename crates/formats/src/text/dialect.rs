//! Which delimiter and newline a text file uses, by evidence: the candidate under which records agree about their width.

use crate::text::evidence::trim;
use crate::text::quotes::{Oddities, Quoting};
use crate::text::records::{Dialect, Field, Newline, Scan};

/// Delimiters that are tried, the most usual first.
const CANDIDATES: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Records that are looked at.
const RECORDS: usize = 1_000;

/// Finds the dialect from the start of a text; `whole` says whether it is all of it. `tabs` fixes the delimiter.
pub fn sniff(head: &[u8], whole: bool, tabs: bool) -> Dialect {
    let delimiters = if tabs { b"\t".as_slice() } else { CANDIDATES.as_slice() };
    let newlines = newlines(head);
    let mut best: Option<(Score, Dialect)> = None;
    for newline in newlines {
        for delimiter in delimiters {
            if *delimiter == b',' && is_column_of_decimals(head, *newline) {
                continue;
            }
            let dialect = Dialect { delimiter: Some(*delimiter), quoting: Quoting::DOUBLED, newline: *newline };
            let trial = Trial::of(dialect, head, whole);
            let Some(score) = score(&trial.widths) else {
                continue;
            };
            if best.is_none_or(|(other, _)| score.beats(other)) {
                best = Some((score, trial.dialect));
            }
        }
    }
    best.map_or_else(
        || {
            let delimiter = tabs.then_some(b'\t');
            Trial::of(Dialect { delimiter, quoting: Quoting::DOUBLED, newline: newlines[0] }, head, whole).dialect
        },
        |(_, dialect)| dialect,
    )
}

/// What a dialect makes of the head.
struct Trial {
    dialect: Dialect,
    /// Number of fields of each record that is not blank.
    widths: Vec<usize>,
    /// Records with quotes in odd places.
    strays: usize,
}

impl Trial {
    /// Tries a dialect, with a backslash as escape too where one stands before a quote: it is one if it leaves fewer
    /// quotes in odd places.
    fn of(dialect: Dialect, head: &[u8], whole: bool) -> Self {
        let doubled = Self::run(dialect, head, whole);
        if doubled.strays == 0 || memchr::memmem::find(head, b"\\\"").is_none() {
            return doubled;
        }
        let quoting = Quoting { escape: Some(b'\\'), ..dialect.quoting };
        let escaped = Self::run(Dialect { quoting, ..dialect }, head, whole);
        if escaped.strays < doubled.strays { escaped } else { doubled }
    }

    fn run(dialect: Dialect, head: &[u8], whole: bool) -> Self {
        let mut trial = Self { dialect, widths: Vec::new(), strays: 0 };
        let mut fields: Vec<Field> = Vec::new();
        let mut at = 0;
        while at < head.len() && trial.widths.len() < RECORDS {
            fields.clear();
            let mut odd = Oddities::default();
            let Scan::Record(next) = dialect.scan(head, at, whole, &mut fields, &mut odd) else {
                break;
            };
            at = next;
            trial.strays += usize::from(odd.stray);
            let blank = fields.len() == 1 && fields[0].is_empty();
            if !blank {
                trial.widths.push(fields.len());
            }
        }
        if trial.widths.is_empty() && !head.is_empty() {
            // One record longer than the head: count what is there.
            fields.clear();
            dialect.scan(head, 0, true, &mut fields, &mut Oddities::default());
            trial.widths.push(fields.len());
        }
        trial
    }
}

/// Whether the lines are a header without a comma over numbers with a decimal comma: one column, not two.
fn is_column_of_decimals(head: &[u8], newline: Newline) -> bool {
    let mut lines = head.split(|byte| newline.ends(*byte)).map(trim).filter(|line| !line.is_empty());
    let Some(first) = lines.next() else {
        return false;
    };
    let mut decimals = 0;
    !first.contains(&b',')
        && lines.take(RECORDS).all(|line| {
            decimals += usize::from(line.contains(&b','));
            !line.contains(&b',') || is_decimal(line)
        })
        && decimals > 0
}

/// Digits, a comma and digits, with marks between thousands and with signs or a currency around them.
fn is_decimal(line: &[u8]) -> bool {
    let around = |byte: &u8| !byte.is_ascii_alphanumeric() && !matches!(byte, b',' | b'"');
    let Some(comma) = memchr::memchr(b',', line) else {
        return false;
    };
    let (whole, fraction) = (&line[..comma], &line[comma + 1..]);
    let digits = fraction.iter().take_while(|b| b.is_ascii_digit()).count();
    digits > 0
        && fraction[digits..].iter().all(around)
        && whole.last().is_some_and(u8::is_ascii_digit)
        && whole.iter().all(|byte| byte.is_ascii_digit() || around(byte))
}

/// What may end records, the most likely first: LF where one stands outside quotes, or any of both where CRs alone do
/// too; CR in files that have no LF outside quotes.
fn newlines(head: &[u8]) -> &'static [Newline] {
    let mut quoted = false;
    let (mut lf, mut cr) = (false, false);
    for (i, byte) in head.iter().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => lf = true,
            b'\r' if !quoted => cr |= head.get(i + 1) != Some(&b'\n'),
            _ => {}
        }
        if lf && cr {
            return &[Newline::Lf, Newline::Any];
        }
    }
    // An odd number of quotes says that some are no quotes; then only a file without any LF is one of CRs.
    let trusted = !quoted || !head.contains(&b'\n');
    if cr && !lf && trusted { &[Newline::Cr] } else { &[Newline::Lf] }
}

/// How well a delimiter explains a file.
#[derive(Clone, Copy, Debug)]
struct Score {
    /// Share of records of the usual width, per mille, title rows at the top left out.
    agreement: usize,
    /// The usual width.
    width: usize,
}

impl Score {
    fn beats(self, other: Self) -> bool {
        // A small lead in agreement says little against several columns more.
        let (a, b) = (self.agreement / 50, other.agreement / 50);
        a > b || (a == b && self.width > other.width)
    }
}

/// None when the delimiter splits no more than a few records.
fn score(widths: &[usize]) -> Option<Score> {
    let width = usual_width(widths);
    if width < 2 {
        return None;
    }
    // Title rows before the first record of that width are no disagreement if they are few.
    let first = widths.iter().position(|w| *w == width)?;
    let from = if first * 4 <= widths.len() || first <= 3 && widths.len() > first + 1 { first } else { 0 };
    let rest = &widths[from..];
    let agreeing = rest.iter().filter(|w| **w == width).count();
    // A delimiter that explains the first records too is the better one.
    Some(Score { agreement: (agreeing * 1000 / rest.len()).saturating_sub(60 * from.min(10)), width })
}

/// The most frequent width; of equally frequent ones that which comes first.
pub fn usual_width(widths: &[usize]) -> usize {
    let mut counts: Vec<(usize, usize)> = Vec::new();
    for width in widths {
        match counts.iter_mut().find(|(w, _)| w == width) {
            Some((_, n)) => *n += 1,
            None => counts.push((*width, 1)),
        }
    }
    let most = counts.iter().map(|(_, n)| *n).max().unwrap_or(0);
    counts.iter().find(|(_, n)| *n == most).map_or(0, |(w, _)| *w)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delimiter(text: &str) -> Option<char> {
        sniff(text.as_bytes(), true, false).delimiter.map(char::from)
    }

    #[test]
    fn records_agree_under_the_right_delimiter() {
        assert_eq!(delimiter("a,b\n1,2\n"), Some(','));
        assert_eq!(delimiter("a;b\n1,5;2,5\n3,5;4,5\n"), Some(';'));
        assert_eq!(delimiter("a|b|c\n1|2|3\n"), Some('|'));
        assert_eq!(delimiter("a\tb\n1,2\t3\n"), Some('\t'));
        assert_eq!(delimiter("name;text\n\"a,b\";\"c,d,e\"\nx;\"y\nz;1,2\"\n"), Some(';'));
    }

    #[test]
    fn a_rare_mark_in_one_column_is_no_delimiter() {
        assert_eq!(delimiter("c0\nv0\na;b\n"), None);
        assert_eq!(delimiter("A\nB\nC,ragged\n"), None);
        assert_eq!(delimiter(""), None);
    }

    #[test]
    fn a_comma_in_every_number_of_one_column_is_no_delimiter() {
        assert_eq!(delimiter("Betrag\n100,00\n1.234,50-\n-7\n8,5 €\n"), None);
        assert_eq!(delimiter("Betrag\n1,00\n1,x\n2,y\n"), Some(','));
        assert_eq!(delimiter("a,b\n100,00\n50,00\n"), Some(','));
        assert_eq!(delimiter("Export\na,b\n1,2\n3,4\n"), Some(','));
    }

    #[test]
    fn a_backslash_escapes_where_quotes_make_sense_only_then() {
        let escape = |text: &str| sniff(text.as_bytes(), true, false).quoting.escape;
        assert_eq!(escape("a,b\n\"x \\\"q, r\\\" y\",1\n\"z\",2\n"), Some(b'\\'));
        assert_eq!(escape("a,b\n\"C:\\dir\\\",1\n\"D:\\\",2\n"), None);
        assert_eq!(escape("a,b\n\"x \"\"q\"\"\",1\n"), None);
    }

    #[test]
    fn title_rows_do_not_disagree() {
        assert_eq!(delimiter("exported by tool 7\n# comment\nx,y,z\n1,2,3\n4,5,6\n"), Some(','));
    }

    #[test]
    fn newlines_are_cr_only_without_lf() {
        assert_eq!(sniff(b"a,b\r1,2\r", true, false).newline, Newline::Cr);
        assert_eq!(sniff(b"a,b\r\n1,2\r\n", true, false).newline, Newline::Lf);
        assert_eq!(sniff(b"a,\"b\nc\"\r1,2\r", true, false).newline, Newline::Cr);
        assert_eq!(sniff(b"a,b\n1,2\r3,4\r\n5,6\n", true, false).newline, Newline::Any);
        assert_eq!(sniff(b"a,b\n1,x\ry\n3,4\n5,6\n", true, false).newline, Newline::Lf);
    }
}
