use std::path::Path;

use crate::os;

/// How a folder of small files looks from outside: whoever has seen it once can tell whether a file was added, changed
/// or taken away, without reading any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FolderLook {
    /// Over name, size, number and times of each file, whatever their order.
    pub sum: u64,
    /// When a file was last changed, in nanoseconds since 1970.
    pub newest: u128,
    pub files: usize,
}

impl FolderLook {
    /// More files than this are not looked at.
    pub const LIMIT: usize = 2_000;

    /// Looks at the files of a folder whose names `counts` accepts. A folder that is not there looks empty; links are
    /// followed.
    pub fn at(dir: &Path, counts: &dyn Fn(&str) -> bool) -> Self {
        let mut look = Self::default();
        os::each_file(dir, counts, &mut |name, size, stamp| {
            look.files += 1;
            look.newest = look.newest.max(stamp.changed);
            look.sum = look.sum.wrapping_add(mixed(name, size, stamp));
            look.files < Self::LIMIT
        });
        look
    }
}

/// A change detector, not a defence. Every step spreads its bits, so that those of one file do not cancel another's.
fn mixed(name: &str, size: u64, stamp: &os::Stamp) -> u64 {
    // The lower halves of the times tell nanoseconds for five hundred years.
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

    #[test]
    fn every_change_shows() {
        let folder = tempfile::tempdir().unwrap();
        let look = || FolderLook::at(folder.path(), &|name| name.ends_with(".yaml"));
        let path = |name: &str| folder.path().join(name);
        let mut seen = vec![look()];
        let mut step = |does: &dyn Fn()| {
            // Times have the grain of a clock tick.
            std::thread::sleep(std::time::Duration::from_millis(12));
            does();
            let now = look();
            assert!(!seen.contains(&now), "{now:?}");
            seen.push(now);
        };
        step(&|| fs::write(path("a.yaml"), "one").unwrap());
        step(&|| fs::write(path("a.yaml"), "two").unwrap());
        step(&|| fs::write(path("b.yaml"), "one").unwrap());
        step(&|| fs::rename(path("b.yaml"), path("c.yaml")).unwrap());
        step(&|| {
            fs::write(path("new.yaml"), "two").and_then(|()| fs::rename(path("new.yaml"), path("a.yaml"))).unwrap()
        });
        let before = look();
        fs::write(path("other.txt"), "x").unwrap();
        assert_eq!(look(), before);
        assert_eq!(FolderLook::at(&path("missing"), &|_| true), FolderLook::default());
    }

    #[test]
    fn a_folder_without_end_is_looked_at_up_to_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..FolderLook::LIMIT + 500 {
            fs::write(folder.path().join(format!("{number}.yaml")), "").unwrap();
        }
        let asked = std::cell::Cell::new(0);
        let look = FolderLook::at(folder.path(), &|_| {
            asked.set(asked.get() + 1);
            true
        });
        // The folder itself and its parent may be listed, too.
        assert!(look.files == FolderLook::LIMIT && asked.get() <= FolderLook::LIMIT + 2, "{look:?} {}", asked.get());
    }

    #[test]
    #[cfg(unix)]
    fn what_a_link_leads_to_counts() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        fs::write(&target, "one").unwrap();
        std::os::unix::fs::symlink(&target, folder.path().join("a.yaml")).unwrap();
        let look = || FolderLook::at(folder.path(), &|name| name.ends_with(".yaml"));
        let before = look();
        fs::write(&target, "longer").unwrap();
        assert_ne!(look(), before);
        fs::remove_file(&target).unwrap();
        assert_eq!(look().files, 0);
    }
}
