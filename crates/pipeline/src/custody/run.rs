use std::time::Instant;

use super::agent::Agent;
use super::agent_end::{AgentEnd, How};
use super::bounds::Bounds;
use super::launch::Launch;
use super::shutdown::{Shutdown, Step};
use super::started::Started;
use super::{Cancel, Urgency, descendants};
use crate::os::{self, EndSignal};

/// Starts an agent, reads its output, and returns when it and all its descendants ended: by themselves, because its
/// time was up, or because of a cancellation. It blocks the calling thread and starts no other process.
pub fn run(launch: &Launch, cancel: &Cancel) -> AgentEnd {
    run_within(launch, cancel, &Bounds::USUAL)
}

pub(crate) fn run_within(launch: &Launch, cancel: &Cancel, bounds: &Bounds) -> AgentEnd {
    if cancel.is_set() {
        return AgentEnd::without_start(How::Cancelled);
    }
    let since = Instant::now();
    let mut agent = match Agent::start(launch, bounds) {
        Ok(agent) => agent,
        Err(why) => return AgentEnd::without_start(How::CannotStart(why)),
    };
    let started = launch.record.as_ref().map(|record| (Started::new(agent.mark.leader, &launch.dir), record));
    if let Some((started, record)) = &started {
        started.write(record);
    }
    let forced = attend(&mut agent, cancel, launch.timeout.and_then(|timeout| since.checked_add(timeout)));
    let natural_end = since.elapsed();
    let left_behind = end_all(&mut agent, cancel, forced.is_some(), bounds);
    let took = if forced.is_some() { since.elapsed() } else { natural_end };
    let (status, log, said) = agent.collect();
    let how = forced.unwrap_or_else(|| match status.map(|status| (status.code(), os::ending_signal(status))) {
        Some((Some(code), _)) => How::Exit(code),
        Some((None, signal)) => How::Signal(signal.unwrap_or_default()),
        None => How::CannotStart("its end could not be observed".to_owned()),
    });
    if let Some((started, record)) = started {
        started.ended(&how).write(record);
    }
    let (left_out, log_error) = log.finish();
    AgentEnd { how, took, left_behind, said: said.finish(), left_out, log_error }
}

/// Reads the agent's output until it exits, or until there is a reason to end it.
fn attend(agent: &mut Agent, cancel: &Cancel, deadline: Option<Instant>) -> Option<How> {
    loop {
        agent.listen(cancel, Urgency::None, &[], deadline);
        if agent.has_exited() {
            return None;
        }
        if cancel.is_set() {
            return Some(How::Cancelled);
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(How::Timeout);
        }
    }
}

/// Ends the agent if it still runs, and all its descendants. Returns how many of them did not end with it.
fn end_all(agent: &mut Agent, cancel: &Cancel, forced: bool, bounds: &Bounds) -> u32 {
    let leader = agent.mark.leader;
    let mut shutdown = Shutdown::new(if forced { Step::Term } else { Step::Linger }, bounds);
    let mut reached = Step::Linger;
    // When it is asked or forced to end. Later processes descend from these.
    let due = if forced { Step::Kill } else { Step::Term };
    let mut left_behind = None;
    loop {
        match cancel.urgency() {
            Urgency::None => {}
            Urgency::Soon => shutdown.hurry_to(Step::Term),
            Urgency::Now => shutdown.hurry_to(Step::Kill),
        }
        let mut living = descendants::of_agent(&agent.mark, &shutdown.known());
        if agent.has_exited() && living.is_empty() {
            // The kernel's lists may miss a process that is being reparented; the next listing has it.
            living = descendants::of_agent(&agent.mark, &shutdown.known());
        }
        shutdown.update(&living);
        if shutdown.step() >= due {
            left_behind.get_or_insert_with(|| living.iter().filter(|process| process.pid != leader).count());
        }
        if reached < shutdown.step() {
            reached = shutdown.step();
            strike_group(leader, reached);
        }
        if agent.has_exited() && living.is_empty() {
            break;
        }
        shutdown.advance();
        if shutdown.is_over() {
            break;
        }
        agent.listen(cancel, cancel.urgency(), &shutdown.handles(), Some(shutdown.next_look()));
    }
    if !os::LISTS_PROCESSES {
        os::signal_group(leader, EndSignal::Kill);
    }
    u32::try_from(left_behind.unwrap_or_default()).unwrap_or(u32::MAX)
}

/// Descendants are signalled one by one, so that none is signalled twice; the whole group if they cannot be listed, and
/// at the last step, which a forking process cannot escape.
fn strike_group(leader: u32, step: Step) {
    match step {
        Step::Kill => os::signal_group(leader, EndSignal::Kill),
        Step::Term if !os::LISTS_PROCESSES => os::signal_group(leader, EndSignal::Term),
        Step::Term | Step::Linger => {}
    }
}
