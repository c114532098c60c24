//! Embeddings of schema objects, for search. The offline embedder lives in `annotate`.

use async_trait::async_trait;

/// An embedder could not answer; the stage fails as transient.
#[derive(Debug, thiserror::Error)]
#[error("embedder: {0}")]
pub struct EmbedError(pub String);

/// Turns texts into vectors.
#[async_trait]
pub trait Embedder: Send + Sync + 'static {
    /// Name stored beside each vector, so that vectors of different models are never compared.
    fn model(&self) -> &str;
    /// Length of its vectors.
    fn dimensions(&self) -> usize;
    /// One unit-length vector per text, in order.
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError>;
}
