//! Personal data: verdicts on columns, near misses, check digits.

use annotate::RegexScanner;
use domain::SqlType;
use domain::ports::pii_scanner::PiiScanner;
use domain::semantic::PiiTag;
use proptest::prelude::*;

use crate::shop;

fn verdict(name: &str, sql_type: &SqlType, values: &[&str]) -> PiiTag {
    let values: Vec<String> = values.iter().map(|v| (*v).to_owned()).collect();
    RegexScanner::new().column(name, sql_type, &values)
}

#[test]
fn columns_of_the_samples_have_the_right_tags_and_no_other() {
    for shop in shop::all() {
        for (at, column) in shop.columns.iter().enumerate() {
            let expected = match (shop.name, column.name.as_str()) {
                ("customers", "full_name") => PiiTag::Name,
                ("customers", "email") => PiiTag::Email,
                ("customers", "phone") => PiiTag::Phone,
                ("customers", "birth_date") => PiiTag::Dob,
                _ => PiiTag::None,
            };
            let tag = RegexScanner::new().column(&column.name, &column.sql_type, &shop.sample(at));
            assert_eq!(tag, expected, "{}.{}", shop.name, column.name);
        }
    }
}

#[test]
fn values_decide_whatever_the_name() {
    let text = SqlType::Varchar;
    assert_eq!(verdict("x", &text, &["a@example.com", "b@example.org", "n/a"]), PiiTag::Email);
    assert_eq!(verdict("x", &text, &["219-09-9999", "078-05-1120"]), PiiTag::Ssn);
    assert_eq!(verdict("x", &text, &["4111111111111111", "5555 5555 5555 4444"]), PiiTag::CreditCard);
    assert_eq!(verdict("x", &SqlType::BigInt, &["4111111111111111", "5555555555554444"]), PiiTag::CreditCard);
    assert_eq!(verdict("x", &text, &["DE89370400440532013000"]), PiiTag::Iban);
    assert_eq!(verdict("x", &text, &["(202) 555-0123", "+1 202 555 0199"]), PiiTag::Phone);
    assert_eq!(verdict("x", &text, &["192.0.2.1", "2001:db8::1"]), PiiTag::IpAddress);
    assert_eq!(verdict("note", &text, &["call", "later", "a@example.com"]), PiiTag::None, "one in three is no column");
}

#[test]
fn names_decide_only_where_type_and_values_bear_them_out() {
    let text = SqlType::Varchar;
    assert_eq!(verdict("date_of_birth", &SqlType::Date, &["1990-01-02"]), PiiTag::Dob);
    assert_eq!(verdict("dob", &text, &["02/01/1990", "3 Mar 1971"]), PiiTag::Dob);
    assert_eq!(verdict("dob", &SqlType::Boolean, &["true"]), PiiTag::None);
    assert_eq!(verdict("last_name", &text, &["O'Neill", "de la Cruz", "Müller-Lüdenscheidt"]), PiiTag::Name);
    assert_eq!(verdict("last_name", &text, &["x17", "y18"]), PiiTag::None);
    assert_eq!(verdict("phone", &SqlType::BigInt, &["2025550123"]), PiiTag::Phone);
    assert_eq!(verdict("phone", &text, &["555-0123", "555 0199"]), PiiTag::Phone);
    assert_eq!(verdict("ssn", &text, &["219099999"]), PiiTag::Ssn);
    assert_eq!(verdict("email", &text, &[]), PiiTag::Email, "nothing sampled: the name is all there is");
    assert_eq!(verdict("email", &text, &["yes", "no"]), PiiTag::None);
    assert_eq!(verdict("email", &SqlType::Boolean, &[]), PiiTag::None);
    assert_eq!(verdict("created_on", &SqlType::Date, &["1990-01-02"]), PiiTag::None);
}

#[test]
fn near_misses_are_no_personal_data() {
    let text = SqlType::Varchar;
    for (name, values) in [
        ("zip", ["02139", "10115"]),
        ("ship", ["Queen", "King"]),
        ("description", ["a pan", "a knife"]),
        ("card", ["4111111111111112", "1234567812345678"]),
        ("account", ["DE89370400440532013001", "GB29NWBK60161331926818"]),
        ("app_version", ["1.2.3.4", "10.0.0.1"]),
        ("measured_at", ["2024-01-02T03:04:05", "12:30:45"]),
        ("isbn", ["978-3-16-148410-0", "978-0-306-40615-7"]),
        ("tax", ["000-12-3456", "900-12-3456"]),
        ("handle", ["@ada", "@bram"]),
        ("file", ["logo@2x.png", "icon@3x.png"]),
        ("name", ["Kite", "Whisk"]),
        ("order_number", ["2023-0001-0001", "2023-0001-0002"]),
        ("mac", ["00:1b:44:11:3a:b7", "00:1b:44:11:3a:b8"]),
        ("uuid", ["550e8400-e29b-41d4-a716-446655440000", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"]),
    ] {
        assert_eq!(verdict(name, &text, &values), PiiTag::None, "{name}");
    }
    assert_eq!(verdict("epoch", &SqlType::BigInt, &["1700000000000000", "1700000000000001"]), PiiTag::None);
}

/// The digit that makes a number pass Luhn.
fn luhn_digit(body: &str) -> u32 {
    let sum: u32 = body
        .bytes()
        .rev()
        .enumerate()
        .map(|(i, b)| {
            let doubled = u32::from(b - b'0') * if i % 2 == 0 { 2 } else { 1 };
            doubled / 10 + doubled % 10
        })
        .sum();
    (10 - sum % 10) % 10
}

/// The two check digits of a German IBAN.
fn iban_digits(account: &str) -> u32 {
    let number = format!("{account}131400");
    98 - number.bytes().fold(0, |rest, b| (rest * 10 + u32::from(b - b'0')) % 97)
}

proptest! {
    #[test]
    fn every_card_with_its_check_digit_is_found_and_none_with_another(body in "4[0-9]{14}", wrong in 1u32..10) {
        let scanner = RegexScanner::new();
        let right = luhn_digit(&body);
        prop_assert_eq!(scanner.value(&format!("{body}{right}")), Some(PiiTag::CreditCard));
        prop_assert_eq!(scanner.value(&format!("{body}{}", (right + wrong) % 10)), None);
    }

    #[test]
    fn every_iban_with_its_check_digits_is_found_and_none_with_others(account in "[0-9]{18}", wrong in 1u32..96) {
        let scanner = RegexScanner::new();
        let right = iban_digits(&account);
        prop_assert_eq!(scanner.value(&format!("DE{right:02}{account}")), Some(PiiTag::Iban));
        let other = (right - 2 + wrong) % 97 + 2;
        prop_assert_ne!(scanner.value(&format!("DE{other:02}{account}")), Some(PiiTag::Iban));
    }

    #[test]
    fn no_text_makes_the_scanner_panic(text in ".{0,200}") {
        let _ = RegexScanner::new().value(&text);
    }
}
