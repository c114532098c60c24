//! What the head of a text file tells: encoding, dialect, header, and the types it proposes.

use std::io::{Cursor, Read};

use domain::{ErrorCode, Failure, FileFormat, Warning, WarningCode, limits};

use crate::fault::failure_of;
use crate::readers::csv::footer::Fit;
use crate::readers::csv::plan::Plan;
use crate::readers::csv::report::encoding_warning;
use crate::registry::{Request, open};
use crate::text::block::{cell_too_large, too_many_columns};
use crate::text::column::Care;
use crate::text::dialect::sniff;
use crate::text::encoding::{Decided, TextReader, decide};
use crate::text::evidence::{Evidence, trim};
use crate::text::header::{Layout, Record, find};
use crate::text::infer::{self, Reading};
use crate::text::locale::Preference;
use crate::text::quotes::Oddities;
use crate::text::records::{Dialect, Field, Scan};

/// Bytes of the head that are surveyed, unless the first records need more.
const HEAD_BYTES: usize = 1 << 20;
/// Records that decide about the header.
const HEADER_RECORDS: usize = 200;

/// Surveys the head and proposes how to read the file.
pub fn survey(request: &Request<'_>) -> Result<Plan, Failure> {
    let (mut reader, _) = open(request)?;
    let mut raw = Vec::new();
    let mut want = HEAD_BYTES;
    loop {
        let whole = read_more(&mut reader, &mut raw, want)?;
        if raw.is_empty() {
            return Err(Failure::new(ErrorCode::EmptyFile, "The file has 0 bytes."));
        }
        let decided = decide(&raw, whole)?;
        let text = as_text(&raw, decided)?;
        let named = separator_line(&text);
        let mut dialect = sniff(&text, whole, request.detected.format == FileFormat::Tsv);
        if let Some((delimiter, _)) = named {
            dialect.delimiter = Some(delimiter);
        }
        let start = named.map_or(0, |(_, end)| end);
        let head = Head::scan(&text, start, whole, dialect, request.options.max_title_rows as usize)?;
        // Titles, header and a first row must be there; only a huge first record makes this loop go round.
        if whole || head.records.len() > 2 {
            return plan(request, decided, &text, &head, whole);
        }
        want = grow(want, &text[head.end..], dialect)?;
    }
}

/// The delimiter that a first line such as `sep=;` names, as spreadsheets write it, and where that line ends.
fn separator_line(text: &[u8]) -> Option<(u8, usize)> {
    let end = memchr::memchr(b'\n', text.get(..64).unwrap_or(text))? + 1;
    let line = text[..end].strip_suffix(b"\r\n").unwrap_or(&text[..end - 1]);
    let line = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
    match line {
        [word @ .., delimiter] if word.eq_ignore_ascii_case(b"sep=") => {
            (*delimiter == b'\t' || delimiter.is_ascii_punctuation()).then_some((*delimiter, end))
        }
        _ => None,
    }
}

fn read_more(reader: &mut dyn Read, raw: &mut Vec<u8>, want: usize) -> Result<bool, Failure> {
    let missing = want - raw.len();
    let read = reader.take(missing as u64).read_to_end(raw).map_err(|e| failure_of(e, "Reading the file"))?;
    Ok(read < missing)
}

/// The next size of the head, as long as the record it cuts is within bounds.
fn grow(want: usize, text: &[u8], dialect: Dialect) -> Result<usize, Failure> {
    let mut fields = Vec::new();
    dialect.scan(text, 0, true, &mut fields, &mut Oddities::default());
    if fields.len() > limits::COLUMNS {
        return Err(too_many_columns(fields.len(), "One of the first records"));
    }
    if let Some(column) = fields.iter().position(|field| field.len() > limits::CELL_BYTES) {
        return Err(cell_too_large(&format!("column {} of one of the first records", column + 1), fields[column]));
    }
    if want >= limits::RECORD_BYTES {
        return Err(Failure::new(
            ErrorCode::LimitExceeded,
            format!("One of the first records has more than {} bytes.", limits::RECORD_BYTES),
        ));
    }
    // A step just past the bound of a cell shows a cell that is too large without reading twice as much.
    let next = want * 2;
    Ok(if want < limits::CELL_BYTES && next >= limits::CELL_BYTES {
        limits::CELL_BYTES + HEAD_BYTES
    } else {
        next.min(limits::RECORD_BYTES)
    })
}

fn as_text(raw: &[u8], decided: Decided) -> Result<Vec<u8>, Failure> {
    let mut reader = TextReader::new(Box::new(Cursor::new(raw.to_vec())), decided);
    let mut text = Vec::new();
    while reader.fill(&mut text, raw.len() + 1).map_err(|e| failure_of(e, "Reading the file"))? {}
    Ok(text)
}

/// The first records of the head.
struct Head {
    dialect: Dialect,
    /// Values of the first records that are not blank.
    records: Vec<Record>,
    /// For each of them, how many records (blank ones included) stand before the next one.
    after: Vec<usize>,
    /// Where the first record starts that was not scanned.
    end: usize,
    /// Whether the first line names the delimiter and is no record.
    names_delimiter: bool,
}

impl Head {
    fn scan(text: &[u8], start: usize, whole: bool, dialect: Dialect, max_titles: usize) -> Result<Self, Failure> {
        let names_delimiter = start > 0;
        let mut head = Self { dialect, records: Vec::new(), after: Vec::new(), end: start, names_delimiter };
        let mut fields = Vec::new();
        let (mut at, mut seen) = (start, usize::from(names_delimiter));
        while at < text.len() && head.records.len() < HEADER_RECORDS + max_titles {
            fields.clear();
            let Scan::Record(next) = dialect.scan(text, at, whole, &mut fields, &mut Oddities::default()) else {
                break;
            };
            at = next;
            head.end = next;
            seen += 1;
            if fields.len() > limits::COLUMNS {
                return Err(too_many_columns(fields.len(), &format!("Record {seen}")));
            }
            if fields.len() == 1 && fields[0].is_empty() {
                continue;
            }
            head.records.push(fields.iter().map(|field| dialect.value(*field, text).into_owned()).collect());
            head.after.push(seen);
        }
        Ok(head)
    }
}

