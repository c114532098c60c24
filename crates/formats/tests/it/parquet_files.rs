//! Parquet files: kept byte for byte when nothing must change, written anew otherwise, and refused where they lie.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, Decimal256Array, DictionaryArray, DurationSecondArray, FixedSizeBinaryArray, Float32Array, Int8Array,
    Int32Array, Int64Array, LargeStringArray, MapBuilder, NullArray, RecordBatch, StringArray, StringBuilder,
    TimestampMillisecondArray, TimestampNanosecondArray, UInt32Array,
};
use arrow::datatypes::{Int32Type, i256};
use domain::{ErrorCode, FailureClass, WarningCode};
use flyquery_formats::{ReadOptions, Sink, convert, detect};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::desk::{Bytes, Shelf, Watch, bzip2, gzip, read};

fn parquet(columns: Vec<(&str, ArrayRef)>, compression: Compression) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut out = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut out, batch.schema(), Some(properties)).expect("a writer");
    writer.write(&batch).expect("memory");
    writer.close().expect("memory");
    out
}

fn small(compression: Compression) -> Vec<u8> {
    let numbers: Int64Array = (0..1_000).collect();
    let texts: StringArray = (0..1_000).map(|i| (i % 7 > 0).then(|| format!("text {}", i % 50))).collect();
    parquet(vec![("n", Arc::new(numbers)), ("t", Arc::new(texts))], compression)
}

fn converted(bytes: &[u8]) -> (Vec<u8>, u64) {
    let mut shelf = Shelf::default();
    let sink: &mut dyn Sink = &mut shelf;
    let detected = detect(bytes, "a.parquet", None).expect("Parquet");
    let sections = convert(&Bytes(bytes.to_vec()), detected, &ReadOptions::default(), sink, &Watch::default());
    let rows = sections.expect("readable")[0].rows;
    (shelf.file(0, 1), rows)
}

#[test]
fn what_needs_no_change_is_kept_byte_for_byte() {
    let bytes = small(Compression::SNAPPY);
    assert_eq!(converted(&bytes), (bytes.clone(), 1_000));
    for (packed, name) in [(gzip(&bytes), "a.parquet.gz"), (bzip2(&bytes), "a.parquet.bz2")] {
        let table = read(&packed, name).expect("readable");
        assert_eq!((table.section.rows, table.cell(0, "t"), table.cell(8, "t")), (1_000, None, Some("text 8".into())));
    }
    // What this crate wrote itself stays as it is, nested columns included.
    let mut shelf = Shelf::default();
    let json = br#"[{"a": {"b": [1, 2]}, "c": "2024-01-01", "d": 1.5}, {"a": null}]"#;
    let detected = detect(json, "a.json", None).expect("JSON");
    convert(&Bytes(json.to_vec()), detected, &ReadOptions::default(), &mut shelf, &Watch::default()).expect("readable");
    let ours = shelf.file(0, 1);
    assert_eq!(converted(&ours), (ours.clone(), 2));
}

#[test]
fn other_codecs_are_written_anew() {
    let zstd = Compression::ZSTD(ZstdLevel::default());
    for codec in [Compression::UNCOMPRESSED, zstd, Compression::GZIP(GzipLevel::default()), Compression::LZ4_RAW] {
        let bytes = small(codec);
        assert_ne!(converted(&bytes).0, bytes, "{codec:?}");
        let table = read(&bytes, "a.parquet").expect("readable");
        assert_eq!(
            (table.types(), table.cell(999, "n")),
            (vec!["BIGINT".into(), "VARCHAR".into()], Some("999".into()))
        );
    }
}

