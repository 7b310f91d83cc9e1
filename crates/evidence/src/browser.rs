//! Evidence from a browser: a screenshot or a recording that somebody added, or a run of a test runner that drives one.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use stead_feature::Feature;

use crate::text::blob_hash;
use crate::{Attachment, Ground, Item};

/// Why a feature with a user interface is not proven.
pub(crate) const MISSING: &str = "has a user interface, and no evidence from a browser on its current files";

/// Test runners that drive a browser.
const RUNNERS: &[&str] = &["cypress", "playwright", "web-test-runner", "wtr"];

/// How pictures and recordings start: the offset, and the bytes there.
const FORMATS: &[(usize, &[u8])] = &[
    (0, b"\x89PNG\r\n\x1a\n"),
    (0, b"\xff\xd8\xff"),
    (0, b"GIF8"),
    (8, b"WEBP"),
    (8, b"AVIF"),
    (4, b"ftyp"),
    (0, b"\x1a\x45\xdf\xa3"),
];

/// A smaller file shows nothing.
const LEAST: u64 = 64;

/// Returns true if one of these items is from a browser.
pub(crate) fn is_shown<'a>(ground: &Ground, feature: &Feature, mut items: impl Iterator<Item = &'a Item>) -> bool {
    items.any(|item| {
        let ran = || item.is_proof() && item.runner.as_deref().is_some_and(|runner| RUNNERS.contains(&runner));
        let added = || {
            let file = item.file.as_ref();
            file.is_some_and(|file| is_kept(&ground.folder(&feature.id), file))
        };
        ran() || added()
    })
}

/// Returns true if an added file is a picture or a recording, and still the one that was added: its name is its hash.
fn is_kept(folder: &Path, file: &Attachment) -> bool {
    let path = folder.join(&file.kept);
    let hash = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    is_picture(&path) && std::fs::read(&path).is_ok_and(|bytes| blob_hash(&bytes) == hash)
}

/// Returns true if a file is a picture or a recording, by its content.
fn is_picture(path: &Path) -> bool {
    let mut head = Vec::new();
    let Ok(file) = File::open(path) else { return false };
    let is_long = file.metadata().is_ok_and(|data| data.len() >= LEAST);
    let is_read = file.take(16).read_to_end(&mut head).is_ok();
    is_long && is_read && FORMATS.iter().any(|(at, sign)| head.get(*at..).is_some_and(|rest| rest.starts_with(sign)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_known_by_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let check = |bytes: &[u8], expected: bool| {
            let path = folder.path().join("shot.png");
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(is_picture(&path), expected, "{bytes:?}");
        };
        let padded = |sign: &[u8]| [sign, &[7; 80]].concat();
        check(&padded(b"\x89PNG\r\n\x1a\n"), true);
        check(&padded(b"RIFF\0\0\0\0WEBP"), true);
        check(&padded(b"\0\0\0\x20ftypisom"), true);
        check(b"\x89PNG\r\n\x1a\n", false);
        check(&padded(b"it looked fine"), false);
        check(b"", false);
        assert!(!is_picture(&folder.path().join("gone.png")));
    }
}
