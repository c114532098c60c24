//! A worker in this process, on both databases: what needs a describer that costs, or a connection that breaks.

#![allow(clippy::unwrap_used)]

mod describing;
mod doubt;
mod stand;
