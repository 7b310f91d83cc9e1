//! What the main agent is told.

use std::path::Path;

use stead_feature::{Action, Agent, Command, SessionState};

use crate::request::Request;

/// Why a stop is blocked, and what it is counted under; `None` if nothing is left to do now.
pub(super) fn reminder(
    request: &Request<'_>,
    action: &Action,
    command: Option<&Command>,
    machine: &SessionState,
) -> Option<(String, String)> {
    match (action, command) {
        (Action::Initialize | Action::Code { .. } | Action::Test { .. }, Some(command)) => {
            Some((command.key.clone(), step(request, command)))
        }
        (Action::Wait { .. }, _) => own_claim(request, machine).map(|feature| {
            let text = format!(
                "Stead: this session claimed feature `{feature}` and did not report it.\nFinish it, then report: `stead \
                 feature report {feature} --implemented`, or `--passed` or `--failed` as its tester. If you cannot go \
                 on: `stead feature block {feature} --question \"…\"`."
            );
            (format!("{feature}:report"), text)
        }),
        _ => None,
    }
}

/// What a session is told at its start.
pub(super) fn briefing(
    request: &Request<'_>,
    action: &Action,
    command: Option<&Command>,
    machine: &SessionState,
) -> String {
    const DUTY: &str = "You orchestrate: you delegate, you do not edit source files or test yourself.";
    match reminder(request, action, command, machine) {
        Some((_, text)) => format!("{DUTY}\n{text}"),
        None => end(action).map_or_else(|| DUTY.to_owned(), |text| format!("{DUTY}\n{text}")),
    }
}

/// Why nothing is left to do now.
pub(super) fn end(action: &Action) -> Option<String> {
    Some(match action {
        Action::End { summary } => format!(
            "Stead: no feature is ready: {} tested, {} skipped, {} blocked. Tell the person what was done.",
            summary.tested,
            summary.skipped,
            summary.blocked.len() + summary.waiting.len()
        ),
        Action::AskPerson { feature, question } => {
            format!(
                "Stead: feature `{feature}` waits for a person: {question} (`stead feature answer {feature} \"…\"`)"
            )
        }
        Action::Wait { why, .. } => format!("Stead: nothing can start now: {why}"),
        _ => return None,
    })
}

/// The next step: one line, how to delegate it, and the command object.
fn step(request: &Request<'_>, command: &Command) -> String {
    let what = match (&*command.context.feature_id, &*command.context.title) {
        ("", _) => "there is no feature list yet".to_owned(),
        (id, "") => format!("feature `{id}`"),
        (id, title) => format!("feature `{id}` ({title})"),
    };
    let agent = command.agent;
    let how = match is_defined(request, agent) {
        true => format!(
            "Start the sub-agent `{agent}` with the command below as its task, wait for its result, then run `stead \
             feature next`."
        ),
        // It gets the role that the command assigns, and no other.
        false => format!(
            "There is no definition of `{agent}` here (a person installs it with `stead init --agents`). Start a general \
             sub-agent with the command below as its task, whose first command is `stead agent begin {agent}`; then run \
             `stead feature next`."
        ),
    };
    let json = serde_json::to_string_pretty(command).unwrap_or_default();
    let note = command.context.precedents_note();
    format!("Stead: next is {} for {what}.\n{how}{note}\n```json\n{json}\n```", command.task)
}

/// Returns true if the client can start this agent: its definition is installed.
fn is_defined(request: &Request<'_>, agent: Agent) -> bool {
    let agents = &request.harness.client().facts.agents;
    let name = |path: &str| path.replace("{name}", &agent.to_string());
    let project = request.work().join(name(agents.project));
    project.is_file()
        || crate::file_facts::resolve(agents.user, request.work(), request.env)
            .is_some_and(|path| Path::new(&name(&path.to_string_lossy())).is_file())
}

/// A feature that this session claimed and has not reported.
pub(super) fn own_claim<'m>(request: &Request<'_>, machine: &'m SessionState) -> Option<&'m str> {
    let own = format!("session {}", request.session()?.as_str());
    let is_own = |owner: &str| owner == own || owner.strip_prefix(&own).is_some_and(|rest| rest.starts_with(','));
    machine.claims.iter().find(|claim| is_own(&claim.owner)).map(|claim| claim.feature.as_str())
}
