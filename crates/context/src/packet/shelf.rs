//! The folder of packets: finds one by id, reads, changes and adds. It never deletes one.

use std::cmp::Reverse;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use stead_model::unix_millis;
use stead_store::{
    Creation, Durability, Edited, Exact, StoreError, amend, create, create_parents, read_capped, redact,
};

use super::head::{HeadProblem, problems};
use super::{Packet, PacketKind, Status};
use crate::find_id::find_id;
use crate::{ContextError, Document, FrontMatterError};

const KIND: &str = "packet";

/// Enough for most front matter; for longer ones the whole file is read.
const HEAD: u64 = 64 * 1024;

/// How many packets are searched for the active one, and the size limit for reading it whole.
const LOOKED_AT: usize = 200;
const BODY: usize = 256 * 1024;

/// How many packets with the same second and name are possible.
const NAMESAKES: usize = 1000;

/// The packets of a project.
#[derive(Clone, Debug)]
pub struct Shelf {
    dir: PathBuf,
}

/// One packet in a list.
#[derive(Debug)]
pub struct Listing {
    pub id: String,
    pub path: PathBuf,
    /// The packet without its body, or why it cannot be read.
    pub head: Result<Packet, ContextError>,
}

impl Listing {
    /// When it last changed; 0 if unknown.
    fn updated(&self) -> i64 {
        let packet = self.head.as_ref().ok();
        packet.and_then(|head| head.get("updated_at").or(head.get("created_at"))).and_then(unix_millis).unwrap_or(0)
    }
}

impl Packet {
    /// Returns true if somebody may want to continue it.
    pub fn is_open(&self) -> bool {
        self.status() != Some(Status::Done) && self.kind() != PacketKind::Snapshot
    }
}

impl Shelf {
    /// The shelf in a project's context folder.
    pub fn new(context: &Path) -> Self {
        Self { dir: context.join("packets") }
    }

    pub fn path(&self, id: &str) -> PathBuf {
        self.dir.join(format!("{id}.md"))
    }

    /// All ids, in name order, which is the order of creation.
    pub fn ids(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(&self.dir) else { return Vec::new() };
        let mut ids: Vec<String> = entries
            .flatten()
            .filter(|entry| entry.path().is_file())
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| !name.starts_with('.'))
            .filter_map(|name| name.strip_suffix(".md").map(str::to_owned))
            .collect();
        ids.sort();
        ids
    }

    /// All packets, the most recently changed first; unreadable ones last.
    pub fn list(&self) -> Vec<Listing> {
        let mut all: Vec<Listing> = self
            .ids()
            .into_iter()
            .map(|id| {
                let path = self.path(&id);
                Listing { head: read_head(&path, &id), id, path }
            })
            .collect();
        all.sort_by_cached_key(|listing| {
            (listing.head.is_err(), Reverse(listing.updated()), Reverse(listing.id.clone()))
        });
        all
    }

    /// Finds the id that was meant: `latest`, a full id, or a part that only one has. The latest is the last one changed
    /// that somebody may want to continue: neither done nor an automatic snapshot.
    pub fn find(&self, wanted: &str) -> Result<String, ContextError> {
        if wanted.trim() == "latest" {
            return self.latest();
        }
        let mut ids = self.ids();
        ids.reverse();
        find_id(KIND, &ids, wanted)
    }

    fn latest(&self) -> Result<String, ContextError> {
        let all = self.list();
        let count = all.len();
        let (mut open, mut broken) = (None, None);
        for Listing { id, head, .. } in all {
            match head {
                Ok(head) if open.is_none() && head.is_open() => open = Some(id),
                Ok(_) => {}
                // The unreadable ones come last, the newest first.
                Err(error) => drop(broken.get_or_insert((id, error))),
            }
        }
        match (open, broken) {
            // An older packet must not be taken for one that cannot be read.
            (open, Some((id, error))) if open.as_ref().is_none_or(|open| *open < id) => Err(error),
            (Some(id), _) => Ok(id),
            (None, _) if count > 0 => Err(ContextError::NoneOpen { kind: KIND, count }),
            (None, _) => Err(ContextError::NoneYet { kind: KIND, make: "stead handoff \"<purpose>\"" }),
        }
    }

    /// The packets that a new session should know of: the newest active one, and a newer draft that `is_fresh` accepts.
    /// Only the newest packets are searched, and very large bodies are omitted, because a new session waits for this.
    pub fn current(&self, is_fresh: impl Fn(&Packet) -> bool) -> Vec<(String, Packet)> {
        let mut draft = None;
        for id in self.ids().into_iter().rev().take(LOOKED_AT) {
            let Ok(head) = read_head(&self.path(&id), &id) else { continue };
            match head.status() {
                Some(Status::Active) => return [Some(self.whole(id, head)), draft].into_iter().flatten().collect(),
                Some(Status::Draft) if draft.is_none() && head.is_open() && is_fresh(&head) => {
                    draft = Some(self.whole(id, head));
                }
                _ => {}
            }
        }
        Vec::from_iter(draft)
    }

    fn whole(&self, id: String, head: Packet) -> (String, Packet) {
        let path = self.path(&id);
        let whole = read_capped(&path, BODY).ok().flatten().and_then(|bytes| parse(&path, bytes).ok());
        (id, whole.unwrap_or(head))
    }

    /// The file of a packet, by its full id: a part of one might be another packet's.
    fn known(&self, id: &str) -> Result<PathBuf, ContextError> {
        match self.ids().iter().any(|known| known == id) {
            true => Ok(self.path(id)),
            false => Err(ContextError::UnknownId { kind: KIND, id: id.to_owned(), nearest: None }),
        }
    }

    /// Reads a packet by its full id.
    pub fn read(&self, id: &str) -> Result<Packet, ContextError> {
        let path = self.known(id)?;
        let bytes = read_capped(&path, Packet::LIMIT)?;
        parse(&path, bytes.unwrap_or_default())
    }

    /// Changes a packet, one process at a time; the file is replaced as a whole.
    pub fn edit(
        &self,
        id: &str,
        change: impl FnOnce(&mut Packet) -> Result<(), ContextError>,
    ) -> Result<Edited, ContextError> {
        let path = self.known(id)?;
        amend(&path, Packet::LIMIT, Durability::Synced, |bytes| {
            let mut packet = parse(&path, bytes.unwrap_or_default())?;
            let before = packet.clone();
            change(&mut packet)?;
            Ok((packet != before).then(|| Exact::Edited.owned(packet.as_str())))
        })
    }

    /// Adds a packet under a free name: the stem, else with a number after it. `render` returns the text for the chosen
    /// id.
    pub fn add(&self, stem: &str, render: impl Fn(&str) -> String) -> Result<(String, PathBuf), ContextError> {
        create_parents(&self.path(stem))?;
        for number in 1..NAMESAKES {
            let id = if number == 1 { stem.to_owned() } else { format!("{stem}-{number}") };
            let path = self.path(&id);
            if create(&path, redact(&render(&id)), Durability::Synced)? == Creation::Created {
                return Ok((id, path));
            }
        }
        Err(StoreError::NotAFile { path: self.path(stem) }.into())
    }
}

