//! Which files matter: read from the log of what agents touched and people named, ranked, and kept short.
//!
//! It reads only the end of the log, so that a long history costs nothing, and never opens the files themselves.

mod compact;

use std::collections::HashMap;
use std::path::{Component, Path};
use std::time::Duration;

pub use compact::compact_relevant_files;
use serde::{Deserialize, Serialize};
use stead_model::unix_millis;
use stead_store::{Durability, Redacted, StoreError, Tail, append_line};

use crate::Scope;

pub(crate) const FILE: &str = "relevant-files.jsonl";

const PATIENCE: Duration = Duration::from_secs(5);

/// How many lines of the log are read.
const LINES: usize = 10_000;

/// After this many milliseconds a touch counts half.
const HALF_LIFE: f64 = 2.0 * 3600.0 * 1000.0;

/// One line of the log, as far as ranking needs it.
#[derive(Deserialize)]
struct Touch {
    timestamp: String,
    file_path: String,
    source: String,
    #[serde(default)]
    confidence: f64,
    action: Option<String>,
    session: Option<String>,
    packet_id: Option<String>,
    #[serde(default = "once")]
    count: u32,
}

fn once() -> u32 {
    1
}

stead_model::named! {
    /// What a person decided about a file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Choice {
        Confirm = "confirm",
        Drop = "drop",
    }
}

/// A file that may matter, with the reasons.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RelevantPath {
    pub path: String,
    /// Recency and weight combined; only the order is meaningful.
    pub score: f64,
    pub touches: u32,
    /// How many of them only read it.
    pub reads: u32,
    /// The last action on it.
    pub action: String,
    pub last: String,
    /// A person named it.
    pub confirmed: bool,
}

/// Ranks the files of a scope, the most relevant first. Files that a person dropped are omitted; those a person
/// confirmed come first.
pub fn relevant_files(log: &Path, scope: &Scope<'_>) -> Result<Vec<RelevantPath>, StoreError> {
    let mut found: HashMap<String, (RelevantPath, Option<Choice>)> = HashMap::new();
    let mut newest = None;
    for line in Tail::open(log)?.take(LINES) {
        let Ok(touch) = serde_json::from_str::<Touch>(&line?.text) else { continue };
        if touch.packet_id.is_some()
            || !is_project_path(&touch.file_path)
            || !scope.covers(touch.session.as_deref(), &touch.timestamp)
        {
            continue;
        }
        let moment = unix_millis(&touch.timestamp).unwrap_or(0);
        // If the clock was set back, a touch is no newer than the newest line.
        let age = (*newest.get_or_insert(moment) - moment).max(0) as f64;
        let weight = touch.confidence.clamp(0.0, 1.0) * f64::from(touch.count.max(1)) * 0.5_f64.powf(age / HALF_LIFE);
        let action = touch.action.unwrap_or_else(|| touch.source.clone());
        // The log is read from its end, so the first line found for a file is the latest.
        let (file, choice) = found.entry(touch.file_path.clone()).or_insert_with(|| {
            let (path, last) = (touch.file_path, touch.timestamp);
            let action = action.clone();
            (RelevantPath { path, score: 0.0, touches: 0, reads: 0, action, last, confirmed: false }, None)
        });
        if touch.source == "user" {
            choice.get_or_insert(if action == Choice::Drop.name() { Choice::Drop } else { Choice::Confirm });
        } else {
            file.score += weight;
            file.touches += touch.count.max(1);
            file.reads += if action == "read" { touch.count.max(1) } else { 0 };
        }
    }
    let mut ranked: Vec<RelevantPath> = found
        .into_values()
        .filter(|(_, choice)| *choice != Some(Choice::Drop))
        .map(|(file, choice)| RelevantPath { confirmed: choice.is_some(), ..file })
        .collect();
    ranked.sort_by(|one, other| {
        let by_score = other.score.total_cmp(&one.score).then_with(|| one.path.cmp(&other.path));
        other.confirmed.cmp(&one.confirmed).then(by_score)
    });
    Ok(ranked)
}

