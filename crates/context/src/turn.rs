//! What a session last said and plans, and what Stead made it do: kept per session, so that a packet can quote the agent
//! and tell the person's words from Stead's own.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stead_model::FileId;
use stead_store::{Durability, Redacted, StoreError, amend, read_capped, redact, redact_head};

use crate::prompt_log::head;

/// The size limit of the file.
const LIMIT: usize = 256 * 1024;

/// How much of an answer is kept at its beginning and at its end.
const ANSWER: usize = 3_000;

/// How many items of a to-do list are kept, and how much of each.
const TODOS: usize = 60;
const TODO: usize = 300;

/// How many texts that Stead gave to the agent are kept, and how much of each.
const INJECTED: usize = 6;
const INJECTED_BYTES: usize = 8_000;

/// How many words a client may add around such a text.
const WRAPPER: usize = 6;

/// `indexes/turns/<session>.json`. Fields of later versions are kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Turn {
    pub schema: u32,
    /// What the agent said when it last ended its turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Said>,
    /// The agent's own list of what is to be done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub todos: Vec<Todo>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub todos_at: Option<String>,
    /// What Stead gave to the agent instead of letting it stop, oldest first. Some clients report it as a prompt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub injected: Vec<Said>,
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A text and when it was said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    pub ts: String,
    pub text: String,
}

/// One item of a to-do list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Todo {
    /// The client's name for it, if it changes items one by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub text: String,
    #[serde(default)]
    pub state: TodoState,
}

stead_model::named! {
    /// How far an item is.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum TodoState {
        #[default]
        Open = "open",
        Working = "working",
        Done = "done",
    }
}

impl Turn {
    const SCHEMA: u32 = 1;

    fn path(indexes: &Path, session: &FileId) -> PathBuf {
        indexes.join("turns").join(format!("{}.json", session.as_str()))
    }

