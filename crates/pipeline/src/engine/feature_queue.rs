//! The feature list as the queue of a stage.

use stead_feature::{Document, FeatureList, Queue, Readiness, SessionState, Task};
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
        let (document, session) = match (Document::read(features), SessionState::read(features)) {
            (Ok(Some(document)), Ok(session)) => (document, session),
            (Ok(None), _) => return failed("there is no feature list".into()),
            (Err(error), _) | (_, Err(error)) => return failed(error.to_string()),
        };
        let is_meant = |at: usize| {
            document.heading_at(at).is_ok_and(|heading| {
                category.is_none_or(|category| heading.is_of(category))
                    && (labels.is_empty() || labels.iter().any(|label| heading.has_label(label)))
            })
        };
        let is_claimed = |id: &str| session.claim(id).is_some_and(|claim| claim.task == Task::Code);
        let queue = Queue::of(document.outline(), &session, (self.run.around.now)());
        let open = queue.iter().enumerate().filter(|(at, (row, ready))| match ready {
            Readiness::Code => is_meant(*at),
            Readiness::Claimed { .. } => is_claimed(&row.id) && is_meant(*at),
            _ => false,
        });
        let left = open.count() as u64;
        let queue = Some("features".to_owned());
        self.run.journal.tell(RunEvent::QueueCounted { node: self.node.id.clone(), iteration, left, queue })?;
        Ok(Ok(left))
    }
}
