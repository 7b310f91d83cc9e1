//! What Stead says of its loops, by its own commands.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::ground::Ground;

/// The only loop of a project and everything that happened to it.
pub(crate) struct LoopLog {
    /// What `stead loop list` knows of it.
    pub(crate) state: Value,
    /// The lines of `stead loop log`, oldest first.
    pub(crate) lines: Vec<Value>,
}

impl LoopLog {
    pub(crate) fn read(ground: &Ground) -> Result<Self> {
        let list: Value = serde_json::from_str(&ground.stead(&["loop", "list", "--json"])?)?;
        let loops = list["items"].as_array().context("`stead loop list` gave no list")?;
        let [state] = loops.as_slice() else { anyhow::bail!("there should be one loop, not {list}") };
        let log: Value = serde_json::from_str(&ground.stead(&["loop", "log", "--last", "200", "--json"])?)?;
        let lines = log["items"].as_array().context("`stead loop log` gave no list")?;
        Ok(Self { state: state.clone(), lines: lines.clone() })
    }

    /// How often something was done to the loop.
    pub(crate) fn count(&self, did: &str) -> usize {
        self.lines.iter().filter(|line| line["did"] == did).count()
    }

    /// The reasons of the lines that tell of one thing done.
    pub(crate) fn reasons(&self, did: &str) -> Vec<&str> {
        let lines = self.lines.iter().filter(|line| line["did"] == did);
        lines.filter_map(|line| line["why"].as_str()).collect()
    }
}

/// Waits until the file that holds the log has this text, or until patience is over.
pub(crate) fn wait_for(ground: &Ground, text: &str, patience: Duration) -> impl Fn() + Send + Sync + 'static {
    let path = ground.project().join(".agent/context/indexes/loop-log.jsonl");
    let text = text.to_owned();
    move || {
        let deadline = Instant::now() + patience;
        while !std::fs::read_to_string(&path).is_ok_and(|log| log.contains(&text)) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(50));
        }
    }
}
