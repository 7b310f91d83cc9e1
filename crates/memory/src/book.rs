use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use stead_store::{Chain, Durability, Head, Line, Lines, Source, StoreError, Tail, Verified, create_parents, place_of};

use crate::Trace;
use crate::folder::prepare;

/// The traces of a project: the file that this machine writes, and those of others beside it.
#[derive(Clone, Debug)]
pub struct TraceBook {
    pub dir: PathBuf,
    chain: Chain,
    /// The folder is in a project, where git ignores it.
    is_in_project: bool,
}

/// A line of a book.
#[derive(Clone, Debug)]
pub struct TraceLine {
    pub trace: Trace,
    pub line: Line,
}

impl TraceBook {
    pub const FILE: &str = "traces.jsonl";
    const HEAD: &str = "traces.head";
    /// The folder with the traces of others.
    pub const PEERS: &str = "peers";

    /// The traces in the project's `graph` folder. `state` is the folder for this project in the person's state folder.
    pub fn of(dir: &Path, state: Option<&Path>) -> Self {
        let copy = state.map(|state| {
            // Two clones of a project have the same id, and each its own traces.
            state.join(format!("traces-{}.head", place_of(dir)))
        });
        let chain = Chain { log: dir.join(Self::FILE), head: dir.join(Self::HEAD), copy, link: &["chain"] };
        Self { dir: dir.to_owned(), chain, is_in_project: true }
    }

    /// The traces in the person's data folder, which all projects share.
    pub fn universal(dir: &Path) -> Self {
        Self { is_in_project: false, ..Self::of(dir, None) }
    }

    /// The file that this machine writes.
    pub fn path(&self) -> &Path {
        &self.chain.log
    }

    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    pub fn verify(&self) -> Result<Verified, StoreError> {
        self.chain.verify()
    }

    /// Appends a trace, without secrets and with its texts cut to their limits, and returns the end of the chain.
    pub fn append(&self, trace: &Trace, durability: Durability, patience: Duration) -> Result<Head, StoreError> {
        let object = match serde_json::to_value(trace.safe()) {
            Ok(Value::Object(object)) => object,
            _ => Default::default(),
        };
        if !self.chain.log.exists() {
            self.prepare()?;
        }
        self.chain.append(object, durability, patience)
    }

    /// Creates the folder, which git ignores.
    pub(crate) fn prepare(&self) -> Result<(), StoreError> {
        match self.is_in_project {
            true => prepare(&self.chain.log),
            false => create_parents(&self.chain.log).map(drop),
        }
    }

    /// The traces that this machine wrote, oldest first. Torn lines and those that are no traces are skipped.
    pub fn read(&self) -> Result<impl Iterator<Item = Trace>, StoreError> {
        Ok(Self::lines(&self.own())?.map(|line| line.trace))
    }

    /// All files: this machine's first, then those of others by name.
    pub fn sources(&self) -> Vec<Source> {
        let peers = Source::peers(&self.dir.join(Self::PEERS));
        std::iter::once(self.own()).chain(peers).collect()
    }

    /// The traces of a file, oldest first.
    pub fn lines(source: &Source) -> Result<impl Iterator<Item = TraceLine> + use<>, StoreError> {
        Ok(Lines::open(&source.path)?.flatten().filter_map(TraceLine::parse))
    }

    /// The lines of this machine's file that contain a text, newest first.
    pub(crate) fn mentioning(&self, text: &str) -> Result<impl Iterator<Item = TraceLine>, StoreError> {
        let lines = Tail::open(&self.chain.log)?.unchecked().flatten();
        Ok(lines.filter(move |line| line.text.contains(text)).filter_map(TraceLine::parse))
    }

    fn own(&self) -> Source {
        Source { path: self.chain.log.clone(), peer: None }
    }
}

impl TraceLine {
    /// Parses a line; `None` if it is no trace.
    pub fn parse(line: Line) -> Option<Self> {
        let mut trace: Trace = serde_json::from_str(&line.text).ok()?;
        // The link belongs to the line.
        trace.more.shift_remove("chain");
        (!trace.id.as_str().is_empty()).then_some(Self { trace, line })
    }
}
