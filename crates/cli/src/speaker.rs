//! For whom a command speaks: the session that called it, the one that was named, or the last one that a hook saw.

use serde::Deserialize;
use stead_harness::Harness;
use stead_hook::{Asker, SessionState, refusal};
use stead_model::{FileId, unix_millis};
use stead_store::Tail;

use crate::person::agent_is_near;
use crate::project::{Project, env, now_millis};
use crate::session::calling_session;

/// A session that was seen longer ago is not what somebody means without naming it.
const LAST_SEEN: i64 = 24 * 3600 * 1000;

/// How many lines of the session log are looked at.
const LINES: usize = 200;

#[derive(Clone, Debug, Default)]
pub(crate) struct Speaker {
    pub(crate) harness: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) transcript: Option<String>,
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
    /// The session that called, and nobody else.
    pub(crate) fn calling(project: &Project) -> Self {
        match calling_session(project) {
            Some(binding) => Self::of(project, Some(binding.harness), binding.session, KnownBy::Hook),
            None => Self::default(),
        }
    }

    /// The session whose work is meant: the named one, the calling one, else the last one seen.
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

    /// Why the calling agent may not have this command run for it in the project's root; a person may have any.
    pub(crate) fn refusal(&self, project: &Project, command: &str) -> Option<String> {
        let by_agent = self.session.is_some() || agent_is_near().is_some();
        if !by_agent {
            return None;
        }
        let harness = self.harness.as_deref().and_then(Harness::from_name).unwrap_or(Harness::ALL[0]);
        let asker = Asker { harness, session: self.session.as_deref() };
        refusal(project.root(), project.root(), &env, asker, command)
    }

    fn of(project: &Project, harness: Option<String>, session: String, known_by: KnownBy) -> Self {
        let state = FileId::check(&session).ok().and_then(|id| SessionState::read(&project.indexes(), &id).ok()?);
        let harness = harness.or_else(|| state.as_ref().map(|state| state.harness.clone()));
        let transcript = state.and_then(|state| state.transcript);
        Self { harness, session: Some(session), transcript, known_by }
    }
}

fn last_seen(project: &Project) -> Option<(String, String)> {
    #[derive(Deserialize)]
    struct Line {
        ts: String,
        harness: String,
        session: Option<String>,
        event: String,
    }
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
