//! Runs the tests' programs: builds all of them, runs several side by side, and says how far it is.
//!
//! Not `cargo test`, which runs one program after the other and so leaves a core idle at the end of each, and says
//! nothing about what is left.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use std::{fs, thread};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::pace::about;
use super::tally::Tally;
use crate::program;

/// Names the file in which tests report that they cannot run on this machine (`crates/testkit/src/machine.rs`).
const SKIPPED: &str = "STEAD_SKIPPED_TESTS";

/// Programs side by side. Many tests wait for a process or a clock, so there are more threads than cores.
const AT_ONCE: usize = 2;

/// A test of the whole program takes about so many times as long as one of a function.
const WHOLE: usize = 8;

/// How many cases of a property are tried while a person waits; `started` tries four times as many.
const CASES: &str = "64";

/// How often a log without a terminal says how far the tests are.
const REPORT: Duration = Duration::from_secs(60);

/// A program with tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TestProgram {
    /// As a person would name it: `cli suite`.
    pub(super) name: String,
    pub(super) file: PathBuf,
    /// The folder of its package; tests find their fixtures from there.
    pub(super) folder: PathBuf,
    pub(super) is_integration: bool,
}

/// Compiles everything and returns the programs, those with the most to do first.
pub(super) fn build() -> Result<Vec<TestProgram>> {
    let mut cargo = program::cargo();
    cargo.args(["test", "--locked", "--workspace", "--lib", "--bins", "--tests", "--no-run"]);
    cargo.args(["--message-format", "json-render-diagnostics"]);
    let output = cargo.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("the tests do not compile");
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut programs: Vec<_> = text.lines().filter_map(test_program).collect();
    programs.sort_by_key(|one| (!one.is_integration, one.name.clone()));
    Ok(programs)
}

/// Reads a line of cargo; most are not about a program with tests.
fn test_program(line: &str) -> Option<TestProgram> {
    let artifact: Value = serde_json::from_str(line).ok()?;
    if artifact["profile"]["test"] != true {
        return None;
    }
    let file = PathBuf::from(artifact["executable"].as_str()?);
    let folder = Path::new(artifact["manifest_path"].as_str()?).parent()?.to_owned();
    let is_integration = artifact["target"]["kind"][0] == "test";
    let mut name = folder.file_name()?.to_string_lossy().into_owned();
    if is_integration {
        name = format!("{name} {}", artifact["target"]["name"].as_str()?);
    }
    Some(TestProgram { name, file, folder, is_integration })
}

/// Runs all tests of all programs and counts them. `start` makes the command that runs a program.
pub(super) fn run(programs: Vec<TestProgram>, start: fn(&TestProgram) -> Command) -> Result<Tally> {
    let mut work = Work::default();
    for program in &programs {
        work.add(tests_in(program)?, program.is_integration);
    }
    let skipped = std::env::temp_dir().join(format!("stead-skipped-tests-{}", std::process::id()));
    let progress = Progress::new(work);
    let waiting = Mutex::new(VecDeque::from(programs));
    let tally = Mutex::new(Tally::default());
    let worker = || -> Result<()> {
        loop {
            // Not in the loop's head, which would hold the lock while the program runs.
            let next = lock(&waiting).pop_front();
            let Some(next) = next else { return Ok(()) };
            let mut command = start(&next);
            command.env(SKIPPED, &skipped);
            let counted = watch(&next, &mut command, &progress)?;
            *lock(&tally) += counted;
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|one| one.join().unwrap_or_else(|_| bail!("a thread that runs tests died")))
    })?;
    progress.finish();
    let lines = fs::read_to_string(&skipped).unwrap_or_default();
    let _ = fs::remove_file(&skipped);
    Ok(lock(&tally).clone().without_skipped(&lines))
}

/// Runs a program as cargo would.
pub(super) fn plainly(program: &TestProgram) -> Command {
    let mut command = Command::new(&program.file);
    command.env("PROPTEST_CASES", CASES);
    prepared(command, program)
}

/// Gives a command that runs the tests of `program` what cargo would give it.
pub(super) fn prepared(mut command: Command, program: &TestProgram) -> Command {
    command.current_dir(&program.folder).env("CARGO_MANIFEST_DIR", &program.folder);
    command.env("CARGO", std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // With `CI` set, a missing snapshot is a failure and not a new file.
    command.env("CI", "1").env("CARGO_TERM_COLOR", "never");
    command
}

fn tests_in(program: &TestProgram) -> Result<usize> {
    let list = program::read(plainly(program).args(["--list", "--format", "terse"]))?;
    Ok(list.lines().filter(|line| line.ends_with(": test")).count())
}

fn watch(program: &TestProgram, command: &mut Command, progress: &Progress) -> Result<Tally> {
    let begun = Instant::now();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("cannot start the tests of `{}`", program.name))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let talk = thread::spawn(move || stderr.map(|pipe| lines(pipe, |_| {})).unwrap_or_default());
    let see = |line: &str| progress.see(line, program.is_integration);
    let answer = stdout.map(|pipe| lines(pipe, see)).unwrap_or_default();
    let talk = talk.join().unwrap_or_default();
    let status = child.wait().with_context(|| format!("cannot wait for the tests of `{}`", program.name))?;
    let tally = Tally::of_runner(&answer, status.success());
    let mut text = format!("{}: {tally} ({:.1} s)", program.name, begun.elapsed().as_secs_f64());
    if tally.failed > 0 {
        text = format!("{}{talk}{text}, {status}", from_failures(&answer));
    }
    progress.say(&text);
    Ok(tally)
}

