//! Which encoding text is in, and its stream of UTF-8: valid input passes through without a copy of its own.

use std::io::{self, Read};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use domain::{ErrorCode, Failure, Warning, WarningCode};
use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::detect::utf16_without_bom;

/// Bytes that are read from the inner reader at a time when they must be decoded.
const RAW_BYTES: usize = 64 << 10;
/// Bytes with broken UTF-8 that are shown to the guesser.
const LATE_GUESS_BYTES: usize = 1 << 20;

/// The encoding of a file and how it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decided {
    /// The encoding.
    pub encoding: &'static Encoding,
    /// Bytes of the byte-order mark at the start.
    pub mark: usize,
    /// Whether it was guessed from the bytes' frequencies, not told by a mark or by being valid UTF-8.
    pub guessed: bool,
}

/// Decides from the first bytes of a file; `whole` says whether they are all of it.
pub fn decide(head: &[u8], whole: bool) -> Result<Decided, Failure> {
    if head.starts_with(&[0xff, 0xfe, 0, 0]) || head.starts_with(&[0, 0, 0xfe, 0xff]) {
        return Err(Failure::new(ErrorCode::UnsupportedFormat, "The text is in UTF-32; save it as UTF-8."));
    }
    if let Some((encoding, mark)) = Encoding::for_bom(head) {
        return Ok(Decided { encoding, mark, guessed: false });
    }
    if let Some(little) = utf16_without_bom(head) {
        let encoding = if little { UTF_16LE } else { UTF_16BE };
        return Ok(Decided { encoding, mark: 0, guessed: true });
    }
    let encoding = match std::str::from_utf8(head) {
        Ok(_) => return Ok(Decided { encoding: UTF_8, mark: 0, guessed: false }),
        Err(error) if error.error_len().is_none() && !whole => {
            return Ok(Decided { encoding: UTF_8, mark: 0, guessed: false });
        }
        Err(_) if mostly_utf8(head) => UTF_8,
        Err(_) => {
            let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
            detector.feed(head, whole);
            detector.guess(None, Utf8Detection::Deny)
        }
    };
    Ok(Decided { encoding, mark: 0, guessed: true })
}

/// Whether broken places are so rare among valid multi-byte characters that the text is damaged UTF-8.
fn mostly_utf8(head: &[u8]) -> bool {
    let (mut good, mut bad) = (0_usize, 0_usize);
    for chunk in head.utf8_chunks() {
        good += chunk.valid().bytes().filter(|b| *b >= 0xc0).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good >= 4 * bad
}

/// What reading taught about the encoding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Byte sequences that were no characters and became U+FFFD.
    pub replaced: u64,
    /// Text position (bytes of UTF-8 made so far) of the first one.
    pub first_at: u64,
}

impl Damage {
    /// What to tell of it, when there is any.
    pub fn warning(self, encoding: &'static Encoding) -> Option<Warning> {
        let Self { replaced, first_at } = self;
        let name = encoding.name();
        let message = format!(
            "{replaced} byte sequences are no characters of {name} and were replaced by U+FFFD, the first at byte \
             {first_at} of the text."
        );
        (replaced > 0).then(|| Warning::new(WarningCode::EncodingReplaced, message).rows(replaced))
    }
}

/// Reads text as UTF-8.
pub struct TextReader {
    inner: Box<dyn Read + Send>,
    decoder: Option<Box<Decoder>>,
    raw: Vec<u8>,
    raw_at: usize,
    /// Bytes of the mark that are still to be left out.
    mark: usize,
    ended: bool,
    /// Bytes at the end of what was handed out that may be the start of a character.
    loose: usize,
    made: u64,
    damage: Damage,
    saw_multibyte: bool,
    late: Option<Box<EncodingDetector>>,
    late_bytes: usize,
}

