//! What a person asked for, so that a packet can quote it verbatim.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use stead_store::{Durability, Redacted, StoreError, Tail, append_line, redact};

use crate::Scope;

/// How long the recorder waits for another one.
const PATIENCE: Duration = Duration::from_millis(300);

/// How many lines a reader searches: more than a session has prompts, with those of others in between.
const LINES: usize = 20_000;

/// How much of one prompt is kept.
const MOST_BYTES: usize = 8_000;

/// One line of `indexes/prompts.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    pub v: u32,
    pub ts: String,
    pub harness: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The sub-agent that was addressed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// `person`, `machine` or `unknown`.
    pub author: String,
    pub text: String,
    /// Only the beginning was kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

impl Prompt {
    pub const FILE: &str = "prompts.jsonl";

    /// Appends the prompt, without its secrets and shortened.
    pub fn record(mut self, log: &Path) -> Result<(), StoreError> {
        // Cut first, with room to spare: redaction cost depends on length, and a secret must not be cut in two.
        let (near, _) = head(&self.text, MOST_BYTES * 2);
        let covered = redact(near).into_owned();
        let (kept, cut) = head(&covered, MOST_BYTES);
        self.cut = cut || near.len() < self.text.len();
        self.text = kept.to_owned();
        append_line(log, Redacted::line(&self), Durability::Quick, PATIENCE)
    }
}

/// The beginning of a text, cut at a character, and whether anything is missing.
pub(crate) fn head(text: &str, most: usize) -> (&str, bool) {
    let end = text.floor_char_boundary(most.min(text.len()));
    (&text[..end], end < text.len())
}

/// What people said within a scope, oldest first. Machine-written prompts, prompts to sub-agents and our own commands are
/// omitted; unknown ones count as a person's.
pub(crate) fn persons_prompts(log: &Path, scope: &Scope<'_>) -> Result<Vec<Prompt>, StoreError> {
    let mut found: Vec<Prompt> = Vec::new();
    for line in Tail::open(log)?.unchecked().take(LINES) {
        let text = line?.text;
        // Most lines of a long log are other sessions', and need no parsing.
        if scope.session.is_some_and(|session| !text.contains(session) && text.contains("\"session\":")) {
            continue;
        }
        let Ok(prompt) = serde_json::from_str::<Prompt>(&text) else { continue };
        let own = ["/handoff", "/pickup", "/stead"].iter().any(|command| prompt.text.starts_with(command));
        if prompt.author != "machine"
            && prompt.agent.is_none()
            && !own
            && scope.covers(prompt.session.as_deref(), &prompt.ts)
        {
            found.push(prompt);
        }
    }
    found.reverse();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(session: &str, author: &str, text: &str) -> Prompt {
        Prompt {
            v: 1,
            ts: "2026-11-15T19:45:30.123Z".into(),
            harness: "h".into(),
            session: Some(session.into()),
            agent: None,
            author: author.into(),
            text: text.into(),
            cut: false,
        }
    }

    #[test]
    fn requests_are_a_persons_own_words() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join(Prompt::FILE);
        prompt("s1", "person", "Fix add().\nUse TOKEN=abc1").record(&log).unwrap();
        prompt("s1", "machine", "go on").record(&log).unwrap();
        prompt("s2", "person", "something else").record(&log).unwrap();
        prompt("s1", "unknown", "/stead:handoff x").record(&log).unwrap();
        prompt("s1", "unknown", &"é".repeat(9_000)).record(&log).unwrap();
        Prompt { agent: Some("a".into()), ..prompt("s1", "person", "to a sub-agent") }.record(&log).unwrap();
        let found = persons_prompts(&log, &Scope { session: Some("s1"), now: 0 }).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].text.as_str(), found[0].cut), ("Fix add().\nUse TOKEN=[redacted]", false));
        assert_eq!((found[1].text.len(), found[1].cut), (8_000, true));
    }
}
