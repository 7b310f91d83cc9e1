use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use stead_store::{Durability, Redacted, StoreError, Tail, append_line};

const PATIENCE: Duration = Duration::from_millis(300);

/// How many lines a reader looks at.
const LINES: usize = 2_000;

stead_model::named! {
    /// What happened to lessons.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Happened {
        Added = "added",
        /// Somebody would have added it again.
        Again = "again",
        /// A session was told.
        Told = "told",
        Dropped = "dropped",
        /// Removed because the file was over its budget.
        Displaced = "displaced",
    }
}

/// One line of `indexes/lessons.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonLine {
    pub v: u32,
    pub ts: String,
    pub did: Happened,
    pub ids: Vec<String>,
    /// The evidence that it was learnt from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// The session that was told or that added it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

impl LessonLine {
    pub const FILE: &str = "lessons.jsonl";

    pub(super) fn record(&self, log: &Path, durability: Durability) -> Result<(), StoreError> {
        append_line(log, Redacted::line(self), durability, PATIENCE)
    }
}

/// What the log says about the lessons.
#[derive(Clone, Debug, Default)]
pub(super) struct Usage {
    /// How often each lesson was told or learnt again.
    uses: HashMap<String, u64>,
    /// The evidence that was looked at.
    pub(super) learnt: HashSet<String>,
    /// Lessons that a person dropped and nobody added since.
    pub(super) dropped: HashSet<String>,
}

impl Usage {
    /// Reads the newest lines; a log that cannot be read says nothing.
    pub(super) fn read(log: &Path) -> Self {
        let mut usage = Self::default();
        let mut added = HashSet::new();
        let lines = Tail::open(log).into_iter().flatten().take(LINES).flatten();
        for line in lines.filter_map(|line| serde_json::from_str::<LessonLine>(&line.text).ok()) {
            usage.learnt.extend(line.of);
            for id in line.ids {
                match line.did {
                    Happened::Again | Happened::Told => *usage.uses.entry(id).or_default() += 1,
                    Happened::Added => drop(added.insert(id)),
                    // Newest first: what was added later is not dropped.
                    Happened::Dropped if !added.contains(&id) => drop(usage.dropped.insert(id)),
                    Happened::Dropped | Happened::Displaced => {}
                }
            }
        }
        usage
    }

    pub(super) fn of(&self, id: &str) -> u64 {
        self.uses.get(id).copied().unwrap_or(0)
    }
}
