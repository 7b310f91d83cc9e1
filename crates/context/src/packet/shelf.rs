//! The folder of packets: finds one by id, reads, changes and adds. It never deletes one.

use std::cmp::Reverse;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use stead_model::{nearest, unix_millis};
use stead_store::{
    Creation, Durability, Edited, Exact, StoreError, amend, create, create_parents, read_capped, redact,
};

use super::{Packet, Status};
use crate::{ContextError, Document, FrontMatterError};

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

    /// Finds the id that was meant: `latest`, a full id, or a prefix or suffix that only one has.
    pub fn find(&self, wanted: &str) -> Result<String, ContextError> {
        const KIND: &str = "packet";
        let wanted = wanted.trim().trim_end_matches(".md");
        let ids = self.ids();
        if wanted == "latest" {
            let first = self.list().into_iter().find(|listing| listing.head.is_ok());
            return match first {
                Some(listing) => Ok(listing.id),
                None => Err(ContextError::NoneYet { kind: KIND, make: "stead handoff \"<purpose>\"" }),
            };
        }
        if ids.iter().any(|id| id == wanted) {
            return Ok(wanted.to_owned());
        }
        let parts: Vec<&String> = ids
            .iter()
            .filter(|id| !wanted.is_empty() && (id.starts_with(wanted) || id.ends_with(&format!("-{wanted}"))))
            .collect();
        match parts.as_slice() {
            [one] => Ok((*one).clone()),
            [] => {
                let names = ids.iter().flat_map(|id| [id.as_str(), id.split_once('-').map_or(id, |(_, slug)| slug)]);
                let nearest = nearest(wanted, names).and_then(|near| ids.iter().rfind(|id| id.ends_with(near)));
                Err(ContextError::UnknownId { kind: KIND, id: wanted.to_owned(), nearest: nearest.cloned() })
            }
            [.., newest] => Err(ContextError::AmbiguousId {
                kind: KIND,
                id: wanted.to_owned(),
                count: parts.len(),
                first: (*newest).clone(),
            }),
        }
    }

    /// The active packet; of several, the newest. Only the newest packets are searched, and very large bodies are
    /// omitted, because a new session waits for this.
    pub fn active(&self) -> Option<(String, Packet)> {
        for id in self.ids().into_iter().rev().take(LOOKED_AT) {
            let path = self.path(&id);
            let Ok(head) = read_head(&path, &id) else { continue };
            if head.status() == Some(Status::Active) {
                let whole = read_capped(&path, BODY).ok().flatten().and_then(|bytes| parse(&path, bytes).ok());
                return Some((id, whole.unwrap_or(head)));
            }
        }
        None
    }

    /// Reads a packet by its full id.
    pub fn read(&self, id: &str) -> Result<Packet, ContextError> {
        let path = self.path(&self.find(id)?);
        let bytes = read_capped(&path, Packet::LIMIT)?;
        parse(&path, bytes.unwrap_or_default())
    }

    /// Changes a packet, one process at a time; the file is replaced as a whole.
    pub fn edit(
        &self,
        id: &str,
        change: impl FnOnce(&mut Packet) -> Result<(), ContextError>,
    ) -> Result<Edited, ContextError> {
        let path = self.path(&self.find(id)?);
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
    Packet::parse(text).map_err(|problem| ContextError::FrontMatter { path: path.to_owned(), problem })
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
    fn ids_are_found_by_what_people_type() {
        let (_folder, shelf) = shelf(&[
            ("20260101T000000Z-fix-add", "2026-01-05T00:00:00Z"),
            ("20260102T000000Z-fix-sub", "2026-01-02T00:00:00Z"),
        ]);
        let check = |wanted: &str, expected: &str| {
            let found = shelf.find(wanted).unwrap_or_else(|error| format!("{error}; {}", error.hint().unwrap()));
            assert_eq!(found, expected, "{wanted}");
        };
        check("latest", "20260101T000000Z-fix-add");
        check("20260101T000000Z-fix-add", "20260101T000000Z-fix-add");
        check("20260102T000000Z-fix-sub.md", "20260102T000000Z-fix-sub");
        check("20260102", "20260102T000000Z-fix-sub");
        check("fix-add", "20260101T000000Z-fix-add");
        check("fix-ad", "there is no packet `fix-ad`; did you mean `20260101T000000Z-fix-add`?");
        check("../x", "there is no packet `../x`; `stead packet list` lists them");
        check("2026", "`2026` matches 2 packets, the newest is `20260102T000000Z-fix-sub`; use the full id");
        check("", "there is no packet ``; `stead packet list` lists them");
    }

    #[test]
    fn the_last_changed_comes_first_and_the_unreadable_last() {
        let (_folder, shelf) =
            shelf(&[("a", "2026-01-01T00:00:00Z"), ("b", "2026-01-02T00:00:00Z"), ("c", "no moment")]);
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
    }

    #[test]
    fn a_failed_change_leaves_the_file() {
        let (_folder, shelf) = shelf(&[("a", "t")]);
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
