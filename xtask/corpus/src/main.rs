//! Judges the readers on a folder of real files: `flyquery-corpus DIR [--verbose] [--floor PERCENT]`.
//!
//! `DIR/manifest.tsv` says for each file under `DIR/files` what trusted readers make of it. Each file is read in a
//! process of its own with bounds on time and memory, so that a crash or an endless loop is a line in the table and not
//! the end of the run. Exit code 1 when a reader crashed, or when too few of the delimited text files were read right.

mod child;
mod manifest;
mod outcome;
mod read;
mod report;
mod verdict;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::manifest::Entry;
use crate::report::Report;
use crate::verdict::Verdict;

/// Least share of CSV and TSV files that must be judged right, in percent. It stands just under what the readers reach,
/// and only ever goes up.
const FLOOR: f64 = 94.5;

const USAGE: &str = "flyquery-corpus DIR [--verbose] [--floor PERCENT]";

struct Options {
    folder: PathBuf,
    verbose: bool,
    floor: f64,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mark, file] = arguments.as_slice()
        && mark == child::MARK
    {
        println!("{}", read::file(Path::new(file)).to_line());
        return ExitCode::SUCCESS;
    }
    match options(&arguments).and_then(|options| judge(&options)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn options(arguments: &[String]) -> Result<Options, String> {
    let mut folder = None;
    let mut options = Options { folder: PathBuf::new(), verbose: false, floor: FLOOR };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--verbose" => options.verbose = true,
            "--floor" => {
                let value = rest.next().and_then(|value| value.parse().ok());
                options.floor = value.ok_or("--floor wants a percentage")?;
            }
            path if folder.is_none() && !path.starts_with('-') => folder = Some(PathBuf::from(path)),
            other => return Err(format!("'{other}' is not understood\n{USAGE}")),
        }
    }
    options.folder = folder.ok_or(USAGE)?;
    Ok(options)
}

/// Whether nothing crashed and the floor was reached.
fn judge(options: &Options) -> Result<bool, String> {
    let path = options.folder.join("manifest.tsv");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let entries = manifest::parse(&text)?;
    let own = std::env::current_exe().map_err(|error| format!("this program can't find itself: {error}"))?;
    let mut report = Report::default();
    for (entry, verdict) in entries.iter().zip(verdicts(&entries, &own, &options.folder)) {
        report.add(entry, verdict);
    }
    print!("{}", report.table());
    if options.verbose {
        print!("{}", report.details());
    }
    println!("{}", report.summary(options.floor));
    Ok(report.passes(options.floor))
}

/// Reads every entry, as many at once as there are processors, and keeps their order.
fn verdicts(entries: &[Entry], own: &Path, folder: &Path) -> Vec<Verdict> {
    let slots: Vec<Mutex<Option<Verdict>>> = entries.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((entry, slot)) = take(entries, &slots, &next) {
                    let outcome = child::read(own, &folder.join("files").join(&entry.path));
                    let verdict = verdict::of(entry, &outcome);
                    *slot.lock().expect("nobody panics while holding a slot") = Some(verdict);
                }
            });
        }
    });
    let filled = slots.into_iter().map(|slot| slot.into_inner().expect("nobody panics while holding a slot"));
    filled.map(|verdict| verdict.expect("every slot was taken by a worker")).collect()
}

fn take<'a, T>(entries: &'a [Entry], slots: &'a [T], next: &AtomicUsize) -> Option<(&'a Entry, &'a T)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    Some((entries.get(index)?, slots.get(index)?))
}
