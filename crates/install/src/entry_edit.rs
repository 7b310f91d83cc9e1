//! Adds an entry that is not a hook to a plan, and takes it out again. The plan may already change the same file.

use std::path::PathBuf;

use serde_json::Value;
use stead_client::Harness;
use stead_settings::EntryPlace;

use crate::layer::read_text;
use crate::{FileEdit, Note, Plan, Site, UndoRecord};

/// The text of a file as it will be after a plan, and the plan's edit of it. A file that cannot be edited is noted.
fn planned(harness: Harness, path: &PathBuf, plan: &mut Plan) -> Option<(Option<String>, Option<usize>)> {
    if plan.notes.iter().any(|note| matches!(note, Note::Bad { path: bad, .. } if bad == path)) {
        return None;
    }
    let known = plan.edits.iter().position(|edit| edit.path == *path);
    let text = match known {
        Some(at) => Ok(plan.edits[at].after.clone()),
        None => read_text(path),
    };
    match text {
        Ok(text) => Some((text, known)),
        Err(why) => {
            plan.notes.push(Note::Bad { harness, path: path.clone(), why });
            None
        }
    }
}

/// Adds an entry, or replaces a different one.
pub(crate) fn put_entry(harness: Harness, path: PathBuf, place: &EntryPlace<'_>, entry: &Value, plan: &mut Plan) {
    let Some((before, known)) = planned(harness, &path, plan) else { return };
    match place.insert(before.as_deref(), entry) {
        Ok(after) if Some(&after) == before.as_ref() => {}
        Ok(after) => match known {
            Some(at) => plan.edits[at].after = Some(after),
            None => plan.edits.push(edit(harness, path, before, Some(after))),
        },
        Err(error) => plan.notes.push(Note::Bad { harness, path, why: error.to_string() }),
    }
}

/// Removes an entry if it is ours. A file that was created for Stead goes with it, if nobody added to it.
pub(crate) fn take_entry(
    site: &Site<'_>,
    harness: Harness,
    path: PathBuf,
    (place, is_ours): (EntryPlace<'_>, fn(&Value) -> bool),
    record: &UndoRecord,
    plan: &mut Plan,
) {
    let Some((Some(text), known)) = planned(harness, &path, plan) else { return };
    let removed = match place.find(&text) {
        Ok(Some(entry)) if is_ours(&entry) => place.remove(&text),
        Ok(_) => return,
        Err(error) => Err(error),
    };
    let rest = match removed {
        Ok(Some(rest)) => rest,
        Ok(None) => return,
        Err(error) => return plan.notes.push(Note::Bad { harness, path, why: error.to_string() }),
    };
    let remembered = record.file(site.root, &path);
    let was_made_for_us = remembered.is_some_and(|known| known.before.is_none());
    let after = (!(was_made_for_us && place.is_bare(&rest))).then_some(rest);
    match known {
        Some(at) => plan.edits[at].after = after,
        None => {
            let folders = remembered.map(|known| known.folders(site.root)).unwrap_or_default();
            plan.edits.push(FileEdit { folders, is_removal: true, ..edit(harness, path, Some(text), after) });
        }
    }
}

fn edit(harness: Harness, path: PathBuf, before: Option<String>, after: Option<String>) -> FileEdit {
    FileEdit { harness, path, shape: None, before, after, folders: Vec::new(), is_removal: false }
}
