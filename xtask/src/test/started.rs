//! Which programs the tests start: one run of all tests under strace, compared with what is declared in
//! [`prerequisite`]. A test that needs a program nobody declared passes here and fails on the next machine.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail};

use super::Tally;
use super::programs::{self, TestProgram};
use crate::metadata::Metadata;
use crate::{prerequisite, program, repository};

pub(super) fn check() -> Result<Tally> {
    if let Err(why) = program::read(Command::new("strace").args(["-f", "--seccomp-bpf", "-e", "execve", "true"])) {
        println!("{why:#}");
        return Ok(Tally::skipped("strace cannot trace processes here"));
    }
    let folder = traces();
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create `{}`", folder.display()))?;
    let mut tally = programs::run(programs::build()?, traced)?;
    let own = [repository::root().to_owned(), PathBuf::from(Metadata::load()?.target_directory), env::temp_dir()];
    let on_path: Vec<_> = env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect();
    let mut started = BTreeSet::new();
    for file in fs::read_dir(&folder)? {
        started.extend(started_in(&String::from_utf8_lossy(&fs::read(file?.path())?), &own, &on_path));
    }
    let _ = fs::remove_dir_all(&folder);
    match compare(&started) {
        Ok(passed) => tally += passed,
        // What the tests themselves counted stays counted.
        Err(why) => {
            println!("{why:#}");
            tally += Tally::FAILED;
        }
    }
    Ok(tally)
}

fn traces() -> PathBuf {
    env::temp_dir().join(format!("stead-started-{}", std::process::id()))
}

/// Runs a test program under strace, which writes a line for each program that is started.
fn traced(program: &TestProgram) -> Command {
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "--seccomp-bpf", "-e", "trace=execve", "-e", "signal=none", "-o"]);
    strace.arg(traces().join(program.name.replace(' ', "-"))).arg("--").arg(&program.file);
    // Nobody waits for this run, so it does all of everything (`crates/testkit/src/extent.rs`).
    strace.env("STEAD_THOROUGH_TESTS", "1");
    programs::prepared(strace, program)
}

/// The names of the programs of this system that were started; not what the tests built or wrote themselves, and not what
/// lies off PATH, where programs keep parts of themselves.
fn started_in(trace: &str, own: &[PathBuf], on_path: &[PathBuf]) -> BTreeSet<String> {
    let paths = trace.lines().filter(|line| line.ends_with(") = 0")).filter_map(|line| {
        let (_, rest) = line.split_once("execve(\"")?;
        Some(Path::new(rest.split_once('"')?.0))
    });
    let of_system = paths.filter(|path| {
        let is_on_path = path.parent().is_some_and(|folder| on_path.iter().any(|one| one == folder));
        is_on_path && !own.iter().any(|folder| path.starts_with(folder))
    });
    of_system.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect()
}

fn compare(started: &BTreeSet<String>) -> Result<Tally> {
    let declared: BTreeSet<&str> =
        prerequisite::FOR_TESTS.iter().flat_map(|package| package.programs).copied().collect();
    let missing: Vec<_> = started.iter().filter(|name| !declared.contains(name.as_str())).map(String::as_str).collect();
    let unused: Vec<_> = declared.iter().filter(|name| !started.contains(**name)).copied().collect();
    if !unused.is_empty() {
        println!("declared, but not started in this run: {}", unused.join(" "));
    }
    if !missing.is_empty() {
        bail!("the tests start programs that xtask/src/prerequisite.rs does not declare: {}", missing.join(" "));
    }
    Ok(Tally::PASSED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_the_system_is_found_in_a_trace() {
        let trace = r#"
12 execve("/usr/bin/git", ["git", "init"], 0x7ffd /* 9 vars */) = 0
12 execve("/usr/local/bin/zip", ["zip"], 0x7ffd /* 9 vars */) = -1 ENOENT (No such file or directory)
13 execve("/tmp/world/agent", ["agent"], 0x7ffd /* 9 vars */) = 0
14 execve("/usr/lib/gcc/cc1", ["cc1"], 0x7ffd /* 9 vars */) = 0
14 execve("/bin/sh", ["sh", "-c", "execve(\"x\")"], 0x7ffd /* 9 vars */) = 0
15 execve("./relative", ["relative"], 0x7ffd /* 9 vars */) = 0
15 +++ exited with 0 +++
"#;
        let started = started_in(trace, &["/tmp".into()], &["/usr/bin".into(), "/bin".into(), "/tmp/world".into()]);
        assert_eq!(started.into_iter().collect::<Vec<_>>(), ["git", "sh"]);
    }

    #[test]
    fn what_is_not_declared_is_found() {
        assert!(compare(&BTreeSet::from(["git".to_owned(), "sh".to_owned()])).is_ok());
        let error = compare(&BTreeSet::from(["git".to_owned(), "fortune".to_owned()])).unwrap_err().to_string();
        assert!(error.ends_with("does not declare: fortune"), "{error}");
    }
}
