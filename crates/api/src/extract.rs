//! Extractors: what a request says, read once, with every complaint a [`Problem`](crate::problem::Problem).

mod body;
mod caller;
mod disposition;
mod fields;
mod form;
mod identity;
mod query;
mod segments;

pub use body::{Body, FromBody};
pub use caller::{Caller, Tenant, Who};
pub use disposition::{UNNAMED, clean as clean_file_name};
pub use fields::Fields;
pub use form::{Part, Parts};
pub use query::Query;
pub use segments::Segments;
