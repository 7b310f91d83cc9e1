//! The content of folders, each listed once per call: many guards need the same folder.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::rc::Rc;

use stead_guard::{FileSort, Looked};

/// How many entries of folders are read for one shell pattern, and how deep.
const ENTRIES: usize = 4_000;
const DEPTH: usize = 24;

/// One entry of a folder; `None` for a name that is not UTF-8, which is still counted.
struct Entry {
    path: String,
    is_folder: bool,
}

#[derive(Default)]
pub(super) struct Listings {
    known: RefCell<BTreeMap<String, Rc<[Option<Entry>]>>>,
}

impl Listings {
    /// Searches a folder; gives up if the tree has too many entries.
    pub(super) fn look_through(&self, folder: &str, fits: &dyn Fn(&str, FileSort) -> bool) -> Looked {
        let mut folders = vec![(self.of(folder.trim_end_matches('/')), 0)];
        let mut seen = 0;
        while let Some((entries, depth)) = folders.pop() {
            for entry in &*entries {
                seen += 1;
                if seen > ENTRIES || depth > DEPTH {
                    return Looked::Unknown;
                }
                let Some(Entry { path, is_folder }) = entry else { continue };
                if *is_folder {
                    if fits(path, FileSort::Folder) {
                        folders.push((self.of(path), depth + 1));
                    }
                } else if fits(path, FileSort::File) {
                    return Looked::Found(path.clone());
                }
            }
        }
        Looked::Nothing
    }

    /// The entries of a folder, up to one more than the limit; empty if it cannot be read.
    fn of(&self, folder: &str) -> Rc<[Option<Entry>]> {
        if let Some(known) = self.known.borrow().get(folder) {
            return Rc::clone(known);
        }
        let entries = fs::read_dir(if folder.is_empty() { "/" } else { folder }).into_iter().flatten().flatten();
        let entry = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            Some(Entry { path: format!("{folder}/{name}"), is_folder: entry.file_type().ok()?.is_dir() })
        };
        let entries: Rc<[Option<Entry>]> = entries.take(ENTRIES + 1).map(entry).collect();
        self.known.borrow_mut().insert(folder.to_owned(), Rc::clone(&entries));
        entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_listed_once_and_give_the_same_answers() {
        let world = tempfile::tempdir().unwrap();
        let top = world.path().to_str().unwrap();
        for file in ["a/one.txt", "a/b/two.txt", "c/three.log"] {
            let path = world.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let listings = Listings::default();
        let find =
            |ending: &str| listings.look_through(top, &|path, sort| sort == FileSort::Folder || path.ends_with(ending));
        assert_eq!(find("two.txt"), Looked::Found(format!("{top}/a/b/two.txt")));
        assert_eq!(find(".none"), Looked::Nothing);
        fs::remove_dir_all(world.path().join("a")).unwrap();
        assert_eq!(find("two.txt"), Looked::Found(format!("{top}/a/b/two.txt")));
        assert_eq!(Listings::default().look_through(top, &|_, _| true), Looked::Found(format!("{top}/c/three.log")));
        assert_eq!(Listings::default().look_through(&format!("{top}/gone"), &|_, _| true), Looked::Nothing);
    }

    #[test]
    fn a_tree_without_end_is_given_up() {
        let world = tempfile::tempdir().unwrap();
        let top = world.path().to_str().unwrap();
        let listings = Listings::default();
        for number in 0..ENTRIES {
            fs::write(world.path().join(number.to_string()), "").unwrap();
        }
        assert_eq!(listings.look_through(top, &|_, _| false), Looked::Nothing);
        fs::write(world.path().join("more"), "").unwrap();
        assert_eq!(Listings::default().look_through(top, &|_, _| false), Looked::Unknown);
    }
}
