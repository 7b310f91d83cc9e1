use std::path::{Path, PathBuf};
use std::time::Duration;

use stead_store::Durability;

use crate::{Known, MemoryError, Origin, Scope, Trace, TraceBook, TraceId, TraceKind, TraceStatus, Traces, VERSION};

/// How long a command waits for another writer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// What a project remembers, and what the person remembers for all projects.
#[derive(Clone, Debug)]
pub struct Memory {
    /// The id of the project.
    pub project: String,
    pub book: TraceBook,
    /// In the person's data folder.
    pub universal: Option<TraceBook>,
}

/// Who changed the state of a trace, and when.
#[derive(Clone, Debug, Default)]
pub struct Mark {
    pub timestamp: String,
    pub session: Option<String>,
    pub why: String,
}

impl Memory {
    /// The memory of a project. `state` is the folder for this project in the person's state folder, `data` the person's
    /// data folder.
    pub fn of(project: &str, graph: &Path, state: Option<&Path>, data: Option<PathBuf>) -> Self {
        let universal = data.map(|data| TraceBook::universal(&data));
        Self { project: project.to_owned(), book: TraceBook::of(graph, state), universal }
    }

    pub fn traces(&self) -> Result<Traces, MemoryError> {
        Traces::read(&self.book, self.universal.as_ref())
    }

    /// Confirms a trace that was only suspected or recorded by an agent.
    pub fn confirm(&self, known: &Known) -> Result<Trace, MemoryError> {
        let trace = Trace { status: TraceStatus::Confirmed, ..known.trace.clone() };
        self.book_of(known)?.append(&trace, Durability::Synced, PATIENCE)?;
        Ok(trace)
    }

    /// Copies a trace into the person's book, where all projects find it.
    pub fn promote(&self, known: &Known) -> Result<Trace, MemoryError> {
        let universal = self.universal.as_ref().ok_or(MemoryError::NoDataFolder)?;
        let id = known.trace.id.to_string();
        match &known.origin {
            Origin::Peer(peer) => return Err(MemoryError::Foreign { id, peer: peer.clone() }),
            Origin::Universal => return Ok(known.trace.clone()),
            Origin::Own => {}
        }
        let trace = Trace { scope: Scope::Universal, ..known.trace.clone() };
        universal.append(&trace, Durability::Synced, PATIENCE)?;
        Ok(trace)
    }

    /// Forgets traces: from now on nobody is shown them. Their lines stay, because the chain would break without them.
    pub fn forget(&self, known: &[&Known], mark: &Mark) -> Result<(), MemoryError> {
        let is_universal = |known: &&Known| known.trace.scope == Scope::Universal || known.origin == Origin::Universal;
        let (everywhere, here): (Vec<&Known>, Vec<&Known>) = known.iter().copied().partition(is_universal);
        if let Some(universal) = self.universal.as_ref().filter(|_| !everywhere.is_empty()) {
            universal.append(&self.tombstone(&everywhere, mark), Durability::Synced, PATIENCE)?;
        }
        let here: Vec<&Known> = here.into_iter().chain(everywhere).collect();
        self.book.append(&self.tombstone(&here, mark), Durability::Synced, PATIENCE)?;
        Ok(())
    }

    fn tombstone(&self, known: &[&Known], mark: &Mark) -> Trace {
        let mut trace = Trace {
            v: VERSION,
            id: TraceId::random(),
            project: self.project.clone(),
            timestamp: mark.timestamp.clone(),
            kind: TraceKind::Decision,
            status: TraceStatus::Forgotten,
            supersedes: known.iter().map(|known| known.trace.id.clone()).collect(),
            ..Trace::default()
        };
        trace.context.session.clone_from(&mark.session);
        trace.event.why.clone_from(&mark.why);
        trace
    }

    /// The book that a trace can be changed in.
    fn book_of(&self, known: &Known) -> Result<&TraceBook, MemoryError> {
        match &known.origin {
            Origin::Own => Ok(&self.book),
            Origin::Universal => self.universal.as_ref().ok_or(MemoryError::NoDataFolder),
            Origin::Peer(peer) => Err(MemoryError::Foreign { id: known.trace.id.to_string(), peer: peer.clone() }),
        }
    }
}
