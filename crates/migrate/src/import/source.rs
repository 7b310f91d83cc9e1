//! Finds and reads the files of other tools, within limits.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use stead_store::read_capped;

/// Where handoffs were kept.
const HANDOFFS: [&str; 3] = ["thoughts/shared/handoffs", "thoughts/handoffs", ".claude/handoffs"];

/// The extensions of handoff files.
const ENDINGS: [&str; 3] = ["md", "yaml", "yml"];

/// How deep handoffs are nested at most.
const DEPTH: usize = 6;

/// The size limit of a handoff.
const LIMIT: usize = 4 * 1024 * 1024;

/// A file of another tool.
pub(super) struct Source {
    /// Relative to the project root.
    pub(super) name: String,
    /// Without byte order mark, with line feeds as line ends.
    pub(super) text: String,
    /// In milliseconds since 1970.
    pub(super) modified: i64,
}

/// Reads a file; the error is a message for people.
pub(super) fn read_source(path: &Path, name: String) -> Result<Option<Source>, String> {
    let bytes = match read_capped(path, LIMIT) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        format!("line {line}: the bytes are not UTF-8 text")
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).replace("\r\n", "\n");
    let modified = fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |since| since.as_millis());
    Ok(Some(Source { name, text, modified: i64::try_from(modified).unwrap_or(i64::MAX) }))
}

/// Lists the files that may be handoffs, in name order. Links to folders are not followed.
pub(super) fn handoff_files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in HANDOFFS {
        collect(&root.join(folder), DEPTH, &mut found);
    }
    found.sort();
    found
}

fn collect(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 => collect(&path, depth - 1, found),
            Ok(kind) if kind.is_dir() => {}
            _ if path.extension().and_then(|end| end.to_str()).is_some_and(|end| ENDINGS.contains(&end)) => {
                found.push(path);
            }
            _ => {}
        }
    }
}
