//! The cost of a stop and of a handoff must not grow with transcripts, repositories and logs. The test data is large,
//! so it is generated once and kept below `target/bench`.

use anyhow::{Context, Result};

use super::ground::Ground;
use super::measured;
use super::report::Report;
use crate::prerequisite;

mod handoff;
mod report;
mod stop;

pub(super) const ROUNDS: usize = 30;

/// A handoff takes long, mostly in git, and needs fewer rounds.
const FEWER: usize = 3;

pub(super) fn measure(rounds: usize) -> Result<Report> {
    prerequisite::ensure(prerequisite::FOR_BENCH)?;
    let ground = Ground::prepare()?;
    let stops = stop::contestants(&ground).context("cannot prepare the stops")?;
    let handoff = handoff::contestant(&ground).context("cannot prepare the handoff")?;
    let mut all = measured::race(&ground, &stops, rounds)?;
    all.extend(measured::race(&ground, &[handoff], rounds.div_ceil(FEWER))?);
    Ok(report::report(rounds, &all))
}
