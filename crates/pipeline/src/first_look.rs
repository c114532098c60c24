//! Profiles made while tables are written: what stage 2 learns beside its own work, so that stage 5 need not read the
//! tables again. They live in the memory of one run; a run that resumes without them reads.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use annotate::profile::{ColumnProfile, ColumnProfiler};
use arrow::array::ArrayRef;
use arrow::error::ArrowError;
use domain::{Column, Schema};
use formats::ColumnTap;

/// Columns up to which a table is profiled while it is written: each profiler may hold `ColumnProfiler::MAX_BYTES`.
const MOST_COLUMNS: usize = 64;

/// A column's profile, or why there is none.
pub type Profiled = Result<ColumnProfile, ArrowError>;

/// The profiles made so far, by the key of the table's object and the column's position.
#[derive(Clone, Default)]
pub struct FirstLook(Arc<Mutex<HashMap<String, HashMap<usize, Profiled>>>>);

impl FirstLook {
    /// What looks at the columns of a table of that schema while it is written to `key`; nothing once it has more rows
    /// than are profiled.
    pub fn taps(&self, key: &str, schema: &Schema, most_rows: u64) -> Vec<Box<dyn ColumnTap>> {
        if schema.columns.len() > MOST_COLUMNS {
            return Vec::new();
        }
        let tap = |(index, column): (usize, &Column)| -> Box<dyn ColumnTap> {
            Box::new(Tap {
                profiling: Some(Profiling::new(column)),
                rows_left: most_rows,
                key: key.to_owned(),
                index,
                all: self.clone(),
            })
        };
        schema.columns.iter().enumerate().map(tap).collect()
    }

    /// Takes out what is known of a table's columns.
    pub fn take(&self, key: &str) -> HashMap<usize, Profiled> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key).unwrap_or_default()
    }
}

/// A column being profiled.
pub struct Profiling {
    profiler: ColumnProfiler,
    error: Option<ArrowError>,
}

impl Profiling {
    /// Nothing seen yet.
    pub fn new(column: &Column) -> Self {
        Self { profiler: ColumnProfiler::new(column), error: None }
    }

    /// Takes in the next rows.
    pub fn update(&mut self, array: &ArrayRef) {
        if self.error.is_none()
            && let Err(error) = self.profiler.update(array.as_ref())
        {
            self.error = Some(error);
        }
    }

    /// The profile of all rows.
    pub fn finish(self) -> Profiled {
        self.error.map_or_else(|| Ok(self.profiler.finish()), Err)
    }
}

struct Tap {
    /// None once there are too many rows.
    profiling: Option<Profiling>,
    rows_left: u64,
    key: String,
    index: usize,
    all: FirstLook,
}

impl ColumnTap for Tap {
    fn values(&mut self, array: &ArrayRef) {
        match self.rows_left.checked_sub(array.len() as u64) {
            Some(left) => self.rows_left = left,
            None => self.profiling = None,
        }
        if let Some(profiling) = &mut self.profiling {
            profiling.update(array);
        }
    }

    fn end(self: Box<Self>) {
        if let Some(profiling) = self.profiling {
            let mut all = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.entry(self.key).or_default().insert(self.index, profiling.finish());
        }
    }
}
