//! The table of verdicts by format, the list of what went wrong, and whether it is good enough.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::manifest::Entry;
use crate::verdict::Verdict;

/// Verdicts of one format.
#[derive(Clone, Copy, Default)]
struct Tally {
    files: u32,
    right: u32,
    wrong: u32,
    refused_rightly: u32,
    refused_wrongly: u32,
    not_read: u32,
    crashed: u32,
}

/// All verdicts.
#[derive(Default)]
pub struct Report {
    by_format: BTreeMap<String, Tally>,
    delimited: Tally,
    details: Vec<String>,
    crashes: Vec<String>,
}

impl Report {
    /// Counts one verdict.
    pub fn add(&mut self, entry: &Entry, verdict: Verdict) {
        let tally = self.by_format.entry(entry.format.clone()).or_default();
        count(tally, &verdict);
        if entry.is_delimited() {
            count(&mut self.delimited, &verdict);
        }
        match verdict {
            Verdict::Right | Verdict::RefusedRightly | Verdict::NotRead => {}
            Verdict::Wrong(how) => self.details.push(format!("wrong    {}: {how}", entry.path)),
            Verdict::RefusedWrongly(why) => self.details.push(format!("refused  {}: {why}", entry.path)),
            Verdict::Crashed(how) => self.crashes.push(format!("crashed  {}: {how}", entry.path)),
        }
    }

    /// Verdicts by format.
    pub fn table(&self) -> String {
        let mut text = String::from("format      files  right  wrong  refused rightly  wrongly  not read  crashed\n");
        for (format, t) in &self.by_format {
            writeln!(
                text,
                "{format:<10} {:>6} {:>6} {:>6} {:>16} {:>8} {:>9} {:>8}",
                t.files, t.right, t.wrong, t.refused_rightly, t.refused_wrongly, t.not_read, t.crashed
            )
            .expect("a String takes all text");
        }
        text
    }

    /// A line for each file that was judged wrong; crashes are in the summary.
    pub fn details(&self) -> String {
        self.details.iter().fold(String::new(), |text, line| text + line + "\n")
    }

    /// The crashes, and the share that the floor is held against.
    pub fn summary(&self, floor: f64) -> String {
        let crashes = self.crashes.iter().fold(String::new(), |text, line| text + line + "\n");
        format!(
            "{crashes}corpus: {:.2} % of {} delimited text files judged right (floor {floor} %), {} crashed in all",
            self.share(),
            self.delimited.files,
            self.crashes.len()
        )
    }

    /// Whether nothing crashed and enough is right.
    pub fn passes(&self, floor: f64) -> bool {
        self.crashes.is_empty() && self.share() >= floor
    }

    fn share(&self) -> f64 {
        let good = self.delimited.right + self.delimited.refused_rightly;
        if self.delimited.files == 0 { 100.0 } else { 100.0 * f64::from(good) / f64::from(self.delimited.files) }
    }
}

fn count(tally: &mut Tally, verdict: &Verdict) {
    tally.files += 1;
    let counter = match verdict {
        Verdict::Right => &mut tally.right,
        Verdict::Wrong(_) => &mut tally.wrong,
        Verdict::RefusedRightly => &mut tally.refused_rightly,
        Verdict::RefusedWrongly(_) => &mut tally.refused_wrongly,
        Verdict::NotRead => &mut tally.not_read,
        Verdict::Crashed(_) => &mut tally.crashed,
    };
    *counter += 1;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::Expected;

    fn report(verdicts: Vec<Verdict>) -> Report {
        let entry = Entry { path: "a.csv".into(), format: "csv".into(), expected: Expected::Read, shapes: Vec::new() };
        let mut report = Report::default();
        for verdict in verdicts {
            report.add(&entry, verdict);
        }
        report
    }

    #[test]
    fn the_floor_is_held_against_the_share_that_is_right() {
        let report = report(vec![Verdict::Right, Verdict::RefusedRightly, Verdict::Wrong("x".into()), Verdict::Right]);
        assert!(report.passes(75.0) && !report.passes(75.1));
        assert!(report.details().contains("a.csv: x"));
    }

    #[test]
    fn one_crash_fails_the_run_whatever_the_share() {
        let report = report(vec![Verdict::Right, Verdict::Crashed("signal 9".into())]);
        assert!(!report.passes(0.0));
        assert!(report.summary(0.0).contains("crashed  a.csv: signal 9"));
    }
}
