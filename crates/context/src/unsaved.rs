use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::Deserialize;
use serde::de::IgnoredAny;
use stead_model::{clean, rfc3339};
use stead_store::Tail;

use crate::role_file::{RoleFinding, check, read_role_file};

/// How many lines of the session log are searched for an edit.
const LINES: usize = 5_000;

/// Why a role's context would be lost now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsaved {
    Missing,
    /// The file exists but cannot be read; the text says why.
    Unreadable(String),
    Invalid(RoleFinding),
    /// The session edited this file after the role file.
    Older {
        than: String,
    },
}

impl fmt::Display for Unsaved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => write!(f, "is missing"),
            Self::Unreadable(why) => write!(f, "cannot be read: {why}"),
            Self::Invalid(finding) => write!(f, "is not valid: {finding}"),
            Self::Older { than } => write!(f, "is older than the last edit of this session (`{than}`)"),
        }
    }
}

/// The session whose edits a role file must not lag behind.
pub struct EditLog<'a> {
    /// The session log.
    pub path: &'a Path,
    pub session: &'a str,
}

/// Returns why a role file is not up to date; `None` if it is. `saved_at` is when somebody last declared it up to date.
pub fn unsaved(file: &Path, saved_at: Option<&str>, edits: Option<&EditLog<'_>>) -> Option<Unsaved> {
    let text = match read_role_file(file) {
        Ok(Some(text)) => text,
        Ok(None) => return Some(Unsaved::Missing),
        Err(error) => {
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
            return Some(Unsaved::Unreadable(format!("{error}{cause}")));
        }
    };
    if let Some(error) = check(&text).into_iter().find(RoleFinding::is_error) {
        return Some(Unsaved::Invalid(error));
    }
    let written = fs::metadata(file).and_then(|data| data.modified()).ok()?;
    let written = rfc3339(written.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64));
    let current = written.as_str().max(saved_at.unwrap_or_default());
    edit_after(edits?, current, file).map(|than| Unsaved::Older { than })
}

#[derive(Deserialize)]
struct Line {
    ts: String,
    session: Option<String>,
    event: String,
    action: Option<String>,
    #[serde(default)]
    paths: Vec<String>,
    /// The files that a call was about to change.
    #[serde(default)]
    stats: BTreeMap<String, IgnoredAny>,
    #[serde(default)]
    verdict: String,
}

impl Line {
    /// The files that the call changed, by a file tool, or by a command as far as its effects are known.
    fn changed(self) -> Vec<String> {
        match (self.event.as_str(), self.action.as_deref()) {
            ("after-tool", Some("change")) => self.paths,
            ("before-tool", Some("run")) if self.verdict != "deny" => self.stats.into_keys().collect(),
            _ => Vec::new(),
        }
    }
}

/// The file that the session last edited after a given time, other than the role file and Stead's own. Timestamps in
/// the log share one format, so they compare as text.
fn edit_after(log: &EditLog<'_>, moment: &str, role_file: &Path) -> Option<String> {
    for line in Tail::open(log.path).ok()?.take(LINES).flatten() {
        let Ok(line) = serde_json::from_str::<Line>(&line.text) else { continue };
        if line.ts.as_str() <= moment {
            return None;
        }
        if line.session.as_deref() == Some(log.session) {
            let work = |path: &String| !role_file.ends_with(clean(Path::new(path))) && !is_own(path);
            if let Some(path) = line.changed().into_iter().find(work) {
                return Some(path);
            }
        }
    }
    None
}

/// Stead's own folder contains notes about the work, not the work.
fn is_own(path: &str) -> bool {
    clean(Path::new(path)).components().any(|part| part.as_os_str() == ".agent")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RoleName, template};

    const NOW: i64 = 1_794_771_930_123;

    fn edit(age: i64, session: &str, event: &str, path: &str) -> String {
        let ts = rfc3339(NOW - age);
        format!(r#"{{"ts":"{ts}","session":"{session}","event":"{event}","action":"change","paths":["{path}"]}}"#)
    }

    /// The role file was written ten seconds ago.
    #[track_caller]
    fn check_edits(lines: &[String], saved_at: Option<i64>, expected: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        let (log, file) = (folder.path().join("log"), folder.path().join("x.context.md"));
        fs::write(&log, lines.join("\n") + "\n").unwrap();
        fs::write(&file, template(&RoleName::check("x").unwrap(), None, "unknown", "2026-11-15")).unwrap();
        let written = UNIX_EPOCH + std::time::Duration::from_millis((NOW - 10_000) as u64);
        fs::File::options().write(true).open(&file).unwrap().set_modified(written).unwrap();
        let saved_at = saved_at.map(|age| rfc3339(NOW - age));
        let found = unsaved(&file, saved_at.as_deref(), Some(&EditLog { path: &log, session: "s1" }));
        assert_eq!(found.map(|found| found.to_string()), expected.map(str::to_owned));
    }

    #[test]
    fn a_role_file_must_not_lag_behind_the_work() {
        let older = Some("is older than the last edit of this session (`src/a.rs`)");
        check_edits(&[edit(5_000, "s1", "after-tool", "src/a.rs")], None, older);
        check_edits(&[edit(5_000, "s1", "after-tool", "src/a.rs")], Some(1_000), None);
        check_edits(&[edit(20_000, "s1", "after-tool", "src/a.rs")], None, None);
        check_edits(&[edit(5_000, "s2", "after-tool", "src/a.rs")], None, None);
        check_edits(&[edit(5_000, "s1", "before-tool", "src/a.rs")], None, None);
        check_edits(&[edit(5_000, "s1", "after-tool", "./x.context.md")], None, None);
        check_edits(&[edit(5_000, "s1", "after-tool", ".agent/roles/y.context.md")], None, None);
        let run = |verdict: &str| {
            let line = edit(5_000, "s1", "before-tool", "x").replace("change", "run");
            line.replace("\"paths\":[\"x\"]", &format!("\"stats\":{{\"src/a.rs\":\"-\"}},\"verdict\":\"{verdict}\""))
        };
        check_edits(&[run("allow")], None, older);
        check_edits(&[run("deny")], None, None);
        check_edits(&["{torn".into(), edit(5_000, "s1", "after-tool", "src/a.rs"), "{}".into()], None, older);
        check_edits(&[], None, None);
    }

    #[test]
    fn a_file_that_is_no_role_file_saves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.context.md");
        assert_eq!(unsaved(&file, None, None), Some(Unsaved::Missing));
        fs::write(&file, "# X\n").unwrap();
        let said = unsaved(&file, None, None).unwrap().to_string();
        assert!(said.starts_with("is not valid: line 1: the title"), "{said}");
        fs::write(&file, "x".repeat(2_000_000)).unwrap();
        assert!(unsaved(&file, None, None).unwrap().to_string().contains("more than 1048576 bytes"));
    }
}
