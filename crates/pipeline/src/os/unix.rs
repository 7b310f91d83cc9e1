//! Starting, waiting and signalling on every Unix system.

use std::fs::{File, OpenOptions};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::EndSignal;

/// How often to poll if no bell could be created.
const LOOK_AROUND: Duration = Duration::from_millis(100);

/// Wakes all who wait for it, once and for good.
#[derive(Debug)]
pub(crate) struct Bell(Option<(PipeReader, PipeWriter)>);

impl Default for Bell {
    fn default() -> Self {
        Self(io::pipe().ok())
    }
}

impl Bell {
    pub(crate) fn ring(&self) {
        if let Some((_, writer)) = &self.0 {
            let mut writer = writer;
            let _ = writer.write(&[1]);
        }
    }

    /// Waits for any of them; a bell is never read, so that it wakes the next waiter too.
    pub(crate) fn wait(bells: &[&Self], time: Duration) {
        let fds: Vec<_> = bells.iter().filter_map(|bell| bell.fd()).collect();
        let time = if fds.len() < bells.len() { time.min(LOOK_AROUND) } else { time };
        let _ = ready(&fds, Some(time));
    }

    pub(crate) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.0.as_ref().map(|(reader, _)| reader.as_fd())
    }
}

/// Waits until one of them is readable or closed, or the time is up; returns which.
pub(crate) fn ready(fds: &[BorrowedFd<'_>], time: Option<Duration>) -> io::Result<Vec<bool>> {
    let mut polled: Vec<_> = fds.iter().map(|fd| PollFd::new(fd, PollFlags::IN)).collect();
    let time = time.and_then(|time| Timespec::try_from(time).ok());
    match poll(&mut polled, time.as_ref()) {
        Ok(_) => Ok(polled.iter().map(|fd| !fd.revents().is_empty()).collect()),
        Err(rustix::io::Errno::INTR) => Ok(vec![false; fds.len()]),
        Err(error) => Err(error.into()),
    }
}

/// Makes the command the leader of its own session and process group: it has no terminal, Ctrl-C at the engine's
/// terminal does not reach it directly, and its descendants can be told from the engine's.
#[expect(unsafe_code, reason = "std cannot start a session, and a program that was started cannot be made to")]
pub(crate) fn lead_session(command: &mut Command) {
    // SAFETY: setsid(2) is async-signal-safe, and nothing else happens between fork and exec.
    unsafe { command.pre_exec(|| Ok(rustix::process::setsid().map(drop)?)) };
}

/// Returns true if this file is executable.
pub(crate) fn may_run(data: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&data.permissions()) & 0o111 != 0
}

/// Opens a log for appending. A link or a pipe in its place is rejected: agents can write to the folder.
pub(crate) fn open_log(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits();
    OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(flags.cast_signed()).open(path)
}

/// Opens or creates a file that several processes share.
pub(crate) fn open_shared(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(flags);
    options.open(path)
}

/// Opens a file for reading without ever blocking.
pub(crate) fn open_to_look(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

/// Returns true if this open file is the one with that name.
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |data: std::fs::Metadata| (data.dev(), data.ino());
    matches!((file.metadata().map(id), std::fs::symlink_metadata(path).map(id)), (Ok(open), Ok(named)) if open == named)
}

/// A standard input with these bytes that never blocks.
pub(crate) fn input(bytes: &[u8], beside: &Path) -> io::Result<Stdio> {
    if bytes.is_empty() {
        return Ok(Stdio::null());
    }
    let mut file = super::nameless_file(beside)?;
    file.write_all(bytes)?;
    io::Seek::rewind(&mut file)?;
    Ok(file.into())
}

/// Becomes ready when this child ends, without reaping it.
pub(crate) fn exit_watch(child: u32) -> io::Result<OwnedFd> {
    let pid = pid(child)?;
    if let Some(handle) = super::handle(child) {
        return Ok(handle);
    }
    let (reader, writer) = io::pipe()?;
    thread::Builder::new().name("agent-exit".into()).spawn(move || {
        while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
        {
        }
        drop(writer);
    })?;
    Ok(reader.into())
}

/// Signals everything in the group that this child leads. The child must not have been reaped yet: only then is its id
/// sure to be its own.
pub(crate) fn signal_group(leader: u32, signal: EndSignal) {
    if let Ok(leader) = pid(leader) {
        let _ = kill_process_group(leader, signal_of(signal));
    }
}

pub(super) fn signal_of(signal: EndSignal) -> Signal {
    match signal {
        EndSignal::Term => Signal::TERM,
        EndSignal::Kill => Signal::KILL,
    }
}

pub(super) fn pid(number: u32) -> io::Result<Pid> {
    let raw = i32::try_from(number).ok().and_then(Pid::from_raw);
    raw.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no process has this number"))
}

/// The signal that killed a program.
pub(crate) fn ending_signal(status: std::process::ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

/// Calls back, from its own thread, at each signal that asks this program to end.
pub(crate) fn on_end_signals(mut heard: impl FnMut() + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let (mut reader, writer) = io::pipe()?;
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // Whoever started us with them ignored (`nohup`, a script's background job) meant it.
        if !super::is_ignored(signal) {
            signal_hook::low_level::pipe::register(signal, OwnedFd::from(writer.try_clone()?))?;
        }
    }
    thread::Builder::new().name("signals".into()).spawn(move || {
        let mut byte = [0];
        while reader.read_exact(&mut byte).is_ok() {
            heard();
        }
    })?;
    Ok(())
}
