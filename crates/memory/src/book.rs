use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use stead_store::{Chain, Durability, Head, Lines, StoreError, sha256};

use crate::Trace;
use crate::folder::prepare;

/// The traces of a project: the file that this machine writes, and those of others beside it.
#[derive(Clone, Debug)]
pub struct TraceBook {
    pub dir: PathBuf,
    chain: Chain,
}

impl TraceBook {
    pub const FILE: &str = "traces.jsonl";
    const HEAD: &str = "traces.head";
    /// The folder with the traces of others.
    pub const PEERS: &str = "peers";

    /// The traces in the project's `graph` folder. `state` is the folder for this project in the person's state folder.
    pub fn of(dir: &Path, state: Option<&Path>) -> Self {
        let copy = state.map(|state| {
            let place = sha256(dir.as_os_str().as_encoded_bytes());
            state.join(format!("traces-{}.head", &place[..16]))
        });
        let chain = Chain { log: dir.join(Self::FILE), head: dir.join(Self::HEAD), copy, link: &["chain"] };
        Self { dir: dir.to_owned(), chain }
    }

    pub fn path(&self) -> &Path {
        &self.chain.log
    }

    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// Appends a trace and returns the end of the chain.
    pub fn append(&self, trace: &Trace, durability: Durability, patience: Duration) -> Result<Head, StoreError> {
        let object = match serde_json::to_value(trace) {
            Ok(Value::Object(object)) => object,
            _ => Default::default(),
        };
        if !self.chain.log.exists() {
            prepare(&self.chain.log)?;
        }
        self.chain.append(object, durability, patience)
    }

    /// The traces that this machine wrote, oldest first. Torn lines and those that are no traces are skipped.
    pub fn read(&self) -> Result<impl Iterator<Item = Trace>, StoreError> {
        let lines = Lines::open(&self.chain.log)?;
        Ok(lines.flatten().filter_map(|line| serde_json::from_str(&line.text).ok()))
    }
}
