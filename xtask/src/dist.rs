//! The binary for another target: built, then started as a client and a person start it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, ensure};

use crate::clients::{self, Build};
use crate::metadata::Metadata;
use crate::test::Tally;
use crate::{prerequisite, program, repository};

/// The target that every Linux can start.
pub(crate) const MUSL: &str = "x86_64-unknown-linux-musl";

/// Recorded payloads, one folder per client.
const FIXTURES: &str = "crates/client/fixtures";

/// A call that is denied in a project, whoever makes it: outside a project most answers are empty, and so alike.
const FORBIDDEN: &str = r#"{"session_id": "smoke", "hook_event_name": "PreToolUse", "tool_name": "Bash",
    "tool_input": {"command": "rm -rf .agent"}}"#;

/// The words after `stead` of hook calls with something wrong in them.
const LINES: &[&[&str]] = &[
    &["hook"],
    &["hook", "nosuch", "PreToolUse"],
    &["hook", "nosuch", "NoSuchEvent", "more"],
    &["hook", "", ""],
    &["hook", "--flag"],
    &["--flag", "hook", "nosuch", "PreToolUse"],
];

/// Builds the binary for a target and compares what it does with the binary of this machine: its version, the answer to
/// each recorded payload and to calls with wrong arguments, and the demo.
pub(crate) fn smoke(target: &str) -> Result<Tally> {
    if !has_target(target)? {
        return Ok(Tally::skipped(&format!("no {target} here: `rustup target add {target}`")));
    }
    prerequisite::ensure(prerequisite::FOR_MUSL)?;
    let own = clients::build(Build::WithTests)?.with_file_name("stead");
    let mut cargo = program::cargo();
    cargo.args(["build", "--locked", "--package", "stead-cli", "--release", "--target", target]);
    program::run(&mut cargo)?;
    let built = PathBuf::from(Metadata::load()?.target_directory).join(target).join("release/stead");
    let mut passed = 0;
    compare(&[&own, &built], &["--version"], &[])?;
    passed += 1;
    for (client, event, payload) in payloads()? {
        compare(&[&own, &built], &["hook", &client, &event], &payload)
            .with_context(|| format!("`stead hook {client} {event}`"))?;
        passed += 1;
    }
    for line in LINES {
        let denied = answer_in_project(&built, line)?;
        ensure!(denied.status.success(), "`stead {}` ended with {}", line.join(" "), denied.status);
        let said = text(&denied.stdout);
        ensure!(said.contains("\"deny\""), "`stead {}` did not deny: {said}", line.join(" "));
        passed += 1;
    }
    let world = World::new()?;
    let demo = world.run(&built, &["demo"], &[])?;
    ensure!(demo.status.success(), "`stead demo` ended with {}\n{}", demo.status, text(&demo.stderr));
    println!("{}", text(&demo.stdout).lines().last().unwrap_or_default());
    Ok(Tally::new(passed + 1, 0))
}

/// What a binary answers to the forbidden call in a project.
fn answer_in_project(binary: &Path, line: &[&str]) -> Result<Output> {
    let world = World::new()?;
    let made = world.run(binary, &["context", "init"], &[])?;
    ensure!(made.status.success(), "`stead context init` ended with {}\n{}", made.status, text(&made.stderr));
    world.run(binary, line, FORBIDDEN.as_bytes())
}

/// Says whether the standard library for this target is installed.
fn has_target(target: &str) -> Result<bool> {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", target]).current_dir(repository::root());
    Ok(Path::new(program::read(&mut rustc)?.trim()).is_dir())
}

/// All recorded payloads, each with its client and its event.
fn payloads() -> Result<Vec<(String, String, Vec<u8>)>> {
    let mut payloads = Vec::new();
    for client in fs::read_dir(repository::path(FIXTURES))? {
        let client = client?.path();
        if !client.is_dir() {
            continue;
        }
        for file in fs::read_dir(&client)? {
            let file = file?.path();
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if let (Some(event), true) = (name.split('.').next(), name.ends_with(".json")) {
                let client = client.file_name().unwrap_or_default().to_string_lossy().into_owned();
                payloads.push((client, event.to_owned(), fs::read(&file)?));
            }
        }
    }
    ensure!(!payloads.is_empty(), "`{FIXTURES}` has no payloads");
    Ok(payloads)
}

/// Runs the binaries with the same input, each in a world of its own, and requires the same answer.
fn compare(binaries: &[&Path; 2], args: &[&str], input: &[u8]) -> Result<()> {
    let answers = binaries.map(|binary| World::new()?.run(binary, args, input));
    let [own, built] = answers;
    let (own, built) = (own?, built?);
    let shown = |answer: &Output| format!("{}\n{}{}", answer.status, text(&answer.stdout), text(&answer.stderr));
    ensure!(shown(&own) == shown(&built), "expected {}\nfound {}", shown(&own), shown(&built));
    Ok(())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// An empty home and project for one call; their paths are the same for every world of this process, so that answers can be compared.
struct World(PathBuf);

impl World {
    fn new() -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("stead-smoke-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        for part in ["home", "project"] {
            let part = folder.join(part);
            fs::create_dir_all(&part).with_context(|| format!("cannot create `{}`", part.display()))?;
        }
        Ok(Self(folder))
    }

    fn run(&self, binary: &Path, args: &[&str], input: &[u8]) -> Result<Output> {
        let mut command = Command::new(binary);
        command.args(args).current_dir(self.0.join("project")).env_clear().env("HOME", self.0.join("home"));
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("cannot start `{}`", program::spell(&command)))?;
        // A program that reads nothing closes the pipe early, which is fine.
        let _ = child.stdin.take().map(|mut pipe| pipe.write_all(input));
        Ok(child.wait_with_output()?)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
