//! What people find in text files: headers, ragged rows, encodings, marks, notations, and what is said about each.

use domain::{ErrorCode, Locale, WarningCode};
use flyquery_formats::{ReadOptions, Sink, convert, detect};

use crate::desk::{Bytes, Shelf, Table, Watch, csv, read, read_source};

#[expect(clippy::unnecessary_wraps, reason = "cells are compared as options")]
fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn csv_in(locale: &str, text: &str) -> Table {
    let options = ReadOptions { locale: Locale::new(locale), ..ReadOptions::default() };
    read_source(&Bytes(text.as_bytes().to_vec()), "a.csv", &options).expect("readable")
}

#[test]
fn ragged_rows_keep_what_they_have() {
    let table = csv("a,b,c\n1,2,3\n4\n5,6,7,\n8,9,10\n");
    assert_eq!(table.names(), ["a", "b", "c"]);
    assert_eq!(table.column("b"), [some("2"), None, some("6"), some("9")]);
    let ragged: Vec<_> = table.section.warnings.iter().filter(|w| w.code == WarningCode::RaggedRows).collect();
    assert_eq!(ragged.len(), 2, "{ragged:?}");
    assert!(ragged[0].message.contains("row 2") && ragged[1].message.contains("row 3"));
}

#[test]
fn quotes_hold_delimiters_newlines_and_quotes() {
    let table = csv("a,b\n\"x,\"\"y\"\"\r\nz\",1\n\"\",2\n,3\n\"blank\" ,4\n");
    assert_eq!(table.column("a"), [some("x,\"y\"\r\nz"), some(""), None, some("blank")]);
    assert!(table.warning(WarningCode::StrayQuotes).is_none());
}

#[test]
fn a_file_that_ends_in_a_quote_says_so() {
    let table = csv("a,b\n1,x\n2,\"open, and\nmore");
    assert_eq!(table.cell(1, "b"), some("open, and\nmore"));
    assert!(table.warning(WarningCode::UnclosedQuote).is_some());
}

#[test]
fn every_newline_ends_a_record() {
    for text in [
        "a,b\r1,2\r3,4\r",
        "a,b\r\n1,2\r\n3,4\r\n",
        "a,b\n1,2\n3,4",
        "\u{feff}a,b\n\n1,2\n\n\n3,4\n\n",
        "a,b\r\n1,2\r\n3,4",
        "a,b\n1,2\r3,4\r\n",
        "a,\"b\"\r\n\"1\",\"2\"\r\"3\",\"4\"\n",
    ] {
        let table = csv(text);
        assert_eq!(table.names(), ["a", "b"]);
        assert_eq!(table.column("b"), [some("2"), some("4")], "{text:?}");
        assert_eq!(table.types(), ["BIGINT", "BIGINT"]);
    }
}

#[test]
fn blank_lines_of_one_column_are_rows_unless_they_end_the_file() {
    let table = csv("a\nx\n\ny\n\n\n");
    assert_eq!(table.column("a"), [some("x"), None, some("y")]);
}

#[test]
fn empty_files_are_refused_and_headers_alone_are_tables() {
    assert_eq!(read(b"", "a.csv").err().expect("refused").code, ErrorCode::EmptyFile);
    for blank in [&b"\n\n"[..], b"\n\n \n", b"  \t\n"] {
        assert_eq!(read(blank, "a.csv").err().expect("refused").code, ErrorCode::EmptyFile);
    }
    let table = csv("a,b\n");
    assert_eq!((table.section.rows, table.types()), (0, vec!["VARCHAR".to_owned(); 2]));
    assert!(table.warning(WarningCode::HeaderOnly).is_some());
}

#[test]
fn marks_are_null_only_in_typed_columns() {
    let table = csv("n,t,only\n1,NA,NA\nNA,x,-\nnull,y,\n\"-\",z,NA\n");
    assert_eq!(table.types(), ["BIGINT", "VARCHAR", "VARCHAR"]);
    assert_eq!(table.column("n"), [some("1"), None, None, None]);
    assert_eq!(table.column("t")[0], some("NA"));
    assert_eq!(table.column("only")[1], some("-"));
    let warning = table.warning(WarningCode::MissingMarks).expect("a warning");
    assert_eq!((warning.rows, warning.column.as_deref()), (Some(3), Some("n")));
    assert!(warning.message.contains("rows 2, 3, 4"));
}

