//! What is written down once the reply is out: the session log, the session's state, the files it touched.
//!
//! Recorders fail open. What cannot be written is noted for `stead doctor` in the person's own state folder, and the
//! agent hears nothing of it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use serde::Serialize;
use stead_client::Harness;
use stead_context::mark;
use stead_model::{Action, Change, Detail, Event, EventKind, FileId, Level, Verdict, redact, rfc3339};
use stead_settings::has_our_lines;
use stead_store::{Durability, StoreError, UserDirs, append_line};

use crate::guard::{HitLine, Judged};
use crate::member::previous_role;
use crate::mention;
use crate::policy::PolicyText;
use crate::run_identity::RunIdentity;
use crate::session::SessionState;
use crate::standing::{Env, Standing};

/// How long a recorder waits for another one that writes the same file.
const PATIENCE: Duration = Duration::from_millis(300);

/// At most so many paths and bytes of one field go into a line.
const MOST_PATHS: usize = 16;
const MOST_BYTES: usize = 300;

/// Everything a recorder may look at.
pub(crate) struct Told<'a> {
    pub(crate) harness: Harness,
    pub(crate) event: &'a Event<'a>,
    pub(crate) verdict: &'a Verdict,
    /// What gates and guards had to say, for the log.
    pub(crate) judged: &'a Judged,
    pub(crate) root: &'a Path,
    pub(crate) standing: &'a Standing,
    pub(crate) policy: &'a PolicyText,
    pub(crate) env: &'a Env,
    /// There is a briefing that could not be given at this event.
    pub(crate) briefing_waits: bool,
}

/// Writes down what happened.
pub(crate) fn record(told: &Told<'_>) {
    // A marker that this version cannot read belongs to somebody else's format.
    if told.policy.value("note", "marker").is_some() {
        return;
    }
    let now = now();
    let durability = if told.event.kind == EventKind::SessionEnd { Durability::Synced } else { Durability::Quick };
    if told.policy.records("record.sessions", "STEAD_RECORD_SESSIONS", told.env) {
        told.attempt(log(told, &now, durability));
        told.attempt(state(told, &now, durability));
    } else if !told.judged.is_silent() {
        // What a guard said must be explainable, and is only told once.
        told.attempt(log(told, &now, durability));
    }
    if told.event.kind == EventKind::AfterTool
        && told.policy.records("record.relevant_files", "STEAD_RECORD_RELEVANT_FILES", told.env)
    {
        told.attempt(files(told, &now));
    }
    told.attempt(crate::prompt::record(told, &now));
    if let Err(error) = crate::evidence::record(told, &now) {
        note(told.root, told.env, &error);
    }
}

/// This moment, as files have it.
pub(crate) fn now() -> String {
    rfc3339(now_millis())
}

/// This moment in milliseconds since 1970.
pub(crate) fn now_millis() -> i64 {
    UNIX_EPOCH.elapsed().map_or(0, |since| since.as_millis() as i64)
}

impl Told<'_> {
    pub(crate) fn indexes(&self) -> PathBuf {
        self.policy.indexes(self.root)
    }

    fn attempt(&self, outcome: Result<(), StoreError>) {
        if let Err(error) = outcome {
            note(self.root, self.env, &error);
        }
    }
}

/// Leaves a note of what did not work, for `stead doctor`.
pub(crate) fn note(root: &Path, env: &Env, error: &dyn std::fmt::Display) {
    let Some(UserDirs { state, .. }) = UserDirs::from_env(env) else { return };
    let _ = std::fs::create_dir_all(&state);
    let note = serde_json::json!({"v": 1, "root": root.to_string_lossy(), "note": error.to_string()});
    let _ = append_line(&state.join("notes.jsonl"), note.to_string().as_bytes(), Durability::Quick, PATIENCE);
}

