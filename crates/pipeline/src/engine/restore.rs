//! Restores a stage's own output before an iteration is repeated, as the last completed one left it, so that nothing of
//! an attempt that does not count ends up in one that does. The attempt's output is kept with its other files.

use std::fs;
use std::path::{Path, PathBuf};

use stead_store::{Durability, Exact, replace};

use super::attempt::OUTPUT;
use super::{EngineError, snapshot};

/// The stage's output before the attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before<'a> {
    /// There was none.
    Nothing,
    /// The content of this file.
    Kept(&'a Path),
    /// The content of this file, or none: a rebuilt state does not know.
    Perhaps(&'a Path),
}

/// Restores the output and moves what is in its place to `aside`. `Some` says why it was not restored.
pub(crate) fn restore(output: &Path, before: Before<'_>, aside: &Path) -> Result<Option<String>, EngineError> {
    let is_there = exists(output);
    let kept = match before {
        Before::Nothing if is_there => return save(output, aside).and_then(|()| remove(output)).map(|()| None),
        Before::Nothing => return Ok(None),
        Before::Perhaps(_) if !is_there => return Ok(None),
        Before::Kept(kept) | Before::Perhaps(kept) => kept,
    };
    let stays = |why: &str| Ok(Some(format!("the output of the last attempt was not reverted: {why}")));
    if is_same(output, kept) {
        return Ok(None);
    }
    let bytes = match fs::symlink_metadata(kept) {
        Ok(data) if data.is_file() && data.len() < snapshot::LIMIT => {
            fs::read(kept).map_err(|source| EngineError::io("read", kept, source))?
        }
        Ok(data) if data.is_file() => return stays("it is too long to keep a full copy"),
        _ => return stays("the copy of the previous iteration is missing"),
    };
    if is_there {
        save(output, aside)?;
        if !is_file(output) {
            remove(output)?;
        }
    }
    replace(output, Exact::Copied.bytes(&bytes), Durability::Quick)?;
    Ok(None)
}

/// Keeps what is in the output's place, unless the attempt's record already has it.
fn save(output: &Path, aside: &Path) -> Result<(), EngineError> {
    let recorded = aside.join(OUTPUT);
    if is_same(output, &recorded) {
        return Ok(());
    }
    let names = std::iter::once(recorded).chain((2..).map(|number| aside.join(format!("output-{number}.md"))));
    let free: PathBuf = names.into_iter().find(|name| !exists(name)).unwrap_or_else(|| aside.join(OUTPUT));
    let is_link = fs::symlink_metadata(output).is_ok_and(|data| data.is_symlink());
    let saved = match fs::hard_link(output, &free) {
        Ok(()) => Ok(()),
        Err(_) if is_file(output) => fs::copy(output, &free).map(drop),
        // A folder, or a link that cannot be kept; its target is not ours to copy.
        Err(_) if !is_link => fs::rename(output, &free),
        Err(error) => Err(error),
    };
    saved.map_err(|source| EngineError::io("keep", output, source))
}

fn remove(output: &Path) -> Result<(), EngineError> {
    match fs::remove_file(output) {
        Ok(()) => Ok(()),
        Err(_) if !exists(output) => Ok(()),
        Err(source) => Err(EngineError::io("remove", output, source)),
    }
}

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|data| data.is_file())
}

