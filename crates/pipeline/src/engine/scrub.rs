//! Covers secrets in files that an agent wrote into its run's folder, once it has ended.

use std::path::Path;

use stead_store::{Durability, Redacted, redact, replace};

/// Longer files are the agent's work, not its words.
const LONGEST: usize = 4 * 1024 * 1024;

/// Covers the secrets of a text file, best effort: what is no text, no regular file or not there stays.
pub(super) fn scrub(path: &Path) {
    let is_file = std::fs::symlink_metadata(path).is_ok_and(|data| data.is_file());
    let bytes = is_file.then(|| stead_store::read_capped(path, LONGEST).ok().flatten()).flatten();
    let Some(text) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) else { return };
    let is_json = path.extension().is_some_and(|ending| ending == "json");
    let safe = if is_json { Redacted::json(text.as_str()) } else { redact(&text) };
    if safe.count() > 0 {
        let _ = replace(path, safe, Durability::Quick);
    }
}
