//! A zip archive's one file. Its directory at the end says what it holds; sizes are believed only as far as they prove right.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use domain::{ErrorCode, Failure};
use flate2::Crc;
use flate2::bufread::DeflateDecoder;

use super::members::read_what_can_be;
use super::{Caps, Counted, Meter, Spool};
use crate::fault::failure_of;

/// Entries that an archive of one file may have beside it: folders, and what macOS adds.
const MOST_ENTRIES: u64 = 1_000;
/// Bytes of a directory of that many entries.
const MOST_DIRECTORY: u64 = 4 << 20;
/// Bytes at the end in which the directory's end stands.
const TAIL: u64 = 22 + 65_535;

const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// What the directory says about a file.
#[derive(Clone, Debug)]
struct Entry {
    name: Vec<u8>,
    encrypted: bool,
    method: u16,
    crc: u32,
    packed: u64,
    size: u64,
    /// Where its header stands.
    at: u64,
}

/// Where the directory stands.
struct Directory {
    start: u64,
    size: u64,
    entries: u64,
    /// Bytes before the archive, as self-extracting ones have.
    shift: u64,
}

fn broken(why: &str) -> Failure {
    Failure::new(ErrorCode::ParseError, format!("The zip archive is broken: {why}."))
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let mut wide = [0; 8];
    wide.get_mut(..N)?.copy_from_slice(bytes.get(at..at + N)?);
    Some(u64::from_le_bytes(wide))
}

/// The content of the archive's one file, and the count of its packed bytes read so far.
pub fn open(spool: &Arc<Spool>, caps: Caps) -> Result<(Unzip, Arc<AtomicU64>), Failure> {
    let mut file = spool.open()?;
    let directory = find(&mut file, spool.len())?;
    let entry = the_file(&mut file, &directory)?;
    if entry.encrypted {
        let detail = "The file in the zip archive is encrypted; pack it without a password.";
        return Err(Failure::new(ErrorCode::UnsupportedFormat, detail));
    }
    if entry.method != STORED && entry.method != DEFLATED {
        let detail = format!(
            "The file in the zip archive is packed by method {}; stored and deflated ones are read.",
            entry.method
        );
        return Err(Failure::new(ErrorCode::UnsupportedFormat, detail));
    }
    if entry.size > caps.bytes {
        let detail = format!("The zip archive's file says that it inflates to more than {} bytes.", caps.bytes);
        return Err(Failure::new(ErrorCode::ZipBomb, detail));
    }
    let header = read_at(&mut file, directory.shift.saturating_add(entry.at), 30)?;
    let lens = number::<2>(&header, 26).zip(number::<2>(&header, 28)).filter(|_| header.starts_with(b"PK\x03\x04"));
    let (name, extra) = lens.ok_or_else(|| broken("no file stands where its directory says"))?;
    let start = directory.shift.saturating_add(entry.at).saturating_add(30 + name + extra);
    if start.saturating_add(entry.packed) > directory.start {
        return Err(broken("its file reaches into its directory"));
    }
    file.seek(SeekFrom::Start(start)).map_err(world)?;
    let count = Arc::new(AtomicU64::new(0));
    let raw = Counted { inner: Box::new(file.take(entry.packed)), count: Arc::clone(&count) };
    let raw = BufReader::with_capacity(64 << 10, raw);
    let content =
        if entry.method == STORED { Content::Stored(raw) } else { Content::Deflated(DeflateDecoder::new(raw)) };
    let meter = Meter { what: "zip archive's file", caps, packed: Arc::clone(&count), inflated: 0 };
    let unzip = Unzip { content, meter, crc: Crc::new(), entry, _spool: Arc::clone(spool) };
    Ok((unzip, count))
}

fn world(error: io::Error) -> Failure {
    failure_of(error, "Reading a temporary file")
}

/// Up to `len` bytes from a place on.
fn read_at(file: &mut File, at: u64, len: u64) -> Result<Vec<u8>, Failure> {
    file.seek(SeekFrom::Start(at)).map_err(world)?;
    let mut bytes = Vec::new();
    file.take(len).read_to_end(&mut bytes).map_err(world)?;
    Ok(bytes)
}

fn find(file: &mut File, len: u64) -> Result<Directory, Failure> {
    let tail_at = len.saturating_sub(TAIL);
    let tail = read_at(file, tail_at, TAIL)?;
    let fits = |at: &usize| {
        let comment = number::<2>(&tail, at + 20);
        tail[*at..].starts_with(b"PK\x05\x06") && comment.is_some_and(|n| at + 22 + n as usize <= tail.len())
    };
    let end = (0..tail.len().saturating_sub(21)).rev().find(fits);
    let end = end.ok_or_else(|| broken("it has no directory at its end, so it was cut or is no archive"))?;
    let record = &tail[end..];
    let mut found = (number::<2>(record, 10), number::<4>(record, 12), number::<4>(record, 16));
    let mut end_at = tail_at + end as u64;
    if found.0 == Some(0xffff) || found.1 == Some(0xffff_ffff) || found.2 == Some(0xffff_ffff) {
        let locator = end.checked_sub(20).map(|at| &tail[at..end]).filter(|l| l.starts_with(b"PK\x06\x07"));
        if let Some(at) = locator.and_then(|l| number::<8>(l, 8)) {
            let record = read_at(file, at.min(len), 56)?;
            if record.starts_with(b"PK\x06\x06") {
                found = (number::<8>(&record, 32), number::<8>(&record, 40), number::<8>(&record, 48));
                end_at = at;
            }
        }
    }
    let (Some(entries), Some(size), Some(offset)) = found else {
        return Err(broken("its directory is cut"));
    };
    let start = end_at.checked_sub(size).ok_or_else(|| broken("its directory is longer than the archive"))?;
    let shift = start.checked_sub(offset).ok_or_else(|| broken("its directory does not stand where it says"))?;
    Ok(Directory { start, size, entries, shift })
}

