use std::io;
use std::path::{Path, PathBuf};

use stead_store::StoreError;

use crate::lock::{Holder, LockError};

/// Why the engine itself could not go on. How an agent failed is no error but a [`super::RunEnd`].
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("`{name}` cannot be the name of a run: {why}")]
    BadName { name: String, why: String },
    #[error("there is a run `{run}` already")]
    Exists { run: String },
    #[error("there is no run `{run}`")]
    UnknownRun { run: String, nearest: Option<String> },
    #[error("nothing of run `{run}` was begun")]
    NotBegun { run: String },
    #[error("run `{run}` is in the hands of another engine: {holder}")]
    Held { run: String, holder: String },
    #[error("run `{run}` has no engine that could be stopped")]
    NotRunning { run: String },
    #[error("`{}` is damaged: {why}", path.display())]
    Damaged { path: PathBuf, why: String },
    #[error("`{}` has schema {found}, this program knows up to {known}", path.display())]
    Newer { path: PathBuf, found: u32, known: u32 },
    #[error("`{}` is not the plan that run `{run}` was started with", path.display())]
    PlanChanged { path: PathBuf, run: String },
    #[error("the options change nothing of run `{run}`, which is {status}")]
    Settled { run: String, status: &'static str, most: Option<u32> },
    #[error("the output of stage `{stage}` cannot be `{output}`: {why}")]
    Output { stage: String, output: String, why: String },
    #[error("the branches of stage `{stage}` cannot have work trees: {why}")]
    NoTrees { stage: String, why: String },
    #[error("the run's files do not fit together: {why}")]
    Mismatch { why: String },
}

impl EngineError {
    pub(crate) fn io(doing: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Store(StoreError::Io { doing, path: path.to_owned(), source })
    }

    pub(crate) fn of_lock(run: &str, error: LockError) -> Self {
        match error {
            LockError::Held { holder } => Self::held(run, &holder),
            LockError::HeldByStranger => Self::Held { run: run.to_owned(), holder: "it did not say which".to_owned() },
            LockError::Io { path, source } => Self::io("take the lock", &path, source),
        }
    }

    /// The error for whoever wants a run that another engine works on.
    pub fn held(run: &str, holder: &Holder) -> Self {
        Self::Held { run: run.to_owned(), holder: format!("process {}, since {}", holder.pid, holder.since) }
    }

    /// The error with its causes and what can be done about it, on one line, for the record.
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

    /// Says what a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Store(source) => source.hint(),
            Self::BadName { .. } => Some("use letters, digits, `-` and `_`, as in `night-1`".into()),
            Self::Exists { .. } => Some("add `--resume` to go on with it, or choose another name".into()),
            Self::UnknownRun { nearest: Some(nearest), .. } => Some(format!("did you mean `{nearest}`?")),
            Self::NotBegun { .. } => Some("start it without `--resume`".into()),
            Self::UnknownRun { nearest: None, .. } => Some("`stead runs` lists them".into()),
            Self::Held { run, .. } => {
                Some(format!("watch it with `stead status {run}`, or end it with `stead stop {run}`"))
            }
            Self::NotRunning { run } => Some(format!("`stead status {run}` says how it stands")),
            Self::Damaged { path, .. } | Self::PlanChanged { path, .. } => {
                Some(format!("put `{}` back as it was, or start a run with another name", path.display()))
            }
            Self::Settled { most: Some(most), .. } => {
                Some(format!("to go on, `--max` must be more than the {most} iterations it made"))
            }
            Self::Settled { status: "done", .. } => Some("start a run with another name".into()),
            Self::Settled { most: None, .. } => {
                Some("what is over stays as it is, and branches over providers keep theirs".into())
            }
            Self::Output { .. } => {
                Some("name a file that lies in the project, also when its folders are followed".into())
            }
            Self::NoTrees { .. } => Some(
                "work trees need a git repository with a commit (`git init`); or take `worktree: true` out of the \
                 pipeline"
                    .into(),
            ),
            Self::Newer { .. } => Some("update `stead`; a newer version wrote this run".into()),
            Self::Mismatch { .. } => Some("start a run with another name".into()),
        }
    }
}
