use stead_model::Target;

use crate::exec::{ExecAnswer, ExecCall};

/// What a guard may ask about the world.
///
/// Implementers answer lazily and within bounds, and never panic. An `Err` says in a few words why there is no answer;
/// the guard that asked then counts as broken and its `on_error` decides. The same question asked twice in one
/// judgement may be answered from memory. Paths are absolute.
pub trait GuardFacts {
    /// Gives the current text of a file.
    fn text(&self, path: &str) -> FileText;

    fn exists(&self, path: &str) -> bool;

    /// Counts lines and bytes of a file; `None` when it is missing or no regular file. May stop counting lines once
    /// there are more than `enough`.
    fn measure(&self, path: &str, enough: u64) -> Option<Measure>;

    /// Says whether a folder is there.
    fn is_folder(&self, _path: &str) -> bool {
        false
    }

    /// Looks through a folder and all below it for a file that `fits`. It is asked of a folder, too, whether to go
    /// there. Links are not followed.
    fn find_file(&self, _folder: &str, _fits: &dyn Fn(&str, FileSort) -> bool) -> Looked {
        Looked::Unknown
    }

    /// Says who is calling.
    fn caller(&self) -> Caller;

    /// Says how a feature's proof stands; without a feature, whether the tree as it is now was verified as a whole.
    fn evidence(&self, feature: Option<&str>) -> Result<EvidenceState, String>;

    /// Says whether one of these changes would touch what the evidence of a feature is about; without a feature, of the
    /// whole project.
    fn outdates(&self, _feature: Option<&str>, _changes: &[&Target]) -> bool {
        false
    }

    /// Gives what the feature list says about a feature.
    fn feature(&self, id: &str) -> Result<Option<FeatureState>, String>;

    /// Counts the test runs that were seen of the calling agent, and those of them that passed.
    fn test_runs(&self) -> Result<TestRuns, String>;

    /// Gives the intent that the session has selected.
    fn intent(&self) -> Result<Option<String>, String>;

    /// Says whether the session carries a flag.
    fn has_flag(&self, flag: &str) -> Result<bool, String>;

    /// Gives a counter of the session; one that nobody counted is 0.
    fn counter(&self, name: &str) -> Result<u64, String>;

    /// Says how often this guard has already held the calling agent's stop.
    fn holds(&self, guard: &str) -> Result<u64, String>;

    /// Runs an executable guard: checks its hash, gives it the call on standard input, ends it in time.
    fn run(&self, call: &ExecCall<'_>) -> Result<ExecAnswer, String>;

    /// Milliseconds since 1970.
    fn now(&self) -> i64;

    /// Says whether a person has allowed just this, which an enforced guard found.
    fn is_excused(&self, _guard: &str, _what: &Excuse<'_>) -> bool {
        false
    }
}

/// What a person may have allowed: one file, or one feature in it, or one command; without any of them the very call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Excuse<'a> {
    pub path: Option<&'a str>,
    pub command: Option<&'a str>,
    pub feature: Option<&'a str>,
}

/// What stands in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileText {
    Is(String),
    Missing,
    /// It is there, but too large, not text or not readable.
    Unreadable,
}

/// What lies at a path that is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSort {
    File,
    Folder,
}

/// What a look through a folder found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Looked {
    Found(String),
    Nothing,
    /// There is too much, or nobody can look.
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
        /// Named by `stead agent begin`, for clients that do not tell their agents apart.
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

    /// The role as a guard's owner table names it: an agent without one is `main` or `sub`.
    pub fn name(&self) -> &str {
        self.role().unwrap_or(match self {
            Self::Main { .. } => "main",
            Self::Sub { .. } => "sub",
        })
    }
}

/// How the proof of a feature stands. The order is from weak to strong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvidenceState {
    /// Nothing that counts; why, and what to do, in a sentence each.
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
