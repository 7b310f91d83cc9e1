use std::path::{Path, PathBuf};

use stead_store::{Chain, ProjectState};

/// Where evidence is stored, and the project it covers.
#[derive(Clone, Debug)]
pub struct Ground {
    /// The project.
    pub root: PathBuf,
    /// The room of the features.
    pub features: PathBuf,
    /// The folder of the project's indexes.
    pub indexes: PathBuf,
    /// The room that can be deleted without loss.
    pub cache: PathBuf,
    /// What the person's state folder keeps about this checkout; without it nothing vouches for evidence.
    pub state: Option<ProjectState>,
}

impl Ground {
    /// The log of every test and build that was seen or run in this checkout.
    pub const LOG: &'static str = "evidence.jsonl";

    /// The end of the log's chain, beside the log and in the person's state folder.
    pub const HEAD: &'static str = "evidence.head";

    pub fn log(&self) -> PathBuf {
        self.indexes.join(Self::LOG)
    }

    /// The log as a hash chain. The end in the state folder decides which lines are vouched for.
    pub fn chain(&self) -> Chain {
        Chain {
            log: self.log(),
            head: self.indexes.join(Self::HEAD),
            copy: self.state.as_ref().map(|state| state.join(Self::HEAD)),
            link: &["chain"],
        }
    }

    /// The folder of one feature's evidence. The id must be a checked one.
    pub(crate) fn folder(&self, feature: &str) -> PathBuf {
        self.features.join("evidence").join(feature)
    }

    /// Returns true if a path below the root contains records instead of work.
    pub(crate) fn is_own(&self, path: &Path) -> bool {
        path.starts_with(self.root.join(".agent"))
            || path.starts_with(&self.features)
            || path.starts_with(&self.indexes)
    }
}

/// The limits for reading a feature's files.
#[derive(Clone, Copy)]
pub struct Bounds<'a> {
    pub files: usize,
    /// How many bytes may be read now. Cached hashes do not count.
    pub bytes: u64,
    /// Called from time to time: returns true if there is time left.
    pub go_on: &'a dyn Fn() -> bool,
}

impl<'a> Bounds<'a> {
    /// For a hook call, which has a second at most.
    pub fn hook(go_on: &'a dyn Fn() -> bool) -> Self {
        Self { files: 50_000, bytes: 256 * 1024 * 1024, go_on }
    }

    /// For a command that a person or an agent waits for.
    pub fn command() -> Self {
        Self { files: 500_000, bytes: 16 * 1024 * 1024 * 1024, go_on: &|| true }
    }
}
