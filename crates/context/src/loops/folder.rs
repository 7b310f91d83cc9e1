use std::path::{Path, PathBuf};
use std::{fs, io};

use stead_model::{FileId, rfc3339};
use stead_store::{Durability, Exact, StoreError, amend, read_capped};

use super::{Loop, LoopFile, LoopLine, Owner};
use crate::ContextError;
use crate::find_id::find_id;
use crate::slug::is_mark;

/// The loops of a project.
#[derive(Clone, Debug)]
pub struct Loops {
    pub(super) loops: PathBuf,
    pub(super) indexes: PathBuf,
}

/// The size limit of a loop file; a hook reads it at every stop.
const LIMIT: usize = 1024 * 1024;

const KIND: &str = "loop";

impl Loops {
    /// The loops in a project's context folder.
    pub fn of_room(context: &Path) -> Self {
        Self { loops: context.join("loops"), indexes: context.join("indexes") }
    }

    pub fn indexes(&self) -> &Path {
        &self.indexes
    }

    pub fn path(&self, id: &str) -> PathBuf {
        self.loops.join(format!("{id}.md"))
    }

    /// The ids of all loops, newest first.
    pub fn ids(&self) -> Result<Vec<String>, ContextError> {
        let entries = match fs::read_dir(&self.loops) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => {
                return Err(StoreError::Io { doing: "list", path: self.loops.clone(), source }.into());
            }
        };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut ids: Vec<String> =
            names.filter_map(|name| name.strip_suffix(".md").map(str::to_owned)).filter(|id| is_id(id)).collect();
        ids.sort_unstable_by(|one, other| other.cmp(one));
        Ok(ids)
    }

    /// Finds a loop by its full id, or by a part that only one loop has; `latest` is the newest.
    pub fn find(&self, typed: &str) -> Result<String, ContextError> {
        let ids = self.ids()?;
        match ids.first().filter(|_| typed.trim() == "latest") {
            Some(newest) => Ok(newest.clone()),
            None => find_id(KIND, &ids, typed),
        }
    }

    /// Reads a loop by its full id.
    pub fn read(&self, id: &str) -> Result<LoopFile, ContextError> {
        let path = self.path(id);
        let missing = || ContextError::UnknownId { kind: KIND, id: id.to_owned(), nearest: None };
        if !is_id(id) {
            return Err(missing());
        }
        parse(&path, read_capped(&path, LIMIT)?.ok_or_else(missing)?)
    }

    /// Changes a loop's state, one process at a time. If the change fails, the file is not touched.
    pub(super) fn change<T>(
        &self,
        id: &str,
        change: impl FnOnce(&mut LoopFile) -> Result<T, ContextError>,
    ) -> Result<T, ContextError> {
        let path = self.path(id);
        let mut outcome = None;
        amend(&path, LIMIT, Durability::Quick, |old| {
            let missing = || ContextError::UnknownId { kind: KIND, id: id.to_owned(), nearest: None };
            let mut file = parse(&path, old.ok_or_else(missing)?)?;
            let before = file.state.clone();
            outcome = Some(change(&mut file)?);
            Ok::<_, ContextError>((file.state != before).then(|| Exact::Edited.owned(file.render())))
        })?;
        outcome.ok_or(ContextError::UnknownId { kind: KIND, id: id.to_owned(), nearest: None })
    }

    /// Logs a line about a loop.
    pub(super) fn log(
        &self,
        state: &Loop,
        did: &str,
        why: &str,
        owner: Option<&Owner>,
        now: i64,
    ) -> Result<(), StoreError> {
        LoopLine {
            v: 1,
            ts: rfc3339(now),
            id: state.id.clone(),
            did: did.to_owned(),
            why: why.to_owned(),
            harness: owner.map(|owner| owner.harness().to_owned()),
            session: owner.map(|owner| owner.session().to_owned()),
            status: Some(state.status.name().to_owned()),
            iteration: Some(state.iteration),
            max_iterations: Some(state.max_iterations),
        }
        .append(&self.indexes)
    }
}

/// Returns true if a text can be the name of a loop's file: the checks of [`FileId`], with the letters of every script.
fn is_id(id: &str) -> bool {
    let plain: String = id.chars().map(|c| if c.is_alphanumeric() || is_mark(c) { 'x' } else { c }).collect();
    FileId::check(&plain).is_ok()
}

fn parse(path: &Path, bytes: Vec<u8>) -> Result<LoopFile, ContextError> {
    let text = String::from_utf8(bytes)
        .map_err(|error| ContextError::NotText { path: path.to_owned(), at: error.utf8_error().valid_up_to() })?;
    LoopFile::parse(path, text)
}
