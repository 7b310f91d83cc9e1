//! Fault injection, in debug builds only: the process kills itself at a chosen write, so that tests can prove that any of
//! them may be the last.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::os;

/// Which moment, counting from 1: each write has one before and one after it.
const VARIABLE: &str = "STEAD_TEST_KILL_WRITE";

static COUNT: AtomicU64 = AtomicU64::new(0);

/// Dies if this is the chosen moment, without any chance to tidy up.
pub(crate) fn moment() {
    if cfg!(debug_assertions)
        && let Some(wanted) = std::env::var_os(VARIABLE)
    {
        let count = COUNT.fetch_add(1, Ordering::SeqCst) + 1;
        if wanted.to_str().is_some_and(|wanted| wanted == count.to_string()) {
            os::kill_self();
        }
    }
}
