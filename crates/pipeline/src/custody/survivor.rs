use std::collections::HashMap;

use super::bounds::Bounds;
use super::shutdown::{Shutdown, Step};
use super::started::Started;
use super::{Cancel, Urgency, descendants};
use crate::os::{self, EndSignal, Process};

/// A process of an earlier engine's agent that was killed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    pub pid: u32,
    pub command: String,
    /// It did not end after SIGTERM.
    pub was_killed: bool,
}

/// Ends what is left of a run whose engine was killed: the processes with the run's id in their environment or in
/// the session of one of these agents, and their descendants. The caller holds the run's lock, so none of them has another engine.
pub fn end_survivors(run_id: &str, agents: &[Started], cancel: &Cancel) -> Vec<Ended> {
    end_survivors_within(run_id, agents, cancel, &Bounds::USUAL)
}

/// How many processes of a run are alive, whoever started them.
pub fn count_survivors(run_id: &str, agents: &[Started]) -> usize {
    if run_id.is_empty() { 0 } else { descendants::of_run(run_id, agents).len() }
}

/// The engine that works on a run, found through its agents.
pub(crate) fn living_engine(run_id: &str) -> Option<Process> {
    if run_id.is_empty() { None } else { descendants::engine_of_run(run_id) }
}

pub(crate) fn end_survivors_within(run_id: &str, agents: &[Started], cancel: &Cancel, bounds: &Bounds) -> Vec<Ended> {
    if run_id.is_empty() {
        return Vec::new();
    }
    let mut shutdown = Shutdown::new(Step::Term, bounds);
    let mut commands = HashMap::new();
    loop {
        if cancel.urgency() == Urgency::Now {
            shutdown.hurry_to(Step::Kill);
        }
        let living = descendants::of_run(run_id, agents);
        for process in &living {
            commands.entry((process.pid, process.start)).or_insert_with(|| os::command_line(process.pid));
        }
        shutdown.update(&living);
        if living.is_empty() || shutdown.is_over() {
            break;
        }
        shutdown.advance();
        shutdown.wait();
    }
    let mut ended: Vec<_> = shutdown
        .signalled()
        .map(|(process, signal)| Ended {
            pid: process.pid,
            command: commands.remove(&(process.pid, process.start)).unwrap_or_default(),
            was_killed: signal == EndSignal::Kill,
        })
        .collect();
    ended.sort_by_key(|ended| ended.pid);
    ended
}
