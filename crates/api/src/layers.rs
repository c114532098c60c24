//! What happens around every handler, from the outside in: custom verbs, lingering bodies, headers and problems,
//! Host check, places for requests, measures, panics.

pub mod envelope;
pub mod host;
pub mod linger;
pub mod measure;
pub mod places;
pub mod verbs;
