use super::attempt;
use super::folder::RunFolder;
use crate::context_file::Verification;
use crate::state::NodeState;
use crate::status::Status;

/// The size limit of the verification results.
const LIMIT: usize = 4 * 1024 * 1024;

/// What the previous iteration left for the next one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Previous {
    pub(crate) summary: Option<String>,
    pub(crate) verification: Vec<Verification>,
}

impl Previous {
    /// Reads it from the last recorded iteration's folder; unreadable parts are omitted.
    pub(crate) fn of(folder: &RunFolder, at: &NodeState) -> Self {
        if at.iteration_completed == 0 {
            return Self::default();
        }
        let dir = folder.iteration_dir(&at.dir, at.iteration_completed);
        let status = Status::read(&dir.join(attempt::STATUS)).ok();
        let bytes = stead_store::read_capped(&dir.join(attempt::VERIFY), LIMIT).ok().flatten().unwrap_or_default();
        Self {
            summary: status.map(|status| status.summary).filter(|summary| !summary.is_empty()),
            verification: serde_json::from_slice(&bytes).unwrap_or_default(),
        }
    }
}
