//! The plan in a run's folder, with proof that it is the one the run was started with.

use std::fs;

use stead_store::{Durability, Exact, file_stamp, read_capped, replace_creating};

use super::folder::{PLAN_SCHEMA, RunFolder};
use super::journal::to_json_lines;
use super::{EngineError, rebuild};
use crate::Plan;
use crate::state::State;

/// The size limit of a plan, which contains prompts and mock answers.
const LIMIT: usize = 64 * 1024 * 1024;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Frozen {
    pub(crate) plan: Plan,
    /// Git's blob hash of the file.
    pub(crate) sha1: String,
    bytes: Vec<u8>,
}

impl Frozen {
    /// Renders the file of a plan; it is not written yet.
    pub(crate) fn of(plan: Plan) -> Result<Self, EngineError> {
        let bytes = to_json_lines(&plan)?;
        Ok(Self { plan, sha1: hash(&bytes), bytes })
    }

    pub(crate) fn read(folder: &RunFolder) -> Result<Self, EngineError> {
        let path = folder.plan_path();
        let bytes = read_capped(&path, LIMIT)?.ok_or_else(|| folder.unknown())?;
        let plan: Plan = serde_json::from_slice(&bytes)
            .map_err(|error| EngineError::Damaged { path: path.clone(), why: error.to_string() })?;
        if plan.schema > PLAN_SCHEMA {
            return Err(EngineError::Newer { path, found: plan.schema, known: PLAN_SCHEMA });
        }
        Ok(Self { plan, sha1: hash(&bytes), bytes })
    }

    pub(crate) fn write(&self, folder: &RunFolder) -> Result<(), EngineError> {
        let path = folder.plan_path();
        // An agent can put anything there, and a run without its plan could be neither shown nor resumed.
        if fs::symlink_metadata(&path).is_ok_and(|data| !data.is_file()) {
            rebuild::put_aside(&path)?;
        }
        Ok(replace_creating(&path, Exact::Copied.bytes(&self.bytes), Durability::Synced)?)
    }

    /// Rejects a plan that is not the one the state belongs to. Older states have no hash and accept any.
    pub(crate) fn check(&self, folder: &RunFolder, state: &State) -> Result<(), EngineError> {
        let is_known = |hash: &Option<String>| hash.as_ref() == Some(&self.sha1);
        if state.plan_sha1.is_none() || is_known(&state.plan_sha1) || is_known(&state.next_plan_sha1) {
            return Ok(());
        }
        Err(EngineError::PlanChanged { path: folder.plan_path(), run: folder.name().to_owned() })
    }

    /// Returns true if the file still contains this plan.
    pub(crate) fn is_in_place(&self, folder: &RunFolder) -> bool {
        let path = folder.plan_path();
        fs::symlink_metadata(&path).is_ok_and(|data| data.is_file())
            && matches!(read_capped(&path, LIMIT), Ok(Some(bytes)) if bytes == self.bytes)
    }
}

/// What changes when the plan file changes, without reading it; `None` if it is missing.
pub(crate) fn stamp(folder: &RunFolder) -> Option<String> {
    fs::symlink_metadata(folder.plan_path()).ok().map(|data| file_stamp(&data).text)
}

fn hash(bytes: &[u8]) -> String {
    let mut hash = sha1_smol::Sha1::new();
    hash.update(format!("blob {}\0", bytes.len()).as_bytes());
    hash.update(bytes);
    hash.digest().to_string()
}
