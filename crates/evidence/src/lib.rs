//! Evidence: facts that Stead observed or ran itself, and the features whose claims lean on them.
//!
//! A test or build that a hook saw, or that `stead verify` ran, becomes an [`Item`]: what was run, how it ended, what the
//! runner's own summary says, and the state of the files it speaks for. It expires when those files change. What an agent
//! says itself is kept beside it and never suffices. [`standing`] says what a feature's claim could lean on now.
//!
//! It never judges an event; gates and guards ask it what is known. It prints nothing and takes neither clock nor
//! environment by itself.

mod about;
mod archive;
mod command_line;
mod counts;
mod digest;
mod error;
mod feature;
mod feature_list;
mod ground;
mod item;
mod joint;
mod kind;
mod named_file;
mod normal;
mod observe;
mod offering;
mod pattern_finding;
mod proof;
mod runner;
mod severity;
mod source;
mod standing;
mod summary;
mod text;
mod tree;
mod tree_cache;
mod verification;

pub use about::About;
pub use archive::Archive;
pub use counts::Counts;
pub use digest::{Digest, DigestOptions, Group, digest};
pub use error::EvidenceError;
pub use feature::Feature;
pub use feature_list::FeatureList;
pub use ground::{Bounds, Ground};
pub use item::{Attachment, Item, Output, Who};
pub use kind::Kind;
pub use observe::{Seen, could_be_evidence, observe};
pub use offering::{Offering, add};
pub use pattern_finding::pattern_findings;
pub use severity::Severity;
pub use source::Source;
pub use standing::{Standing, standing, standing_of};
pub use summary::summarise;
pub use tree::{Tree, holds, may_hold_below, project_tree, tree_of};
pub use verification::{Recorded, TestsRan, Verification, Verified, fresh_verification, record_run, tests_ran};
