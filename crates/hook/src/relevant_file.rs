use std::fs;
use std::path::Path;

use serde::Serialize;
use stead_guard::ReadEffects;
use stead_model::{Action, How, Op, Target};
use stead_store::{Durability, Redacted, StoreError, append_line};

use crate::record::{MOST_ENTRIES, PATIENCE, cut};
use crate::request::Request;

/// One line of `relevant-files.jsonl`.
#[derive(Serialize)]
struct RelevantFile<'a> {
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

/// A file that a call touched, and how likely it matters, by what was done to it.
struct Touch {
    path: String,
    action: &'static str,
    confidence: f32,
}

/// Appends the files that a call touched, each once, with the strongest action.
pub(crate) fn append(request: &Request<'_>, now: &str) -> Result<(), StoreError> {
    let Some(call) = &request.event.call else { return Ok(()) };
    if matches!(call.action, Action::Spawn { .. } | Action::Inert) {
        return Ok(());
    }
    // A file tool did what its input says; a command may have done something else, or nothing.
    let is_certain = matches!(call.action, Action::Change(_) | Action::Read(_));
    let mut touches: Vec<Touch> = Vec::new();
    for effect in &request.effects().list {
        for (target, action, confidence) in touched(&effect.op) {
            let Some(path) = inside(target) else { continue };
            let is_gone = matches!(action, "delete" | "rename");
            if !is_certain && !is_gone && !fs::metadata(&target.path).is_ok_and(|data| data.is_file()) {
                continue;
            }
            match touches.iter_mut().find(|known| known.path == path) {
                Some(known) if known.confidence >= confidence => {}
                Some(known) => (known.action, known.confidence) = (action, confidence),
                None => touches.push(Touch { path, action, confidence }),
            }
        }
    }
    let log = request.indexes().join("relevant-files.jsonl");
    for touch in touches.into_iter().take(MOST_ENTRIES * 4) {
        let line = RelevantFile {
            v: 1,
            timestamp: now,
            file_path: &touch.path,
            source: "tool",
            confidence: touch.confidence,
            action: touch.action,
            harness: request.harness.name(),
            session: request.event.session.as_deref().map(cut),
        };
        append_line(&log, Redacted::line(&line), Durability::Quick, PATIENCE)?;
    }
    Ok(())
}

fn touched(op: &Op) -> Vec<(&Target, &'static str, f32)> {
    match op {
        Op::Write { target, how: How::Edit | How::Append | How::Attributes, .. } => vec![(target, "edit", 0.9)],
        Op::Write { target, .. } => vec![(target, "write", 0.9)],
        Op::Rename { from, to } => vec![(from, "rename", 0.8), (to, "rename", 0.8)],
        Op::Delete(target) => vec![(target, "delete", 0.6)],
        Op::Read { target, .. } => vec![(target, "read", 0.4)],
        _ => Vec::new(),
    }
}

/// The path below the project root; `None` outside it, for Stead's own folder, and for patterns and folders.
pub(crate) fn inside(target: &Target) -> Option<String> {
    let inside = target.inside.as_deref().filter(|path| !path.is_empty() && !target.tree && !target.glob)?;
    let is_own = [".agent", ".git"].iter().any(|own| Path::new(inside).starts_with(own));
    (!is_own).then(|| inside.to_owned())
}
