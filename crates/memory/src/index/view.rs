use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;

use stead_code::file_hash;
use stead_model::unix_millis;

use super::database::{Entry, Stored};
use super::terms::{each_property, each_term, property, texts};
use super::{Database, IndexError, Log, Place, Segment, each_posting};
use crate::{Trace, TraceId};

/// Properties that no query filters by: what a trace replaces, and its topic.
const REPLACES: &str = "replaces";
const TOPIC: &str = "topic";

/// All traces: those in the index, and those that were read from the logs because it does not cover them yet.
#[derive(Debug)]
pub(crate) struct View<'a> {
    logs: &'a [Log],
    database: Option<Database>,
    /// The place in `logs` of each log of the index.
    numbers: BTreeMap<u32, u32>,
    stored: Vec<Stored>,
    held: Held,
    /// Part of the logs was not read.
    pub(crate) is_partial: bool,
    open: RefCell<HashMap<u32, Option<File>>>,
}

/// Traces outside the index.
#[derive(Debug, Default)]
pub(crate) struct Held {
    pub(crate) segment: Segment,
    pub(crate) entries: Vec<Entry>,
}

/// Consecutive documents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// Its first document.
    pub(crate) first: u64,
    pub(crate) docs: u32,
    /// The lengths of its documents together.
    pub(crate) terms: f64,
    is_held: bool,
}

/// The key of an id in one log.
pub(crate) fn id_key(log: &Log, id: &TraceId) -> i64 {
    let hash = file_hash(format!("{}\0{id}", log.name).as_bytes()).0;
    hash.first_chunk().map_or(0, |first| i64::from_le_bytes(*first))
}

/// The name of a topic in the index. Others replace only their own traces.
fn topic_key(log: &Log, topic: &str) -> String {
    if log.peer.is_some() { format!("{}\0{topic}", log.name) } else { topic.to_owned() }
}

impl Held {
    /// Adds a trace; `log` is its place in the list of logs, or its number in the index.
    pub(crate) fn add(&mut self, log: &Log, place: Place, trace: &Trace) {
        let mut terms = 0;
        for text in texts(trace) {
            each_term(text, |term| {
                terms += 1;
                self.segment.add(term.text);
            });
        }
        each_property(trace, |name, value| self.segment.add(&property(name, value)));
        trace.supersedes.iter().for_each(|old| self.segment.add(&property(REPLACES, old.as_str())));
        if let Some(topic) = &trace.topic {
            self.segment.add(&property(TOPIC, &topic_key(log, topic)));
        }
        let time = seconds(unix_millis(&trace.timestamp).unwrap_or_default());
        self.segment.end(terms, time);
        self.entries.push(Entry { place, id: id_key(log, &trace.id) });
    }
}

/// A time as the index has it.
pub(crate) fn seconds(millis: i64) -> u32 {
    u32::try_from(millis.div_euclid(1_000).max(0)).unwrap_or(u32::MAX)
}

impl<'a> View<'a> {
    pub(super) fn new(logs: &'a [Log], database: Option<Database>, mut held: Held) -> Result<Self, IndexError> {
        held.segment.close();
        let mut view = Self {
            logs,
            database: None,
            numbers: BTreeMap::new(),
            stored: Vec::new(),
            held,
            is_partial: false,
            open: RefCell::default(),
        };
        if let Some(database) = database {
            for indexed in database.logs()? {
                let at = logs.iter().position(|log| log.name == indexed.name).ok_or(IndexError::Damaged)?;
                view.numbers.insert(indexed.log, at as u32);
            }
            view.stored = database.segments()?;
            view.database = Some(database);
        }
        Ok(view)
    }

    /// The first document outside the index.
    fn first_held(&self) -> u64 {
        self.stored.last().map_or(0, |last| last.first + u64::from(last.docs))
    }

    pub(crate) fn docs(&self) -> u64 {
        self.first_held() + self.held.entries.len() as u64
    }

    pub(crate) fn parts(&self) -> Vec<Part> {
        let stored =
            self.stored.iter().map(|one| Part { first: one.first, docs: one.docs, terms: one.terms, is_held: false });
        let terms = self.held.segment.terms_in_all();
        let held = Part { first: self.first_held(), docs: self.held.entries.len() as u32, terms, is_held: true };
        stored.chain((held.docs > 0).then_some(held)).collect()
    }