/// The one file among the entries.
fn the_file(file: &mut File, directory: &Directory) -> Result<Entry, Failure> {
    let several = |n: &str| {
        let detail = format!("The zip archive holds {n} files; exactly one is read.");
        Failure::new(ErrorCode::ZipMultiEntry, detail)
    };
    if directory.entries > MOST_ENTRIES || directory.size > MOST_DIRECTORY {
        return Err(several(&format!("about {}", directory.entries)));
    }
    let bytes = read_at(file, directory.start, directory.size)?;
    let mut files = Vec::new();
    let mut at = 0;
    for n in 0..directory.entries {
        let (entry, len) = bytes
            .get(at..)
            .and_then(entry)
            .ok_or_else(|| broken(&format!("entry {} of its directory cannot be read", n + 1)))?;
        at += len;
        if !is_extra(&entry.name) {
            files.push(entry);
        }
    }
    let n = files.len();
    files.pop().filter(|_| n == 1).ok_or_else(|| several(if n == 0 { "no".to_owned() } else { n.to_string() }.as_str()))
}

/// Folders, and the forks and marks that macOS puts beside files.
fn is_extra(name: &[u8]) -> bool {
    let base = name.rsplit(|b| *b == b'/').next().unwrap_or(name);
    name.ends_with(b"/") || name.starts_with(b"__MACOSX/") || base == b".DS_Store"
}

/// An entry of the directory and its length.
fn entry(bytes: &[u8]) -> Option<(Entry, usize)> {
    if !bytes.starts_with(b"PK\x01\x02") {
        return None;
    }
    let flags = number::<2>(bytes, 8)?;
    let [name, extra, comment] = [28, 30, 32].map(|at| number::<2>(bytes, at).map(|n| n as usize));
    let (name_end, extra_end) = (46 + name?, 46 + name? + extra?);
    let mut wide = bytes.get(name_end..extra_end).map(zip64)?;
    let mut sized = |at: usize| {
        let narrow = number::<4>(bytes, at)?;
        if narrow == 0xffff_ffff { wide.next() } else { Some(narrow) }
    };
    let (size, packed, at) = (sized(24)?, sized(20)?, sized(42)?);
    let entry = Entry {
        name: bytes.get(46..name_end)?.to_vec(),
        encrypted: flags & 0x2041 != 0,
        method: u16::try_from(number::<2>(bytes, 10)?).ok()?,
        crc: u32::try_from(number::<4>(bytes, 16)?).ok()?,
        packed,
        size,
        at,
    };
    Some((entry, extra_end + comment?))
}

/// The numbers of an entry's extra field of kind 1, which stand for those that do not fit 32 bits.
fn zip64(mut extra: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let mut found: &[u8] = &[];
    while let Some((kind, len)) = number::<2>(extra, 0).zip(number::<2>(extra, 2)) {
        let end = (4 + len as usize).min(extra.len());
        if kind == 1 {
            found = &extra[4..end];
        }
        extra = &extra[end..];
    }
    found.chunks_exact(8).filter_map(|chunk| number::<8>(chunk, 0))
}

enum Content {
    Stored(BufReader<Counted>),
    Deflated(DeflateDecoder<BufReader<Counted>>),
}

/// Reads the content of an archive's file.
pub struct Unzip {
    content: Content,
    meter: Meter,
    crc: Crc,
    entry: Entry,
    /// Keeps the temporary file.
    _spool: Arc<Spool>,
}

impl Read for Unzip {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        let read = match &mut self.content {
            Content::Stored(raw) => raw.read(buf),
            Content::Deflated(decoder) => decoder.read(buf),
        };
        match read {
            Ok(0) if self.meter.inflated != self.entry.size => {
                Err(self.meter.broken("its directory says another size"))
            }
            Ok(0) if self.crc.sum() != self.entry.crc => Err(self.meter.broken("its checksum is another")),
            Ok(0) => Ok(0),
            Ok(n) => {
                self.crc.update(&buf[..n]);
                self.meter.add(n)?;
                Ok(n)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => Err(self.meter.explain(error)),
        }
    }
}

/// Name and first bytes (at most `most`) of the first file of an archive, as far as its head tells them.
pub fn first_entry(head: &[u8], most: usize) -> Option<(String, Vec<u8>)> {
    let mut at = 0;
    loop {
        let rest = head.get(at..).filter(|rest| rest.starts_with(b"PK\x03\x04"))?;
        let start = 30 + number::<2>(rest, 26)? as usize;
        let name = rest.get(30..start)?;
        let content = rest.get(start + number::<2>(rest, 28)? as usize..)?;
        let packed = number::<4>(rest, 18)? as usize;
        if is_extra(name) {
            at += rest.len() - content.len() + packed;
            continue;
        }
        let encrypted = number::<2>(rest, 6)? & 1 != 0;
        let inner = match number::<2>(rest, 8)? {
            0 if !encrypted => content[..packed.min(content.len()).min(most)].to_vec(),
            8 if !encrypted => read_what_can_be(DeflateDecoder::new(content), most),
            _ => Vec::new(),
        };
        return Some((String::from_utf8_lossy(name).into_owned(), inner));
    }
}
