use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Transaction, params};

use super::{Corrupt, Log, Place, Segment};

/// The version of the tables and of the terms in them. Another one is rebuilt.
const VERSION: i64 = 1;

/// How long a reader waits for a writer that commits.
const PATIENCE: Duration = Duration::from_secs(2);

/// The places of so many documents are one row.
const PLACES: u64 = 256;

/// The longest list of words that one trigram gives.
const WORDS_PER_GRAM: i64 = 20_000;

const TABLES: &str = "
    CREATE TABLE logs(log INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, end INTEGER NOT NULL, fingerprint TEXT NOT NULL);
    CREATE TABLE segments(first INTEGER PRIMARY KEY, docs INTEGER NOT NULL, terms REAL NOT NULL,
        lengths BLOB NOT NULL, times BLOB NOT NULL);
    CREATE TABLE postings(first INTEGER, term TEXT, docs INTEGER NOT NULL, list BLOB NOT NULL, PRIMARY KEY(first, term))
        WITHOUT ROWID;
    CREATE TABLE places(chunk INTEGER PRIMARY KEY, data BLOB NOT NULL);
    CREATE TABLE ids(id INTEGER PRIMARY KEY, doc INTEGER NOT NULL);
    CREATE TABLE vocabulary(word TEXT NOT NULL UNIQUE);
    CREATE VIRTUAL TABLE grams USING fts5(word, content='', detail='none', tokenize='trigram');
";

/// Why the index did not answer.
#[derive(Debug)]
pub(crate) enum IndexError {
    /// It has to be built again.
    Damaged,
    /// Another process has it, or it cannot be written here.
    Unavailable,
}

impl From<Corrupt> for IndexError {
    fn from(Corrupt: Corrupt) -> Self {
        Self::Damaged
    }
}

impl From<std::io::Error> for IndexError {
    fn from(_: std::io::Error) -> Self {
        Self::Unavailable
    }
}

impl From<rusqlite::Error> for IndexError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(
                ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::CannotOpen
                | ErrorCode::ReadOnly
                | ErrorCode::PermissionDenied
                | ErrorCode::DiskFull
                | ErrorCode::OutOfMemory
                | ErrorCode::SystemIoFailure,
            ) => Self::Unavailable,
            // Damage shows as much in types and missing tables as in SQLite's own words for it.
            _ => Self::Damaged,
        }
    }
}

/// What was indexed of a log.
#[derive(Clone, Debug)]
pub(crate) struct Indexed {
    pub(crate) log: u32,
    pub(crate) name: String,
    pub(crate) end: u64,
    pub(crate) fingerprint: String,
}

/// A stored segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored {
    pub(crate) first: u64,
    pub(crate) docs: u32,
    /// The lengths of its documents together.
    pub(crate) terms: f64,
}

/// What one document adds besides its terms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) place: Place,
    pub(crate) id: i64,
}

/// The SQLite file.
#[derive(Debug)]
pub(crate) struct Database {
    connection: Connection,
}

impl Database {
    pub(crate) const FILE: &str = "index.sqlite";

    pub(crate) fn path(dir: &Path) -> PathBuf {
        dir.join(Self::FILE)
    }

