use crate::index::DIMENSIONS;

/// A model that turns texts into vectors of length 1, such that texts with a similar meaning are near each other.
pub trait Embedder {
    /// Names the model and its version: vectors of another one are worth nothing.
    fn name(&self) -> &str;

    /// Embeds a text. The same text always gives the same vector.
    fn embed(&self, text: &str) -> [f32; DIMENSIONS];
}