fn parse(path: &Path, bytes: Vec<u8>) -> Result<Packet, ContextError> {
    let text = String::from_utf8(bytes)
        .map_err(|error| ContextError::NotText { path: path.to_owned(), at: error.utf8_error().valid_up_to() })?;
    let packet = Packet::parse(text).map_err(|problem| ContextError::FrontMatter { path: path.to_owned(), problem })?;
    match problems(&packet).into_iter().next() {
        Some(HeadProblem { line, message }) => Err(ContextError::PacketHead { path: path.to_owned(), line, message }),
        None => Ok(packet),
    }
}

/// Reads only as much of a packet as its front matter needs.
fn read_head(path: &Path, id: &str) -> Result<Packet, ContextError> {
    let io = |source| StoreError::Io { doing: "read", path: path.to_owned(), source };
    let mut bytes = Vec::new();
    stead_store::open_file(path).map_err(io)?.take(HEAD).read_to_end(&mut bytes).map_err(io)?;
    let whole = (bytes.len() as u64) < HEAD;
    if !whole && let Err(error) = std::str::from_utf8(&bytes) {
        bytes.truncate(error.valid_up_to());
    }
    match parse(path, bytes) {
        Err(ContextError::FrontMatter { problem: FrontMatterError::Unclosed { .. }, .. }) if !whole => {
            Shelf { dir: path.parent().unwrap_or(path).to_owned() }.read(id)
        }
        Ok(packet) => {
            let text = packet.as_str();
            let head = text.len() - packet.document().body().len();
            // Never fails: the front matter was just read.
            Ok(Document::parse(&text[..head]).map(|document| Packet { document }).unwrap_or(packet))
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shelf(packets: &[(&str, &str)]) -> (tempfile::TempDir, Shelf) {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(folder.path());
        fs::create_dir(folder.path().join("packets")).unwrap();
        for (id, updated) in packets {
            fs::write(shelf.path(id), format!("---\nid: {id}\nupdated_at: {updated}\n---\n## Notes\n")).unwrap();
        }
        (folder, shelf)
    }

    #[test]
    fn the_latest_is_one_to_continue() {
        let (_folder, shelf) = shelf(&[
            ("20260101T000000Z-old", "2026-01-05T00:00:00Z"),
            ("20260102T000000Z-new", "2026-01-02T00:00:00Z"),
        ]);
        let latest = || shelf.find("latest").unwrap_or_else(|error| format!("{error}; {}", error.hint().unwrap()));
        let put = |id: &str, lines: &str| {
            let text = format!("---\nid: {id}\nupdated_at: 2026-02-01T00:00:00Z\n{lines}\n---\n");
            fs::write(shelf.path(id), text).unwrap();
        };
        assert_eq!(latest(), "20260101T000000Z-old");
        put("20260103T000000Z-done", "status: done");
        put("20260104T000000Z-saved", "kind: snapshot");
        assert_eq!(latest(), "20260101T000000Z-old");
        put("20260101T000000Z-old", "status: done");
        put("20260102T000000Z-new", "status: done");
        assert_eq!(
            latest(),
            "all 4 packets are done or automatic snapshots; name one, or list them with `stead packet list`"
        );
        put("20260105T000000Z-broken", "status: finished");
        assert!(latest().contains("20260105T000000Z-broken.md`: line 4: `status` is `finished`"), "{}", latest());
        put("20260106T000000Z-newest", "status: draft");
        assert_eq!(latest(), "20260106T000000Z-newest");
    }

    #[test]
    fn a_broken_head_is_never_overwritten() {
        let (_folder, shelf) = shelf(&[]);
        for lines in [
            "relevant_files_confirmed: [a.rs]",
            "relevant_files_suggested:\n  - a.rs",
            "validators: cargo test",
            "status: activ",
            "created_at: yesterday",
            "file_hashes: []",
            "loop_max_iterations: many",
        ] {
            let text = format!("---\nid: a\n{lines}\n---\n## Notes\n");
            fs::write(shelf.path("a"), &text).unwrap();
            let edited = shelf.edit("a", |packet| {
                packet.confirm("b.rs", None, "now");
                packet.set_status(Status::Active, "now");
                Ok(())
            });
            let error = edited.unwrap_err().to_string();
            assert!(error.contains("a.md`: line 3: `"), "{error}");
            assert_eq!(fs::read_to_string(shelf.path("a")).unwrap(), text);
            assert!(shelf.read("a").is_err() && shelf.list()[0].head.is_err());
        }
    }

    #[test]
    fn the_last_changed_comes_first_and_the_unreadable_last() {
        let (_folder, shelf) = shelf(&[("a", "2026-01-01T00:00:00Z"), ("b", "2026-01-02T00:00:00Z"), ("c", "")]);
        fs::write(shelf.path("d"), "no head").unwrap();
        fs::write(shelf.path(".stead-x"), "").unwrap();
        fs::write(shelf.path("e"), format!("---\nlong: {}\n---\n", "é".repeat(70_000))).unwrap();
        let ids: Vec<_> = shelf.list().into_iter().map(|listing| (listing.id, listing.head.is_ok())).collect();
        let expected = [("b", true), ("a", true), ("e", true), ("c", true), ("d", false)];
        assert_eq!(ids, expected.map(|(id, good)| (id.to_owned(), good)));
    }

    #[test]
    fn two_packets_never_share_a_name() {
        let (_folder, shelf) = shelf(&[]);
        let add = || shelf.add("stem", |id| format!("---\nid: {id}\n---\n")).unwrap().0;
        assert_eq!((add(), add(), add()), ("stem".into(), "stem-2".into(), "stem-3".into()));
        assert_eq!(shelf.read("stem-2").unwrap().get("id"), Some("stem-2"));
        fs::remove_file(shelf.path("stem")).unwrap();
        fs::remove_file(shelf.path("stem-3")).unwrap();
        // What is left has the name of the other as a part.
        assert_eq!(shelf.read("stem").unwrap_err().to_string(), "there is no packet `stem`");
    }

    #[test]
    fn a_failed_change_leaves_the_file() {
        let (_folder, shelf) = shelf(&[("a", "2026-01-01T00:00:00Z")]);
        let before = fs::read(shelf.path("a")).unwrap();
        let failed = shelf.edit("a", |packet| {
            packet.set_status(Status::Done, "now");
            Err(ContextError::NoPurpose)
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(shelf.path("a")).unwrap(), before);
        fs::write(shelf.path("a"), b"\xff\xfe").unwrap();
        assert!(shelf.read("a").unwrap_err().to_string().ends_with("is not valid UTF-8 at byte 0"));
    }
}
