//! Ends processes step by step: wait for them to exit, then SIGTERM, then SIGKILL.

use std::collections::{HashMap, HashSet};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use super::bounds::Bounds;
use crate::os::{self, EndSignal, Process};

/// How often the processes are listed again while they are being ended: there may be new ones.
const RECOUNT: Duration = Duration::from_millis(100);

/// How long killed processes may take to disappear. A process stuck in the kernel cannot be waited for.
const BURIAL: Duration = Duration::from_secs(2);

/// The current step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    Linger,
    Term,
    Kill,
}

/// The processes being ended, and the signals each has received.
pub(crate) struct Shutdown {
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
    signalled: Option<EndSignal>,
}

impl Shutdown {
    pub(crate) fn new(step: Step, bounds: &Bounds) -> Self {
        let mut shutdown =
            Self { step, until: Instant::now(), bounds: *bounds, members: HashMap::new(), is_over: false };
        shutdown.enter(step);
        shutdown
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

    /// Moves to the next step when the time of this one is up.
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

    /// Records the living processes and sends each the signal of this step, once.
    pub(crate) fn update(&mut self, living: &[Process]) {
        for member in self.members.values_mut() {
            member.is_alive = false;
        }
        for process in living {
            let member = self.members.entry((process.pid, process.start)).or_insert_with(|| {
                // The handle may already refer to a successor; then there is nothing to signal.
                let handle = os::handle(process.pid).filter(|_| os::is_same(process));
                Member { process: *process, handle, is_alive: true, signalled: None }
            });
            member.is_alive = true;
            let signal = match self.step {
                Step::Linger => continue,
                Step::Term => EndSignal::Term,
                Step::Kill => EndSignal::Kill,
            };
            if member.signalled < Some(signal) {
                member.signalled = Some(signal);
                os::send_signal(&member.process, member.handle.as_ref(), signal);
            }
        }
    }

    /// When to check again, even if nothing ends.
    pub(crate) fn next_look(&self) -> Instant {
        self.until.min(Instant::now() + RECOUNT)
    }

    /// Become ready when a process ends.
    pub(crate) fn handles(&self) -> Vec<BorrowedFd<'_>> {
        let living = self.members.values().filter(|member| member.is_alive);
        living.filter_map(|member| Some(member.handle.as_ref()?.as_fd())).collect()
    }

    /// Waits until a process ends or it is time to check again.
    pub(crate) fn wait(&self) {
        let time = self.next_look().saturating_duration_since(Instant::now());
        let handles = self.handles();
        // Without handles nothing wakes us.
        let _ = os::ready(&handles, Some(time));
    }

    /// All processes seen so far, by process id and start time.
    pub(crate) fn known(&self) -> HashSet<(u32, u64)> {
        self.members.keys().copied().collect()
    }

    /// All processes that were signalled, with the strongest signal.
    pub(crate) fn signalled(&self) -> impl Iterator<Item = (&Process, EndSignal)> {
        self.members.values().filter_map(|member| Some((&member.process, member.signalled?)))
    }
}
