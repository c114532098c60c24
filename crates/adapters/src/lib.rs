//! Adapters: what `domain::ports` asks of the outside, one folder per port, one file per product.
//!
//! Only the binary names these; everything else takes them as `Arc<dyn …>`.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod clock;
pub mod event_bus;
pub mod object_storage;