#[test]
fn types_become_those_of_the_closed_list() {
    let mut map = MapBuilder::new(None, StringBuilder::new(), arrow::array::Int64Builder::new());
    map.keys().append_value("k");
    map.values().append_value(7);
    map.append(true).expect("an entry");
    map.append(false).expect("a null");
    let dictionary: DictionaryArray<Int32Type> = vec!["x", "y"].into_iter().collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("i8", Arc::new(Int8Array::from(vec![1, -1]))),
        ("u32", Arc::new(UInt32Array::from(vec![1, u32::MAX]))),
        ("f32", Arc::new(Float32Array::from(vec![0.5, -0.0]))),
        ("large", Arc::new(LargeStringArray::from(vec!["a", "b"]))),
        ("dict", Arc::new(dictionary)),
        ("fixed", Arc::new(FixedSizeBinaryArray::try_from_iter(vec![[1, 2], [3, 4]].into_iter()).expect("two bytes"))),
        ("ms", Arc::new(TimestampMillisecondArray::from(vec![0, 1]).with_timezone("+02:00"))),
        ("ns", Arc::new(TimestampNanosecondArray::from(vec![1_500, 2_000]))),
        (
            "wide",
            Arc::new(
                Decimal256Array::from(vec![i256::from(5), i256::MAX]).with_precision_and_scale(76, 2).expect("wide"),
            ),
        ),
        ("map", Arc::new(map.finish())),
        ("span", Arc::new(DurationSecondArray::from(vec![60, 61]))),
        ("nothing", Arc::new(NullArray::new(2))),
        (" spaced ", Arc::new(Int32Array::from(vec![Some(1), None]))),
    ];
    let table = read(&parquet(columns, Compression::SNAPPY), "a.parquet").expect("readable");
    let expected = [
        "BIGINT",
        "BIGINT",
        "DOUBLE",
        "VARCHAR",
        "VARCHAR",
        "BLOB",
        "TIMESTAMP WITH TIME ZONE",
        "TIMESTAMP",
        "VARCHAR",
        "JSON",
        "VARCHAR",
        "VARCHAR",
        "BIGINT",
    ];
    assert_eq!(table.types(), expected);
    assert_eq!(table.cell(0, "map").as_deref(), Some("{\"k\":7}"));
    assert_eq!(table.cell(1, "map"), None);
    assert_eq!(table.cell(1, "dict").as_deref(), Some("y"));
    assert_eq!(table.cell(0, "wide").as_deref(), Some("0.05"));
    assert_eq!(table.column("spaced"), [Some("1".into()), None]);
    assert!(table.warning(WarningCode::NamesChanged).is_some());
    let rounded = table.warning(WarningCode::TimestampRounded).expect("a warning");
    assert_eq!((rounded.rows, rounded.column.as_deref()), (Some(1), Some("ns")));
}

#[test]
fn values_that_many_rows_share_are_copied_in_pieces() {
    let long = "x".repeat(1 << 20);
    let texts: StringArray = (0..120).map(|i| (i != 7).then_some(long.as_str())).collect();
    let bytes = parquet(vec![("t", Arc::new(texts))], Compression::ZSTD(ZstdLevel::default()));
    assert!(bytes.len() < 2 << 20);
    let table = read(&bytes, "a.parquet").expect("readable");
    assert_eq!((table.section.rows, table.cell(7, "t")), (120, None));
    assert!(table.cell(119, "t").is_some_and(|cell| cell == long));
}

#[test]
fn a_file_without_rows_is_a_table_without_rows() {
    let empty = parquet(vec![("a", Arc::new(Int64Array::from(Vec::<i64>::new())))], Compression::SNAPPY);
    let table = read(&empty, "a.parquet").expect("readable");
    assert_eq!((table.section.rows, table.names()), (0, vec!["a"]));
    assert!(table.warning(WarningCode::HeaderOnly).is_some());
}

#[test]
fn cut_and_lying_files_are_refused() {
    let whole = small(Compression::SNAPPY);
    for cut in [4, 11, 12, 100, whole.len() / 2, whole.len() - 9, whole.len() - 1] {
        let failure = read(&whole[..cut], "a.parquet").err().expect("a refusal");
        assert_eq!(failure.code, ErrorCode::ParseError, "{cut}: {failure}");
    }
    // A footer that claims to be as long as memory allows.
    let mut long = whole.clone();
    let at = long.len() - 8;
    long[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(read(&long, "a.parquet").err().expect("a refusal").code, ErrorCode::LimitExceeded);
    long[at..at + 4].copy_from_slice(&(30_u32 << 20).to_le_bytes());
    assert_eq!(read(&long, "a.parquet").err().expect("a refusal").code, ErrorCode::ParseError);
    let mut encrypted = whole;
    let at = encrypted.len() - 4;
    encrypted[at..].copy_from_slice(b"PARE");
    assert_eq!(read(&encrypted, "a.parquet").err().expect("a refusal").code, ErrorCode::UnsupportedFormat);
}

#[test]
fn a_wrong_byte_anywhere_never_ends_the_process() {
    let whole = small(Compression::SNAPPY);
    let step = 7;
    for at in (4..whole.len()).step_by(step) {
        for bits in [0xff, 0x80, 0x01] {
            let mut flipped = whole.clone();
            flipped[at] ^= bits;
            if let Err(failure) = read(&flipped, "a.parquet") {
                assert_eq!(failure.class(), FailureClass::Rejected, "{at}: {failure}");
            }
        }
    }
}