/// The part of libtest's output that shows what failed; all of it where the program died before that part.
fn from_failures(answer: &str) -> &str {
    answer.find("\nfailures:\n").map_or(answer, |at| &answer[at + 1..])
}

fn lines(pipe: impl Read, mut see: impl FnMut(&str)) -> String {
    let mut kept = String::new();
    let mut reader = BufReader::new(pipe);
    let mut line = Vec::new();
    // Not `lines()`: an invalid byte in a test's output must not end the reading.
    while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        let text = String::from_utf8_lossy(&line);
        see(text.trim_end());
        kept.push_str(&text);
        line.clear();
    }
    kept
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Tests, and how much work they are compared with each other.
#[derive(Clone, Copy, Default)]
struct Work {
    tests: usize,
    weight: usize,
}

impl Work {
    const fn add(&mut self, tests: usize, is_integration: bool) {
        self.tests += tests;
        self.weight += if is_integration { tests * WHOLE } else { tests };
    }
}

/// How far the tests are: a line that changes on a terminal, now and then a line elsewhere.
struct Progress {
    total: Work,
    begun: Instant,
    is_terminal: bool,
    seen: Mutex<Seen>,
}

struct Seen {
    done: Work,
    failed: usize,
    reported: Instant,
}

impl Progress {
    fn new(total: Work) -> Self {
        let seen = Seen { done: Work::default(), failed: 0, reported: Instant::now() };
        Self { total, begun: Instant::now(), is_terminal: std::io::stdout().is_terminal(), seen: Mutex::new(seen) }
    }

    /// Takes a line of a test program.
    fn see(&self, line: &str, is_integration: bool) {
        let Some(test) = line.strip_prefix("test ") else { return };
        let is_failed = test.ends_with(" ... FAILED");
        if !is_failed && !test.ends_with(" ... ok") {
            return;
        }
        let mut seen = lock(&self.seen);
        seen.done.add(1, is_integration);
        seen.failed += usize::from(is_failed);
        if self.is_terminal {
            print!("\r\x1b[K{}", self.line(&seen));
            let _ = std::io::stdout().flush();
        } else if seen.reported.elapsed() >= REPORT {
            seen.reported = Instant::now();
            println!("{}", self.line(&seen));
        }
    }

    fn line(&self, seen: &Seen) -> String {
        let taken = self.begun.elapsed().as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let left = taken * self.total.weight.saturating_sub(seen.done.weight) as f64 / seen.done.weight.max(1) as f64;
        let failed = if seen.failed == 0 { String::new() } else { format!(", {} failed", seen.failed) };
        format!("{} of {} tests{failed}, {} left", seen.done.tests, self.total.tests, about(left))
    }

    /// Prints a line that stays.
    fn say(&self, line: &str) {
        let seen = lock(&self.seen);
        if self.is_terminal {
            println!("\r\x1b[K{line}");
            print!("{}", self.line(&seen));
            let _ = std::io::stdout().flush();
        } else {
            println!("{line}");
        }
    }

    fn finish(&self) {
        if self.is_terminal {
            print!("\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_names_the_programs_with_tests() {
        let line = |kind: &str, test: bool, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/w/crates/cli/Cargo.toml","executable":{executable},
                "target":{{"name":"suite","kind":["{kind}"]}},"profile":{{"test":{test}}}}}"#
            )
        };
        let found = test_program(&line("test", true, "\"/t/suite-1\"")).unwrap();
        assert_eq!((found.name.as_str(), found.is_integration), ("cli suite", true));
        assert_eq!(found.folder, PathBuf::from("/w/crates/cli"));
        assert_eq!(test_program(&line("lib", true, "\"/t/cli-1\"")).unwrap().name, "cli");
        assert_eq!(test_program(&line("bin", false, "\"/t/stead\"")), None);
        assert_eq!(test_program(&line("lib", true, "null")), None);
        assert_eq!(test_program(r#"{"reason":"build-finished","success":true}"#), None);
    }

    #[test]
    fn what_failed_is_shown_without_what_passed() {
        let answer = "test a ... ok\ntest b ... FAILED\n\nfailures:\n\n---- b stdout ----\nno\n";
        assert_eq!(from_failures(answer), "failures:\n\n---- b stdout ----\nno\n");
        assert_eq!(from_failures("test a ... ok\n"), "test a ... ok\n");
    }
}
