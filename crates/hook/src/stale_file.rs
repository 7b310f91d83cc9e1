//! Stale files: a change of a file that is not as the agent last saw it is denied, so that nobody overwrites what they
//! have not read. Recorded after a tool, judged before one; an agent is never trapped by its own client's formatter.

use std::path::Path;

use serde::Deserialize;
use stead_guard::ReadEffects;
use stead_model::{Access, Action, Effects, EventKind, How, Op, Target, Verdict, unix_millis};
use stead_store::{Room, StoreError, Tail};

use crate::record::{MOST_ENTRIES, now_millis};
use crate::relevant_file;
use crate::request::Request;
use crate::seen::{Changed, Seen, SeenFiles, Writer};

/// The gate's name in records and in `explain`.
pub const STALE_FILE: &str = "stale-file";

const SWITCH: &str = "gate.stale_files";

/// The file that switches the gate on unless config says otherwise.
const INTENTS: &str = "active_intents.yaml";

/// How many lines of the session log are read, from its end.
const LINES: usize = 2_000;

/// Judges a call that is about to change files.
pub(crate) fn judge(request: &Request<'_>) -> Verdict {
    let event = request.event;
    let is_ahead = matches!(event.kind, EventKind::BeforeTool | EventKind::PermissionRequest);
    let call = event.call.as_ref().filter(|_| is_ahead);
    let changes = |action: &Action<'_>| !matches!(action, Action::Read(_) | Action::Spawn { .. } | Action::Inert);
    let (Some(files), true) = (seen_files(request), call.is_some_and(|call| changes(&call.action))) else {
        return Verdict::allow();
    };
    // Without an entry nothing is stale, so a project that does not use this pays for one look.
    if !files.is_any() || !is_on(request) {
        return Verdict::allow();
    }
    let mut verdict = Verdict::allow();
    for (target, shown) in changed(request.effects()) {
        let path = Path::new(&target.path);
        let Some(seen) = files.last(path) else { continue };
        let Some(change) = seen.changed(path) else { continue };
        match culprit(request, &files, path, &shown, &seen, &change) {
            Culprit::Formatter => {
                if request.writable_root().is_some()
                    && let Err(error) = files.note(path, true, now_millis())
                {
                    request.note(&error);
                }
                let text = format!("`{shown}` changed after your last write, probably by a formatter of your client.");
                verdict = verdict.and(Verdict::inform(text));
            }
            Culprit::Other(who) => {
                let text = format!("Stale File: {shown} changed since you read it (by {who}); read it again.");
                return Verdict::deny(STALE_FILE, text);
            }
        }
    }
    verdict
}

/// Records what the agent saw of the files that a call read or wrote.
pub(crate) fn record(request: &Request<'_>, now: &str) -> Result<(), StoreError> {
    let event = request.event;
    let Some(files) = seen_files(request) else { return Ok(()) };
    match event.kind {
        EventKind::SessionStart => files.forget_old(),
        EventKind::SessionEnd => files.end(),
        _ => {}
    }
    let ended = matches!(event.kind, EventKind::AfterTool | EventKind::ToolFailed);
    let action = event.call.as_ref().filter(|_| ended).map(|call| &call.action);
    // A file tool that failed changed nothing; a command may have done its part.
    let did = |action: &Action<'_>| match action {
        Action::Spawn { .. } | Action::Inert => false,
        Action::Change(_) | Action::Read(_) => event.kind == EventKind::AfterTool,
        Action::Run { .. } | Action::Mcp { .. } | Action::Other => true,
    };
    if !action.is_some_and(did) || !is_on(request) {
        return Ok(());
    }
    let at = unix_millis(now).unwrap_or_default();
    for effect in request.effects().list.iter().take(MOST_ENTRIES * 16) {
        match &effect.op {
            Op::Read { target, access: Access::Shown } => note(&files, target, false, at)?,
            Op::Write { target, .. } => note(&files, target, true, at)?,
            Op::Rename { from, to } => {
                files.forget(Path::new(&from.path));
                note(&files, to, true, at)?;
            }
            Op::Delete(target) => files.forget(Path::new(&target.path)),
            _ => {}
        }
    }
    Ok(())
}

