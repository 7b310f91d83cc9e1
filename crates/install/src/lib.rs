//! Installs Stead's lines in clients' settings and its commands beside them, removes them, and proves that they work.
//!
//! The files belong to the person, so every change is first a [`Plan`] that can be shown as a diff, then applied file
//! by file and recorded in an [`UndoRecord`] that restores the old bytes. [`diagnose`] runs the installed lines the way
//! the clients do. Nothing here prints, asks, or touches a client's own trust store.

mod agent_file;
mod agent_template;
mod apply;
mod capability;
mod check;
mod choice;
mod command_file;
mod diagnosis;
mod diff;
mod entry_edit;
mod error;
mod exclude;
mod heartbeat;
mod hook_command;
mod include_line;
mod installed;
mod layer;
mod left_server;
mod own_file;
mod payload;
mod plan;
mod project_check;
mod proof;
mod server_entry;
mod server_proof;
mod signature;
mod site;
mod status_entry;
mod summary;
mod template;
mod undo;
mod uninstall;

pub use agent_file::{AgentDefinition, agent_definitions, plan_agents};
pub use apply::{Applied, apply};
pub use capability::{Capability, capability};
pub use check::{Check, Status};
pub use choice::{detect, named};
pub use command_file::{CommandReport, plan_commands, plan_old_commands};
pub use diagnosis::{Diagnosis, HarnessReport, InstallReport, diagnose};
pub use diff::{diff, text_diff};
pub use error::InstallError;
pub use exclude::Exclude;
pub use heartbeat::{Heartbeat, heartbeats};
pub use include_line::{Instructions, plan_include};
pub use installed::{Installed, installed, installed_in};
pub use layer::{CallsHere, calls_here};
pub use plan::{Note, Old, Plan, plan};
pub use proof::Outcome;
pub use server_entry::plan_servers;
pub use site::{Reach, Site};
pub use status_entry::{StatusLineReport, plan_status_lines};
pub use summary::summary;
pub use template::instructions;
pub use undo::UndoRecord;
pub use uninstall::plan_removal;

pub(crate) use plan::FileEdit;
pub(crate) use proof::LineProof;
