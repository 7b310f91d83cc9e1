//! Checks stages and pipelines; each finding has a code, a position and a hint.
//!
//! It never changes a file and never runs anything; `docs/lint.md` is its manual.

mod code;
mod finding;
mod fixture;
mod named_input;
mod pipeline;
mod prompt;
mod render;
mod sarif;
mod shared_output;
mod stage;
mod sweep;
#[cfg(test)]
mod tests;

pub use code::Code;
pub use finding::{Finding, Findings, Severity};
pub use named_input::implied_inputs;
pub use pipeline::{CheckedPipeline, CheckedStep, check_pipeline};
pub use render::{as_json, brief, render};
pub use sarif::sarif;
pub use stage::CheckedStage;
pub use sweep::{lint_all, lint_pipeline, lint_stage, lint_stages, strict};

pub(crate) use finding::Hinting;
pub(crate) use stage::{check_alone, check_stage};
