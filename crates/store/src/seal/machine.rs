use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::file::read_capped;
use crate::{Durability, Exact, os, replace, reserve_private, sha256};

/// The machine on which a seal was made: inodes and times in the seal say something only there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Machine(String);

/// The file with an id of our own, in the folder of the seal, where the system names no machine.
const FILE: &str = "machine";

impl Machine {
    /// This machine, for a seal in the folder. If neither the system nor an earlier seal named it, it gets a name.
    pub(super) fn this(dir: &Path) -> Option<Self> {
        Self::named(os::machine_ids(), dir)
    }

    /// Returns true if this is another machine: a home that several share, or that was copied.
    pub(super) fn is_other(&self, dir: &Path) -> bool {
        // A system may have got its name after the seal was made.
        Self::of_system(os::machine_ids()).as_ref() != Some(self) && Self::of_folder(dir).as_ref() != Some(self)
    }

    fn named(ids: impl Iterator<Item = String>, dir: &Path) -> Option<Self> {
        Self::of_system(ids).or_else(|| Self::of_folder(dir)).or_else(|| {
            let path = dir.join(FILE);
            let id = format!("{}\n", uuid::Uuid::new_v4().simple());
            reserve_private(&path).and_then(|()| replace(&path, Exact::Own.bytes(&id), Durability::Quick)).ok()?;
            Self::of_folder(dir)
        })
    }

    /// The first id that is one. Before its first start a system has an empty text or a placeholder in the file.
    fn of_system(ids: impl Iterator<Item = String>) -> Option<Self> {
        let is_id = |id: &&str| {
            let digits = id.bytes().filter(|byte| *byte != b'-');
            digits.clone().count() == 32
                && digits.clone().all(|byte| byte.is_ascii_hexdigit())
                && id.contains(|c| c != '0')
        };
        ids.into_iter().find_map(|text| Some(text.trim()).filter(is_id).map(Self::hashed)).flatten()
    }

    /// Our own id together with the inode of its file, which no copy has.
    fn of_folder(dir: &Path) -> Option<Self> {
        let path = dir.join(FILE);
        let id = String::from_utf8(read_capped(&path, 64).ok()??).ok()?;
        let id = Some(id.trim()).filter(|id| !id.is_empty())?;
        let inode = os::stamp(&fs::metadata(&path).ok()?).number;
        Self::hashed(&format!("{id} {inode}"))
    }

    /// Its name is only comparable: the system's own id is not for others to read.
    fn hashed(id: &str) -> Option<Self> {
        Some(Self(sha256(format!("stead seal {id}").as_bytes()).get(..16)?.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";

    fn named(ids: &[&str], dir: &Path) -> Machine {
        Machine::named(ids.iter().map(|id| (*id).to_owned()), dir).unwrap()
    }

    #[test]
    fn a_system_that_has_a_name_needs_no_file() {
        let dir = tempfile::tempdir().unwrap();
        let usual = named(&[ID], dir.path());
        let check = |ids: &[&str]| assert_eq!(named(ids, dir.path()), usual, "{ids:?}");
        check(&["0f1e2d3c4b5a69788796a5b4c3d2e1f0\n", "11111111111111111111111111111111"]);
        check(&["", ID]);
        check(&["uninitialized\n", ID]);
        check(&["00000000000000000000000000000000\n", ID]);
        check(&["0f1e\n", " \n", ID]);
        assert_ne!(named(&["0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f1"], dir.path()), usual);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_system_without_a_name_gets_one_that_stays() {
        let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [first, second] = [dirs[0].path(), dirs[1].path()];
        let own = named(&["", "uninitialized"], first);
        assert_eq!(named(&[], first), own);
        assert_ne!(named(&[], second), own);
        assert!(!own.is_other(first) && own.is_other(second));
        // A folder that is moved is the same, and a copy is not.
        let moved = second.join("moved");
        fs::rename(first, &moved).unwrap();
        assert_eq!(named(&[], &moved), own);
        fs::create_dir(first).unwrap();
        fs::copy(moved.join(FILE), first.join(FILE)).unwrap();
        assert_ne!(named(&[], first), own);
        // A power cut may leave an empty file.
        fs::write(first.join(FILE), "").unwrap();
        let anew = named(&[], first);
        assert_eq!(named(&[], first), anew);
        // The system gets a name later: both are this machine.
        assert!(named(&[ID], first) != anew && !anew.is_other(first));
    }
}
