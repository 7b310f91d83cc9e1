//! The session that a command acts for: the calling one, the named one, or the last one that a hook saw.

use std::path::Path;

use serde::Deserialize;
use stead_client::{Harness, Spoken};
use stead_hook::{Asker, Rules, SessionState, examine, refusal};
use stead_model::{Action, Event, EventKind, FileId, Level, ToolCall, unix_millis};
use stead_store::Tail;

use crate::person::agent_near;
use crate::project::{Project, env, now_millis};
use crate::session::calling_session;

/// A session that was last seen longer ago must be named.
const LAST_SEEN: i64 = 24 * 3600 * 1000;

/// How many lines of the session log are read for the last session, and for a named one.
const LINES: usize = 200;
const CALLS: usize = 20_000;

/// A line of the session log.
#[derive(Deserialize)]
struct Line {
    ts: String,
    harness: String,
    session: Option<String>,
    event: String,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Speaker {
    pub(crate) harness: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) transcript: Option<String>,
    /// When a hook first saw the session.
    pub(crate) started_at: Option<String>,
    pub(crate) known_by: KnownBy,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum KnownBy {
    #[default]
    Nothing,
    /// A hook saw the call.
    Hook,
    /// The person named it.
    Name,
    /// It is the last one that was seen.
    Recency,
}

impl Speaker {
    /// Only the calling session.
    pub(crate) fn calling(project: &Project) -> Self {
        match calling_session(project) {
            Some(binding) => Self::of(project, Some(binding.harness), binding.session, KnownBy::Hook),
            None => Self::default(),
        }
    }

    /// The named session, else the calling one, else the last one seen.
    pub(crate) fn meant(project: &Project, named: Option<&str>) -> Self {
        if let Some(named) = named {
            return Self::of(project, None, named.to_owned(), KnownBy::Name);
        }
        let calling = Self::calling(project);
        if calling.session.is_some() {
            return calling;
        }
        match last_seen(project) {
            Some((harness, session)) => Self::of(project, Some(harness), session, KnownBy::Recency),
            None => Self::default(),
        }
    }

    /// Why this command may not be run in the project root for the calling agent; `None` for a person.
    pub(crate) fn refusal(&self, project: &Project, command: &str) -> Option<String> {
        self.refusal_by(Rules::All, project, command)
    }

    /// The same by some rules only.
    pub(crate) fn refusal_by(&self, rules: Rules, project: &Project, command: &str) -> Option<String> {
        let asker = Asker { harness: self.agent(project)?, session: self.session.as_deref(), rules };
        refusal(project.root(), project.root(), &env, asker, command)
    }

    /// Why this file may not be read for the calling agent; `None` for a person. A guard that sends agents to `stead
    /// logs` does not apply to it.
    pub(crate) fn refusal_to_read(&self, project: &Project, dir: &Path, file: &Path) -> Option<String> {
        let harness = self.agent(project)?;
        let named = dir.join(file);
        let real = named.canonicalize().ok().filter(|real| *real != named);
        let paths: Vec<_> =
            std::iter::once(named).chain(real).map(|path| path.to_string_lossy().into_owned()).collect();
        let events = harness.client().facts.events;
        let native = events.iter().find(|fact| fact.kind == EventKind::BeforeTool).map_or("", |fact| fact.native);
        let mut event = Event::new(EventKind::BeforeTool, native);
        event.session = self.session.as_deref().map(Into::into);
        let input = serde_json::json!({"file_path": paths.first()}).to_string();
        let action = Action::Read(paths.into_iter().map(Into::into).collect());
        event.call = Some(ToolCall { tool: "".into(), id: None, action, input: input.into() });
        let examined = examine(project.root(), dir, &env, harness, &event, None);
        if examined.own.level > Level::Warn {
            return Some(examined.own.reason_text());
        }
        let sends_here = |say: &str| say.contains("`stead logs");
        let stops = examined.hits.iter().find(|hit| hit.level > Level::Warn && !sends_here(&hit.say));
        stops.map(|hit| format!("guard `{}`: {}", hit.guard, hit.say))
    }

    /// The client whose agent is calling, as far as is known; `None` for a person.
    pub(crate) fn agent(&self, project: &Project) -> Option<Harness> {
        let named = self.harness.as_deref().and_then(Harness::from_name);
        match (&self.session, agent_near(project)) {
            (None, None) => None,
            (_, sign) => Some(named.or(sign.and_then(|sign| sign.harness)).unwrap_or(Harness::ALL[0])),
        }
    }

    /// The last message of the session's agent in its client's transcript, if the client writes one.
    pub(crate) fn last_answer(&self) -> Option<String> {
        let read = self.harness.as_deref().and_then(Harness::from_name)?.client().transcript?;
        let lines = Tail::open(Path::new(self.transcript.as_deref()?)).ok()?.take(LINES).map_while(Result::ok);
        lines.into_iter().find_map(|line| match read(&line.text) {
            Spoken::Agent(text) => Some(text),
            Spoken::Unanswered | Spoken::Nothing => None,
        })
    }

    /// The client of a session, from its calls in the log.
    pub(crate) fn harness_of(project: &Project, session: &str) -> Option<String> {
        let log = Tail::open(&project.indexes().join("sessions.jsonl")).ok()?;
        let lines = log.take(CALLS).flatten().filter(|line| line.text.contains(session));
        let mut lines = lines.filter_map(|line| serde_json::from_str::<Line>(&line.text).ok());
        lines.find(|line| line.session.as_deref() == Some(session)).map(|line| line.harness)
    }

    fn of(project: &Project, harness: Option<String>, session: String, known_by: KnownBy) -> Self {
        let state = FileId::check(&session).ok().and_then(|id| SessionState::read(&project.indexes(), &id).ok()?);
        let harness = harness.or_else(|| state.as_ref().map(|state| state.harness.clone()));
        let started_at = state.as_ref().map(|state| state.started_at.clone());
        let transcript = state.and_then(|state| state.transcript);
        Self { harness, session: Some(session), transcript, started_at, known_by }
    }
}

fn last_seen(project: &Project) -> Option<(String, String)> {
    let log = Tail::open(&project.indexes().join("sessions.jsonl")).ok()?;
    for line in log.take(LINES).flatten() {
        let Ok(line) = serde_json::from_str::<Line>(&line.text) else { continue };
        if unix_millis(&line.ts).is_none_or(|seen| seen < now_millis() - LAST_SEEN) {
            return None;
        }
        if line.event != "pickup"
            && let Some(session) = line.session
        {
            return Some((line.harness, session));
        }
    }
    None
}
