//! What a locale says where a file's own evidence is silent.

use domain::Locale;

/// Readings that a locale prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preference {
    /// Whether 01/02 means the first of February.
    pub day_first: bool,
    /// Whether 1,234 means a bit more than one.
    pub decimal_comma: bool,
}

impl Preference {
    /// The preference of a locale.
    pub fn of(locale: &Locale) -> Self {
        let tag = locale.as_str().to_ascii_lowercase().replace('_', "-");
        let language = tag.split('-').next().unwrap_or_default();
        let decimal_comma = matches!(
            language,
            "de" | "fr"
                | "es"
                | "it"
                | "pt"
                | "nl"
                | "pl"
                | "cs"
                | "sk"
                | "ru"
                | "uk"
                | "sv"
                | "da"
                | "nb"
                | "no"
                | "fi"
                | "hu"
                | "ro"
                | "bg"
                | "el"
                | "tr"
                | "hr"
                | "sl"
                | "sr"
                | "lt"
                | "lv"
                | "et"
                | "id"
                | "vi"
        ) && !matches!(tag.as_str(), "de-ch" | "it-ch" | "es-mx" | "es-us");
        Self { day_first: locale.is_day_first(), decimal_comma }
    }
}
