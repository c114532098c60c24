//! The contract of each port, run on every adapter that implements it.

mod event_bus;
mod object_storage;
