//! Which delimiter and newline a text file uses, by evidence: the candidate under which records agree about their width.

use crate::text::records::{Dialect, Field, Newline, Scan};

/// Delimiters that are tried, the most usual first.
const CANDIDATES: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Records that are looked at.
const RECORDS: usize = 1_000;

/// Finds the dialect from the start of a text; `whole` says whether it is all of it. `tabs` fixes the delimiter.
pub fn sniff(head: &[u8], whole: bool, tabs: bool) -> Dialect {
    let newline = newline(head);
    let of = |delimiter| Dialect { delimiter, quote: Some(b'"'), newline };
    if tabs {
        return of(Some(b'\t'));
    }
    let mut best: Option<(Score, u8)> = None;
    for delimiter in CANDIDATES {
        let widths = widths(of(Some(delimiter)), head, whole);
        let Some(score) = score(&widths) else {
            continue;
        };
        if best.is_none_or(|(other, _)| score.beats(other)) {
            best = Some((score, delimiter));
        }
    }
    of(best.map(|(_, delimiter)| delimiter))
}

/// CR ends records only in files that have no LF outside quotes.
fn newline(head: &[u8]) -> Newline {
    let mut quoted = false;
    let mut cr = false;
    for byte in head {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => return Newline::Lf,
            b'\r' if !quoted => cr = true,
            _ => {}
        }
    }
    // An odd number of quotes says that some are no quotes; then only a file without any LF is one of CRs.
    let trusted = !quoted || !head.contains(&b'\n');
    if cr && trusted { Newline::Cr } else { Newline::Lf }
}

/// Number of fields of each record that is not blank.
fn widths(dialect: Dialect, head: &[u8], whole: bool) -> Vec<usize> {
    let mut widths = Vec::new();
    let mut fields: Vec<Field> = Vec::new();
    let mut at = 0;
    let mut unclosed = false;
    while at < head.len() && widths.len() < RECORDS {
        fields.clear();
        let Scan::Record(next) = dialect.scan(head, at, whole, &mut fields, &mut unclosed) else {
            break;
        };
        at = next;
        let blank = fields.len() == 1 && fields[0].is_empty();
        if !blank {
            widths.push(fields.len());
        }
    }
    if widths.is_empty() && !head.is_empty() {
        // One record longer than the head: count what is there.
        fields.clear();
        dialect.scan(head, 0, true, &mut fields, &mut unclosed);
        widths.push(fields.len());
    }
    widths
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
    fn title_rows_do_not_disagree() {
        assert_eq!(delimiter("exported by tool 7\n# comment\nx,y,z\n1,2,3\n4,5,6\n"), Some(','));
    }

    #[test]
    fn newlines_are_cr_only_without_lf() {
        assert_eq!(sniff(b"a,b\r1,2\r", true, false).newline, Newline::Cr);
        assert_eq!(sniff(b"a,b\r\n1,2\r\n", true, false).newline, Newline::Lf);
        assert_eq!(sniff(b"a,\"b\nc\"\r1,2\r", true, false).newline, Newline::Cr);
    }
}