    /// Reads what is kept of a session; nothing if there is none or it cannot be read.
    pub fn read(indexes: &Path, session: &FileId) -> Self {
        let bytes = read_capped(&Self::path(indexes, session), LIMIT).ok().flatten().unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// Changes what is kept, one process at a time. A later version's file is not changed.
    pub fn change(indexes: &Path, session: &FileId, change: impl FnOnce(&mut Self)) -> Result<(), StoreError> {
        let path = Self::path(indexes, session);
        stead_store::create_parents(&path)?;
        amend(&path, LIMIT, Durability::Quick, |old| {
            let mut turn: Self = serde_json::from_slice(&old.unwrap_or_default()).unwrap_or_default();
            if turn.schema > Self::SCHEMA {
                return Ok::<_, StoreError>(None);
            }
            turn.schema = Self::SCHEMA;
            change(&mut turn);
            Ok(Some(Redacted::line(&turn).into()))
        })?;
        Ok(())
    }

    /// Keeps what the agent said, without its secrets; of a long text the beginning and the end.
    pub fn answered(&mut self, text: &str, now: &str) {
        let text = text.trim();
        let text = match text.len() > 2 * ANSWER + 100 {
            true => {
                let end = text.ceil_char_boundary(text.len() - ANSWER);
                format!("{}\n… (cut)\n{}", head(text, ANSWER).0, &text[end..])
            }
            false => text.to_owned(),
        };
        self.answer = (!text.is_empty()).then(|| Said { ts: now.to_owned(), text: redact(&text).into_owned() });
    }

    /// Keeps the agent's to-do list.
    pub fn planned(&mut self, todos: Vec<Todo>, now: &str) {
        let safe = |todo: Todo| Todo { text: redact_head(todo.text.trim(), TODO).into_owned(), ..todo };
        self.todos = todos.into_iter().filter(|todo| !todo.text.trim().is_empty()).take(TODOS).map(safe).collect();
        self.todos_at = Some(now.to_owned());
    }

    /// Notes a text that the agent gets from Stead.
    pub fn injected(&mut self, text: &str, now: &str) {
        let text = redact_head(text, INJECTED_BYTES).into_owned();
        self.injected.retain(|known| known.text != text);
        self.injected.push(Said { ts: now.to_owned(), text });
        let surplus = self.injected.len().saturating_sub(INJECTED);
        self.injected.drain(..surplus);
    }

    /// The person's part of a prompt: `None` if it is what Stead gave to the agent, with or without a few words of the
    /// client around it.
    pub fn persons_part(&self, prompt: &str) -> Option<String> {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
        let said = words(&redact(prompt));
        for known in self.injected.iter().rev().map(|known| words(&known.text)).filter(|known| !known.is_empty()) {
            // A prompt may have been cut where the record of it was.
            let found = match said.find(&known) {
                Some(at) => Some((at, known.len())),
                None if said.len() > 200 && known.starts_with(&said) => Some((0, said.len())),
                None => None,
            };
            let Some((at, length)) = found else { continue };
            let rest = format!("{} {}", &said[..at], &said[at + length..]);
            return (rest.split_whitespace().count() > WRAPPER).then(|| words(&rest));
        }
        Some(prompt.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stead_said_is_not_the_persons() {
        let mut turn = Turn::default();
        let prompt = "Stead loop `x`, iteration 2 of 25. The task is still:\n\nNever touch vendor/.\n";
        turn.injected(prompt, "t");
        let check =
            |said: &str, expected: Option<&str>| assert_eq!(turn.persons_part(said).as_deref(), expected, "{said}");
        check(prompt, None);
        check("Stead loop `x`, iteration 2 of 25.  The task is still: Never touch vendor/.", None);
        check(&format!("Stop hook feedback:\n{prompt}"), None);
        check("Never touch vendor/.", Some("Never touch vendor/."));
        check("go on", Some("go on"));
        check(
            &format!("{prompt}\nThis is what you said; now please stop and tell me why."),
            Some("This is what you said; now please stop and tell me why."),
        );
    }

    #[test]
    fn a_long_or_secret_text_is_recognised() {
        let mut turn = Turn::default();
        let long = format!("Use TOKEN=abc123. {}", "word ".repeat(3_000));
        turn.injected(&long, "t");
        assert!(!turn.injected[0].text.contains("abc123"));
        assert_eq!(turn.persons_part(head(&long, 7_000).0), None);
    }

    #[test]
    fn few_texts_are_kept() {
        let mut turn = Turn::default();
        (0..20).for_each(|n| turn.injected(&format!("text {}", n % 10), "t"));
        assert_eq!((turn.injected.len(), turn.injected[0].text.as_str()), (INJECTED, "text 4"));
        turn.answered(&"é".repeat(9_000), "t");
        assert!(turn.answer.as_ref().unwrap().text.len() < 2 * ANSWER + 100);
        turn.answered(" ", "t");
        assert_eq!(turn.answer, None);
    }

    #[test]
    fn a_file_is_changed_in_place_and_kept_if_it_is_newer() {
        let folder = tempfile::tempdir().unwrap();
        let id = FileId::check("s").unwrap();
        assert_eq!(Turn::read(folder.path(), &id), Turn::default());
        Turn::change(folder.path(), &id, |turn| turn.answered("done", "t")).unwrap();
        Turn::change(folder.path(), &id, |turn| turn.injected("more", "t")).unwrap();
        let turn = Turn::read(folder.path(), &id);
        assert_eq!((turn.answer.unwrap().text.as_str(), turn.injected.len()), ("done", 1));
        let newer = r#"{"schema":2,"answer":{"ts":"t","text":"x"}}"#;
        std::fs::write(Turn::path(folder.path(), &id), newer).unwrap();
        Turn::change(folder.path(), &id, |turn| turn.answered("done", "t")).unwrap();
        assert_eq!(std::fs::read_to_string(Turn::path(folder.path(), &id)).unwrap(), newer);
    }
}
