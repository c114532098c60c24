//! Bytes → arrow → Parquet: what flyquery makes of the files people have.
//!
//! [`detect()`] says what a file is, [`convert()`] turns it into one Parquet file per table in bounded memory. Nothing here
//! knows where bytes come from or go to: a [`Source`] can be opened (again), a [`Sink`] takes what is written. Text is
//! typed by the whole file and only where no cell loses anything (see `text::infer`).

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod convert;
mod detect;
mod fault;
mod places;
mod readers;
mod registry;
mod rules;
pub mod text;
mod unpack;
mod write;

pub use convert::{ColumnTap, Observer, ReadOptions, SectionOutput, Sink, Source, convert};
pub use detect::{Detected, detect};
pub use unpack::{Caps, unpacked};
pub use write::arrow_type;
