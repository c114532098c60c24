//! Live event streams of jobs (Server-Sent Events), decision 10.
//!
//! A stream first replays the ledger from the database, page by page, as fast as its client reads; then it joins the
//! [`tailer`], which looks at the ledger once for all streams of the process; then it catches up what was committed in
//! between. Only ledger events carry an `id:`, and within a job ids grow in commit order, so "everything after id n" is
//! exact: no gap and no repeat, however often a client comes back.

pub mod frame;
pub mod session;
pub mod tailer;
