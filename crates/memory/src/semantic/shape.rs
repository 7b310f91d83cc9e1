use serde::{Deserialize, Serialize};

/// The length of a vector.
pub const DIMENSIONS: usize = 384;

/// The sizes of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shape {
    /// Word pieces.
    pub(crate) vocabulary: usize,
    /// The longest text in word pieces.
    pub(crate) longest: usize,
    /// The length of a vector.
    pub(crate) hidden: usize,
    pub(crate) heads: usize,
    /// The length of a vector within a layer.
    pub(crate) wide: usize,
    pub(crate) layers: usize,
}

impl Shape {
    /// That of all-MiniLM-L6-v2.
    pub(crate) const MINILM: Self = Self {
        vocabulary: 30_522,
        longest: super::tokenizer::LONGEST_TEXT,
        hidden: DIMENSIONS,
        heads: 12,
        wide: 1_536,
        layers: 6,
    };
}
