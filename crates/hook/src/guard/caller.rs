//! Identifies the calling agent. Most clients report it; if one does not, the session log shows which sub-agent was
//! started and has not ended.
//!
//! A role that an agent gives itself (`stead agent begin`, `stead role use`) narrows what it may do and never widens it:
//! guards are judged for it as without the role, and again with it. Only the role that the orchestrator's current command
//! assigns counts like one that the client reports.
//!
//! An unknown agent counts as the main one, so that being unknown grants no role.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;
use stead_client::Harness;
use stead_model::{Event, EventKind};
use stead_store::Tail;

use crate::orchestrate;
use crate::request::Request;
use crate::session::SessionState;

/// How far the session log is read, from its end.
const LINES: usize = 500;

/// The agent behind an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    /// The main agent of its session, as far as is known.
    pub is_main: bool,
    pub role: Option<String>,
    /// A role that the agent gave itself and that nobody confirmed.
    pub claimed: Option<String>,
}

impl Caller {
    pub(crate) fn find(request: &Request<'_>) -> Self {
        let caller = Self::of(request.harness, request.event, &request.session_log(), request.facts.state());
        match &caller.claimed {
            Some(role) if orchestrate::assigns(request, role) => {
                Self { is_main: false, role: caller.claimed, claimed: None }
            }
            _ => caller,
        }
    }

    /// The caller with the role that it claims.
    pub(crate) fn as_claimed(&self) -> Option<Self> {
        let role = self.claimed.clone()?;
        Some(Self { is_main: false, role: Some(role), claimed: None })
    }

    fn of(harness: Harness, event: &Event<'_>, log: &Path, state: Option<&SessionState>) -> Self {
        let session = event.session.as_deref().unwrap_or_default();
        let about_agent = matches!(event.kind, EventKind::SubagentStart | EventKind::SubagentStop);
        if event.agent.is_none() && !about_agent {
            return if harness.client().facts.marks_calls { main(state) } else { unmarked(log, session, state) };
        }
        let agent = event.agent.clone().unwrap_or_default();
        if let Some(role) = agent.role.as_deref().filter(|role| !role.is_empty()) {
            return Self { is_main: false, role: Some(role.to_owned()), claimed: None };
        }
        let begun = || state.and_then(|state| state.begun_role(agent.id.as_deref()));
        let role = match agent.id.as_deref() {
            Some(id) => History::read(log, session).role_of(id),
            // Its end has no id: assume the one that was started first.
            None => History::read(log, session).away.first().and_then(|away| away.role.clone()),
        };
        match role {
            Some(role) => Self { is_main: false, role: Some(role), claimed: None },
            None => Self { is_main: false, role: None, claimed: begun() },
        }
    }
}

fn main(state: Option<&SessionState>) -> Caller {
    Caller { is_main: true, role: None, claimed: state.and_then(|state| state.role.clone()) }
}

fn unmarked(log: &Path, session: &str, state: Option<&SessionState>) -> Caller {
    if let Some(away) = History::read(log, session).away.pop() {
        return Caller { is_main: false, role: away.role, claimed: None };
    }
    match state.and_then(|state| state.begun_role(None)) {
        Some(role) => Caller { is_main: true, role: None, claimed: Some(role) },
        None => main(state),
    }
}

/// Returns true if a sub-agent of the session was started and has not ended.
pub(crate) fn has_sub_agent(log: &Path, session: &str) -> bool {
    !History::read(log, session).away.is_empty()
}

/// What the session log shows about a session's sub-agents.
#[derive(Default)]
struct History {
    /// Started and not ended, oldest first.
    away: Vec<Away>,
    /// Roles by the sub-agents' ids.
    known: HashMap<String, Option<String>>,
}

struct Away {
    call: Option<String>,
    role: Option<String>,
    agent: Option<String>,
    /// It has made a call.
    has_started: bool,
}

#[derive(Deserialize)]
struct Line {
    session: Option<String>,
    agent: Option<String>,
    role: Option<String>,
    event: String,
    action: Option<String>,
    call: Option<String>,
    spawns: Option<String>,
    verdict: String,
}

