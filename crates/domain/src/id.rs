//! Typed identifiers: a job's id can't be passed where a table's is meant.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! uuid_id {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }
    )+};
}

uuid_id! {
    /// A workspace: the unit of isolation inside a tenant; holds datasets.
    WorkspaceId;
    /// A dataset: a named group of tables in a workspace.
    DatasetId;
    /// An uploaded file, kept as it arrived.
    FileId;
    /// A table of a dataset; its rows live in snapshots.
    TableId;
    /// One immutable version of a table.
    SnapshotId;
    /// A schema object: the row that describes a table or a column of one snapshot.
    ObjectId;
    /// One difference between two snapshots of a table.
    ChangeId;
    /// A proposed, approved or rejected link between two columns.
    RelationId;
    /// A job: the durable unit of work.
    JobId;
}

/// Position of an event in the ledger; grows in commit order within a job.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EventId(pub i64);

/// A tenant's slug: `^[a-z0-9][a-z0-9_-]{0,63}$`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize)]
#[serde(transparent)]
pub struct TenantId(String);

/// The text is not a tenant or workspace slug.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a slug starts with a-z or 0-9 and holds at most 64 of a-z, 0-9, '_' and '-'")]
pub struct BadSlug;

/// Whether `text` follows the slug grammar shared by tenants and workspaces.
pub fn is_slug(text: &str) -> bool {
    let bytes = text.as_bytes();
    matches!(bytes.first(), Some(b'a'..=b'z' | b'0'..=b'9'))
        && bytes.len() <= 64
        && bytes.iter().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'))
}

impl TenantId {
    /// Checks the grammar and wraps the slug.
    pub fn new(text: &str) -> Result<Self, BadSlug> {
        if is_slug(text) { Ok(Self(text.to_owned())) } else { Err(BadSlug) }
    }

    /// The slug itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TenantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for TenantId {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        Self::new(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slug_grammar_is_the_contracts() {
        for good in ["a", "0", "acme", "acme-1_b", &"a".repeat(64)] {
            assert!(TenantId::new(good).is_ok(), "{good}");
        }
        for bad in ["", "-a", "_a", "A", "a b", "a/b", "ä", &"a".repeat(65)] {
            assert!(TenantId::new(bad).is_err(), "{bad}");
        }
    }
}
