//! A personal installation: everything that Stead writes is unseen by git, in files that nobody commits.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use stead_context::Repository;
use stead_install::{Exclude, Plan, installed};
use stead_store::{Did, Done};

use crate::error::CliError;
use crate::git::Git;
use crate::here::Here;

/// The project folder, as git names it.
const FOLDER: &str = ".agent/";

/// Why a file is not changed.
const SEEN: &str = "git sees this file, so the change would show in the repository";

/// Where git is told to see nothing.
pub(crate) struct Personal {
    exclude: Exclude,
    root: PathBuf,
}

impl Personal {
    /// `None` outside a repository.
    pub(crate) fn find(root: &Path) -> Option<Self> {
        let exclude = Git { root }.exclude()?;
        Some(Self { exclude, root: root.to_owned() })
    }

    /// Where a personal installation is possible; else why not.
    pub(super) fn check(here: &Here) -> Result<Self, CliError> {
        let root = here.project.root();
        let Some(found) = Self::find(root) else {
            return Err(CliError::user("`--personal` needs a git repository, and there is none here")
                .hinted("`stead init` without it; nobody else sees the files"));
        };
        if let Some(file) = (Git { root }).tracked_below(&[FOLDER.to_owned()]).into_iter().next() {
            return Err(CliError::user(format!("this project shares Stead already: git tracks `{file}`"))
                .hinted("`stead init --local` adds hooks for this checkout only"));
        }
        // Hooks that the team would get with the next commit.
        let lines = installed(&here.site()).into_iter().flat_map(|client| client.paths);
        let shared = lines.filter(|path| path.starts_with(root)).find(|path| found.is_seen(path));
        match shared {
            Some(path) => {
                let name = here.site().brief(&path);
                Err(CliError::user(format!("Stead's hooks are in `{name}`, which git sees"))
                    .hinted("remove them first with `stead uninstall`"))
            }
            None => Ok(found),
        }
    }

    /// Leaves out what would show in the repository.
    pub(super) fn narrow(&self, plan: Plan) -> Plan {
        let seen: HashSet<PathBuf> =
            plan.edits.iter().map(|edit| edit.path.clone()).filter(|path| self.is_seen(path)).collect();
        plan.except(|path| seen.contains(path), SEEN)
    }

    /// Returns true if git tracks a path, or would show a file that is there.
    fn is_seen(&self, path: &Path) -> bool {
        let git = Git { root: &self.root };
        let Some(name) = self.name(path) else { return false };
        match path.exists() {
            true => git.ignored(std::slice::from_ref(&name)).is_empty(),
            false => !git.tracked_below(&[name]).is_empty(),
        }
    }

    /// A path below the root, as git writes it.
    fn name(&self, path: &Path) -> Option<String> {
        let below = path.strip_prefix(&self.root).ok()?;
        Some(below.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/"))
    }

    /// Makes git ignore what is about to be written, before it is.
    pub(super) fn hide(&self, plan: &Plan) -> Result<(), CliError> {
        let files = plan.edits.iter().filter_map(|edit| self.name(&edit.path));
        let patterns: Vec<String> =
            [FOLDER.to_owned()].into_iter().chain(files).map(|name| self.exclude.pattern(&name)).collect();
        Ok(self.exclude.add(&patterns)?)
    }

    /// Does so for what setting up made elsewhere, next to folders that earlier tools left.
    pub(super) fn hide_created(&self, done: &[Done]) -> Result<(), CliError> {
        let created = done.iter().filter(|done| done.did == Did::Created).map(|done| done.path.to_string_lossy());
        let elsewhere = created.filter(|path| !path.starts_with(FOLDER) && !self.root.join(&**path).is_dir());
        let patterns: Vec<String> = elsewhere.map(|path| self.exclude.pattern(&path)).collect();
        if patterns.is_empty() { Ok(()) } else { Ok(self.exclude.add(&patterns)?) }
    }

    /// Where git is told so, for people.
    pub(super) fn file(&self, here: &Here) -> String {
        here.site().brief(&self.exclude.file)
    }

    /// Returns true if there is a personal installation.
    pub(crate) fn is_used(&self) -> bool {
        self.exclude.is_used()
    }

    /// Forgets what is no longer there. Returns true if the project folder is there and stays unseen.
    pub(crate) fn prune(&self) -> Result<bool, CliError> {
        Ok(!self.exclude.prune(&self.root)?.is_empty())
    }
}
