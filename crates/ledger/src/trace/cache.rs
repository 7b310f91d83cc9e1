//! What helps to know the text before a change: the last state in which the ledger saw each file, and the texts of recent
//! ones. All of it can be deleted; then some changes have no class.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use stead_code::file_hash;
use stead_store::{Durability, Exact, read_capped, redact, replace_creating, sha256};

/// The longest text that is kept.
const LONGEST: usize = 512 * 1024;

/// How many texts, and how many bytes of them, are kept.
const MOST: usize = 400;
const MOST_BYTES: u64 = 32 * 1024 * 1024;

/// Files below `.agent/cache/`.
#[derive(Clone, Debug)]
pub struct TraceCache {
    dir: PathBuf,
}

/// A file as the ledger last saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sight {
    /// Size, number and times, see [`stead_store::file_stamp`].
    pub stamp: String,
    /// The hash of its bytes, `sha256:…`.
    pub hash: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

impl TraceCache {
    pub fn of(cache: &Path) -> Self {
        Self { dir: cache.to_owned() }
    }

    pub(crate) fn spool(&self) -> PathBuf {
        self.dir.join("spool")
    }

    fn sight_path(&self, path: &str) -> PathBuf {
        self.dir.join("sights").join(&sha256(path)[..32])
    }

    /// How the ledger last saw a file.
    pub fn sight(&self, path: &str) -> Option<Sight> {
        let text = String::from_utf8(read_capped(&self.sight_path(path), 1024).ok()??).ok()?;
        let mut fields = text.split_whitespace();
        let (stamp, hash, at) = (fields.next()?.to_owned(), fields.next()?.to_owned(), fields.next()?.parse().ok()?);
        Some(Sight { stamp, hash, at })
    }

    /// Remembers how a file looks now, and its text, if that is not long. Best effort.
    pub fn remember(&self, path: &str, sight: &Sight, bytes: Option<&[u8]>) {
        let Sight { stamp, hash, at } = sight;
        let line = format!("{stamp} {hash} {at}\n");
        let _ = replace_creating(&self.sight_path(path), Exact::Own.bytes(&line), Durability::Quick);
        if let Some(bytes) = bytes {
            self.keep(hash, bytes);
        }
    }

    /// Keeps a text with its hash, if it is not long. Best effort.
    pub fn keep(&self, hash: &str, bytes: &[u8]) {
        let is_new = |blob: &PathBuf| bytes.len() <= LONGEST && !blob.exists();
        // A copy has to be equal to the file, so one with secrets is not made.
        let is_safe = || std::str::from_utf8(bytes).is_ok_and(|text| redact(text).count() == 0);
        if let Some(blob) = self.blob_path(hash).filter(is_new).filter(|_| is_safe()) {
            let _ = replace_creating(&blob, Exact::Copied.bytes(bytes), Durability::Quick);
        }
    }

    /// Forgets a file that is gone.
    pub fn forget(&self, path: &str) {
        let _ = fs::remove_file(self.sight_path(path));
    }

    fn blob_path(&self, hash: &str) -> Option<PathBuf> {
        let name = hash.strip_prefix("sha256:")?;
        let fits = name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        fits.then(|| self.dir.join("blobs").join(name))
    }

    /// The text with a hash, if it was kept and is whole.
    pub fn blob(&self, hash: &str) -> Option<Vec<u8>> {
        let bytes = read_capped(&self.blob_path(hash)?, LONGEST).ok()??;
        (file_hash(&bytes).to_string() == hash).then_some(bytes)
    }

    /// Removes the oldest texts and sights if there are too many.
    pub fn prune(&self) {
        prune(&self.dir.join("blobs"), MOST, MOST_BYTES);
        prune(&self.dir.join("sights"), MOST * 10, u64::MAX);
    }
}

fn prune(dir: &Path, most: usize, most_bytes: u64) {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
        .filter_map(|entry| {
            let data = entry.metadata().ok()?;
            Some((data.modified().ok()?, data.len(), entry.path()))
        })
        .collect();
    files.sort_by_key(|(modified, ..)| std::cmp::Reverse(*modified));
    let mut bytes = 0;
    for (at, (_, length, path)) in files.iter().enumerate() {
        bytes += length;
        if at >= most || bytes > most_bytes {
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sight_and_its_text_are_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let cache = TraceCache::of(folder.path());
        let hash = file_hash(b"text\n").to_string();
        let sight = Sight { stamp: "5.1.2.3".into(), hash: hash.clone(), at: 7 };
        assert_eq!((cache.sight("a"), cache.blob(&hash)), (None, None));
        cache.remember("a", &sight, Some(b"text\n"));
        assert_eq!((cache.sight("a"), cache.blob(&hash)), (Some(sight), Some(b"text\n".to_vec())));
        assert_eq!(cache.blob("sha256:../../x"), None);
        fs::write(cache.blob_path(&hash).unwrap(), "torn").unwrap();
        assert_eq!(cache.blob(&hash), None);
        cache.forget("a");
        assert_eq!(cache.sight("a"), None);
    }

    #[test]
    fn only_so_many_texts_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let cache = TraceCache::of(folder.path());
        for n in 0..MOST + 20 {
            let text = format!("text {n}");
            let sight = Sight { stamp: "x".into(), hash: file_hash(text.as_bytes()).to_string(), at: 0 };
            cache.remember("a", &sight, Some(text.as_bytes()));
        }
        cache.prune();
        assert_eq!(fs::read_dir(folder.path().join("blobs")).unwrap().count(), MOST);
    }
}
