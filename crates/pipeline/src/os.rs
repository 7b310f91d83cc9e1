//! What differs between operating systems when processes are started, watched and ended. It makes no decisions.
//!
//! Linux lists every process and its descendants, and has handles that always refer to the same process. Other Unix
//! systems have process groups only, and elsewhere only the program itself can be ended.

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
pub(crate) enum EndSignal {
    /// It may clean up first.
    Term,
    Kill,
}

/// A process as the system reports it. Id and start time together identify one process forever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    pub(crate) group: u32,
    pub(crate) session: u32,
    /// When it started, in ticks since boot.
    pub(crate) start: u64,
    /// It has ended and was not reaped yet.
    pub(crate) is_zombie: bool,
}
