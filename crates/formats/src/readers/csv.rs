//! CSV and TSV: survey the head, read once while writing and validating every cell, and read a second time only where
//! a later cell contradicted what the head proposed. The first reading learns all the second one needs.

mod footer;
mod pass;
mod plan;
mod report;
mod survey;

use domain::Failure;

use crate::convert::{SectionOutput, Sink};
use crate::fault::bug;
use crate::registry::Request;

/// Reads the file's one table.
pub fn read(request: &Request<'_>, sink: &mut dyn Sink) -> Result<Vec<SectionOutput>, Failure> {
    let plan = survey::survey(request)?;
    let again = match pass::run(request, plan, 1, sink)? {
        pass::Outcome::Done(table) => return Ok(vec![table]),
        pass::Outcome::Again(plan) => *plan,
    };
    match pass::run(request, again, 2, sink)? {
        pass::Outcome::Done(table) => Ok(vec![table]),
        pass::Outcome::Again(_) => Err(bug("the second reading of the file differs from the first")),
    }
}
