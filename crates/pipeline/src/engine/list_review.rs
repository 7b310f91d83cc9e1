//! What became of the feature list while an agent worked. Not every agent runs with hooks, so the engine compares: what
//! the agent wrote as verifiers is marked as an agent's, and what it marked as tested without evidence is taken back.

use stead_evidence::{Bounds, NotProven, proof_of};
use stead_feature::{Event, FeatureError, FeatureList, Rules, Status, new_verifiers, transact};
use stead_store::read_capped;

use super::EngineError;
use super::iteration::IterationFiles;
use super::node_run::NodeRun;
use crate::event::RunEvent;

/// Why a feature is not tested after all.
const CLAIMED: &str = "it was marked as tested without evidence";

impl NodeRun<'_> {
    /// The text of the list before an agent works. A list that cannot be read is reported by whoever needs it next.
    pub(super) fn list_text(&self) -> Option<Vec<u8>> {
        let path = self.run.around.features?.ground.features.join(FeatureList::FILE);
        read_capped(&path, FeatureList::LIMIT).ok().flatten()
    }

    /// Looks at what changed in the list since then.
    pub(super) fn review_list(&self, before: Option<Vec<u8>>, files: &IterationFiles) -> Result<(), EngineError> {
        let after = self.list_text();
        let Some(support) = self.run.around.features.filter(|_| before != after) else { return Ok(()) };
        let (features, ground) = (&support.ground.features, &support.ground);
        let parse = |text: Option<Vec<u8>>| FeatureList::parse(text.as_deref().unwrap_or(b"[]"), features).ok();
        let (Some(before), Some(after)) = (parse(before), parse(after)) else { return Ok(()) };
        let written = new_verifiers(&before, &after).filter(|feature| feature.verifiers_by.is_empty());
        let written: Vec<String> = written.map(|feature| feature.id.clone()).collect();
        if !written.is_empty() {
            transact(features, |opened| opened.require(features)?.mark_agent_verifiers(written.into_iter()))?;
        }
        let was_tested = |id: &str| before.find(id).is_ok_and(|feature| feature.state() == Status::Tested);
        for feature in after.features.iter().filter(|feature| feature.state() == Status::Tested) {
            let is_unproven = || {
                matches!(
                    proof_of(ground, feature, &Bounds::command()),
                    Err(NotProven::Unproven { is_stale: false, .. })
                )
            };
            if was_tested(&feature.id) || !is_unproven() {
                continue;
            }
            let event = Event::Failed { feature: feature.id.clone(), summary: CLAIMED.into(), evidence: Vec::new() };
            let now = (self.run.around.now)();
            let apply = || transact(features, |opened| opened.apply(&event, now, &Rules::default()));
            let status = match self.run.journal.write(apply) {
                Err(error @ (FeatureError::Refused { .. } | FeatureError::Unknown { .. })) => {
                    self.run.journal.warn(&self.node.id, format!("`{}` has no effect: {error}", event.name()))?;
                    continue;
                }
                changes => changes?.iter().find_map(stead_feature::Change::status),
            };
            self.run.journal.tell(RunEvent::FeatureChanged {
                node: self.node.id.clone(),
                iteration: files.iteration,
                feature: feature.id.clone(),
                what: event.name().to_owned(),
                status: status.map(|status| status.to_string()).unwrap_or_default(),
                why: CLAIMED.to_owned(),
                evidence: Vec::new(),
            })?;
        }
        Ok(())
    }
}
