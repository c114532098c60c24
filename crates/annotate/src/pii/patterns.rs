//! The forms of personal data in text. Each pattern proposes, a check decides, and nothing counts that is part of a longer
//! run of letters or digits.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use domain::semantic::PiiTag;
use regex::Regex;

use super::checks::{iban_len, is_card, mod97};

macro_rules! pattern {
    ($name:ident, $pattern:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($pattern).expect("the pattern is a constant"));
    };
}

pattern!(EMAIL, r"[\p{L}\p{N}._%+'-]+@(?:[\p{L}\p{N}-]+\.)+(\p{L}{2,24})");
pattern!(SSN, r"(\d{3})-(\d{2})-(\d{4})");
pattern!(CARD, r"\d{13,19}|\d{4}([ -])\d{4}[ -]\d{4}[ -]\d{4}(?:[ -]\d{3})?|\d{4}[ -]\d{6}[ -]\d{4,5}");
pattern!(IBAN, r"[A-Z]{2}\d{2} ?[A-Z0-9]");
pattern!(
    PHONE,
    concat!(
        // international: +, country code, groups
        r"\+\d{1,3}(?:[ .-]?\(0?\d{1,4}\))?(?:[ .-]?\d{1,4}){2,6}",
        // North America: (202) 555-0123, 202-555-0123, 1-202-555-0123
        r"|(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])\d{3}[ .-]\d{4}",
        // a trunk zero and separated groups: 020 7946 0958, 0171/1234567, (0171) 123 4567
        r"|\(?0\d{1,4}\)?[ /-]\d{3,4}[ -]?\d{3,6}",
    )
);
pattern!(IPV4, r"\d{1,3}(?:\.\d{1,3}){3}");
pattern!(IPV6, r"[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*");
pattern!(DAY, r"^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/. ](?:\d{1,2}|[A-Za-z]{3,9})[-/. ]\d{2,4})(?:[T ].*)?$");

/// File endings that look like the end of a domain: `logo@2x.png` is no address.
const FILE_ENDINGS: &[&str] =
    &["png", "jpg", "jpeg", "gif", "svg", "webp", "bmp", "ico", "css", "js", "json", "html", "pdf"];

/// The first kind of personal data that stands in the text.
pub(super) fn find(text: &str) -> Option<PiiTag> {
    // Nearly every cell of most columns ends here.
    let (mut digit, mut at, mut colon) = (false, false, false);
    for byte in text.bytes() {
        digit |= byte.is_ascii_digit();
        at |= byte == b'@';
        colon |= byte == b':';
    }
    if at && has_email(text) {
        return Some(PiiTag::Email);
    }
    if digit {
        if has_ssn(text) {
            return Some(PiiTag::Ssn);
        }
        if has_iban(text) {
            return Some(PiiTag::Iban);
        }
        if has_card(text) {
            return Some(PiiTag::CreditCard);
        }
        if has_phone(text) {
            return Some(PiiTag::Phone);
        }
    }
    (digit && has_ipv4(text) || colon && has_ipv6(text)).then_some(PiiTag::IpAddress)
}

/// Whether the whole text is one phone number in a form that nothing else has.
pub(crate) fn is_phone(text: &str) -> bool {
    PHONE.find(text).is_some_and(|found| found.len() == text.len()) && has_phone(text)
}

/// Whether the whole text is one IP address.
pub(crate) fn is_ip(text: &str) -> bool {
    text.parse::<Ipv4Addr>().is_ok() || text.parse::<Ipv6Addr>().is_ok()
}

/// Whether the text reads like a day.
pub(super) fn is_day(text: &str) -> bool {
    DAY.is_match(text)
}

/// Whether nothing before and behind `start..end` would make it part of something longer: no letter or digit, and none of
/// `joints` with a letter or digit beyond it.
fn stands_alone(text: &str, start: usize, end: usize, joints: &str) -> bool {
    let joined = |mut away: &mut dyn Iterator<Item = char>| match (&mut away).next() {
        None => false,
        Some(c) if c.is_alphanumeric() || c == '_' => true,
        Some(c) => joints.contains(c) && away.next().is_some_and(char::is_alphanumeric),
    };
    !joined(&mut text[..start].chars().rev()) && !joined(&mut text[end..].chars())
}

fn has_email(text: &str) -> bool {
    EMAIL.captures_iter(text).any(|found| {
        let whole = found.get(0).expect("group 0 is the match");
        let ending = found.get(1).map_or("", |m| m.as_str()).to_ascii_lowercase();
        let behind = text[whole.end()..].chars().next();
        !FILE_ENDINGS.contains(&ending.as_str()) && behind.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '@')
    })
}

fn has_ssn(text: &str) -> bool {
    SSN.captures_iter(text).any(|found| {
        let whole = found.get(0).expect("group 0 is the match");
        let (area, group, serial) = (&found[1], &found[2], &found[3]);
        let lawful = area != "000" && area != "666" && !area.starts_with('9') && group != "00" && serial != "0000";
        lawful && stands_alone(text, whole.start(), whole.end(), "-./")
    })
}

