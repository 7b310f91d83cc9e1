//! Work that a hook call left for later, because it was too much or a lock was not free: one file for each record. The
//! next command finishes it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use stead_code::file_hash;
use stead_store::{Durability, Redacted, StoreError, ask_git, read_capped, replace_creating, take_turn};

use super::build::{Budget, CallFacts, FileChange, Side, build};
use super::cache::TraceCache;
use super::ledger::Ledger;
use super::record::{FileNote, Phase, Record};
use crate::MutationClaim;

/// How long the ledger's lock and git are waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long another command that finishes the same is waited for.
const TURN: Duration = Duration::from_millis(500);

/// How many lines of the ledger are searched for what a killed process wrote.
const LINES: usize = 5_000;

/// The longest file that is compared, and how many spooled records one command finishes.
const LONGEST: usize = 16 * 1024 * 1024;
const MOST: usize = 200;

/// The ending of a record that a process has begun to finish.
const BEGUN: &str = "taken";

/// A record with something left to do.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Spooled {
    pub v: u32,
    pub record: Record,
    /// The record is in the ledger, as a provisional line.
    pub appended: bool,
    /// The stamps of its files before the call, in the same order; empty where there is none.
    #[serde(default)]
    pub stamps: Vec<String>,
}

impl Spooled {
    /// Writes it for the next command.
    pub fn put(&self, cache: &TraceCache) -> Result<(), StoreError> {
        let path = cache.spool().join(format!("{}.json", self.record.id));
        replace_creating(&path, Redacted::line(self), Durability::Quick)
    }

    /// Says whether anything waits, by one look at a folder.
    pub fn waits(cache: &TraceCache) -> bool {
        fs::read_dir(cache.spool()).is_ok_and(|mut entries| entries.next().is_some())
    }

    /// Finishes what waits; `root` is the checkout. Returns how many lines were written. One process at a time does this,
    /// so a record that is marked as begun was left by a process that was killed.
    pub fn finish_all(ledger: &Ledger, cache: &TraceCache, root: &Path) -> Result<usize, StoreError> {
        Self::finish_until(ledger, cache, root, None)
    }

    /// The same, but begins no record after a moment.
    pub fn finish_until(
        ledger: &Ledger,
        cache: &TraceCache,
        root: &Path,
        until: Option<Instant>,
    ) -> Result<usize, StoreError> {
        let _turn = match take_turn(&cache.spool().join(BEGUN), TURN) {
            Err(StoreError::Locked { .. }) => return Ok(0),
            turn => turn?,
        };
        let entries = fs::read_dir(cache.spool()).into_iter().flatten().flatten();
        let is_record = |path: &PathBuf| path.extension().is_some_and(|kind| kind == "json" || kind == BEGUN);
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_record).take(MOST).collect();
        paths.sort();
        let mut written = 0;
        for path in paths {
            if until.is_some_and(|until| Instant::now() >= until) {
                break;
            }
            let (begun, is_begun) = (path.with_extension(BEGUN), path.extension().is_some_and(|kind| kind == BEGUN));
            if !is_begun && fs::rename(&path, &begun).is_err() {
                continue;
            }
            let spooled = read_capped(&begun, stead_store::LINE_LIMIT * 2).ok().flatten();
            let spooled = spooled.and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
            let spooled = spooled.and_then(|spooled| if is_begun { spooled.unfinished(ledger) } else { Some(spooled) });
            let done = spooled.map_or(Ok(0), |spooled| spooled.finish(ledger, cache, root));
            match done {
                Ok(lines) => {
                    written += lines;
                    let _ = fs::remove_file(&begun);
                }
                Err(error) => {
                    let _ = fs::rename(&begun, begun.with_extension("json"));
                    return Err(error);
                }
            }
        }
        Ok(written)
    }

    /// What a killed process left of a record; `None` if it wrote everything.
    fn unfinished(mut self, ledger: &Ledger) -> Option<Self> {
        let own = ledger.sources().into_iter().find(|source| source.peer.is_none())?;
        for line in Ledger::read_back(&own).ok()?.mentioning(&self.record.id, LINES).flatten() {
            self.appended |= line.record.id == self.record.id;
            if line.record.stead().is_some_and(|note| note.of.as_ref() == Some(&self.record.id)) {
                return None;
            }
        }
        Some(self)
    }

    fn finish(mut self, ledger: &Ledger, cache: &TraceCache, root: &Path) -> Result<usize, StoreError> {
        let mut written = 0;
        if !self.appended {
            ledger.append(&self.record, Durability::Synced, PATIENCE)?;
            self.appended = true;
            written = 1;
        }
        let Some(note) = self.record.metadata.stead.clone().filter(|note| note.phase == Phase::Provisional) else {
            return Ok(written);
        };
        let stamp = |at: usize| self.stamps.get(at).map(String::as_str).filter(|stamp| !stamp.is_empty());
        let changes: Vec<FileChange> = note
            .files
            .iter()
            .enumerate()
            .map(|(at, file)| FileChange {
                path: file.path.clone(),
                from: file.from.clone(),
                before: before(file, stamp(at), cache, root),
                after: after(file, cache, root),
            })
            .collect();
        let Some(mut record) = build(&self.facts(), &changes, Budget::COMMAND) else { return Ok(written) };
        if let Some(note) = &mut record.metadata.stead {
            // There will be no third look.
            note.phase = Phase::Final;
        }
        ledger.append(&record, Durability::Synced, PATIENCE)?;
        Ok(written + 1)
    }

    /// The facts of the call, from its provisional record.
    fn facts(&self) -> CallFacts {
        let note = self.record.metadata.stead.clone().unwrap_or_default();
        let talk = self.record.files.iter().flat_map(|file| &file.conversations).next();
        CallFacts {
            timestamp: self.record.timestamp.clone(),
            revision: self.record.vcs.as_ref().map(|vcs| vcs.revision.clone()),
            contributor: self.record.contributor(),
            model: talk.and_then(|talk| talk.contributor.as_ref()?.model_id.clone()),
            session: note.session,
            harness: note.harness,
            agent: note.agent,
            role: note.role,
            run: note.run,
            stage: note.stage,
            iteration: note.iteration,
            call: note.call,
            tool: note.tool,
            intent: note.intent,
            claim: note.claim.and_then(|claim| MutationClaim::from_name(claim.name())),
            verdict: note.verdict,
            guards: note.guards,
            out_of_scope: note.out_of_scope,
            of: Some(self.record.id.clone()),
        }
    }
}

