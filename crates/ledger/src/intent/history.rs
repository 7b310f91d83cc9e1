//! Which sessions changed files for an intent, from the ledger.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use stead_store::Tail;

use super::context::HistoryLine;

/// How many lines of each ledger are read, from its end, and how many sessions and files are told.
const LINES: usize = 20_000;
const SESSIONS: usize = 20;
const FILES: usize = 12;

/// The fields of a ledger line that matter here.
#[derive(Deserialize)]
struct Line {
    timestamp: String,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(rename = "dev.stead", default)]
    own: Own,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Own {
    session: String,
    intent: Option<String>,
    class: String,
    files: Vec<Changed>,
}

#[derive(Deserialize)]
struct Changed {
    path: String,
    #[serde(default)]
    after: Option<String>,
}

/// The sessions that worked for an intent, newest first, each with the last state of its files.
pub fn past_sessions(room: &Path, intent: &str) -> Vec<HistoryLine> {
    let quoted = format!("\"{intent}\"");
    let mut past: Vec<HistoryLine> = Vec::new();
    for ledger in ledgers(room) {
        let Ok(lines) = Tail::open(&ledger) else { continue };
        for line in lines.take(LINES).flatten().filter(|line| line.text.contains(&quoted)) {
            let Ok(Line { timestamp, metadata: Metadata { own } }) = serde_json::from_str(&line.text) else { continue };
            if own.intent.as_deref() == Some(intent) {
                add(&mut past, timestamp, own);
            }
        }
    }
    past.sort_by(|one, two| two.time.cmp(&one.time));
    past.truncate(SESSIONS);
    past
}

fn add(past: &mut Vec<HistoryLine>, time: String, own: Own) {
    let at = past.iter().position(|known| known.session == own.session).unwrap_or_else(|| {
        past.push(HistoryLine { session: own.session, ..HistoryLine::default() });
        past.len() - 1
    });
    let known = &mut past[at];
    // Lines come newest first.
    if known.time < time {
        known.time = time;
    }
    if known.outcome.is_empty() || own.class == "INTENT_EVOLUTION" {
        known.outcome = own.class;
    }
    for Changed { path, after } in own.files {
        if known.files.len() < FILES && known.files.iter().all(|(other, _)| *other != path) {
            known.files.push((path, after));
        }
    }
}

/// This machine's ledger and those of others.
fn ledgers(room: &Path) -> Vec<PathBuf> {
    let mut found = vec![room.join("agent_trace.jsonl"), room.join("agent_trace.stead.jsonl")];
    let peers = fs::read_dir(room.join("peers")).into_iter().flatten().flatten().map(|entry| entry.path());
    found.extend(peers.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl")));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_per_session_and_nothing_of_other_intents() {
        let room = tempfile::tempdir().unwrap();
        let line = |time: &str, session: &str, intent: &str, class: &str, path: &str| {
            format!(
                "{{\"timestamp\":\"{time}\",\"metadata\":{{\"dev.stead\":{{\"session\":\"{session}\",\"intent\":\
                 \"{intent}\",\"class\":\"{class}\",\"files\":[{{\"path\":\"{path}\",\"after\":\"sha256:1\"}}]}}}}}}\n"
            )
        };
        let text = [
            line("2026-01-01", "s1", "I1", "AST_REFACTOR", "a"),
            line("2026-01-02", "s2", "I2", "AST_REFACTOR", "I1"),
            line("2026-01-03", "s1", "I1", "INTENT_EVOLUTION", "b"),
            "{torn".to_owned(),
        ];
        fs::write(room.path().join("agent_trace.jsonl"), text.concat()).unwrap();
        fs::create_dir(room.path().join("peers")).unwrap();
        let peer = line("2026-01-04", "s3", "I1", "UNKNOWN", "c");
        fs::write(room.path().join("peers/ann.jsonl"), peer).unwrap();
        let past = past_sessions(room.path(), "I1");
        let shown: Vec<_> =
            past.iter().map(|one| (one.session.as_str(), one.outcome.as_str(), one.files.len())).collect();
        assert_eq!(shown, [("s3", "UNKNOWN", 1), ("s1", "INTENT_EVOLUTION", 2)]);
        assert!(past_sessions(room.path(), "I3").is_empty());
    }
}
