//! Settings of the HTTP server and of the place where data lives.

use std::path::PathBuf;

use super::declare::section;

section! {
    /// Server and data directory
    pub struct Server {
        /// Address or name to listen on. A name given here is also accepted in the Host header, which the embedded home
        /// otherwise takes only when it names the loopback.
        host: Option<String> = None, "HOST", by default "`127.0.0.1` embedded, `0.0.0.0` with `FLYQUERY_DATABASE_URL`";
        /// Port to listen on; 0 takes a free one.
        port: u16 = 8520, "PORT";
        /// Folder that holds the embedded home: database, objects, lock. With `FLYQUERY_DATABASE_URL` only objects are
        /// kept here.
        data_dir: Option<PathBuf> = None, "DATA_DIR", by default "`$XDG_DATA_HOME/flyquery`, else `~/.local/share/flyquery`";
    }
}
