use std::path::PathBuf;

use super::attempt;
use super::folder::RunFolder;
use crate::state::{NodeState, NodeStatus, RunError, RunStatus, State};

/// How a run ended, for its caller.
#[derive(Clone, Debug, PartialEq)]
pub struct RunEnd {
    pub status: RunStatus,
    /// Why; empty if all went well.
    pub reason: Option<String>,
    pub error: Option<RunError>,
    /// The node that ended the run, if one did.
    pub node: Option<String>,
    /// The iteration of that node with which a resumed run continues.
    pub resume_from: Option<u32>,
    /// The output of the agent in that iteration.
    pub log: Option<PathBuf>,
    pub state: State,
}

impl RunEnd {
    /// Derives it from a state.
    pub fn of(folder: &RunFolder, state: State) -> Self {
        let culprit = culprit(&state);
        let log = culprit.map(|node| folder.iteration_dir(&node.dir, node.iteration.max(1)).join(attempt::LOG));
        Self {
            status: state.status,
            reason: state.reason.clone(),
            error: state.error.clone(),
            node: culprit.map(|node| node.id.clone()),
            resume_from: state.resume_from,
            log: log.filter(|path| path.is_file()),
            state,
        }
    }

    pub fn exit_code(&self) -> u8 {
        self.status.exit_code()
    }
}

fn culprit(state: &State) -> Option<&NodeState> {
    let wanted = match state.status {
        RunStatus::Failed => NodeStatus::Failed,
        RunStatus::Blocked => NodeStatus::Blocked,
        RunStatus::Quota => NodeStatus::Quota,
        RunStatus::Limit => NodeStatus::Limit,
        RunStatus::Unverified => NodeStatus::Unverified,
        RunStatus::Cancelled => NodeStatus::Cancelled,
        RunStatus::Running | RunStatus::Done => return None,
    };
    let named = state.error.as_ref().and_then(|error| state.node(&error.stage));
    named.or_else(|| state.nodes.iter().find(|node| node.status == wanted))
}
