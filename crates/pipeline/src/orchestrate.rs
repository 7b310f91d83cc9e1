//! What the orchestrator does to the feature list. The command line and the engine share it, so that a feature becomes
//! tested in one way only. The engine's workers (`engine::worker`) take features from the list and report here.

mod owner;
mod plan;
mod prompt;
mod report;
mod support;
mod transition;

pub(crate) use owner::{claim_owner, enter};
pub use owner::{last_run, working_run};
pub use plan::{Judge, Orchestrate, OrchestratePlan};
pub(crate) use prompt::{judge_prompt, prompt};
pub use report::{Entry, FeatureReport, OrchestrateReport};
pub use support::FeatureSupport;
pub use transition::{Reported, Shown, pass, prove, report_failed, report_passed};
