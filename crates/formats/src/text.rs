//! What text formats share: encoding, dialect, records, header, and types by evidence.

pub mod block;
pub mod column;
pub mod dialect;
pub mod encoding;
pub mod evidence;
pub mod header;
pub mod infer;
pub mod locale;
pub mod moment;
pub mod number;
pub mod quotes;
pub mod records;
pub(crate) mod values;
