//! A CSV of ten mixed columns: quoted text with commas and doubled quotes, dates, timestamps, booleans, decimals, nulls.
//! The same seed and size give the same bytes on every machine.

use std::io::{self, Write};

pub(crate) const WORDS: [&str; 24] = [
    "amber", "basalt", "cedar", "delta", "ember", "fjord", "garnet", "harbor", "indigo", "juniper", "kelp", "lagoon",
    "meadow", "nectar", "onyx", "prairie", "quartz", "ridge", "saffron", "tundra", "umber", "valley", "willow",
    "zephyr",
];
pub(crate) const CITIES: [&str; 12] =
    ["Bergen", "Lyon", "Porto", "Gdansk", "Turin", "Leiden", "Graz", "Malmo", "Ghent", "Tartu", "Brno", "Cork"];

/// Splitmix64 (Steele, Lea, Flood 2014): small, fast, the same everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub(crate) fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len() as u64) as usize]
    }
}

/// Writes a header and rows until at least `bytes` are written; returns rows and bytes.
pub fn write(out: &mut dyn Write, bytes: u64, seed: u64) -> io::Result<(u64, u64)> {
    let mut random = Random(seed);
    let mut line = Vec::with_capacity(256);
    line.extend_from_slice(b"id,customer,city,note,amount,rate,quantity,active,order_date,updated_at\n");
    let (mut rows, mut written) = (0, 0);
    loop {
        out.write_all(&line)?;
        written += line.len() as u64;
        if written >= bytes {
            return Ok((rows, written));
        }
        line.clear();
        row(&mut line, rows + 1, &mut random)?;
        rows += 1;
    }
}

fn row(line: &mut Vec<u8>, id: u64, random: &mut Random) -> io::Result<()> {
    write!(line, "{id},customer {},{},", random.below(200_000), random.pick(&CITIES))?;
    match random.below(10) {
        0 => {}
        1..=3 => {
            let (a, b, c) = (random.pick(&WORDS), random.pick(&WORDS), random.pick(&WORDS));
            write!(line, "\"{a}, {b} and \"\"{c}\"\"\"")?;
        }
        _ => write!(line, "{} {} {}", random.pick(&WORDS), random.pick(&WORDS), random.below(1000))?,
    }
    write!(line, ",{}.{:02}", random.below(100_000), random.below(100))?;
    if random.below(20) == 0 {
        line.push(b',');
    } else {
        write!(line, ",0.{:06}", random.below(1_000_000))?;
    }
    let quantity = random.below(500);
    let active = if random.below(3) == 0 { "false" } else { "true" };
    let (year, month, day) = (2015 + random.below(10), 1 + random.below(12), 1 + random.below(28));
    write!(line, ",{quantity},{active},{year}-{month:02}-{day:02},")?;
    if random.below(12) != 0 {
        let seconds = random.below(86_400);
        let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        write!(line, "{year}-{month:02}-{day:02}T{h:02}:{m:02}:{s:02}Z")?;
    }
    line.push(b'\n');
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        let sizes = super::write(&mut a, 100_000, 7).expect("memory");
        super::write(&mut b, 100_000, 7).expect("memory");
        assert_eq!(a, b);
        assert_eq!(sizes.1, a.len() as u64);
    }
}
