//! What the readers make of files: the handed cases, the whole-file rule, hostile input, and properties.

mod archives;
mod cases;
mod desk;
mod hostile;
mod json;
mod json_hostile;
mod json_properties;
mod notations;
mod parquet_files;
mod properties;
mod quotes;
mod text_files;
mod whole_file;
mod wrappers;
