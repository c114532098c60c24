//! Uploads: a multipart body streams into the port `Ingest`.

pub mod reupload;
pub mod upload;

mod form;
mod receive;
