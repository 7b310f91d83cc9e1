//! The real binary in sealed worlds, its whole output compared.

mod bad_input;
mod config;
mod context;
mod doctor;
mod hook;
mod init;
mod record;
mod root;
mod schema;
mod uninstall;
mod where_;
mod world;
