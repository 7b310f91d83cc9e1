use stead_model::Target;

use crate::exec::{ExecAnswer, ExecCall};

/// What a guard may need to know about the circumstances of a call.
///
/// Implementers answer lazily and within limits, and never panic. An `Err` says in a few words why there is no answer;
/// the guard that needs it then counts as failed and its `on_error` decides. Answers may be cached within one
/// judgement. Paths are absolute.
pub trait GuardFacts {
    /// Returns the current text of a file.
    fn text(&self, path: &str) -> FileText;

    fn exists(&self, path: &str) -> bool;

    /// Counts lines and bytes of a file; `None` if it is missing or not a regular file. May stop counting lines after
    /// more than `enough`.
    fn measure(&self, path: &str, enough: u64) -> Option<Measure>;

    /// Returns true if a folder exists.
    fn is_folder(&self, _path: &str) -> bool {
        false
    }

    /// Searches a folder recursively for a file for which `fits` returns true. For a folder, `fits` decides whether to
    /// enter it. Links are not followed.
    fn find_file(&self, _folder: &str, _fits: &dyn Fn(&str, FileSort) -> bool) -> Looked {
        Looked::Unknown
    }

    /// Returns the caller.
    fn caller(&self) -> Caller;

    /// Returns the state of a feature's proof; without a feature, whether the current tree was verified as a whole.
    fn evidence(&self, feature: Option<&str>) -> Result<EvidenceState, String>;

    /// Returns true if one of these changes would touch files that the evidence of a feature covers; without a feature,
    /// any file of the project.
    fn outdates(&self, _feature: Option<&str>, _changes: &[&Target]) -> bool {
        false
    }

    /// Returns the entry of a feature in the feature list.
    fn feature(&self, id: &str) -> Result<Option<FeatureState>, String>;

    /// Counts the calling agent's observed test runs, and how many of them passed.
    fn test_runs(&self) -> Result<TestRuns, String>;

    /// Returns the intent that the session has selected.
    fn intent(&self) -> Result<Option<String>, String>;

    /// Returns true if the session has a flag.
    fn has_flag(&self, flag: &str) -> Result<bool, String>;

    /// Returns a counter of the session; an unknown one is 0.
    fn counter(&self, name: &str) -> Result<u64, String>;

    /// Returns how often this guard has already blocked the calling agent's stop.
    fn holds(&self, guard: &str) -> Result<u64, String>;

    /// Runs an executable guard: checks its hash, passes the call on standard input, enforces its time limit.
    fn run(&self, call: &ExecCall<'_>) -> Result<ExecAnswer, String>;

    /// Milliseconds since 1970.
    fn now(&self) -> i64;

    /// Returns true if a person has allowed what an enforced guard matched.
    fn is_excused(&self, _guard: &str, _what: &Excuse<'_>) -> bool {
        false
    }
}

/// What a person may have allowed: one file, one feature in it, or one command; if none is set, this exact call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Excuse<'a> {
    pub path: Option<&'a str>,
    pub command: Option<&'a str>,
    pub feature: Option<&'a str>,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileText {
    Is(String),
    Missing,
    /// It exists, but is too large, not text or not readable.
    Unreadable,
}

/// What exists at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSort {
    File,
    Folder,
}

/// The result of searching a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Looked {
    Found(String),
    Nothing,
    /// There are too many files, or the folder cannot be read.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    pub lines: u64,
    pub bytes: u64,
}

/// Who makes a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    Main {
        /// Set by `stead agent begin`, for clients that do not report which agent makes a call.
        role: Option<String>,
    },
    Sub {
        role: Option<String>,
    },
}

impl Caller {
    pub fn role(&self) -> Option<&str> {
        match self {
            Self::Main { role } | Self::Sub { role } => role.as_deref(),
        }
    }

    /// The role in a guard's `owners`: an agent without one is `main` or `sub`.
    pub fn name(&self) -> &str {
        self.role().unwrap_or(match self {
            Self::Main { .. } => "main",
            Self::Sub { .. } => "sub",
        })
    }
}

/// The state of a feature's proof, from weak to strong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvidenceState {
    /// No proof; why, and what to do, in a sentence each.
    None {
        why: String,
    },
    /// There was proof, but files have changed since.
    Stale {
        why: String,
    },
    Fresh,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeatureState {
    pub status: String,
    pub tested: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestRuns {
    pub ran: u64,
    pub passed: u64,
}
