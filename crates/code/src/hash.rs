//! Hashes of content, as docs/formats/content-hash.md defines them.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

const PREFIX: &str = "sha256:";

/// A SHA-256, written as `sha256:<64 hex digits>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(PREFIX)?;
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl FromStr for Hash {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let hex = text.strip_prefix(PREFIX).ok_or(())?.as_bytes();
        let mut hash = [0; 32];
        if hex.len() != 64 {
            return Err(());
        }
        for (byte, pair) in hash.iter_mut().zip(hex.chunks(2)) {
            let digit = |at: usize| char::from(pair[at]).to_digit(16).filter(|_| !pair[at].is_ascii_uppercase());
            let (Some(high), Some(low)) = (digit(0), digit(1)) else { return Err(()) };
            *byte = (high * 16 + low) as u8;
        }
        Ok(Self(hash))
    }
}

/// Hashes a file: its bytes as they are.
pub fn file_hash(bytes: &[u8]) -> Hash {
    Hash::of(bytes)
}

/// The first 64 bits of the hash of one line, written as 11 characters of base64url.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineHash(pub u64);

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

impl LineHash {
    /// The length of a written hash.
    pub const LENGTH: usize = 11;

    /// Reads hashes that were written one after the other; nothing if one of them is torn.
    pub fn parse_all(text: &str) -> Option<Vec<Self>> {
        let mut hashes = Vec::with_capacity(text.len() / Self::LENGTH);
        for chunk in text.as_bytes().chunks(Self::LENGTH) {
            hashes.push(Self::parse(chunk)?);
        }
        Some(hashes)
    }

    fn parse(chunk: &[u8]) -> Option<Self> {
        let mut bits: u128 = 0;
        for byte in chunk {
            bits = bits << 6 | DIGITS.iter().position(|digit| digit == byte)? as u128;
        }
        (chunk.len() == Self::LENGTH && bits & 3 == 0).then_some(Self((bits >> 2) as u64))
    }
}

impl fmt::Display for LineHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = u128::from(self.0) << 2;
        (0..Self::LENGTH).rev().try_for_each(|at| {
            let digit = DIGITS[(bits >> (6 * at) & 63) as usize];
            write!(out, "{}", char::from(digit))
        })
    }
}

/// Hashes one line without its line end and without whitespace around it, so that indentation does not matter.
pub fn line_hash(line: &str) -> LineHash {
    let digest: [u8; 32] = Sha256::digest(line.trim().as_bytes()).into();
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    LineHash(u64::from_be_bytes(first))
}

/// Hashes lines `start` to `end` (from 1, both included) of a text; nothing if it has no such lines.
pub fn range_hash(text: &str, start: usize, end: usize) -> Option<Hash> {
    Lines::of(text).range_hash(start, end)
}

/// A text cut into lines. A line ends with LF or CRLF; a text that ends with one has no further, empty line.
#[derive(Clone, Debug)]
pub struct Lines<'a>(Vec<&'a str>);

impl<'a> Lines<'a> {
    pub fn of(text: &'a str) -> Self {
        Self(text.lines().collect())
    }

    /// The lines without their line ends.
    pub fn all(&self) -> &[&'a str] {
        &self.0
    }

    /// Hashes lines `start` to `end` (from 1, both included): joined by LF, with one LF at the end.
    pub fn range_hash(&self, start: usize, end: usize) -> Option<Hash> {
        let lines = self.0.get(start.checked_sub(1)?..end)?;
        if lines.is_empty() {
            return None;
        }
        let mut hasher = Sha256::new();
        for line in lines {
            hasher.update(line.as_bytes());
            hasher.update(b"\n");
        }
        Some(Hash(hasher.finalize().into()))
    }
}
