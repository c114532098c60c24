//! Behaviour of the annotators over whole columns and tables; one binary.
#![allow(clippy::unwrap_used)]

extern crate flyquery_annotate as annotate;

mod describing;
mod merging;
mod pii;
mod relating;
mod sampling;
mod shop;
mod shop_profiles;
mod spelling;
