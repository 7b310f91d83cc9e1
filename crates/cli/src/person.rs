//! Checks whether a person runs this command. An agent can start a command in ways that a hook does not see, so the
//! commands that would weaken Stead check the caller themselves.

mod seat;

use std::path::Path;

use stead_client::Harness;
use stead_hook::{AgentSign, lineage, sealed_configs, spend_grant};
use stead_store::{Config, Entry, Layer, MARKER, Person, Process};

use crate::error::CliError;
use crate::project::{Project, env};
use crate::session::{Caller, calling_session};
use crate::ui::Ui;

/// Whose files a command would change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The project's. Its own files may permit agents to change them.
    Project,
    /// The person's. No project can permit that.
    Person,
}

/// Fails unless a person at a terminal runs the command.
pub(crate) fn require_person(what: &str, project: &Project, ui: &Ui) -> Result<(), CliError> {
    let surroundings = Surroundings::of(project);
    let terminal = || (!ui.is_interactive()).then(|| "there is no terminal".to_owned());
    let why = surroundings.agent().or_else(|| called_by_session(project)).or_else(terminal);
    unless_typed(what, why.or_else(|| surroundings.empty_seat()), project)
}

/// Returns true if a person at a terminal runs the command.
pub(crate) fn is_person(project: &Project, ui: &Ui) -> bool {
    let surroundings = Surroundings::of(project);
    let is_agent = surroundings.agent().is_some() || called_by_session(project).is_some();
    !is_agent && ui.is_interactive() && surroundings.empty_seat().is_none()
}

/// Fails unless a person at a terminal runs a command that weakens the rules.
pub(crate) fn require_person_to_weaken(what: &str, whose: Whose, project: &Project, ui: &Ui) -> Result<(), CliError> {
    if is_waived(whose, project.root()) { Ok(()) } else { require_person(what, project, ui) }
}

/// Fails if an agent runs the command; a person's scripts may.
pub(crate) fn refuse_agents(what: &str, whose: Whose, project: &Project) -> Result<(), CliError> {
    if is_waived(whose, project.root()) {
        return Ok(());
    }
    let why = Surroundings::of(project).agent().or_else(|| called_by_session(project));
    unless_typed(what, why, project)
}

/// Fails for the reason given, unless a person typed exactly this command in the client whose agent runs it. That
/// permits it once; see `stead_hook::Grant` for who counts as a person there and which commands can be typed.
fn unless_typed(what: &str, why: Option<String>, project: &Project) -> Result<(), CliError> {
    match why {
        Some(why) if !was_typed(project) => Err(refusal(what, &why)),
        _ => Ok(()),
    }
}

fn was_typed(project: &Project) -> bool {
    let Caller::Words(words) = &project.caller else { return false };
    calling_session(project).is_some_and(|binding| spend_grant(&project.indexes(), &binding, words))
}

/// Looks for signs that an agent runs this command.
pub(crate) fn agent_near(project: &Project) -> Option<AgentSign> {
    Surroundings::of(project).sign()
}

/// Records where the person's folders are, after a command that a person ran at a terminal in a project.
pub(crate) fn remember_person(ui: &Ui) {
    let Some(project) = ui.is_interactive().then(|| Project::find(ui).ok()).flatten() else { return };
    // Without its marker the folder was deleted, and nothing may bring it back.
    if project.root().join(MARKER).is_file() && is_at_terminal(&project, ui) {
        keep_person(project.root());
    }
}

/// Records it when the project is set up, which a person's script may do. What is known already changes only at a
/// terminal, and never by an agent.
pub(crate) fn remember_at_setup(root: &Path, ui: &Ui) {
    let Ok(project) = Project::find(ui) else { return };
    let is_new = Person::read(root).is_none() && Surroundings::of(&project).agent().is_none();
    if is_new || is_at_terminal(&project, ui) {
        keep_person(root);
    }
}

fn is_at_terminal(project: &Project, ui: &Ui) -> bool {
    let surroundings = Surroundings::of(project);
    let by_agent = || surroundings.agent().or_else(|| called_by_session(project)).or_else(|| surroundings.empty_seat());
    ui.is_interactive() && by_agent().is_none()
}

/// Best effort: without a record the environment counts.
fn keep_person(root: &Path) {
    if let Some(person) = Person::of_env(root, &env) {
        let _ = person.keep(root);
    }
}

/// Returns true if an agent program started this process, whatever the project is.
pub(crate) fn is_below_agent() -> bool {
    AgentSign::above_command(&env, &lineage()).is_some()
}

fn refusal(what: &str, why: &str) -> CliError {
    CliError::refused(format!("only a person may {what}; {why}"))
        .hinted("run it in a terminal of your own, outside any agent")
}

fn called_by_session(project: &Project) -> Option<String> {
    calling_session(project).map(|binding| format!("session {} ran this command", binding.session))
}

/// Returns true if the project's files switch self-protection off. Nothing else counts: the caller can set variables.
fn is_waived(whose: Whose, root: &Path) -> bool {
    const GATE: &str = "gate.self_protection";
    let (config, _) = Config::load_sealed(Some(root), &|_| None, &[], &sealed_configs(root, &env));
    let by_project = |entry: &Entry| matches!(entry.origin.layer, Layer::Project | Layer::Local);
    whose == Whose::Project && !config.bool(GATE) && config.get(GATE).is_ok_and(by_project)
}

/// What a process can see of who started it.
struct Surroundings {
    /// This process and those above it.
    line: Vec<Process>,
    caller: Caller,
}

impl Surroundings {
    fn of(project: &Project) -> Self {
        Self { line: lineage(), caller: project.caller.clone() }
    }

    fn sign(&self) -> Option<AgentSign> {
        let seen = AgentSign::above_command(&env, &self.line);
        match &self.caller {
            Caller::Words(_) => seen,
            // Whoever started the server: tools are called by agents.
            Caller::Tool(binding) => {
                let bound = binding.as_ref().and_then(|binding| Harness::from_name(&binding.harness));
                let harness = bound.or(seen.and_then(|sign| sign.harness));
                Some(AgentSign { harness, why: "an agent called the MCP server".to_owned() })
            }
        }
    }

    fn agent(&self) -> Option<String> {
        self.sign().map(|sign| sign.why)
    }

    fn empty_seat(&self) -> Option<String> {
        seat::is_empty(&self.line)
    }
}
