//! Evidence: facts that Stead observed or ran itself, and what they prove about features.
//!
//! A test or build that a hook saw, or that `stead verify` ran, becomes an [`Item`]: the command, its result, the
//! counts in the runner's summary, and the state of the files it covers. It expires when those files change. What an
//! agent adds is stored too, but never proves anything, and neither does a record that the log's hash chain does not vouch
//! for. [`standing`] computes whether a feature is proven now.
//!
//! It never judges an event; gates and guards query it. It prints nothing and reads neither clock nor environment.

mod about;
mod archive;
mod browser;
mod counts;
mod coverage;
mod criteria;
mod definition;
mod digest;
mod environment;
mod error;
mod ground;
mod item;
mod kind;
mod leaned;
mod named_file;
mod observe;
mod offering;
mod pattern_finding;
mod proof;
mod ran;
mod record_link;
mod runner;
mod severity;
mod source;
mod standing;
mod summary;
mod text;
mod tree;
mod tree_cache;
mod trust;
mod verification;
mod verifier;
mod verify;

pub use about::About;
pub use archive::Archive;
pub use counts::Counts;
pub use coverage::{Coverage, CoverageFormat, parse_coverage, read_coverage};
pub use criteria::unmet_criteria;
pub use digest::{Digest, DigestOptions, Group, digest};
pub use error::EvidenceError;
pub use ground::{Bounds, Ground};
pub use item::{Attachment, Item, Output, Who};
pub use kind::Kind;
pub use leaned::{Leaned, Wrote};
pub use observe::{Phase, Seen, could_be_evidence, observe, shown as shown_command};
pub use offering::{Offering, add};
pub use pattern_finding::pattern_findings;
pub use record_link::RecordLink;
pub use runner::is_test_or_build;
pub use severity::Severity;
pub use source::Source;
pub use standing::{NotProven, Standing, foreign_features, proof_of, standing, standing_of};
pub use summary::summarise;
pub use tree::{Tree, holds, may_hold_below, project_tree, tree_of};
pub use trust::Trust;
pub use verification::{
    Recorded, TestsRan, Verification, Verified, command_proof, fresh_verification, record_run, tests_ran,
};
pub use verify::{Runner, Verify};
