use std::fs::File;
use std::path::Path;
use std::time::Duration;

use crate::append::{Waiting, lock};
use crate::error::At;
use crate::file::{read_capped, replace};
use crate::{Durability, Edited, FileContent, StoreError, os};

const PATIENCE: Duration = Duration::from_secs(5);

/// Changes a whole file of at most `limit` bytes with a function of its content (`None` while the file does not exist).
/// The folder is locked meanwhile, so one process at a time does this. If the function returns `None` or fails, the
/// file is not touched.
pub fn amend<E: From<StoreError>>(
    path: &Path,
    limit: usize,
    durability: Durability,
    change: impl FnOnce(Option<Vec<u8>>) -> Result<Option<FileContent<'static>>, E>,
) -> Result<Edited, E> {
    let _turn = take_turn(path, PATIENCE)?;
    let old = read_capped(path, limit)?;
    match change(old)? {
        Some(new) => {
            replace(path, new, durability)?;
            Ok(Edited::Changed)
        }
        None => Ok(Edited::Unchanged),
    }
}

/// Locks the folder of a file, because the file itself is about to be replaced or moved. The system frees the lock of a
/// process that was killed. `None` where folders cannot be locked.
pub fn take_turn(path: &Path, patience: Duration) -> Result<Option<File>, StoreError> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = os::open_folder(dir).at("open", dir)?;
    if let Some(folder) = &folder {
        lock(folder, path, &mut Waiting::new(patience))?;
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Exact;

    #[test]
    fn sixteen_writers_count_together() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("count");
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    amend::<StoreError>(&path, 100, Durability::Quick, |old| {
                        let count: u32 = old.map_or(0, |old| String::from_utf8(old).unwrap().parse().unwrap());
                        Ok(Some(Exact::Own.owned((count + 1).to_string())))
                    })
                    .unwrap();
                });
            }
        });
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "16");
    }

    #[test]
    fn a_change_that_fails_or_changes_nothing_leaves_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "old").unwrap();
        let failed = amend(&path, 100, Durability::Quick, |_| Err(StoreError::NotAFile { path: path.clone() }));
        assert!(failed.is_err());
        assert_eq!(amend::<StoreError>(&path, 100, Durability::Quick, |_| Ok(None)).unwrap(), Edited::Unchanged);
        assert!(amend::<StoreError>(&path, 2, Durability::Quick, |_| Ok(Some("".into()))).is_err(), "over the limit");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
    }
}
