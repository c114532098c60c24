//! One reading of a text file: records to columns to Parquet, with every cell validated until all is settled.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::{ErrorCode, Failure, limits};

use crate::convert::{SectionOutput, Sink};
use crate::fault::{bug, failure_of};
use crate::readers::csv::footer::{self, Footer};
use crate::readers::csv::plan::Plan;
use crate::readers::csv::report::{self, encoding_warning};
use crate::registry::{Request, open_text};
use crate::text::block::{Cells, Records, Stopped, cell_too_large, too_many_columns};
use crate::text::column::{Care, ColumnReader};
use crate::text::encoding::{Decided, TextReader};
use crate::text::evidence::{Evidence, trim};
use crate::text::infer;
use crate::text::locale::Preference;
use crate::text::quotes::{Oddities, Quoting};
use crate::text::records::Scan;
use crate::write::TableWriter;

/// Bytes of text that are split and read at a time.
const BLOCK_BYTES: usize = 512 << 10;

/// How a pass ended.
pub enum Outcome {
    /// The table is written.
    Done(SectionOutput),
    /// Some cell contradicted the plan; this one holds for the whole file.
    Again(Box<Plan>),
}

/// Reads the file by a plan.
pub fn run(request: &Request<'_>, plan: Plan, number: u32, sink: &mut dyn Sink) -> Result<Outcome, Failure> {
    let (text, consumed) = open_text(request, plan.decided)?;
    let writer = TableWriter::open(&plan.schema(|_| true), 0, number, sink)?;
    let columns = plan
        .columns
        .iter()
        .enumerate()
        .map(|(index, (reading, care))| ColumnReader::new(index, *reading, *care))
        .collect();
    let pass = Pass {
        request,
        number,
        records: Records::new(plan.names.len(), plan.width),
        columns,
        extra: Vec::new(),
        writer: Some(writer),
        waiting: 0,
        footer: None,
        blanks: 0,
        consumed,
        plan,
        text,
    };
    pass.run()
}

struct Pass<'a> {
    request: &'a Request<'a>,
    number: u32,
    plan: Plan,
    text: TextReader,
    consumed: Arc<AtomicU64>,
    records: Records,
    columns: Vec<ColumnReader>,
    /// Evidence of columns beyond the table's width.
    extra: Vec<Evidence>,
    /// None once something contradicted the plan: then the rest of the file is only evidence.
    writer: Option<TableWriter>,
    /// Rows that wait in the columns.
    waiting: usize,
    /// What follows the table, perhaps.
    footer: Option<Footer>,
    /// Rows after blank lines that were looked at.
    blanks: u32,
}

