//! The grammar as a whole: against a naive matcher, against git, and against the paths that two patterns share.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod git;
mod reference;
