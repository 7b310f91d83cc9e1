//! Covers secrets in files that an agent wrote into its run's folder, once it has ended.

use std::path::Path;

use stead_store::{Durability, Redacted, redact, replace};

/// Longer files are the agent's work, not its words.
const LONGEST: usize = 4 * 1024 * 1024;

/// Covers the secrets of the files in the folder of an attempt whose engine was killed before it could.
pub(super) fn scrub_folder(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        scrub(&entry.path());
    }
}

/// Covers the secrets of a text file, best effort: what is no text, no regular file or not there stays.
pub(super) fn scrub(path: &Path) {
    let is_file = std::fs::symlink_metadata(path).is_ok_and(|data| data.is_file());
    let bytes = is_file.then(|| stead_store::read_capped(path, LONGEST).ok().flatten()).flatten();
    let Some(text) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) else { return };
    // A status may have a code fence and comments.
    let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
    let safe = match path.extension().is_some_and(|ending| ending == "json") && is_json() {
        true => Redacted::json(text.as_str()),
        false => redact(&text),
    };
    if safe.count() > 0 {
        let _ = replace(path, safe, Durability::Quick);
    }
}
