//! A file of sorted keys over the beginning of one ledger file: which records have a hash. It can be deleted at any time.
//!
//! Head, records (offset and length), then for each kind of key a table of where its groups start and the entries
//! (key and record), sorted. All numbers are little-endian.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use stead_code::file_hash;
use stead_store::{Durability, Exact, replace_creating};

use super::key::{Kind, key_of};

const MAGIC: &[u8; 16] = b"stead-ledger-ix1";
const KINDS: usize = Kind::ALL.len();
/// Magic, length and mark of the ledger, number of records, number of entries of each kind.
const HEAD: usize = 16 + 8 + 8 + 4 + 4 * KINDS;
const PLACE: usize = 12;
const ENTRY: usize = 12;
/// How many entries a group has on average.
const GROUP: usize = 64;
/// How much of the beginning and of the end of the indexed part tells whether it is still the same.
const MARK: u64 = 4096;

/// The keys of many records, in memory.
#[derive(Default)]
pub(super) struct Keys {
    /// How many bytes of the ledger they cover.
    pub(super) length: u64,
    /// Offset and length of each record.
    pub(super) places: Vec<(u64, u32)>,
    pub(super) entries: [Vec<(u64, u32)>; KINDS],
}

impl Keys {
    pub(super) fn add(&mut self, place: (u64, u32), keys: Vec<(Kind, u64)>) {
        let record = self.places.len() as u32;
        self.places.push(place);
        for (kind, key) in keys {
            self.entries[kind as usize].push((key, record));
        }
    }

    /// Writes the index of a ledger.
    pub(super) fn write(&mut self, path: &Path, ledger: &mut File) -> Option<()> {
        let mut bytes = Vec::with_capacity(HEAD + self.places.len() * PLACE);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&self.length.to_le_bytes());
        bytes.extend_from_slice(&mark(ledger, self.length)?.to_le_bytes());
        bytes.extend_from_slice(&(self.places.len() as u32).to_le_bytes());
        for entries in &self.entries {
            bytes.extend_from_slice(&(entries.len() as u32).to_le_bytes());
        }
        for (offset, length) in &self.places {
            bytes.extend_from_slice(&offset.to_le_bytes());
            bytes.extend_from_slice(&length.to_le_bytes());
        }
        for entries in &mut self.entries {
            entries.sort_unstable();
            let bits = group_bits(entries.len());
            let starts = (0..=1_u64 << bits).map(|group| match group_start(group, bits) {
                Some(key) => entries.partition_point(|entry| entry.0 < key),
                None => entries.len(),
            });
            starts.for_each(|start| bytes.extend_from_slice(&(start as u32).to_le_bytes()));
            for (key, record) in entries {
                bytes.extend_from_slice(&key.to_le_bytes());
                bytes.extend_from_slice(&record.to_le_bytes());
            }
        }
        replace_creating(path, Exact::Compiled.bytes(&bytes), Durability::Quick).ok()
    }
}

/// How many of the first bits of a key choose its group.
fn group_bits(entries: usize) -> u32 {
    (entries / GROUP).checked_ilog2().unwrap_or(0)
}

/// The first key of a group; `None` after the last.
fn group_start(group: u64, bits: u32) -> Option<u64> {
    if group >> bits != 0 {
        return None;
    }
    Some(if bits == 0 { 0 } else { group << (64 - bits) })
}

/// Tells one beginning of a ledger from another.
fn mark(ledger: &mut File, length: u64) -> Option<u64> {
    let size = length.min(MARK);
    let mut bytes = Vec::new();
    for from in [0, length - size] {
        let mut part = vec![0; size as usize];
        ledger.seek(SeekFrom::Start(from)).ok()?;
        ledger.read_exact(&mut part).ok()?;
        bytes.append(&mut part);
    }
    Some(key_of(&file_hash(&bytes)))
}

