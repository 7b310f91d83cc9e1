use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use stead_store::{Lines, StoreError, sha256};

use super::index::{Index, Keys};
use super::key::{Kind, keys};
use crate::trace::{Record, Source};

/// How many bytes behind the index are read at each question before it is written again.
const TAIL: u64 = 512 * 1024;

/// One file of the ledger with its index, and the keys of what was appended since.
pub(super) struct Shelf {
    pub(super) peer: Option<String>,
    ledger: File,
    index: Option<Index>,
    tail: Keys,
    by_key: HashMap<(Kind, u64), Vec<u32>>,
}

impl Shelf {
    /// Opens a file of the ledger; `None` if there is none. The index is updated if much was appended. That is best
    /// effort: without a place to write, all is read.
    pub(super) fn open(source: &Source, indexes: &Path) -> Result<Option<Self>, StoreError> {
        let Ok(mut ledger) = stead_store::open_file(&source.path) else { return Ok(None) };
        let Some(size) = ledger.metadata().ok().filter(|data| data.is_file()).map(|data| data.len()) else {
            return Ok(None);
        };
        let name = sha256(source.path.as_os_str().as_encoded_bytes());
        let path = indexes.join(&name[..16]);
        let mut index = Index::open(&path, &mut ledger, size);
        let from = index.as_ref().map_or(0, |index| index.length);
        let mut tail = read_keys(&mut ledger, from, source)?;
        if tail.length.saturating_sub(from) > TAIL {
            let mut all = index.as_mut().and_then(Index::load).unwrap_or_default();
            let first = all.places.len() as u32;
            all.length = tail.length;
            all.places.append(&mut tail.places);
            for (all, tail) in all.entries.iter_mut().zip(&mut tail.entries) {
                all.extend(tail.drain(..).map(|(key, record)| (key, record + first)));
            }
            let written = all.write(&path, &mut ledger).and_then(|()| Index::open(&path, &mut ledger, size));
            match written {
                Some(new) => {
                    index = Some(new);
                    tail = Keys::default();
                }
                None => {
                    index = None;
                    tail = all;
                }
            }
        }
        let mut by_key: HashMap<(Kind, u64), Vec<u32>> = HashMap::new();
        for (kind, entries) in Kind::ALL.into_iter().zip(&tail.entries) {
            for (key, record) in entries {
                by_key.entry((kind, *key)).or_default().push(*record);
            }
        }
        Ok(Some(Self { peer: source.peer.clone(), ledger, index, tail, by_key }))
    }

    fn indexed(&self) -> u32 {
        self.index.as_ref().map_or(0, |index| index.records)
    }

    /// The records that have a key, oldest first.
    pub(super) fn find(&mut self, kind: Kind, key: u64) -> Vec<u32> {
        let mut found = self.index.as_mut().map(|index| index.find(kind, key)).unwrap_or_default();
        let first = self.indexed();
        found.extend(self.by_key.get(&(kind, key)).into_iter().flatten().map(|record| record + first));
        found
    }

    /// Reads a record.
    pub(super) fn record(&mut self, number: u32) -> Option<Record> {
        let place = match number.checked_sub(self.indexed()) {
            Some(number) => *self.tail.places.get(number as usize)?,
            None => self.index.as_mut()?.place(number)?,
        };
        let mut bytes = vec![0; place.1 as usize];
        self.ledger.seek(SeekFrom::Start(place.0)).ok()?;
        self.ledger.read_exact(&mut bytes).ok()?;
        Record::parse(std::str::from_utf8(&bytes).ok()?)
    }
}

/// Reads the keys of all records after an offset. A last line without an end is read, but not covered.
fn read_keys(ledger: &mut File, from: u64, source: &Source) -> Result<Keys, StoreError> {
    let mut read = Keys { length: from, ..Keys::default() };
    if ledger.seek(SeekFrom::Start(from)).is_err() {
        return Ok(read);
    }
    let Ok(copy) = ledger.try_clone() else { return Ok(read) };
    let size = ledger.metadata().map_or(from, |data| data.len());
    for line in Lines::new(copy.take(size.saturating_sub(from)), &source.path) {
        let line = line?;
        let offset = from + line.offset;
        if let Some(record) = Record::parse(&line.text) {
            read.add((offset, line.text.len() as u32), keys(&record));
        }
        let end = offset + line.text.len() as u64 + 1;
        if end <= size {
            read.length = end;
        }
    }
    Ok(read)
}
