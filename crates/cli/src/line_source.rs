//! A file whose lines are asked about.

use std::fs;
use std::path::{Path, PathBuf};

use stead_ledger::why::Books;
use stead_model::clean;
use stead_store::Room;

use crate::error::CliError;
use crate::ledger::ledger;
use crate::project::Project;

/// Of longer files the ledger has no lines.
const LONGEST: u64 = 16 * 1024 * 1024;

pub(crate) struct LineSource {
    /// The checkout that the file is in.
    pub(crate) root: PathBuf,
    /// Relative to it, with forward slashes.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl LineSource {
    /// Reads a file typed in `dir`.
    pub(crate) fn open(project: &Project, dir: &Path, typed: &str) -> Result<Self, CliError> {
        let (root, path) = place(project, dir, typed)?;
        let file = root.join(&path);
        let data = fs::metadata(&file).map_err(|source| {
            let hint = "check the path; a file that was renamed is asked by its new name";
            CliError::user(format!("cannot read `{typed}`")).because(source).hinted(hint)
        })?;
        if !data.is_file() {
            return Err(CliError::user(format!("`{typed}` is not a file")).hinted("name one file, as in `src/main.rs`"));
        }
        if data.len() > LONGEST {
            let message = format!("`{typed}` has {} MB; the ledger has lines of files up to 16 MB", data.len() >> 20);
            return Err(CliError::user(message).hinted("ask git: `git blame -L LINE,LINE FILE`"));
        }
        let bytes =
            fs::read(&file).map_err(|source| CliError::user(format!("cannot read `{typed}`")).because(source))?;
        let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
        let Some(text) = text else {
            let message = format!("`{typed}` is not UTF-8 text, so the ledger has no lines of it");
            return Err(CliError::user(message).hinted("`stead trace log --path FILE` lists the calls that changed it"));
        };
        Ok(Self { root, path, text })
    }

    /// The ledger of the project, to be asked by hash.
    pub(crate) fn books(&self, project: &Project) -> Result<Books, CliError> {
        Ok(Books::open(&ledger(project), &project.root().join(Room::Cache.default_path()))?)
    }
}

/// The checkout and the path in it: the one being worked in, else the main one.
pub(crate) fn place(project: &Project, dir: &Path, typed: &str) -> Result<(PathBuf, String), CliError> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let spellings = [clean(&dir.join(typed)), clean(&real(dir).join(typed))];
    for root in [project.found.work(), project.root()] {
        for file in &spellings {
            let below = file.strip_prefix(root).ok().or_else(|| file.strip_prefix(real(root)).ok());
            if let Some(below) = below.filter(|below| !below.as_os_str().is_empty()) {
                return Ok((root.to_owned(), below.to_string_lossy().replace('\\', "/")));
            }
        }
    }
    let message = format!("`{typed}` is not in the project");
    Err(CliError::user(message).hinted(format!("name a file below `{}`", project.root().display())))
}
