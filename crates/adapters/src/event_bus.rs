//! Event buses: one file per product.

pub mod memory;

pub use memory::MemoryBus;
