//! Benchmark of `formats::convert`: `formats generate FILE MEGABYTES` writes data as the file's name says (.csv, .jsonl, .json), `formats convert IN OUT` converts it
//! once and prints one JSON line with seconds, rows, passes and peak memory.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use flyquery_benches::{mixed_csv, mixed_json};
use formats::{Observer, ReadOptions, Sink, Source};

struct OnDisk(PathBuf);

impl Source for OnDisk {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(File::open(&self.0)?))
    }

    fn len(&self) -> Option<u64> {
        self.0.metadata().ok().map(|m| m.len())
    }
}

struct ToDisk(PathBuf);

impl Sink for ToDisk {
    fn begin(&mut self, _section: usize, _pass: u32) -> io::Result<Box<dyn Write + Send>> {
        Ok(Box::new(BufWriter::with_capacity(1 << 20, File::create(&self.0)?)))
    }
}

struct Silent;

impl Observer for Silent {
    fn cancelled(&self) -> bool {
        false
    }

    fn progress(&self, _rows: u64, _bytes: u64) {}
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["generate", file, megabytes] => generate(Path::new(file), megabytes),
        ["convert", input, output] => convert(Path::new(input), Path::new(output)),
        _ => Err("usage: formats generate FILE MEGABYTES | formats convert IN OUT".to_owned()),
    };
    match done {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn generate(file: &Path, megabytes: &str) -> Result<String, String> {
    let megabytes: u64 = megabytes.parse().map_err(|_| "MEGABYTES must be a number".to_owned())?;
    let mut out = BufWriter::new(File::create(file).map_err(|e| e.to_string())?);
    let wanted = megabytes * 1_000_000;
    let written = match file.extension().and_then(|extension| extension.to_str()) {
        Some("jsonl") => mixed_json::write(&mut out, mixed_json::Layout::Lines, wanted, 7),
        Some("json") => mixed_json::write(&mut out, mixed_json::Layout::Array, wanted, 7),
        _ => mixed_csv::write(&mut out, wanted, 7),
    };
    let (rows, bytes) = written.map_err(|e| e.to_string())?;
    out.flush().map_err(|e| e.to_string())?;
    Ok(format!("{{\"rows\": {rows}, \"bytes\": {bytes}}}"))
}

fn convert(input: &Path, output: &Path) -> Result<String, String> {
    let started = Instant::now();
    let mut head = Vec::new();
    File::open(input).and_then(|f| f.take(64 << 10).read_to_end(&mut head)).map_err(|e| e.to_string())?;
    let name = input.file_name().unwrap_or_default().to_string_lossy();
    let detected = formats::detect(&head, &name, None).map_err(|e| e.to_string())?;
    let mut sink = ToDisk(output.to_owned());
    let source = OnDisk(input.to_owned());
    let tables =
        formats::convert(&source, detected, &ReadOptions::default(), &mut sink, &Silent).map_err(|e| e.to_string())?;
    let seconds = started.elapsed().as_secs_f64();
    let table = tables.first().ok_or("no table")?;
    let types: Vec<String> = table.schema.columns.iter().map(|c| format!("\"{}\"", c.sql_type)).collect();
    Ok(format!(
        "{{\"seconds\": {seconds:.3}, \"rows\": {}, \"pass\": {}, \"parquet_bytes\": {}, \"peak_mib\": {}, \"types\": [{}]}}",
        table.rows,
        table.pass,
        table.parquet_bytes,
        peak_mib().map_or_else(|| "null".to_owned(), |mib| mib.to_string()),
        types.join(", ")
    ))
}

/// Peak resident memory, where the system tells.
fn peak_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib / 1024)
}
