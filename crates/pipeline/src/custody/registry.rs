//! What this process knows of its own children. Children belong to the process, so all runs in it share this.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::os;

/// The agents that are currently in custody.
#[derive(Default)]
pub(crate) struct Registry {
    /// Process ids of agents that were started and are not reaped yet.
    pub(crate) leaders: Vec<u32>,
    /// True if every descendant of this process was started by it. False if it was born with children, or if orphans of
    /// the whole system are reparented to it.
    pub(crate) is_sole_origin: bool,
    is_prepared: bool,
}

static REGISTRY: Mutex<Registry> =
    Mutex::new(Registry { leaders: Vec::new(), is_sole_origin: false, is_prepared: false });

impl Registry {
    /// No agent is started or reaped while this is held.
    pub(crate) fn hold() -> MutexGuard<'static, Self> {
        let mut registry = REGISTRY.lock().unwrap_or_else(PoisonError::into_inner);
        if !registry.is_prepared {
            registry.is_prepared = true;
            let own = std::process::id();
            registry.is_sole_origin = own != 1 && os::children(own).is_empty();
            os::adopt_orphans();
        }
        registry
    }

    pub(crate) fn forget(&mut self, leader: u32) {
        self.leaders.retain(|known| *known != leader);
    }
}