impl History {
    fn read(log: &Path, session: &str) -> Self {
        let Ok(lines) = Tail::open(log) else { return Self::default() };
        let own = lines.unchecked().take(LINES).flatten().filter(|line| line.text.contains(session));
        let own = own.filter_map(|line| serde_json::from_str::<Line>(&line.text).ok());
        let mut own: Vec<Line> = own.filter(|line| line.session.as_deref() == Some(session)).collect();
        own.reverse();
        let mut history = Self::default();
        own.into_iter().for_each(|line| history.add(line));
        history
    }

    fn add(&mut self, line: Line) {
        let is = |kind: EventKind| line.event == kind.name();
        if is(EventKind::SessionStart) || (is(EventKind::Prompt) && line.agent.is_none()) {
            // A turn starts without sub-agents; a lost one must not keep its role forever.
            self.away.clear();
            return;
        }
        let spawns = line.action.as_deref() == Some("spawn");
        if is(EventKind::BeforeTool) && spawns && line.verdict != "deny" {
            self.away.push(Away { call: line.call, role: line.spawns, agent: None, has_started: false });
            return;
        }
        if (is(EventKind::AfterTool) || is(EventKind::ToolFailed)) && spawns {
            self.away.retain(|away| away.agent.is_some() || (line.call.is_some() && away.call != line.call));
            return;
        }
        if is(EventKind::SubagentStop) {
            let named = self.away.iter().position(|away| line.agent.is_some() && away.agent == line.agent);
            let alike = || self.away.iter().position(|away| line.role.is_some() && away.role == line.role);
            if let Some(at) = named.or_else(alike).or((!self.away.is_empty()).then_some(0)) {
                self.away.remove(at);
            }
            return;
        }
        let starts = is(EventKind::SubagentStart) && (line.agent.is_none() || self.away.is_empty());
        if let Some(agent) = line.agent.filter(|agent| !self.known.contains_key(agent)) {
            // Its first call: assume the one that was started first and has made no call.
            let role = line.role.filter(|role| !role.is_empty());
            let sent = self.away.iter_mut().find(|away| !away.has_started);
            let role = role.or_else(|| sent.as_ref().and_then(|away| away.role.clone()));
            match sent {
                Some(away) => (away.agent, away.has_started) = (Some(agent.clone()), true),
                None => {
                    let (role, agent) = (role.clone(), Some(agent.clone()));
                    self.away.push(Away { call: None, role, agent, has_started: true });
                }
            }
            self.known.insert(agent, role);
        } else if starts {
            match self.away.iter_mut().find(|away| !away.has_started) {
                Some(sent) => sent.has_started = true,
                None => self.away.push(Away { call: None, role: line.role, agent: None, has_started: true }),
            }
        }
    }

