//! Which process an agent was, in a file beside its log. A later engine reads it if this one is killed: to learn whether
//! the agent ended by itself, and to find what it left in its session.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stead_store::{Durability, Exact, read_capped, replace};

use super::agent_end::How;
use crate::os;

/// The version of `agent.json`.
const SCHEMA: u32 = 1;

const LIMIT: usize = 64 << 10;

/// An agent that was started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    pub schema: u32,
    /// Its process, which leads its own session.
    pub pid: u32,
    /// When it started, in ticks since boot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot_id: Option<String>,
    /// The folder it works in.
    pub dir: PathBuf,
    /// Its exit code, once the engine has seen it end by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// The engine saw it end, or ended it.
    #[serde(default)]
    pub has_ended: bool,
}

impl Started {
    pub(crate) fn new(pid: u32, dir: &Path) -> Self {
        let start = os::process(pid).map(|process| process.start);
        Self { schema: SCHEMA, pid, start, boot_id: os::boot_id(), dir: dir.to_owned(), exit: None, has_ended: false }
    }

    pub(crate) fn ended(self, how: &How) -> Self {
        let exit = if let How::Exit(code) = how { Some(*code) } else { None };
        Self { exit, has_ended: true, ..self }
    }

    /// Writes it. Without the file a later engine is only more careful.
    pub(crate) fn write(&self, path: &Path) {
        if let Ok(bytes) = serde_json::to_vec(self) {
            let _ = replace(path, Exact::Own.bytes(&bytes), Durability::Quick);
        }
    }

    pub(crate) fn read(path: &Path) -> Option<Self> {
        let bytes = read_capped(path, LIMIT).ok().flatten()?;
        serde_json::from_slice::<Self>(&bytes).ok().filter(|started| started.schema <= SCHEMA)
    }

    /// Returns true if it ended by itself and successfully, as far as anybody can know: an engine saw its exit code, or its
    /// process is gone.
    pub(crate) fn has_finished(&self) -> bool {
        match self.has_ended {
            true => self.exit == Some(0),
            false => os::LISTS_PROCESSES && !self.is_alive(),
        }
    }

    fn is_alive(&self) -> bool {
        let is_this_boot = self.boot_id.is_none() || self.boot_id == os::boot_id();
        let process = os::process(self.pid).filter(|process| !process.is_zombie);
        is_this_boot && process.is_some_and(|process| self.start.is_none_or(|start| start == process.start))
    }

    /// Returns true if a process belongs to its session, even if it cleared its environment.
    pub(crate) fn leads(&self, process: &os::Process) -> bool {
        let (Some(start), true) = (self.start, self.boot_id.is_some() && self.boot_id == os::boot_id()) else {
            return false;
        };
        if process.session != self.pid || process.start < start {
            return false;
        }
        match os::process(self.pid) {
            // While one of its session lives, its process id is not reused.
            Some(leader) => leader.start == start,
            // The id may have been reused and freed again; then a stranger would hardly work in the agent's folder.
            None => os::work_dir(process.pid).is_some_and(|dir| dir.starts_with(&self.dir)),
        }
    }
}
