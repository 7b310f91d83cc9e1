//! The engine: stages and pipelines of agents, the plan of a run, and the run itself.
//!
//! A run fails fast and says how, continues where it stopped, and keeps what its agents wrote. It never prints and
//! never interprets an agent's prose.

mod amendment;
mod background;
mod compile;
mod context_file;
pub mod custody;
pub mod definition;
mod engine;
mod event;
mod extension;
pub mod lint;
mod lock;
pub mod orchestrate;
mod os;
pub mod page;
mod plan;
pub mod preflight;
pub mod prompt;
pub mod provider;
mod state;
mod status;

pub use amendment::{Change, ReloadedLimits, RunLimits};
pub use background::start_in_background;
pub use compile::{CompileOptions, Purpose, What, changed_sources, compile};
pub use definition::{Catalog, DefinitionError, Origin, PipelineView, StageView, parse_provider, provider_name};
pub use engine::{
    AgentIntent, BACK_OFF, EndedAgent, Engine, EngineError, Observer, RunEnd, RunFolder, RunView, Surroundings,
    Unobserved, ViewStatus, agents, list_runs, request_stop, shell,
};
pub use event::{EventLine, RunEvent};
pub use extension::Extension;
pub use lock::{Holder, RunLock};
pub use plan::{
    Branch, Guardrails, Input, Join, Node, OnFailure, OnLimit, OnQuota, Outcome, Plan, Provider, Select, Termination,
    VerifyMust, When,
};
pub use state::{ErrorKind, NodeState, NodeStatus, RunStatus, State};
pub use status::{Decision, Status};

pub(crate) use amendment::Amendment;
pub(crate) use definition::SourceFile;
pub(crate) use engine::PLAN_SCHEMA;
pub(crate) use plan::Source;
