//! The line in a client's window that a command prints, and what the client tells that command.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};
use stead_model::{Spot, Syntax};

use crate::servers::KnownBy;

/// Where a client is told which command prints its status line, and how.
pub struct StatusLine {
    pub syntax: Syntax,
    /// The keys that lead to the setting.
    pub keys: &'static [&'static str],
    /// The file below the project root, shared with the team; `None` if it is not read from there.
    pub project: Option<&'static str>,
    /// The file below the project root that is not shared.
    pub local: Option<&'static str>,
    /// The file of the person.
    pub user: Spot<'static>,
    /// The file needs more than this setting, so that only the client creates it.
    pub only_existing: bool,
    /// Builds the setting.
    pub entry: fn(command: &str) -> Value,
    /// It shows the colours that a command prints.
    pub colours: bool,
    /// Whether the line was seen in the real program.
    pub known_by: KnownBy,
}

/// The setting that most clients take.
pub(crate) fn command_line(command: &str) -> Value {
    json!({"type": "command", "command": command})
}

impl StatusLine {
    /// JSON with the key that most clients use, in the person's settings.
    pub(crate) const fn json(user: Spot<'static>) -> Self {
        Self {
            syntax: Syntax::Json,
            keys: &["statusLine"],
            project: None,
            local: None,
            user,
            only_existing: false,
            entry: command_line,
            colours: false,
            known_by: KnownBy::Documentation,
        }
    }

    /// The command of a setting.
    pub fn command(entry: &Value) -> Option<&str> {
        entry.get("command")?.as_str()
    }
}

/// What a client tells the command, as far as it is needed. A text that is not such JSON tells nothing.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct StatusInput<'a> {
    #[serde(borrow, alias = "sessionId")]
    pub session_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    cwd: Option<Cow<'a, str>>,
    #[serde(borrow)]
    workspace: Workspace<'a>,
}

#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct Workspace<'a> {
    #[serde(borrow)]
    project_dir: Option<Cow<'a, str>>,
    #[serde(borrow)]
    current_dir: Option<Cow<'a, str>>,
}

impl<'a> StatusInput<'a> {
    pub fn read(payload: &'a str) -> Self {
        serde_json::from_str(payload).unwrap_or_default()
    }

    /// The folders that may belong to a project, the one that the session was started in first. Of some clients this is
    /// a folder with their own files, which belongs to none.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        let Workspace { project_dir, current_dir } = &self.workspace;
        [project_dir, current_dir, &self.cwd].into_iter().flatten().map(AsRef::as_ref)
    }
}

#[cfg(test)]
mod tests {
    use crate::Harness;

    use super::*;

    #[track_caller]
    fn check(payload: &str, session: Option<&str>, folders: &[&str]) {
        let input = StatusInput::read(payload);
        assert_eq!(input.session_id.as_deref(), session, "{payload}");
        assert_eq!(input.folders().collect::<Vec<_>>(), folders, "{payload}");
    }

    #[test]
    fn every_form_is_read_and_no_text_is_an_error() {
        check(
            r#"{"session_id":"s","cwd":"/c","workspace":{"current_dir":"/w","project_dir":"/p","added_dirs":[]}}"#,
            Some("s"),
            &["/p", "/w", "/c"],
        );
        check(r#"{"sessionId":"k","cwd":"/c","gitBranch":null}"#, Some("k"), &["/c"]);
        check(r#"{"session_id":"a\tb","cwd":"/\u00e9"}"#, Some("a\tb"), &["/é"]);
        for odd in ["", "{", "[]", "null", r#"{"session_id": 7}"#, r#"{"workspace": null}"#] {
            check(odd, None, &[]);
        }
    }

    #[test]
    fn every_setting_names_its_command_and_every_payload_its_session() {
        let mut shown = Vec::new();
        for harness in Harness::ALL {
            let Some(line) = &harness.client().facts.status_line else { continue };
            assert_eq!(StatusLine::command(&(line.entry)("stead statusline")), Some("stead statusline"), "{harness}");
            assert!(line.local.is_none() || line.project.is_some(), "{harness}");
            let path = format!("{}/fixtures/{harness}/status-line.jsonl", env!("CARGO_MANIFEST_DIR"));
            for payload in std::fs::read_to_string(path).unwrap().lines() {
                let input = StatusInput::read(payload);
                assert!(input.session_id.is_some(), "{harness}: {payload}");
                assert!(input.folders().any(|folder| folder == "/home/me/project"), "{harness}: {payload}");
            }
            shown.push(harness.name());
        }
        assert_eq!(shown.len(), 7, "{shown:?}");
    }
}
