/// Limits for reading one file. They count work instead of time, so that the same text always gives the same answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The longest text that is parsed.
    pub bytes: usize,
    /// How deep the syntax tree may be.
    pub depth: usize,
    /// How many syntax nodes the tree may have.
    pub terms: usize,
    /// How often the parser may report progress, per 1,000 bytes (it does so every hundred operations).
    pub steps: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { bytes: 2_000_000, depth: 1_000, terms: 1_000_000, steps: 50 }
    }
}
