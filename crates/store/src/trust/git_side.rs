//! What git brought into a checkout. A repository that has never fetched anything brought nothing; in others a file that
//! equals git's own version of it may have come from anybody.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::TrustItem;
use crate::worktree::common_dir;
use crate::{ask_git, read_capped};

const DEADLINE: Duration = Duration::from_secs(5);

/// The longest list of files, and the largest file, that git is asked for.
const LONGEST: usize = 16 * 1024 * 1024;

/// How much of git's own files is read.
const GIT_FILE: usize = 16 * 1024 * 1024;

/// What git knows about a checkout.
pub(super) struct GitSide {
    root: PathBuf,
    /// The tracked files, and whether they equal git's version; `None` if git could not say.
    tracked: Option<BTreeMap<String, bool>>,
    has_fetched: bool,
    /// The items in git's version of a file, by path.
    known: RefCell<BTreeMap<String, Option<Vec<TrustItem>>>>,
}

impl GitSide {
    pub(super) fn of(root: &Path) -> Self {
        let has_fetched = has_fetched(root);
        let tracked = has_fetched.then(|| tracked_files(root)).flatten();
        Self { root: root.to_owned(), tracked, has_fetched, known: RefCell::default() }
    }

    /// Returns true if git may have brought this item. If git cannot say, it may.
    pub(super) fn brought(&self, item: &TrustItem) -> bool {
        if !self.has_fetched {
            return false;
        }
        let Some(tracked) = &self.tracked else { return true };
        // A file that git does not know was not brought by it.
        let Some(is_clean) = tracked.get(item.path()) else { return false };
        let Some(extract) = item.extract() else { return *is_clean };
        let mut known = self.known.borrow_mut();
        let there = known.entry(item.path().to_owned()).or_insert_with(|| {
            let words = ["cat-file", "blob", &format!(":./{}", item.path())];
            ask_git(&self.root, &words, DEADLINE, LONGEST).map(|content| extract(item.path(), &content))
        });
        let is_same = |other: &TrustItem| other.name == item.name && other.content == item.content;
        there.as_ref().is_none_or(|items| items.iter().any(is_same))
    }
}

/// The tracked files below the root, and whether they equal the version in git's index.
fn tracked_files(root: &Path) -> Option<BTreeMap<String, bool>> {
    let list = |words: &[&str]| -> Option<BTreeSet<String>> {
        // A program that a repository's settings name must not start here.
        let words: Vec<&str> =
            ["-c", "core.fsmonitor=false", "ls-files", "-z"].into_iter().chain(words.iter().copied()).collect();
        let bytes = ask_git(root, &words, DEADLINE, LONGEST)?;
        Some(String::from_utf8_lossy(&bytes).split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
    };
    let modified = list(&["--modified"])?;
    let with_state = |name: String| {
        let is_clean = !modified.contains(&name);
        (name, is_clean)
    };
    Some(list(&["--cached"])?.into_iter().map(with_state).collect())
}

/// Returns true if anything was ever fetched into the repository, or cloned.
fn has_fetched(root: &Path) -> bool {
    let Some(git) = repository(root) else { return false };
    let has_remote_branches = std::fs::read_dir(git.join("refs/remotes")).is_ok_and(|mut all| all.next().is_some());
    let names_one = |path: &Path| {
        let packed = read_capped(path, GIT_FILE).map(Option::unwrap_or_default);
        // One that cannot be read may name some.
        packed.map_or(true, |text| String::from_utf8_lossy(&text).contains(" refs/remotes/"))
    };
    has_remote_branches
        || git.join("FETCH_HEAD").exists()
        || git.join("reftable").exists()
        || names_one(&git.join("packed-refs"))
}

/// The git folder of the repository around a project, which may be above it.
fn repository(root: &Path) -> Option<PathBuf> {
    root.ancestors().find(|dir| dir.join(".git").exists()).and_then(common_dir)
}

/// The addresses of the git remotes, from git's own settings file. Nothing is started for it.
pub(super) fn remotes(root: &Path) -> Vec<String> {
    let Some(git) = repository(root) else { return Vec::new() };
    let text = read_capped(&git.join("config"), GIT_FILE).ok().flatten().unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let mut is_remote = false;
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            is_remote = line.to_lowercase().starts_with("[remote ");
        } else if let Some((key, value)) = line.split_once('=').filter(|_| is_remote)
            && key.trim().eq_ignore_ascii_case("url")
        {
            found.push(value.trim().trim_matches('"').to_owned());
        }
    }
    found
}
