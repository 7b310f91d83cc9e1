//! Whole files: read within a bound, replaced or created in one step. A reader sees the old content or the new one,
//! never a part, and a failed write leaves the old file as it was. It never decides what a file should hold.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::At;
use crate::fault::moment;
use crate::fence::{is_private, open_stays_inside, stays_inside};
use crate::file_content::Access;
use crate::seal::{Coming, announce};
use crate::{Durability, FileContent, StoreError, os};

/// As many links as Linux follows.
const LINK_LIMIT: usize = 40;

/// What happened to a file that should exist afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Creation {
    Created,
    /// It already existed and was not touched.
    Existed,
}

/// Replaces a file's whole content, or creates the file. The temporary file is created beside the target and renamed
/// over it. Mode and, where permitted, owner are kept; a symbolic link is followed and its target replaced. The folder
/// must exist (see [`create_parents`]).
pub fn replace<'a>(path: &Path, content: impl Into<FileContent<'a>>, durability: Durability) -> Result<(), StoreError> {
    replace_with(path, &content.into(), durability)
}

fn replace_with(path: &Path, content: &FileContent<'_>, durability: Durability) -> Result<(), StoreError> {
    let bytes = content.as_bytes();
    let target = follow(path)?;
    stays_inside(path, &target)?;
    let old = match fs::metadata(&target) {
        Ok(data) if data.is_file() => Some(data),
        Ok(_) => return Err(StoreError::NotAFile { path: target }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).at("look at", &target),
    };
    let temporary = write_beside(&target, bytes, content.access(), durability, |file| match &old {
        Some(old) => os::take_over(file, old),
        None => Ok(()),
    })?;
    announce(path, Coming::Text(bytes));
    moment();
    temporary.persist(&target).map_err(|error| error.error).at("replace", &target)?;
    moment();
    sync_folder(&target, durability)
}

/// Like [`replace`], but creates missing parent folders.
pub fn replace_creating<'a>(
    path: &Path,
    content: impl Into<FileContent<'a>>,
    durability: Durability,
) -> Result<(), StoreError> {
    let content = content.into();
    match replace_with(path, &content, durability) {
        Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            let target = follow(path)?;
            stays_inside(path, &target)?;
            create_parents(&target)?;
            replace_with(path, &content, durability)
        }
        outcome => outcome,
    }
}

/// Creates a file with its whole content, unless something of that name exists.
pub fn create<'a>(
    path: &Path,
    content: impl Into<FileContent<'a>>,
    durability: Durability,
) -> Result<Creation, StoreError> {
    let content = content.into();
    let bytes = content.as_bytes();
    // Checking first avoids a temporary file, which would change the folder's timestamp.
    match fs::symlink_metadata(path) {
        Ok(_) => return Ok(Creation::Existed),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).at("look at", path),
    }
    stays_inside(path, path)?;
    let temporary = write_beside(path, bytes, content.access(), durability, |_| Ok(()))?;
    announce(path, Coming::Text(bytes));
    moment();
    match temporary.persist_noclobber(path) {
        Ok(_) => {}
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => return Ok(Creation::Existed),
        Err(error) => return Err(error.error).at("create", path),
    }
    moment();
    sync_folder(path, durability)?;
    Ok(Creation::Created)
}

/// Removes a file.
pub fn remove(path: &Path) -> Result<(), StoreError> {
    announce(path, Coming::Removal);
    moment();
    fs::remove_file(path).at("remove", path)?;
    moment();
    Ok(())
}

/// Makes sure that a file exists; a new one is readable by its owner only, and [`replace`] keeps that. The folder must
/// exist.
pub fn reserve_private(path: &Path) -> Result<(), StoreError> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    stays_inside(path, path)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".stead-").suffix(".tmp");
    match builder.tempfile_in(dir).at("create a temporary file for", path)?.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error.error).at("create", path),
    }
}