fn plan(request: &Request<'_>, decided: Decided, text: &[u8], head: &Head, whole: bool) -> Result<Plan, Failure> {
    let is_blank = |record: &Record| record.iter().all(|cell| trim(cell).is_empty());
    if head.records.is_empty() || (whole && head.records.iter().all(is_blank)) {
        return Err(Failure::new(ErrorCode::EmptyFile, "The file holds nothing but blanks."));
    }
    let preference = Preference::of(&request.options.locale);
    let layout = find(&head.records, request.options.max_title_rows as usize, preference);
    if layout.names.len() > limits::COLUMNS {
        return Err(too_many_columns(layout.names.len(), "The table"));
    }
    let above = layout.titles + usize::from(layout.has_header);
    let skip = above.checked_sub(1).map_or(usize::from(head.names_delimiter), |last| head.after[last]);
    let rows = request.options.infer_sample_rows;
    let evidence = sample(text, whole, head.dialect, (skip, layout.names.len(), rows), preference);
    let preference = preference.in_file(evidence.iter());
    let columns = propose(&evidence, preference);
    Ok(Plan {
        decided,
        dialect: head.dialect,
        skip,
        columns,
        rows: None,
        warnings: warnings(decided, &layout, head.names_delimiter),
        column_warnings: Vec::new(),
        width: layout.usual,
        preference,
        names: layout.names,
    })
}

/// Evidence of the head's rows.
fn sample(
    text: &[u8],
    whole: bool,
    dialect: Dialect,
    (skip, width, rows): (usize, usize, usize),
    preference: Preference,
) -> Vec<Evidence> {
    let mut columns = vec![Evidence::default(); width];
    let mut fields = Vec::new();
    let mut scratch = Vec::new();
    let (mut at, mut seen, mut row) = (0, 0_usize, 0_u64);
    let mut blank = false;
    while at < text.len() && row < rows as u64 {
        fields.clear();
        // What stands above the rows is split as it was when its end was found: without a width.
        let mut odd = if seen < skip { Oddities::default() } else { Oddities::of_width(width) };
        let Scan::Record(next) = dialect.scan(text, at, whole, &mut fields, &mut odd) else {
            break;
        };
        at = next;
        seen += 1;
        if seen <= skip {
            continue;
        }
        if fields.len() == 1 && fields[0].is_empty() {
            blank = true;
            continue;
        }
        // What may be a footer proposes nothing; whether it is one, the first pass finds out.
        if std::mem::take(&mut blank) && row > 0 && is_other_kind(&columns, &fields, text, dialect, preference) {
            break;
        }
        row += 1;
        for (evidence, field) in columns.iter_mut().zip(&fields) {
            // Once a column is plainly text, more of it proposes nothing else.
            if evidence.is_plainly_text() {
                continue;
            }
            let raw = field.bytes(text);
            if field.is_mixed() {
                scratch.clear();
                dialect.quoting.unquote(raw, &mut scratch);
                evidence.observe(trim(&scratch), row);
            } else {
                evidence.observe(trim(raw), row);
            }
        }
    }
    columns
}

/// Whether a row after a blank line fits none of the typed columns (see `footer`).
fn is_other_kind(
    columns: &[Evidence],
    fields: &[Field],
    text: &[u8],
    dialect: Dialect,
    preference: Preference,
) -> bool {
    let typed = |evidence: &Evidence| infer::decide(evidence, preference) != Reading::Text;
    let fit = Fit::of(columns.iter().zip(fields).map(|(evidence, field)| {
        let cell = dialect.value(*field, text);
        let cell = trim(&cell);
        let fits = typed(evidence).then(|| {
            let mut together = evidence.clone();
            together.observe(cell, 0);
            typed(&together)
        });
        (cell.is_empty(), fits)
    }));
    fit.is_other_kind(columns.len())
}

fn propose(columns: &[Evidence], preference: Preference) -> Vec<(Reading, Care)> {
    columns
        .iter()
        .map(|evidence| match infer::decide(evidence, preference) {
            Reading::Text if evidence.is_plainly_text() => (Reading::Text, Care::Settled),
            Reading::Text => (Reading::Text, Care::Watch),
            reading => (reading, Care::Validate),
        })
        .collect()
}

fn warnings(decided: Decided, layout: &Layout, names_delimiter: bool) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if names_delimiter {
        let message = "The first line names the delimiter and was left out.";
        warnings.push(Warning::new(WarningCode::LinesSkipped, message).rows(1));
    }
    if decided.guessed {
        warnings.push(encoding_warning(decided.encoding.name()));
    }
    if layout.titles > 0 {
        let n = layout.titles;
        let lines = if n == 1 { "1 line above the header was" } else { &format!("{n} lines above the header were") };
        warnings.push(Warning::new(WarningCode::LinesSkipped, format!("{lines} left out as a title.")).rows(n as u64));
    }
    if !layout.has_header {
        let message = "The file has no header; columns are named column0, column1, ….";
        warnings.push(Warning::new(WarningCode::NamesChanged, message));
    } else if layout.made_up > 0 {
        let message = format!("{} column names were trimmed, shortened, made unique or made up.", layout.made_up);
        warnings.push(Warning::new(WarningCode::NamesChanged, message));
    }
    warnings
}
