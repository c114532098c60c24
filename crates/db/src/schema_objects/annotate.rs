//! What the stages write: samples, profiles, descriptions, PII tags, embeddings.

use domain::ObjectId;
use domain::search::SearchText;
use domain::semantic::{DescriptionSource, PiiTag, SemanticType};
use sea_orm::Value;

use crate::batch::batches;
use crate::dialect::Dialect;
use crate::entities::ObjectRow;
use crate::error::DbError;
use crate::page::Filter;
use crate::params;
use crate::tx::Tx;

/// Keys of a profile that hold values of the column, or hashes of them.
pub(super) const PROFILE_VALUES: &[&str] = &["min", "max", "top_values", "quantiles", "lowest_hashes"];

/// A describer's word on a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewDescription {
    /// The column.
    pub id: ObjectId,
    /// One sentence.
    pub description: String,
    /// Who says so.
    pub source: DescriptionSource,
    /// What it means.
    pub semantic_type: SemanticType,
}

/// A scanner's word on a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewPii {
    /// The column.
    pub id: ObjectId,
    /// What it holds.
    pub tag: PiiTag,
    /// Who says so.
    pub source: domain::semantic::PiiSource,
    /// Whether its values are removed from samples and profile.
    pub scrub: bool,
    /// Whether the column is refused (policy `reject`).
    pub deactivate: bool,
}

/// A vector for search.
#[derive(Clone, PartialEq, Debug)]
pub struct NewEmbedding {
    /// The object.
    pub id: ObjectId,
    /// Its vector.
    pub vector: Vec<f32>,
    /// The words it was made of, which the text index covers.
    pub text: SearchText,
}

/// Sets the samples of columns.
pub async fn set_samples(tx: &Tx, samples: &[(ObjectId, Vec<String>)]) -> Result<(), DbError> {
    let sets = format!("sample_values_json = v.column2, sample_taken_at = {}", tx.now());
    update(tx, &sets, "", samples, |(id, values)| params![*id, serde_json::json!(values)]).await
}

/// Sets the profiles of columns.
pub async fn set_profiles(tx: &Tx, profiles: &[(ObjectId, serde_json::Value)]) -> Result<(), DbError> {
    update(tx, "profile_json = v.column2", "", profiles, |(id, profile)| params![*id, profile]).await
}

/// Sets descriptions and semantic types. A person's description stays, and so does a semantic type that is there.
pub async fn set_descriptions(tx: &Tx, descriptions: &[NewDescription]) -> Result<(), DbError> {
    let dialect = tx.dialect();
    let known = dialect.json_text("governance_json", "semantic_type");
    let with_type = dialect.json_with_text("governance_json", "semantic_type", "v.column4");
    let sets = format!(
        "description = v.column2, description_source = v.column3, last_changed_at = {}, \
         governance_json = CASE WHEN COALESCE({known}, 'unknown') = 'unknown' THEN {with_type} \
         ELSE governance_json END",
        tx.now()
    );
    let unless = " AND (description_source IS NULL OR description_source <> 'HUMAN')";
    update(tx, &sets, unless, descriptions, |new| {
        params![new.id, new.description.as_str(), new.source, new.semantic_type.as_str()]
    })
    .await?;
    reindex(tx, &descriptions.iter().map(|new| new.id).collect::<Vec<_>>()).await
}

/// Sets PII tags. A person's tag stays.
pub async fn set_pii(tx: &Tx, tags: &[NewPii]) -> Result<(), DbError> {
    let scrubbed = tx.dialect().json_without("profile_json", PROFILE_VALUES);
    let sets = format!(
        "pii_tag = v.column2, pii_source = v.column3, last_changed_at = {}, \
         sample_values_json = CASE WHEN v.column4 = 1 AND sample_values_json IS NOT NULL THEN {} \
         ELSE sample_values_json END, \
         profile_json = CASE WHEN v.column4 = 1 THEN {scrubbed} ELSE profile_json END, \
         is_active = CASE WHEN v.column5 = 1 THEN {} ELSE is_active END",
        tx.now(),
        tx.dialect().empty_list(),
        tx.dialect().falsehood()
    );
    let unless = " AND (pii_source IS NULL OR pii_source <> 'HUMAN')";
    update(tx, &sets, unless, tags, |new| {
        params![new.id, &new.tag, new.source, i64::from(new.scrub), i64::from(new.deactivate)]
    })
    .await
}

/// Sets vectors and the words they were made of: the objects are found by both from this transaction's commit on.
pub async fn set_embeddings(tx: &Tx, model: &str, embeddings: &[NewEmbedding]) -> Result<(), DbError> {
    let sets =
        "embedding = v.column2, content_names = v.column3, content_text = v.column4, embedding_model = v.column5";
    update(tx, sets, "", embeddings, |new| embedding(model, new)).await
}

/// Sets the vectors of objects that still have the words they were made of.
pub async fn set_vectors(tx: &Tx, model: &str, embeddings: &[NewEmbedding]) -> Result<(), DbError> {
    let sets = "embedding = v.column2, embedding_model = v.column5";
    let unless = " AND content_names = v.column3 AND content_text = v.column4";
    update(tx, sets, unless, embeddings, |new| embedding(model, new)).await
}

fn embedding(model: &str, new: &NewEmbedding) -> Vec<Value> {
    let bytes: Vec<u8> = new.vector.iter().flat_map(|x| x.to_le_bytes()).collect();
    params![new.id, bytes, new.text.names.as_str(), new.text.about.as_str(), model]
}

/// Writes the words of objects anew that are in the text index already, after what they are made of has changed.
pub(super) async fn reindex(tx: &Tx, ids: &[ObjectId]) -> Result<(), DbError> {
    for batch in batches(ids) {
        let mut filter = Filter::scoped(tx)?;
        filter.one_of("id", batch);
        filter.and("content_text IS NOT NULL");
        let sql = format!("SELECT {} FROM {} WHERE {}", ObjectRow::COLUMNS, ObjectRow::TABLE, filter.sql());
        let rows = tx.rows(&sql, filter.into_params()).await?;
        let texts: Vec<(ObjectId, SearchText)> = rows
            .iter()
            .map(|row| ObjectRow::from_row(row).map(|object| (object.id, object.search_text())))
            .collect::<Result<_, _>>()?;
        let sets = "content_names = v.column2, content_text = v.column3";
        update(tx, sets, "", &texts, |(id, text)| params![*id, text.names.as_str(), text.about.as_str()]).await?;
    }
    Ok(())
}

/// Updates many objects at once: `sets` and `unless` see the values of `row` as `v.column1` (the id) and so on.
async fn update<T>(
    tx: &Tx,
    sets: &str,
    unless: &str,
    items: &[T],
    row: impl Fn(&T) -> Vec<Value>,
) -> Result<(), DbError> {
    let scope = tx.scope()?;
    for batch in batches(items) {
        let mut params = params![&scope.tenant, scope.workspace];
        let mut width = 0;
        for item in batch {
            let values = row(item);
            width = values.len();
            params.extend(values);
        }
        let sql = format!(
            "UPDATE {} SET {sets} FROM (VALUES {}) AS v \
             WHERE id = v.column1 AND tenant_id = $1 AND workspace_id = $2{unless}",
            ObjectRow::TABLE,
            Dialect::values(3, batch.len(), width)
        );
        tx.execute(&sql, params).await?;
    }
    Ok(())
}
