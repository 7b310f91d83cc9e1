use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use stead_context::{call_fingerprint, fingerprint};
use stead_guard::ReadEffects;
use stead_model::{Action, Detail, Event, EventKind, Level, Verdict};
use stead_shell::OwnTool;
use stead_store::{Durability, Redacted, StoreError, append_line};

use crate::effects_line::EffectsLine;
use crate::guard::{GuardReport, HitLine};
use crate::ledger;
use crate::record::{MOST_ENTRIES, PATIENCE, cut, kept};
use crate::request::Request;
use crate::run_identity::RunIdentity;

/// One line of `sessions.jsonl`.
#[derive(Default, Serialize)]
pub(crate) struct SessionLine<'a> {
    pub v: u32,
    pub ts: &'a str,
    pub harness: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<&'a str>,
    /// The run, stage and iteration that the agent was started for, if the engine started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
    pub event: &'a str,
    pub native: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<&'a str>,
    /// The command that a shell is about to run: its beginning, without secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The files that a change or a read names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<Cow<'a, str>>,
    /// Hashes of the `stead` commands in the call, or of the call of an own MCP tool, by which they find this line and so
    /// their session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub binds: Vec<String>,
    /// The id of the grant that the command may spend, because a person typed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant: Option<&'a str>,
    /// The role of the sub-agent that the call starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spawns: Option<&'a str>,
    pub verdict: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The verdict's id, if a gate or a guard matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<&'a str>,
    #[serde(skip_serializing_if = "<[HitLine]>::is_empty")]
    pub hits: &'a [HitLine],
    /// The effects of the call, if they were computed, which they are not for a plain call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<EffectsLine>,
    /// The stamps of the files that the call is about to change, `-` for a file that is not there.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub stats: BTreeMap<String, String>,
    /// The paths that those files are renamed from, by path.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub moves: BTreeMap<String, String>,
    /// Where they are, by path, if not in this checkout.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub places: BTreeMap<String, String>,
    /// The call may change files that `stats` does not have.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
    /// The person interrupted the call.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// What the session's main agent has to be told, and which no hit says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owes: Option<&'a str>,
    /// Earlier verdicts whose warnings the agent reads with this reply.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub told: &'a [String],
}

/// Appends the line of a request.
pub(crate) fn append(
    request: &Request<'_>,
    verdict: &Verdict,
    report: &GuardReport,
    now: &str,
    durability: Durability,
) -> Result<(), StoreError> {
    let event = request.event;
    let call = event.call.as_ref();
    let work = RunIdentity::from_env(request.env);
    let binds = binds(request);
    let grant = if binds.is_empty() { None } else { request.grant() };
    let expected = ledger::Expected::of(request);
    let effects = effects(request, report);
    let line = SessionLine {
        v: 1,
        ts: now,
        harness: request.harness.name(),
        session: event.session.as_deref().map(cut),
        agent: request.agent_id().map(cut),
        role: event.agent.as_ref().and_then(|agent| agent.role.as_deref()).map(cut),
        run: work.run.as_deref(),
        stage: work.stage.as_deref(),
        iteration: work.iteration,
        event: event.kind.name(),
        native: cut(&event.native),
        tool: call.map(|call| cut(&call.tool)),
        call: call.and_then(|call| call.id.as_deref()).map(cut),
        action: call.map(|call| action_name(&call.action)),
        command: command(event),
        paths: call.map(|call| paths(&call.action)).unwrap_or_default(),
        binds,
        grant: grant.map(|grant| grant.id.as_str()),
        spawns: spawns(event),
        verdict: verdict.level.name(),
        reason: (verdict.level > Level::Allow).then(|| kept(&verdict.reason_text())),
        id: report.id.as_deref(),
        hits: &report.hits,
        effects,
        stats: expected.stats,
        moves: expected.moves,
        places: expected.places,
        open: expected.is_open,
        interrupted: matches!(event.detail, Detail::Failed { interrupted: true, .. }),
        owes: None,
        told: &report.delivered,
    };
    append_line(&request.session_log(), Redacted::line(&line), durability, PATIENCE)
}

