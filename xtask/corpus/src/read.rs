//! Reads one file with the readers of `formats`, throwing away the Parquet that they write.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use domain::format::NameClaim;
use domain::{ErrorCode, Failure};
use formats::{Observer, ReadOptions, SectionOutput, Sink, Source};

use crate::outcome::{Outcome, Shape};

/// Bytes of the head by which a format is detected.
const HEAD: u64 = 64 << 10;

/// What comes of the file when it is uploaded under its own name.
pub fn file(path: &Path) -> Outcome {
    match convert(path) {
        Ok(sections) => Outcome::Read(sections.iter().map(shape).collect()),
        Err(failure) => Outcome::Refused { code: failure.code.as_str().to_owned(), detail: failure.detail },
    }
}

fn shape(section: &SectionOutput) -> Shape {
    Shape { rows: section.rows, columns: section.schema.columns.len() as u64 }
}

fn convert(path: &Path) -> Result<Vec<SectionOutput>, Failure> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let head = head(path).map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))?;
    let detected = formats::detect(&head, &name, None)?;
    let options = ReadOptions { table_name: NameClaim::of(&name).stem, ..ReadOptions::default() };
    formats::convert(&OnDisk(path.to_owned()), detected, &options, &mut Nowhere, &Nobody)
}

fn head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path)?.take(HEAD).read_to_end(&mut head)?;
    Ok(head)
}

struct OnDisk(PathBuf);

impl Source for OnDisk {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(File::open(&self.0)?))
    }

    fn len(&self) -> Option<u64> {
        std::fs::metadata(&self.0).ok().map(|meta| meta.len())
    }
}

/// Takes every section and keeps none.
struct Nowhere;

impl Sink for Nowhere {
    fn begin(&mut self, _section: usize, _pass: u32) -> io::Result<Box<dyn Write + Send>> {
        Ok(Box::new(io::sink()))
    }
}

/// Watches nothing and cancels nothing.
struct Nobody;

impl Observer for Nobody {
    fn cancelled(&self) -> bool {
        false
    }

    fn progress(&self, _rows: u64, _bytes: u64) {}
}
