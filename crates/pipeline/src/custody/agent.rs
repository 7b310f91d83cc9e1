use std::io::{self, PipeReader, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::bounds::Bounds;
use super::captured::Captured;
use super::descendants::{LAUNCH_VARIABLE, Mark, RUN_VARIABLE, nested};
use super::launch::Launch;
use super::log::{Log, Voice};
use super::registry::Registry;
use super::{Cancel, Urgency};
use crate::os;

/// How often to retry a program that is still being written, and the pause in between.
const BUSY_TRIES: u32 = 25;
const BUSY_NAP: Duration = Duration::from_millis(20);

/// How often to poll if nothing can wake us.
const LOOK_AROUND: Duration = Duration::from_millis(100);

/// The maximum number of blocks to drain from a pipe without waiting: more than a pipe holds.
const LAST_BLOCKS: usize = 64;

const BLOCK: usize = 64 << 10;

/// A running agent and its output pipes.
pub(crate) struct Agent {
    child: Child,
    pub(crate) mark: Mark,
    exit: OwnedFd,
    has_exited: bool,
    stdout: Option<PipeReader>,
    stderr: Option<PipeReader>,
    block: Vec<u8>,
    pub(crate) log: Log,
    pub(crate) said: Captured,
}

impl Agent {
    pub(crate) fn start(launch: &Launch, bounds: &Bounds) -> Result<Self, String> {
        let because = |doing: &str, error: &io::Error| format!("could not {doing}: {error}");
        let program = launch.argv.first().ok_or_else(|| "there is no program to start".to_owned())?;
        let log = Log::open(&launch.log, bounds)
            .map_err(|error| because(&format!("open the log `{}`", launch.log.display()), &error))?;
        let start = || -> io::Result<_> {
            let (stdout, to_stdout) = io::pipe()?;
            let (stderr, to_stderr) = io::pipe()?;
            let mark = mark();
            let mut command = Command::new(program);
            command.args(&launch.argv[1..]).current_dir(&launch.dir);
            for name in &launch.unset {
                command.env_remove(name);
            }
            command.envs(launch.env.iter().map(|(name, value)| (name, value)));
            command.env(RUN_VARIABLE, nested(RUN_VARIABLE, &launch.run_id));
            command.env(LAUNCH_VARIABLE, nested(LAUNCH_VARIABLE, &mark));
            command.stdin(os::input(&launch.stdin, &launch.log)?).stdout(to_stdout).stderr(to_stderr);
            os::lead_session(&mut command);
            Ok((spawn(command)?, mark, stdout, stderr))
        };
        let (mut child, own_mark, stdout, stderr) =
            start().map_err(|error| because(&format!("start `{program}`"), &error))?;
        let exit = match os::exit_watch(child.id()) {
            Ok(exit) => exit,
            Err(error) => {
                let mut registry = Registry::hold();
                let _ = child.kill();
                let _ = child.wait();
                registry.forget(child.id());
                return Err(because(&format!("watch `{program}`"), &error));
            }
        };
        let mark = Mark { leader: child.id(), launch: own_mark };
        let (stdout, stderr) = (Some(stdout), Some(stderr));
        let (block, said) = (vec![0; BLOCK], Captured::new(launch.capture));
        Ok(Self { child, mark, exit, has_exited: false, stdout, stderr, block, log, said })
    }

    pub(crate) fn has_exited(&self) -> bool {
        self.has_exited
    }

    /// Reads output until the agent exits, a cancellation becomes more urgent than `known`, one of `others` is ready,
    /// or the time is up.
    pub(crate) fn listen(
        &mut self,
        cancel: &Cancel,
        known: Urgency,
        others: &[BorrowedFd<'_>],
        until: Option<Instant>,
    ) {
        loop {
            let bells = if cancel.urgency() == known { cancel.bells() } else { return };
            // A bell stays rung, so its listeners poll instead.
            let bells = if known == Urgency::None { bells } else { Vec::new() };
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return;
            }
            let mut fds: Vec<BorrowedFd<'_>> = Vec::with_capacity(8);
            let watches_exit = !self.has_exited;
            fds.extend(watches_exit.then(|| self.exit.as_fd()));
            fds.extend(self.stdout.as_ref().map(AsFd::as_fd));
            fds.extend(self.stderr.as_ref().map(AsFd::as_fd));
            let voices = fds.len();
            fds.extend(others);
            let before_bells = fds.len();
            fds.extend(bells.iter().filter_map(|bell| bell.fd()));
            let is_deaf = fds.len() - before_bells < bells.len();
            let time = if is_deaf { Some(left.map_or(LOOK_AROUND, |left| left.min(LOOK_AROUND))) } else { left };
            let Ok(ready) = os::ready(&fds, time) else {
                thread::sleep(LOOK_AROUND);
                return;
            };
            let mut ready_voices = ready[..voices].iter().copied();
            let exits = watches_exit && ready_voices.next() == Some(true);
            let out = self.stdout.is_some() && ready_voices.next() == Some(true);
            let err = self.stderr.is_some() && ready_voices.next() == Some(true);
            let others_ready = ready[voices..].contains(&true);
            if out {
                self.hear_stdout();
            }
            if err {
                self.hear_stderr();
            }
            if exits {
                self.has_exited = true;
            }
            if exits || others_ready {
                return;
            }
        }
    }

    fn hear_stdout(&mut self) {
        match read(&mut self.stdout, &mut self.block) {
            Some(length) => {
                self.log.take(Voice::Output, &self.block[..length]);
                self.said.take(&self.block[..length]);
            }
            None => self.stdout = None,
        }
    }

    fn hear_stderr(&mut self) {
        match read(&mut self.stderr, &mut self.block) {
            Some(length) => self.log.take(Voice::Errors, &self.block[..length]),
            None => self.stderr = None,
        }
    }

    /// Drains the pipes, without waiting for processes that hold them open.
    fn drain(&mut self) {
        let is_ready = |pipe: &PipeReader| os::ready(&[pipe.as_fd()], Some(Duration::ZERO)).is_ok_and(|ready| ready[0]);
        for _ in 0..LAST_BLOCKS {
            let (out, err) = (self.stdout.as_ref().is_some_and(is_ready), self.stderr.as_ref().is_some_and(is_ready));
            if out {
                self.hear_stdout();
            }
            if err {
                self.hear_stderr();
            }
            if !out && !err {
                return;
            }
        }
    }

    /// Reaps the agent, which frees its process id. One that cannot be killed is left: `None`.
    pub(crate) fn collect(mut self) -> (Option<ExitStatus>, Log, Captured) {
        self.drain();
        let mut status = None;
        if self.has_exited {
            let mut registry = Registry::hold();
            status = self.child.wait().ok();
            if status.is_some() {
                registry.forget(self.mark.leader);
            }
        }
        (status, self.log, self.said)
    }
}

/// Identifies one launch among all launches of all processes.
fn mark() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Takes the command by value, so that its ends of the pipes are closed here once it runs.
fn spawn(mut command: Command) -> io::Result<Child> {
    let mut tries = 0;
    loop {
        let mut registry = Registry::hold();
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && tries < BUSY_TRIES => tries += 1,
            spawned => {
                let child = spawned?;
                registry.leaders.push(child.id());
                return Ok(child);
            }
        }
        drop(registry);
        thread::sleep(BUSY_NAP);
    }
}

/// Reads what is available; `None` at the end.
fn read(pipe: &mut Option<PipeReader>, block: &mut [u8]) -> Option<usize> {
    match pipe.as_mut()?.read(block) {
        Ok(0) => None,
        Ok(length) => Some(length),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Some(0),
        Err(_) => None,
    }
}
