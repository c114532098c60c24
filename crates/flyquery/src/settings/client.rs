//! Settings of the command line as a client of a server.

use domain::TenantId;

use super::declare::section;
use super::value::Value;

section! {
    /// Command line as a client
    pub struct Client {
        /// Server the commands speak to; unset, the one that holds the data directory, or one started for the command.
        server: Option<String> = None, "SERVER", by default "unset: the embedded home";
        /// Tenant the commands name; the embedded home has one of its own.
        tenant: Option<TenantId> = None, "TENANT", by default "unset";
        /// Workspace the commands name, by id or slug; the embedded home has one of its own.
        workspace: Option<String> = None, "WORKSPACE", by default "unset";
    }
}

impl Value for TenantId {
    const ACCEPTS: &'static str = "slug";
    fn parse(text: &str) -> Result<Self, String> {
        Self::new(text).map_err(|e| format!("is no slug: {e}"))
    }
    fn show(&self) -> String {
        self.as_str().to_owned()
    }
}
