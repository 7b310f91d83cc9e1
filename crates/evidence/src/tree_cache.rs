//! Caches hashes of files by size and time stamps, so that the state of many files can be computed within a hook call.
//! It is in the cache room and can be deleted at any time.

use std::collections::HashMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use stead_store::{Durability, Exact, file_stamp, read_capped, replace_creating};

/// With fewer files, reading them is cheaper than reading the cache.
const FEW: usize = 256;

/// The largest cache that is read.
const LIMIT: usize = 64 * 1024 * 1024;

/// A file that changed this shortly before the cache was written may have changed again with the same time stamp.
pub(crate) const RACY: Duration = Duration::from_millis(50);

const HEAD: &str = "stead-trees 1";

#[derive(Default)]
pub(crate) struct TreeCache {
    path: Option<PathBuf>,
    /// By path: stamp and hash.
    known: HashMap<String, (String, String)>,
    changed: bool,
}

impl TreeCache {
    /// Opens the cache if it is worth it for this many files.
    pub(crate) fn open(folder: &Path, files: usize) -> Self {
        if files < FEW || !folder.is_dir() {
            return Self::default();
        }
        let path = folder.join("trees");
        let text = read_capped(&path, LIMIT).ok().flatten().and_then(|bytes| String::from_utf8(bytes).ok());
        let mut cache = Self { path: Some(path), ..Self::default() };
        if let Some(rest) = text.as_deref().and_then(|text| text.strip_prefix(HEAD)) {
            for line in rest.lines() {
                let mut fields = line.splitn(3, '\t');
                if let (Some(stamp), Some(hash), Some(path)) = (fields.next(), fields.next(), fields.next()) {
                    cache.known.insert(path.to_owned(), (stamp.to_owned(), hash.to_owned()));
                }
            }
        }
        cache
    }

    pub(crate) fn known(&self, path: &str, data: &Metadata) -> Option<String> {
        let (stamp, hash) = self.known.get(path)?;
        (data.is_file() && *stamp == file_stamp(data).text).then(|| hash.clone())
    }

    pub(crate) fn learn(&mut self, path: &str, data: &Metadata, hash: &str) {
        let fits = self.path.is_some() && data.is_file() && hash.len() == 40 && !path.contains(['\n', '\t']);
        let stamp = file_stamp(data);
        // A file with the current time stamp may still change without getting a new one.
        let is_racy = UNIX_EPOCH.elapsed().is_ok_and(|now| now < stamp.changed + RACY);
        if fits && !is_racy {
            self.known.insert(path.to_owned(), (stamp.text, hash.to_owned()));
            self.changed = true;
        }
    }

    /// Writes new hashes; if that fails, later calls are only slower.
    pub(crate) fn save(&self) {
        let Some(path) = self.path.as_ref().filter(|_| self.changed) else { return };
        let mut text = format!("{HEAD}\n");
        for (path, (stamp, hash)) in &self.known {
            text.push_str(&format!("{stamp}\t{hash}\t{path}\n"));
        }
        let _ = replace_creating(path, Exact::Own.bytes(&text), Durability::Quick);
    }
}