/// One line of `sessions.jsonl`.
#[derive(Serialize)]
pub struct SessionLine<'a> {
    pub v: u32,
    pub ts: &'a str,
    pub harness: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<&'a str>,
    /// The run, stage and iteration that the agent was started for, where the engine started it.
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
    /// The files a change or a read names. Commands are not written down: they may hold secrets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<Cow<'a, str>>,
    /// Marks of the `stead` commands in the call, by which they find this line and so their session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub binds: Vec<String>,
    /// The role of the sub-agent that the call sends out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spawns: Option<&'a str>,
    pub verdict: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The verdict's name, where a gate or a guard had something to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<&'a str>,
    #[serde(skip_serializing_if = "<[HitLine]>::is_empty")]
    pub hits: &'a [HitLine],
    /// What the call would have done, in a few words each.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub effects: &'a [String],
    /// Verdicts whose words the agent read only now.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub told: &'a [String],
}

fn log(told: &Told<'_>, now: &str, durability: Durability) -> Result<(), StoreError> {
    let event = told.event;
    let call = event.call.as_ref();
    let agent = event.agent.as_ref();
    let work = RunIdentity::from_env(told.env);
    let line = SessionLine {
        v: 1,
        ts: now,
        harness: told.harness.name(),
        session: event.session.as_deref().map(cut),
        agent: agent.and_then(|agent| agent.id.as_deref()).map(cut),
        role: agent.and_then(|agent| agent.role.as_deref()).map(cut),
        run: work.run.as_deref(),
        stage: work.stage.as_deref(),
        iteration: work.iteration,
        event: event.kind.name(),
        native: cut(&event.native),
        tool: call.map(|call| cut(&call.tool)),
        call: call.and_then(|call| call.id.as_deref()).map(cut),
        action: call.map(|call| action_name(&call.action)),
        paths: call.map(|call| paths(&call.action)).unwrap_or_default(),
        binds: binds(event),
        spawns: spawns(event),
        verdict: told.verdict.level.name(),
        reason: (told.verdict.level > Level::Allow).then(|| cut(&redact(&told.verdict.reason_text())).to_owned()),
        id: told.judged.id.as_deref(),
        hits: &told.judged.hits,
        effects: &told.judged.effects,
        told: &told.judged.told,
    };
    let line = serde_json::to_vec(&line).unwrap_or_default();
    append_line(&told.indexes().join("sessions.jsonl"), &line, durability, PATIENCE)
}

