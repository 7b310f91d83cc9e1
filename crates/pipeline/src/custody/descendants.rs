//! Finds the processes that belong to an agent or to a run, with proof that they do.

use std::collections::HashSet;

use super::registry::Registry;
use super::started::Started;
use crate::os::{self, Process};

/// The variable that identifies the processes of one agent.
pub(crate) const LAUNCH_VARIABLE: &str = "STEAD_LAUNCH";

/// The variable that identifies the processes of one run.
pub(crate) const RUN_VARIABLE: &str = "STEAD_RUN_ID";

/// An agent may itself run an engine: the values are then nested, outermost first, separated by `/`.
const NESTING: char = '/';

/// The maximum nesting.
const LONGEST: usize = 2000;

/// How an agent's processes are recognised.
pub(crate) struct Mark {
    pub(crate) leader: u32,
    /// The value of their `STEAD_LAUNCH`.
    pub(crate) launch: String,
}

/// The value of a variable for our agent, nested in the one we were started with.
pub(crate) fn nested(variable: &str, own: &str) -> String {
    match std::env::var(variable) {
        Ok(outer) if !outer.is_empty() && outer.len() < LONGEST => format!("{outer}{NESTING}{own}"),
        _ => own.to_owned(),
    }
}

/// Finds the living processes that belong to one agent, itself included, and reaps the adopted ones that ended. `known`
/// are those found earlier, by process id and start time.
pub(crate) fn of_agent(mark: &Mark, known: &HashSet<(u32, u64)>) -> Vec<Process> {
    let own = std::process::id();
    let Some(engine) = os::process(own) else { return Vec::new() };
    // Taken first: the list may miss a process while another is reaped.
    let registry = Registry::hold();
    let children: Vec<_> = os::children(own).into_iter().filter_map(os::process).collect();
    let mut found = Vec::new();
    for child in children {
        let is_other_agent = child.pid != mark.leader && registry.leaders.contains(&child.pid);
        // Agents have their own sessions, so processes in the engine's session are not theirs.
        if child.parent != own || is_other_agent || child.session == engine.session {
            continue;
        }
        if child.is_zombie {
            if child.pid != mark.leader {
                os::collect(&child);
            }
        } else if known.contains(&(child.pid, child.start)) || belongs(mark, &child, &registry) {
            found.push(child);
        }
    }
    drop(registry);
    with_descendants(found)
}

/// Returns true if an adopted child comes from this agent.
fn belongs(mark: &Mark, child: &Process, registry: &Registry) -> bool {
    // The leader is not reaped yet, so its process id cannot be reused.
    if [child.pid, child.session, child.group].contains(&mark.leader) {
        return true;
    }
    let environment = os::environment(child.pid);
    let launches = value(&environment, LAUNCH_VARIABLE);
    if launches.is_some_and(|launches| names(launches, &mark.launch)) {
        return true;
    }
    // Its environment was cleared; it cannot come from anywhere else.
    launches.is_none() && registry.is_sole_origin && registry.leaders == [mark.leader]
}

/// Finds the living processes of a run, whoever started them, except this one and its ancestors. A process that cleared its
/// environment is found in the session of its agent; one that also left that session is not.
pub(crate) fn of_run(run_id: &str, agents: &[Started]) -> Vec<Process> {
    let forebears = forebears();
    let all = os::processes().into_iter().filter(|pid| !forebears.contains(pid));
    let marked: Vec<_> = all
        .filter_map(|pid| {
            // The process id must refer to the same process before and after reading its environment.
            let before = os::process(pid)?;
            let environment = os::environment(pid);
            let runs = value(&environment, RUN_VARIABLE);
            let is_ours = match runs {
                Some(runs) => names(runs, run_id),
                None => agents.iter().any(|agent| agent.leads(&before)),
            };
            (is_ours && !before.is_zombie && os::is_same(&before)).then_some(before)
        })
        .collect();
    let mut found = with_descendants(marked);
    found.retain(|process| !forebears.contains(&process.pid));
    found
}

/// Finds the living engine of a run: the parent of one of its agents, if that process started it. Orphans of an engine
/// get another parent.
pub(crate) fn engine_of_run(run_id: &str) -> Option<Process> {
    os::processes().into_iter().find_map(|pid| {
        let agent = os::process(pid)?;
        let environment = os::environment(pid);
        let part = |variable: &str, place: usize| value(&environment, variable)?.split(is_nesting).nth(place);
        let place = value(&environment, RUN_VARIABLE)?.split(is_nesting).position(|name| name == run_id.as_bytes())?;
        let starter = starter(part(LAUNCH_VARIABLE, place)?)?;
        let engine = os::process(starter).filter(|engine| !engine.is_zombie)?;
        let is_its_child = os::process(pid).is_some_and(|now| now.start == agent.start && now.parent == starter);
        is_its_child.then_some(engine)
    })
}

/// The process that a launch id names.
fn starter(launch: &[u8]) -> Option<u32> {
    std::str::from_utf8(launch).ok()?.split('-').next()?.parse().ok()
}

fn is_nesting(byte: &u8) -> bool {
    *byte == NESTING as u8
}

fn forebears() -> HashSet<u32> {
    let mut line = HashSet::new();
    let mut next = std::process::id();
    while next != 0 && line.insert(next) {
        next = os::process(next).map_or(0, |process| process.parent);
    }
    line
}

fn with_descendants(mut found: Vec<Process>) -> Vec<Process> {
    let mut seen: HashSet<u32> = found.iter().map(|process| process.pid).collect();
    let mut next = 0;
    while let Some(process) = found.get(next).copied() {
        next += 1;
        let children: Vec<_> = os::children(process.pid).into_iter().filter_map(os::process).collect();
        // A process id that was reused meanwhile has other children.
        if !os::is_same(&process) {
            continue;
        }
        for child in children {
            if child.parent == process.pid && !child.is_zombie && seen.insert(child.pid) {
                found.push(child);
            }
        }
    }
    found
}

/// The value of a variable in an environment.
fn value<'a>(environment: &'a [u8], variable: &str) -> Option<&'a [u8]> {
    let mut entries = environment.split(|byte| *byte == 0);
    entries.find_map(|entry| entry.strip_prefix(variable.as_bytes())?.strip_prefix(b"="))
}

/// Returns true if a nested value contains exactly this one.
fn names(value: &[u8], own: &str) -> bool {
    value.split(is_nesting).any(|name| name == own.as_bytes())
}
