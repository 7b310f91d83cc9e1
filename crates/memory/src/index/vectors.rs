use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use stead_code::file_hash;

use crate::semantic::DIMENSIONS;

/// What 1 becomes. The numbers of a vector of length 1 are small; larger ones than 0.42 are cut.
const SCALE: f32 = 300.0;

/// The file consists of blocks of so many rows: their keys, then the signs of their numbers, then the numbers. All signs
/// can be read without the numbers.
const ROWS: u64 = 1_024;
const KEY: u64 = 24;
const SIGNS: u64 = DIMENSIONS as u64 / 8;
const NUMBERS: u64 = DIMENSIONS as u64;
const BLOCK: u64 = ROWS * (KEY + SIGNS + NUMBERS);

const HEAD: u64 = 64;
const MAGIC: &[u8; 16] = b"stead vectors 1\n";

/// Up to so many rows all numbers are compared. Beyond, only those of the rows whose signs are nearest.
const COMPARED: u64 = 100_000;
const NEAREST_SIGNS: usize = 4_096;

/// Which trace a row is about, and the text that was embedded. A row whose text is another one by now is worth nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct VectorKey {
    /// The hash of the log's name, from [`log_hash`].
    pub(crate) log: u32,
    pub(crate) length: u32,
    pub(crate) offset: u64,
    /// The hash of the text, from [`text_hash`].
    pub(crate) text: u64,
}

/// The line that a row is about.
pub(crate) type LineKey = (u32, u64);

impl VectorKey {
    pub(crate) fn line(self) -> LineKey {
        (self.log, self.offset)
    }

    fn read(bytes: &[u8]) -> Self {
        let short = |at: usize| bytes[at..].first_chunk().map_or(0, |chunk| u32::from_le_bytes(*chunk));
        let long = |at: usize| bytes[at..].first_chunk().map_or(0, |chunk| u64::from_le_bytes(*chunk));
        Self { log: short(0), length: short(4), offset: long(8), text: long(16) }
    }

    fn bytes(self) -> [u8; KEY as usize] {
        let mut out = [0; KEY as usize];
        out[..4].copy_from_slice(&self.log.to_le_bytes());
        out[4..8].copy_from_slice(&self.length.to_le_bytes());
        out[8..16].copy_from_slice(&self.offset.to_le_bytes());
        out[16..].copy_from_slice(&self.text.to_le_bytes());
        out
    }
}

pub(crate) fn text_hash(text: &str) -> u64 {
    file_hash(text.as_bytes()).0.first_chunk().map_or(0, |first| u64::from_le_bytes(*first))
}

pub(crate) fn log_hash(name: &str) -> u32 {
    text_hash(name) as u32
}

/// A row and how near it is, from -1 to 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    pub(crate) key: VectorKey,
    pub(crate) cosine: f32,
}

/// Vectors of traces in one flat file, a byte per number. It is read in blocks: mapping it would need unsafe code, and
/// copying what is read costs less than comparing it.
#[derive(Debug)]
pub(crate) struct Vectors {
    file: File,
    rows: u64,
}

impl Vectors {
    pub(crate) const FILE: &str = "vectors.i8";

    fn path(dir: &Path) -> PathBuf {
        dir.join(Self::FILE)
    }

    /// Opens the vectors that a model made; nothing if there are none.
    pub(crate) fn open(dir: &Path, model: &str) -> Option<Self> {
        let mut file = stead_store::open_file(&Self::path(dir)).ok()?;
        let mut head = [0; HEAD as usize];
        file.read_exact(&mut head).ok()?;
        (head == Self::head(model)).then_some(())?;
        let rows = rows_in(file.metadata().ok()?.len());
        Some(Self { file, rows })
    }

    /// Opens them to add more; those of another model are dropped. One process at a time.
    pub(crate) fn open_to_append(dir: &Path, model: &str) -> io::Result<Self> {
        let rows = Self::open(dir, model).map(|known| known.rows);
        let path = Self::path(dir);
        stead_store::create_parents(&path)
            .and_then(|_| stead_store::reserve_private(&path))
            .map_err(io::Error::other)?;
        let mut file = File::options().read(true).write(true).create(true).truncate(rows.is_none()).open(path)?;
        if rows.is_none() {
            file.write_all(&Self::head(model))?;
        }
        Ok(Self { file, rows: rows.unwrap_or(0) })
    }