    pub(crate) fn log(&self, place: Place) -> Option<&'a Log> {
        self.logs.get(place.log as usize)
    }

    pub(crate) fn logs(&self) -> &'a [Log] {
        self.logs
    }

    /// Calls `found` with the list of a term in a part.
    pub(crate) fn list<T>(
        &self,
        part: Part,
        term: &str,
        found: impl FnOnce(&[u8]) -> Result<T, IndexError>,
    ) -> Result<Option<T>, IndexError> {
        match &self.database {
            _ if part.is_held => self.held.segment.list(term).map(|list| found(list.bytes())).transpose(),
            Some(database) => database.list(stored(part), term, |_, list| found(list)),
            None => Ok(None),
        }
    }

    /// How many documents contain a term.
    pub(crate) fn count(&self, term: &str) -> Result<u64, IndexError> {
        let held = self.held.segment.list(term).map_or(0, |list| u64::from(list.docs()));
        let Some(database) = &self.database else { return Ok(held) };
        self.stored.iter().try_fold(held, |sum, part| Ok(sum + u64::from(database.count(*part, term)?)))
    }

    pub(crate) fn lengths(&self, part: Part) -> Result<Vec<u8>, IndexError> {
        match &self.database {
            Some(database) if !part.is_held => database.lengths(stored(part)),
            _ => Ok(self.held.segment.lengths.clone()),
        }
    }

    pub(crate) fn times(&self, part: Part) -> Result<Vec<u32>, IndexError> {
        match &self.database {
            Some(database) if !part.is_held => database.times(stored(part)),
            _ => Ok(self.held.segment.times.clone()),
        }
    }

    pub(crate) fn place(&self, doc: u64) -> Result<Place, IndexError> {
        if let Some(at) = doc.checked_sub(self.first_held()) {
            return self.held.entries.get(at as usize).map(|entry| entry.place).ok_or(IndexError::Damaged);
        }
        let database = self.database.as_ref().ok_or(IndexError::Damaged)?;
        let place = database.place(doc)?;
        let log = *self.numbers.get(&place.log).ok_or(IndexError::Damaged)?;
        Ok(Place { log, ..place })
    }

    /// Reads a trace; nothing if its line is gone.
    pub(crate) fn trace(&self, place: Place) -> Option<Trace> {
        let mut open = self.open.borrow_mut();
        let file = open.entry(place.log).or_insert_with(|| stead_store::open_file(&self.log(place)?.path).ok());
        Log::trace_at(file.as_mut()?, place.offset, place.length)
    }

    /// The newest line with an id in a log, as a document.
    pub(crate) fn newest(&self, log: &Log, id: &TraceId) -> Result<Option<u64>, IndexError> {
        let key = id_key(log, id);
        if let Some(at) = self.held.entries.iter().rposition(|entry| entry.id == key) {
            return Ok(Some(self.first_held() + at as u64));
        }
        self.database.as_ref().map_or(Ok(None), |database| database.doc_of(key))
    }

    /// The documents that name an id in `supersedes`, oldest first.
    pub(crate) fn replacements(&self, id: &TraceId) -> Result<Vec<u64>, IndexError> {
        self.with_property(REPLACES, id.as_str())
    }

    /// The documents with a topic, of the same writer or of this person.
    pub(crate) fn of_topic(&self, log: &Log, topic: &str) -> Result<Vec<u64>, IndexError> {
        let mut all = self.with_property(TOPIC, topic)?;
        if log.peer.is_some() {
            all.extend(self.with_property(TOPIC, &topic_key(log, topic))?);
        }
        Ok(all)
    }

    fn with_property(&self, name: &str, value: &str) -> Result<Vec<u64>, IndexError> {
        let term = property(name, value);
        let mut docs = Vec::new();
        for part in self.parts() {
            self.list(part, &term, |list| {
                Ok(each_posting(list, part.docs, |doc, _| docs.push(part.first + u64::from(doc)))?)
            })?;
        }
        Ok(docs)
    }

    /// Calls `found` with words of the traces that share trigrams.
    pub(crate) fn words_like(&self, grams: &[String], mut found: impl FnMut(&str)) -> Result<(), IndexError> {
        if let Some(database) = &self.database {
            database.words_like(grams)?.iter().for_each(|word| found(word));
        }
        let is_like =
            |term: &&str| super::terms::is_word(term) && grams.iter().any(|gram| term.contains(gram.as_str()));
        self.held.segment.terms().filter(is_like).for_each(found);
        Ok(())
    }
}

fn stored(part: Part) -> Stored {
    Stored { first: part.first, docs: part.docs, terms: part.terms }
}
