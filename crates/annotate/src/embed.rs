//! The offline embedder: hashed words and character trigrams, so that names spelt alike lie close, without any model file.

use async_trait::async_trait;
use domain::ports::embedder::{EmbedError, Embedder};

use crate::hash;
use crate::words::words;

/// Name stored beside each vector. A change of what a vector means needs a new one.
pub const MODEL: &str = "flyquery-ngram-256-v1";
/// Length of the vectors.
pub const DIMENSIONS: usize = 256;

/// Weight of a whole word against one of its trigrams: enough that the same word beats a similar one, too little to drown a
/// misspelt one.
const WORD_WEIGHT: f32 = 1.5;

/// Embeds texts by the words and trigrams in them.
#[derive(Debug, Default, Clone, Copy)]
pub struct OfflineEmbedder;

impl OfflineEmbedder {
    /// The embedder.
    pub fn new() -> Self {
        Self
    }

    /// The unit-length vector of a text. Case, punctuation and `camelCase` make no difference.
    pub fn vector(text: &str) -> Vec<f32> {
        let mut vector = vec![0.0_f32; DIMENSIONS];
        for word in words(text) {
            add(&mut vector, &format!("={word}"), WORD_WEIGHT);
            let padded: Vec<char> = std::iter::once('^').chain(word.chars()).chain(std::iter::once('$')).collect();
            for trigram in padded.windows(3) {
                add(&mut vector, &String::from_iter(trigram), 1.0);
            }
        }
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        if length > 0.0 {
            for x in &mut vector {
                *x /= length;
            }
        } else {
            // No word, or words that cancelled out: a direction is still owed.
            vector[0] = 1.0;
        }
        vector
    }
}

/// Adds a feature at the place and with the sign its hash says: collisions then cancel out on average.
fn add(vector: &mut [f32], feature: &str, weight: f32) {
    let hash = hash::bytes(feature.as_bytes());
    let place = (hash % vector.len() as u64) as usize;
    vector[place] += if hash >> 63 == 0 { weight } else { -weight };
}

#[async_trait]
impl Embedder for OfflineEmbedder {
    fn model(&self) -> &str {
        MODEL
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| Self::vector(text)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(a: &str, b: &str) -> f32 {
        OfflineEmbedder::vector(a).iter().zip(OfflineEmbedder::vector(b)).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn vectors_have_unit_length_even_of_nothing() {
        for text in ["customers.email", "", "---", "日本", "a"] {
            let length: f32 = OfflineEmbedder::vector(text).iter().map(|x| x * x).sum();
            assert!((length - 1.0).abs() < 1e-5, "{text}: {length}");
        }
    }

    #[test]
    fn spelling_decides_how_close_texts_are() {
        assert!((cosine("customerEmail", "CUSTOMER_EMAIL") - 1.0).abs() < 1e-5);
        assert!(cosine("custmer emial", "customers.email") > cosine("custmer emial", "orders.status") + 0.2);
        assert!(cosine("mail", "customers.email") > cosine("mail", "customers.city"));
        assert!(cosine("unit price", "products.unit_price") > 0.7);
        assert!(cosine("unit price", "orders.customer_id").abs() < 0.3);
    }
}
