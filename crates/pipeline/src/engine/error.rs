use std::io;
use std::path::{Path, PathBuf};

use stead_evidence::EvidenceError;
use stead_feature::FeatureError;
use stead_store::StoreError;

use crate::Extension;
use crate::lock::{Holder, LockError};

/// Why the engine itself failed. A failed agent is not an error but a [`super::RunEnd`].
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Feature(#[from] FeatureError),
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
    #[error("run `{run}` already works on this feature list: {holder}")]
    ListTaken { run: String, holder: String },
    #[error("invalid run name `{name}`: {why}")]
    BadName { name: String, why: String },
    #[error("run `{run}` already exists")]
    Exists { run: String },
    #[error("there is no run `{run}`")]
    UnknownRun { run: String, nearest: Option<String> },
    #[error("run `{run}` has not started")]
    NotBegun { run: String },
    #[error("run `{run}` is used by another engine: {holder}")]
    Held { run: String, holder: String },
    #[error("run `{run}` is not running")]
    NotRunning { run: String },
    #[error("run `{run}` cannot be replaced: an agent of it has started")]
    HasStarted { run: String },
    #[error("run `{run}` has not ended")]
    NotEnded { run: String },
    #[error("run `{run}` has worktrees in `{}`, which may contain work", path.display())]
    HasWork { run: String, path: PathBuf },
    #[error("`{}` is corrupt: {why}", path.display())]
    Damaged { path: PathBuf, why: String },
    #[error("`{}` has schema {found}; this version of stead supports schemas up to {known}", path.display())]
    Newer { path: PathBuf, found: u32, known: u32 },
    #[error("`{}` is not the plan that run `{run}` was started with", path.display())]
    PlanChanged { path: PathBuf, run: String },
    #[error("the options have no effect on run `{run}`, which is {status}")]
    Settled { run: String, status: &'static str, most: Option<u32>, needed: Extension },
    #[error("invalid output `{output}` of stage `{stage}`: {why}")]
    Output { stage: String, output: String, why: String },
    #[error("could not create worktrees for the branches of stage `{stage}`: {why}")]
    NoTrees { stage: String, why: String },
    #[error("the run's files are inconsistent: {why}")]
    Mismatch { why: String },
}

impl EngineError {
    pub(crate) fn io(doing: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Store(StoreError::Io { doing, path: path.to_owned(), source })
    }

    pub(crate) fn of_lock(run: &str, error: LockError) -> Self {
        match error {
            LockError::Held { holder } => Self::held(run, &holder),
            LockError::HeldByStranger => Self::Held { run: run.to_owned(), holder: "unknown process".to_owned() },
            LockError::Io { path, source } => Self::io("take the lock", &path, source),
        }
    }

    /// The error if another engine works on the run.
    pub fn held(run: &str, holder: &Holder) -> Self {
        Self::Held { run: run.to_owned(), holder: format!("process {}, since {}", holder.pid, holder.since) }
    }

    /// The error with its causes and hint on one line, for the record.
    pub(crate) fn in_full(&self) -> String {
        let mut text = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            text.push_str(&format!(": {error}"));
            cause = error.source();
        }
        if let Some(hint) = self.hint() {
            text.push_str(&format!(" ({hint})"));
        }
        text
    }

    /// Returns what a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Store(source) => source.hint(),
            Self::Feature(source) => source.hint(),
            Self::Evidence(source) => source.hint(),
            Self::BadName { .. } => Some("use letters, digits, `-` and `_`, as in `night-1`".into()),
            Self::Exists { .. } => Some("add `--resume` to continue it, or choose another name".into()),
            Self::UnknownRun { nearest: Some(nearest), .. } => Some(format!("did you mean `{nearest}`?")),
            Self::NotBegun { .. } => Some("start it without `--resume`".into()),
            Self::UnknownRun { nearest: None, .. } => Some("`stead runs` lists them".into()),
            Self::Held { run, .. } | Self::ListTaken { run, .. } => {
                Some(format!("watch it with `stead status {run}`, or stop it with `stead stop {run}`"))
            }
            Self::HasStarted { .. } => Some("continue it with `--resume`, or choose another name".into()),
            Self::NotEnded { run } => Some(format!("stop it with `stead stop {run}`, or continue it with `--resume`")),
            Self::HasWork { .. } => Some("merge or remove them with `git worktree`, then try again".into()),
            Self::NotRunning { run } => Some(format!("`stead status {run}` shows its state")),
            Self::Damaged { path, .. } | Self::PlanChanged { path, .. } => {
                Some(format!("restore `{}`, or start a run with another name", path.display()))
            }
            Self::Settled { most: Some(most), .. } => {
                Some(format!("to continue, set `--max` above the {most} iterations already done"))
            }
            Self::Settled { needed: Extension { max_runtime_seconds: Some(_), seconds_used: used, .. }, .. } => {
                Some(format!("to continue, set `--max-runtime` above the {used:.0} seconds already used"))
            }
            Self::Settled { needed: Extension { max_cost_usd: Some(_), usd_used: used, .. }, .. } => {
                Some(format!("to continue, set `--max-cost` above the ${used:.2} already spent"))
            }
            Self::Settled { status: "done", .. } => Some("start a run with another name".into()),
            Self::Settled { most: None, .. } => {
                Some("finished stages are not changed, and branches over providers keep their provider".into())
            }
            Self::Output { .. } => Some("use a path whose folders, with links resolved, are in the project".into()),
            Self::NoTrees { .. } => Some(
                "worktrees need a git repository with a commit (`git init`); or remove `worktree: true` from the \
                 pipeline"
                    .into(),
            ),
            Self::Newer { .. } => Some("update `stead`; a newer version wrote this run".into()),
            Self::Mismatch { .. } => Some("start a run with another name".into()),
        }
    }
}
