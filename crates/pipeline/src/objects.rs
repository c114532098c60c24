//! Finding the objects of a snapshot's columns by name.

use std::collections::HashMap;

use db::{DbError, ObjectRow, Tx};
use domain::SnapshotId;
use domain::table::ObjectKind;

/// The column objects of a snapshot by column name.
pub async fn columns_of(tx: &Tx, snapshot: SnapshotId) -> Result<HashMap<String, ObjectRow>, DbError> {
    let objects = db::schema_objects::list(tx, snapshot).await?;
    Ok(objects.into_iter().filter(|o| o.kind == ObjectKind::Column).map(|o| (o.name.clone(), o)).collect())
}
