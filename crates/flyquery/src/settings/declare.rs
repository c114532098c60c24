//! How a setting is declared: one list per section gives its typed field, its default, its range and its documentation.

use std::ops::RangeInclusive;

use super::reader::Reader;
use super::value::Value;

/// What is documented about one setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Name without the `FLYQUERY_` prefix.
    pub name: &'static str,
    /// What it is for.
    pub meaning: &'static str,
    /// Its default, as a person would write it.
    pub default: String,
    /// What it accepts.
    pub accepts: String,
}

/// A group of settings that belong together.
pub trait Section: Sized {
    /// What the group is about.
    const TITLE: &'static str;
    /// Its settings, in the order of their declaration.
    fn specs() -> Vec<Spec>;
    /// Reads the group; a value that can't be read is noted in the reader and its default is taken.
    fn read(reader: &mut Reader<'_>) -> Self;
    /// Name and effective value of each setting, secrets hidden.
    fn shown(&self) -> Vec<(&'static str, String)>;
}

/// Bounds of a setting.
pub struct Bounds<T> {
    /// The bounds in words.
    pub words: String,
    /// Whether a value keeps them.
    pub holds: Box<dyn Fn(&T) -> bool>,
}

impl<T: Value + PartialOrd + 'static> Bounds<T> {
    /// Bounds that include both ends.
    pub fn inclusive(range: RangeInclusive<T>) -> Self {
        let words = format!("{} to {}", range.start().show(), range.end().show());
        Self { words, holds: Box::new(move |value| range.contains(value)) }
    }
}

/// The words that say what a setting accepts.
pub fn accepts<T: Value>(bounds: Option<&Bounds<T>>) -> String {
    match bounds {
        Some(bounds) => format!("{}, {}", T::ACCEPTS, bounds.words),
        None => T::ACCEPTS.to_owned(),
    }
}

/// Declares a section: `field: Type = default, "NAME" [, in range] [, by default "words"];` with the meaning as doc comment.
macro_rules! section {
    (
        $(#[doc = $title:literal])+
        pub struct $Section:ident {
            $(
                $(#[doc = $meaning:literal])+
                $field:ident: $Type:ty = $default:expr, $name:literal $(, in $range:expr)? $(, by default $words:literal)?;
            )+
        }
    ) => {
        $(#[doc = $title])+
        #[derive(Clone, Debug, PartialEq)]
        pub struct $Section {
            $($(#[doc = $meaning])+ pub $field: $Type,)+
        }

        impl $crate::settings::declare::Section for $Section {
            const TITLE: &'static str = concat!($($title),+);

            fn specs() -> Vec<$crate::settings::declare::Spec> {
                vec![$({
                    let default: $Type = $default;
                    let words: Option<&str> = $crate::settings::declare::section!(@option $($words)?);
                    let bounds: Option<$crate::settings::declare::Bounds<$Type>> =
                        $crate::settings::declare::section!(@bounds $($range)?);
                    $crate::settings::declare::Spec {
                        name: $name,
                        meaning: concat!($($meaning),+),
                        default: words.map_or_else(|| $crate::settings::value::Value::show(&default), str::to_owned),
                        accepts: $crate::settings::declare::accepts(bounds.as_ref()),
                    }
                }),+]
            }

            fn read(reader: &mut $crate::settings::reader::Reader<'_>) -> Self {
                Self {
                    $($field: reader.read(
                        $name,
                        $default,
                        $crate::settings::declare::section!(@bounds $($range)?).as_ref(),
                    ),)+
                }
            }

            fn shown(&self) -> Vec<(&'static str, String)> {
                vec![$(($name, $crate::settings::value::Value::show(&self.$field))),+]
            }
        }
    };
    (@option) => { None };
    (@option $value:expr) => { Some($value) };
    (@bounds) => { None };
    (@bounds $range:expr) => { Some($crate::settings::declare::Bounds::inclusive($range)) };
}

pub(crate) use section;
