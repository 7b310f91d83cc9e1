//! What a worker does next: one question to the machine, and the claim that goes with the answer.

use std::path::PathBuf;

use stead_evidence::Ground;
use stead_feature::{Action, Agent, Command, Document, Event, Feature, Rules, Summary, next, transact};

use super::EngineError;
use super::node_end::NodeEnd;
use super::node_run::NodeRun;
use super::worktree::Tree;
use crate::Provider;
use crate::orchestrate::{FeatureSupport, Orchestrate, claim_owner};
use crate::state::ErrorKind;

/// One agent's work on the feature list.
pub(super) struct Assignment {
    pub(super) command: Command,
    /// `None` for the initializer.
    pub(super) feature: Option<Feature>,
    pub(super) provider: Provider,
    /// The feature's own worktree.
    pub(super) tree: Option<Tree>,
    /// Where the command object is, once the iteration has its folder.
    pub(super) file: PathBuf,
}

impl Assignment {
    pub(super) fn is_test(&self) -> bool {
        self.command.agent == Agent::Tester
    }
}

/// What a worker can do.
pub(super) enum Next {
    Work(Box<Assignment>),
    /// Others work on what it would need.
    Wait(String),
    End(NodeEnd),
}

/// What every part of a worker needs.
#[derive(Clone, Copy)]
pub(super) struct Desk<'a> {
    pub(super) options: &'a Orchestrate,
    pub(super) support: &'a FeatureSupport<'a>,
}

impl Desk<'_> {
    pub(super) fn rules(&self) -> Rules {
        Rules { only: self.options.only.clone(), ..Rules::default() }
    }

    pub(super) fn ground(&self) -> &Ground {
        &self.support.ground
    }
}

impl<'r> NodeRun<'r> {
    pub(super) fn desk(&self) -> Result<Desk<'r>, EngineError> {
        let why = || EngineError::Mismatch { why: "this run works on the feature list, which is not at hand".into() };
        let options = self.run.plan.orchestrate.as_ref().ok_or_else(why)?;
        Ok(Desk { options, support: self.run.around.features.ok_or_else(why)? })
    }

    pub(super) fn owner(&self) -> String {
        claim_owner(&self.run.plan.run, &self.node.id)
    }

    /// The end of a claim that is made or renewed now.
    pub(super) fn lease_end(&self, desk: Desk<'_>) -> i64 {
        let lease = i64::try_from(desk.options.lease_seconds.max(1)).unwrap_or(i64::MAX / 1000);
        (self.run.around.now)().saturating_add(lease.saturating_mul(1000))
    }

    /// Asks what is next, and claims it.
    pub(super) fn assign(&self, desk: Desk<'_>) -> Result<Next, EngineError> {
        let (now, rules) = ((self.run.around.now)(), desk.rules());
        let expires = self.lease_end(desk);
        transact(&desk.ground().features, |opened| {
            let outline = opened.document.as_ref().map(Document::outline);
            let action = next(outline, &opened.session, now, &rules);
            let feature = match (action.feature(), &opened.document) {
                (Some(id), Some(document)) => Some(document.feature(id)?),
                _ => None,
            };
            match &action {
                // One of several workers is enough.
                Action::Initialize if self.index > 0 => Ok(Next::Wait("there is no feature list yet".into())),
                Action::Initialize | Action::Code { .. } | Action::Test { .. } => {
                    let Some(mut command) = Command::of(&action, feature.as_ref(), &opened.session, now) else {
                        return Ok(Next::Wait("there is nothing to do yet".into()));
                    };
                    command.timeout_seconds.get_or_insert(desk.options.timeout_seconds);
                    if feature.is_none() {
                        command.artifacts = vec![desk.ground().features.to_string_lossy().into_owned()];
                    }
                    command.validate()?;
                    let tree = self.tree_path(desk, feature.as_ref());
                    if let Some(feature) = &feature {
                        let claimed = Event::Claimed {
                            feature: feature.id.clone(),
                            owner: self.owner(),
                            expires,
                            command_id: Some(command.id.clone()),
                            tree: tree.map(|path| path.to_string_lossy().into_owned()),
                        };
                        opened.apply(&claimed, now, &rules)?;
                    }
                    opened.session.state = action.name().into();
                    opened.session.feature = feature.as_ref().map(|feature| feature.id.clone());
                    opened.session.command = Some(command.clone());
                    let provider = match command.agent {
                        Agent::Tester => desk.options.tester.clone(),
                        _ => self.node.provider.clone(),
                    };
                    let (tree, file) = (None, PathBuf::new());
                    Ok(Next::Work(Box::new(Assignment { command, feature, provider, tree, file })))
                }
                Action::Wait { why, .. } => Ok(Next::Wait(why.clone())),
                Action::AskPerson { feature, question } => {
                    opened.session.state = action.name().into();
                    Ok(Next::End(NodeEnd::Blocked(format!("`{feature}` waits for a person: {question}"))))
                }
                Action::End { summary } => {
                    opened.session.state = action.name().into();
                    opened.session.feature = None;
                    Ok(Next::End(self.ending_of(summary)))
                }
            }
        })
    }

    fn ending_of(&self, summary: &Summary) -> NodeEnd {
        let Summary { tested, skipped, blocked, waiting, open, why } = summary;
        if let Some(why) = why {
            return self.limit(why.clone());
        }
        let done = match (tested, skipped) {
            (0, 0) => "there is nothing to do".to_owned(),
            (tested, 0) => format!("{tested} tested"),
            (tested, skipped) => format!("{tested} tested, {skipped} skipped"),
        };
        if summary.is_complete() {
            return NodeEnd::Done(done);
        }
        let named = |what: &str, ids: &[String]| match ids {
            [] => String::new(),
            ids => format!("; {what}: {}", ids.join(", ")),
        };
        let left = [named("blocked", blocked), named("waiting for those", waiting), named("open", open)].concat();
        NodeEnd::Failed(ErrorKind::Feature, format!("{done}{left}"))
    }
}
