//! The list that an initializer wrote: accepted if it is one, kept aside if not.

use stead_feature::{FeatureList, Outline, Status, transact};

use super::assignment::Desk;
use super::iteration::IterationFiles;
use super::journal::safe;
use super::node_end::NodeEnd;
use super::node_run::NodeRun;
use super::{EngineError, rebuild};
use crate::state::ErrorKind;

/// How often an initializer may write an invalid list.
const INITIALIZERS: u32 = 2;

impl NodeRun<'_> {
    /// Fails if the initializer left no valid list.
    pub(super) fn accept_list(&self, desk: Desk<'_>) -> Result<(), String> {
        match Outline::read(&desk.ground().features) {
            Ok(Some(outline)) if outline.rows.is_empty() => Err("the feature list is empty".into()),
            Ok(Some(outline)) => match outline.rows.iter().find(|row| row.status == Status::Tested) {
                Some(row) => Err(format!("`{}` is listed as tested, but nothing was built yet", row.id)),
                None => self.mark_verifiers(desk).map_err(|error| error.to_string()),
            },
            Ok(None) => Err("the initializer wrote no feature list".into()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// What an initializer wrote is not a list: it is kept in the iteration's folder, and another one tries.
    pub(super) fn reject_list(
        &mut self,
        desk: Desk<'_>,
        files: &IterationFiles,
        why: String,
    ) -> Result<Option<NodeEnd>, EngineError> {
        let list = desk.ground().features.join(FeatureList::FILE);
        if let Ok(bytes) = stead_store::read_file(&list) {
            let text = String::from_utf8_lossy(&bytes);
            let rejected = files.file("feature-list.rejected");
            let _ = stead_store::replace(&rejected, stead_store::redact(&text), stead_store::Durability::Quick);
            rebuild::put_aside(&list)?;
        }
        self.run.journal.warn(&self.node.id, safe(&format!("no valid feature list: {why}")))?;
        self.rejected_lists += 1;
        let gives_up = self.rejected_lists >= INITIALIZERS;
        Ok(gives_up.then(|| NodeEnd::Failed(ErrorKind::AgentError, format!("no valid feature list: {why}"))))
    }

    /// Marks the verifiers of a new list as an agent's.
    fn mark_verifiers(&self, desk: Desk<'_>) -> Result<(), EngineError> {
        transact(&desk.ground().features, |opened| {
            let Some(document) = &mut opened.document else { return Ok(()) };
            let with = document.list()?.features.into_iter().filter(|feature| !feature.verifiers.is_empty());
            Ok(document.mark_agent_verifiers(with.map(|feature| feature.id))?)
        })
    }
}
