//! Runs one shell command within bounds: its whole process group ends at the deadline, and only the end of its output
//! is kept. It reports how the command ended, never what that means.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use crate::os;

/// How long to wait for output after the command ended: a process that left the group may hold the pipe open.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// The longest pause between two polls of the command.
const NAP: Duration = Duration::from_millis(50);

/// The process is about to end.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Kills the commands that still run in other threads, with everything they started, because this process is about to
/// end. The threads that wait for them never continue: a command that was killed for this reason proves nothing.
pub fn end_checks() {
    ENDING.store(true, Ordering::SeqCst);
}

/// A command that has run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    pub end: CheckEnd,
    /// The end of stdout and stderr, with invalid UTF-8 replaced.
    pub tail: String,
    pub took: Duration,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckEnd {
    Exit(i32),
    Signal(i32),
    /// It exceeded the time limit and was killed with everything it started.
    Deadline,
}

impl Checked {
    pub fn is_green(&self) -> bool {
        self.end == CheckEnd::Exit(0)
    }
}

/// Runs `command` in a shell in `dir` with empty input. Keeps at most `keep` bytes of its output.
pub fn run_check(
    command: &str,
    dir: &Path,
    env: &[(&str, &str)],
    deadline: Duration,
    keep: usize,
) -> io::Result<Checked> {
    let since = Instant::now();
    let (reader, writer) = io::pipe()?;
    let mut shell = os::shell(command);
    shell.current_dir(dir).envs(env.iter().copied());
    shell.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    let mut child = spawn(shell)?;
    let output = keep_tail(reader, keep);
    let end = wait(&mut child, &mut Limit { since, ..Limit::of_wall_time(deadline) })?;
    // Background processes must not outlive the command.
    os::kill_group(&child);
    let tail = output.recv_timeout(LAST_WORDS).unwrap_or_default();
    Ok(Checked { end, tail: String::from_utf8_lossy(&tail).into_owned(), took: since.elapsed() })
}

/// A program that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramRun {
    pub end: CheckEnd,
    /// The ends of its standard output and standard error, with bytes that are not UTF-8 replaced.
    pub output: String,
    pub errors: String,
}

/// Runs a program in `dir` with `input` on its standard input. At most the last `keep` bytes of each output are kept.
///
/// The deadline counts the program's own time: time in which it and what it started run or sleep, but not time in which
/// they wait for a processor. After [`LONGEST`] times the deadline it is ended in any case.
pub fn run_program(
    program: &Path,
    input: Vec<u8>,
    dir: &Path,
    env: &[(&str, &str)],
    deadline: Duration,
    keep: usize,
) -> io::Result<ProgramRun> {
    let mut command = Command::new(program);
    command.current_dir(dir).envs(env.iter().copied());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = spawn(command)?;
    if let Some(mut stdin) = child.stdin.take() {
        // It may end without reading its input; that is not an error.
        thread::spawn(move || stdin.write_all(&input));
    }
    let output = child.stdout.take().map(|stdout| keep_tail(stdout, keep));
    let errors = child.stderr.take().map(|stderr| keep_tail(stderr, keep));
    let mut limit = Limit { waits: Some(BTreeMap::new()), ..Limit::of_wall_time(deadline) };
    let end = wait(&mut child, &mut limit)?;
    os::kill_group(&child);
    let text = |kept: Option<Receiver<Vec<u8>>>| {
        let bytes = kept.and_then(|kept| kept.recv_timeout(LAST_WORDS).ok()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok(ProgramRun { end, output: text(output), errors: text(errors) })
}

/// Asks git a question about a checkout: its whole answer, if that is at most `limit` bytes long and comes in time.
/// `None` if git fails, or is not there.
pub fn ask_git(root: &Path, words: &[&str], deadline: Duration, limit: usize) -> Option<Vec<u8>> {
    let mut command = Command::new("git");
    command.arg("-C").arg(root).args(words);
    command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = spawn(command).ok()?;
    let output = child.stdout.take().map(|stdout| keep_tail(stdout, limit + 1))?;
    let end = wait(&mut child, &mut Limit::of_wall_time(deadline)).ok()?;
    let answer = output.recv_timeout(LAST_WORDS).ok()?;
    (end == CheckEnd::Exit(0) && answer.len() <= limit).then_some(answer)
}

/// A program may take so many times its deadline when the machine is busy.
pub const LONGEST: u32 = 3;

/// How long a command may take.
struct Limit {
    since: Instant,
    deadline: Duration,
    /// How long each of its processes has waited for a processor, as last seen; `None` where that counts as well.
    waits: Option<BTreeMap<u32, Duration>>,
}

impl Limit {
    fn of_wall_time(deadline: Duration) -> Self {
        Self { since: Instant::now(), deadline, waits: None }
    }

    /// How much time is left; zero when it is over.
    fn left(&mut self, child: &Child) -> Duration {
        let wall = self.since.elapsed();
        let Some(waits) = &mut self.waits else { return self.deadline.saturating_sub(wall) };
        waits.extend(os::processor_waits(child.id()));
        let own = wall.saturating_sub(waits.values().sum());
        self.deadline.saturating_sub(own).min((self.deadline * LONGEST).saturating_sub(wall))
    }
}

/// Takes the command by value, so that its ends of the pipe are closed here once it runs.
fn spawn(mut shell: Command) -> io::Result<Child> {
    os::lead_group(&mut shell);
    shell.spawn()
}

fn wait(child: &mut Child, limit: &mut Limit) -> io::Result<CheckEnd> {
    let mut nap = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(match status.code() {
                Some(code) => CheckEnd::Exit(code),
                None => CheckEnd::Signal(os::signal(status).unwrap_or_default()),
            });
        }
        let left = limit.left(child);
        let is_ending = ENDING.load(Ordering::Relaxed);
        if left.is_zero() || is_ending {
            os::kill_group(child);
            let _ = child.kill();
            if is_ending {
                loop {
                    thread::park();
                }
            }
            child.wait()?;
            return Ok(CheckEnd::Deadline);
        }
        thread::sleep(nap.min(left));
        nap = (nap * 2).min(NAP);
    }
}

