//! Systems that do not list other processes: only the process group is known, and nothing else can be proven.

#[cfg(unix)]
use std::io;
#[cfg(unix)]
use std::path::Path;

use super::{EndSignal, Process};

/// Only the process group is known.
pub(crate) const LISTS_PROCESSES: bool = false;

pub(crate) fn adopt_orphans() {}

/// A file without a name beside another one.
#[cfg(unix)]
pub(super) fn nameless_file(beside: &Path) -> io::Result<std::fs::File> {
    let path = beside.with_extension("input");
    let file = std::fs::OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

/// A placeholder for a process handle.
#[cfg(unix)]
pub(crate) type Handle = std::os::fd::OwnedFd;
#[cfg(not(unix))]
pub(crate) type Handle = std::convert::Infallible;

pub(crate) fn handle(_: u32) -> Option<Handle> {
    None
}

pub(crate) fn process(_: u32) -> Option<Process> {
    None
}

pub(crate) fn processes() -> Vec<u32> {
    Vec::new()
}

pub(crate) fn children(_: u32) -> Vec<u32> {
    Vec::new()
}

pub(crate) fn environment(_: u32) -> Vec<u8> {
    Vec::new()
}

pub(crate) fn work_dir(_: u32) -> Option<std::path::PathBuf> {
    None
}

pub(crate) fn command_line(_: u32) -> String {
    String::new()
}

/// Kills the process with this id; the caller knows by other means which process that is.
#[cfg(unix)]
pub(crate) fn send_signal(target: &Process, _: Option<&Handle>, signal: EndSignal) {
    if let Ok(pid) = super::unix::pid(target.pid) {
        let _ = rustix::process::kill_process(pid, super::unix::signal_of(signal));
    }
}

#[cfg(not(unix))]
pub(crate) fn send_signal(_: &Process, _: Option<&Handle>, _: EndSignal) {}

pub(crate) fn is_same(_: &Process) -> bool {
    false
}

pub(crate) fn collect(_: &Process) {}

pub(crate) fn boot_id() -> Option<String> {
    None
}

pub(crate) fn host() -> Option<String> {
    None
}

#[cfg(unix)]
pub(super) fn is_ignored(_: i32) -> bool {
    false
}
