//! What is done at a stop and at a handoff must not grow with what has piled up: transcripts, repositories, logs. The
//! ground is large, so it is made once and kept below `target/bench`.

use anyhow::{Context, Result};

use super::ground::Ground;
use super::spawn_in_turn;
use crate::prerequisite;

mod handoff;
mod report;
mod stop;

pub(super) use report::ContextReport;

pub(super) const ROUNDS: usize = 30;

/// A handoff takes long, mostly in git, and needs fewer rounds.
const FEWER: usize = 3;

pub(super) fn measure(rounds: usize) -> Result<ContextReport> {
    prerequisite::ensure(prerequisite::FOR_BENCH)?;
    let ground = Ground::prepare()?;
    let stops = stop::contestants(&ground).context("cannot prepare the stops")?;
    for contestant in &stops {
        contestant.prove().with_context(|| format!("`{}` does not do what it is measured for", contestant.name))?;
    }
    let handoffs = vec![handoff::contestant(&ground).context("cannot prepare the handoff")?];
    handoffs[0].prove().context("the handoff does not work")?;
    let stop_costs = spawn_in_turn(&stops, rounds)?;
    let handoff_costs = spawn_in_turn(&handoffs, rounds.div_ceil(FEWER))?;
    Ok(ContextReport::new(rounds, &stops, &stop_costs, &handoffs, &handoff_costs))
}
