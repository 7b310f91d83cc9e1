//! Ending processes step by step: first they may end by themselves, then they are asked to, then they are made to.

use std::collections::{HashMap, HashSet};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use super::bounds::Bounds;
use crate::os::{self, Blow, Process};

/// How often a family that is being ended is counted anew: it may still grow.
const RECOUNT: Duration = Duration::from_millis(100);

/// How long killed processes may take to vanish. One that sits in the kernel's hands cannot be waited for.
const BURIAL: Duration = Duration::from_secs(2);

/// How far the ending has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    Linger,
    Term,
    Kill,
}

/// The processes that are being ended, and what was done to each.
pub(crate) struct Ending {
    step: Step,
    until: Instant,
    bounds: Bounds,
    members: HashMap<(u32, u64), Member>,
    is_over: bool,
}

struct Member {
    process: Process,
    handle: Option<OwnedFd>,
    is_alive: bool,
    struck: Option<Blow>,
}

impl Ending {
    pub(crate) fn new(step: Step, bounds: &Bounds) -> Self {
        let mut ending = Self { step, until: Instant::now(), bounds: *bounds, members: HashMap::new(), is_over: false };
        ending.enter(step);
        ending
    }

    fn enter(&mut self, step: Step) {
        self.step = step;
        let time = match step {
            Step::Linger => self.bounds.linger,
            Step::Term => self.bounds.grace,
            Step::Kill => BURIAL,
        };
        self.until = Instant::now() + time;
    }

    pub(crate) fn step(&self) -> Step {
        self.step
    }

    /// Skips the steps before this one.
    pub(crate) fn hurry_to(&mut self, step: Step) {
        if self.step < step {
            self.enter(step);
        }
    }

    /// Moves on to the next step when the time of this one is over.
    pub(crate) fn advance(&mut self) {
        if Instant::now() >= self.until {
            match self.step {
                Step::Linger => self.enter(Step::Term),
                Step::Term => self.enter(Step::Kill),
                Step::Kill => self.is_over = true,
            }
        }
    }

    /// Nothing more can be done.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Takes note of who lives now, and deals each the blow of this step, once.
    pub(crate) fn meet(&mut self, living: &[Process]) {
        for member in self.members.values_mut() {
            member.is_alive = false;
        }
        for process in living {
            let member = self.members.entry((process.pid, process.start)).or_insert_with(|| {
                // The handle may already mean a successor; then there is nobody left to strike.
                let handle = os::handle(process.pid).filter(|_| os::is_same(process));
                Member { process: *process, handle, is_alive: true, struck: None }
            });
            member.is_alive = true;
            let blow = match self.step {
                Step::Linger => continue,
                Step::Term => Blow::Term,
                Step::Kill => Blow::Kill,
            };
            if member.struck < Some(blow) {
                member.struck = Some(blow);
                os::strike(&member.process, member.handle.as_ref(), blow);
            }
        }
    }

    /// When to look again, even if nobody ends.
    pub(crate) fn next_look(&self) -> Instant {
        self.until.min(Instant::now() + RECOUNT)
    }

    /// Become ready when a member ends.
    pub(crate) fn handles(&self) -> Vec<BorrowedFd<'_>> {
        let living = self.members.values().filter(|member| member.is_alive);
        living.filter_map(|member| Some(member.handle.as_ref()?.as_fd())).collect()
    }

    /// Waits until a member ends or it is time to look again.
    pub(crate) fn wait(&self) {
        let time = self.next_look().saturating_duration_since(Instant::now());
        let handles = self.handles();
        // Without handles nobody wakes us.
        let _ = os::ready(&handles, Some(time));
    }

    /// Everybody met so far, by number and start.
    pub(crate) fn known(&self) -> HashSet<(u32, u64)> {
        self.members.keys().copied().collect()
    }

    /// Everybody who had to be told, with the strongest blow.
    pub(crate) fn struck(&self) -> impl Iterator<Item = (&Process, Blow)> {
        self.members.values().filter_map(|member| Some((&member.process, member.struck?)))
    }
}
