//! JSON records of ten mixed keys, one of them an object and one a list: texts with escapes, dates, timestamps, booleans,
//! fractions, nulls, keys that are missing. The same seed and size give the same bytes on every machine.

use std::io::{self, Write};

use crate::mixed_csv::{CITIES, Random, WORDS};

/// How the records follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One in each line.
    Lines,
    /// In one list.
    Array,
}

/// Writes records until at least `bytes` are written; returns rows and bytes.
pub fn write(out: &mut dyn Write, layout: Layout, bytes: u64, seed: u64) -> io::Result<(u64, u64)> {
    let mut random = Random(seed);
    let mut line = Vec::with_capacity(512);
    let (mut rows, mut written) = (0_u64, 0);
    while written < bytes {
        line.clear();
        if layout == Layout::Array {
            line.push(if rows == 0 { b'[' } else { b',' });
        }
        record(&mut line, rows, &mut random)?;
        line.push(b'\n');
        out.write_all(&line)?;
        written += line.len() as u64;
        rows += 1;
    }
    if layout == Layout::Array {
        out.write_all(b"]\n")?;
        written += 2;
    }
    Ok((rows, written))
}

fn record(line: &mut Vec<u8>, row: u64, random: &mut Random) -> io::Result<()> {
    write!(line, "{{\"id\": {row}, \"customer\": \"{} {}\"", random.pick(&WORDS), random.pick(&WORDS))?;
    write!(
        line,
        ", \"address\": {{\"city\": \"{}\", \"zip\": \"{:05}\"}}",
        random.pick(&CITIES),
        random.below(99_999)
    )?;
    if random.below(10) > 0 {
        let (a, b) = (random.pick(&WORDS), random.pick(&WORDS));
        let quote = if random.below(4) == 0 { "\\\"" } else { "" };
        write!(line, ", \"note\": \"{quote}{a}{quote}, {b}\"")?;
    }
    write!(line, ", \"amount\": {}.{:02}", random.below(100_000), random.below(100))?;
    if random.below(20) == 0 {
        line.extend_from_slice(b", \"rate\": null");
    } else {
        write!(line, ", \"rate\": 0.{}", random.below(1_000_000) + 1)?;
    }
    write!(line, ", \"active\": {}", random.below(2) == 0)?;
    let (month, day) = (random.below(12) + 1, random.below(28) + 1);
    write!(line, ", \"order_date\": \"2023-{month:02}-{day:02}\"")?;
    write!(line, ", \"updated_at\": \"2023-{month:02}-{day:02}T{:02}:{:02}:00Z\"", random.below(24), random.below(60))?;
    write!(line, ", \"tags\": [\"{}\", \"{}\"]}}", random.pick(&WORDS), random.pick(&WORDS))
}
