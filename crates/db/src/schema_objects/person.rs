//! What people write: their word outlives every describer and scanner.

use domain::ObjectId;
use domain::semantic::{DescriptionSource, PiiSource, PiiTag};
use domain::table::ObjectKind;

use super::annotate::{PROFILE_VALUES, reindex};
use crate::entities::{Annotations, ObjectRow};
use crate::error::DbError;
use crate::params;
use crate::tx::Tx;

/// What a person changes; `None` leaves a field as it is.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ObjectUpdate {
    /// What it means; its source becomes HUMAN.
    pub description: Option<String>,
    /// Which personal data it holds; its source becomes HUMAN, and a tag other than NONE removes the column's values
    /// from samples and profile.
    pub pii_tag: Option<PiiTag>,
    /// Who answers for it.
    pub business_owner: Option<String>,
    /// Replaces the object.
    pub governance: Option<serde_json::Map<String, serde_json::Value>>,
    /// Replaces the list.
    pub synonyms: Option<Vec<String>>,
}

/// Changes an object; `None` when there is none of that id. What is said about a table's current snapshot is said
/// about the table as well.
pub async fn update_by_person(tx: &Tx, id: ObjectId, update: &ObjectUpdate) -> Result<Option<ObjectRow>, DbError> {
    let scope = tx.scope()?;
    let description_source = update.description.as_ref().map(|_| DescriptionSource::Human);
    let pii_source = update.pii_tag.as_ref().map(|_| PiiSource::Human);
    let scrub = if update.pii_tag.as_ref().is_some_and(|tag| *tag != PiiTag::None) { scrub(tx) } else { String::new() };
    let sql = format!(
        "UPDATE {} SET description = COALESCE($4, description), \
         description_source = COALESCE($5, description_source), pii_tag = COALESCE($6, pii_tag), \
         pii_source = COALESCE($7, pii_source), business_owner = COALESCE($8, business_owner), \
         governance_json = COALESCE($9, governance_json), synonyms_json = COALESCE($10, synonyms_json){scrub}, \
         last_changed_at = {} WHERE tenant_id = $1 AND workspace_id = $2 AND id = $3 RETURNING {}",
        ObjectRow::TABLE,
        tx.now(),
        ObjectRow::COLUMNS
    );
    let governance = update.governance.clone().map(serde_json::Value::Object);
    let params = params![
        &scope.tenant,
        scope.workspace,
        id,
        &update.description,
        description_source,
        &update.pii_tag,
        pii_source,
        &update.business_owner,
        governance,
        update.synonyms.as_ref().map(|list| serde_json::json!(list))
    ];
    let Some(row) = tx.row(&sql, params).await? else { return Ok(None) };
    let object = ObjectRow::from_row(&row)?;
    if object.kind == ObjectKind::Table {
        mirror(tx, &object).await?;
    }
    reindex(tx, &[id]).await?;
    Ok(Some(object))
}

/// Removes a column's values from where they are shown.
fn scrub(tx: &Tx) -> String {
    let profile = tx.dialect().json_without("profile_json", PROFILE_VALUES);
    format!(
        ", sample_values_json = CASE WHEN sample_values_json IS NULL THEN NULL ELSE {} END, profile_json = {profile}",
        tx.dialect().empty_list()
    )
}

async fn mirror(tx: &Tx, object: &ObjectRow) -> Result<(), DbError> {
    let scope = tx.scope()?;
    let said = &object.annotations;
    let sql = format!(
        "UPDATE flyquery_tables SET description = $4, description_source = $5, business_owner = $6, \
         governance_json = $7, updated_at = {} \
         WHERE tenant_id = $1 AND workspace_id = $2 AND id = $3 AND current_snapshot_id = $8",
        tx.now()
    );
    let params = params![
        &scope.tenant,
        scope.workspace,
        object.table,
        &said.description,
        said.description_source,
        &said.business_owner,
        serde_json::Value::Object(said.governance.clone()),
        object.snapshot
    ];
    tx.execute(&sql, params).await?;
    Ok(())
}

/// Moves what was said about `from` to `to`, for a confirmed rename: what `from` has replaces what `to` has. False
/// when one of them is missing.
pub async fn move_annotations(tx: &Tx, from: ObjectId, to: ObjectId) -> Result<bool, DbError> {
    let scope = tx.scope()?;
    let Some(old) = super::get(tx, from).await? else { return Ok(false) };
    if !copy(tx, old.annotations, to).await? {
        return Ok(false);
    }
    let clear = format!(
        "UPDATE {} SET description = NULL, description_source = NULL, pii_tag = NULL, pii_source = NULL, \
         business_owner = NULL, governance_json = NULL, synonyms_json = NULL, last_changed_at = {} \
         WHERE tenant_id = $1 AND workspace_id = $2 AND id = $3",
        ObjectRow::TABLE,
        tx.now()
    );
    tx.execute(&clear, params![&scope.tenant, scope.workspace, from]).await?;
    reindex(tx, &[from]).await?;
    Ok(true)
}

/// Copies to `to` what the next snapshot takes over from `from` ([`ObjectRow::carried`]); false when `to` is missing.
pub async fn carry(tx: &Tx, from: &ObjectRow, to: ObjectId) -> Result<bool, DbError> {
    copy(tx, from.carried(), to).await
}

/// What is said replaces what `to` has; what is not said leaves it.
async fn copy(tx: &Tx, said: Annotations, to: ObjectId) -> Result<bool, DbError> {
    let scope = tx.scope()?;
    let hides = said.pii_tag.as_ref().is_some_and(|tag| *tag != PiiTag::None);
    let sql = format!(
        "UPDATE {} SET description = COALESCE($4, description), \
         description_source = COALESCE($5, description_source), pii_tag = COALESCE($6, pii_tag), \
         pii_source = COALESCE($7, pii_source), business_owner = COALESCE($8, business_owner), \
         governance_json = COALESCE($9, governance_json), synonyms_json = COALESCE($10, synonyms_json){}, \
         last_changed_at = {} WHERE tenant_id = $1 AND workspace_id = $2 AND id = $3",
        ObjectRow::TABLE,
        if hides { scrub(tx) } else { String::new() },
        tx.now()
    );
    let governance = Some(said.governance).filter(|map| !map.is_empty()).map(serde_json::Value::Object);
    let synonyms = Some(said.synonyms).filter(|list| !list.is_empty()).map(|list| serde_json::json!(list));
    let params = params![
        &scope.tenant,
        scope.workspace,
        to,
        said.description,
        said.description_source,
        said.pii_tag,
        said.pii_source,
        said.business_owner,
        governance,
        synonyms
    ];
    if tx.execute(&sql, params).await? == 0 {
        return Ok(false);
    }
    reindex(tx, &[to]).await?;
    Ok(true)
}
