use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stead_store::{Durability, Redacted, StoreError, Tail, append_line, create_parents, cut_log};

use crate::record::PATIENCE;

stead_model::named! {
    /// Why precedents were told.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum InjectionCause {
        /// A rule matched a call.
        Rule = "rule",
        /// A tool or a test failed.
        Failure = "failure",
        /// An agent was given a task.
        Task = "task",
        #[default]
        #[serde(other)]
        Other = "other",
    }
}

stead_model::named! {
    /// How the agent was told.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum InjectionWay {
        /// In the reason of a denial.
        Reason = "reason",
        /// As text for the model.
        Context = "context",
        /// At the next event at which the client takes text.
        Later = "later",
        /// In the task of an agent.
        Task = "task",
        #[default]
        #[serde(other)]
        Other = "other",
    }
}

/// Precedents that an agent was told at once: one line of `cache/injections.jsonl`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Injection {
    pub v: u32,
    pub ts: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    #[serde(default)]
    pub cause: InjectionCause,
    #[serde(default)]
    pub way: InjectionWay,
    /// The call that it was told about, by the client's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The guard or gate; for a failure `failure`, for a task its name.
    #[serde(default)]
    pub rule: String,
    /// The kinds of action that it was about, to see whether they happen again.
    #[serde(default)]
    pub kinds: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// The traces, patterns and changes that were told.
    #[serde(default)]
    pub ids: Vec<String>,
}

/// Which precedents were told. It is in the cache: without it, one may be told again, and the count is lost.
#[derive(Clone, Debug)]
pub struct Injections {
    path: PathBuf,
}

impl Injections {
    pub const FILE: &str = "injections.jsonl";
    pub const VERSION: u32 = 1;
    /// The log is cut to half of this when it is longer.
    const MOST_BYTES: u64 = 1024 * 1024;
    /// How many lines are searched for what a session was told.
    const LINES: usize = 2_000;
    /// How many kinds one line has.
    const KINDS: usize = 16;

    pub fn of(cache: &Path) -> Self {
        Self { path: cache.join(Self::FILE) }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a line; one without precedents is not written.
    pub fn record(&self, injection: &Injection) -> Result<(), StoreError> {
        if injection.ids.is_empty() {
            return Ok(());
        }
        let mut line = injection.clone();
        line.v = Self::VERSION;
        line.kinds.truncate(Self::KINDS);
        create_parents(&self.path)?;
        append_line(&self.path, Redacted::line(&line), Durability::Quick, PATIENCE)
    }

    /// Drops the oldest lines if the log became too long. The hook does not do that: it would wait for the disk.
    pub fn cut(&self) -> Result<(), StoreError> {
        cut_log(&self.path, Self::MOST_BYTES, PATIENCE)
    }

    /// The ids that an agent of a session was told for a rule.
    pub(super) fn told(&self, session: &str, agent: Option<&str>, rule: &str) -> Vec<String> {
        let Ok(lines) = Tail::open(&self.path) else { return Vec::new() };
        let lines = lines.unchecked().take(Self::LINES).flatten().filter(|line| line.text.contains(session));
        let lines = lines.filter_map(|line| serde_json::from_str::<Injection>(&line.text).ok());
        let is_own = |line: &Injection| {
            line.session.as_deref() == Some(session) && line.agent.as_deref() == agent && line.rule == rule
        };
        lines.filter(is_own).flat_map(|line| line.ids).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_session_was_told_is_found_by_rule_and_agent() {
        let folder = tempfile::tempdir().unwrap();
        let log = Injections::of(&folder.path().join("cache"));
        let told = |session: &str, agent: Option<&str>, rule: &str, id: &str| {
            let injection = Injection {
                session: Some(session.into()),
                agent: agent.map(str::to_owned),
                rule: rule.into(),
                ids: vec![id.into()],
                ..Injection::default()
            };
            log.record(&injection).unwrap();
        };
        log.record(&Injection::default()).unwrap();
        assert!(!log.path().exists(), "nothing was told");
        told("s", None, "r", "a");
        told("s", None, "r", "b");
        told("s", Some("x"), "r", "c");
        told("s", None, "q", "d");
        told("t", None, "r", "e");
        std::fs::write(log.path(), std::fs::read_to_string(log.path()).unwrap() + "{\"v\":1,\"session\":\"s\"")
            .unwrap();
        assert_eq!(log.told("s", None, "r"), ["b", "a"]);
        assert_eq!(log.told("s", Some("x"), "r"), ["c"]);
        assert_eq!(log.told("u", None, "r"), Vec::<String>::new());
    }
}
