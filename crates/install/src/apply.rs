use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use stead_store::{Durability, Exact, StoreError, create_parents, remove, replace};

use crate::layer::read_text;
use crate::{FileEdit, InstallError, Plan, Site, UndoRecord};

/// The result of applying a plan. Files that could not be written are unchanged.
#[derive(Debug, Default)]
pub struct Applied {
    pub done: Vec<PathBuf>,
    pub failed: Vec<(PathBuf, String)>,
}

/// Applies a plan. The undo record is written first, so that the old bytes are never lost. A file that cannot be
/// written does not stop the others.
pub fn apply(site: &Site<'_>, plan: &Plan, record: &Path) -> Result<Applied, InstallError> {
    let mut applied = Applied::default();
    if plan.edits.is_empty() {
        return Ok(applied);
    }
    let mut undo = UndoRecord::read(record)?;
    for edit in plan.edits.iter().filter(|edit| !edit.is_removal) {
        undo.remember(site.root, edit);
    }
    undo.write(record).map_err(|source| InstallError::RecordUnwritten { source })?;
    for edit in &plan.edits {
        match carry_out(edit) {
            Ok(()) => {
                applied.done.push(edit.path.clone());
                if edit.is_removal {
                    undo.forget(site.root, &edit.path);
                }
            }
            Err(why) => applied.failed.push((edit.path.clone(), why)),
        }
    }
    undo.write(record)?;
    Ok(applied)
}

fn carry_out(edit: &FileEdit) -> Result<(), String> {
    if read_text(&edit.path)? != edit.before {
        return Err("it changed in the meantime; run the command again".to_owned());
    }
    match &edit.after {
        Some(text) => {
            let made = create_parents(&edit.path).map_err(|error| words(&error))?;
            replace(&edit.path, Exact::Edited.bytes(text), Durability::Synced).map_err(|error| {
                remove_empty(made.iter().rev());
                words(&error)
            })
        }
        None => {
            remove(&edit.path).map_err(|error| words(&error))?;
            remove_empty(edit.folders.iter());
            Ok(())
        }
    }
}

/// Removes folders while they are empty and stops at the first that is not.
fn remove_empty<'a>(folders: impl Iterator<Item = &'a PathBuf>) {
    for folder in folders {
        match fs::remove_dir(folder) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) => break,
        }
    }
}

fn words(error: &StoreError) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
