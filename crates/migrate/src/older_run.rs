//! Runs of the older shell engine. They cannot be continued, because their plan was never frozen, but nobody should believe
//! that they do not exist.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use stead_store::read_capped;

/// Where the older engine kept its runs.
const FOLDER: &str = ".claude/pipeline-runs";

const LIMIT: usize = 1024 * 1024;

/// How long a word of a state may be.
const LONGEST: usize = 100;

/// A run of the older engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OlderRun {
    pub name: String,
    /// Relative to the project.
    pub path: PathBuf,
    /// As its state says; `unknown` if it cannot be read.
    pub status: String,
    /// The pipeline or stage it was a run of.
    pub what: Option<String>,
    pub started_at: Option<String>,
}

impl OlderRun {
    /// Nothing of it is left to do.
    pub fn is_complete(&self) -> bool {
        matches!(self.status.as_str(), "complete" | "completed" | "done")
    }
}

/// The runs of the older engine in a project, by name.
pub fn older_runs(root: &Path) -> Vec<OlderRun> {
    let entries = fs::read_dir(root.join(FOLDER)).into_iter().flatten().flatten();
    let mut runs: Vec<OlderRun> = entries.filter_map(|entry| older_run(root, &entry.path())).collect();
    runs.sort_by(|a, b| a.name.cmp(&b.name));
    runs
}

fn older_run(root: &Path, folder: &Path) -> Option<OlderRun> {
    let name = folder.file_name()?.to_str()?.to_owned();
    let file = folder.join("state.json");
    fs::symlink_metadata(&file).ok()?;
    // A repository may contain links, which must not lead out of it, and anything as a state.
    let is_inside =
        matches!((file.canonicalize(), root.canonicalize()), (Ok(file), Ok(root)) if file.starts_with(&root));
    let bytes = is_inside.then(|| read_capped(&file, LIMIT).ok().flatten()).flatten().unwrap_or_default();
    let state: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let text = |keys: &[&str]| {
        let found = keys.iter().find_map(|key| state[key].as_str()).filter(|text| !text.is_empty());
        found.map(|text| text.chars().take(LONGEST).collect())
    };
    Some(OlderRun {
        path: Path::new(FOLDER).join(&name),
        name,
        status: text(&["status"]).unwrap_or_else(|| "unknown".to_owned()),
        what: text(&["pipeline", "stage", "loop", "type"]),
        started_at: text(&["started_at", "started"]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_whatever_their_state_says() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(older_runs(folder.path()), []);
        for (name, text) in [
            (
                "auth",
                r#"{"session": "auth", "pipeline": "refine", "status": "running", "started_at": "2026-01-02T03:04:05Z"}"#,
            ),
            ("broken", "{"),
            ("empty", "{}"),
        ] {
            let dir = folder.path().join(FOLDER).join(name);
            fs::create_dir_all(&dir).unwrap();
            fs::write(dir.join("state.json"), text).unwrap();
        }
        fs::create_dir_all(folder.path().join(FOLDER).join("no-run")).unwrap();
        let huge = folder.path().join(FOLDER).join("huge");
        fs::create_dir_all(&huge).unwrap();
        fs::write(huge.join("state.json"), vec![b' '; LIMIT + 1]).unwrap();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("state.json"), r#"{"status": "secret"}"#).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(outside.path(), folder.path().join(FOLDER).join("link")).unwrap();
        let runs = older_runs(folder.path());
        let said: Vec<_> =
            runs.iter().map(|run| (run.name.as_str(), run.status.as_str(), run.what.as_deref())).collect();
        assert_eq!(
            said,
            [
                ("auth", "running", Some("refine")),
                ("broken", "unknown", None),
                ("empty", "unknown", None),
                ("huge", "unknown", None),
                #[cfg(unix)]
                ("link", "unknown", None)
            ]
        );
        assert_eq!(runs[0].started_at.as_deref(), Some("2026-01-02T03:04:05Z"));
    }
}
