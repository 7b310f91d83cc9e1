use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use crate::os::Bell;

/// How urgently something should end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// Continue.
    None,
    /// End, with time to clean up.
    Soon,
    /// End at once.
    Now,
}

/// A cancellation that reaches every holder of a clone and wakes those who wait. It cannot be undone.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Wish>);

#[derive(Debug, Default)]
struct Wish {
    urgency: AtomicU8,
    bell: Bell,
    parent: Option<Cancel>,
}

impl Cancel {
    pub fn new() -> Self {
        Self::default()
    }

    /// A narrower cancellation: it is also set when this one is, but not the other way round.
    pub fn child(&self) -> Self {
        Self(Arc::new(Wish { parent: Some(self.clone()), ..Wish::default() }))
    }

    /// Requests an orderly end.
    pub fn ask(&self) {
        self.raise(Urgency::Soon);
    }

    /// Requests an immediate end.
    pub fn insist(&self) {
        self.raise(Urgency::Now);
    }

    fn raise(&self, urgency: Urgency) {
        if self.0.urgency.fetch_max(urgency as u8, Ordering::SeqCst) < urgency as u8 {
            self.0.bell.ring();
        }
    }

    pub fn urgency(&self) -> Urgency {
        let own = match self.0.urgency.load(Ordering::SeqCst) {
            0 => Urgency::None,
            1 => Urgency::Soon,
            _ => Urgency::Now,
        };
        own.max(self.0.parent.as_ref().map_or(Urgency::None, Self::urgency))
    }

    pub fn is_set(&self) -> bool {
        self.urgency() > Urgency::None
    }

    /// Waits until the cancellation is set or the time is up; `true` if it is set.
    pub fn wait(&self, time: Duration) -> bool {
        let since = Instant::now();
        loop {
            let left = time.saturating_sub(since.elapsed());
            if self.is_set() || left.is_zero() {
                return self.is_set();
            }
            Bell::wait(&self.bells(), left);
        }
    }

    /// The bells of this cancellation and of the wider ones. A bell stays rung.
    pub(crate) fn bells(&self) -> Vec<&Bell> {
        let mut bells = vec![&self.0.bell];
        let mut wider = &self.0.parent;
        while let Some(cancel) = wider {
            bells.push(&cancel.0.bell);
            wider = &cancel.0.parent;
        }
        bells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_reaches_clones_and_narrower_ones() {
        let run = Cancel::new();
        let (branch, other) = (run.child(), run.child());
        branch.clone().ask();
        assert_eq!((run.urgency(), branch.urgency(), other.urgency()), (Urgency::None, Urgency::Soon, Urgency::None));
        run.insist();
        run.ask();
        assert_eq!((branch.urgency(), other.urgency()), (Urgency::Now, Urgency::Now));
    }

    #[test]
    fn a_waiter_wakes_when_a_wider_wish_is_set() {
        let run = Cancel::new();
        let narrow = run.child().child();
        assert!(!narrow.wait(Duration::from_millis(5)));
        let waiter = std::thread::spawn(move || narrow.wait(Duration::from_secs(600)));
        run.ask();
        assert!(waiter.join().unwrap());
    }
}