impl TextReader {
    /// Reads `inner` (whose byte-order mark, if any, is still there) in the decided encoding.
    pub fn new(inner: Box<dyn Read + Send>, decided: Decided) -> Self {
        let decoder = (decided.encoding != UTF_8).then(|| Box::new(decided.encoding.new_decoder_with_bom_removal()));
        let decoder_missing = decoder.is_none();
        Self {
            inner,
            decoder,
            raw: Vec::new(),
            raw_at: 0,
            mark: if decoder_missing { decided.mark } else { 0 },
            ended: false,
            loose: 0,
            made: 0,
            damage: Damage::default(),
            saw_multibyte: false,
            late: None,
            late_bytes: 0,
        }
    }

    /// What had to be replaced so far.
    pub const fn damage(&self) -> Damage {
        self.damage
    }

    /// After the end: the single-byte encoding that explains text which is ASCII but for broken UTF-8.
    pub fn better_guess(&self) -> Option<&'static Encoding> {
        if self.saw_multibyte || self.damage.replaced == 0 || self.decoder.is_some() {
            return None;
        }
        let guess = self.late.as_ref()?.guess(None, Utf8Detection::Deny);
        guess.is_single_byte().then_some(guess)
    }

    /// Appends about `want` bytes of text to `out`, whose last bytes must be those of the last call. Everything in
    /// `out` but perhaps its last three bytes is valid UTF-8. Returns false at the end.
    pub fn fill(&mut self, out: &mut Vec<u8>, want: usize) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        let before = out.len();
        if self.decoder.is_some() {
            self.fill_decoded(out, want)?;
        } else {
            self.fill_plain(out, want)?;
        }
        self.made += (out.len() - before) as u64;
        Ok(!self.ended || out.len() > before)
    }

    fn fill_plain(&mut self, out: &mut Vec<u8>, want: usize) -> io::Result<()> {
        self.leave_out_mark()?;
        let start = out.len() - self.loose;
        let base = self.made - self.loose as u64;
        let fresh = out.len();
        out.resize(fresh + want, 0);
        let mut filled = fresh;
        while filled < out.len() {
            match self.inner.read(&mut out[filled..]) {
                Ok(0) => {
                    self.ended = true;
                    break;
                }
                Ok(n) => filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    out.truncate(filled);
                    return Err(error);
                }
            }
        }
        out.truncate(filled);
        self.loose = 0;
        if out[start..].is_ascii() {
            return Ok(());
        }
        match std::str::from_utf8(&out[start..]) {
            Ok(_) => self.saw_multibyte = true,
            Err(error) if error.error_len().is_none() && !self.ended => {
                self.saw_multibyte |= !out[start..start + error.valid_up_to()].is_ascii();
                self.loose = out.len() - start - error.valid_up_to();
            }
            Err(_) => self.repair(out, start, base),
        }
        Ok(())
    }

    fn leave_out_mark(&mut self) -> io::Result<()> {
        let mut byte = [0];
        while self.mark > 0 {
            match self.inner.read(&mut byte) {
                Ok(0) => self.mark = 0,
                Ok(_) => self.mark -= 1,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Replaces what is no character, and shows the bytes to the guesser.
    fn repair(&mut self, out: &mut Vec<u8>, start: usize, base: u64) {
        let broken = out.split_off(start);
        if self.late_bytes < LATE_GUESS_BYTES {
            self.late_bytes += broken.len();
            self.late
                .get_or_insert_with(|| Box::new(EncodingDetector::new(Iso2022JpDetection::Deny)))
                .feed(&broken, false);
        }
        let mut at = 0;
        for chunk in broken.utf8_chunks() {
            let valid = chunk.valid().as_bytes();
            self.saw_multibyte |= !valid.is_ascii();
            out.extend_from_slice(valid);
            at += valid.len() + chunk.invalid().len();
            if chunk.invalid().is_empty() {
                continue;
            }
            let unfinished = std::str::from_utf8(chunk.invalid()).is_err_and(|e| e.error_len().is_none());
            if at == broken.len() && unfinished && !self.ended {
                self.loose = chunk.invalid().len();
                out.extend_from_slice(chunk.invalid());
            } else {
                self.replace(out, base + (out.len() - start) as u64);
            }
        }
    }

    fn replace(&mut self, out: &mut Vec<u8>, at: u64) {
        if self.damage.replaced == 0 {
            self.damage.first_at = at;
        }
        self.damage.replaced += 1;
        out.extend_from_slice("\u{fffd}".as_bytes());
    }

    fn fill_decoded(&mut self, out: &mut Vec<u8>, want: usize) -> io::Result<()> {
        let target = out.len() + want;
        while out.len() < target && !self.ended {
            if self.raw_at == self.raw.len() {
                self.raw.resize(RAW_BYTES, 0);
                let n = loop {
                    match self.inner.read(&mut self.raw) {
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        other => break other?,
                    }
                };
                self.raw.truncate(n);
                self.raw_at = 0;
            }
            self.decode_some(out);
        }
        Ok(())
    }

    fn decode_some(&mut self, out: &mut Vec<u8>) {
        let last = self.raw.is_empty();
        let decoder = self.decoder.as_mut().expect("only called with a decoder");
        loop {
            let at = out.len();
            // UTF-8 of any encoding's text is at most three times as long.
            out.resize(at + 3 * (self.raw.len() - self.raw_at) + 16, 0);
            let (result, read, written) =
                decoder.decode_to_utf8_without_replacement(&self.raw[self.raw_at..], &mut out[at..], last);
            self.raw_at += read;
            out.truncate(at + written);
            match result {
                DecoderResult::InputEmpty => {
                    self.ended = last;
                    return;
                }
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(..) => {
                    if self.damage.replaced == 0 {
                        self.damage.first_at = self.made;
                    }
                    self.damage.replaced += 1;
                    out.extend_from_slice("\u{fffd}".as_bytes());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], step: usize) -> (String, Damage, Option<&'static Encoding>) {
        let decided = decide(bytes, true).unwrap();
        read_as(bytes, decided, step)
    }

    fn read_as(bytes: &[u8], decided: Decided, step: usize) -> (String, Damage, Option<&'static Encoding>) {
        let mut reader = TextReader::new(Box::new(io::Cursor::new(bytes.to_vec())), decided);
        let mut out = Vec::new();
        while reader.fill(&mut out, step).unwrap() {}
        (String::from_utf8(out).unwrap(), reader.damage(), reader.better_guess())
    }

    const UTF8: Decided = Decided { encoding: UTF_8, mark: 0, guessed: false };

    #[test]
    fn every_mark_is_understood_and_removed() {
        for step in 1..9 {
            assert_eq!(read("\u{feff}a,é\n".as_bytes(), step).0, "a,é\n");
        }
        let utf16: Vec<u8> =
            [0xff, 0xfe].into_iter().chain("a,é😀\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        assert_eq!(read(&utf16, 5).0, "a,é😀\n");
        let bare: Vec<u8> = "column,other\n1,2\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(read(&bare, 5).0, "column,other\n1,2\n");
    }

    #[test]
    fn characters_cut_by_a_block_stay_whole() {
        let text = "é😀中".repeat(50);
        for step in 1..20 {
            let (read, damage, _) = read_as(text.as_bytes(), UTF8, step);
            assert_eq!(read, text);
            assert_eq!(damage.replaced, 0);
        }
    }

    #[test]
    fn late_latin_bytes_are_replaced_and_explained() {
        let bytes = [b"name\n".repeat(20), b"caf\xe9\ncr\xe8me br\xfbl\xe9e\n".to_vec()].concat();
        for step in [1, 7, 1000] {
            let (_, damage, guess) = read_as(&bytes, UTF8, step);
            assert_eq!(damage.replaced, 4);
            assert_eq!(damage.first_at, 103);
            assert_eq!(guess.map(Encoding::name), Some("windows-1252"));
        }
    }

    #[test]
    fn damaged_utf8_stays_utf8() {
        let bytes = ["é".repeat(40).as_bytes(), b"\xff", "ü\n".as_bytes()].concat();
        let decided = decide(&bytes, true).unwrap();
        assert_eq!((decided.encoding, decided.guessed), (UTF_8, true));
        let (text, damage, guess) = read_as(&bytes, decided, 13);
        assert!(text.contains('\u{fffd}'));
        assert_eq!((damage.replaced, guess), (1, None));
    }
}
