//! Readings of a JSON file: the sample that proposes, the first pass that writes and counts, the second where needed.

use domain::{Failure, name};

use crate::convert::{SectionOutput, Sink};
use crate::readers::json::feed::Feed;
use crate::readers::json::report;
use crate::readers::json::table::Table;
use crate::readers::json::tape::Tape;
use crate::readers::json::walk::{Flow, Layout, Visitor, shown, walk};
use crate::registry::Request;
use crate::text::encoding::Decided;

/// Bytes of records by which types are proposed.
const SAMPLE_BYTES: usize = 1 << 20;

/// The file's tables while they are read.
pub struct Pass {
    tables: Vec<Table>,
    max_rows: u64,
}

impl Pass {
    /// No records yet.
    pub fn new(request: &Request<'_>, layout: &Layout) -> Self {
        let options = request.options;
        let mut tables: Vec<Table> = Vec::new();
        match layout {
            Layout::Lines | Layout::Values | Layout::Array | Layout::One => {
                tables.push(Table::new(options, options.table_name.clone(), None));
            }
            Layout::Tables(paths) => {
                for path in paths {
                    let base = name::table_name(&path.last().map(|k| String::from_utf8_lossy(k)).unwrap_or_default());
                    let taken = |name: &str| tables.iter().any(|t: &Table| t.name == name);
                    let mut name = base.clone();
                    let mut n = 1;
                    while taken(&name) {
                        n += 1;
                        name = format!("{base}_{n}");
                    }
                    tables.push(Table::new(options, name, Some(shown(path))));
                }
            }
        }
        Self { tables, max_rows: options.infer_sample_rows as u64 }
    }

    /// Proposes types from the first records.
    pub fn sample(&mut self, request: &Request<'_>, decided: Decided, layout: &Layout) -> Result<(), Failure> {
        let mut feed = Feed::open(request, decided)?;
        let many = self.tables.len();
        let mut sample = Sample { pass: self, bytes: 0, left: many };
        walk(&mut feed, layout, &mut sample)?;
        self.tables.iter_mut().for_each(Table::propose);
        Ok(())
    }

    /// Reads all records; writes every table in pass 1, and in pass 2 those that pass 1 did not finish.
    pub fn run(
        &mut self,
        request: &Request<'_>,
        decided: Decided,
        layout: &Layout,
        number: u32,
        sink: &mut dyn Sink,
    ) -> Result<(), Failure> {
        let mut feed = Feed::open(request, decided)?;
        let passed = walk(&mut feed, layout, &mut Reading { pass: self, number, sink })?;
        if number == 1 {
            let found = report::of_file(decided, &passed, feed.damage());
            if let Some(table) = self.tables.first_mut() {
                table.warnings.extend(found);
            }
        }
        Ok(())
    }

    /// Whether every table is written.
    pub fn is_done(&self) -> bool {
        self.tables.iter().all(|table| table.output.is_some())
    }

    /// The tables; none unless all are written.
    pub fn outputs(self) -> Option<Vec<SectionOutput>> {
        self.tables.into_iter().map(Table::into_output).collect()
    }
}

struct Sample<'a> {
    pass: &'a mut Pass,
    bytes: usize,
    left: usize,
}

impl Visitor for Sample<'_> {
    fn begin(&mut self, _: usize) -> Result<Flow, Failure> {
        self.bytes = 0;
        Ok(Flow::More)
    }

    fn record(&mut self, table: usize, text: &[u8], tape: &Tape) -> Result<Flow, Failure> {
        let table = &mut self.pass.tables[table];
        table.look_at(text, tape)?;
        self.bytes += text.len();
        if table.rows < self.pass.max_rows && self.bytes < SAMPLE_BYTES {
            return Ok(Flow::More);
        }
        self.left -= 1;
        Ok(if self.left == 0 { Flow::Stop } else { Flow::Enough })
    }

    fn end(&mut self, _: usize) -> Result<(), Failure> {
        Ok(())
    }
}

struct Reading<'a> {
    pass: &'a mut Pass,
    number: u32,
    sink: &'a mut dyn Sink,
}

impl Visitor for Reading<'_> {
    fn begin(&mut self, table: usize) -> Result<Flow, Failure> {
        if self.pass.tables[table].output.is_some() {
            return Ok(Flow::Enough);
        }
        self.pass.tables[table].begin(table, self.number, self.sink)?;
        Ok(Flow::More)
    }

    fn record(&mut self, table: usize, text: &[u8], tape: &Tape) -> Result<Flow, Failure> {
        self.pass.tables[table].record(text, tape)?;
        Ok(Flow::More)
    }

    fn end(&mut self, table: usize) -> Result<(), Failure> {
        let table = &mut self.pass.tables[table];
        if table.output.is_some() { Ok(()) } else { table.end(self.number) }
    }
}
