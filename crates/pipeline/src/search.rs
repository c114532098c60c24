//! The port `Search`: reads what stage 9 leaves, and lives beside it because both must mean the same by words and vectors.
//!
//! Two rankings are fused. The text index knows words, their forms and, by the question's synonyms, their meaning; the
//! vectors know what is spelt alike. A word that the index does not know is held against the names in use, so that a
//! misspelt one stands for what was meant in both. Names and vectors are compared here, one row at a time: what is held
//! is bounded by [`limits::SEARCH_CANDIDATES`], however many tables there are.

mod question;
mod rank;
mod snippet;
mod spelling;

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use db::search::SearchFilter;
use db::{Db, DbError, ObjectRow, Tx};
use domain::ports::embedder::Embedder;
use domain::ports::search::{Search, SearchError, SearchHit, SearchRequest};
use domain::search::Term;
use domain::{ObjectId, Scope, limits};
use tokio::sync::Semaphore;

use self::question::Question;
use self::rank::Nearest;
use self::spelling::Spelling;
use crate::stages::embed;

/// Finds tables and columns.
pub struct ObjectSearch {
    db: Db,
    embedder: Arc<dyn Embedder>,
    places: Semaphore,
}

impl ObjectSearch {
    /// Over the catalogue, with the embedder of stage 9.
    pub fn new(db: Db, embedder: Arc<dyn Embedder>) -> Self {
        Self { db, embedder, places: Semaphore::new(limits::SEARCHES) }
    }

    async fn find(&self, request: &SearchRequest) -> Result<Vec<SearchHit>, SearchError> {
        let typed = question::typed(&request.q);
        if typed.is_empty() {
            return Ok(Vec::new());
        }
        let _place = self.places.acquire().await.map_err(|e| SearchError::Internal(e.to_string()))?;
        let tx = self.db.scope_read(&request.scope).await.map_err(|e| failed(&e))?;
        let offers = offers(&tx, &typed).await.map_err(|e| failed(&e))?;
        let question = Question::new(typed, &offers);
        let vectors = match self.embedder.embed(&question.texts).await {
            Ok(vectors) => vectors,
            Err(error) => {
                tracing::warn!(%error, "the embedder did not answer: this search goes by words alone");
                Vec::new()
            }
        };
        let filter = SearchFilter { dataset: request.dataset, table: request.table, kind: request.kind };
        let hits = self.hits(&tx, &filter, &question, vectors, request.top_k).await.map_err(|e| failed(&e))?;
        tx.commit().await.map_err(|e| failed(&e))?;
        Ok(hits)
    }

    async fn hits(
        &self,
        tx: &Tx,
        filter: &SearchFilter,
        question: &Question,
        vectors: Vec<Vec<f32>>,
        top_k: usize,
    ) -> Result<Vec<SearchHit>, DbError> {
        let by_words = db::search::by_words(tx, filter, &question.terms, limits::SEARCH_CANDIDATES).await?;
        let mut nearest = Nearest::new(vectors, limits::SEARCH_CANDIDATES);
        if !nearest.is_blind() {
            db::search::each_vector(tx, filter, self.embedder.model(), |id, bytes| nearest.see(id, bytes)).await?;
        }
        let best = rank::fuse(&by_words, &nearest.best(), top_k);
        let ids: Vec<ObjectId> = best.iter().map(|(id, _)| *id).collect();
        let rows = db::schema_objects::by_ids(tx, &ids).await?;
        let rows: HashMap<ObjectId, ObjectRow> = rows.into_iter().map(|row| (row.id, row)).collect();
        let hit = |(object, score): (ObjectId, f64)| {
            let snippet = snippet::of(rows.get(&object)?, &question.terms);
            Some(SearchHit { object, score, snippet })
        };
        Ok(best.into_iter().filter_map(hit).collect())
    }

    async fn revise(&self, scope: &Scope, ids: &[ObjectId]) -> Result<(), SearchError> {
        for batch in ids.chunks(embed::BATCH) {
            let tx = self.db.scope_read(scope).await.map_err(|e| failed(&e))?;
            let objects = db::schema_objects::by_ids(&tx, batch).await.map_err(|e| failed(&e))?;
            tx.commit().await.map_err(|e| failed(&e))?;
            let embedded = embed::vectors(self.embedder.as_ref(), &objects).await;
            let embedded = embedded.map_err(|e| SearchError::Unavailable(e.to_string()))?;
            let tx = self.db.scope(scope).await.map_err(|e| failed(&e))?;
            // what was changed meanwhile has other words by now, and is left to whoever changed it
            db::schema_objects::set_vectors(&tx, self.embedder.model(), &embedded).await.map_err(|e| failed(&e))?;
            tx.commit().await.map_err(|e| failed(&e))?;
        }
        Ok(())
    }
}

#[async_trait]
impl Search for ObjectSearch {
    async fn search(&self, request: SearchRequest) -> Result<Vec<SearchHit>, SearchError> {
        let limit = limits::SEARCH_TIMEOUT;
        let late = |_| SearchError::Unavailable(format!("it took longer than {limit:?}"));
        tokio::time::timeout(limit, self.find(&request)).await.map_err(late)?
    }

    async fn refresh(&self, scope: &Scope, objects: &[ObjectId]) {
        if let Err(error) = self.revise(scope, objects).await {
            tracing::warn!(%error, "vectors of changed objects stay as they were");
        }
    }
}

/// What the words may mean that neither the index nor the synonyms know.
async fn offers(tx: &Tx, typed: &[Term]) -> Result<HashMap<String, Vec<String>>, DbError> {
    let mut unknown = Vec::new();
    for term in typed {
        if annotate::synonyms(&term.word).is_empty() && !db::search::knows(tx, term).await? {
            unknown.push(term.word.clone());
        }
    }
    let mut spelling = Spelling::new(unknown);
    if !spelling.is_done() {
        annotate::synonyms::all().for_each(|word| spelling.see(word));
        db::search::each_names(tx, |names| names.split(' ').for_each(|word| spelling.see(word))).await?;
    }
    Ok(spelling.offers())
}

fn failed(error: &DbError) -> SearchError {
    if error.is_transient() {
        SearchError::Unavailable(error.to_string())
    } else {
        SearchError::Internal(error.to_string())
    }
}
