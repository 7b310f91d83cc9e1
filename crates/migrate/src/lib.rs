//! Migration: files of other tools become loops, packets and role files; stages, pipelines and prompts of the older
//! format are rewritten in place.
//!
//! Each half first lists what it would do and then applies it file by file. It never deletes a file of another tool
//! and never prints.

mod import;
mod older_run;
mod rewrite;

pub use import::{Import, ImportKind, ImportPlaces, Outcome, apply_import, find_imports};
pub use older_run::{OlderRun, older_runs};
pub use rewrite::{Rewrite, Rewrites, apply_rewrite, find_rewrites};
