use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stead_model::{Detail, EventKind, FileId};
use stead_settings::has_our_lines;
use stead_store::{Durability, Redacted, StoreError, replace_creating};

use crate::arrival;
use crate::file_facts::resolve;
use crate::member::previous_role;
use crate::request::Request;
use crate::run_identity::RunIdentity;

/// The state of one session: `indexes/sessions/<id>.json`. Rewritten when something in it changes, not at every tool
/// call.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SessionState {
    pub schema: u32,
    pub harness: String,
    pub session: String,
    /// The project, fixed when the session was first seen.
    pub root: String,
    pub cwd: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
    pub started_at: String,
    pub last_seen: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// The role that the session registered, see `stead role use`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The roles that agents of this session started, see `stead agent begin`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub begun: Vec<Begun>,
    /// The flags that a person set on this session, see `stead agent flag`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
    /// How often each guard has kept each agent working.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub holds: BTreeMap<String, u32>,
    /// The run, stage and iteration that the agent was started for, if the engine started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
    /// The client accepted no text at session start, so the briefing waits for the first prompt.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub briefing_due: bool,
    /// At its last stop the client was going to prompt itself later, so that a prompt need not be a person's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub scheduled: bool,
    /// The settings files of the client that contained our lines when the session started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hook_files: Vec<String>,
    /// Fields of later versions, kept as they are.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A role that an agent started itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    /// The sub-agent's id, if the client reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    pub role: String,
    pub at: String,
}

impl SessionState {
    pub const SCHEMA: u32 = 1;

    /// The state of a new session.
    pub fn begin(harness: &str, session: &str, root: &Path, now: &str) -> Self {
        let root = root.to_string_lossy().into_owned();
        Self {
            schema: Self::SCHEMA,
            harness: harness.to_owned(),
            session: session.to_owned(),
            cwd: root.clone(),
            root,
            started_at: now.to_owned(),
            last_seen: now.to_owned(),
            ..Self::default()
        }
    }

    /// The role that an agent last started and has not ended.
    pub fn begun_role(&self, agent: Option<&str>) -> Option<String> {
        let mut own = self.begun.iter().rev().filter(|begun| begun.agent.as_deref() == agent);
        own.next().map(|begun| begun.role.clone())
    }

    /// The path of a session's state below the `indexes` folder.
    pub fn path(indexes: &Path, session: &FileId) -> PathBuf {
        indexes.join("sessions").join(format!("{}.json", session.as_str()))
    }

    /// Reads the state; a missing or corrupt file counts as none, a later version's is an error.
    pub fn read(indexes: &Path, session: &FileId) -> Result<Option<Self>, LaterSchema> {
        let Ok(text) = stead_store::read_text(&Self::path(indexes, session)) else {
            return Ok(None);
        };
        // The version first: a later version may have renamed everything else.
        match serde_json::from_str::<Version>(&text) {
            Ok(version) if version.schema > Self::SCHEMA => Err(LaterSchema),
            _ => Ok(serde_json::from_str(&text).ok()),
        }
    }

    /// Replaces the state as a whole.
    pub fn write(&self, indexes: &Path, session: &FileId, durability: Durability) -> Result<(), StoreError> {
        replace_creating(&Self::path(indexes, session), Redacted::line(self), durability)
    }
}

#[derive(Deserialize)]
struct Version {
    schema: u32,
}

/// The file was written by a later version of Stead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaterSchema;

/// Updates the session's state at the events that change it.
pub(crate) fn update(request: &Request<'_>, now: &str, durability: Durability) -> Result<(), StoreError> {
    let event = request.event;
    let turning = matches!(
        event.kind,
        EventKind::SessionStart | EventKind::Prompt | EventKind::Stop | EventKind::SessionEnd | EventKind::AfterCompact
    );
    let Some(session) = request.session().filter(|_| turning) else { return Ok(()) };
    let indexes = request.indexes();
    let mut state = match SessionState::read(indexes, session) {
        Ok(Some(state)) => state,
        Ok(None) => SessionState {
            hook_files: hook_files(request),
            ..SessionState::begin(request.harness.name(), session.as_str(), request.dir(), now)
        },
        // A later version's file is not rewritten.
        Err(_) => return Ok(()),
    };
    let work = RunIdentity::from_env(request.env);
    (state.run, state.stage, state.iteration) = (work.run, work.stage, work.iteration);
    now.clone_into(&mut state.last_seen);
    state.cwd = request.location.cwd.to_string_lossy().into_owned();
    if let Some(transcript) = &event.transcript {
        state.transcript = Some(transcript.to_string());
    }
    state.ended_at = (event.kind == EventKind::SessionEnd).then(|| now.to_owned());
    if event.kind == EventKind::Stop {
        state.scheduled = event.scheduled;
    }
    if let Detail::Start { source, previous } = &event.detail {
        state.source = source.as_deref().map(str::to_owned);
        state.previous = previous.as_deref().map(str::to_owned).or(state.previous);
        state.role = state.role.or_else(|| previous_role(indexes, event));
        state.briefing_due = arrival::waits(request);
        state.hook_files = hook_files(request);
    }
    state.write(indexes, session, durability)
}

/// The client's settings files that currently contain our lines.
fn hook_files(request: &Request<'_>) -> Vec<String> {
    let settings = request.harness.client().facts.settings.iter();
    settings
        .filter_map(|file| Some((resolve(file.spot, request.work(), request.env)?, file.shape)))
        .filter(|(path, shape)| stead_store::read_text(path).is_ok_and(|text| has_our_lines(*shape, &text)))
        .map(|(path, _)| path.to_string_lossy().into_owned())
        .collect()
}