/// The file after the change, if it was not changed since or its text was kept.
fn after(file: &FileNote, cache: &TraceCache, root: &Path) -> Side {
    let Some(hash) = &file.after else {
        return if file.op == super::FileOp::Delete { Side::Absent } else { Side::Unknown { hash: None } };
    };
    let now = read_capped(&root.join(&file.path), LONGEST).ok().flatten();
    let now = now.filter(|bytes| file_hash(bytes).to_string() == *hash).or_else(|| cache.blob(hash));
    now.map_or_else(|| Side::Unknown { hash: Some(hash.clone()) }, Side::Bytes)
}

/// The file before the change: by its hash from the kept texts or git, or by its stamp from git's index.
fn before(file: &FileNote, stamp: Option<&str>, cache: &TraceCache, root: &Path) -> Side {
    if file.op == super::FileOp::Add {
        return Side::Absent;
    }
    let path = file.from.as_deref().unwrap_or(&file.path);
    if let Some(bytes) = file.before.as_deref().and_then(|hash| cache.blob(hash)) {
        return Side::Bytes(bytes);
    }
    let committed = index_entry(root, path).and_then(|entry| {
        // Without a hash only the stamp proves that git's text is the one that was changed.
        let is_proven = file.before.is_some() || stamp.is_some_and(|stamp| entry.fits(stamp));
        is_proven.then(|| blob_of(root, &entry.blob)).flatten()
    });
    match (&file.before, committed) {
        (None, Some(bytes)) => Side::Bytes(bytes),
        (Some(hash), Some(bytes)) if file_hash(&bytes).to_string() == *hash => Side::Bytes(bytes),
        (hash, _) => Side::Unknown { hash: hash.clone() },
    }
}

/// What git's index says about a file.
struct IndexEntry {
    blob: String,
    size: u64,
    modified: (u64, u64),
}

impl IndexEntry {
    /// A stamp is `size.number.modified.changed`, in hexadecimal, times in nanoseconds.
    fn fits(&self, stamp: &str) -> bool {
        let mut fields = stamp.split('.').map(|field| u128::from_str_radix(field, 16).ok());
        let (size, _, modified) = (fields.next().flatten(), fields.next(), fields.next().flatten());
        let own = u128::from(self.modified.0) * 1_000_000_000 + u128::from(self.modified.1);
        size == Some(u128::from(self.size)) && modified == Some(own)
    }
}

fn index_entry(root: &Path, path: &str) -> Option<IndexEntry> {
    let literal = format!(":(literal){path}");
    let text = git(root, &["ls-files", "-s", "--debug", "-z", "--", &literal])?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let mut words = text.split_whitespace();
    let (mode, blob, stage) = (words.next()?, words.next()?.to_owned(), words.next()?);
    if stage != "0" || !mode.starts_with("100") {
        return None;
    }
    let field = |name: &str| text.split_once(name).and_then(|(_, rest)| rest.split_whitespace().next());
    let (seconds, nanos) = field("mtime: ")?.split_once(':')?;
    Some(IndexEntry {
        blob,
        size: field("size: ")?.parse().ok()?,
        modified: (seconds.parse().ok()?, nanos.parse().ok()?),
    })
}

fn blob_of(root: &Path, blob: &str) -> Option<Vec<u8>> {
    git(root, &["cat-file", "blob", blob])
}

fn git(root: &Path, words: &[&str]) -> Option<Vec<u8>> {
    ask_git(root, words, PATIENCE, LONGEST)
}
