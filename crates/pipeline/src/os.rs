//! What differs between operating systems when processes are started, watched and ended. It never decides anything.
//!
//! Linux shows every process and its kin, and gives handles that cannot come to mean another process. Other Unix systems
//! know process groups only, and elsewhere only the program itself can be ended.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::*;

#[cfg(not(unix))]
mod other;
#[cfg(not(unix))]
pub(crate) use other::*;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub(crate) use linux::*;

#[cfg(not(target_os = "linux"))]
mod blind;
#[cfg(not(target_os = "linux"))]
pub(crate) use blind::*;

/// How a process is told to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Blow {
    /// It may put things in order first.
    Term,
    Kill,
}

/// A process as the system sees it. Number and start together mean one process for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    pub(crate) group: u32,
    pub(crate) session: u32,
    /// When it started, in ticks since the system did.
    pub(crate) start: u64,
    /// It has ended and waits for its parent to take note.
    pub(crate) is_zombie: bool,
}
