//! Installs Stead's lines in clients' settings and its commands beside them, removes them, and proves that they work.
//!
//! The files belong to the person, so every change is first a [`Plan`] that can be shown as a diff, then applied file
//! by file and recorded in an [`UndoRecord`] that restores the old bytes. [`diagnose`] runs the installed lines the way
//! the clients do. Nothing here prints, asks, or touches a client's own trust store.

mod apply;
mod capability;
mod check;
mod choice;
mod command_file;
mod command_line;
mod diagnosis;
mod diff;
mod error;
mod heartbeat;
mod installed;
mod layer;
mod payload;
mod plan;
mod project_check;
mod proof;
mod seal;
mod site;
mod template;
mod undo;
mod uninstall;

pub use apply::{Applied, apply};
pub use capability::{Capability, capability};
pub use check::{Check, Status};
pub use choice::{Detected, detect, named};
pub use command_file::{CommandReport, plan_commands, plan_old_commands};
pub use command_line::line_command;
pub use diagnosis::{Diagnosis, HarnessReport, InstallReport, diagnose};
pub use diff::{diff, text_diff};
pub use error::InstallError;
pub use heartbeat::Heartbeat;
pub use installed::{Installed, installed};
pub use plan::{FileEdit, Note, Old, Plan, plan};
pub use proof::{LineProof, Outcome};
pub use site::{Env, Reach, Site};
pub use undo::{UndoFile, UndoRecord};
pub use uninstall::plan_removal;
