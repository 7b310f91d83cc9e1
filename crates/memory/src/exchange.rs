//! Traces that travel: written for others, and taken from others. What was forgotten is never written, and what comes in
//! stays foreign.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde_json::Value;
use stead_model::FileId;
use stead_store::{Durability, Redacted, Source, append_line, create_parents, take_turn};

use crate::memory::PATIENCE;
use crate::{Memory, MemoryError, Origin, Trace, TraceBook, TraceId, TraceStatus};

/// The longest line that is read. A trace that is longer than it may be is cut, not lost.
const LONGEST: u64 = 64 * 1024 * 1024;

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    pub added: usize,
    /// Known traces of which a newer state came in.
    pub updated: usize,
    /// Traces that are known already, or were forgotten.
    pub known: usize,
    /// Lines that are no traces.
    pub skipped: usize,
}

impl Memory {
    /// All own traces as they are now, oldest first, as objects with the fields of other versions.
    pub fn export(&self) -> Result<Vec<Value>, MemoryError> {
        let traces = self.traces()?;
        let own = traces.iter().filter(|known| known.origin == Origin::Own);
        // Written again through the same check: a line that somebody else put into the file may have a secret.
        Ok(own.filter_map(|known| serde_json::to_value(known.trace.safe()).ok()).collect())
    }

    /// Adds the traces of a file to those of another writer. What is known is not added again.
    pub fn import(&self, file: &Path, writer: &str) -> Result<Imported, MemoryError> {
        let invalid = |why: String| MemoryError::Invalid { what: "name", value: writer.to_owned(), why };
        let name = FileId::check(writer).map_err(|error| invalid(error.to_string()))?;
        let target = self.book.dir.join(TraceBook::PEERS).join(format!("{}.jsonl", name.as_str()));
        let opened = File::open(file).and_then(|opened| {
            if opened.metadata()?.is_file() { Ok(opened) } else { Err(std::io::ErrorKind::InvalidInput.into()) }
        });
        let opened = opened.map_err(|source| MemoryError::Unreadable { path: file.to_owned(), source })?;
        self.book.prepare()?;
        create_parents(&target)?;
        let _turn = take_turn(&target, PATIENCE)?;
        let all = self.traces()?;
        let mut states = states(&target)?;
        let mut done = Imported::default();
        let mut reader = BufReader::new(opened);
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let read = reader.by_ref().take(LONGEST).read_until(b'\n', &mut bytes);
            let read = read.map_err(|source| MemoryError::Unreadable { path: file.to_owned(), source })?;
            if read == 0 {
                break;
            }
            let Some(trace) = parse(&bytes) else {
                done.skipped += usize::from(!bytes.trim_ascii().is_empty());
                continue;
            };
            let trace = trace.safe();
            let is_ours = all.get(&trace.id).is_some_and(|known| known.origin.peer() != Some(name.as_str()));
            let old = states.get(&trace.id);
            if all.is_forgotten(&trace.id) || is_ours || old.is_some_and(|old| *old == trace) {
                done.known += 1;
                continue;
            }
            append_line(&target, Redacted::line(&trace), Durability::Quick, PATIENCE)?;
            if old.is_some() {
                done.updated += 1;
            } else {
                done.added += 1;
            }
            states.insert(trace.id.clone(), trace);
        }
        match done {
            Imported { added: 0, updated: 0, known: 0, .. } => {
                Err(MemoryError::NothingToImport { path: file.to_owned() })
            }
            done => Ok(done),
        }
    }
}

/// The last line of each trace of a writer.
fn states(target: &Path) -> Result<HashMap<TraceId, Trace>, MemoryError> {
    let source = Source { path: target.to_owned(), peer: None };
    Ok(TraceBook::lines(&source)?.map(|line| (line.trace.id.clone(), line.trace)).collect())
}