#[test]
fn numbers_are_read_in_the_notation_that_fits_all_of_them() {
    let table = csv("a;b;c;d\n1.234,5;1 234;1'000;1,234\n7;12;3;5\n0,1;1 000 000;12;999\n");
    assert_eq!(table.types(), ["DOUBLE", "BIGINT", "BIGINT", "BIGINT"]);
    assert_eq!(table.column("a"), [some("1234.5"), some("7.0"), some("0.1")]);
    assert_eq!(table.column("b"), [some("1234"), some("12"), some("1000000")]);
    assert!(table.warning(WarningCode::AmbiguousNumbers).is_some_and(|w| w.column.as_deref() == Some("d")));
    let german = csv_in("de-DE", "d;x\n1,234;a\n5;b\n");
    assert_eq!(german.types()[0], "DOUBLE");
    assert!(german.warning(WarningCode::AmbiguousNumbers).is_some());
    let mixed = csv("a;x\n1.234,5;a\n1,234.5;b\n");
    assert_eq!(mixed.types()[0], "VARCHAR");
    assert!(mixed.warning(WarningCode::KeptAsText).is_some());
}

#[test]
fn integers_past_64_bits_keep_every_digit() {
    let table = csv(
        "u,d,big,huge\n18446744073709551615,-18446744073709551615,9223372036854775807,123456789012345678901234567890123456789\n1,2,3,4\n",
    );
    assert_eq!(table.types(), ["UBIGINT", "DECIMAL(38,0)", "BIGINT", "VARCHAR"]);
    assert_eq!(table.cell(0, "d"), some("-18446744073709551615"));
    assert_eq!(table.cell(0, "huge"), some("123456789012345678901234567890123456789"));
}

#[test]
fn decimals_stand_where_a_double_would_print_another_number() {
    let table = csv("d,m,f\n0.1000000000000000055,12345678901234567.89,0.30000000000000004\n2.50,1,1.5\n");
    assert_eq!(table.types(), ["DECIMAL(38,19)", "DECIMAL(38,2)", "DOUBLE"]);
    assert_eq!(table.cell(0, "m"), some("12345678901234567.89"));
}

#[test]
fn ambiguous_dates_follow_the_locale_and_say_so() {
    let text = "d,s\n01/02/2023,01/02/2023 10:00\n03/04/2023,03/04/2023 11:30:15\n";
    let american = csv(text);
    assert_eq!(american.types(), ["DATE", "TIMESTAMP"]);
    assert_eq!(american.cell(0, "d"), some("2023-01-02"));
    let british = csv_in("en-GB", text);
    assert_eq!(british.cell(0, "d"), some("2023-02-01"));
    for table in [american, british] {
        let warned = table.section.warnings.iter().filter(|w| w.code == WarningCode::AmbiguousDates).count();
        assert_eq!(warned, 2);
    }
    let both = csv("d,x\n13/02/2023,a\n02/13/2023,b\n");
    assert_eq!(both.types()[0], "VARCHAR");
    assert!(both.warning(WarningCode::KeptAsText).is_some());
}

#[test]
fn instants_are_stored_in_utc_and_finer_ones_stay_text() {
    let table = csv(
        "z,fine,mixed\n2024-01-01T02:00:00+02:00,2024-01-01 00:00:00.123456789,2024-01-01\n2024-01-01 00:00:00Z,2024-01-01 00:00:00.1,2024-01-01 00:00:00\n",
    );
    assert_eq!(table.types(), ["TIMESTAMP WITH TIME ZONE", "VARCHAR", "VARCHAR"]);
    assert_eq!(table.cell(0, "z"), some("2024-01-01T00:00:00Z"));
}

#[test]
fn text_is_kept_as_written() {
    let table = csv("a,b\n  x ,+49 123\n y,007\n");
    assert_eq!(table.column("a"), [some("  x "), some(" y")]);
    assert_eq!(table.column("b"), [some("+49 123"), some("007")]);
}

#[test]
fn names_are_unique_and_their_changes_are_told() {
    let table = csv("id, name ,id,\n1,a,2,b\n");
    assert_eq!(table.names(), ["id", "name", "id_2", "column3"]);
    assert!(table.warning(WarningCode::NamesChanged).is_some());
}

#[test]
fn wrong_bytes_in_utf8_are_counted() {
    let table =
        read(&[b"a,b\n".to_vec(), "é,ü\nö,ä\n".repeat(20).into_bytes(), b"x\xff,y\n".to_vec()].concat(), "a.csv")
            .expect("readable");
    assert_eq!(table.cell(40, "a"), some("x\u{fffd}"));
    assert_eq!(table.warning(WarningCode::EncodingReplaced).and_then(|w| w.rows), Some(1));
}

