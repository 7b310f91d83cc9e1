//! Caches that decide about gates: files that only Stead writes, and that a call believes without compiling them again.

use std::fs::{File, Metadata};
use std::io::Read;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use crate::os;

/// How much later than the time in it a cache may have been changed last, and how much earlier: some file systems count
/// in whole seconds.
const LATER: Duration = Duration::from_millis(100);
const EARLIER: Duration = Duration::from_millis(1100);

/// Opens a cache, if it is a regular file.
pub fn open_cache(path: &Path) -> Option<(File, Metadata)> {
    let file = os::open_to_read(path).ok()?;
    let data = file.metadata().ok().filter(Metadata::is_file)?;
    Some((file, data))
}

/// Reads on from where a file is, until `bytes` has this length. Memory is not cleared first, which would cost as much as
/// the rest of reading. `None` if the file is shorter.
pub fn read_until(file: &mut File, bytes: &mut Vec<u8>, length: usize) -> Option<()> {
    let missing = length.saturating_sub(bytes.len());
    bytes.reserve_exact(missing);
    file.by_ref().take(missing as u64).read_to_end(bytes).ok()?;
    (bytes.len() >= length).then_some(())
}

/// The time that a cache notes about itself, taken just before it is written, in nanoseconds since 1970.
pub fn cache_time() -> u128 {
    UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos())
}

/// Returns true if nothing has touched a cache since it was written. The time of the last change cannot be set, so an
/// edit, a copy and a file put in its place show, whatever they say about themselves.
pub fn is_untouched(data: &Metadata, written: u128) -> bool {
    let changed = os::stamp(data).changed;
    changed <= written.saturating_add(LATER.as_nanos()) && changed.saturating_add(EARLIER.as_nanos()) >= written
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn every_way_to_replace_a_cache_shows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache");
        let written = cache_time();
        fs::write(&path, "as compiled").unwrap();
        let is_good = || open_cache(&path).is_some_and(|(_, data)| is_untouched(&data, written));
        assert!(is_good());
        std::thread::sleep(LATER * 2);
        assert!(is_good());
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, "as rewritten").unwrap();
        // The time of modification can be set back; that is a change, too.
        File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
        assert!(!is_good());
        let other = folder.path().join("other");
        fs::write(&other, "as compiled").unwrap();
        fs::rename(&other, &path).unwrap();
        assert!(!is_good());
        fs::remove_file(&path).unwrap();
        assert!(!is_good());
        fs::create_dir(&path).unwrap();
        assert!(!is_good());
    }

    #[test]
    fn a_cache_from_the_future_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache");
        fs::write(&path, "").unwrap();
        let (_, data) = open_cache(&path).unwrap();
        assert!(!is_untouched(&data, cache_time() + 60_000_000_000));
        assert!(!is_untouched(&data, u128::MAX));
    }
}