/// Marks the `stead` commands that a shell is about to run.
fn binds(event: &Event<'_>) -> Vec<String> {
    match event.call.as_ref().map(|call| &call.action) {
        Some(Action::Run { command, .. }) if event.kind == EventKind::BeforeTool && command.contains("stead") => {
            let calls = stead_gate::stead_calls(command);
            calls.iter().take(MOST_PATHS).map(|words| mark(words.iter().map(String::as_str))).collect()
        }
        _ => Vec::new(),
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
    all.into_iter().take(MOST_PATHS).map(|path| Cow::Borrowed(cut(path))).collect()
}

/// Shortens a text for a line, at a character.
pub(crate) fn cut(text: &str) -> &str {
    let mut end = text.len().min(MOST_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Keeps the session's own file, at the turning points where something in it changes.
fn state(told: &Told<'_>, now: &str, durability: Durability) -> Result<(), StoreError> {
    let event = told.event;
    let turning = matches!(
        event.kind,
        EventKind::SessionStart | EventKind::Prompt | EventKind::Stop | EventKind::SessionEnd | EventKind::AfterCompact
    );
    let Some(session) = event.session.as_deref().and_then(|id| FileId::check(id).ok()) else {
        return Ok(());
    };
    let indexes = told.indexes();
    if !turning {
        return Ok(());
    }
    let mut state = match SessionState::read(&indexes, &session) {
        Ok(Some(state)) => state,
        Ok(None) => SessionState {
            schema: SessionState::SCHEMA,
            harness: told.harness.name().to_owned(),
            session: session.as_str().to_owned(),
            root: told.root.to_string_lossy().into_owned(),
            started_at: now.to_owned(),
            hook_files: hook_files(told),
            ..SessionState::default()
        },
        // A later version's file is not ours to rewrite.
        Err(_) => return Ok(()),
    };
    let work = RunIdentity::from_env(told.env);
    (state.run, state.stage, state.iteration) = (work.run, work.stage, work.iteration);
    now.clone_into(&mut state.last_seen);
    state.cwd = told.standing.cwd.to_string_lossy().into_owned();
    if let Some(transcript) = &event.transcript {
        state.transcript = Some(transcript.to_string());
    }
    state.ended_at = (event.kind == EventKind::SessionEnd).then(|| now.to_owned());
    if let Detail::Start { source, previous } = &event.detail {
        state.source = source.as_deref().map(str::to_owned);
        state.previous = previous.as_deref().map(str::to_owned).or(state.previous);
        state.role = state.role.or_else(|| previous_role(&indexes, event));
        state.briefing_due = told.briefing_waits;
        state.hook_files = hook_files(told);
    }
    state.write(&indexes, &session, durability)
}

/// The client's settings files that hold our lines now.
fn hook_files(told: &Told<'_>) -> Vec<String> {
    let settings = told.harness.doorway().facts.settings.iter();
    settings
        .filter_map(|file| Some((crate::fact::resolve(file.spot, told.standing.found.work(), told.env)?, file.shape)))
        .filter(|(path, shape)| std::fs::read_to_string(path).is_ok_and(|text| has_our_lines(*shape, &text)))
        .map(|(path, _)| path.to_string_lossy().into_owned())
        .collect()
}

/// One line of `relevant-files.jsonl`.
#[derive(Serialize)]
pub struct RelevantFile<'a> {
    pub v: u32,
    pub timestamp: &'a str,
    pub file_path: &'a str,
    pub source: &'a str,
    pub confidence: f32,
    pub action: &'a str,
    pub harness: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<&'a str>,
}

/// How sure we are that a file matters, by what was done to it.
fn weight(change: &Change<'_>) -> (&'static str, f32) {
    match change {
        Change::Write { .. } => ("write", 0.9),
        Change::Edit(_) => ("edit", 0.9),
        Change::Rename { .. } => ("rename", 0.8),
        Change::Delete => ("delete", 0.6),
    }
}

fn files(told: &Told<'_>, now: &str) -> Result<(), StoreError> {
    let Some(call) = &told.event.call else { return Ok(()) };
    let mut touched: Vec<(Cow<'_, str>, &'static str, f32)> = Vec::new();
    match &call.action {
        Action::Change(changes) => {
            for change in changes {
                let (action, confidence) = weight(&change.change);
                touched.push((change.path.as_ref().into(), action, confidence));
                if let Change::Rename { to } = &change.change {
                    touched.push((to.as_ref().into(), action, confidence));
                }
            }
        }
        Action::Read(paths) => touched.extend(paths.iter().map(|path| (path.as_ref().into(), "read", 0.4))),
        Action::Run { command, dir } => {
            let from = dir.as_deref().unwrap_or_default();
            let base = told.standing.cwd.join(from);
            for word in mention::mentioned(command).filter(|word| mention::is_file(&base, word)) {
                let path = Path::new(from).join(word).to_string_lossy().into_owned();
                touched.push((path.into(), "mention", 0.2));
            }
        }
        _ => {}
    }
    touched.dedup();
    let log = told.indexes().join("relevant-files.jsonl");
    for (path, action, confidence) in touched.into_iter().take(MOST_PATHS * 4) {
        let Some(file_path) = inside(told, &path) else { continue };
        let line = RelevantFile {
            v: 1,
            timestamp: now,
            file_path: &file_path,
            source: "tool",
            confidence,
            action,
            harness: told.harness.name(),
            session: told.event.session.as_deref().map(cut),
        };
        append_line(&log, serde_json::to_vec(&line).unwrap_or_default(), Durability::Quick, PATIENCE)?;
    }
    Ok(())
}

/// The path below the project root, with forward slashes; `None` outside of it and for Stead's own folder.
fn inside(told: &Told<'_>, path: &str) -> Option<String> {
    let absolute = stead_store::clean(&told.standing.cwd.join(path));
    let relative =
        absolute.strip_prefix(told.standing.found.work()).or_else(|_| absolute.strip_prefix(told.root)).ok()?;
    let text = relative.to_string_lossy().replace('\\', "/");
    (!text.is_empty() && !relative.starts_with(".agent") && !relative.starts_with(".git")).then_some(text)
}
