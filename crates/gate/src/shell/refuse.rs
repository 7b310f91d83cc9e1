//! Self-protection's word on what the table finds, before it is told.

use crate::shield::{Standing, Width};

use super::program::{Reach, holder, refuse_removal};
use super::walk::{Stop, Walk};

/// Refuses a write, and one of a whole folder made for protected things.
pub(super) fn write(walk: &mut Walk<'_>, word: &str, tree: bool, shown: &str) -> Result<(), Stop> {
    walk.refuse_write(word, shown)?;
    match walk.standing(word) {
        Some(Standing::Above(entry, Width::Narrow)) if tree => Err(holder(entry, shown).into()),
        _ => Ok(()),
    }
}

/// Refuses a removal.
pub(super) fn removal(walk: &mut Walk<'_>, word: &str, reach: Reach, shown: &str) -> Result<(), Stop> {
    refuse_removal(walk, word, reach, shown)
}
