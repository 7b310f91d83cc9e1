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
pub mod lint;
mod lock;
mod os;
mod plan;
pub mod prompt;
pub mod provider;
mod state;
mod status;

pub use amendment::{Amendment, Change};
pub use background::start_in_background;
pub use compile::{CompileOptions, Compiled, Purpose, What, changed_sources, compile};
pub use context_file::{
    CONTEXT_SCHEMA, Context, ContextBranch, ContextBudget, ContextInputs, ContextLimits, ContextPaths, ContextStage,
    Verification,
};
pub use definition::{
    Catalog, DefinitionError, Origin, PipelineView, SourceFile, StageView, parse_provider, provider_name,
};
pub use engine::{
    Engine, EngineError, Observer, RunEnd, RunFolder, RunView, Surroundings, Unobserved, ViewStatus, list_runs,
    request_stop,
};
pub use event::{EVENT_VERSION, EventLine, RunEvent};
pub use lock::{Holder, LockError, RunLock};
pub use plan::{
    Branch, Guardrails, Input, Join, Node, OnLimit, OnQuota, Outcome, Plan, Provider, Select, Source, Termination, When,
};
pub use state::{ErrorKind, NodeState, NodeStatus, RunError, RunStatus, STATE_SCHEMA, State};
pub use status::{BlockedOn, Decision, STATUS_LIMIT, Status, StatusProblem, Work};
