//! What each program does with its arguments: the table, and code for programs with their own grammar.

pub(crate) mod archive;
pub(crate) mod awk;
pub(crate) mod container;
pub(crate) mod copy;
pub(crate) mod database;
pub(crate) mod editor;
pub(crate) mod find;
pub(crate) mod git;
pub(crate) mod interpreter;
pub(crate) mod options;
pub(crate) mod package;
pub(crate) mod patch;
pub(crate) mod prompt;
pub(crate) mod sed;
pub(crate) mod sql;
pub(crate) mod stead;
pub(crate) mod table;
pub(crate) mod task;
pub(crate) mod wrapper;
