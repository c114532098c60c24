//! What must hold of a Parquet file before a decoder may believe it: its footer and pages claim no more memory than allowed
//! and stand inside the file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use domain::{ErrorCode, Failure, limits};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};

use crate::fault::failure_of;
use crate::readers::parquet::thrift::{Cursor, Flaw};

/// Bytes in which a page's header is looked for at first, and at most.
const HEADER_BYTES: (u64, u64) = (4 << 10, 8 << 20);

/// The file is no sound Parquet.
pub fn broken(why: &str) -> Failure {
    Failure::new(ErrorCode::ParseError, format!("The Parquet file is broken: {why}."))
}

fn too_large(what: &str, bytes: u64, most: u64) -> Failure {
    Failure::new(ErrorCode::LimitExceeded, format!("{what} needs {bytes} bytes; at most {most} are allowed."))
}

fn read_at(file: &mut File, at: u64, len: u64) -> Result<Vec<u8>, Failure> {
    let mut read = || -> io::Result<Vec<u8>> {
        file.seek(SeekFrom::Start(at))?;
        let mut bytes = Vec::new();
        file.take(len).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|e| failure_of(e, "Reading a temporary file"))
}

/// Checks the footer and returns where it begins.
pub fn footer(file: &mut File, len: u64) -> Result<u64, Failure> {
    let tail = read_at(file, len.saturating_sub(8), 8)?;
    if len < 12 || tail.len() < 8 {
        return Err(broken("it has fewer than 12 bytes"));
    }
    match &tail[4..] {
        b"PAR1" => {}
        b"PARE" => {
            let detail = "The Parquet file's footer is encrypted; write the file without encryption.";
            return Err(Failure::new(ErrorCode::UnsupportedFormat, detail));
        }
        _ => return Err(broken("it does not end with a footer, so it was cut")),
    }
    let size = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
    if size > limits::PARQUET_FOOTER_BYTES {
        return Err(too_large("The Parquet file's footer", size, limits::PARQUET_FOOTER_BYTES));
    }
    let start = (len - 8).checked_sub(size).filter(|start| *start >= 4);
    let start = start.ok_or_else(|| broken("its footer is longer than the file"))?;
    let bytes = read_at(file, start, size)?;
    Cursor::new(&bytes).fields(0, &mut |_, _| {}).map_err(|_| broken("its footer cannot be read"))?;
    Ok(start)
}

/// Walks through the headers of all pages.
pub fn pages(file: &mut File, metadata: &ParquetMetaData, end: u64) -> Result<(), Failure> {
    for (group, row_group) in metadata.row_groups().iter().enumerate() {
        if row_group.num_rows() < 0 {
            return Err(broken(&format!("row group {} has fewer than 0 rows", group + 1)));
        }
        let mut held = 0_u64;
        for (index, column) in row_group.columns().iter().enumerate() {
            let place = format!("row group {}, column {}", group + 1, index + 1);
            if row_group.num_rows() > 0 {
                held = held.saturating_add(chunk(file, column, end, &place)?);
            }
        }
        if held > limits::PARQUET_PAGES_BYTES {
            let what = format!("Row group {}, whose columns' pages are held together,", group + 1);
            return Err(too_large(&what, held, limits::PARQUET_PAGES_BYTES));
        }
    }
    Ok(())
}

/// Walks through the indexes of all pages, which whoever reads the file as it is will believe. False when one is unsound.
pub fn indexes(file: &mut File, metadata: &ParquetMetaData, end: u64) -> Result<bool, Failure> {
    for column in metadata.row_groups().iter().flat_map(RowGroupMetaData::columns) {
        let places = [
            (column.column_index_offset(), column.column_index_length()),
            (column.offset_index_offset(), column.offset_index_length()),
        ];
        for (at, len) in places.into_iter().filter_map(|(at, len)| at.zip(len)) {
            let (Ok(at), Ok(len)) = (u64::try_from(at), u64::try_from(len)) else {
                return Ok(false);
            };
            if len > limits::PARQUET_FOOTER_BYTES || at.saturating_add(len) > end {
                return Ok(false);
            }
            if Cursor::new(&read_at(file, at, len)?).fields(0, &mut |_, _| {}).is_err() {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The bytes of a column chunk's largest pages.
fn chunk(file: &mut File, column: &ColumnChunkMetaData, end: u64, place: &str) -> Result<u64, Failure> {
    let first = column.dictionary_page_offset().filter(|at| *at > 0).unwrap_or_else(|| column.data_page_offset());
    let range =
        u64::try_from(first.min(column.data_page_offset())).ok().zip(u64::try_from(column.compressed_size()).ok());
    let (start, stop) = range
        .map(|(start, len)| (start, start.saturating_add(len)))
        .filter(|(start, stop)| *start >= 4 && *stop <= end)
        .ok_or_else(|| broken(&format!("{place} does not stand inside the file")))?;
    let mut at = start;
    let (mut data, mut dictionary) = (0, 0);
    while at < stop {
        let page = header(file, at, end, place)?;
        at = at.saturating_add(page.header).saturating_add(page.packed);
        // Some writers leave the dictionary out of a column's length, so its last page may reach beyond it.
        if at > end {
            return Err(broken(&format!("a page of {place} is longer than the file")));
        }
        if page.size > limits::PARQUET_PAGE_BYTES {
            return Err(too_large(&format!("A page of {place}"), page.size, limits::PARQUET_PAGE_BYTES));
        }
        let largest = if page.is_dictionary { &mut dictionary } else { &mut data };
        *largest = page.size.max(page.packed).max(*largest);
    }
    Ok(data + dictionary)
}

struct Page {
    header: u64,
    packed: u64,
    size: u64,
    is_dictionary: bool,
}

fn header(file: &mut File, at: u64, stop: u64, place: &str) -> Result<Page, Failure> {
    let wrong = || broken(&format!("the header of a page of {place} cannot be read"));
    let mut want = HEADER_BYTES.0;
    loop {
        let bytes = read_at(file, at, want.min(stop - at))?;
        let mut fields = [0_i64; 4];
        let mut cursor = Cursor::new(&bytes);
        let walked = cursor.fields(0, &mut |id, value| {
            if let Some(field) = usize::try_from(id).ok().and_then(|id| fields.get_mut(id)) {
                *field = value;
            }
        });
        match walked {
            Ok(()) => {
                let [_, kind, size, packed] = fields;
                let (Ok(size), Ok(packed)) = (u64::try_from(size), u64::try_from(packed)) else {
                    return Err(wrong());
                };
                return Ok(Page { header: cursor.at as u64, packed, size, is_dictionary: kind == 2 });
            }
            Err(Flaw::Cut) if want < HEADER_BYTES.1 && want < stop - at => want *= 8,
            Err(_) => return Err(wrong()),
        }
    }
}
