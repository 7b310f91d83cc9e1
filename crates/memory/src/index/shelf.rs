use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::database::{Indexed, Stored, remove_segment, write_log, write_segment};
use super::terms::is_word;
use super::view::Held;
use super::{Database, IndexError, Log, Place, Segment, Vectors, View};

/// Up to so many bytes of the logs are read by each query instead of indexed: some hundred traces.
const SCANNED: u64 = 200_000;

/// The most that is read outside the index if it cannot be written, from the end of each log.
const MOST_SCANNED: u64 = 16_000_000;

/// From so many bytes on, a query waits for the process that indexes instead of reading all of it too.
const WORTH_WAITING: u64 = 4_000_000;

const PATIENCE: Duration = Duration::from_secs(30);

/// The bytes of a usual trace, to guess how many are to come.
const USUAL: u64 = 400;

/// The logs, and where their index is.
#[derive(Clone, Debug)]
pub(crate) struct Shelf {
    pub(crate) logs: Vec<Log>,
    /// The folder of the index, which can be deleted.
    pub(crate) dir: PathBuf,
}

/// A part of a log that the index does not cover.
struct Gap {
    log: usize,
    from: u64,
    to: u64,
}

impl Shelf {
    /// Opens the index, after it was brought up to date if much is missing. A damaged one is built again; without one, the
    /// end of the logs is read.
    pub(crate) fn open(&self) -> Result<View<'_>, IndexError> {
        self.update(SCANNED);
        let database = self.fitting().ok();
        match self.view(database) {
            Err(IndexError::Damaged) => self.view(None),
            view => view,
        }
    }

    /// As [`Shelf::open`], after the index turned out to be damaged.
    pub(crate) fn open_anew(&self) -> Result<View<'_>, IndexError> {
        if let Some(_lock) = self.lock(PATIENCE) {
            remove(&Database::path(&self.dir));
        }
        self.open()
    }

    /// Reads the end of the logs only.
    pub(crate) fn open_without_index(&self) -> Result<View<'_>, IndexError> {
        self.view(None)
    }

    /// Indexes what is missing if it is more than so many bytes. It fails silently: a query works without an index.
    pub(crate) fn update(&self, least: u64) {
        let missing = |shelf: &Self| -> u64 { shelf.gaps(&shelf.indexed()).iter().map(|gap| gap.to - gap.from).sum() };
        let bytes = missing(self);
        if bytes <= least {
            return;
        }
        let patience = if bytes > WORTH_WAITING { PATIENCE } else { Duration::ZERO };
        // Another process may have done it meanwhile.
        if let Some(_lock) = self.lock(patience)
            && missing(self) > least
        {
            let _ = self.fill();
        }
    }

    pub(crate) fn lock(&self, patience: Duration) -> Option<File> {
        let lock = self.dir.join("index.lock");
        stead_store::create_parents(&lock).ok()?;
        stead_store::reserve_private(&lock).ok()?;
        let file = File::options().create(true).append(true).open(lock).ok()?;
        let since = Instant::now();
        while file.try_lock().is_err() {
            if since.elapsed() >= patience {
                return None;
            }
            thread::sleep(Duration::from_millis(20));
        }
        Some(file)
    }

    /// The index, if it fits the logs.
    fn fitting(&self) -> Result<Database, IndexError> {
        let path = Database::path(&self.dir);
        let database = Database::open(&path)?;
        let fits = |indexed: &Indexed| {
            let log = self.logs.iter().find(|log| log.name == indexed.name);
            log.is_some_and(|log| {
                log.length() >= indexed.end && log.fingerprint(indexed.end).is_ok_and(|now| now == indexed.fingerprint)
            })
        };
        if database.logs()?.iter().all(fits) { Ok(database) } else { Err(IndexError::Damaged) }
    }

    fn indexed(&self) -> Vec<Indexed> {
        self.fitting().and_then(|database| database.logs()).unwrap_or_default()
    }

    /// What the index does not cover.
    fn gaps(&self, indexed: &[Indexed]) -> Vec<Gap> {
        let gap = |(at, log): (usize, &Log)| {
            let from = indexed.iter().find(|one| one.name == log.name).map_or(0, |one| one.end);
            Gap { log: at, from, to: log.length().max(from) }
        };
        self.logs.iter().enumerate().map(gap).filter(|gap| gap.to > gap.from).collect()
    }

    fn view(&self, database: Option<Database>) -> Result<View<'_>, IndexError> {
        let indexed = database.as_ref().map_or(Ok(Vec::new()), Database::logs)?;
        let mut held = Held::default();
        let mut is_partial = false;
        for Gap { log, from, to } in self.gaps(&indexed) {
            let start = from.max(to.saturating_sub(MOST_SCANNED));
            is_partial |= start > from;
            let Ok(traces) = self.logs[log].traces(start, to) else { continue };
            for (offset, length, trace) in traces.take(Segment::MOST - held.segment.len()) {
                held.add(&self.logs[log], Place { log: log as u32, offset, length }, &trace);
            }
        }
        let mut view = View::new(&self.logs, database, held)?;
        view.is_partial = is_partial;
        Ok(view)
    }

    /// Brings the index up to date, or builds it. The lock is held.
    fn fill(&self) -> Result<(), IndexError> {
        match self.fitting() {
            Ok(mut database) => self.append(&mut database),
            Err(IndexError::Unavailable) if Database::path(&self.dir).exists() => Err(IndexError::Unavailable),
            Err(_) => {
                let new = self.dir.join(format!("{}.new", Database::FILE));
                remove(&new);
                let built = Database::create(&new).and_then(|mut database| self.append(&mut database));
                let path = Database::path(&self.dir);
                if path.exists() {
                    // A log may have been rewritten, and its vectors with it.
                    remove(&self.dir.join(Vectors::FILE));
                }
                // Readers of the old file keep it.
                remove(&path.with_extension("sqlite-journal"));
                built.and_then(|()| Ok(fs::rename(&new, &path)?)).inspect_err(|_| remove(&new))
            }
        }
    }

    /// Indexes whole lines. Small segments at the end become part of the new one, so that there are never many.
    fn append(&self, database: &mut Database) -> Result<(), IndexError> {
        let indexed = database.logs()?;
        let gaps = self.gaps(&indexed);
        let stored = database.segments()?;
        let end = stored.last().map_or(0, |last| last.first + u64::from(last.docs));
        let expected = gaps.iter().map(|gap| gap.to - gap.from).sum::<u64>() / USUAL;
        let small = small_segments(&stored, expected);
        let mut held = Held::default();
        absorb(database, small, &mut held.segment)?;
        let mut first = small.first().map_or(end, |small| small.first);
        let change = database.begin()?;
        for segment in small {
            remove_segment(&change, *segment)?;
        }
        let mut next = indexed.iter().map(|one| one.log + 1).max().unwrap_or(0);
        for Gap { log: at, from, to } in gaps {
            let log = &self.logs[at];
            let to = log.end_of_lines(from, to)?;
            let number = indexed.iter().find(|one| one.name == log.name).map_or(next, |one| one.log);
            next += u32::from(number == next);
            for (offset, length, trace) in log.traces(from, to)? {
                held.add(log, Place { log: number, offset, length }, &trace);
                if held.segment.len() == Segment::MOST {
                    held.segment.close();
                    write_segment(&change, first, &held.segment, &held.entries, is_word)?;
                    first += Segment::MOST as u64;
                    held = Held::default();
                }
            }
            write_log(&change, number, log, to)?;
        }
        if held.segment.len() > 0 {
            held.segment.close();
            write_segment(&change, first, &held.segment, &held.entries, is_word)?;
        }
        Ok(change.commit()?)
    }
}

/// The segments at the end that are not larger than twice what follows them.
fn small_segments(stored: &[Stored], expected: u64) -> &[Stored] {
    let mut docs = expected;
    let mut start = stored.len();
    while let Some(before) = start.checked_sub(1).map(|at| u64::from(stored[at].docs)) {
        if before > docs * 2 || docs + before > Segment::MOST as u64 {
            break;
        }
        docs += before;
        start -= 1;
    }
    &stored[start..]
}

fn absorb(database: &Database, small: &[Stored], into: &mut Segment) -> Result<(), IndexError> {
    for segment in small {
        let first = into.len() as u32;
        database.each_list(*segment, |term, list| into.absorb(term, list, first, segment.docs))?;
        into.lengths.extend(database.lengths(*segment)?);
        into.times.extend(database.times(*segment)?);
    }
    Ok(())
}

fn remove(path: &Path) {
    let _ = fs::remove_file(path);
}
