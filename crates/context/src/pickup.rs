//! Picks a packet up: how much of it is still valid, file by file, and a prompt that fits a budget. The packet itself
//! is never changed; the session log records that it was read.

mod brief;
mod file_state;
mod staleness;

use std::path::Path;
use std::time::Duration;

pub use brief::Brief;
pub(crate) use file_state::FileReport;
pub use file_state::{FileState, Repository};
use serde::Serialize;
pub use staleness::Relation;
pub(crate) use staleness::{Factor, Staleness, ago};
use stead_model::rfc3339;
use stead_store::{Durability, Redacted, StoreError, append_line};

use crate::packet::{FileList, Packet};
use crate::relevant_file::{self, is_project_path, relevant_files};
use crate::{ContextError, Folders, Scope};

const PATIENCE: Duration = Duration::from_secs(5);

/// How many files a re-scan adds at most.
const HYDRATED: usize = 20;

/// A packet, and what changed since it was written.
pub struct Pickup {
    pub id: String,
    pub packet: Packet,
    pub files: Vec<FileReport>,
    pub factors: Vec<Factor>,
}

/// Whether the logs are searched for files that are not in the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rescan {
    No,
    Yes,
}

impl Pickup {
    /// Checks everything a packet depends on.
    pub fn examine(
        id: &str,
        packet: Packet,
        place: &Folders<'_>,
        repository: &dyn Repository,
        rescan: Rescan,
        now: i64,
    ) -> Result<Self, ContextError> {
        let hashes = packet.hashes();
        let mut files: Vec<FileReport> = Vec::new();
        let lists = [(FileList::Confirmed, packet.confirmed()), (FileList::Suggested, packet.suggested())];
        for (list, paths) in lists {
            for path in paths.into_iter().filter(|path| is_project_path(path)) {
                if !files.iter().any(|known| known.path == path) {
                    files.push(FileReport::new(place.root, list, path, &hashes));
                }
            }
        }
        file_state::find_moved(place, repository, &mut files, &hashes);
        let mut factors = staleness::factors(&packet, repository, now);
        factors.push(staleness::of_files(&files));
        if rescan == Rescan::Yes {
            hydrate(&packet, place, repository, &mut files, now)?;
        }
        Ok(Self { id: id.to_owned(), packet, files, factors })
    }

    /// The worst of all factors.
    pub fn staleness(&self) -> Staleness {
        self.factors.iter().map(|factor| factor.staleness).max().unwrap_or(Staleness::Fresh)
    }
}

/// Adds what the packet's session and the last day touched beyond the packet's lists.
fn hydrate(
    packet: &Packet,
    place: &Folders<'_>,
    repository: &dyn Repository,
    files: &mut Vec<FileReport>,
    now: i64,
) -> Result<(), ContextError> {
    let log = place.index(relevant_file::FILE);
    let mut found = relevant_files(&log, &Scope { session: packet.get("session_id"), now })?;
    found.extend(relevant_files(&log, &Scope { session: None, now })?);
    let mut paths: Vec<String> = Vec::new();
    for file in found {
        let known = files.iter().any(|known| known.path == file.path) || paths.contains(&file.path);
        if !known && !place.is_own(&file.path) && place.root.join(&file.path).is_file() {
            paths.push(file.path);
        }
    }
    paths.truncate(HYDRATED * 2);
    let ignored = if paths.is_empty() { Vec::new() } else { repository.ignored(&paths) };
    let new = paths.into_iter().filter(|path| !ignored.contains(path)).take(HYDRATED);
    files.extend(new.map(|path| FileReport { path, list: FileList::Suggested, state: FileState::New }));
    Ok(())
}

/// Who picked a packet up, and its content then.
pub struct Acknowledgement<'a> {
    pub now: i64,
    pub harness: Option<&'a str>,
    pub session: Option<&'a str>,
    pub packet: &'a str,
    /// The content hash of the packet's file.
    pub hash: Option<&'a str>,
    pub staleness: Staleness,
}

impl Acknowledgement<'_> {
    /// Appends the line to the session log.
    pub fn record(&self, log: &Path) -> Result<(), StoreError> {
        #[derive(Serialize)]
        struct Line<'a> {
            v: u32,
            ts: &'a str,
            harness: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            session: Option<&'a str>,
            event: &'a str,
            native: &'a str,
            packet: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            packet_hash: Option<&'a str>,
            staleness: &'a str,
            verdict: &'a str,
        }
        let line = Line {
            v: 1,
            ts: &rfc3339(self.now),
            harness: self.harness.unwrap_or("unknown"),
            session: self.session,
            event: "pickup",
            native: "stead pickup",
            packet: self.packet,
            packet_hash: self.hash,
            staleness: self.staleness.name(),
            verdict: "allow",
        };
        append_line(log, Redacted::line(&line), Durability::Synced, PATIENCE)
    }
}
