use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};
use stead_store::{Beginning, Rewritten, StoreError, Tail, rewrite_log};

const PATIENCE: Duration = Duration::from_secs(5);

/// Keeps one line per file, session, packet and source: the newest, with the greatest weight and the number of touches
/// of the lines it replaces. Other lines are kept as they are; torn ones are removed.
pub fn compact_relevant_files(log: &Path) -> Result<Rewritten, StoreError> {
    rewrite_log(log, PATIENCE, merged)
}

fn merged(lines: Tail<Beginning>) -> Result<Vec<u8>, StoreError> {
    let mut kept: Vec<Map<String, Value>> = Vec::new();
    let mut known: HashMap<[Option<String>; 4], usize> = HashMap::new();
    for line in lines {
        let Ok(touch) = serde_json::from_str::<Map<String, Value>>(&line?.text) else { continue };
        let text = |key: &str| touch.get(key).and_then(Value::as_str).map(str::to_owned);
        let key = ["file_path", "session", "packet_id", "source"].map(text);
        if key[0].is_none() {
            kept.push(touch);
            continue;
        }
        match known.get(&key) {
            Some(at) => absorb(&mut kept[*at], &touch),
            None => {
                known.insert(key, kept.len());
                kept.push(touch);
            }
        }
    }
    let mut bytes = Vec::new();
    for touch in kept.iter().rev() {
        serde_json::to_writer(&mut bytes, touch).unwrap_or_default();
        bytes.push(b'\n');
    }
    Ok(bytes)
}

/// Merges an older touch into a newer one.
fn absorb(newer: &mut Map<String, Value>, older: &Map<String, Value>) {
    let count = |touch: &Map<String, Value>| touch.get("count").and_then(Value::as_u64).unwrap_or(1);
    newer.insert("count".into(), (count(newer) + count(older)).into());
    let weight = |touch: &Map<String, Value>| touch.get("confidence").and_then(Value::as_f64).unwrap_or(0.0);
    // A person's decision is not outweighed by an earlier one.
    if newer.get("source").and_then(Value::as_str) != Some("user") && weight(older) > weight(newer) {
        for key in ["confidence", "action"] {
            if let Some(value) = older.get(key) {
                newer.insert(key.into(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_line_stands_for_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let lines = [
            r#"{"timestamp":"1","file_path":"a","source":"tool","confidence":0.9,"action":"edit","session":"s"}"#,
            r#"{"later":"version"}"#,
            r#"{"timestamp":"2","file_path":"a","source":"user","confidence":1.0,"action":"confirm"}"#,
            r#"{"timestamp":"3","file_path":"a","source":"tool","confidence":0.4,"action":"read","session":"s","x":1}"#,
            "torn {",
            r#"{"timestamp":"4","file_path":"a","source":"tool","confidence":0.4,"action":"read","session":"t"}"#,
            r#"{"timestamp":"5","file_path":"a","source":"user","confidence":0.0,"action":"drop"}"#,
        ];
        std::fs::write(&log, lines.join("\n")).unwrap();
        let done = compact_relevant_files(&log).unwrap();
        let text = std::fs::read_to_string(&log).unwrap();
        let expected = [
            r#"{"later":"version"}"#,
            r#"{"timestamp":"3","file_path":"a","source":"tool","confidence":0.9,"action":"edit","session":"s","x":1,"count":2}"#,
            r#"{"timestamp":"4","file_path":"a","source":"tool","confidence":0.4,"action":"read","session":"t"}"#,
            r#"{"timestamp":"5","file_path":"a","source":"user","confidence":0.0,"action":"drop","count":2}"#,
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
        assert_eq!(done.after, text.len() as u64);
        let again = compact_relevant_files(&log).unwrap();
        assert_eq!((again.before, std::fs::read_to_string(&log).unwrap()), (done.after, text));
    }
}
