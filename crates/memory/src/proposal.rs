//! Proposals: what a pattern leads to. A guard is drafted over effects, tried on the whole recorded history, and written
//! as a proposal that a person accepts. Nothing here makes a guard apply.

mod back_test;
mod candidate;
mod draft;
mod example;
mod general;
mod stored;
#[cfg(test)]
mod tests;

pub use back_test::BackTest;
pub use draft::{Draft, DraftRequest, draft_guard_of};
pub use stored::{Proposal, ProposalKind, Proposals};
