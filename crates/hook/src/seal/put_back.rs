//! Puts a file back that a call weakened, and keeps what was found.

use std::fs;
use std::path::Path;

use stead_settings::restore;
use stead_store::seal::Present;
use stead_store::{Durability, Exact, create_parents, remove, replace, reserve_private};

use super::judge::watched_variables;
use super::kind::Kind;
use super::project::SealedProject;

impl SealedProject<'_> {
    /// Puts a file back as it was. `None` if that failed; else where the file that was found is kept, if there was one.
    pub(super) fn put_back(
        &self,
        kind: Kind,
        path: &Path,
        before: Option<&[u8]>,
        present: &Present,
        id: &str,
    ) -> Option<Option<String>> {
        let displaced = match present.stamp {
            Some(_) => Some(self.keep_aside(path, present, id)?),
            None => None,
        };
        let text = match kind {
            Kind::Settings => self.restored(path, before, present).or_else(|| before.map(<[u8]>::to_vec)),
            _ => before.map(<[u8]>::to_vec),
        };
        let done = match text {
            Some(text) => {
                let _ = create_parents(path);
                replace(path, Exact::Copied.bytes(&text), Durability::Quick)
            }
            None if fs::symlink_metadata(path).is_ok() => remove(path),
            None => Ok(()),
        };
        done.ok().map(|()| displaced)
    }

    /// A settings file is the person's: our lines return into the text as it is.
    fn restored(&self, path: &Path, before: Option<&[u8]>, present: &Present) -> Option<Vec<u8>> {
        let place = self.settings_place(path)?;
        let before = before.map(std::str::from_utf8).transpose().ok()?;
        let present = std::str::from_utf8(present.bytes.as_deref()?).ok()?;
        restore(place.shape, place.watch, &watched_variables(), before, present).map(String::into_bytes)
    }

    /// Keeps what was found, and returns its path below the project. What is no regular file is moved.
    fn keep_aside(&self, path: &Path, present: &Present, id: &str) -> Option<String> {
        let name = path.file_name()?.to_string_lossy();
        let kept = self.displaced().join(format!("{id}-{name}"));
        match &present.bytes {
            Some(bytes) => {
                create_parents(&kept).ok()?;
                reserve_private(&kept).ok()?;
                replace(&kept, Exact::Copied.bytes(bytes), Durability::Quick).ok()?;
                if fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink()) {
                    fs::remove_file(path).ok()?;
                }
            }
            None => match self.link_out(path) {
                // What lies outside the project stays there. The link goes aside first: `kept` may be behind it.
                Some(link) => {
                    let aside = self.root.join(format!(".stead-{id}"));
                    fs::rename(link, &aside).ok()?;
                    create_parents(&kept).ok()?;
                    fs::rename(&aside, &kept).ok()?;
                }
                None => {
                    create_parents(&kept).ok()?;
                    fs::rename(path, &kept).ok()?;
                }
            },
        }
        Some(kept.strip_prefix(self.root).unwrap_or(&kept).to_string_lossy().into_owned())
    }

    /// The outermost folder above a file that is a link out of the project.
    fn link_out<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        let real_root = fs::canonicalize(self.root).ok()?;
        let leads_out = |folder: &&Path| {
            let is_link = fs::symlink_metadata(folder).is_ok_and(|data| data.is_symlink());
            is_link && fs::canonicalize(folder).is_ok_and(|real| !real.starts_with(&real_root))
        };
        let above = path.ancestors().skip(1).take_while(|folder| folder.starts_with(self.root) && *folder != self.root);
        above.filter(leads_out).last()
    }
}
