//! `cargo xtask clients` and the real clients of `cargo xtask test`. `scenario` knows the clients; this only builds and
//! calls it.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::arguments::Arguments;
use crate::metadata::Metadata;
use crate::{prerequisite, program, repository};

/// The name that `scenario` uses for the clients of every test run.
pub(crate) fn always() -> Vec<String> {
    vec!["always".to_owned()]
}

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

/// Plays the scenarios in the named clients, or in all if none is named. Returns how many passed and failed.
pub(crate) fn prove(names: &[String], page: Page, what: Build) -> Result<(u32, u32)> {
    let scenario = build(what)?;
    install(&scenario, names)?;
    let mut play = Command::new(scenario);
    play.arg("run").args((page == Page::Write).then_some("--write")).args(names).current_dir(repository::root());
    let watched = program::watch(&mut play)?;
    let (passed, failed) = counts(&watched.output).unwrap_or_default();
    // A suite that could not start has no counts; without namespaces, that is allowed outside CI.
    Ok((passed, if watched.success { failed } else { failed.max(1) }))
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
    program::run(program::cargo().args(["build", "--locked", "--bins"]).args(packages))?;
    let folder = PathBuf::from(Metadata::load()?.target_directory).join(program::host()?).join("debug");
    let scenario = folder.join("scenario");
    if scenario.is_file() { Ok(scenario) } else { bail!("cargo built no `{}`", scenario.display()) }
}

/// Reads the last line of the suite: `N passed, N failed`.
fn counts(output: &str) -> Result<(u32, u32)> {
    let line = output.lines().rev().find(|line| line.ends_with(" failed")).context("the suite did not count")?;
    let (passed, failed) = line.split_once(" passed, ").context("the suite did not count")?;
    Ok((passed.parse()?, failed.trim_end_matches(" failed").parse()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suite_is_counted_by_its_last_line() {
        assert_eq!(counts("a: failing\n3 passed, 1 failed\n").unwrap(), (3, 1));
        assert!(counts("clients not run: no network namespace\n").is_err());
    }
}
