//! Thrift's compact protocol, as far as it must be walked to know that what is in it is no larger than its bytes.

/// Elements a list may have: more columns or row groups than any table.
const MOST_ELEMENTS: u64 = 1 << 17;
/// Levels of structs and lists.
const MOST_LEVELS: u32 = 32;

const STRUCT: u8 = 12;

/// Why bytes can't be walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// They end too early.
    Cut,
    /// They are no compact protocol, or a list is too long.
    Wrong,
}

/// Where walking stands.
pub struct Cursor<'a> {
    bytes: &'a [u8],
    /// Bytes that were walked.
    pub at: usize,
}

impl<'a> Cursor<'a> {
    /// At the first byte.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn byte(&mut self) -> Result<u8, Flaw> {
        let byte = self.bytes.get(self.at).copied().ok_or(Flaw::Cut)?;
        self.at += 1;
        Ok(byte)
    }

    fn varint(&mut self) -> Result<u64, Flaw> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Flaw::Wrong)
    }

    fn signed(&mut self) -> Result<i64, Flaw> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn jump(&mut self, n: u64) -> Result<(), Flaw> {
        let left = (self.bytes.len() - self.at) as u64;
        if n > left {
            return Err(Flaw::Cut);
        }
        self.at += n as usize;
        Ok(())
    }

    /// Walks through a struct; `number` is told the whole numbers of its own fields by their ids.
    pub fn fields(&mut self, level: u32, number: &mut dyn FnMut(i64, i64)) -> Result<(), Flaw> {
        if level > MOST_LEVELS {
            return Err(Flaw::Wrong);
        }
        let mut id = 0_i64;
        loop {
            let header = self.byte()?;
            if header == 0 {
                return Ok(());
            }
            let step = i64::from(header >> 4);
            id = if step == 0 { self.signed()? } else { id.saturating_add(step) };
            match header & 0x0f {
                1 | 2 => {}
                4..=6 => number(id, self.signed()?),
                kind => self.skip(kind, level)?,
            }
        }
    }

    fn skip(&mut self, kind: u8, level: u32) -> Result<(), Flaw> {
        match kind {
            1..=3 => self.jump(1),
            4..=6 => self.varint().map(|_| ()),
            7 => self.jump(8),
            8 => {
                let len = self.varint()?;
                self.jump(len)
            }
            9 | 10 => self.list(level + 1),
            11 => {
                let n = self.varint()?;
                let kinds = if n == 0 { 0 } else { self.byte()? };
                self.many(n, level, |cursor| {
                    cursor.skip(kinds >> 4, level + 1)?;
                    cursor.skip(kinds & 0x0f, level + 1)
                })
            }
            STRUCT => self.fields(level + 1, &mut |_, _| {}),
            _ => Err(Flaw::Wrong),
        }
    }

    fn list(&mut self, level: u32) -> Result<(), Flaw> {
        let header = self.byte()?;
        let n = match header >> 4 {
            15 => self.varint()?,
            n => u64::from(n),
        };
        let kind = header & 0x0f;
        self.many(n, level, |cursor| {
            // No struct of Parquet is without fields; a list of empty ones would only claim memory.
            if kind == STRUCT && cursor.bytes.get(cursor.at) == Some(&0) {
                return Err(Flaw::Wrong);
            }
            cursor.skip(kind, level)
        })
    }

    fn many(&mut self, n: u64, level: u32, mut one: impl FnMut(&mut Self) -> Result<(), Flaw>) -> Result<(), Flaw> {
        if n > MOST_ELEMENTS || level > MOST_LEVELS {
            return Err(Flaw::Wrong);
        }
        (0..n).try_for_each(|_| one(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(bytes: &[u8]) -> Result<Vec<(i64, i64)>, Flaw> {
        let mut found = Vec::new();
        let mut cursor = Cursor::new(bytes);
        cursor.fields(0, &mut |id, value| found.push((id, value)))?;
        Ok(found)
    }

    #[test]
    fn numbers_are_told_by_their_ids() {
        assert_eq!(walk(&[0x15, 0x02, 0x25, 0x03, 0x18, 0x02, b'a', b'b', 0]), Ok(vec![(1, 1), (3, -2)]));
        assert_eq!(walk(&[0x19, 0x25, 0x02, 0x04, 0x15, 0x06, 0]), Ok(vec![(2, 3)]));
    }

    #[test]
    fn claims_beyond_the_bytes_are_flaws() {
        assert_eq!(walk(&[0x18, 0xff, 0xff, 0xff, 0x7f, 1]), Err(Flaw::Cut));
        assert_eq!(walk(&[0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07]), Err(Flaw::Wrong));
        assert_eq!(walk(&[0x19, 0x2c, 0, 0, 0]), Err(Flaw::Wrong));
        assert_eq!(walk(&[0x1c; 100]), Err(Flaw::Wrong));
        assert_eq!(walk(&[0x15]), Err(Flaw::Cut));
    }
}
