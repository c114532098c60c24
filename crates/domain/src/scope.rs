//! Whose data an operation may touch, and who asked for it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::id::{TenantId, WorkspaceId};

/// Tenant and workspace of a request or job; every query carries both in its WHERE.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Scope {
    /// The tenant.
    pub tenant: TenantId,
    /// The workspace inside the tenant.
    pub workspace: WorkspaceId,
}

/// Who caused a change: a user's subject, or the tenant itself when no user is known.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Actor(pub String);

impl Actor {
    /// The actor used where a request names none.
    pub fn anonymous() -> Self {
        Self("anonymous".to_owned())
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
