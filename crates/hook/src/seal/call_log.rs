//! The calls of the present turns, beside the seal: a call that removes everything in the project cannot remove what is
//! known about it.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::json;
use stead_model::{Action, EventKind, Level, Verdict};
use stead_store::reserve_private;
use stead_store::seal::CALLS;

use super::project::SealedProject;
use crate::record::now;
use crate::request::Request;

/// A longer log is removed when a turn ends. A call of another session that still runs is then taken for ended.
const LONGEST: u64 = 64 * 1024;

impl SealedProject<'_> {
    pub(super) fn call_log(&self) -> Option<PathBuf> {
        self.dir().map(|dir| dir.join(CALLS))
    }
}

/// Notes the start and the end of a call that may run anything, and the end of a turn. Fails open.
pub(crate) fn note(request: &Request<'_>, verdict: &Verdict) {
    let Some(dir) = request.policy.value("seal", "project").map(Path::new) else { return };
    let log = dir.join(CALLS);
    match request.event.kind {
        EventKind::BeforeTool | EventKind::AfterTool | EventKind::ToolFailed
            if runs_anything(request) && verdict.level < Level::Deny =>
        {
            append(&log, request);
        }
        EventKind::Stop | EventKind::StopFailed | EventKind::SessionEnd => match fs::metadata(&log) {
            Ok(data) if data.len() > LONGEST => drop(fs::remove_file(&log)),
            Ok(data) if data.len() > 0 => append(&log, request),
            _ => {}
        },
        _ => {}
    }
}

fn runs_anything(request: &Request<'_>) -> bool {
    let call = request.event.call.as_ref();
    call.is_some_and(|call| {
        matches!(call.action, Action::Run { .. } | Action::Mcp { .. } | Action::Spawn { .. } | Action::Other)
    })
}

/// In the words of the session log, so that it is read like it.
fn append(log: &Path, request: &Request<'_>) {
    let event = request.event;
    let call = event.call.as_ref();
    let line = json!({
        "ts": now(),
        "harness": request.harness.name(),
        "session": event.session.as_deref(),
        "event": event.kind.name(),
        "tool": call.map(|call| &call.tool),
        "call": call.and_then(|call| call.id.as_deref()),
    });
    // One write of a short line needs no lock.
    let _ = open(log).and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
}

fn open(log: &Path) -> std::io::Result<File> {
    let open = || OpenOptions::new().append(true).open(log);
    open().or_else(|_| {
        reserve_private(log).map_err(std::io::Error::other)?;
        open()
    })
}
