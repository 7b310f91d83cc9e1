use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// A place where turns of several sessions wait for each other, so that the sessions surely live at the same time.
#[derive(Clone, Debug)]
pub struct Meeting {
    expected: usize,
    patience: Duration,
    arrived: Arc<(Mutex<usize>, Condvar)>,
}

impl Meeting {
    /// A meeting of `expected` turns, each of which waits no longer than `patience`.
    pub fn of(expected: usize, patience: Duration) -> Self {
        Self { expected, patience, arrived: Arc::default() }
    }

    /// Waits for the others. False when they did not come in time.
    pub(super) fn join(&self) -> bool {
        let (count, changed) = &*self.arrived;
        let mut count = count.lock().unwrap();
        *count += 1;
        changed.notify_all();
        let (count, _) = changed.wait_timeout_while(count, self.patience, |count| *count < self.expected).unwrap();
        *count >= self.expected
    }

    /// Says whether everybody came.
    pub fn took_place(&self) -> bool {
        *self.arrived.0.lock().unwrap() >= self.expected
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_meeting_needs_everybody() {
        let both = Meeting::of(2, Duration::from_secs(20));
        let other = both.clone();
        let thread = std::thread::spawn(move || other.join());
        assert!(both.join());
        assert!(thread.join().unwrap());
        let alone = Meeting::of(2, Duration::from_millis(20));
        assert!(!alone.join());
        assert!(!alone.took_place());
    }
}
