//! What a locale says where a file's own evidence is silent.

use domain::Locale;

use crate::text::evidence::Evidence;

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

    /// The preference in a file with such columns: a decimal mark that is beyond doubt in some column is that of the
    /// others too, whatever the locale, unless another column contradicts.
    pub fn in_file<'a>(self, columns: impl Iterator<Item = &'a Evidence>) -> Self {
        let (mut points, mut commas) = (false, false);
        for column in columns {
            match column.decimal_comma() {
                Some(true) => commas = true,
                Some(false) => points = true,
                None => {}
            }
        }
        let decimal_comma = if points == commas { self.decimal_comma } else { commas };
        Self { decimal_comma, ..self }
    }
}
