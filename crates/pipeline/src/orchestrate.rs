//! What the orchestrator does to the feature list. The command line and the engine share it, so that a feature becomes
//! tested in one way only.

mod transition;

pub use transition::{Reported, report_failed, report_passed};
