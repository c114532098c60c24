//! Settings of SQL.

use super::declare::section;
use super::value::Bytes;

section! {
    /// SQL
    pub struct Query {
        /// Rows a statement returns at most.
        row_cap: usize = 1000, "DEFAULT_ROW_CAP", in 1..=1_000_000;
        /// Time a statement may take, in milliseconds.
        statement_timeout_ms: u64 = 30_000, "DEFAULT_STATEMENT_TIMEOUT_MS", in 1..=86_400_000;
        /// Memory all running statements may use together; what does not fit spills to the data directory where it can.
        /// The name is the contract's; the engine is DataFusion.
        memory: Bytes = Bytes(4 << 30), "DUCKDB_MEMORY_LIMIT", in Bytes(16 << 20)..=Bytes(1 << 44);
    }
}
