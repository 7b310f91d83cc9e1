//! The feature list as the queue of a stage.

use stead_feature::{FeatureList, Outline, Queue, Readiness, SessionState, Task};
use stead_store::find_program;

use super::EngineError;
use super::node_end::NodeEnd;
use super::node_run::NodeRun;
use crate::definition::default_queue;
use crate::event::RunEvent;
use crate::state::ErrorKind;

impl NodeRun<'_> {
    /// Returns true if the stage's queue is the issue tracker by default, which is not installed, and there is a list.
    pub(super) fn lacks_default_queue(&self, command: &str) -> bool {
        let path = (self.run.around.env)("PATH").unwrap_or_default();
        let features = self.run.around.features.map(|support| &support.ground.features);
        command == default_queue(&self.run.plan.run)
            && find_program(&path, "bd").is_none()
            && features.is_some_and(|features| features.join(FeatureList::FILE).is_file())
    }

    /// Counts the features that are ready to be coded, or claimed for that.
    pub(super) fn count_features(
        &self,
        category: Option<&str>,
        labels: &[String],
        iteration: u32,
    ) -> Result<Result<u64, NodeEnd>, EngineError> {
        let failed = |why: String| Ok(Err(NodeEnd::Failed(ErrorKind::Queue, why)));
        let Some(support) = self.run.around.features else { return failed("there is no feature list".into()) };
        let features = &support.ground.features;
        let (outline, list, session) =
            match (Outline::read(features), FeatureList::read(features), SessionState::read(features)) {
                (Ok(Some(outline)), Ok(Some(list)), Ok(session)) => (outline, list, session),
                (Ok(None), ..) | (_, Ok(None), _) => return failed("there is no feature list".into()),
                (Err(error), ..) | (_, Err(error), _) | (.., Err(error)) => return failed(error.to_string()),
            };
        let is_meant = |id: &str| {
            list.features.iter().find(|feature| feature.id == id).is_some_and(|feature| {
                category.is_none_or(|category| feature.category == category)
                    && (labels.is_empty() || labels.iter().any(|label| feature.labels.contains(label)))
            })
        };
        let is_claimed = |id: &str| session.claim(id).is_some_and(|claim| claim.task == Task::Code);
        let queue = Queue::of(&outline, &session, (self.run.around.now)());
        let open = queue.iter().filter(|(row, ready)| match ready {
            Readiness::Code => is_meant(&row.id),
            Readiness::Claimed { .. } => is_claimed(&row.id) && is_meant(&row.id),
            _ => false,
        });
        let left = open.count() as u64;
        let queue = Some("features".to_owned());
        self.run.journal.tell(RunEvent::QueueCounted { node: self.node.id.clone(), iteration, left, queue })?;
        Ok(Ok(left))
    }
}
