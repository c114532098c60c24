//! Every bound the product promises, in one place. A loop, queue, body, page, archive or wait without a bound is a defect.

use std::time::Duration;

/// Characters in a column name.
pub const COLUMN_NAME_CHARS: usize = 255;
/// Characters in a table name.
pub const TABLE_NAME_CHARS: usize = 128;
/// Columns in a table.
pub const COLUMNS: usize = 16_384;
/// Bytes in one cell of a text format.
pub const CELL_BYTES: usize = 64 << 20;
/// Bytes in one record of a text format.
pub const RECORD_BYTES: usize = 128 << 20;
/// Levels a JSON value may be nested.
pub const JSON_DEPTH: usize = 512;
/// Values and keys in one JSON record.
pub const JSON_TOKENS: usize = 4 << 20;
/// Tables one document may hold.
pub const TABLES: usize = 1_000;
/// Bytes of a Parquet file's footer.
pub const PARQUET_FOOTER_BYTES: u64 = 32 << 20;
/// Bytes a Parquet page may inflate to.
pub const PARQUET_PAGE_BYTES: u64 = 256 << 20;
/// Bytes that the pages of a Parquet row group which are held at once may inflate to.
pub const PARQUET_PAGES_BYTES: u64 = 1 << 30;
/// Bytes a wrapper may inflate to.
pub const INFLATED_BYTES: u64 = 5 << 30;
/// Inflated bytes per compressed byte that a wrapper may reach, once past `INFLATE_RATIO_FLOOR`.
pub const INFLATE_RATIO: u64 = 1_032;
/// Inflated bytes below which the ratio is not judged.
pub const INFLATE_RATIO_FLOOR: u64 = 64 << 20;
/// Rows in a Parquet row group.
pub const ROW_GROUP_ROWS: usize = 1 << 20;
/// Rows in a record batch.
pub const BATCH_ROWS: usize = 8_192;
/// Bytes of arrow data in a record batch before it is cut short.
pub const BATCH_BYTES: usize = 16 << 20;
/// Bytes of buffered row-group data before it is flushed early.
pub const ROW_GROUP_BYTES: usize = 128 << 20;

/// Bytes of a JSON request body.
pub const JSON_BODY_BYTES: usize = 1 << 20;
/// Bytes of a form field beside the file.
pub const FORM_FIELD_BYTES: usize = 64 << 10;
/// Fields in a form.
pub const FORM_FIELDS: usize = 32;
/// Characters of an SQL text.
pub const SQL_CHARS: usize = 65_536;
/// Items in a page of jobs.
pub const JOBS_PAGE: u64 = 200;
/// Items in a page of events.
pub const EVENTS_PAGE: u64 = 500;
/// Items in a page of anything else.
pub const PAGE: u64 = 1_000;
/// Rows `sql:execute` shows as its preview.
pub const SQL_PREVIEW_ROWS: usize = 10;
/// Live event streams per process.
pub const STREAMS: usize = 4_096;
/// Events buffered for a slow stream before it is cut.
pub const STREAM_BUFFER: usize = 256;
/// Time a stream's client may take nothing before, once the buffer has overflowed too, it is cut.
pub const STREAM_STALL: Duration = Duration::from_secs(5);
/// Silence on a stream before a comment keeps proxies awake.
pub const STREAM_KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Wait between two looks of the streams' tailer while somebody watches.
pub const STREAM_POLL: Duration = Duration::from_millis(250);
/// Requests handled at once in a process; more are answered 503.
pub const REQUESTS: usize = 1_024;
/// Statements of `sql:execute` and pages of rows that run or wait to run in a process; more are answered 503.
pub const SQL_STATEMENTS: usize = 16;
/// Silence in the middle of a request body after which it is given up.
pub const BODY_STALL: Duration = Duration::from_mins(1);
/// Bytes of multipart headers and preamble between two parts.
pub const PART_HEADER_BYTES: usize = 64 << 10;
/// Bytes of a refused request body that are still read, so that the sender gets to see the answer.
pub const LINGER_BYTES: u64 = 4 << 30;
/// Time spent on that.
pub const LINGER: Duration = Duration::from_secs(30);
/// Silence that ends it early.
pub const LINGER_IDLE: Duration = Duration::from_secs(5);
/// Sync uploads that may run at once in a process.
pub const SYNC_UPLOADS: usize = 8;

/// Longest wait between two polls of an idle worker.
pub const POLL_IDLE: Duration = Duration::from_secs(15);
/// Wait between two polls while there is work.
pub const POLL_BUSY: Duration = Duration::from_secs(1);
/// Longest time between two heartbeats of a process with running jobs.
pub const BEAT_MAX: Duration = Duration::from_secs(2);
/// Rows a reap or sweep statement touches at once; it loops until nothing is left.
pub const SWEEP_BATCH: u64 = 500;
/// Age of a pending object whose job is gone before a sweep deletes it.
pub const PENDING_OBJECT_GRACE: Duration = Duration::from_hours(1);

/// Messages a listener of the memory bus may be behind before it misses some.
pub const BUS_BUFFER: usize = 256;
/// Bytes of JSON a statement or a page of rows may answer with; more rows are cut off.
pub const SQL_RESULT_BYTES: usize = 32 << 20;
/// Statements that run at once in a process; others wait within their own time limit.
pub const SQL_CONCURRENT: usize = 4;
/// Wall time for a page of rows.
pub const SQL_PAGE_TIMEOUT: Duration = Duration::from_secs(30);
/// Levels an expression or a query may be nested.
pub const SQL_DEPTH: usize = 200;
/// Tables, subqueries and table functions a statement may name in all.
pub const SQL_RELATIONS: usize = 100;
/// Columns that may have gone from a table, or come, for renames among them to be looked for: every pair is compared.
pub const RENAME_COLUMNS: usize = 64;
/// Tables a statement may read once each use of a common table expression is written out: planning copies them.
pub const SQL_EXPANDED_RELATIONS: usize = 500;
/// SELECTs a statement may join with UNION, INTERSECT and EXCEPT.
pub const SQL_SET_OPERATIONS: usize = 100;
/// Bytes that one function call over one batch may make out of smaller arguments.
pub const SQL_FUNCTION_BYTES: usize = 128 << 20;
/// Characters of a search.
pub const SEARCH_QUERY_CHARS: usize = 1_000;
/// Different words of a search that count; more are passed over.
pub const SEARCH_WORDS: usize = 32;
/// Hits of a search.
pub const SEARCH_TOP_K: u64 = 100;
/// Objects that each of a search's two rankings hands on.
pub const SEARCH_CANDIDATES: usize = 200;
/// Characters of each of the two texts under which an object is indexed.
pub const SEARCH_TEXT_CHARS: usize = 16_384;
/// Searches that run at once in a process; others wait within their own time limit.
pub const SEARCHES: usize = 4;
/// Wall time of a search.
pub const SEARCH_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of Parquet footers kept in memory.
pub const SQL_METADATA_CACHE_BYTES: usize = 32 << 20;
/// Bytes a process may spill to disk for its statements.
pub const SQL_SPILL_BYTES: u64 = 20 << 30;
