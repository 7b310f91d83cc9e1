//! The one estimate of how long a text is for a model. Every budget and every size that Stead prints uses it.

/// A token is estimated as this many bytes of UTF-8.
pub const BYTES_PER_TOKEN: usize = 4;

/// Estimates the tokens of a text: its bytes by four, rounded up.
pub const fn tokens(text: &str) -> usize {
    text.len().div_ceil(BYTES_PER_TOKEN)
}
