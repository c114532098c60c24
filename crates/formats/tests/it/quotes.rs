//! Quotes where none should stand: no row is swallowed, no character lost, and the rows are named.

use domain::WarningCode;

use crate::desk::{Table, csv};

/// The stray-quote warning's count and places.
fn strays(table: &Table) -> Option<(u64, String)> {
    let warning = table.warning(WarningCode::StrayQuotes)?;
    let places = warning.message.split(['(', ')']).nth(1).unwrap_or_default().to_owned();
    Some((warning.rows.unwrap_or_default(), places))
}

fn texts(table: &Table, column: &str) -> Vec<String> {
    table.column(column).into_iter().map(Option::unwrap_or_default).collect()
}

#[test]
fn an_opening_quote_that_a_later_row_would_close_swallows_no_row() {
    let line = |id: u32| match id {
        10 => "10,\"oops\n".to_owned(),
        20 => "20,\"ok\"\n".to_owned(),
        _ => format!("{id},plain\n"),
    };
    let text = "id,note\n".to_owned() + &(1..=30).map(line).collect::<String>();
    let table = csv(&text);
    assert_eq!(table.section.rows, 30);
    assert_eq!(table.types()[0], "BIGINT");
    assert_eq!(texts(&table, "note")[9], "\"oops");
    assert_eq!(texts(&table, "note")[19], "ok");
    assert_eq!(strays(&table), Some((1, "row 10".to_owned())));
}

#[test]
fn an_opening_quote_that_nothing_closes_swallows_no_row_that_fits() {
    let table = csv("id,note\n1,a\n2,\"oops\n3,b\n4,c\n");
    assert_eq!(texts(&table, "note"), ["a", "\"oops", "b", "c"]);
    assert_eq!(strays(&table), Some((1, "row 2".to_owned())));
    assert!(table.warning(WarningCode::UnclosedQuote).is_none());
}

#[test]
fn quotes_inside_a_quoted_field_are_kept() {
    let table = csv("who,n\n\"O\"Brien\",1\n\"say \"hi, you\" now\",2\n\"x\"y,3\n\"a\"b\"c,4\nd,5\n");
    assert_eq!(texts(&table, "who"), ["O\"Brien", "say \"hi, you\" now", "\"x\"y", "\"a\"b\"c", "d"]);
    assert_eq!(table.types()[1], "BIGINT");
    assert_eq!(strays(&table), Some((4, "rows 1, 2, 3, …".to_owned())));
}

#[test]
fn the_next_field_keeps_its_own_quotes() {
    let table = csv("a,b,c\n\"x\"y,\"z\",4\n\"p\"q,\"r,s\",5\n");
    assert_eq!(texts(&table, "a"), ["\"x\"y", "\"p\"q"]);
    assert_eq!(texts(&table, "b"), ["z", "r,s"]);
    assert_eq!(texts(&table, "c"), ["4", "5"]);
}

#[test]
fn text_over_lines_may_hold_a_stray_quote() {
    let table = csv("a,b,c\n1,\"line one\nline two said \"so\" there\",5\n2,x,6\n");
    assert_eq!(table.section.rows, 2);
    assert_eq!(texts(&table, "b")[0], "line one\nline two said \"so\" there");
    assert_eq!(texts(&table, "c"), ["5", "6"]);
    assert_eq!(strays(&table), Some((1, "row 1".to_owned())));
}

#[test]
fn backslashes_escape_where_the_file_uses_them_so() {
    let table = csv("a,b\n\"q \\\"r, s\\\" t\",1\n\"back\\\\slash\",2\n\"tab\\t\",3\n");
    assert_eq!(texts(&table, "a"), ["q \"r, s\" t", "back\\slash", "tab\\t"]);
    assert_eq!(table.types()[1], "BIGINT");
    assert_eq!(strays(&table), None);
    let paths = csv("a,b\n\"C:\\dir\\\",1\n\"D:\\\",2\n");
    assert_eq!(texts(&paths, "a"), ["C:\\dir\\", "D:\\"]);
}

#[test]
fn rows_too_short_and_too_long_are_each_named() {
    let table = csv("a,b,c\n1,2,3\n4,5\n6,7,8\n9,10,11,12\n13,14,15\n");
    let ragged: Vec<&str> = table
        .section
        .warnings
        .iter()
        .filter(|w| w.code == WarningCode::RaggedRows)
        .map(|w| w.message.as_str())
        .collect();
    assert_eq!(
        ragged,
        [
            "1 rows have fewer than 3 fields; the missing ones are null (row 2).",
            "1 rows have more than 3 fields; the values beyond are in column column3 (row 4).",
        ]
    );
    assert_eq!(texts(&table, "column3"), ["", "", "", "12", ""]);
}