fn has_card(text: &str) -> bool {
    CARD.find_iter(text).any(|found| {
        let digits: String = found.as_str().chars().filter(char::is_ascii_digit).collect();
        is_card(&digits) && stands_alone(text, found.start(), found.end(), ".-")
    })
}

fn has_iban(text: &str) -> bool {
    IBAN.find_iter(text).any(|found| {
        let Some(wanted) = iban_len(&found.as_str()[..2]) else { return false };
        // The country says how long it is; a blank may stand between two groups.
        let mut iban = String::with_capacity(wanted);
        let mut end = found.start();
        for (i, c) in text[found.start()..].char_indices() {
            if iban.len() == wanted || !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == ' ') {
                break;
            }
            if c != ' ' {
                iban.push(c);
                end = found.start() + i + 1;
            }
        }
        iban.len() == wanted && mod97(&iban) && stands_alone(text, found.start(), end, "")
    })
}

fn has_phone(text: &str) -> bool {
    PHONE.find_iter(text).any(|found| {
        let digits = found.as_str().bytes().filter(u8::is_ascii_digit).count();
        (8..=15).contains(&digits) && stands_alone(text, found.start(), found.end(), "-./+,:")
    })
}

fn has_ipv4(text: &str) -> bool {
    IPV4.find_iter(text)
        .any(|found| found.as_str().parse::<Ipv4Addr>().is_ok() && stands_alone(text, found.start(), found.end(), ".-"))
}

fn has_ipv6(text: &str) -> bool {
    IPV6.find_iter(text).any(|found| {
        found.as_str().parse::<Ipv6Addr>().is_ok_and(|ip| !ip.is_unspecified())
            && stands_alone(text, found.start(), found.end(), ":")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_alone_and_in_a_sentence() {
        for (value, tag) in [
            ("ada@example.com", PiiTag::Email),
            ("müller@straße.example.org", PiiTag::Email),
            ("219-09-9999", PiiTag::Ssn),
            ("4111 1111 1111 1111", PiiTag::CreditCard),
            ("5555-5555-5555-4444", PiiTag::CreditCard),
            ("378282246310005", PiiTag::CreditCard),
            ("3782 822463 10005", PiiTag::CreditCard),
            ("DE89 3704 0044 0532 0130 00", PiiTag::Iban),
            ("NL91ABNA0417164300", PiiTag::Iban),
            ("+1 202-555-0123", PiiTag::Phone),
            ("(202) 555-0123", PiiTag::Phone),
            ("+44 20 7946 0958", PiiTag::Phone),
            ("+4930901820", PiiTag::Phone),
            ("020 7946 0958", PiiTag::Phone),
            ("192.0.2.17", PiiTag::IpAddress),
            ("2001:db8::8a2e:370:7334", PiiTag::IpAddress),
            ("::1", PiiTag::IpAddress),
        ] {
            assert_eq!(find(value), Some(tag.clone()), "{value}");
            assert_eq!(find(&format!("see {value}, please.")), Some(tag.clone()), "{value} in a sentence");
            assert_eq!(find(&format!("({value})")), Some(tag), "{value} in brackets");
        }
        assert_eq!(find("ends with 192.0.2.17."), Some(PiiTag::IpAddress));
        assert_eq!(find("DE89 3704 0044 0532 0130 00 PAID"), Some(PiiTag::Iban));
    }

    #[test]
    fn look_alikes_are_not_found() {
        for value in [
            "",
            "ada@example",
            "logo@2x.png",
            "@ada",
            "a@b.c",
            "pkg@1.2.3",
            "ada at example.com",
            "000-12-3456",
            "666-12-3456",
            "900-12-3456",
            "219-00-9999",
            "219-09-0000",
            "1219-09-9999",
            "219-09-99991",
            "4111 1111 1111 1112",
            "1234567812345678",
            "0.4111111111111111",
            "41111111111111111111",
            "A4111111111111111",
            "DE89 3704 0044 0532 0130 01",
            "XX89370400440532013000",
            "DE893704004405320130001",
            "2024-01-02",
            "2024-01-02T03:04:05",
            "01.02.2023",
            "01/02/2023 10:30",
            "12:30:45",
            "1234.567",
            "-12.5",
            "978-3-16-148410-0",
            "9783161484100",
            "100-200",
            "2023-0001-0001",
            "555-0123",
            "1,234,567,890",
            "+12",
            "256.1.1.1",
            "1.2.3",
            "1.2.3.4.5",
            "01.02.03.04",
            "v1.2.3.4",
            "std::string",
            "::",
            "00:1b:44:11:3a:b7",
            "10:20",
            "550e8400-e29b-41d4-a716-446655440000",
            "SKU-0042-17",
            "00412",
            "8520-01",
        ] {
            assert_eq!(find(value), None, "{value}");
        }
    }
}
