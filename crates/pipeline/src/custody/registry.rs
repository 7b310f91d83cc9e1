//! What this process knows of its own children. Children belong to the whole process, so this is one for all runs in it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::os;

/// The agents that are under custody now.
#[derive(Default)]
pub(crate) struct Registry {
    /// Numbers of agents that were started and are not collected yet.
    pub(crate) leaders: Vec<u32>,
    /// Whoever descends from this process descends from something it started. Not so when it was born with children, or
    /// is the one that every orphan of the system comes to.
    pub(crate) is_sole_origin: bool,
    is_prepared: bool,
}

static REGISTRY: Mutex<Registry> =
    Mutex::new(Registry { leaders: Vec::new(), is_sole_origin: false, is_prepared: false });

impl Registry {
    /// Nobody starts or collects an agent or what it left while this is held.
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