/// Records a person's decision.
pub fn record_choice(
    log: &Path,
    path: &str,
    choice: Choice,
    packet: Option<&str>,
    session: Option<&str>,
    now: &str,
) -> Result<(), StoreError> {
    #[derive(Serialize)]
    struct Line<'a> {
        v: u32,
        timestamp: &'a str,
        file_path: &'a str,
        source: &'a str,
        confidence: f32,
        action: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        packet_id: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        session: Option<&'a str>,
    }
    let confidence = if choice == Choice::Confirm { 1.0 } else { 0.0 };
    let (source, action) = ("user", choice.name());
    let line = Line { v: 1, timestamp: now, file_path: path, source, confidence, action, packet_id: packet, session };
    append_line(log, Redacted::line(&line), Durability::Synced, PATIENCE)
}

/// Returns true if a path is relative, stays in the project and is neither Stead's nor git's own.
pub fn is_project_path(path: &str) -> bool {
    let mut parts = Path::new(path).components().peekable();
    let first = match parts.peek() {
        Some(Component::Normal(first)) => *first,
        _ => return false,
    };
    first != ".agent" && first != ".git" && parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

#[cfg(test)]
mod tests {
    use stead_model::rfc3339;

    use super::*;

    const NOW: i64 = 1_794_771_930_123;

    fn line(minutes_ago: i64, path: &str, action: &str, confidence: f32, session: &str) -> String {
        let ts = rfc3339(NOW - minutes_ago * 60_000);
        let source = if matches!(action, "confirm" | "drop") { "user" } else { "tool" };
        format!(
            r#"{{"v":1,"timestamp":"{ts}","file_path":"{path}","source":"{source}","confidence":{confidence},"action":"{action}","session":"{session}"}}"#
        )
    }

    #[track_caller]
    fn check(lines: &[String], expected: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join(FILE);
        std::fs::write(&log, lines.join("\n")).unwrap();
        let found = relevant_files(&log, &Scope { session: Some("s"), now: NOW }).unwrap();
        let shown: Vec<_> = found.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn recent_and_heavy_files_come_first() {
        check(
            &[
                line(600, "edited-long-ago", "edit", 0.9, "s"),
                line(9, "read", "read", 0.4, "s"),
                line(8, "edited", "edit", 0.9, "s"),
                line(7, "foreign", "edit", 0.9, "t"),
                line(6, "../outside", "edit", 0.9, "s"),
                line(6, ".agent/x", "edit", 0.9, "s"),
                line(5, "named", "confirm", 1.0, "s"),
                line(4, "dropped", "edit", 0.9, "s"),
                line(3, "dropped", "drop", 0.0, "s"),
                line(2, "dropped", "edit", 0.9, "s"),
                "torn {".into(),
            ],
            &["named", "edited", "read", "edited-long-ago"],
        );
    }

    #[test]
    fn often_beats_once_and_the_last_choice_counts() {
        check(
            &[
                line(3, "once", "read", 0.4, "s"),
                line(3, "often", "read", 0.4, "s"),
                line(2, "often", "read", 0.4, "s"),
                line(2, "back", "drop", 0.0, "s"),
                line(1, "back", "confirm", 1.0, "s"),
            ],
            &["back", "often", "once"],
        );
        check(&[], &[]);
    }

    #[test]
    fn paths_stay_in_the_project() {
        for (path, good) in [
            ("a/b.rs", true),
            ("./a", false),
            ("", false),
            ("/etc/passwd", false),
            ("../a", false),
            ("a/../../b", false),
            (".agent/config.toml", false),
            (".git/config", false),
            (".gitignore", true),
        ] {
            assert_eq!(is_project_path(path), good, "{path}");
        }
    }
}
