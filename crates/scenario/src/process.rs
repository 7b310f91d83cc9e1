use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

/// How long a program may take to end once it was asked to.
const GRACE: Duration = Duration::from_secs(5);

/// A program in a process group of its own, whose output goes to files so that no pipe can fill or be kept open.
pub(crate) struct Process {
    child: Child,
    name: String,
    stdout: std::path::PathBuf,
    stderr: std::path::PathBuf,
}

/// How a program ended.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Exit(i32),
    Signal(i32),
    /// It had to be ended at its deadline.
    Deadline,
}

impl Process {
    /// Starts a command; `name` tells its output files in `folder` apart.
    pub(crate) fn start(command: &mut Command, folder: &Path, name: &str) -> Result<Self> {
        Self::spawn(command.stdin(Stdio::null()), folder, name)
    }

    /// Starts a command that is talked to on its standard input.
    pub(crate) fn start_talking(command: &mut Command, folder: &Path, name: &str) -> Result<(Self, ChildStdin)> {
        let mut process = Self::spawn(command.stdin(Stdio::piped()), folder, name)?;
        let stdin = process.child.stdin.take().context("the program has no standard input")?;
        Ok((process, stdin))
    }

    fn spawn(command: &mut Command, folder: &Path, name: &str) -> Result<Self> {
        let (stdout, stderr) = (folder.join(format!("{name}.stdout")), folder.join(format!("{name}.stderr")));
        let program = command.get_program().to_string_lossy().into_owned();
        let child = command
            .stdout(File::create(&stdout)?)
            .stderr(File::create(&stderr)?)
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot start `{program}`"))?;
        Ok(Self { child, name: name.to_owned(), stdout, stderr })
    }

    /// Waits until the program ends or its time is over, then ends whatever is left of its group.
    pub(crate) fn finish(mut self, deadline: Instant) -> Result<Ended> {
        let status = self.wait(deadline)?;
        let end = match status {
            Some(status) => {
                self.let_finish();
                End::of(status)
            }
            None => {
                self.signal(Signal::TERM);
                self.wait(Instant::now() + GRACE)?;
                End::Deadline
            }
        };
        self.signal(Signal::KILL);
        self.child.wait().with_context(|| format!("cannot wait for `{}`", self.name))?;
        Ok(Ended { stdout: text(&self.stdout), stderr: text(&self.stderr), end })
    }

    /// The file that its output goes to.
    pub(crate) fn stdout(&self) -> &Path {
        &self.stdout
    }

    pub(crate) fn is_running(&mut self) -> Result<bool> {
        Ok(self.child.try_wait()?.is_none())
    }

    fn wait(&mut self, deadline: Instant) -> Result<Option<ExitStatus>> {
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(Some(status));
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Gives what the program left behind time to end by itself: some clients do not wait for their last hooks.
    fn let_finish(&self) {
        let patience = Instant::now() + GRACE;
        while self.group().is_some_and(|group| test_kill_process_group(group).is_ok()) && Instant::now() < patience {
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn group(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    /// Reaches everybody who is left of the group. The group keeps its number while anybody is.
    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group() {
            let _ = kill_process_group(group, signal);
        }
    }
}

impl End {
    fn of(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Exit(code),
            (None, signal) => Self::Signal(signal.unwrap_or_default()),
        }
    }
}

fn text(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str, seconds: u64) -> Ended {
        static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let folder = std::env::temp_dir().join(format!("stead-process-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let process = Process::start(Command::new("sh").args(["-c", script]), &folder, "sh").unwrap();
        let ended = process.finish(Instant::now() + Duration::from_secs(seconds)).unwrap();
        fs::remove_dir_all(folder).unwrap();
        ended
    }

    #[test]
    fn a_program_is_heard_and_its_end_is_known() {
        let ended = run("echo out; echo err >&2; exit 3", 20);
        assert_eq!((ended.stdout.as_str(), ended.stderr.as_str(), ended.end), ("out\n", "err\n", End::Exit(3)));
        assert_eq!(run("kill -9 $$", 20).end, End::Signal(9));
    }

    #[test]
    fn what_a_program_leaves_behind_may_finish() {
        let ended = run("(sleep 0.3; echo late) & exit 0", 20);
        assert_eq!((ended.stdout.as_str(), ended.end), ("late\n", End::Exit(0)));
    }

    #[test]
    fn a_program_that_hangs_is_ended_with_its_children() {
        let begun = Instant::now();
        let ended = run("sleep 600 & echo $!; sleep 600", 1);
        assert_eq!(ended.end, End::Deadline);
        assert!(begun.elapsed() < Duration::from_secs(30));
        let child: i32 = ended.stdout.trim().parse().unwrap();
        // Init collects the killed child, which takes a moment, or never does, as in a container whose init is no init.
        let gone = (0..100).any(|_| {
            thread::sleep(Duration::from_millis(50));
            !is_alive(child)
        });
        assert!(gone);
    }

    /// Returns false for a process that was killed and not collected.
    fn is_alive(process: i32) -> bool {
        let status = Command::new("ps").args(["-o", "stat=", "-p", &process.to_string()]).output().unwrap();
        let state = String::from_utf8_lossy(&status.stdout).trim().to_owned();
        !state.is_empty() && !state.starts_with('Z')
    }
}
