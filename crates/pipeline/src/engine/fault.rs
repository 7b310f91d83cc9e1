//! Fault injection, in debug builds only: the engine kills itself at a chosen write of its state, so that tests can
//! prove that any of them may be the last.

use std::ffi::OsString;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::os::{self, EndSignal};

/// The write: `3` kills right before the third, `3a` right after it.
pub(crate) const VARIABLE: &str = "STEAD_TEST_KILL_AT";

#[derive(Debug, Default)]
pub(crate) struct Fault {
    write: u64,
    after: bool,
    count: AtomicU64,
}

/// Before or after a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

impl Fault {
    /// Parses the variable's value; in a release build there are no faults.
    pub(crate) fn new(value: Option<OsString>) -> Self {
        let value =
            value.filter(|_| cfg!(debug_assertions)).and_then(|value| value.into_string().ok()).unwrap_or_default();
        let digits = value.strip_suffix('a');
        Self {
            write: digits.unwrap_or(&value).parse().unwrap_or_default(),
            after: digits.is_some(),
            count: AtomicU64::new(0),
        }
    }

    /// Dies if this is the chosen write. Writes are counted when they start.
    pub(crate) fn pass(&self, side: Side) {
        let count = match side {
            Side::Before => self.count.fetch_add(1, Ordering::SeqCst) + 1,
            Side::After => self.count.load(Ordering::SeqCst),
        };
        if self.write == count && self.after == (side == Side::After) {
            kill_self();
        }
    }
}

fn kill_self() {
    if let Some(this) = os::process(std::process::id()) {
        os::send_signal(&this, None, EndSignal::Kill);
    }
    std::process::abort();
}
