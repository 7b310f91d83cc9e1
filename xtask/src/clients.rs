//! `cargo xtask clients` and the real clients of `cargo xtask test`. `scenario` knows the clients; this only builds and
//! calls it.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Result, bail};

use crate::arguments::Arguments;
use crate::metadata::Metadata;
use crate::test::Tally;
use crate::{prerequisite, program, repository};

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

/// Plays the scenarios in the named clients, or in all if none is named.
pub(crate) fn prove(names: &[String], page: Page, what: Build) -> Result<Tally> {
    let scenario = build(what)?;
    install(&scenario, names)?;
    let mut play = Command::new(scenario);
    play.arg("run").args((page == Page::Write).then_some("--write")).args(names).current_dir(repository::root());
    let watched = program::watch(&mut play)?;
    Ok(Tally::of_suite(&watched.output, watched.success))
}

fn install(scenario: &PathBuf, names: &[String]) -> Result<()> {
    prerequisite::ensure(prerequisite::FOR_CLIENTS)?;
    prerequisite::offer(prerequisite::FOR_WINDOWS);
    program::run(Command::new(scenario).arg("install").args(names).current_dir(repository::root()))
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
