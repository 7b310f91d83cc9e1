//! `cargo xtask clients` and the real clients of `cargo xtask test`. `scenario` knows the clients; this only builds and
//! calls it.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Result, anyhow, bail};

use crate::arguments::Arguments;
use crate::metadata::Metadata;
use crate::test::Tally;
use crate::{node, prerequisite, program, repository};

pub(crate) fn run(mut arguments: Arguments) -> Result<ExitCode> {
    match arguments.word().as_deref() {
        Some("install") => {}
        Some(other) => bail!("unknown verb `{other}` of `clients`; expected `install`"),
        None => bail!("`clients` needs a verb: `install`"),
    }
    let names = names(&mut arguments);
    arguments.finish()?;
    install(&build(Build::Programs)?, &names)?;
    Ok(ExitCode::SUCCESS)
}

/// Takes the names of clients: all words that are left.
pub(crate) fn names(arguments: &mut Arguments) -> Vec<String> {
    std::iter::from_fn(|| arguments.word()).collect()
}

/// What to do if docs/harnesses.md is out of date.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Page {
    Compare,
    Write,
}

/// Plays the scenarios in the named clients, or in all if none is named. Each has a process and a network of its own, so
/// two of them play side by side; a page that is written is one file, and takes them one after the other.
pub(crate) fn prove(names: &[String], page: Page, what: Build) -> Result<Tally> {
    let scenario = build(what)?;
    install(&scenario, names)?;
    let names = if names.is_empty() { list(&scenario)? } else { names.to_vec() };
    let waiting = Mutex::new(VecDeque::from(names));
    let play = || -> Result<Tally> {
        let mut tally = Tally::default();
        loop {
            let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(name) = next else { return Ok(tally) };
            let mut run = Command::new(&scenario);
            run.arg("run").args((page == Page::Write).then_some("--write")).arg(name).current_dir(repository::root());
            let watched = program::watch(&mut run)?;
            tally += Tally::of_suite(&watched.output, watched.success);
        }
    };
    thread::scope(|scope| {
        let players: Vec<_> = (0..if page == Page::Write { 1 } else { 2 }).map(|_| scope.spawn(play)).collect();
        let mut sum = Tally::default();
        for player in players {
            sum += player.join().map_err(|_| anyhow!("a thread that plays scenarios died"))??;
        }
        Ok(sum)
    })
}

fn list(scenario: &PathBuf) -> Result<Vec<String>> {
    let names = program::read(Command::new(scenario).arg("list").current_dir(repository::root()))?;
    Ok(names.lines().map(str::to_owned).collect())
}

fn install(scenario: &PathBuf, names: &[String]) -> Result<()> {
    prerequisite::ensure(prerequisite::FOR_CLIENTS)?;
    prerequisite::offer(prerequisite::FOR_WINDOWS);
    let mut install = Command::new(scenario);
    node::with_npm(&mut install)?;
    program::run(install.arg("install").args(names).current_dir(repository::root()))
}

/// What is built for the clients.
#[derive(Clone, Copy)]
pub(crate) enum Build {
    /// Only the two programs.
    Programs,
    /// The whole workspace with its tests. Tests turn on features of dependencies, so if they were built before,
    /// building only the programs would start from scratch.
    WithTests,
}

/// Builds Stead with its fault points, and the program that drives the clients.
pub(crate) fn build(what: Build) -> Result<PathBuf> {
    let packages: &[&str] = match what {
        Build::Programs => &["--package", "stead-cli", "--package", "stead-scenario"],
        Build::WithTests => &["--workspace", "--lib", "--tests"],
    };
    // With the profile of tests: what they built need not be built again.
    program::run(program::cargo().args(["build", "--locked", "--profile", "test", "--bins"]).args(packages))?;
    let folder = PathBuf::from(Metadata::load()?.target_directory).join(program::host()?).join("debug");
    let scenario = folder.join("scenario");
    if scenario.is_file() { Ok(scenario) } else { bail!("cargo built no `{}`", scenario.display()) }
}