/// Returns true if both are files with the same content. Files that are too long count as different.
fn is_same(one: &Path, other: &Path) -> bool {
    let length = |path: &Path| fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file).map(|data| data.len());
    match (length(one), length(other)) {
        (Some(a), Some(b)) if a == b && a < snapshot::LIMIT => {
            matches!((fs::read(one), fs::read(other)), (Ok(a), Ok(b)) if a == b)
        }
        _ => false,
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    struct IterationFiles(tempfile::TempDir);

    impl IterationFiles {
        /// `now` is what the attempt left, `recorded` what its record holds of it.
        fn new(now: Option<&str>, kept: Option<&str>, recorded: Option<&str>) -> Self {
            let files = Self(tempfile::tempdir().unwrap());
            fs::create_dir(files.path("aside")).unwrap();
            for (name, text) in [("output.md", now), ("kept.md", kept), ("aside/output.md", recorded)] {
                if let Some(text) = text {
                    fs::write(files.path(name), text).unwrap();
                }
            }
            files
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn read(&self, name: &str) -> Option<String> {
            fs::read_to_string(self.path(name)).ok()
        }

        fn restore(&self, before: fn(&Path) -> Before<'_>) -> Option<String> {
            restore(&self.path("output.md"), before(&self.path("kept.md")), &self.path("aside")).unwrap()
        }
    }

    #[track_caller]
    fn check(files: &IterationFiles, before: fn(&Path) -> Before<'_>, output: Option<&str>, aside: [Option<&str>; 2]) {
        assert_eq!(files.restore(before), None);
        assert_eq!(files.read("output.md").as_deref(), output);
        let kept = ["aside/output.md", "aside/output-2.md"].map(|name| files.read(name));
        assert_eq!(kept.each_ref().map(Option::as_deref), aside);
        // A second time changes nothing.
        assert_eq!(files.restore(before), None);
        assert_eq!(files.read("output.md").as_deref(), output);
    }

    #[test]
    fn what_an_attempt_left_makes_way() {
        let nothing: fn(&Path) -> Before<'_> = |_| Before::Nothing;
        check(&IterationFiles::new(None, None, None), nothing, None, [None, None]);
        check(&IterationFiles::new(Some("new"), None, None), nothing, None, [Some("new"), None]);
        check(&IterationFiles::new(Some("new"), None, Some("new")), nothing, None, [Some("new"), None]);
        check(
            &IterationFiles::new(Some("new"), Some("old"), None),
            |kept| Before::Kept(kept),
            Some("old"),
            [Some("new"), None],
        );
        check(&IterationFiles::new(None, Some("old"), None), |kept| Before::Kept(kept), Some("old"), [None, None]);
        check(
            &IterationFiles::new(Some("old"), Some("old"), None),
            |kept| Before::Kept(kept),
            Some("old"),
            [None, None],
        );
        check(&IterationFiles::new(None, Some("said"), None), |kept| Before::Perhaps(kept), None, [None, None]);
        check(
            &IterationFiles::new(Some("a"), Some("b"), None),
            |kept| Before::Perhaps(kept),
            Some("b"),
            [Some("a"), None],
        );
        // Somebody went on with it after the attempt.
        let edited = IterationFiles::new(Some("edited"), Some("old"), Some("new"));
        check(&edited, |kept| Before::Kept(kept), Some("old"), [Some("new"), Some("edited")]);
    }

    #[test]
    fn what_cannot_be_put_back_stays() {
        let files = IterationFiles::new(Some("new"), None, None);
        assert!(files.restore(|kept| Before::Kept(kept)).is_some_and(|why| why.contains("is missing")));
        assert_eq!(files.read("output.md").as_deref(), Some("new"));
    }

    #[test]
    fn links_and_folders_make_way_and_are_not_followed() {
        let files = IterationFiles::new(None, Some("old"), None);
        fs::write(files.path("elsewhere"), "theirs").unwrap();
        symlink(files.path("elsewhere"), files.path("output.md")).unwrap();
        assert_eq!(files.restore(|kept| Before::Kept(kept)), None);
        assert_eq!((files.read("output.md"), files.read("elsewhere")), (Some("old".into()), Some("theirs".into())));
        assert!(files.path("aside/output.md").is_symlink());
        let files = IterationFiles::new(None, Some("old"), None);
        fs::create_dir(files.path("output.md")).unwrap();
        assert_eq!(files.restore(|kept| Before::Kept(kept)), None);
        assert!(files.path("aside/output.md").is_dir() && files.read("output.md").as_deref() == Some("old"));
    }
}
