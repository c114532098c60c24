//! What a file is: magic bytes and file name both have a say, and a contradiction is refused (decision 21).

use domain::format::NameClaim;
use domain::{Compression, ErrorCode, Failure, FileFormat};

use crate::unpack::{first_entry, head_of};

/// What a file was found to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detected {
    /// Format of the content.
    pub format: FileFormat,
    /// Wrapper around it.
    pub compression: Compression,
}

/// What the first bytes say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// A format with magic bytes of its own.
    Format(FileFormat),
    /// A zip archive: a workbook or a wrapper.
    ZipArchive,
    /// A compound file: an old workbook or something else of its time.
    CompoundFile,
    /// A wrapper.
    Wrapper(Compression),
    /// Something known that holds no table, by its name.
    Foreign(&'static str),
    /// Text whose first character opens a JSON value.
    JsonText,
    /// Other text.
    Text,
    /// Bytes that no person would call text; the first one that text does not hold and where it stands (0-based).
    Binary { byte: u8, at: usize },
}

/// Bytes of a wrapper's content that are looked at.
const INNER_HEAD: usize = 64 << 10;

/// Says what a file is from its first bytes (at least 64 KiB of them, or the whole file), its name, and the format
/// that the uploader declared, which replaces what the name says.
///
/// Fails with `EMPTY_FILE`, `FORMAT_MISMATCH` (naming both sides) or `UNSUPPORTED_FORMAT`.
pub fn detect(head: &[u8], file_name: &str, declared: Option<FileFormat>) -> Result<Detected, Failure> {
    if head.is_empty() {
        return Err(Failure::new(ErrorCode::EmptyFile, "The file has 0 bytes."));
    }
    let claim = NameClaim::of(file_name);
    let format = declared.or(claim.format);
    let content = look(head, format);
    let source = if declared.is_some() { "it was declared as" } else { "its name says" };
    match content {
        Content::Wrapper(found) => wrapped(head, found, &claim, format, source),
        Content::ZipArchive if claim.compression == Some(Compression::Zip) => {
            Ok(Detected { format: zipped(head, format, source, file_name)?, compression: Compression::Zip })
        }
        _ => {
            if let Some(compression) = claim.compression {
                return Err(mismatch(&format!("its name says {compression}"), &describe(content)));
            }
            let format = settle(content, format, source, file_name)?;
            Ok(Detected { format, compression: Compression::None })
        }
    }
}

fn wrapped(
    head: &[u8],
    found: Compression,
    claim: &NameClaim,
    format: Option<FileFormat>,
    source: &str,
) -> Result<Detected, Failure> {
    if claim.compression != Some(found) {
        let said = match (claim.compression, format) {
            (Some(compression), _) => format!("its name says {compression}"),
            (None, Some(format)) => format!("{source} {format} without a wrapper"),
            (None, None) => return Ok(Detected { format: unwrapped(head, found, None, source)?, compression: found }),
        };
        return Err(mismatch(&said, &describe(Content::Wrapper(found))));
    }
    Ok(Detected { format: unwrapped(head, found, format, source)?, compression: found })
}

/// The format inside a wrapper, as far as its head can be unwrapped here.
fn unwrapped(head: &[u8], found: Compression, format: Option<FileFormat>, source: &str) -> Result<FileFormat, Failure> {
    // The head may end inside the stream, so an error here only ends what is looked at; reading will name it.
    inside(&head_of(head, found, INNER_HEAD), found, format, source, &format!("a {found} wrapper"))
}

/// The format of the file in a zip archive, which its own name may tell.
fn zipped(head: &[u8], format: Option<FileFormat>, source: &str, name: &str) -> Result<FileFormat, Failure> {
    let Some((entry, inner)) = first_entry(head, INNER_HEAD) else {
        return format.ok_or_else(|| unknown(name));
    };
    let (format, source) = match format {
        Some(format) => (Some(format), source),
        None => (NameClaim::of(&entry).format, "the name of the file in it says"),
    };
    inside(&inner, Compression::Zip, format, source, name)
}

/// The format of a wrapper's content, whose first bytes these are, unless they could not be told.
fn inside(
    inner: &[u8],
    wrapper: Compression,
    format: Option<FileFormat>,
    source: &str,
    name: &str,
) -> Result<FileFormat, Failure> {
    if inner.is_empty() {
        return format.ok_or_else(|| unknown(name));
    }
    match look(inner, format) {
        Content::Wrapper(nested) => Err(Failure::new(
            ErrorCode::UnsupportedFormat,
            format!("The {wrapper} wrapper holds another wrapper ({nested}); nested wrappers are not unpacked."),
        )),
        content => settle(content, format, source, name),
    }
}

/// Brings content and claim together.
fn settle(content: Content, claimed: Option<FileFormat>, source: &str, name: &str) -> Result<FileFormat, Failure> {
    let Some(claimed) = claimed else {
        return match content {
            Content::Format(format) => Ok(format),
            Content::ZipArchive => Ok(FileFormat::Xlsx),
            Content::CompoundFile => Ok(FileFormat::Xls),
            Content::JsonText => Ok(FileFormat::Json),
            Content::Wrapper(_) | Content::Foreign(_) | Content::Text | Content::Binary { .. } => Err(unknown(name)),
        };
    };
    let agrees = match content {
        Content::Format(FileFormat::Arrow) => matches!(claimed, FileFormat::Arrow | FileFormat::Feather),
        Content::Format(found) => found == claimed,
        Content::ZipArchive => matches!(claimed, FileFormat::Xlsx | FileFormat::Ods),
        Content::CompoundFile => matches!(claimed, FileFormat::Xls | FileFormat::Xlsx),
        Content::JsonText | Content::Text => claimed.is_text(),
        // An Arrow stream has no magic of its own.
        Content::Binary { .. } => claimed == FileFormat::Arrow,
        Content::Wrapper(_) | Content::Foreign(_) => false,
    };
    if agrees { Ok(claimed) } else { Err(mismatch(&format!("{source} {claimed}"), &describe(content))) }
}

