//! What a person asked for, so that a packet can quote it verbatim.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use stead_store::{Durability, Redacted, StoreError, Tail, append_line, redact};

use crate::Scope;
use crate::statement::{Kind, sentences};

/// How long the recorder waits for another one.
const PATIENCE: Duration = Duration::from_millis(300);

/// How many lines a reader searches: more than a session has prompts, with those of others in between.
const LINES: usize = 20_000;

/// How much of one prompt is kept. Of a longer one that is its beginning, its end, and from between the sentences that
/// limit the work, or may.
const MOST_BYTES: usize = 8_000;
const BEGINNING: usize = 4_000;
const END: usize = 1_500;

/// How much of a prompt is looked at, at its beginning and at its end.
const LOOKED_AT: usize = 48 * 1024;

/// Stands for what is left out.
const GAP: &str = "… (cut)";

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
        let near = match self.text.len() > 2 * LOOKED_AT {
            true => format!("{}\n{GAP}\n{}", head(&self.text, LOOKED_AT).0, tail(&self.text, LOOKED_AT)),
            false => std::mem::take(&mut self.text),
        };
        let covered = redact(&near).into_owned();
        self.cut = covered.len() > MOST_BYTES;
        self.text = if self.cut { excerpt(&covered) } else { covered };
        append_line(log, Redacted::line(&self), Durability::Quick, PATIENCE)
    }
}

/// What is kept of a long prompt.
fn excerpt(text: &str) -> String {
    let (first, last) = (head(text, BEGINNING).0, tail(text, END));
    let between = &text[first.len()..text.len() - last.len()];
    let mut kept = format!("{first}\n{GAP}\n");
    for (sentence, kind) in sentences(between) {
        let is_wanted = matches!(kind, Kind::Constraint | Kind::Foreign);
        if is_wanted && kept.len() + sentence.len() + GAP.len() + last.len() + 8 < MOST_BYTES {
            kept.push_str(&format!("{sentence}\n"));
        }
    }
    format!("{kept}{GAP}\n{last}")
}

/// The end of a text, from the start of a line if there is one.
fn tail(text: &str, most: usize) -> &str {
    let end = &text[text.ceil_char_boundary(text.len().saturating_sub(most))..];
    end.split_once('\n').filter(|(before, _)| before.len() < most / 2).map_or(end, |(_, lines)| lines)
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
        if prompt.author != "machine"
            && prompt.agent.is_none()
            && !is_own_command(&prompt.text)
            && scope.covers(prompt.session.as_deref(), &prompt.ts)
        {
            found.push(prompt);
        }
    }
    found.reverse();
    Ok(found)
}

/// Returns true for a command of Stead, as it is typed, or as a client expands it before it reports the prompt.
fn is_own_command(prompt: &str) -> bool {
    let prompt = prompt.trim_start();
    let is_typed = ["/handoff", "/pickup", "/stead", "$stead-"].iter().any(|command| prompt.starts_with(command));
    is_typed || prompt.split_whitespace().collect::<Vec<_>>().join(" ").contains(COMMAND_END)
}

/// How the text of each installed command ends.
const COMMAND_END: &str = "If `stead` is not installed, say so and stop.";

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
    fn of_a_long_prompt_the_constraints_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join(Prompt::FILE);
        let filler = "The parser reads a token and returns it.\n".repeat(600);
        let said = format!(
            "Fix it.\n{filler}\nNever touch vendor/.\n{filler}\nBitte nichts löschen.\n{filler}\nUse TOKEN=abc1 now."
        );
        for text in [said.clone(), format!("{}\n{said}", "x\n".repeat(60_000))] {
            prompt("s1", "person", &text).record(&log).unwrap();
        }
        for found in persons_prompts(&log, &Scope { session: Some("s1"), now: 0 }).unwrap() {
            assert!(found.cut && found.text.len() < MOST_BYTES);
            assert!(found.text.ends_with("Use TOKEN=[redacted] now."), "{}", found.text);
        }
        let first = &persons_prompts(&log, &Scope { session: Some("s1"), now: 0 }).unwrap()[0];
        for kept in ["Fix it.\n", "\nNever touch vendor/.\n", "\nBitte nichts löschen.\n"] {
            assert!(first.text.contains(kept), "{kept}");
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
        assert!(found[1].text.len() < MOST_BYTES && found[1].cut);
    }
}
