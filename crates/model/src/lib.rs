//! The shared nouns of Stead: what a harness tells us ([`Event`]), what a tool call would do ([`Action`]), what we
//! think of it ([`Verdict`]) and what we say back ([`Reply`]).
//!
//! Every other room speaks in these words, so this one depends on nobody. It never reads files, the environment or
//! the clock: callers pass in what it needs.

mod action;
mod capped;
mod effect;
mod event;
mod id;
mod named;
mod patch;
mod path;
mod pieces;
mod project_tree;
mod reply;
mod run;
mod settings;
mod severity;
mod suggestion;
mod time;
mod token;
mod variable;
mod verdict;
mod visible;
mod word;

pub use action::{Action, Change, FileChange, Replacement, ToolCall};
pub use capped::Capped;
pub use effect::{
    Access, Content, Coverage, Effect, Effects, Gap, GitKind, GitOp, How, ITSELF, Op, SteadCall, SteadProgram,
    SteadWord, Target, Untracked,
};
pub use event::{Agent, Author, Detail, Event, EventKind, Trigger, TypedCommand};
pub use id::FileId;
pub use patch::patch_changes;
pub use path::clean;
pub use pieces::{cut, pieces};
pub use project_tree::ProjectTree;
pub use reply::Reply;
pub use run::{Hidden, Print, Run, RunOutput};
pub use settings::{Base, Shape, Spot, Syntax};
pub use severity::Severity;
pub use suggestion::{edit_distance, expected_one_of, nearest, suggestion};
pub use time::{rfc3339, unix_millis};
pub use token::{BYTES_PER_TOKEN, tokens};
pub use variable::is_variable;
pub use verdict::{Level, Reason, Verdict};
pub use visible::{is_hidden, is_misleading, visible};
pub use word::{each_word, stem};
