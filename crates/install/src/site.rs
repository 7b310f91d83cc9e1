use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use stead_client::Scope;
use stead_model::{Base, Spot};
use stead_pattern::{Case, has_wildcard, name_matches};
use stead_store::{StoreError, UserDirs, keep_private, renew_link};

use crate::hook_command::LINK;

/// The environment as a function, so that tests need not change their own.
pub(crate) type Env<'a> = dyn Fn(&str) -> Option<OsString> + 'a;

/// Where an installation happens: the project, the user, and the program that the lines call.
pub struct Site<'a> {
    pub root: &'a Path,
    /// This program, by its absolute path.
    pub program: &'a Path,
    pub env: &'a Env<'a>,
}

/// Whose settings are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    Project,
    User,
}

impl Reach {
    pub fn of(scope: Scope) -> Self {
        match scope {
            Scope::Project | Scope::ProjectStrict | Scope::Local | Scope::Personal => Self::Project,
            Scope::User => Self::User,
        }
    }

    pub(crate) fn covers(self, spot: Spot<'_>) -> bool {
        (self == Self::Project) == (spot.base == Base::Project)
    }
}

impl Site<'_> {
    pub(crate) fn home(&self) -> Option<PathBuf> {
        self.folder("HOME").or_else(|| self.folder("USERPROFILE"))
    }

    fn folder(&self, variable: &str) -> Option<PathBuf> {
        (self.env)(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
    }

    /// Resolves a file on this machine. `None` if there is no home folder to start from.
    pub fn resolve(&self, spot: Spot<'_>) -> Option<PathBuf> {
        let base = match spot.base {
            Base::Project => self.root.to_owned(),
            Base::Home => self.home()?,
            Base::Var { name, fallback } => self.folder(name).or_else(|| Some(self.home()?.join(fallback)))?,
        };
        // A client resolves a relative variable against the folder it was started in.
        Some(self.root.join(base).join(spot.path))
    }

    /// Lists the files of a spot: one, or those that exist where its name contains a `*`.
    pub(crate) fn files(&self, spot: Spot<'_>) -> Vec<PathBuf> {
        let Some(path) = self.resolve(spot) else {
            return Vec::new();
        };
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if !has_wildcard(name) {
            return vec![path];
        }
        let folder = path.parent().unwrap_or(self.root);
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut found: Vec<PathBuf> = entries
            .map(|entry| entry.path())
            .filter(|file| {
                let found = file.file_name().and_then(|name| name.to_str());
                found.is_some_and(|found| name_matches(name, found, Case::Exact))
            })
            .collect();
        found.sort();
        found
    }

    /// Finds a program on PATH.
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        stead_store::find_program(&(self.env)("PATH")?, name)
    }

    /// Finds Stead as a shared line does: on PATH, else by its link.
    pub(crate) fn find_stead(&self) -> Option<PathBuf> {
        self.find_program("stead").or_else(|| self.link().filter(|link| link.exists()))
    }

    /// Where the link to this program is.
    pub(crate) fn link(&self) -> Option<PathBuf> {
        UserDirs::from_env(self.env).map(|dirs| dirs.state.join(LINK))
    }

    /// Lets the link name this program.
    pub fn renew_link(&self) -> Result<(), StoreError> {
        let Some(UserDirs { state, .. }) = UserDirs::from_env(self.env) else { return Ok(()) };
        keep_private(&state, "");
        renew_link(self.program, &state.join(LINK))
    }

    /// Shortens a file's name: relative to the project, below `~`, else in full.
    pub fn brief(&self, path: &Path) -> String {
        if let Ok(inside) = path.strip_prefix(self.root) {
            return inside.display().to_string();
        }
        match self.home().as_deref().map(|home| path.strip_prefix(home)) {
            Some(Ok(inside)) => format!("~/{}", inside.display()),
            _ => path.display().to_string(),
        }
    }
}
