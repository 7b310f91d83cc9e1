//! Stage and pipeline files: where they are, what they contain, and the position of each part.
//!
//! Reading never stops at the first problem: it returns what could be parsed and a finding for the rest. It never runs
//! anything.

mod builtin;
mod catalog;
mod error;
mod fan;
mod graph;
mod limits;
mod name;
mod new;
mod output;
mod pipeline;
mod provider;
mod reading;
mod source;
mod stage;
mod step;
mod termination;
mod verify;
mod view;

pub use catalog::{Catalog, Fixtures, LoadFault, Loaded, Origin, StageFiles};
pub use error::DefinitionError;
pub use fan::Fan;
pub use graph::Graph;
pub use limits::{Limits, is_retry_key};
pub use output::Output;
pub use pipeline::{PipelineDefinition, read_pipeline};
pub use provider::{parse_provider, provider_name};
pub use source::SourceFile;
pub use stage::{DROPPED, OLD_FILE, StageDefinition, read_stage};
pub use step::{Condition, Named, Step};
pub use verify::Verify;
pub use view::{PipelineView, StageView};

pub(crate) use graph::{graph, is_chain, stage_meant};
pub(crate) use name::name_problem;
pub(crate) use stage::{Unreachable, unreachable_within};
pub(crate) use termination::default_queue;
