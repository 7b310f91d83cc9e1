//! The first part of the index: for each folder the sum over the stamps of its sealed files, and for each log its inode
//! and length. It is compared without parsing the rest.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use stead_model::{cut, pieces};

use super::Look;
use super::index::Index;
use crate::folder::sum_of;
use crate::os;

const HEAD: &str = "stead-seal\t1\t";

const STEADY: &str = "steady";
const CLEAR: &str = "clear";

/// What separates the two parts.
const END: &str = "\n\n";

/// Between names of one folder.
const BETWEEN: u8 = b'/';

/// Stands for the folder itself, whose stamp changes if a file is added.
const FOLDER: &str = ".";

/// A file that changed within this many nanoseconds before it was sealed may change again without a new time.
const RACY: u128 = 20_000_000;

/// Bytes for a folder below the root.
const ROOM: usize = 64;

pub(super) struct Quick;

impl Quick {
    /// The two parts of an index of this version.
    pub(super) fn split(text: &str) -> Option<(&str, &str)> {
        text.strip_prefix(HEAD)?;
        text.split_once(END)
    }

    pub(super) fn look(text: &str, root: &Path, seen: &mut dyn FnMut(&Path, u64)) -> Look {
        match Self::is_same(text, root, seen) {
            Some(true) => Look::Same,
            _ if Self::split(text).is_some() => Look::Changed,
            _ => Look::Unsealed,
        }
    }

    /// Returns true if the seal is known to have no change that waits for a person. The first bytes of its text are enough.
    pub(super) fn is_clear(start: &str) -> bool {
        start.strip_prefix(HEAD).and_then(|rest| rest.split(['\t', '\n']).nth(1)) == Some(CLEAR)
    }

    /// Returns true if stamps alone tell whether a file has changed.
    pub(super) fn is_steady(text: &str) -> bool {
        text.strip_prefix(HEAD).and_then(|rest| rest.split('\t').next()) == Some(STEADY)
    }

    /// Calls `seen` for each folder whose files are the same, with the sum over them.
    fn is_same(text: &str, root: &Path, seen: &mut dyn FnMut(&Path, u64)) -> Option<bool> {
        let (head, mut text) = cut(text, b'\n')?;
        if !Self::is_steady(head) {
            return Some(false);
        }
        let mut folder = PathBuf::with_capacity(root.as_os_str().len() + ROOM);
        loop {
            let (line, behind) = cut(text, b'\n')?;
            if line.is_empty() {
                return Some(true);
            }
            text = behind;
            let (kind, rest) = cut(line, b'\t')?;
            let (state, rest) = cut(rest, b'\t')?;
            let (below, names) = cut(rest, b'\t')?;
            folder.clear();
            folder.push(root);
            folder.push(below);
            match kind {
                "files" => {
                    let sum = u64::from_str_radix(state, 16).ok()?;
                    if sum_of(&folder, pieces(names, BETWEEN)).0 != sum {
                        return Some(false);
                    }
                    seen(&folder, sum);
                }
                _ => {
                    let (inode, length) = cut(state, b'.')?;
                    let (inode, length): (u64, u64) = (inode.parse().ok()?, length.parse().ok()?);
                    let mut grew = false;
                    os::each_file(&folder, std::iter::once(names), &mut |_, size, stamp| {
                        grew = stamp.number == inode && size >= length;
                    });
                    if !grew {
                        return Some(false);
                    }
                }
            }
        }
    }

    /// `folders` are looked at as well, so that a new file in them is noticed.
    pub(super) fn render(index: &Index, root: &Path, folders: &[PathBuf]) -> String {
        let mut names: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
        for file in &index.files {
            let path = Path::new(&file.path);
            let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { continue };
            names.entry(folder.to_owned()).or_default().push(name.to_string_lossy().into_owned());
        }
        for folder in folders {
            let folder = folder.strip_prefix(root).unwrap_or(folder);
            names.entry(folder.to_owned()).or_default().push(FOLDER.to_owned());
        }
        let now = UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos());
        let mut newest = 0;
        let mut lines = String::new();
        for (folder, names) in &names {
            let names = names.join("/");
            let (sum, changed) = sum_of(&root.join(folder), pieces(&names, BETWEEN));
            newest = newest.max(changed);
            lines.push_str(&format!("\nfiles\t{sum:x}\t{}\t{names}", folder.to_string_lossy()));
        }
        for log in &index.logs {
            let path = Path::new(&log.path);
            let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { continue };
            let (folder, name) = (folder.to_string_lossy(), name.to_string_lossy());
            lines.push_str(&format!("\nlog\t{}.{}\t{folder}\t{name}", log.inode, log.length));
        }
        // The next look compares the files themselves, once.
        let state = if newest + RACY > now { "racy" } else { STEADY };
        let waits = if index.files.iter().any(|file| file.pending.is_some()) { "pending" } else { CLEAR };
        format!("{HEAD}{state}\t{waits}{lines}{END}")
    }
}
