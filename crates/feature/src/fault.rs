//! Fault injection, in debug builds only: a transaction dies between its two writes, so that tests can prove that the
//! next one continues.

use std::sync::atomic::{AtomicU64, Ordering};

/// Which transaction of this process dies, counting from 1 those that write the list.
const VARIABLE: &str = "STEAD_TEST_DIE_BETWEEN";

static COUNT: AtomicU64 = AtomicU64::new(0);

/// Dies if this is the chosen transaction, without any chance to tidy up.
pub(crate) fn between_writes() {
    if cfg!(debug_assertions) && std::env::var_os(VARIABLE).is_some() {
        let count = COUNT.fetch_add(1, Ordering::SeqCst) + 1;
        if std::env::var(VARIABLE).is_ok_and(|wanted| wanted == count.to_string()) {
            std::process::abort();
        }
    }
}
