//! Hands each declared setting its value, and collects everything that is wrong so that a person mends it in one go.

use std::collections::BTreeMap;

use super::declare::Bounds;
use super::source::{Given, Origin, PREFIX};
use super::value::Value;

/// Reads values by name.
pub struct Reader<'a> {
    given: &'a BTreeMap<String, Given>,
    /// Where each value came from.
    pub origins: BTreeMap<&'static str, Origin>,
    /// What is wrong.
    pub errors: Vec<String>,
}

impl<'a> Reader<'a> {
    /// A reader over what was given.
    pub fn new(given: &'a BTreeMap<String, Given>) -> Self {
        Self { given, origins: BTreeMap::new(), errors: Vec::new() }
    }

    /// The value of one setting, its default when it is absent or wrong.
    pub fn read<T: Value>(&mut self, name: &'static str, default: T, bounds: Option<&Bounds<T>>) -> T {
        let Some(given) = self.given.get(name) else {
            self.origins.insert(name, Origin::Default);
            return default;
        };
        self.origins.insert(name, given.origin.clone());
        let parsed = T::parse(given.text.trim()).and_then(|value| match bounds {
            Some(bounds) if !(bounds.holds)(&value) => {
                Err(format!("must be between {}", bounds.words.replace(" to ", " and ")))
            }
            Some(_) | None => Ok(value),
        });
        match parsed {
            Ok(value) => value,
            Err(wrong) => {
                self.errors.push(match &given.origin {
                    Origin::Flag(flag) => format!("{flag} {wrong}"),
                    Origin::DotEnv(line) => format!("{PREFIX}{name} (.env line {line}) {wrong}"),
                    Origin::Environment(_) | Origin::Default => format!("{PREFIX}{name} {wrong}"),
                });
                default
            }
        }
    }
}
