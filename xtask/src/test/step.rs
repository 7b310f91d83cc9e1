//! The steps of `cargo xtask test`, cheap ones first.

use std::fs;

use anyhow::{Result, bail};

use super::tally::Tally;
use crate::{bench, clients, dependencies, fuzz, mcp, prerequisite, program, tidy};

/// Names the file in which tests report that they cannot run on this machine (`crates/testkit/src/machine.rs`).
const SKIPPED: &str = "STEAD_SKIPPED_TESTS";

/// One step: a single check, or a test runner whose tests are counted.
pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) does: &'static str,
    pub(super) run: fn() -> Result<Tally>,
}

pub(super) const STEPS: &[Step] = &[
    step("prerequisites", "install what the tests need besides cargo", prerequisites),
    step("fmt", "the formatting is rustfmt's", fmt),
    step("tidy", "style and structure", tidy),
    step("dependencies", "licences and bans", dependencies),
    step("clippy", "no warnings, including tests", clippy),
    step("tests", "unit and integration tests", tests),
    step("doc-tests", "the examples in the documentation", doc_tests),
    step("docs", "the documentation builds without warnings", docs),
    step("fuzz", "every fuzz target for a few seconds", fuzz),
    step("clients", "the scenarios in real clients", clients),
    step("mcp", "the MCP server in the Inspector and the conformance suite", mcp),
    step("instructions", "instructions of one hook call in the release binary", instructions),
];

const fn step(name: &'static str, does: &'static str, run: fn() -> Result<Tally>) -> Step {
    Step { name, does, run }
}

fn prerequisites() -> Result<Tally> {
    prerequisite::ensure(prerequisite::FOR_TESTS)?;
    Ok(Tally::PASSED)
}

fn fmt() -> Result<Tally> {
    program::run(program::cargo().args(["fmt", "--all", "--check"]))?;
    program::run(program::cargo().args(["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"]))?;
    Ok(Tally::PASSED)
}

fn tidy() -> Result<Tally> {
    match tidy::check()? {
        0 => Ok(Tally::PASSED),
        problems => bail!("{problems} problems found"),
    }
}

fn dependencies() -> Result<Tally> {
    dependencies::check()?;
    Ok(Tally::PASSED)
}

fn clippy() -> Result<Tally> {
    program::run(
        program::cargo().args(["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    )?;
    Ok(Tally::PASSED)
}

fn tests() -> Result<Tally> {
    let runner: &[&str] = match program::find("cargo-nextest") {
        Some(_) => &["nextest", "run", "--locked", "--workspace", "--no-fail-fast"],
        None => &["test", "--locked", "--workspace", "--lib", "--bins", "--tests", "--no-fail-fast"],
    };
    count(runner)
}

fn doc_tests() -> Result<Tally> {
    count(&["test", "--locked", "--workspace", "--doc"])
}

fn count(runner: &[&str]) -> Result<Tally> {
    let mut command = program::cargo();
    // With `CI` set, a missing snapshot is a failure and not a new file.
    command.args(runner).env("CI", "1").env("CARGO_TERM_COLOR", "never");
    let skipped = std::env::temp_dir().join(format!("stead-skipped-tests-{}", std::process::id()));
    let watched = program::watch(command.env(SKIPPED, &skipped))?;
    let lines = fs::read_to_string(&skipped).unwrap_or_default();
    let _ = fs::remove_file(&skipped);
    Ok(Tally::of_runner(&watched.output, watched.success).without_skipped(&lines))
}

fn docs() -> Result<Tally> {
    let mut command = program::cargo();
    command.args(["doc", "--locked", "--workspace", "--no-deps"]);
    program::run(command.env("RUSTDOCFLAGS", "-D warnings"))?;
    Ok(Tally::PASSED)
}

fn fuzz() -> Result<Tally> {
    let (passed, failed) = fuzz::smoke()?;
    Ok(Tally::new(passed, failed))
}

fn clients() -> Result<Tally> {
    let (passed, failed) = clients::prove(&clients::always(), clients::Page::Compare, clients::Build::WithTests)?;
    Ok(Tally::new(passed, failed))
}

fn mcp() -> Result<Tally> {
    let (passed, failed) = mcp::prove()?;
    Ok(Tally::new(passed, failed))
}

fn instructions() -> Result<Tally> {
    bench::check_instructions()?;
    Ok(Tally::PASSED)
}
