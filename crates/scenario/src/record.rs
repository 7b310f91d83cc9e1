//! What Stead wrote down in a project, as far as scenarios ask for it.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// The records of one project.
pub(crate) struct Records {
    /// Lines of the session log.
    pub(crate) sessions: Vec<Value>,
    /// Lines about files that matter.
    pub(crate) files: Vec<Value>,
    /// Lines of the ledger.
    ledger: Vec<Value>,
}

impl Records {
    pub(crate) fn read(project: &Path) -> Self {
        let indexes = project.join(".agent/context/indexes");
        Self {
            sessions: lines(&indexes.join("sessions.jsonl")),
            files: lines(&indexes.join("relevant-files.jsonl")),
            ledger: lines(&project.join(".agent/intents/agent_trace.jsonl")),
        }
    }

    /// The reasons of everything that was denied, in order.
    pub(crate) fn denials(&self) -> Vec<String> {
        let denied = self.sessions.iter().filter(|line| line["verdict"] == "deny");
        denied.filter_map(|line| line["reason"].as_str().map(str::to_owned)).collect()
    }

    /// The sessions that touched a file, each once.
    pub(crate) fn sessions_of(&self, file: &str) -> Vec<String> {
        let mut sessions: Vec<_> =
            self.files.iter().filter(|line| line["file_path"] == file && is_change(line)).collect();
        sessions.dedup_by_key(|line| line["session"].clone());
        sessions.iter().map(|line| line["session"].as_str().unwrap_or("(none)").to_owned()).collect()
    }

    /// The changed files of the ledger, by path: session, intent, path and the hash of what was written.
    pub(crate) fn changes(&self) -> Vec<[String; 4]> {
        let text = |value: &Value| value.as_str().unwrap_or("(none)").to_owned();
        let of_line = |line: &Value| {
            let own = &line["metadata"]["dev.stead"];
            let of_file = |file: &Value| [&own["session"], &own["intent"], &file["path"], &file["after"]].map(text);
            own["files"].as_array().into_iter().flatten().map(of_file).collect::<Vec<_>>()
        };
        let mut changes: Vec<_> = self.ledger.iter().flat_map(of_line).collect();
        changes.sort_by(|one, other| one[2].cmp(&other[2]));
        changes
    }
}

fn is_change(line: &Value) -> bool {
    line["action"] != "read"
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