/// The effects that were computed before a tool, and those of calls with a verdict.
fn effects(request: &Request<'_>, report: &GuardReport) -> Option<EffectsLine> {
    let event = request.event;
    event.call.as_ref().filter(|_| event.kind.is_gated())?;
    let effects = if report.hits.is_empty() { request.known_effects()? } else { request.effects() };
    Some(EffectsLine::of(effects, request.work()))
}

/// Hashes the `stead` commands that a shell is about to run, and the call of one of Stead's own MCP tools.
fn binds(request: &Request<'_>) -> Vec<String> {
    let event = request.event;
    match event.call.as_ref().map(|call| &call.action) {
        Some(Action::Run { command, .. }) if event.kind == EventKind::BeforeTool && may_call_stead(command) => {
            let calls = stead_shell::stead_calls(request.effects());
            calls.iter().take(MOST_ENTRIES).map(|words| fingerprint(words.iter().map(String::as_str))).collect()
        }
        Some(Action::Mcp { tool, .. }) if event.kind == EventKind::BeforeTool && OwnTool::find(tool).is_some() => {
            let input = event.call.as_ref().and_then(|call| serde_json::from_str(&call.input).ok());
            vec![call_fingerprint(tool, &input.unwrap_or_default())]
        }
        _ => Vec::new(),
    }
}

/// Returns true if a command contains the word `stead` followed by another word. The name inside other names, and as
/// the last name of a path (`cd ~/stead && make`), is not a call.
fn may_call_stead(command: &str) -> bool {
    const NAME: &str = "stead";
    command.match_indices(NAME).any(|(at, _)| {
        let before = command[..at].chars().next_back();
        let is_begin = before.is_none_or(|c| c.is_whitespace() || "/\\\"'`;|&(){}=$".contains(c));
        let rest = command[at + NAME.len()..].trim_start_matches(['"', '\'']);
        let next = rest.trim_start_matches([' ', '\t', '\\', '\n']);
        is_begin && next.len() < rest.len() && next.starts_with(|c: char| !";|&()<>`".contains(c))
    })
}

fn command(event: &Event<'_>) -> Option<String> {
    match &event.call.as_ref().filter(|_| event.kind.is_gated())?.action {
        Action::Run { command, .. } => Some(kept(command)),
        _ => None,
    }
}

fn spawns<'a>(event: &'a Event<'_>) -> Option<&'a str> {
    match &event.call.as_ref()?.action {
        Action::Spawn { role, .. } => role.as_deref().map(cut),
        _ => None,
    }
}

fn action_name(action: &Action<'_>) -> &'static str {
    match action {
        Action::Change(_) => "change",
        Action::Run { .. } => "run",
        Action::Read(_) => "read",
        Action::Mcp { .. } => "mcp",
        Action::Spawn { .. } => "spawn",
        Action::Inert => "inert",
        Action::Other => "other",
    }
}

fn paths<'a>(action: &'a Action<'_>) -> Vec<Cow<'a, str>> {
    let all: Vec<&str> = match action {
        Action::Change(changes) => changes.iter().map(|change| change.path.as_ref()).collect(),
        Action::Read(paths) => paths.iter().map(AsRef::as_ref).collect(),
        _ => Vec::new(),
    };
    all.into_iter().take(MOST_ENTRIES).map(|path| Cow::Borrowed(cut(path))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_word_with_words_behind_it_may_be_a_call() {
        let check = |command: &str, expected: bool| assert_eq!(may_call_stead(command), expected, "{command}");
        check("stead status", true);
        check("/usr/bin/stead note 'x'", true);
        check("cd x && 'stead' loop stop", true);
        check("FOO=1 sudo \"stead\" status", true);
        check("echo $(stead status)", true);
        check("cd ~/homestead && git status", false);
        check("cd /work/stead && cargo test", false);
        check("cat instead.txt steady x", false);
        check("ls /srv/stead; git log", false);
        check("stead-tool x", false);
        check("stead", false);
        check("git status", false);
    }
}
