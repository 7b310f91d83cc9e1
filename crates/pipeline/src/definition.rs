//! Stage and pipeline files: where they are, what they say, and where in them it is said.
//!
//! Reading never stops at the first fault: it yields what could be understood and a finding for what could not. It
//! never runs anything.

mod builtin;
mod catalog;
mod ending;
mod error;
mod fan;
mod graph;
mod limits;
mod name;
mod new;
mod output;
mod pipeline;
mod reading;
mod source;
mod stage;
mod step;
mod view;
mod worker;
mod yaml;
mod yaml_fault;

pub use catalog::{Catalog, Origin};
pub use error::DefinitionError;
pub use source::SourceFile;
pub use view::{PipelineView, StageView};
pub use worker::{parse_provider, provider_name};

pub(crate) use catalog::{Fixtures, Loaded, StageFiles};
pub(crate) use graph::{Graph, graph, is_chain, stage_meant};
pub(crate) use limits::is_retry_key;
pub(crate) use name::name_problem;
pub(crate) use output::Output;
pub(crate) use pipeline::{PipelineDefinition, read_pipeline};
pub(crate) use stage::{Beyond, DROPPED, OLD_FILE, StageDefinition, beyond, read_stage};
pub(crate) use step::Step;
pub(crate) use yaml::{Entry, Tree, Value, parse};
