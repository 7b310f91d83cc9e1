//! The real binary in sealed worlds, its whole output compared.

mod bad_input;
mod doctor;
mod hook;
mod init;
mod record;
mod root;
mod uninstall;
mod world;
