use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use stead_store::{Durability, Redacted, StoreError, append_line, create_parents, cut_log};

use crate::TraceId;
use crate::history::read;

/// How long a writer waits for another one.
const PATIENCE: Duration = Duration::from_millis(300);

stead_model::named! {
    /// What gave the answer.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum RetrievedBy {
        Get = "get",
        Query = "query",
        #[default]
        #[serde(other)]
        Other = "other",
    }
}

/// One answer and the traces in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retrieval {
    pub v: u32,
    pub ts: String,
    #[serde(default)]
    pub by: RetrievedBy,
    #[serde(default)]
    pub ids: Vec<TraceId>,
}

/// Which traces somebody asked for. It is in the cache: without it, nothing but the count is lost.
#[derive(Clone, Debug)]
pub struct Retrievals {
    path: PathBuf,
}

impl Retrievals {
    pub const FILE: &str = "retrievals.jsonl";
    const VERSION: u32 = 1;
    /// How many traces of one answer are counted.
    const MOST_IDS: usize = 100;
    /// The log is cut to half of this when it is longer.
    const MOST_BYTES: u64 = 1024 * 1024;

    pub fn of(cache: &Path) -> Self {
        Self { path: cache.join(Self::FILE) }
    }

    /// Counts an answer; one without traces is not written.
    pub fn record(&self, ts: &str, by: RetrievedBy, ids: impl IntoIterator<Item = TraceId>) -> Result<(), StoreError> {
        let ids: Vec<TraceId> = ids.into_iter().take(Self::MOST_IDS).collect();
        if ids.is_empty() {
            return Ok(());
        }
        create_parents(&self.path)?;
        let line = Retrieval { v: Self::VERSION, ts: ts.to_owned(), by, ids };
        append_line(&self.path, Redacted::line(&line), Durability::Quick, PATIENCE)?;
        cut_log(&self.path, Self::MOST_BYTES, PATIENCE)
    }

    pub fn read(&self) -> Result<Vec<Retrieval>, StoreError> {
        read(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_stays_short_and_keeps_the_newest() {
        let folder = tempfile::tempdir().unwrap();
        let log = Retrievals::of(&folder.path().join("cache"));
        assert_eq!(log.read().unwrap(), []);
        log.record("t0", RetrievedBy::Query, []).unwrap();
        assert!(!log.path.exists(), "an answer without traces is no retrieval");
        let ids: Vec<TraceId> = (0..Retrievals::MOST_IDS + 5).map(|_| TraceId::random()).collect();
        for number in 0..600 {
            log.record(&format!("t{number}"), RetrievedBy::Query, ids.clone()).unwrap();
            assert!(std::fs::metadata(&log.path).unwrap().len() <= Retrievals::MOST_BYTES);
        }
        let left = log.read().unwrap();
        assert_eq!((left[0].ids.len(), left.last().unwrap().ts.as_str()), (Retrievals::MOST_IDS, "t599"));
        let first: usize = left[0].ts[1..].parse().unwrap();
        assert_eq!(left.len(), 600 - first, "only the oldest are gone");
    }

    #[test]
    fn torn_and_later_lines_do_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        let log = Retrievals::of(folder.path());
        std::fs::write(&log.path, "{\"v\":1,\"ts\":\"t\",\"by\":\"omen\",\"ids\":[],\"x\":1}\n{\"v\":1,\"ts\"\n")
            .unwrap();
        log.record("t2", RetrievedBy::Get, [TraceId::random()]).unwrap();
        let read = log.read().unwrap();
        assert_eq!(read.iter().map(|line| line.by).collect::<Vec<_>>(), [RetrievedBy::Other, RetrievedBy::Get]);
    }
}
