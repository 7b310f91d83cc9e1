//! The steps of `cargo xtask test`, cheap ones first.

use anyhow::{Result, bail};

use super::tally::Tally;
use super::{programs, started};
use crate::{bench, clients, dependencies, dist, fuzz, mcp, prerequisite, program, tidy};

/// One step: a single check, or a test runner whose tests are counted.
pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) does: &'static str,
    pub(super) tier: Tier,
    /// How long it takes from a clean clone on two cores, for the estimate.
    pub(super) seconds: u32,
    pub(super) run: fn() -> Result<Tally>,
}

/// A person waits for the quick one; the slow one needs real clients, other compilers and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tier {
    Quick,
    Slow,
}

pub(super) const STEPS: &[Step] = &[
    quick("prerequisites", "install what the tests need besides cargo", 20, prerequisites),
    quick("fmt", "the formatting is rustfmt's", 3, fmt),
    quick("tidy", "style and structure", 1, tidy),
    quick("dependencies", "licences and bans", 1, dependencies),
    quick("tests", "unit and integration tests, recorded payloads and fuzz seeds", 480, tests),
    quick("docs", "the links of the documentation lead somewhere", 60, docs),
    slow("tools", "install what these steps need besides cargo", 60, tools),
    slow("clippy", "no warnings, including tests", 165, clippy),
    slow("doc-tests", "the examples in the documentation", 20, doc_tests),
    slow("started", "the tests start only programs that are declared", 240, started::check),
    slow("fuzz", "every fuzz target for a few seconds", 230, fuzz),
    slow("clients", "the scenarios in all real clients", 480, clients),
    slow("mcp", "the MCP server in the Inspector and the conformance suite", 40, mcp),
    slow("instructions", "instructions of one hook call in the shipped binary", 380, instructions),
    slow("musl", "the static musl binary answers hooks and plays the demo", 240, musl),
];

const fn quick(name: &'static str, does: &'static str, seconds: u32, run: fn() -> Result<Tally>) -> Step {
    Step { name, does, tier: Tier::Quick, seconds, run }
}

const fn slow(name: &'static str, does: &'static str, seconds: u32, run: fn() -> Result<Tally>) -> Step {
    Step { name, does, tier: Tier::Slow, seconds, run }
}

fn prerequisites() -> Result<Tally> {
    prerequisite::ensure(prerequisite::FOR_TESTS)?;
    Ok(Tally::PASSED)
}

fn tools() -> Result<Tally> {
    prerequisite::ensure(&[prerequisite::FOR_TESTS, prerequisite::FOR_SLOW_TESTS].concat())?;
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
    programs::run(programs::build()?, programs::plainly)
}

fn doc_tests() -> Result<Tally> {
    let mut command = program::cargo();
    command.args(["test", "--locked", "--workspace", "--doc"]).env("CARGO_TERM_COLOR", "never");
    let watched = program::watch(&mut command)?;
    Ok(Tally::of_runner(&watched.output, watched.success))
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
    clients::prove(&[], clients::Page::Compare, clients::Build::WithTests)
}

fn mcp() -> Result<Tally> {
    let (passed, failed) = mcp::prove()?;
    Ok(Tally::new(passed, failed))
}

fn instructions() -> Result<Tally> {
    bench::check_instructions()?;
    Ok(Tally::PASSED)
}

fn musl() -> Result<Tally> {
    dist::smoke(dist::MUSL)
}
