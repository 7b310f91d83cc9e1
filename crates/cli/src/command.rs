//! One file per command: its arguments and one function. What could be used twice lives in its room.

pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod files;
pub(crate) mod handoff;
pub(crate) mod hook;
pub(crate) mod init;
pub(crate) mod loop_;
pub(crate) mod migrate;
pub(crate) mod note;
pub(crate) mod packet;
pub(crate) mod pickup;
pub(crate) mod role;
pub(crate) mod schema;
pub(crate) mod uninstall;
pub(crate) mod where_;
