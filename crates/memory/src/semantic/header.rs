use std::ops::Range;

use serde::{Deserialize, Serialize};
use stead_store::sha256;

use super::checksum::checksum;
use super::shape::Shape;

/// The version of a model file. What changes the vectors of a text changes it, too.
pub(crate) const VERSION: u32 = 1;

/// The length of the checksum behind the body.
const TAIL: usize = 8;

/// The first line of a model file. The body and its checksum follow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) v: u32,
    pub(crate) model: String,
    pub(crate) shape: Shape,
    /// SHA-256 of the published files that it was made from.
    pub(crate) weights: String,
    pub(crate) vocabulary: String,
    /// When it was made; ISO 8601, UTC.
    pub(crate) installed: String,
    /// The length of the body.
    pub(crate) bytes: usize,
    /// SHA-256 of the body.
    pub(crate) sha256: String,
}

/// Why a file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    Version(u64),
    Corrupt(&'static str),
}

impl Header {
    /// The whole file with this header, whose length and hash are set.
    pub(crate) fn pack(mut self, body: &[u8]) -> Vec<u8> {
        self.bytes = body.len();
        self.sha256 = sha256(body);
        let mut file = serde_json::to_vec(&self).unwrap_or_default();
        file.reserve(body.len() + 1 + TAIL);
        file.push(b'\n');
        file.extend_from_slice(body);
        let sum = checksum(&file);
        file.extend(sum.to_le_bytes());
        file
    }

    /// Reads a file and says where its body is. This checks the length and the checksum, not the hash.
    pub(crate) fn unpack(file: &[u8]) -> Result<(Self, Range<usize>), Flaw> {
        /// A first line is shorter.
        const LONGEST: usize = 4_096;
        let line = memchr::memchr(b'\n', &file[..file.len().min(LONGEST)]).ok_or(Flaw::Corrupt("it has no header"))?;
        let value: serde_json::Value =
            serde_json::from_slice(&file[..line]).map_err(|_| Flaw::Corrupt("its header is not JSON"))?;
        match value["v"].as_u64() {
            None => return Err(Flaw::Corrupt("its header has no version")),
            Some(found) if found != u64::from(VERSION) => return Err(Flaw::Version(found)),
            Some(_) => {}
        }
        let header: Self = serde_json::from_value(value).map_err(|_| Flaw::Corrupt("its header lacks a field"))?;
        let body = line + 1..file.len().saturating_sub(TAIL);
        if body.len() != header.bytes {
            return Err(Flaw::Corrupt("its length is not the one of its header"));
        }
        match file.split_last_chunk::<TAIL>() {
            Some((all, sum)) if u64::from_le_bytes(*sum) == checksum(all) => Ok((header, body)),
            _ => Err(Flaw::Corrupt("its checksum does not match")),
        }
    }
}
