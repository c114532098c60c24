//! Check digits: Luhn for cards, mod 97 for IBANs, the lengths their issuers use.

/// Lengths of IBANs by country, from the SWIFT registry.
const IBAN_LENGTHS: &str = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 \
DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 \
KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 \
PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30";

/// Whether the digits of `text` pass the Luhn check; other characters don't count.
pub(crate) fn luhn(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(10)).collect();
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(i, &digit)| match (i % 2, digit * 2) {
            (0, _) => digit,
            (_, doubled) if doubled > 9 => doubled - 9,
            (_, doubled) => doubled,
        })
        .sum();
    digits.len() > 1 && digits.iter().any(|digit| *digit > 0) && sum.is_multiple_of(10)
}

/// Whether letters and digits (no blanks) pass ISO 7064 mod 97-10 the way an IBAN wants: the first four moved to the end.
pub(crate) fn mod97(iban: &str) -> bool {
    if iban.len() < 5 || !iban.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return false;
    }
    let (head, tail) = iban.split_at(4);
    let rest = tail
        .chars()
        .chain(head.chars())
        .filter_map(|c| c.to_digit(36))
        .fold(0, |rest, value| if value < 10 { (rest * 10 + value) % 97 } else { (rest * 100 + value) % 97 });
    rest == 1
}

/// The length of an IBAN of that country (two capital letters).
pub(crate) fn iban_len(country: &str) -> Option<usize> {
    IBAN_LENGTHS.split(' ').find_map(|entry| entry.strip_prefix(country)?.parse().ok())
}

/// Whether the whole text is an IBAN; blanks between its groups don't count.
pub(super) fn is_iban(text: &str) -> bool {
    let iban: String = text.chars().filter(|c| *c != ' ').collect();
    iban.get(..2).and_then(iban_len) == Some(iban.len()) && mod97(&iban)
}

/// Whether the digits are a card number: an issuer's prefix with its length, and the Luhn check.
pub(super) fn is_card(digits: &str) -> bool {
    let prefix = |n: usize| digits.get(..n).and_then(|p| p.parse::<u32>().ok()).unwrap_or(0);
    let (one, two, three, four) = (prefix(1), prefix(2), prefix(3), prefix(4));
    let lawful = match digits.len() {
        13 => one == 4,
        14 => two == 36 || two == 38 || (300..=305).contains(&three),
        15 => two == 34 || two == 37,
        16 => {
            one == 4
                || (51..=55).contains(&two)
                || (2221..=2720).contains(&four)
                || (3528..=3589).contains(&four)
                || two == 62
                || two == 65
                || four == 6011
                || (644..=649).contains(&three)
        }
        17 | 18 => two == 62,
        19 => one == 4 || two == 62 || two == 65 || four == 6011,
        _ => false,
    };
    lawful && luhn(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn luhn_knows_good_from_bad() {
        for good in ["4111111111111111", "5555 5555 5555 4444", "378282246310005", "79927398713"] {
            assert!(luhn(good), "{good}");
        }
        for bad in ["4111111111111112", "79927398710", "0000000000000000", "4", ""] {
            assert!(!luhn(bad), "{bad}");
        }
    }

    #[test]
    fn ibans_of_the_registry_pass_and_changed_ones_fail() {
        for good in [
            "DE89370400440532013000",
            "GB29 NWBK 6016 1331 9268 19",
            "FR14 2004 1010 0505 0001 3M02 606",
            "NO93 8601 1117 947",
            "MT84MALT011000012345MTLCAST001S",
        ] {
            assert!(is_iban(good), "{good}");
        }
        for bad in ["DE89370400440532013001", "DE8937040044053201300", "XX89370400440532013000", "GB29", "ÄÖ12"] {
            assert!(!is_iban(bad), "{bad}");
        }
    }
}