impl Pass<'_> {
    fn run(mut self) -> Result<Outcome, Failure> {
        let mut text = Vec::with_capacity(BLOCK_BYTES + 4096);
        let mut at = 0;
        let mut skip = self.plan.skip;
        let mut want = BLOCK_BYTES;
        loop {
            if self.request.observer.cancelled() {
                return Err(Failure::new(ErrorCode::JobCancelled, "The job was cancelled while the file was read."));
            }
            let more = self.text.fill(&mut text, want).map_err(|e| failure_of(e, "Reading the file"))?;
            let before = at;
            if skip > 0 {
                self.skip(&text, &mut at, &mut skip, !more);
            }
            if skip == 0 {
                self.take(&text, &mut at, !more)?;
            }
            self.request.observer.progress(
                self.records.rows_before() + self.records.rows() as u64,
                self.consumed.load(Ordering::Relaxed),
            );
            if !more {
                return self.end();
            }
            // A record longer than the block needs a longer block; doubling keeps the work linear.
            want = if at == before { self.longer(&text)? } else { BLOCK_BYTES };
            text.drain(..at);
            at = 0;
        }
    }

    /// Leaves out titles and header.
    fn skip(&self, text: &[u8], at: &mut usize, skip: &mut usize, at_end: bool) {
        let mut fields = Vec::new();
        while *skip > 0 && *at < text.len() {
            fields.clear();
            let mut odd = Oddities::default();
            let Scan::Record(next) = self.plan.dialect.scan(text, *at, at_end, &mut fields, &mut odd) else {
                return;
            };
            *at = next;
            *skip -= 1;
        }
    }

    fn longer(&self, text: &[u8]) -> Result<usize, Failure> {
        let row = self.records.rows_before() + self.records.rows() as u64 + 1;
        let mut fields = Vec::new();
        self.plan.dialect.scan(text, 0, true, &mut fields, &mut Oddities::default());
        if fields.len() > limits::COLUMNS {
            return Err(too_many_columns(fields.len(), &format!("Row {row}")));
        }
        if let Some(column) = fields.iter().position(|field| field.len() > limits::CELL_BYTES) {
            return Err(cell_too_large(&format!("row {row}, column {}", column + 1), fields[column]));
        }
        if text.len() > limits::RECORD_BYTES {
            return Err(Failure::new(
                ErrorCode::LimitExceeded,
                format!("Row {row} has more than {} bytes.", limits::RECORD_BYTES),
            ));
        }
        Ok(text.len().clamp(BLOCK_BYTES, 16 << 20))
    }

    /// Reads the whole records of a block.
    fn take(&mut self, text: &[u8], at: &mut usize, at_end: bool) -> Result<(), Failure> {
        loop {
            self.records.clear();
            let stopped = self.records.take(self.plan.dialect, text, at, at_end, limits::BATCH_ROWS)?;
            if self.records.rows() > 0 {
                self.absorb(text)?;
            }
            if stopped == Stopped::Cut {
                return Ok(());
            }
        }
    }

    fn absorb(&mut self, text: &[u8]) -> Result<(), Failure> {
        let mut rows = 0..self.records.rows();
        if let Some(limit) = self.plan.rows {
            let left = limit.saturating_sub(self.records.rows_before());
            rows.end = rows.end.min(usize::try_from(left).unwrap_or(usize::MAX));
        }
        self.look_for_footer(text, &mut rows)?;
        if let Some(footer) = &mut self.footer
            && !footer.is_plausible(
                &self.records,
                rows.clone(),
                &self.columns,
                text,
                self.plan.dialect,
                self.plan.preference,
            )
        {
            // It is data after all, which contradicts the plan: what was written is given up.
            footer.give_up();
        }
        self.read_rows(text, rows)
    }

    /// Reads rows up to the first one that may begin a footer, and keeps what is known before it.
    fn look_for_footer(&mut self, text: &[u8], rows: &mut Range<usize>) -> Result<(), Failure> {
        if self.number != 1 || self.footer.is_some() {
            return Ok(());
        }
        for start in std::mem::take(&mut self.records.after_blank) {
            if !rows.contains(&start) || self.blanks > footer::MOST_BLANKS {
                continue;
            }
            self.blanks += 1;
            self.read_rows(text, rows.start..start)?;
            rows.start = start;
            if footer::starts(&self.records, start, &self.columns, text, self.plan.dialect, self.plan.preference) {
                self.flush()?;
                let writer = self.writer.take();
                self.footer = Some(Footer::open(&self.records, start, &self.columns, &self.extra, writer));
                break;
            }
        }
        Ok(())
    }

    fn read_rows(&mut self, text: &[u8], rows: Range<usize>) -> Result<(), Failure> {
        let quoting = self.plan.dialect.quoting;
        let cells = Cells { text, records: &self.records, rows: rows.clone(), quoting };
        let mut contradicted = false;
        let mut bytes = 0;
        for column in &mut self.columns {
            column.absorb(&cells);
            contradicted |= column.is_contradicted();
            bytes += column.bytes();
        }
        self.waiting += rows.len();
        contradicted |= self.surplus(text, rows, quoting)?;
        if contradicted {
            self.writer = None;
        }
        if self.writer.is_none() {
            self.columns.iter_mut().for_each(ColumnReader::clear);
            self.waiting = 0;
        } else if self.waiting >= limits::BATCH_ROWS || bytes >= limits::BATCH_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    /// Values beyond the table's width become columns of their own in a second pass; empty ones are only counted.
    fn surplus(&mut self, text: &[u8], rows: Range<usize>, quoting: Quoting) -> Result<bool, Failure> {
        let mut scratch = Vec::new();
        for surplus in self.records.surplus.iter().filter(|surplus| rows.contains(&surplus.row)) {
            let mut cell = surplus.field.bytes(text);
            if surplus.field.is_mixed() {
                scratch.clear();
                quoting.unquote(cell, &mut scratch);
                cell = &scratch;
            }
            let cell = trim(cell);
            if cell.is_empty() {
                continue;
            }
            let row = self.records.rows_before() + surplus.row as u64 + 1;
            if surplus.column >= limits::COLUMNS {
                return Err(too_many_columns(surplus.column + 1, &format!("Row {row}")));
            }
            let index = surplus.column - self.columns.len();
            if self.extra.len() <= index {
                self.extra.resize(index + 1, Evidence::default());
            }
            self.extra[index].observe(cell, row);
        }
        Ok(!self.extra.is_empty())
    }

    fn flush(&mut self) -> Result<(), Failure> {
        if self.waiting == 0 {
            return Ok(());
        }
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        let mut arrays = Vec::with_capacity(self.columns.len());
        for column in &mut self.columns {
            arrays.push(column.finish().map_err(|e| bug(format!("building a batch: {e}")))?);
        }
        self.waiting = 0;
        writer.write(arrays)
    }

    fn end(mut self) -> Result<Outcome, Failure> {
        self.flush()?;
        self.leave_out_footer();
        if self.number == 1 {
            let settled = self.settle();
            if self.writer.is_none() || settled.columns.len() != self.plan.columns.len() {
                return Ok(Outcome::Again(Box::new(settled)));
            }
            let as_planned = settled.columns.iter().zip(&self.plan.columns).all(|(a, b)| a.0 == b.0);
            if !as_planned || settled.decided != self.plan.decided {
                return Ok(Outcome::Again(Box::new(settled)));
            }
            self.plan = settled;
        }
        let Some(writer) = self.writer.take() else {
            return Err(bug("the second reading of the file contradicts the first"));
        };
        let written = writer.finish()?;
        let mut warnings = self.plan.warnings.clone();
        let (width, extra) = (self.plan.width, &self.plan.names[self.plan.width..]);
        warnings.extend(report::warnings(written.rows, &self.records, (width, extra), &self.text, self.plan.decided));
        warnings.append(&mut self.plan.column_warnings);
        let table = &self.request.options.table_name;
        Ok(Outcome::Done(SectionOutput {
            name: table.clone(),
            path: None,
            schema: self.plan.schema(|i| self.columns[i].has_null()),
            rows: written.rows,
            pass: self.number,
            warnings: warnings.into_iter().map(|w| w.table(table.clone())).collect(),
            parquet_bytes: written.bytes,
        }))
    }

    /// Takes the table back to the row before its footer, if there is one.
    fn leave_out_footer(&mut self) {
        let Some(mut footer) = self.footer.take().filter(Footer::stands) else {
            return;
        };
        for (column, memory) in self.columns.iter_mut().zip(footer.columns.drain(..)) {
            column.restore(memory);
        }
        self.extra = std::mem::take(&mut footer.extra);
        self.records.short = footer.short;
        self.records.long = footer.long;
        self.records.stray_quotes = footer.stray_quotes;
        self.records.unclosed = false;
        self.writer = footer.writer.take();
        self.plan.rows = Some(footer.row);
        self.plan.warnings.push(footer.warning());
    }

    /// The plan that holds for the whole file, from the evidence of all its cells.
    fn settle(&self) -> Plan {
        let mut plan = self.plan.clone();
        plan.columns.clear();
        plan.column_warnings.clear();
        let all = self.columns.iter().map(ColumnReader::evidence).chain(&self.extra);
        plan.preference = Preference::of(&self.request.options.locale).in_file(all);
        for (column, name) in self.columns.iter().zip(&self.plan.names) {
            let reading =
                if column.is_settled() { column.reading() } else { infer::decide(column.evidence(), plan.preference) };
            plan.column_warnings.extend(infer::warnings(column.evidence(), reading, name));
            plan.columns.push((reading, Care::Settled));
        }
        for evidence in &self.extra {
            let name = fresh_name(&plan.names);
            let reading = infer::decide(evidence, plan.preference);
            plan.column_warnings.extend(infer::warnings(evidence, reading, &name));
            plan.names.push(name);
            plan.columns.push((reading, Care::Settled));
        }
        if let Some(encoding) = self.text.better_guess() {
            plan.decided = Decided { encoding, mark: 0, guessed: true };
            plan.warnings.push(encoding_warning(encoding.name()));
        }
        plan
    }
}

fn fresh_name(names: &[String]) -> String {
    let mut n = names.len();
    loop {
        let name = format!("column{n}");
        if !names.contains(&name) {
            return name;
        }
        n += 1;
    }
}
