//! File formats and wrappers: two closed lists, and what a file name says about them.

use crate::closed::closed_list;

closed_list! {
    /// The format of a file's content.
    pub enum FileFormat {
        /// Text, fields separated by a delimiter found in the file (RFC 4180 and its many relatives).
        Csv = "csv",
        /// Text, fields separated by tabs.
        Tsv = "tsv",
        /// Office Open XML workbook.
        Xlsx = "xlsx",
        /// BIFF workbook.
        Xls = "xls",
        /// OpenDocument spreadsheet.
        Ods = "ods",
        /// One JSON document (RFC 8259).
        Json = "json",
        /// One JSON value a line (also NDJSON).
        Jsonl = "jsonl",
        /// Apache Parquet.
        Parquet = "parquet",
        /// Apache Avro object container.
        Avro = "avro",
        /// Apache ORC.
        Orc = "orc",
        /// Arrow IPC file or stream.
        Arrow = "arrow",
        /// Feather version 1 or 2.
        Feather = "feather",
    }
}

closed_list! {
    /// The wrapper around a file's content.
    pub enum Compression {
        /// No wrapper.
        None = "none",
        /// gzip (RFC 1952), one or several members.
        Gz = "gz",
        /// A zip archive with exactly one entry.
        Zip = "zip",
        /// bzip2.
        Bz2 = "bz2",
    }
}

impl FileFormat {
    /// The format a bare extension (lower case, no dot) stands for.
    pub fn from_extension(extension: &str) -> Option<Self> {
        Some(match extension {
            "csv" => Self::Csv,
            "tsv" | "tab" => Self::Tsv,
            "xlsx" | "xlsm" => Self::Xlsx,
            "xls" => Self::Xls,
            "ods" => Self::Ods,
            "json" => Self::Json,
            "jsonl" | "ndjson" => Self::Jsonl,
            "parquet" => Self::Parquet,
            "avro" => Self::Avro,
            "orc" => Self::Orc,
            "arrow" => Self::Arrow,
            "feather" => Self::Feather,
            _ => return None,
        })
    }

    /// Whether the content is text that a person could read in an editor.
    pub const fn is_text(self) -> bool {
        match self {
            Self::Csv | Self::Tsv | Self::Json | Self::Jsonl => true,
            Self::Xlsx
            | Self::Xls
            | Self::Ods
            | Self::Parquet
            | Self::Avro
            | Self::Orc
            | Self::Arrow
            | Self::Feather => false,
        }
    }
}

impl Compression {
    /// The wrapper a bare extension (lower case, no dot) stands for.
    pub fn from_extension(extension: &str) -> Option<Self> {
        Some(match extension {
            "gz" | "gzip" => Self::Gz,
            "zip" => Self::Zip,
            "bz2" => Self::Bz2,
            _ => return None,
        })
    }
}

/// What a file name claims: `orders.CSV.gz` is CSV in gzip with the stem `orders`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameClaim {
    /// The name without the extensions that were understood.
    pub stem: String,
    /// The format, when an extension names one.
    pub format: Option<FileFormat>,
    /// The wrapper, when an extension names one.
    pub compression: Option<Compression>,
}

impl NameClaim {
    /// Reads the claim from an original file name; folders before the name are ignored.
    pub fn of(file_name: &str) -> Self {
        let base = file_name.rsplit(['/', '\\']).next().unwrap_or(file_name);
        let (rest, compression) = match split_extension(base) {
            Some((stem, ext)) => match Compression::from_extension(&ext) {
                Some(compression) => (stem, Some(compression)),
                None => (base, None),
            },
            None => (base, None),
        };
        match split_extension(rest) {
            Some((stem, ext)) => match FileFormat::from_extension(&ext) {
                Some(format) => Self { stem: stem.to_owned(), format: Some(format), compression },
                None => Self { stem: rest.to_owned(), format: None, compression },
            },
            None => Self { stem: rest.to_owned(), format: None, compression },
        }
    }
}

fn split_extension(name: &str) -> Option<(&str, String)> {
    let (stem, ext) = name.rsplit_once('.')?;
    (!stem.is_empty()).then(|| (stem, ext.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_claim_format_and_wrapper() {
        let claim = NameClaim::of("in/box\\Orders 2024.CSV.gz");
        assert_eq!(claim.stem, "Orders 2024");
        assert_eq!(claim.format, Some(FileFormat::Csv));
        assert_eq!(claim.compression, Some(Compression::Gz));
        assert_eq!(NameClaim::of("readme").format, None);
        assert_eq!(NameClaim::of(".csv").format, None);
        assert_eq!(NameClaim::of("v1.2").stem, "v1.2");
    }

    #[test]
    fn words_round_trip() {
        for format in FileFormat::ALL {
            assert_eq!(format.as_str().parse(), Ok(*format));
        }
        assert!("CSV".parse::<FileFormat>().is_err());
    }
}
