//! The ten stages, a file each.

pub mod describe;
pub mod embed;
pub mod parse;
pub mod profile;
pub mod receive;
pub mod reconcile;
pub mod relate;
pub mod sample;
pub mod tag_pii;
