use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use stead_store::{
    Chain, Durability, Head, Line, Lines, Source, StoreError, Tail, Verified, create, create_parents, place_of,
};

use super::record::Record;

/// What git ignores in the folder of the intents.
const IGNORED: &[u8] = b"# Private to this checkout.\n/agent_trace*\n/peers/\n/requests.jsonl\n";

/// The ledger of a project: the file that this machine writes, and those of others beside it.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// The folder of the intents.
    pub dir: PathBuf,
    chain: Chain,
}

/// A line of the ledger.
#[derive(Clone, Debug)]
pub struct TraceLine {
    pub record: Record,
    pub line: Line,
}

impl Ledger {
    pub const FILE: &str = "agent_trace.jsonl";
    /// The file of this machine where another tool's ledger has the usual name.
    pub const OTHER_FILE: &str = "agent_trace.stead.jsonl";
    const HEAD: &str = "agent_trace.head";
    const OTHER_HEAD: &str = "agent_trace.stead.head";
    /// The folder with the ledgers of others.
    pub const PEERS: &str = "peers";

    /// The ledger in the folder of the intents. `state` is the folder for this project in the person's state folder.
    pub fn of(dir: &Path, state: Option<&Path>) -> Self {
        let copy = state.map(|state| {
            // Two clones of a project have the same id, and each its own ledger.
            state.join(format!("agent_trace-{}.head", place_of(dir)))
        });
        // A chain of ours has a head from the start; a ledger without one belongs to somebody else.
        let (file, head) = match dir.join(Self::HEAD).exists() || !has_text(&dir.join(Self::FILE)) {
            true => (Self::FILE, Self::HEAD),
            false => (Self::OTHER_FILE, Self::OTHER_HEAD),
        };
        let chain = Chain { log: dir.join(file), head: dir.join(head), copy, link: &["metadata", "dev.stead"] };
        Self { dir: dir.to_owned(), chain }
    }

    /// The file that this machine writes.
    pub fn path(&self) -> &Path {
        &self.chain.log
    }

    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// Appends a record and returns the end of the chain.
    pub fn append(&self, record: &Record, durability: Durability, patience: Duration) -> Result<Head, StoreError> {
        let object = match serde_json::to_value(record) {
            Ok(Value::Object(object)) => object,
            _ => Default::default(),
        };
        if !self.chain.log.exists() {
            create_parents(&self.chain.log)?;
            // Ledgers are private until somebody decides to share them; the rest of the folder is not.
            create(&self.dir.join(".gitignore"), IGNORED, Durability::Quick)?;
        }
        self.chain.append(object, durability, patience)
    }

    pub fn verify(&self) -> Result<Verified, StoreError> {
        self.chain.verify()
    }

    /// All files of the ledger: this machine's first, then those of others by name.
    pub fn sources(&self) -> Vec<Source> {
        let mut sources = vec![Source { path: self.chain.log.clone(), peer: None }];
        let foreign = self.dir.join(Self::FILE);
        if self.chain.log != foreign {
            sources.push(Source { path: foreign, peer: Some("agent_trace".to_owned()) });
        }
        sources.extend(Source::peers(&self.dir.join(Self::PEERS)));
        sources
    }

    /// Reads the lines of a file, oldest first.
    pub fn read(source: &Source) -> Result<TraceLines<Lines>, StoreError> {
        Ok(TraceLines::new(Lines::open(&source.path)?))
    }

    /// Reads the lines of a file, newest first.
    pub fn read_back(source: &Source) -> Result<TraceLines<Tail>, StoreError> {
        Ok(TraceLines::new(Tail::open(&source.path)?.unchecked()))
    }
}

fn has_text(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.len() > 0)
}

/// The records of a file; torn lines and those that are no records are skipped.
pub struct TraceLines<L> {
    lines: L,
    foreign: u64,
    /// Only lines with this text are parsed, and only so many lines are read.
    text: String,
    most: usize,
}

impl<L> TraceLines<L> {
    /// The records among lines.
    pub fn new(lines: L) -> Self {
        Self { lines, foreign: 0, text: String::new(), most: usize::MAX }
    }

    /// Parses only the lines that may mention a name, among the next `most` ones. A name that JSON may spell in several
    /// ways may be anywhere.
    pub fn mentioning(self, name: &str, most: usize) -> Self {
        let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        Self { text: if is_plain { name.to_owned() } else { String::new() }, most, ..self }
    }

    /// How many whole lines were no records.
    pub fn foreign(&self) -> u64 {
        self.foreign
    }
}

impl<L: Iterator<Item = Result<Line, StoreError>>> Iterator for TraceLines<L> {
    type Item = Result<TraceLine, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            self.most = self.most.checked_sub(1)?;
            match self.lines.next()? {
                Ok(line) if !line.text.contains(&self.text) => {}
                Ok(line) => match Record::parse(&line.text) {
                    Some(record) => return Some(Ok(TraceLine { record, line })),
                    None => self.foreign += 1,
                },
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
