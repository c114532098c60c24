//! The only place that spells object-store keys (decision 38): no two claims share a key, prefixes stay purgeable.

use crate::id::{DatasetId, FileId, TenantId, WorkspaceId};
use crate::job::Claim;

/// Everything of a workspace.
pub fn workspace_prefix(tenant: &TenantId, workspace: WorkspaceId) -> String {
    format!("flyquery/{tenant}/{workspace}/")
}

/// Everything of a dataset.
pub fn dataset_prefix(tenant: &TenantId, workspace: WorkspaceId, dataset: DatasetId) -> String {
    format!("{}{dataset}/", workspace_prefix(tenant, workspace))
}

/// The original of an upload. `extension` is letters, digits and dots only; anything else is dropped.
pub fn original(
    tenant: &TenantId,
    workspace: WorkspaceId,
    dataset: DatasetId,
    file: FileId,
    extension: &str,
) -> String {
    let safe: String = extension.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '.').take(24).collect();
    let dot = if safe.is_empty() || safe.starts_with('.') { "" } else { "." };
    format!("{}files/{file}{dot}{safe}", dataset_prefix(tenant, workspace, dataset))
}

/// The Parquet file that one claim writes for one section of a file.
pub fn section(
    tenant: &TenantId,
    workspace: WorkspaceId,
    dataset: DatasetId,
    claim: Claim,
    section: usize,
    pass: u32,
) -> String {
    let Claim { job_id, token } = claim;
    let name = if pass <= 1 { format!("{section}") } else { format!("{section}.{pass}") };
    format!("{}tables/{job_id}-{token}/{name}.parquet", dataset_prefix(tenant, workspace, dataset))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::JobId;
    use crate::job::ClaimToken;

    #[test]
    fn two_claims_never_share_a_key() {
        let tenant = TenantId::new("t").expect("a slug");
        let (workspace, dataset) = (WorkspaceId(uuid::Uuid::nil()), DatasetId(uuid::Uuid::nil()));
        let claim = |token| Claim { job_id: JobId(uuid::Uuid::nil()), token: ClaimToken(token) };
        assert_ne!(
            section(&tenant, workspace, dataset, claim(1), 0, 1),
            section(&tenant, workspace, dataset, claim(2), 0, 1)
        );
    }

    #[test]
    fn a_hostile_extension_cannot_leave_its_folder() {
        let tenant = TenantId::new("t").expect("a slug");
        let key = original(
            &tenant,
            WorkspaceId(uuid::Uuid::nil()),
            DatasetId(uuid::Uuid::nil()),
            FileId(uuid::Uuid::nil()),
            "/../../etc/passwd\0",
        );
        assert!(!key.contains("/../") && !key.contains('\0'), "{key}");
        assert_eq!(key.matches('/').count(), 5);
    }
}