/// What the bytes are; a claimed format settles what may be either.
fn look(head: &[u8], claimed: Option<FileFormat>) -> Content {
    const MAGIC: &[(&[u8], Content)] = &[
        (b"PAR1", Content::Format(FileFormat::Parquet)),
        (b"PARE", Content::Foreign("an encrypted Parquet file")),
        (b"Obj\x01", Content::Format(FileFormat::Avro)),
        (b"ORC", Content::Format(FileFormat::Orc)),
        (b"ARROW1", Content::Format(FileFormat::Arrow)),
        (b"FEA1", Content::Format(FileFormat::Feather)),
        (b"PK\x03\x04", Content::ZipArchive),
        (b"PK\x05\x06", Content::ZipArchive),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Content::CompoundFile),
        (b"\x1f\x8b", Content::Wrapper(Compression::Gz)),
        (b"BZh", Content::Wrapper(Compression::Bz2)),
        (b"\x28\xb5\x2f\xfd", Content::Foreign("a zstd stream")),
        (b"\xfd7zXZ\x00", Content::Foreign("an xz stream")),
        (b"7z\xbc\xaf\x27\x1c", Content::Foreign("a 7z archive")),
        (b"Rar!\x1a", Content::Foreign("a rar archive")),
        (b"%PDF-", Content::Foreign("a PDF document")),
        (b"\x89PNG", Content::Foreign("a PNG image")),
        (b"\xff\xd8\xff", Content::Foreign("a JPEG image")),
        (b"SQLite format 3\x00", Content::Foreign("an SQLite database")),
        (b"\x7fELF", Content::Foreign("a program")),
        (b"\x89HDF", Content::Foreign("an HDF5 file")),
    ];
    for (magic, content) in MAGIC {
        let is_text_word = magic.len() <= 4 && magic.iter().all(u8::is_ascii_graphic);
        // Words such as `ORC` may open a text file too: then what follows is text.
        let is_claimed = claimed.is_some_and(|format| *content == Content::Format(format));
        if head.starts_with(magic) && (!is_text_word || is_claimed || odd_byte(head).is_some()) {
            return *content;
        }
    }
    if let Some((byte, at)) = odd_byte(head) {
        return Content::Binary { byte, at };
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let opens = |word: &[u8]| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    match text.first() {
        Some(b'{' | b'[') => Content::JsonText,
        Some(b'<') if opens(b"<!doctype") || opens(b"<html") => Content::Foreign("an HTML page"),
        Some(b'<') if opens(b"<?xml") => Content::Foreign("an XML document"),
        _ => Content::Text,
    }
}

/// The first byte, and its place, that shows bytes to be no text in any encoding: control characters are rare in text,
/// and NULs only stand where UTF-16 has them. A single one is a slip in a text.
fn odd_byte(head: &[u8]) -> Option<(u8, usize)> {
    let head = &head[..head.len().min(INNER_HEAD)];
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") || utf16_without_bom(head).is_some() {
        return None;
    }
    let is_odd = |b: &u8| matches!(b, 0x00..=0x08 | 0x0e..=0x19 | 0x1c..=0x1f | 0x7f);
    let odd = head.iter().filter(|b| is_odd(b)).count();
    let first = head.iter().position(is_odd).map(|at| (head[at], at))?;
    (odd > 1 && odd * 50 > head.len()).then_some(first)
}

/// Whether text without a mark is UTF-16: `Some(true)` for little-endian. Mostly Latin text has a NUL in every pair.
pub(crate) fn utf16_without_bom(head: &[u8]) -> Option<bool> {
    let head = &head[..head.len().min(4096) & !1];
    if head.len() < 16 {
        return None;
    }
    let pairs = head.len() / 2;
    let (mut even, mut odd) = (0, 0);
    for pair in head.chunks_exact(2) {
        even += usize::from(pair[0] == 0);
        odd += usize::from(pair[1] == 0);
    }
    match (even * 20 <= pairs, odd * 20 <= pairs) {
        (true, false) if odd * 10 >= pairs * 6 => Some(true),
        (false, true) if even * 10 >= pairs * 6 => Some(false),
        _ => None,
    }
}

fn describe(content: Content) -> String {
    match content {
        Content::Format(format) => format!("its content is {format}"),
        Content::ZipArchive => "its content is a zip archive".to_owned(),
        Content::CompoundFile => "its content is a compound file, as old workbooks are".to_owned(),
        Content::Wrapper(compression) => format!("its content is a {compression} stream"),
        Content::Foreign(what) => format!("its content is {what}"),
        Content::JsonText => "its content is text that starts like JSON".to_owned(),
        Content::Text => "its content is text".to_owned(),
        Content::Binary { byte, at } => {
            format!("its content is binary (byte {at} is 0x{byte:02x}, which text does not hold)")
        }
    }
}

fn mismatch(said: &str, found: &str) -> Failure {
    Failure::new(ErrorCode::FormatMismatch, format!("The file contradicts itself: {said}, but {found}."))
}

fn unknown(name: &str) -> Failure {
    Failure::new(
        ErrorCode::UnsupportedFormat,
        format!(
            "Neither the name nor the content of '{name}' says what it is; \
             give it an extension such as .csv or name the format in the form field file_format."
        ),
    )
}
