//! Puts a file back that a call weakened, and keeps what was found.

use std::fs;
use std::path::Path;

use stead_store::seal::Present;
use stead_store::{Durability, Exact, create_parents, file_stamp, remove, replace, reserve_private};

use super::kind::Kind;
use super::project::SealedProject;
use super::set::SettingsPlace;

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
        let place = if kind == Kind::Settings { self.settings_place(path) } else { None };
        if let Some(place) = place.as_ref().filter(|place| place.is_persons()) {
            return self.put_values_back(place, before, present).map(|()| None);
        }
        let displaced = match present.stamp {
            Some(_) => Some(self.keep_aside(path, present, id)?),
            None => None,
        };
        let place = place.filter(|_| present.stamp.is_some());
        let restored = place.and_then(|place| self.restored(&place, before, present));
        let text = restored.or_else(|| before.map(<[u8]>::to_vec));
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

    /// What belongs to the person, and to clients that write to it at any time, is never replaced by an older text: if our
    /// lines and switches cannot return into it as it is, it stays so.
    fn put_values_back(&self, place: &SettingsPlace, before: Option<&[u8]>, present: &Present) -> Option<()> {
        let text = self.restored(place, before, present)?;
        let now = fs::metadata(&place.path).ok().map(|data| file_stamp(&data).text);
        if now != present.stamp {
            return None;
        }
        create_parents(&place.path).ok()?;
        replace(&place.path, Exact::Copied.bytes(&text), Durability::Quick).ok()
    }

    /// The text as it is, with our lines and the values that decide about them as they were.
    fn restored(&self, place: &SettingsPlace, before: Option<&[u8]>, present: &Present) -> Option<Vec<u8>> {
        let before = before.map(std::str::from_utf8).transpose().ok()?;
        let present = match present.stamp {
            Some(_) => std::str::from_utf8(present.bytes.as_deref()?).ok()?,
            None => "",
        };
        place.watching(self.root, |watch| watch.restore(before, present)).map(String::into_bytes)
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