/// A trace of somebody else, without its place in their chain; `None` if it is none. Their tombstones and their scope
/// have no meaning here.
fn parse(bytes: &[u8]) -> Option<Trace> {
    let mut trace: Trace = serde_json::from_slice(bytes).ok()?;
    trace.id = TraceId::parse(trace.id.as_str())?;
    trace.more.shift_remove("chain");
    trace.scope = crate::Scope::Project;
    let is_trace = trace.status != TraceStatus::Forgotten && !trace.event.what_happened.trim().is_empty();
    is_trace.then_some(trace)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Mark, Submission, TraceEvent, TraceKind};

    fn memory(dir: &Path) -> Memory {
        Memory::of("p", &dir.join("graph"), None, Some(dir.join("data")))
    }

    fn store(memory: &Memory, what: &str) -> TraceId {
        let event =
            TraceEvent { what_happened: what.into(), why: "the team decided so".into(), ..TraceEvent::default() };
        let timestamp = "2026-11-17T10:00:00.000Z".to_owned();
        let submission = Submission { timestamp, kind: TraceKind::Decision, event, ..Submission::default() };
        memory.store(submission).unwrap().id().clone()
    }

    fn write(path: &Path, lines: &[Value]) {
        std::fs::write(path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    }

    #[test]
    fn what_is_imported_stays_foreign_and_comes_once() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (mine, theirs) = (memory(one.path()), memory(two.path()));
        let kept = store(&mine, "keep the old parser for v1 clients");
        let gone = store(&mine, "never shown again to anybody");
        let traces = mine.traces().unwrap();
        mine.forget(&[traces.get(&gone).unwrap()], &Mark::default()).unwrap();
        let file = one.path().join("out.jsonl");
        write(&file, &mine.export().unwrap());
        assert!(!std::fs::read_to_string(&file).unwrap().contains("never shown"));
        assert_eq!(theirs.import(&file, "ann").unwrap(), Imported { added: 1, ..Imported::default() });
        assert_eq!(theirs.import(&file, "ann").unwrap(), Imported { known: 1, ..Imported::default() });
        let all = theirs.traces().unwrap();
        assert_eq!(all.get(&kept).unwrap().origin, Origin::Peer("ann".into()));
        assert!(theirs.confirm(all.get(&kept).unwrap()).is_err() && theirs.promote(all.get(&kept).unwrap()).is_err());
        // What comes back to its writer is no news.
        assert_eq!(mine.import(&file, "bob").unwrap(), Imported { known: 1, ..Imported::default() });
        // A foreign trace can be forgotten, and does not come back.
        theirs.forget(&[all.get(&kept).unwrap()], &Mark::default()).unwrap();
        assert_eq!(theirs.import(&file, "ann").unwrap(), Imported { known: 1, ..Imported::default() });
        assert!(theirs.traces().unwrap().get(&kept).is_none());
    }

    #[test]
    fn hostile_and_damaged_lines_do_no_harm() {
        let dir = tempfile::tempdir().unwrap();
        let memory = memory(dir.path());
        let own = store(&memory, "edit schema.sql, never schema.rs");
        let event = |what: String| serde_json::json!({"what_happened": what});
        let id = |n: u8| format!("00000000-0000-4000-8000-0000000000{n:02}");
        let file = dir.path().join("in.jsonl");
        write(
            &file,
            &[
                serde_json::json!({"id": id(1), "type": "omen", "event": event("x ".repeat(5 << 20)), "odd": {"a": 1}}),
                serde_json::json!({"id": id(2), "type": "decision", "status": "forgotten", "supersedes": [own]}),
                serde_json::json!({"id": own, "type": "decision", "event": event("schema.rs is fine".into())}),
                serde_json::json!({"id": "../../etc", "event": event("bad id".into())}),
                serde_json::json!({"id": id(3), "scope": "universal", "supersedes": [own], "event": event("token=sk-abcdefgh12345678".into())}),
                serde_json::json!([1]),
            ],
        );
        let text = std::fs::read_to_string(&file).unwrap() + "{\"id\":\"torn";
        std::fs::write(&file, text).unwrap();
        let done = memory.import(&file, "eve").unwrap();
        assert_eq!(done, Imported { added: 2, known: 1, skipped: 4, updated: 0 });
        let all = memory.traces().unwrap();
        assert_eq!(all.get(&own).unwrap().trace.event.what_happened, "edit schema.sql, never schema.rs");
        assert!(all.superseded_by(&own).is_none());
        let long = all.find(&id(1)).unwrap();
        assert!(long.trace.event.what_happened.ends_with("[…cut: 10485760 bytes]"));
        assert_eq!((long.trace.kind, &long.trace.more["odd"]["a"]), (TraceKind::Other, &serde_json::json!(1)));
        let secret = &all.find(&id(3)).unwrap().trace;
        assert!(!secret.event.what_happened.contains("sk-abc") && secret.scope == crate::Scope::Project);
        assert!(memory.import(&file, "../eve").is_err());
        assert!(memory.import(&dir.path().join("none"), "eve").is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Whatever a file contains, the own traces stay as they are, and everything can still be read.
        #[test]
        fn no_import_changes_what_is_there(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 0..6)
        ) {
            let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let (mine, theirs) = (memory(one.path()), memory(two.path()));
            let own = store(&mine, "keep the old parser for v1 clients");
            store(&theirs, "the new parser is for v2 clients only");
            let mut bytes: Vec<u8> =
                mine.export().unwrap().iter().chain(&theirs.export().unwrap()).flat_map(|line| format!("{line}\n").into_bytes()).collect();
            for (at, byte, how) in changes {
                let at = at.index(bytes.len());
                match how {
                    0 => bytes[at] = byte,
                    1 => bytes.insert(at, byte),
                    _ => drop(bytes.remove(at)),
                }
            }
            let file = one.path().join("in.jsonl");
            std::fs::write(&file, bytes).unwrap();
            let before = mine.traces().unwrap().get(&own).unwrap().trace.clone();
            let import = || match mine.import(&file, "eve") {
                Ok(_) | Err(MemoryError::NothingToImport { .. }) => {}
                Err(error) => panic!("{error}"),
            };
            import();
            let all = mine.traces().unwrap();
            prop_assert_eq!(&all.get(&own).unwrap().trace, &before);
            prop_assert!(all.superseded_by(&own).is_none());
            import();
            prop_assert_eq!(mine.traces().unwrap().iter().count(), all.iter().count(), "a second import adds nothing");
        }
    }
}