    /// Opens an index. One of another version, and what is no index, is damaged.
    pub(crate) fn open(path: &Path) -> Result<Self, IndexError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).or_else(|_| {
            Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        })?;
        connection.busy_timeout(PATIENCE)?;
        // A killed writer is rolled back from the journal. After a power cut the file may be damaged; it is a cache.
        connection.execute_batch("PRAGMA synchronous=OFF; PRAGMA mmap_size=1073741824; PRAGMA cache_size=-8000;")?;
        let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if version != VERSION {
            return Err(IndexError::Damaged);
        }
        Ok(Self { connection })
    }

    /// Creates an empty index in a file that nobody else opens yet.
    pub(crate) fn create(path: &Path) -> Result<Self, IndexError> {
        let connection = Connection::open(path)?;
        // Nobody reads the file before it is complete, so it needs no journal. Lists are long: larger pages hold them in
        // fewer pieces.
        connection.execute_batch(
            "PRAGMA page_size=8192; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;
             PRAGMA cache_size=-32000;",
        )?;
        connection.execute_batch(TABLES)?;
        connection.pragma_update(None, "user_version", VERSION)?;
        Ok(Self { connection })
    }

    pub(crate) fn begin(&mut self) -> Result<Transaction<'_>, IndexError> {
        Ok(self.connection.transaction()?)
    }

    pub(crate) fn logs(&self) -> Result<Vec<Indexed>, IndexError> {
        let mut statement = self.connection.prepare_cached("SELECT log, name, end, fingerprint FROM logs")?;
        let rows = statement.query_map([], |row| {
            Ok(Indexed { log: row.get(0)?, name: row.get(1)?, end: row.get(2)?, fingerprint: row.get(3)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub(crate) fn segments(&self) -> Result<Vec<Stored>, IndexError> {
        let mut statement = self.connection.prepare_cached("SELECT first, docs, terms FROM segments ORDER BY first")?;
        let rows =
            statement.query_map([], |row| Ok(Stored { first: row.get(0)?, docs: row.get(1)?, terms: row.get(2)? }))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The lengths of a segment's documents, one byte each.
    pub(crate) fn lengths(&self, segment: Stored) -> Result<Vec<u8>, IndexError> {
        let sql = "SELECT lengths FROM segments WHERE first = ?1";
        let lengths: Vec<u8> = self.connection.prepare_cached(sql)?.query_row([segment.first], |row| row.get(0))?;
        if lengths.len() == segment.docs as usize { Ok(lengths) } else { Err(IndexError::Damaged) }
    }

    pub(crate) fn times(&self, segment: Stored) -> Result<Vec<u32>, IndexError> {
        let sql = "SELECT times FROM segments WHERE first = ?1";
        let bytes: Vec<u8> = self.connection.prepare_cached(sql)?.query_row([segment.first], |row| row.get(0))?;
        let times: Vec<u32> = bytes.as_chunks().0.iter().map(|four| u32::from_le_bytes(*four)).collect();
        if times.len() == segment.docs as usize { Ok(times) } else { Err(IndexError::Damaged) }
    }

    /// Calls `found` with the list of a term and its number of documents.
    pub(crate) fn list<T>(
        &self,
        segment: Stored,
        term: &str,
        found: impl FnOnce(u32, &[u8]) -> Result<T, IndexError>,
    ) -> Result<Option<T>, IndexError> {
        let sql = "SELECT docs, list FROM postings WHERE first = ?1 AND term = ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params![segment.first, term])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let (docs, list) = (row.get(0)?, row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?);
        found(docs, list).map(Some)
    }

    /// How many documents of a segment contain a term.
    pub(crate) fn count(&self, segment: Stored, term: &str) -> Result<u32, IndexError> {
        let sql = "SELECT docs FROM postings WHERE first = ?1 AND term = ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.query_row(params![segment.first, term], |row| row.get(0)).optional()?.unwrap_or(0))
    }

    pub(crate) fn place(&self, doc: u64) -> Result<Place, IndexError> {
        let mut statement = self.connection.prepare_cached("SELECT data FROM places WHERE chunk = ?1")?;
        let mut rows = statement.query([doc / PLACES])?;
        let row = rows.next()?.ok_or(IndexError::Damaged)?;
        let data = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
        Place::read(data, (doc % PLACES) as usize).ok_or(IndexError::Damaged)
    }

    /// The newest line with an id, in one log; see [`super::view::id_key`].
    pub(crate) fn doc_of(&self, id: i64) -> Result<Option<u64>, IndexError> {
        let mut statement = self.connection.prepare_cached("SELECT doc FROM ids WHERE id = ?1")?;
        Ok(statement.query_row([id], |row| row.get(0)).optional()?)
    }

    /// Words of the index that share at least a quarter of some trigrams.
    pub(crate) fn words_like(&self, grams: &[String]) -> Result<Vec<String>, IndexError> {
        let mut shared = std::collections::HashMap::<i64, usize>::new();
        let mut matching = self.connection.prepare_cached("SELECT rowid FROM grams WHERE grams MATCH ?1 LIMIT ?2")?;
        for gram in grams {
            let quoted = format!("\"{}\"", gram.replace('"', "\"\""));
            let rows = matching.query_map(params![quoted, WORDS_PER_GRAM], |row| row.get::<_, i64>(0))?;
            for row in rows {
                *shared.entry(row?).or_default() += 1;
            }
        }
        // One shared trigram of many says nothing.
        let least = grams.len().div_ceil(4);
        let mut word = self.connection.prepare_cached("SELECT word FROM vocabulary WHERE rowid = ?1")?;
        let near = shared.into_iter().filter(|(_, count)| *count >= least);
        near.map(|(row, _)| Ok(word.query_row([row], |row| row.get(0))?)).collect()
    }

    /// Reads all lists of a segment.
    pub(crate) fn each_list(
        &self,
        segment: Stored,
        mut found: impl FnMut(&str, &[u8]) -> Result<(), Corrupt>,
    ) -> Result<(), IndexError> {
        let mut statement = self.connection.prepare_cached("SELECT term, list FROM postings WHERE first = ?1")?;
        let mut rows = statement.query([segment.first])?;
        while let Some(row) = rows.next()? {
            let term = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
            found(term, row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?)?;
        }
        Ok(())
    }
}

/// Removes a segment that another one absorbed.
pub(crate) fn remove_segment(change: &Transaction<'_>, segment: Stored) -> Result<(), IndexError> {
    change.execute("DELETE FROM postings WHERE first = ?1", [segment.first])?;
    change.execute("DELETE FROM segments WHERE first = ?1", [segment.first])?;
    Ok(())
}

/// Writes a closed segment. `entries` are its last documents: those that no other segment had before.
pub(crate) fn write_segment(
    change: &Transaction<'_>,
    first: u64,
    segment: &Segment,
    entries: &[Entry],
    is_word: impl Fn(&str) -> bool,
) -> Result<(), IndexError> {
    let times: Vec<u8> = segment.times.iter().flat_map(|time| time.to_le_bytes()).collect();
    change.execute(
        "INSERT INTO segments VALUES(?1, ?2, ?3, ?4, ?5)",
        params![first, segment.len() as u64, segment.terms_in_all(), segment.lengths, times],
    )?;
    let mut posting = change.prepare_cached("INSERT INTO postings VALUES(?1, ?2, ?3, ?4)")?;
    let mut vocabulary = change.prepare_cached("INSERT OR IGNORE INTO vocabulary(word) VALUES(?1)")?;
    let mut gram = change.prepare_cached("INSERT INTO grams(rowid, word) VALUES(?1, ?2)")?;
    for (term, list) in segment.sorted() {
        posting.execute(params![first, term, list.docs(), list.bytes()])?;
        if is_word(term) && vocabulary.execute([term])? == 1 {
            gram.execute(params![change.last_insert_rowid(), term])?;
        }
    }
    let first_entry = first + (segment.len() - entries.len()) as u64;
    write_places(change, first_entry, entries)?;
    let mut numbered: Vec<(u64, &Entry)> = (first_entry..).zip(entries).collect();
    // In the order of the table, so that its pages are visited once.
    numbered.sort_unstable_by_key(|(doc, entry)| (entry.id, *doc));
    let mut id = change
        .prepare_cached("INSERT INTO ids VALUES(?1, ?2) ON CONFLICT(id) DO UPDATE SET doc = max(doc, excluded.doc)")?;
    for (doc, entry) in numbered {
        id.execute(params![entry.id, doc])?;
    }
    Ok(())
}

fn write_places(change: &Transaction<'_>, first: u64, entries: &[Entry]) -> Result<(), IndexError> {
    let mut read = change.prepare_cached("SELECT data FROM places WHERE chunk = ?1")?;
    let mut write = change.prepare_cached("INSERT OR REPLACE INTO places VALUES(?1, ?2)")?;
    let mut rest = entries;
    let mut doc = first;
    while !rest.is_empty() {
        let (chunk, at) = (doc / PLACES, (doc % PLACES) as usize);
        let mut data: Vec<u8> = match at {
            0 => Vec::new(),
            _ => read.query_row([chunk], |row| row.get(0))?,
        };
        data.truncate(at * Place::BYTES);
        let now = rest.len().min(PLACES as usize - at);
        rest[..now].iter().for_each(|entry| entry.place.write(&mut data));
        write.execute(params![chunk, data])?;
        rest = &rest[now..];
        doc += now as u64;
    }
    Ok(())
}

/// Notes how far a log was indexed.
pub(crate) fn write_log(change: &Transaction<'_>, number: u32, log: &Log, end: u64) -> Result<(), IndexError> {
    change.execute(
        "INSERT OR REPLACE INTO logs VALUES(?1, ?2, ?3, ?4)",
        params![number, log.name, end, log.fingerprint(end)?],
    )?;
    Ok(())
}
