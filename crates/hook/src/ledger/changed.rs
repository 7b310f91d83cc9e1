use std::fs;

use stead_ledger::trace::{FileChange, Side, TraceCache};
use stead_model::{Action, EventKind};
use stead_store::{file_stamp, read_capped};

use super::before;
use super::call_line::CallLine;
use super::millis;
use super::stamps::{ABSENT, Fields};
use super::target::Named;
use crate::request::Request;

/// The longest file that is read within a hook call.
const LONGEST: u64 = 2 * 1024 * 1024;

/// The clock of file systems may be so much behind, in milliseconds.
pub(super) const TICK: i64 = 10;

/// A file that a call changed.
pub(super) struct Changed {
    pub(super) change: FileChange,
    pub(super) stamp_before: Option<String>,
    pub(super) stamp_after: Option<String>,
}

/// The files among those that a call names which it did change.
pub(super) fn changed(
    request: &Request<'_>,
    named: &[Named],
    line: Option<&CallLine>,
    cache: &TraceCache,
) -> Vec<Changed> {
    let mut all: Vec<Changed> = named.iter().filter_map(|file| look(request, file, line, cache)).collect();
    join_renames(&mut all);
    all
}

fn look(request: &Request<'_>, file: &Named, line: Option<&CallLine>, cache: &TraceCache) -> Option<Changed> {
    let data = fs::metadata(&file.path).ok();
    if data.as_ref().is_some_and(|data| !data.is_file()) {
        return None;
    }
    let noted = line.and_then(|line| line.stats.get(&file.inside)).map(String::as_str);
    let now = data.as_ref().map(|data| file_stamp(data).text);
    if !has_changed(request, noted, now.as_deref(), line) {
        return None;
    }
    let after = match &data {
        Some(data) if data.len() <= LONGEST => {
            let bytes = read_capped(&file.path, LONGEST as usize).ok().flatten();
            bytes.map_or(Side::Unknown { hash: None }, Side::Bytes)
        }
        Some(_) => Side::Unknown { hash: None },
        None => Side::Absent,
    };
    let before = before::side(request, file, noted, &after, cache);
    let is_gone_unseen = after == Side::Absent && matches!(before, Side::Absent | Side::Unseen);
    (!is_gone_unseen).then(|| Changed {
        change: FileChange { path: file.inside.clone(), from: file.from.clone(), before, after },
        stamp_before: noted.filter(|stamp| *stamp != ABSENT).map(str::to_owned),
        stamp_after: now,
    })
}

/// Compares a file with how it was before the call.
fn has_changed(request: &Request<'_>, noted: Option<&str>, now: Option<&str>, line: Option<&CallLine>) -> bool {
    match (noted, now) {
        (Some(noted), now) => match (Fields::of(noted), now.and_then(Fields::of)) {
            // Only mode, owner or links are different.
            (Some(old), Some(new)) => (old.size, old.modified) != (new.size, new.modified),
            (None, None) => false,
            _ => true,
        },
        (None, Some(now)) => match line.and_then(|line| millis(&line.ts)) {
            Some(begun) => Fields::of(now).is_some_and(|fields| fields.changed_millis() + TICK >= begun),
            // Nobody saw the call begin; a file tool that succeeded did what it says.
            None => is_done_file_tool(request),
        },
        (None, None) => false,
    }
}

fn is_done_file_tool(request: &Request<'_>) -> bool {
    let action = request.event.call.as_ref().map(|call| &call.action);
    matches!(action, Some(Action::Change(_))) && request.event.kind == EventKind::AfterTool
}

/// Makes one change of a file that is gone and the one that it became.
fn join_renames(all: &mut Vec<Changed>) {
    let mut gone = Vec::new();
    for at in 0..all.len() {
        let Some(from) = all[at].change.from.clone() else { continue };
        let source = all.iter().position(|file| file.change.path == from && file.change.after == Side::Absent);
        match source {
            Some(source) if all[at].change.after != Side::Absent => {
                all[at].change.before = all[source].change.before.clone();
                all[at].stamp_before = all[source].stamp_before.clone();
                // A file that only moved is the same file.
                if matches!(all[at].change.before, Side::Unknown { hash: None } | Side::Unseen)
                    && is_same_file(&all[source], &all[at])
                {
                    all[at].change.before = all[at].change.after.clone();
                }
                gone.push(source);
            }
            _ => all[at].change.from = None,
        }
    }
    let mut at = 0;
    all.retain(|_| {
        at += 1;
        !gone.contains(&(at - 1))
    });
}

/// A move keeps the size, the file's number and the time of its content.
fn is_same_file(before: &Changed, after: &Changed) -> bool {
    let (Some(before), Some(after)) = (&before.stamp_before, &after.stamp_after) else { return false };
    before.rsplit_once('.').map(|(same, _)| same) == after.rsplit_once('.').map(|(same, _)| same)
}