/// Reads to the end in its own thread and sends the last bytes.
fn keep_tail(mut reader: impl Read + Send + 'static, keep: usize) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut tail: Vec<u8> = Vec::new();
        let mut block = [0; 8 * 1024];
        loop {
            match reader.read(&mut block) {
                Ok(0) => break,
                Ok(count) => tail.extend_from_slice(&block[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
            if tail.len() > keep * 2 + block.len() {
                tail.drain(..tail.len() - keep);
            }
        }
        tail.drain(..tail.len().saturating_sub(keep));
        let _ = sender.send(tail);
    });
    receiver
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &str, seconds: f64) -> Checked {
        run_check(command, Path::new("."), &[("GIVEN", "yes")], Duration::from_secs_f64(seconds), 100).unwrap()
    }

    #[test]
    fn a_command_ends_one_way_or_another() {
        let ran = check("echo out; echo err >&2; echo $GIVEN", 10.0);
        assert_eq!((ran.end, ran.tail.as_str()), (CheckEnd::Exit(0), "out\nerr\nyes\n"));
        assert_eq!(check("exit 3", 10.0).end, CheckEnd::Exit(3));
        assert_eq!(check("kill -9 $$", 10.0).end, CheckEnd::Signal(9));
        assert!(!check("no-such-program-at-all", 10.0).is_green());
    }

    #[test]
    fn a_program_reads_its_input_and_ends_in_time() {
        let folder = tempfile::tempdir().unwrap();
        let run = |script: &str, seconds: f64| {
            let (text, file) = (folder.path().join("text"), folder.path().join("program"));
            std::fs::write(&text, format!("#!/bin/sh\n{script}\n")).unwrap();
            // A file that this process had open for writing may still be so in a child of another thread.
            let copy = format!("rm -f '{0}' && cp '{1}' '{0}' && chmod 755 '{0}'", file.display(), text.display());
            assert!(check(&copy, 10.0).is_green());
            let input = vec![b'x'; 300_000];
            run_program(&file, input, folder.path(), &[("GIVEN", "yes")], Duration::from_secs_f64(seconds), 100)
        };
        let ran = run("wc -c | tr -d ' '; echo talk >&2; echo $GIVEN", 10.0).unwrap();
        assert_eq!((ran.output.as_str(), ran.errors.as_str()), ("300000\nyes\n", "talk\n"));
        // It may answer without listening.
        assert_eq!(run("exec echo early", 10.0).unwrap().output, "early\n");
        assert_eq!(run("sleep 60", 0.3).unwrap().end, CheckEnd::Deadline);
        assert!(run_program(&folder.path().join("none"), Vec::new(), folder.path(), &[], Duration::ZERO, 1).is_err());
    }

    #[test]
    fn waiting_for_a_processor_is_not_the_programs_time() {
        let mut child = spawn(os::shell("exec sleep 60")).unwrap();
        let began = |seconds: u64| Instant::now().checked_sub(Duration::from_secs(seconds)).unwrap();
        let waits = |seconds: u64| Some(BTreeMap::from([(1, Duration::from_secs(seconds))]));
        let left = |since: Instant, waits| {
            let mut limit = Limit { since, deadline: Duration::from_secs(10), waits };
            limit.left(&child).as_secs_f64().round() as u64
        };
        assert_eq!(left(began(4), waits(0)), 6);
        assert_eq!(left(began(12), waits(0)), 0);
        assert_eq!(left(began(12), waits(5)), 3);
        assert_eq!(left(began(12), None), 0);
        assert_eq!(left(began(29), waits(28)), 1, "three times its time is the end");
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_system_tells_who_waited() {
        let mut child = spawn(os::shell("sleep 60; true")).unwrap();
        let seen = |count: usize| {
            let mut found = (0..500).map(|_| {
                thread::sleep(Duration::from_millis(20));
                os::processor_waits(child.id())
            });
            found.any(|waits| waits.len() == count && waits[0].0 == child.id())
        };
        // The shell, and the program that it started.
        assert!(seen(2));
        os::kill_group(&child);
        child.wait().unwrap();
        assert!(os::processor_waits(child.id()).is_empty());
    }

    #[test]
    fn only_the_end_of_a_long_output_is_kept() {
        let ran = check("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done", 60.0);
        assert!(ran.tail.len() <= 100 && ran.tail.ends_with("line 19999\n"), "{}", ran.tail);
    }

    #[test]
    fn the_deadline_ends_everything_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let sign = folder.path().join("sign");
        let ran = check(&format!("(sleep 2; touch {}) & sleep 60", sign.display()), 0.3);
        assert_eq!(ran.end, CheckEnd::Deadline);
        assert!(ran.took < Duration::from_secs(2), "{:?}", ran.took);
        thread::sleep(Duration::from_millis(2_200));
        assert!(!sign.exists());
    }

    #[test]
    fn what_it_leaves_behind_ends_with_it() {
        let ran = check("sleep 60 & echo started", 10.0);
        assert_eq!((ran.end, ran.tail.as_str()), (CheckEnd::Exit(0), "started\n"));
        assert!(ran.took < Duration::from_secs(5), "{:?}", ran.took);
    }
}
