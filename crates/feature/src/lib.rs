//! Features: the list of a project's work, and the machine that decides what is next.
//!
//! [`FeatureList`] and [`Outline`] read `feature-list.json`, [`Document`] changes it without touching the rest, and
//! [`transact`] does so for one process at a time. [`decide`] is the machine: what an [`Event`] changes, and [`next`]:
//! what to do now. A feature becomes tested only with a [`Proven`], which `evidence` makes.
//!
//! It runs nothing, prints nothing and reads no clock: moments are parameters.

mod action;
mod authorship;
mod claim;
mod command;
mod decide;
mod document;
mod error;
mod event;
mod export;
mod fault;
mod feature;
mod graph;
mod heading;
mod import;
mod links;
mod list;
mod next;
mod outline;
mod patch;
mod proven;
mod queue;
mod quick;
mod row;
mod session_state;
mod status;
mod step;
mod transact;
mod weakening;

pub use action::{Action, Summary};
pub use authorship::{AgentVerifiers, BY_AGENT, BY_PERSON, VERIFIERS_BY, new_verifiers};
pub use claim::{Claim, Task};
pub use command::{Agent, Command, CommandTask, Context, Rollback};
pub use decide::{Change, Refused, Rules, decide};
pub use document::{Document, Members};
pub use error::FeatureError;
pub use event::Event;
pub use export::markdown;
pub use feature::{Failure, Feature, NeedsHuman};
pub use graph::{Graph, Node};
pub use heading::Heading;
pub use import::{Draft, Form, Imported, Merged, import, merge};
pub use list::FeatureList;
pub use next::next;
pub use outline::Outline;
pub use patch::Patch;
pub use proven::Proven;
pub use queue::{Queue, Readiness};
pub use row::Row;
pub use session_state::{Past, Pause, SessionState};
pub use status::{BlockedOn, Status};
pub use step::{State, Step, step};
pub use transact::{Opened, transact};
pub use weakening::{Weakening, weakenings};
