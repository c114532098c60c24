//! One table of a JSON file while its records are read.

use arrow::array::ArrayRef;
use domain::{Column, Failure, Schema, Warning, limits};

use crate::convert::{ReadOptions, SectionOutput, Sink};
use crate::fault::bug;
use crate::readers::json::out::Out;
use crate::readers::json::place::{Notes, Place, Record};
use crate::readers::json::report;
use crate::readers::json::seen::Shape;
use crate::readers::json::tape::Tape;
use crate::text::block::too_many_columns;
use crate::text::locale::Preference;
use crate::write::TableWriter;

/// The name of the one column of records that are no objects.
const VALUE: &str = "value";

/// See the module.
pub struct Table {
    /// Its name.
    pub name: String,
    path: Option<String>,
    preference: Preference,
    root: Place,
    shape: Shape,
    notes: Notes,
    /// Records read in this pass.
    pub rows: u64,
    waiting: usize,
    bytes: usize,
    /// Scalars of a record, about.
    leaves: usize,
    /// None once something contradicted the shape: then the rest of the table is only evidence.
    writer: Option<TableWriter>,
    /// What a user could dispute.
    pub warnings: Vec<Warning>,
    /// The table, once it is written.
    pub output: Option<SectionOutput>,
}

impl Table {
    /// No records yet.
    pub fn new(options: &ReadOptions, name: String, path: Option<String>) -> Self {
        Self {
            name,
            path,
            preference: Preference::of(&options.locale),
            root: Place::new(0),
            shape: Shape::Unknown,
            notes: Notes { learn: true, ..Notes::default() },
            rows: 0,
            waiting: 0,
            bytes: 0,
            leaves: 0,
            writer: None,
            warnings: Vec::new(),
            output: None,
        }
    }

    /// Takes a record as evidence only.
    pub fn look_at(&mut self, text: &[u8], tape: &Tape) -> Result<(), Failure> {
        self.rows += 1;
        let mut record = Record { text, tokens: tape.tokens(), row: self.rows, notes: &mut self.notes };
        self.root.read(&mut record, 0);
        if self.notes.too_wide {
            let n = limits::COLUMNS + 1;
            return Err(too_many_columns(n, &format!("With record {}, the table '{}'", self.rows, self.name)));
        }
        Ok(())
    }

    /// Proposes the shape of what was looked at.
    pub fn propose(&mut self) {
        self.shape = self.root.decide(self.preference);
    }

    /// Begins to read by the shape.
    pub fn begin(&mut self, section: usize, number: u32, sink: &mut dyn Sink) -> Result<(), Failure> {
        self.root.prepare(&self.shape);
        self.notes = Notes { learn: number == 1, places: self.notes.places, ..Notes::default() };
        self.rows = 0;
        self.waiting = 0;
        self.bytes = 0;
        self.leaves = leaves(&self.shape);
        self.writer = Some(TableWriter::open(&self.schema(|_| true), section, number, sink)?);
        Ok(())
    }

    /// Reads a record.
    pub fn record(&mut self, text: &[u8], tape: &Tape) -> Result<(), Failure> {
        self.look_at(text, tape)?;
        if self.notes.contradicted {
            if self.writer.take().is_some() {
                self.root.stop();
            }
            return Ok(());
        }
        self.waiting += 1;
        // Offsets, nulls and numbers cost memory that the text of a record does not show.
        self.bytes += text.len() + 9 * self.leaves;
        if self.waiting >= limits::BATCH_ROWS || self.bytes >= limits::BATCH_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    /// Ends the table, or settles the shape that the next pass reads by.
    pub fn end(&mut self, number: u32) -> Result<(), Failure> {
        self.flush()?;
        if number == 1 {
            let settled = self.root.decide(self.preference);
            self.warnings.append(&mut report::of_columns(&self.root, &settled));
            self.warnings.append(&mut report::of_records(self.rows, &self.notes));
            if self.writer.is_none() || settled != self.shape {
                self.writer = None;
                self.shape = settled;
                return Ok(());
            }
        }
        let Some(writer) = self.writer.take() else {
            return Err(bug("the second reading of the file contradicts the first"));
        };
        let written = writer.finish()?;
        self.output = Some(SectionOutput {
            name: self.name.clone(),
            path: self.path.clone(),
            schema: self.schema(|i| match &self.shape {
                Shape::Struct(_) => self.root.fields.places[i].has_null,
                Shape::Unknown | Shape::Scalar(_) | Shape::Json | Shape::List(_) => self.root.has_null,
            }),
            rows: written.rows,
            pass: number,
            warnings: Vec::new(),
            parquet_bytes: written.bytes,
        });
        Ok(())
    }

    /// The written table with its warnings.
    pub fn into_output(self) -> Option<SectionOutput> {
        let warnings = self.warnings.into_iter().map(|w| w.table(self.name.clone())).collect();
        self.output.map(|output| SectionOutput { warnings, ..output })
    }

    fn schema(&self, nullable: impl Fn(usize) -> bool) -> Schema {
        let column = |(i, name, shape): (usize, &str, &Shape)| Column {
            name: name.to_owned(),
            sql_type: shape.sql_type(),
            nullable: nullable(i),
        };
        let columns = match &self.shape {
            Shape::Struct(fields) => {
                fields.iter().enumerate().map(|(i, (name, shape))| column((i, name, shape))).collect()
            }
            shape @ (Shape::Unknown | Shape::Scalar(_) | Shape::Json | Shape::List(_)) => {
                vec![column((0, VALUE, shape))]
            }
        };
        Schema { columns }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        let Some(writer) = self.writer.as_mut().filter(|_| self.waiting > 0) else {
            return Ok(());
        };
        let made: Result<Vec<ArrayRef>, _> = match &mut self.root.out {
            Out::Struct(nulls) => {
                // A record that is null has null in every column; the table itself has no nulls.
                nulls.finish();
                self.root.fields.places.iter_mut().map(Place::finish).collect()
            }
            Out::Off | Out::Unknown(_) | Out::Scalar(..) | Out::Json(_) | Out::List(..) => {
                self.root.finish().map(|array| vec![array])
            }
        };
        self.waiting = 0;
        self.bytes = 0;
        writer.write(made.map_err(|e| bug(format!("building a batch: {e}")))?)
    }
}

fn leaves(shape: &Shape) -> usize {
    match shape {
        Shape::Unknown | Shape::Scalar(_) | Shape::Json => 1,
        Shape::List(item) => leaves(item),
        Shape::Struct(fields) => fields.iter().map(|(_, shape)| leaves(shape)).sum(),
    }
}
