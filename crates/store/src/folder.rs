use std::path::Path;

use crate::os;

/// A fingerprint of a folder of small files: it changes when a file is added, changed or removed. No file is read for
/// it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FolderLook {
    /// Over name, size, inode and times of each file and of the folder itself, in any order.
    pub sum: u64,
    /// When a file or the folder was last changed, in nanoseconds since 1970.
    pub newest: u128,
    pub files: usize,
}

/// Separates names; no name can contain it.
const BETWEEN: char = '/';

impl FolderLook {
    /// Files beyond this number are ignored.
    pub const LIMIT: usize = 2_000;

    /// Fingerprints the files of a folder whose names `counts` accepts, and returns their names for the next
    /// comparison. A missing folder counts as empty; links are followed.
    pub fn at(dir: &Path, counts: &dyn Fn(&str) -> bool) -> (Self, String) {
        let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| counts(name));
        let mut listed = String::new();
        for name in names.take(Self::LIMIT) {
            if !listed.is_empty() {
                listed.push(BETWEEN);
            }
            listed.push_str(&name);
        }
        (Self::again(dir, &listed), listed)
    }

    /// Fingerprints the files with these names again. Added files are noticed too, because the folder's own timestamp
    /// changes. Listing the folder would take half as long again as one `stat` for each file.
    pub fn again(dir: &Path, names: &str) -> Self {
        const FOLDER: &str = ".";
        let mut look = Self::default();
        let files = names.split(BETWEEN).filter(|name| !name.is_empty());
        os::each_file(dir, files.chain([FOLDER]), &mut |name, size, stamp| {
            look.files += usize::from(name != FOLDER);
            look.newest = look.newest.max(stamp.changed);
            look.sum = look.sum.wrapping_add(mixed(name, size, stamp));
        });
        look
    }
}

/// The sum over the stamps of files in a folder by their names (`.` for the folder itself), and the newest time of change.
/// A file that is not there adds nothing.
pub(crate) fn sum_of<'n>(dir: &Path, names: impl Iterator<Item = &'n str>) -> (u64, u128) {
    let (mut sum, mut newest) = (0u64, 0);
    os::each_file(dir, names, &mut |name, size, stamp| {
        newest = newest.max(stamp.changed);
        sum = sum.wrapping_add(mixed(name, size, stamp));
    });
    (sum, newest)
}

/// Detects changes; it is not cryptographic. Every step mixes its bits, so that two files do not cancel each other out.
pub(crate) fn mixed(name: &str, size: u64, stamp: &os::Stamp) -> u64 {
    // The lower halves hold the nanoseconds of the next five hundred years.
    let numbers = [size, stamp.number, stamp.modified as u64, stamp.changed as u64];
    let words = name.bytes().map(u64::from).chain(numbers);
    words.fold(0xcbf2_9ce4_8422_2325, |hash: u64, word| {
        let mixed = (hash ^ word).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ (mixed >> 29)
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// How a folder looks, and how it looked to somebody who knows the names of old.
    fn look(folder: &Path, known: &str) -> [FolderLook; 2] {
        let (look, names) = FolderLook::at(folder, &|name| name.ends_with(".yaml"));
        assert_eq!(FolderLook::again(folder, &names), look, "{names}");
        [look, FolderLook::again(folder, known)]
    }

    #[test]
    fn every_change_shows() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let mut seen = look(folder.path(), "").to_vec();
        let mut step = |known: &str, does: &dyn Fn()| {
            // Times have the grain of a clock tick.
            std::thread::sleep(std::time::Duration::from_millis(12));
            does();
            let now = look(folder.path(), known);
            assert!(!now.iter().any(|now| seen.contains(now)), "{now:?}");
            seen.extend(now);
        };
        step("", &|| fs::write(path("a.yaml"), "one").unwrap());
        step("a.yaml", &|| fs::write(path("a.yaml"), "two").unwrap());
        step("a.yaml", &|| fs::write(path("b.yaml"), "one").unwrap());
        step("a.yaml/b.yaml", &|| fs::rename(path("b.yaml"), path("c.yaml")).unwrap());
        step("a.yaml/c.yaml", &|| {
            fs::write(path("new.yaml"), "two").and_then(|()| fs::rename(path("new.yaml"), path("a.yaml"))).unwrap()
        });
        step("a.yaml/c.yaml", &|| fs::remove_file(path("c.yaml")).unwrap());
        let missing = FolderLook::at(&path("missing"), &|_| true);
        assert_eq!(missing, (FolderLook::default(), String::new()));
    }

    #[test]
    fn a_folder_without_end_is_looked_at_up_to_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..FolderLook::LIMIT + 500 {
            fs::write(folder.path().join(format!("{number}.yaml")), "").unwrap();
        }
        let asked = std::cell::Cell::new(0);
        let (look, names) = FolderLook::at(folder.path(), &|_| {
            asked.set(asked.get() + 1);
            true
        });
        assert_eq!((look.files, asked.get()), (FolderLook::LIMIT, FolderLook::LIMIT));
        assert_eq!(names.split(BETWEEN).count(), FolderLook::LIMIT);
    }

    #[test]
    #[cfg(unix)]
    fn what_a_link_leads_to_counts() {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let target = elsewhere.path().join("target");
        fs::write(&target, "one").unwrap();
        std::os::unix::fs::symlink(&target, folder.path().join("a.yaml")).unwrap();
        let look = || look(folder.path(), "a.yaml");
        let before = look();
        fs::write(&target, "longer").unwrap();
        assert!(look() != before && look()[0] == look()[1]);
        fs::remove_file(&target).unwrap();
        assert_eq!(look().map(|look| look.files), [0, 0]);
        // It comes back without a change of the folder.
        fs::write(&target, "new").unwrap();
        assert_eq!(look().map(|look| look.files), [1, 1]);
    }
}
