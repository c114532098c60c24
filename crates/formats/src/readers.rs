//! One module per format.

pub mod csv;
