//! What the evidence commands share: where evidence is stored, and who is calling.

use stead_evidence::{EvidenceError, Ground, Kind, Who};
use stead_feature::{Feature, FeatureError};
use stead_hook::{Rules, written_by};
use stead_store::{Layout, ProjectState, Room, UserDirs};

use crate::command::orchestrate::is_on;
use crate::error::CliError;
use crate::error_code::Coded;
use crate::person::agent_near;
use crate::project::{Project, env};
use crate::session::calling_session;
use crate::speaker::Speaker;
use crate::trusting::refuse_verifiers;
use crate::ui::Ui;

/// The ground of a project.
pub(crate) fn ground(project: &Project) -> Ground {
    let layout = Layout::of(&project.config);
    Ground {
        root: project.found.work().to_owned(),
        features: layout.dir(project.root(), Room::Features),
        indexes: project.indexes(),
        // Where the hook looks, which does not follow the layout.
        cache: project.root().join(Room::Cache.default_path()),
        state: project_state(project),
    }
}

/// What the person's state folder keeps about this checkout.
fn project_state(project: &Project) -> Option<ProjectState> {
    ProjectState::find(&UserDirs::of_project(project.root(), &env)?.state, project.root())
}

/// Of paths below the root, those that a session or run wrote.
pub(crate) fn written(project: &Project, who: &Who, paths: &[&str]) -> Vec<String> {
    written_by(&Layout::of(&project.config).dir(project.root(), Room::Intents), who, paths)
}

/// Who is calling, as far as a hook saw it or the engine says so.
pub(crate) fn who(project: &Project) -> Who {
    let named = |name: &str| env(name).and_then(|value| value.into_string().ok()).filter(|value| !value.is_empty());
    let mut who = Who { run: named("STEAD_RUN"), stage: named("STEAD_STAGE"), ..Who::default() };
    if let Some(binding) = calling_session(project) {
        who.harness = Some(binding.harness);
        who.session = Some(binding.session);
        who.agent = binding.agent;
    }
    who
}

/// Returns true if a person started what the caller does: by typing it, or by turning the orchestrator on for the session.
pub(crate) fn is_supervised(project: &Project) -> bool {
    match calling_session(project) {
        Some(binding) => is_on(project, &binding.session),
        None => agent_near(project).is_none(),
    }
}

/// Refuses to run for an agent what it may not run itself. Verifiers are a person's, unless an agent wrote them; a command
/// without a feature was typed by the caller. Nobody's run if they came with the repository and nobody trusts them.
pub(crate) fn refuse_verifier(project: &Project, feature: Option<&Feature>, command: &str) -> Result<(), CliError> {
    feature.map_or(Ok(()), |feature| refuse_verifiers(project, feature))?;
    let is_persons = feature.is_some_and(|feature| !feature.has_agent_verifiers());
    let rules = if is_persons { Rules::WithoutIntents } else { Rules::All };
    match Speaker::calling(project).refusal_by(rules, project, command) {
        None => Ok(()),
        Some(reason) => Err(CliError::refused(format!("`{command}` is refused: {reason}"))
            .hinted("ask the person to run it, or to change the feature's verifiers")),
    }
}

/// The kind of evidence that the caller can add: a person's only from a terminal without any sign of an agent.
pub(crate) fn voice(who: &Who, project: &Project, ui: &Ui) -> Kind {
    let is_agent = who.session.is_some() || who.run.is_some() || agent_near(project).is_some();
    if is_agent || !ui.is_interactive() { Kind::Claimed } else { Kind::Person }
}

impl From<EvidenceError> for CliError {
    fn from(error: EvidenceError) -> Self {
        let hint = error.hint();
        let (message, code) = (error.to_string(), error.code());
        let told = match error {
            EvidenceError::Store(source) => return source.into(),
            EvidenceError::Unread { source, .. } => Self::user(message).because(source),
            EvidenceError::Feature(error) => return error.into(),
            EvidenceError::Pattern { .. } | EvidenceError::UnknownItem { .. } => Self::usage(message),
            _ => Self::user(message),
        };
        told.coded(code).hinted_if(hint)
    }
}

impl From<FeatureError> for CliError {
    fn from(error: FeatureError) -> Self {
        let hint = error.hint();
        let (message, code) = (error.to_string(), error.code());
        let told = match error {
            FeatureError::Store(source) => return source.into(),
            FeatureError::Unknown { .. } => Self::usage(message),
            FeatureError::Syntax { .. } | FeatureError::Shape { .. } | FeatureError::Entry { .. } => {
                Self::config(message)
            }
            _ => Self::user(message),
        };
        told.coded(code).hinted_if(hint)
    }
}
