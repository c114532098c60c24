//! Numbers and dates that can be read in two ways: what the file's other columns say, then the locale, then a warning.

use domain::{Locale, WarningCode};
use flyquery_formats::ReadOptions;

use crate::desk::{Bytes, Table, csv, read_source};

fn message(table: &Table, code: WarningCode, column: &str) -> Option<String> {
    let of_column = |w: &&domain::Warning| w.code == code && w.column.as_deref() == Some(column);
    table.section.warnings.iter().find(of_column).map(|w| w.message.clone())
}

fn first(table: &Table, column: &str) -> Option<String> {
    table.cell(0, column)
}

#[test]
fn a_decimal_comma_in_one_column_makes_points_group_marks_in_another() {
    let table = csv("Name;Preis;Bestand\na;12,50;1.000\nb;7,25;2.500\n");
    assert_eq!(table.types(), ["VARCHAR", "DOUBLE", "BIGINT"]);
    assert_eq!(first(&table, "Bestand").as_deref(), Some("1000"));
    assert!(message(&table, WarningCode::AmbiguousNumbers, "Bestand").is_some());
    assert_eq!(message(&table, WarningCode::AmbiguousNumbers, "Preis"), None);
}

#[test]
fn a_decimal_point_in_one_column_outweighs_the_locale() {
    let options = ReadOptions { locale: Locale::new("de-DE"), ..ReadOptions::default() };
    let read = |text: &str| read_source(&Bytes(text.as_bytes().to_vec()), "a.csv", &options).expect("readable");
    let table = read("price,weight\n12.50,1.234\n0.75,2.5\n");
    assert_eq!(first(&table, "weight").as_deref(), Some("1.234"));
    let alone = read("weight,name\n1.234,a\n2.500,b\n");
    assert_eq!((alone.types()[0].as_str(), first(&alone, "weight").as_deref()), ("BIGINT", Some("1234")));
    assert!(message(&alone, WarningCode::AmbiguousNumbers, "weight").is_some());
}

#[test]
fn one_cell_that_turns_thousands_of_others_into_fractions_is_named() {
    let text = "n,x\n".to_owned() + &"\"1,001\",a\n".repeat(5_000) + "\"1,5\",b\n";
    let table = csv(&text);
    assert_eq!(first(&table, "n").as_deref(), Some("1.001"));
    let said = message(&table, WarningCode::AmbiguousNumbers, "n").expect("a warning");
    assert!(said.contains("row 5001") && said.contains("commas were read as decimal marks"), "{said}");
}

#[test]
fn whole_numbers_and_plain_decimals_are_not_disputed() {
    let text = "i,big,d,z\n1,18446744073709551615,0.5,-0\n1000,1,1.234,2\n";
    for locale in ["en-US", "de-DE"] {
        let options = ReadOptions { locale: Locale::new(locale), ..ReadOptions::default() };
        let table = read_source(&Bytes(text.as_bytes().to_vec()), "a.csv", &options).expect("readable");
        assert_eq!(table.types(), ["BIGINT", "UBIGINT", "DOUBLE", "DOUBLE"]);
        assert!(table.warning(WarningCode::AmbiguousNumbers).is_none(), "{locale}");
    }
}

#[test]
fn one_column_of_decimal_commas_is_one_column() {
    let table = csv("Betrag\n100,00\n1.250,50\n-3,5\n");
    assert_eq!((table.names(), table.types()), (vec!["Betrag"], vec!["DOUBLE".to_owned()]));
    assert_eq!(table.cell(1, "Betrag").as_deref(), Some("1250.5"));
    let minus = csv("Betrag\n1.234,00-\n5,00\n");
    assert_eq!((minus.names(), minus.types()), (vec!["Betrag"], vec!["VARCHAR".to_owned()]));
}

#[test]
fn days_that_do_not_exist_are_the_reason_told() {
    let table = csv("a,b\n2023-02-28,28.02.2023\n2023-02-30,29.02.2023\n0000-00-00,01.03.2023\n");
    for (column, count, rows) in [("a", 2, "rows 2, 3"), ("b", 1, "row 2")] {
        let said = message(&table, WarningCode::KeptAsText, column).expect("a warning");
        assert_eq!(
            said,
            format!(
                "Kept as text: of 3 values 3 look like dates, but {count} name a day that does not exist ({rows})."
            )
        );
    }
}