    fn role_of(self, agent: &str) -> Option<String> {
        match self.known.get(agent) {
            Some(role) => role.clone(),
            None => self.away.into_iter().find(|away| away.agent.is_none()).and_then(|away| away.role),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use stead_model::Agent;

    use super::*;

    /// Each word is a line: `event[:agent][/role][+spawned][#call]`.
    fn log(words: &str) -> (std::path::PathBuf, Guard) {
        let path = std::env::temp_dir().join(format!("stead-caller-{}-{:p}", std::process::id(), words));
        let line = |word: &str| {
            let (word, call) = word.split_once('#').map_or((word, None), |(word, call)| (word, Some(call)));
            let (word, spawns) = word.split_once('+').map_or((word, None), |(word, role)| (word, Some(role)));
            let (word, role) = word.split_once('/').map_or((word, None), |(word, role)| (word, Some(role)));
            let (event, agent) = word.split_once(':').map_or((word, None), |(event, agent)| (event, Some(agent)));
            let action = if spawns.is_some() { "spawn" } else { "run" };
            let spawns = spawns.filter(|role| !role.is_empty());
            serde_json::json!({"session": "s", "event": event, "agent": agent, "role": role, "action": action,
                "call": call, "spawns": spawns, "verdict": "allow"})
            .to_string()
                + "\n"
        };
        std::fs::write(&path, words.split_whitespace().map(line).collect::<String>()).unwrap();
        (path.clone(), Guard(path))
    }

    struct Guard(std::path::PathBuf);

    impl Drop for Guard {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    fn event(kind: EventKind, agent: Option<(Option<&'static str>, Option<&'static str>)>) -> Event<'static> {
        let mut event = Event::new(kind, "x");
        event.session = Some("s".into());
        event.agent = agent.map(|(id, role)| Agent { id: id.map(Cow::Borrowed), role: role.map(Cow::Borrowed) });
        event
    }

    #[track_caller]
    fn check(marked: bool, words: &str, event: &Event<'_>, expected: (bool, Option<&str>)) {
        let (path, _guard) = log(words);
        let harness = Harness::ALL.into_iter().find(|one| one.client().facts.marks_calls == marked).unwrap();
        let caller = Caller::of(harness, event, &path, None);
        assert_eq!((caller.is_main, caller.role.as_deref()), expected, "{words}");
    }

    #[test]
    fn the_clients_own_word_counts_first() {
        let named = event(EventKind::BeforeTool, Some((Some("a1"), Some("tester"))));
        check(true, "before-tool+coder#1", &named, (false, Some("tester")));
        check(true, "before-tool+coder#1", &event(EventKind::BeforeTool, None), (true, None));
    }

    #[test]
    fn a_child_without_a_role_has_the_one_it_was_sent_out_with() {
        let child = event(EventKind::BeforeTool, Some((Some("a1"), None)));
        check(true, "before-tool+coder#1 subagent-start:a1", &child, (false, Some("coder")));
        check(
            true,
            "before-tool+coder#1 before-tool+tester#2 subagent-start:a0 before-tool:a1",
            &child,
            (false, Some("tester")),
        );
        check(true, "before-tool+coder#1", &child, (false, Some("coder")));
        check(true, "subagent-start:a1/tester before-tool:a1", &child, (false, Some("tester")));
        check(true, "prompt", &child, (false, None));
    }

    #[test]
    fn between_spawn_and_return_calls_are_the_sub_agents() {
        let call = event(EventKind::BeforeTool, None);
        check(false, "prompt before-tool+coder#1", &call, (false, Some("coder")));
        check(false, "prompt before-tool+coder#1 before-tool#2 after-tool#2", &call, (false, Some("coder")));
        check(false, "prompt before-tool+coder#1 after-tool+#1", &call, (true, None));
        check(false, "prompt before-tool+coder#1 subagent-start/coder subagent-stop", &call, (true, None));
        check(false, "prompt before-tool+coder#1 prompt", &call, (true, None));
        check(false, "prompt subagent-start/tester", &call, (false, Some("tester")));
    }

    #[test]
    fn a_sub_agent_is_at_work_between_its_events() {
        let check = |words: &str, expected: bool| {
            let (path, _guard) = log(words);
            assert_eq!(has_sub_agent(&path, "s"), expected, "{words}");
            assert!(!has_sub_agent(&path, "other"), "{words}");
        };
        check("prompt before-tool subagent-start", true);
        check("prompt subagent-start subagent-stop after-tool", false);
        check("prompt subagent-start subagent-start subagent-stop", true);
        check("prompt before-tool+coder#1 subagent-start subagent-start subagent-stop", true);
        check("prompt before-tool+coder#1 subagent-start subagent-stop", false);
        check("prompt before-tool:a1 subagent-start:a1 subagent-stop:a1", false);
        check("subagent-start prompt", false);
        check("prompt", false);
    }

    #[test]
    fn an_end_without_a_name_is_of_the_one_that_is_away() {
        let stop = event(EventKind::SubagentStop, None);
        check(false, "prompt before-tool+tester#1", &stop, (false, Some("tester")));
        check(false, "prompt", &stop, (false, None));
    }
}
