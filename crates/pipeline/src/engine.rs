//! A run: started from a frozen plan, resumed where it stopped, inspected, and asked to stop.
//!
//! Everything about a run is in its folder. One write of `state.json` makes an iteration count, so that a kill at any
//! time costs at most the current iteration. The engine never prints, never reads an agent's prose for its decisions,
//! and never starts anything after a failure.

mod adopt;
mod agent;
mod amend;
mod assignment;
mod attempt;
mod attempt_result;
mod board;
mod budget;
mod command;
mod discard;
mod error;
mod event_log;
mod fault;
mod feature_queue;
mod feature_test;
mod feature_tree;
mod folder;
mod frozen;
mod git;
mod initializer;
mod inputs;
mod iteration;
mod iteration_input;
mod journal;
mod judge;
mod leftover;
mod list_review;
mod node_end;
mod node_run;
mod output_parse;
mod output_path;
mod previous;
mod quota;
mod rebuild;
mod repeat;
mod reserve;
mod restore;
mod resume;
mod run;
mod run_end;
mod scrub;
mod snapshot;
mod start;
mod surroundings;
mod termination;
#[cfg(test)]
mod testing;
mod verification;
mod view;
mod wait;
mod worker;
mod worktree;

pub use adopt::agents;
pub(crate) use command::open_items;
pub use command::shell;
pub use error::EngineError;
pub(crate) use folder::PLAN_SCHEMA;
pub use folder::RunFolder;
pub(crate) use leftover::commits_between;
pub use run_end::RunEnd;
pub use start::Engine;
pub use surroundings::{AgentIntent, EndedAgent, Observer, Surroundings, Unobserved};
pub use view::{RunView, ViewStatus, list_runs, request_stop};
pub use wait::BACK_OFF;
pub(crate) use worktree::base as worktree_base;
