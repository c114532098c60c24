//! What the name of a column says about personal data, by whole words.

use domain::semantic::PiiTag;

use crate::words::{any, ends_with, words};

/// Phrases that end a name and say what it holds. Longer phrases of one kind need not stand before shorter ones.
const PHRASES: &[(PiiTag, &[&[&str]])] = &[
    (PiiTag::Email, &[&["email"], &["emails"], &["mail"], &["e", "mail"], &["email", "address"], &["mail", "address"]]),
    (PiiTag::Ssn, &[&["ssn"], &["social", "security"], &["social", "security", "number"]]),
    (
        PiiTag::Phone,
        &[
            &["phone"],
            &["phones"],
            &["mobile"],
            &["telephone"],
            &["tel"],
            &["cellphone"],
            &["cell"],
            &["fax"],
            &["telefon"],
        ],
    ),
    (
        PiiTag::CreditCard,
        &[&["credit", "card"], &["creditcard"], &["card", "number"], &["card", "no"], &["cc", "number"]],
    ),
    (PiiTag::Iban, &[&["iban"]]),
    (PiiTag::IpAddress, &[&["ip"], &["ip", "address"], &["ip", "addr"], &["ipaddress"], &["ipaddr"], &["ipv"]]),
    (
        PiiTag::Dob,
        &[
            &["dob"],
            &["birthdate"],
            &["birthday"],
            &["birth", "date"],
            &["birth", "day"],
            &["date", "of", "birth"],
            &["born"],
            &["born", "on"],
            &["geburtsdatum"],
        ],
    ),
    (
        PiiTag::Name,
        &[&["firstname"], &["lastname"], &["fullname"], &["surname"], &["forename"], &["vorname"], &["nachname"]],
    ),
];

/// Words before `name` that make it the name of a person.
const OF_A_PERSON: &[&str] = &[
    "first",
    "last",
    "full",
    "given",
    "family",
    "middle",
    "maiden",
    "person",
    "customer",
    "client",
    "employee",
    "contact",
    "patient",
    "student",
    "teacher",
    "holder",
    "owner",
    "guest",
    "passenger",
    "member",
    "recipient",
    "sender",
    "buyer",
    "applicant",
    "candidate",
    "father",
    "mother",
    "spouse",
];

/// The tag a name asks for.
pub(super) fn of_name(name: &str) -> Option<PiiTag> {
    let mut words = words(name);
    // `phone_2`, `email_no`, `mobile_number`: what stands behind only counts or repeats.
    while words.len() > 1 && words.last().is_some_and(|w| w.parse::<u32>().is_ok()) {
        words.pop();
    }
    if let Some(tag) = phrase(&words) {
        return Some(tag);
    }
    if any(&words[words.len().saturating_sub(1)..], &["number", "no", "nr", "num"]) {
        words.pop();
        return phrase(&words);
    }
    let before = words.len().checked_sub(2).map(|i| words[i].as_str());
    (ends_with(&words, &["name"]) && before.is_some_and(|w| OF_A_PERSON.contains(&w))).then_some(PiiTag::Name)
}

fn phrase(words: &[String]) -> Option<PiiTag> {
    PHRASES.iter().find(|(_, phrases)| phrases.iter().any(|p| ends_with(words, p))).map(|(tag, _)| tag.clone())
}

/// Whether the name speaks of versions or of other dotted numbers.
pub(super) fn is_version(name: &str) -> bool {
    any(&words(name), &["version", "versions", "ver", "release", "build", "firmware", "oid", "section", "chapter"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_speak_by_word_not_by_substring() {
        for (name, tag) in [
            ("customerEmail", Some(PiiTag::Email)),
            ("e-mail", Some(PiiTag::Email)),
            ("client_ip", Some(PiiTag::IpAddress)),
            ("ipv4", Some(PiiTag::IpAddress)),
            ("phone_number", Some(PiiTag::Phone)),
            ("Mobile 2", Some(PiiTag::Phone)),
            ("date_of_birth", Some(PiiTag::Dob)),
            ("Last Name", Some(PiiTag::Name)),
            ("zip", None),
            ("ship_via", None),
            ("description", None),
            ("mailing_list", None),
            ("phonetic", None),
            ("name", None),
            ("product_name", None),
            ("mobile_app", None),
            ("number", None),
            ("", None),
        ] {
            assert_eq!(of_name(name), tag, "{name}");
        }
    }
}
