//! SQL over real Parquet files in a local store: what works, what is refused, and what every limit does.

mod guard;
mod hostile;
mod limits;
mod names;
mod overflow;
mod paging;
mod queries;
mod values;
mod world;
