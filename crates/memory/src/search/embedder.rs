use crate::semantic::{DIMENSIONS, SemanticModel};

/// A model that turns texts into vectors of length 1, such that texts with a similar meaning are near each other.
pub trait Embedder {
    /// Tells models apart: vectors of another one are worth nothing.
    fn id(&self) -> &str;

    /// Embeds texts, in their order. The same text always gives the same vector.
    fn embed_all(&self, texts: &[&str]) -> Vec<Vec<f32>>;
}

impl Embedder for SemanticModel {
    fn id(&self) -> &str {
        self.id()
    }

    fn embed_all(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        self.embed_batch(texts)
    }
}

/// Embeds one text. What is no vector is near nothing.
pub(crate) fn embed(embedder: &dyn Embedder, text: &str) -> [f32; DIMENSIONS] {
    embedder.embed_all(&[text]).pop().and_then(|vector| vector.try_into().ok()).unwrap_or([0.0; DIMENSIONS])
}