    fn head(model: &str) -> [u8; HEAD as usize] {
        let mut head = [0; HEAD as usize];
        head[..16].copy_from_slice(MAGIC);
        head[16..48].copy_from_slice(&file_hash(model.as_bytes()).0);
        head[48..52].copy_from_slice(&(DIMENSIONS as u32).to_le_bytes());
        head
    }

    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds a row. The numbers come last: their end is what makes the row count.
    pub(crate) fn push(&mut self, key: VectorKey, vector: &[f32; DIMENSIONS]) -> io::Result<()> {
        let (numbers, signs) = (quantised(vector), signs(vector));
        let at = Spot::of(self.rows);
        self.write(at.key, &key.bytes())?;
        self.write(at.signs, &signs)?;
        self.write(at.numbers, &numbers.map(|number| number as u8))?;
        self.rows += 1;
        Ok(())
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(at))?;
        self.file.write_all(bytes)
    }

    fn read(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(at))?;
        self.file.read_exact(bytes)
    }

    /// Reads the keys of all rows.
    pub(crate) fn keys(&mut self) -> io::Result<Vec<VectorKey>> {
        let mut keys = Vec::with_capacity(self.rows as usize);
        self.each_row(KEY, |at| at.key, |_, row| keys.push(VectorKey::read(row)))?;
        Ok(keys)
    }

    /// Calls `found` with each row and one part of it.
    fn each_row(
        &mut self,
        size: u64,
        region: impl Fn(Spot) -> u64,
        mut found: impl FnMut(u64, &[u8]),
    ) -> io::Result<()> {
        let mut buffer = Vec::new();
        let mut first = 0;
        while first < self.rows {
            let rows = ROWS.min(self.rows - first);
            buffer.resize((rows * size) as usize, 0);
            self.read(region(Spot::of(first)), &mut buffer)?;
            (first..).zip(buffer.chunks_exact(size as usize)).for_each(|(row, bytes)| found(row, bytes));
            first += rows;
        }
        Ok(())
    }

    /// The rows nearest to a vector, the nearest first; `only` those about some lines.
    pub(crate) fn nearest(
        &mut self,
        vector: &[f32; DIMENSIONS],
        most: usize,
        only: Option<&HashSet<LineKey>>,
    ) -> io::Result<Vec<Near>> {
        let numbers = quantised(vector);
        let mut dots: Vec<(i32, u64)> = Vec::new();
        let some = match only {
            Some(only) => {
                let keys = (0_u64..).zip(self.keys()?);
                Some(keys.filter(|(_, key)| only.contains(&key.line())).map(|(row, _)| row).collect())
            }
            None if self.rows > COMPARED => Some(self.nearest_signs(vector)?),
            None => None,
        };
        match some {
            None => self.each_row(NUMBERS, |at| at.numbers, |row, bytes| dots.push((dot(&numbers, bytes), row)))?,
            Some(rows) => {
                let mut bytes = [0; NUMBERS as usize];
                for row in rows {
                    self.read(Spot::of(row).numbers, &mut bytes)?;
                    dots.push((dot(&numbers, &bytes), row));
                }
            }
        }
        dots.sort_unstable_by(|a, b| b.cmp(a));
        dots.truncate(most);
        dots.into_iter()
            .map(|(dot, row)| {
                let mut key = [0; KEY as usize];
                self.read(Spot::of(row).key, &mut key)?;
                Ok(Near { key: VectorKey::read(&key), cosine: dot as f32 / (SCALE * SCALE) })
            })
            .collect()
    }

    /// The rows with the most equal signs.
    fn nearest_signs(&mut self, vector: &[f32; DIMENSIONS]) -> io::Result<Vec<u64>> {
        let signs = signs(vector);
        let wanted: Vec<u64> = signs.as_chunks().0.iter().map(|eight| u64::from_le_bytes(*eight)).collect();
        let mut unequal: Vec<u16> = Vec::with_capacity(self.rows as usize);
        let mut counts = [0_usize; DIMENSIONS + 1];
        self.each_row(
            SIGNS,
            |at| at.signs,
            |_, bytes| {
                let words = bytes.as_chunks().0.iter().map(|eight| u64::from_le_bytes(*eight));
                let bits: u32 = words.zip(&wanted).map(|(a, b)| (a ^ b).count_ones()).sum();
                unequal.push(bits as u16);
                counts[bits as usize] += 1;
            },
        )?;
        let mut total = 0;
        let last = counts.iter().position(|count| {
            total += count;
            total >= NEAREST_SIGNS
        });
        let last = last.unwrap_or(DIMENSIONS) as u16;
        let near = (0_u64..).zip(unequal).filter(|(_, bits)| *bits <= last).map(|(row, _)| row);
        Ok(near.take(NEAREST_SIGNS * 2).collect())
    }
}

/// Where the parts of a row are.
#[derive(Clone, Copy)]
struct Spot {
    key: u64,
    signs: u64,
    numbers: u64,
}

impl Spot {
    fn of(row: u64) -> Self {
        let (block, at) = (HEAD + row / ROWS * BLOCK, row % ROWS);
        let signs = block + ROWS * KEY;
        let numbers = signs + ROWS * SIGNS;
        Self { key: block + at * KEY, signs: signs + at * SIGNS, numbers: numbers + at * NUMBERS }
    }
}

/// How many whole rows a file of this length has.
fn rows_in(length: u64) -> u64 {
    let length = length.saturating_sub(HEAD);
    let rest = (length % BLOCK).saturating_sub(ROWS * (KEY + SIGNS));
    length / BLOCK * ROWS + rest / NUMBERS
}

fn quantised(vector: &[f32; DIMENSIONS]) -> [i8; DIMENSIONS] {
    vector.map(|number| (number * SCALE).round().clamp(-127.0, 127.0) as i8)
}

fn signs(vector: &[f32; DIMENSIONS]) -> [u8; SIGNS as usize] {
    let mut out = [0; SIGNS as usize];
    for (byte, eight) in out.iter_mut().zip(vector.chunks(8)) {
        *byte = eight.iter().enumerate().map(|(bit, number)| u8::from(*number > 0.0) << bit).sum();
    }
    out
}

/// The compiler turns this into vector instructions of the baseline processor.
fn dot(a: &[i8; DIMENSIONS], b: &[u8]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(i16::from(*a) * i16::from(*b as i8))).sum()
}