/// The index on disk.
pub(super) struct Index {
    file: File,
    /// How many bytes of the ledger it covers.
    pub(super) length: u64,
    pub(super) records: u32,
    tables: Vec<Table>,
}

struct Table {
    entries: usize,
    bits: u32,
    /// Where the entries start in the file.
    at: u64,
    starts: Vec<u32>,
}

impl Index {
    /// Opens the index of a ledger, if it is whole and the ledger still begins as it did.
    pub(super) fn open(path: &Path, ledger: &mut File, size: u64) -> Option<Self> {
        let mut file = stead_store::open_file(path).ok()?;
        let mut head = [0; HEAD];
        file.read_exact(&mut head).ok()?;
        let long = |at: usize| head.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes);
        let short = |at: usize| head.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
        let (length, records) = (long(16)?, short(32)?);
        if !head.starts_with(MAGIC) || length > size || mark(ledger, length)? != long(24)? {
            return None;
        }
        let mut at = (HEAD + records as usize * PLACE) as u64;
        let mut tables = Vec::with_capacity(KINDS);
        for kind in 0..KINDS {
            let entries = short(36 + 4 * kind)? as usize;
            let bits = group_bits(entries);
            let mut bytes = vec![0; ((1 << bits) + 1) * 4];
            file.seek(SeekFrom::Start(at)).ok()?;
            file.read_exact(&mut bytes).ok()?;
            at += bytes.len() as u64;
            let starts = bytes.chunks_exact(4).filter_map(|chunk| chunk.try_into().ok().map(u32::from_le_bytes));
            tables.push(Table { entries, bits, at, starts: starts.collect() });
            at += (entries * ENTRY) as u64;
        }
        (file.metadata().ok()?.len() == at).then_some(Self { file, length, records, tables })
    }

    /// The records that have a key.
    pub(super) fn find(&mut self, kind: Kind, key: u64) -> Vec<u32> {
        let Some(table) = self.tables.get(kind as usize) else { return Vec::new() };
        let group = if table.bits == 0 { 0 } else { (key >> (64 - table.bits)) as usize };
        let (Some(start), Some(end)) = (table.starts.get(group), table.starts.get(group + 1)) else {
            return Vec::new();
        };
        let (from, count) = (table.at + u64::from(*start) * ENTRY as u64, end.saturating_sub(*start) as usize);
        let entries = self.read(from, count).unwrap_or_default();
        entries.into_iter().filter(|entry| entry.0 == key).map(|entry| entry.1).collect()
    }

    fn read(&mut self, from: u64, count: usize) -> Option<Vec<(u64, u32)>> {
        let mut bytes = vec![0; count * ENTRY];
        self.file.seek(SeekFrom::Start(from)).ok()?;
        self.file.read_exact(&mut bytes).ok()?;
        bytes.chunks_exact(ENTRY).map(entry).collect()
    }

    /// Where a record is in the ledger.
    pub(super) fn place(&mut self, record: u32) -> Option<(u64, u32)> {
        let mut bytes = [0; PLACE];
        self.file.seek(SeekFrom::Start((HEAD + record as usize * PLACE) as u64)).ok()?;
        self.file.read_exact(&mut bytes).ok()?;
        entry(&bytes)
    }

    /// Everything in it, to write a longer one.
    pub(super) fn load(&mut self) -> Option<Keys> {
        let places = self.read(HEAD as u64, self.records as usize)?;
        let mut entries: [Vec<(u64, u32)>; KINDS] = Default::default();
        for (kind, entries) in entries.iter_mut().enumerate() {
            let table = self.tables.get(kind)?;
            *entries = self.read(table.at, table.entries)?;
        }
        Some(Keys { length: self.length, places, entries })
    }
}

fn entry(bytes: &[u8]) -> Option<(u64, u32)> {
    let long = bytes.get(..8)?.try_into().ok().map(u64::from_le_bytes)?;
    let short = bytes.get(8..12)?.try_into().ok().map(u32::from_le_bytes)?;
    Some((long, short))
}
