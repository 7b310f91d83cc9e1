use std::collections::{HashMap, HashSet};

use stead_store::Source;

use crate::capture::feed;
use crate::{MemoryError, Scope, Trace, TraceBook, TraceId, TraceLine, TraceStatus};

/// Who wrote a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// This machine, in this project.
    #[default]
    Own,
    /// The person promoted it.
    Universal,
    /// Somebody else, by name. It is shown and proves nothing.
    Peer(String),
}

impl Origin {
    /// The name of another writer.
    pub fn peer(&self) -> Option<&str> {
        match self {
            Self::Peer(name) => Some(name),
            Self::Own | Self::Universal => None,
        }
    }
}

/// A trace as it is now, and who wrote it.
#[derive(Clone, Debug, Default)]
pub struct Known {
    pub trace: Trace,
    pub origin: Origin,
}

/// The traces of a project as they are now: of each id the last line, and nothing that was forgotten.
///
/// A line with a known id replaces the earlier one. Lines of others never replace or forget ours, nor each other's.
#[derive(Debug, Default)]
pub struct Traces {
    list: Vec<Known>,
    places: HashMap<TraceId, usize>,
    forgotten: HashSet<TraceId>,
}

impl Traces {
    /// Reads the project's book, the person's, and those of others, in this order.
    pub fn read(project: &TraceBook, universal: Option<&TraceBook>) -> Result<Self, MemoryError> {
        let mut all = Self::default();
        let mut peers = Vec::new();
        for source in project.sources() {
            match &source.peer {
                None => all.add_all(&source, &Origin::Own)?,
                Some(name) => peers.push((source.clone(), Origin::Peer(name.clone()))),
            }
        }
        if let Some(book) = universal {
            let own = Source { path: book.path().to_owned(), peer: None };
            all.add_all(&own, &Origin::Universal)?;
        }
        for (source, origin) in peers {
            all.add_all(&source, &origin)?;
        }
        all.drop_forgotten();
        Ok(all)
    }

    /// The newest traces of this machine and of the person, from the last `bytes` of each book. Whatever forgets or replaces
    /// one of them was written later, so it is read, too.
    pub(crate) fn recent(project: &TraceBook, universal: Option<&TraceBook>, bytes: u64) -> Result<Self, MemoryError> {
        let mut all = Self::default();
        let books = [(Some(project), Origin::Own), (universal, Origin::Universal)];
        for (book, origin) in books.into_iter().filter_map(|(book, origin)| Some((book?, origin))) {
            let start = feed::length(book.path()).saturating_sub(bytes);
            let lines = feed::lines(book.path(), start)?.filter_map(TraceLine::parse);
            lines.for_each(|line| all.add(line.trace, &origin));
        }
        all.drop_forgotten();
        Ok(all)
    }

    fn add_all(&mut self, source: &Source, origin: &Origin) -> Result<(), MemoryError> {
        TraceBook::lines(source)?.for_each(|line| self.add(line.trace, origin));
        Ok(())
    }

    /// Adds a line, in the order in which it was written.
    fn add(&mut self, trace: Trace, origin: &Origin) {
        if trace.status == TraceStatus::Forgotten {
            let may = |id: &TraceId| match origin {
                Origin::Peer(_) => self.places.get(id).is_some_and(|at| self.list[*at].origin == *origin),
                Origin::Own | Origin::Universal => true,
            };
            let ids: Vec<TraceId> = trace.supersedes.into_iter().filter(may).collect();
            self.forgotten.extend(ids);
            return;
        }
        match self.places.get(&trace.id).map(|at| &mut self.list[*at]) {
            Some(known) if known.origin == *origin => known.trace = trace,
            // Promoted: the same trace in both books.
            Some(known) if *origin == Origin::Universal => known.trace.scope = Scope::Universal,
            Some(_) => {}
            None => {
                self.places.insert(trace.id.clone(), self.list.len());
                self.list.push(Known { trace, origin: origin.clone() });
            }
        }
    }

    fn drop_forgotten(&mut self) {
        let forgotten = &self.forgotten;
        self.list.retain(|known| !forgotten.contains(&known.trace.id));
        self.places = self.list.iter().enumerate().map(|(at, known)| (known.trace.id.clone(), at)).collect();
    }

    pub fn iter(&self) -> impl Iterator<Item = &Known> {
        self.list.iter()
    }

    pub fn get(&self, id: &TraceId) -> Option<&Known> {
        self.places.get(id).map(|at| &self.list[*at])
    }

    pub fn is_forgotten(&self, id: &TraceId) -> bool {
        self.forgotten.contains(id)
    }

    /// Finds a trace by its id or a unique beginning of it.
    pub fn find(&self, typed: &str) -> Result<&Known, MemoryError> {
        let typed = typed.trim().to_ascii_lowercase();
        let starts = |id: &TraceId| !typed.is_empty() && id.as_str().starts_with(&typed);
        let found: Vec<&Known> = self.list.iter().filter(|known| starts(&known.trace.id)).collect();
        match found.as_slice() {
            [known] => Ok(known),
            [] => Err(match self.forgotten.iter().find(|id| starts(id)) {
                Some(id) => MemoryError::Forgotten { id: id.to_string() },
                None => MemoryError::UnknownTrace { id: typed, matching: 0 },
            }),
            more => Err(MemoryError::UnknownTrace { id: typed, matching: more.len() }),
        }
    }

    /// The newest trace that replaces one: it names it, or it has the same topic. Others replace only their own.
    pub fn superseded_by(&self, id: &TraceId) -> Option<&Known> {
        let old = self.get(id)?;
        let may = |new: &&Known| new.origin.peer().is_none() || new.origin == old.origin;
        let replaces = |new: &&Known| {
            let is_newer = new.trace.timestamp > old.trace.timestamp;
            let same_topic = new.trace.topic.is_some() && new.trace.topic == old.trace.topic;
            new.trace.id != *id && (new.trace.supersedes.contains(id) || same_topic && is_newer)
        };
        self.list.iter().filter(may).filter(replaces).max_by(|a, b| a.trace.timestamp.cmp(&b.trace.timestamp))
    }
}