/// Creates the folders above a file and returns the new ones, outermost first.
pub fn create_parents(path: &Path) -> Result<Vec<PathBuf>, StoreError> {
    stays_inside(path, path)?;
    let missing: Vec<PathBuf> = path
        .ancestors()
        .skip(1)
        .take_while(|dir| !dir.as_os_str().is_empty() && !dir.is_dir())
        .map(Path::to_owned)
        .collect();
    let mut created = Vec::new();
    for dir in missing.into_iter().rev() {
        match create_folder(&dir) {
            Ok(()) => created.push(dir),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && dir.is_dir() => {}
            Err(error) => return Err(error).at("create folder", &dir),
        }
    }
    Ok(created)
}

/// Creates a folder as private as the one it lies in.
pub fn create_folder(dir: &Path) -> io::Result<()> {
    os::create_dir(dir, is_private(dir))
}

/// Opens a regular file to read, and says how long it is. `None` if there is none; anything else (a FIFO, a device) is an
/// error, and so is a file of a project's own folders that lies outside the project. It waits for nothing.
pub(crate) fn open_regular(path: &Path) -> Result<Option<(File, u64)>, StoreError> {
    let file = match os::open_to_read(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).at("open", path),
    };
    let length = match file.metadata().at("look at", path)? {
        data if data.is_file() => data.len(),
        _ => return Err(StoreError::NotAFile { path: path.to_owned() }),
    };
    open_stays_inside(path, &file)?;
    Ok(Some((file, length)))
}

/// Opens a regular file to read, like [`File::open`], but waits for nothing, opens no device, and leaves no project through
/// a link.
pub fn open_file(path: &Path) -> io::Result<File> {
    match open_regular(path) {
        Ok(Some((file, _))) => Ok(file),
        Ok(None) => Err(io::ErrorKind::NotFound.into()),
        Err(StoreError::Io { source, .. }) => Err(source),
        Err(error) => Err(io::Error::other(error.to_string())),
    }
}

/// Reads a whole regular file; see [`open_file`].
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = open_file(path)?;
    let mut bytes = Vec::with_capacity(file.metadata().map_or(0, |data| usize::try_from(data.len()).unwrap_or(0)));
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a whole regular file as text; see [`open_file`].
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read_file(path)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Reads a regular file of at most `limit` bytes. `None` if there is none; longer or special files are an error.
pub fn read_capped(path: &Path, limit: usize) -> Result<Option<Vec<u8>>, StoreError> {
    let Some((file, length)) = open_regular(path)? else { return Ok(None) };
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let mut bytes = Vec::with_capacity(length.min(limit));
    file.take(limit as u64 + 1).read_to_end(&mut bytes).at("read", path)?;
    if bytes.len() > limit {
        let source = io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {limit} bytes"));
        return Err(source).at("read", path);
    }
    Ok(Some(bytes))
}

pub(crate) fn write_beside(
    target: &Path,
    bytes: &[u8],
    access: Access,
    durability: Durability,
    prepare: impl FnOnce(&File) -> io::Result<()>,
) -> Result<NamedTempFile, StoreError> {
    let dir = match target.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".stead-").suffix(".tmp");
    if access == Access::Folder {
        os::open_like_folder(&mut builder, dir);
    }
    let mut temporary = builder.tempfile_in(dir).at("create a temporary file for", target)?;
    let file = temporary.as_file_mut();
    prepare(file).at("prepare a temporary file for", target)?;
    file.write_all(bytes).at("write", target)?;
    if durability == Durability::Synced {
        file.sync_all().at("sync", target)?;
    }
    Ok(temporary)
}

/// Makes the new name survive a power cut.
fn sync_folder(target: &Path, durability: Durability) -> Result<(), StoreError> {
    match target.parent() {
        Some(dir) if durability == Durability::Synced => os::sync_folder(dir).at("sync", dir),
        _ => Ok(()),
    }
}

/// Resolves symbolic links, even if the last one points to nothing yet.
pub(crate) fn follow(path: &Path) -> Result<PathBuf, StoreError> {
    let mut target = path.to_owned();
    for _ in 0..LINK_LIMIT {
        match fs::symlink_metadata(&target) {
            Ok(data) if data.is_symlink() => {
                let next = fs::read_link(&target).at("read the link", &target)?;
                target = match target.parent() {
                    Some(dir) => dir.join(next),
                    None => next,
                };
            }
            _ => return Ok(target),
        }
    }
    Err(StoreError::LinkLoop { path: path.to_owned() })
}