fn note(files: &SeenFiles<'_>, target: &Target, wrote: bool, at: i64) -> Result<(), StoreError> {
    match relevant_file::inside(target) {
        Some(_) if !target.guessed => files.note(Path::new(&target.path), wrote, at),
        _ => Ok(()),
    }
}

fn seen_files<'r>(request: &'r Request<'_>) -> Option<SeenFiles<'r>> {
    request.location.root()?;
    Some(SeenFiles::new(request.indexes(), request.session()?, request.agent_id()))
}

/// Returns true if the gate is on: as config says, else once the project has intents.
fn is_on(request: &Request<'_>) -> bool {
    match request.policy.value("switch", SWITCH) {
        Some("on") => true,
        Some("off") => false,
        _ => request.room(Room::Intents).join(INTENTS).is_file(),
    }
}

/// The files that effects change on the basis of what the agent knows of them, with the path below the project. What is
/// appended, or created in a folder, depends on nothing.
fn changed(effects: &Effects) -> impl Iterator<Item = (&Target, String)> {
    let targets = effects.list.iter().flat_map(|effect| match &effect.op {
        Op::Write { target, how: How::Edit | How::Replace, .. } | Op::Delete(target) => vec![target],
        Op::Rename { from, to } => vec![from, to],
        _ => Vec::new(),
    });
    targets.filter(|target| !target.guessed).filter_map(|target| Some((target, relevant_file::inside(target)?)))
}

/// Who changed a file.
enum Culprit {
    /// The client, right after the agent's own write.
    Formatter,
    Other(String),
}

fn culprit(
    request: &Request<'_>,
    files: &SeenFiles<'_>,
    path: &Path,
    shown: &str,
    seen: &Seen,
    change: &Changed,
) -> Culprit {
    match files.writer(path, &change.hash) {
        Some(Writer::Session(session)) => return Culprit::Other(format!("session {session}")),
        Some(Writer::Agent) => return Culprit::Other("another agent of this session".to_owned()),
        None => {}
    }
    let session = request.session().map(|session| session.as_str()).unwrap_or_default();
    let since = Since::read(request, session, shown, seen.at);
    match since.other {
        Some(other) => Culprit::Other(format!("session {other}")),
        None if seen.wrote && since.next.is_none_or(|next| change.at <= next) => Culprit::Formatter,
        None => Culprit::Other("something outside".to_owned()),
    }
}

/// What the session log shows since a file was seen.
#[derive(Default)]
struct Since {
    /// When the agent next did something.
    next: Option<i64>,
    /// Another session with a call about that file that had not ended.
    other: Option<String>,
}

#[derive(Deserialize)]
struct Line {
    ts: String,
    session: Option<String>,
    event: String,
    call: Option<String>,
}

impl Since {
    fn read(request: &Request<'_>, session: &str, file: &str, seen_at: i64) -> Self {
        let mut since = Self::default();
        let mut ended: Vec<(Option<String>, Option<String>)> = Vec::new();
        let Ok(lines) = Tail::open(&request.session_log()) else { return since };
        for text in lines.unchecked().take(LINES).flatten().map(|line| line.text) {
            let Ok(line) = serde_json::from_str::<Line>(&text) else { continue };
            let is_later = unix_millis(&line.ts).is_some_and(|at| at > seen_at);
            let is_end = line.event == EventKind::AfterTool.name() || line.event == EventKind::ToolFailed.name();
            match line.session.as_deref() == Some(session) {
                // The end of another call of the same turn does not show that the client has finished with this one.
                true if is_later && !is_end => since.next = unix_millis(&line.ts),
                true => {}
                false if is_end && !is_later => ended.push((line.session, line.call)),
                false if text.contains(file) => {
                    let key = (line.session, line.call);
                    // Without an id, a call ends with the next line about it.
                    let is_open = line.event == EventKind::BeforeTool.name() && !ended.contains(&key);
                    if is_later || is_open {
                        since.other = since.other.or(key.0);
                    }
                }
                false => {}
            }
        }
        since
    }
}