#[test]
fn one_control_character_is_a_slip_in_a_text_and_many_are_no_text() {
    let table = read(b"a,b\n1,x\0y\n2,z\n", "a.csv").expect("readable");
    assert_eq!(table.column("b"), [some("x\0y"), some("z")]);
    let refused = read(b"a,b\n1,x\0\0y\n2,z\n", "a.csv").err().expect("refused");
    assert_eq!(refused.code, ErrorCode::FormatMismatch);
    assert!(refused.detail.contains("byte 7 is 0x00"), "{refused:?}");
}

#[test]
fn utf16_is_read_with_and_without_a_mark() {
    let text = "name,count\nZoë,1\nÅsa,2\n";
    let little: Vec<u8> = [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let bare: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for bytes in [little, bare] {
        let table = read(&bytes, "a.csv").expect("readable");
        assert_eq!(table.column("name"), [some("Zoë"), some("Åsa")]);
    }
}

#[test]
fn footers_are_left_out_with_a_warning_and_data_is_not() {
    let mut text = "day;a;b\n".to_owned() + &"2024-01-02;1,5;7\n".repeat(30_000);
    let rows = 30_000;
    let table = csv(&(text.clone() + "\nSource: the office;;\nunit;EUR;pieces\n"));
    assert_eq!(table.section.rows, rows);
    assert_eq!(table.types(), ["DATE", "DOUBLE", "BIGINT"]);
    assert_eq!(table.passes, [1]);
    assert_eq!(table.warning(WarningCode::LinesSkipped).and_then(|w| w.rows), Some(2));
    text.push_str("\nday;a;b\n2024-01-03;2,5;8\n");
    let table = csv(&text);
    assert_eq!(table.section.rows, rows + 2);
    assert_eq!(table.types(), ["VARCHAR", "VARCHAR", "VARCHAR"]);
}

#[test]
fn a_first_line_may_name_the_delimiter() {
    for text in
        ["sep=;\nid;v\n1;a,b\n2;c,d\n", "\"SEP=|\"\r\nid|v\r\n1|a,b\r\n2|c,d\r\n", "sep=\t\nid\tv\n1\ta,b\n2\tc,d"]
    {
        let table = csv(text);
        assert_eq!((table.names(), table.column("v")), (vec!["id", "v"], vec![Some("a,b".into()), Some("c,d".into())]));
        assert!(table.warning(WarningCode::LinesSkipped).is_some());
    }
    let bare = csv("sep=;\n1;2\n3;4\n");
    assert_eq!((bare.section.rows, bare.names()), (2, vec!["column0", "column1"]));
    assert_eq!(read(b"sep=;\n", "a.csv").err().expect("nothing else").code, ErrorCode::EmptyFile);
}

#[test]
fn minus_zero_alone_keeps_its_sign() {
    let table = csv("a,b\n-0,1\n-0,2\n");
    assert_eq!((table.types()[0].as_str(), table.cell(1, "a").as_deref()), ("DOUBLE", Some("-0.0")));
}

#[test]
fn a_cancelled_conversion_stops() {
    let text = "a,b\n".to_owned() + &"1,x\n".repeat(1_000_000);
    let detected = detect(text.as_bytes(), "a.csv", None).expect("csv");
    let watch = Watch::cancelling_after(100_000);
    let mut shelf = Shelf::default();
    let failure = convert(&Bytes(text.into_bytes()), detected, &ReadOptions::default(), &mut shelf, &watch)
        .expect_err("cancelled");
    assert_eq!(failure.code, ErrorCode::JobCancelled);
    assert!(watch.rows.load(std::sync::atomic::Ordering::Relaxed) < 500_000);
    let left = shelf.file(0, 1);
    assert!(left.len() <= 4 || !left.ends_with(b"PAR1"), "an abandoned file has no end");
}

#[test]
fn a_full_disk_is_the_worlds_fault() {
    let text = "a,b\n".to_owned() + &"1,x\n".repeat(1000);
    let detected = detect(text.as_bytes(), "a.csv", None).expect("csv");
    let mut shelf: Box<dyn Sink> = Box::new(Shelf::full());
    let failure =
        convert(&Bytes(text.into_bytes()), detected, &ReadOptions::default(), shelf.as_mut(), &Watch::default())
            .expect_err("full");
    assert_eq!(failure.code, ErrorCode::StorageFull);
}
