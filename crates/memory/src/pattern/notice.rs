use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use stead_store::{Durability, Redacted, StoreError, append_line};

use super::Pattern;
use crate::folder::prepare;
use crate::history::read;

/// The patterns that were found so far: `patterns.jsonl`.
#[derive(Clone, Debug)]
pub struct PatternBook {
    path: PathBuf,
}

impl PatternBook {
    pub const FILE: &str = "patterns.jsonl";
    const PATIENCE: Duration = Duration::from_secs(5);

    /// The patterns in the project's `graph` folder.
    pub fn of(graph: &Path) -> Self {
        Self { path: graph.join(Self::FILE) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The last line of each pattern, by id.
    pub fn read(&self) -> Result<BTreeMap<String, Pattern>, StoreError> {
        let lines: Vec<Pattern> = read(&self.path)?;
        Ok(lines.into_iter().map(|pattern| (pattern.id.clone(), pattern)).collect())
    }

    /// Appends the patterns that are new or have grown, and returns how many. Doing it again changes nothing.
    pub fn update(&self, patterns: &[Pattern]) -> Result<usize, StoreError> {
        let known = self.read()?;
        let is_news = |pattern: &&Pattern| match known.get(&pattern.id) {
            Some(old) => old.count < pattern.count || old.proposes != pattern.proposes,
            None => true,
        };
        let mut written = 0;
        for pattern in patterns.iter().filter(is_news) {
            if written == 0 {
                prepare(&self.path)?;
            }
            append_line(&self.path, Redacted::line(pattern), Durability::Synced, Self::PATIENCE)?;
            written += 1;
        }
        Ok(written)
    }
}
