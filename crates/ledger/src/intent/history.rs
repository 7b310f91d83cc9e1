//! Which sessions changed files for an intent, from the ledger.

use std::collections::BTreeSet;

use super::context::HistoryLine;
use crate::trace::{Ledger, MutationClass, Record};

/// How many lines of each ledger are read, from its end, and how many sessions and files are told.
const LINES: usize = 20_000;
const SESSIONS: usize = 20;
const FILES: usize = 12;

/// The sessions that worked for an intent, newest first, each with the last state of its files.
pub fn past_sessions(ledger: &Ledger, intent: &str) -> Vec<HistoryLine> {
    let mut past: Vec<HistoryLine> = Vec::new();
    for source in ledger.sources() {
        let Ok(lines) = Ledger::read_back(&source) else { continue };
        let mut completed = BTreeSet::new();
        for line in lines.mentioning(intent, LINES).flatten() {
            let record = line.record;
            completed.extend(record.stead().and_then(|note| note.of.clone()));
            if record.intent() == Some(intent) && !completed.contains(&record.id) {
                add(&mut past, &record);
            }
        }
    }
    past.sort_by(|one, two| two.time.cmp(&one.time));
    past.truncate(SESSIONS);
    past
}

fn add(past: &mut Vec<HistoryLine>, record: &Record) {
    let session = record.session().unwrap_or_default();
    let at = past.iter().position(|known| known.session == session).unwrap_or_else(|| {
        past.push(HistoryLine { session: session.to_owned(), ..HistoryLine::default() });
        past.len() - 1
    });
    let known = &mut past[at];
    // Lines come newest first.
    if known.time < record.timestamp {
        known.time.clone_from(&record.timestamp);
    }
    if known.outcome.is_empty() || record.class() == MutationClass::Evolution {
        known.outcome = record.class().name().to_owned();
    }
    for path in record.paths() {
        if known.files.len() < FILES && known.files.iter().all(|(other, _)| other != path) {
            let notes = record.stead().into_iter().flat_map(|note| &note.files);
            let after = notes.filter(|note| note.path == path).find_map(|note| note.after.clone());
            known.files.push((path.to_owned(), after));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn one_line_per_session_and_nothing_of_other_intents() {
        let room = tempfile::tempdir().unwrap();
        let line = |time: &str, session: &str, intent: &str, class: &str, path: &str| {
            let note = serde_json::json!({"session": session, "intent": intent, "class": class,
                "files": [{"path": path, "after": "sha256:1"}]});
            let files = [serde_json::json!({"path": path})];
            let line = serde_json::json!({"id": format!("{time}{path}"), "timestamp": time, "files": files,
                "metadata": {"dev.stead": note}});
            format!("{line}\n")
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
        // The other dialect, of a foreign ledger.
        let older = r#"{"id":"x","timestamp":"2026-01-05","intent_id":"I4","files":[{"relative_path":"d"}]}"#;
        fs::write(room.path().join("peers/bob.jsonl"), format!("{older}\n")).unwrap();
        fs::write(room.path().join("agent_trace.head"), "").unwrap();
        let ledger = Ledger::of(room.path(), None);
        let past = past_sessions(&ledger, "I1");
        let shown: Vec<_> =
            past.iter().map(|one| (one.session.as_str(), one.outcome.as_str(), one.files.len())).collect();
        assert_eq!(shown, [("s3", "UNKNOWN", 1), ("s1", "INTENT_EVOLUTION", 2)]);
        assert_eq!(
            past[1].files,
            [("b".to_owned(), Some("sha256:1".to_owned())), ("a".into(), Some("sha256:1".into()))]
        );
        assert_eq!(past_sessions(&ledger, "I4")[0].files, [("d".to_owned(), None)]);
        assert!(past_sessions(&ledger, "I3").is_empty());
    }
}
