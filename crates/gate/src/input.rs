//! Tools we do not know, MCP tools among them: their input is a JSON tree whose texts may be paths or commands.

use serde_json::Value;

use crate::change::{holder, own};
use crate::denial::{Denial, quote};
use crate::facts::Facts;
use crate::mention;
use crate::path::absolute;
use crate::place::Place;
use crate::shell;
use crate::shield::{Shield, Standing};

/// Words in a tool's name that say it only looks.
const READING: &[&str] = &[
    "ask",
    "check",
    "count",
    "describe",
    "diff",
    "explain",
    "fetch",
    "find",
    "get",
    "glob",
    "grep",
    "head",
    "info",
    "inspect",
    "list",
    "log",
    "lookup",
    "ls",
    "open",
    "peek",
    "preview",
    "query",
    "read",
    "recall",
    "retrieve",
    "search",
    "select",
    "show",
    "stat",
    "status",
    "summarize",
    "tail",
    "tree",
    "view",
    "watch",
];

/// Words that say it does more; they win over the reading ones.
const CHANGING: &[&str] = &[
    "append",
    "apply",
    "chmod",
    "clear",
    "copy",
    "create",
    "delete",
    "destroy",
    "drop",
    "edit",
    "erase",
    "exec",
    "execute",
    "insert",
    "modify",
    "move",
    "mv",
    "overwrite",
    "patch",
    "purge",
    "put",
    "remove",
    "rename",
    "replace",
    "reset",
    "rm",
    "run",
    "save",
    "set",
    "trash",
    "truncate",
    "unlink",
    "update",
    "upload",
    "write",
];

/// Words that say whole folders go.
const REMOVING: &[&str] = &[
    "clean", "clear", "delete", "destroy", "drop", "erase", "move", "mv", "purge", "remove", "rename", "rm", "rmdir",
    "trash", "unlink",
];

/// Keys whose text is a shell command.
const COMMANDS: &[&str] = &["bash", "cmd", "code", "command", "commands", "script", "shell", "shellcommand"];

/// Says that only a needle in the input could matter.
pub(crate) fn is_plain(tool: &str, input: &str) -> bool {
    let words = words(tool);
    let removes = words.iter().any(|word| REMOVING.contains(&word.as_str()));
    // A backslash may hide a needle in an escape.
    !removes && !input.contains('\\') && !COMMANDS.iter().any(|key| input.contains(key))
}

/// Judges the input of a tool.
pub(crate) fn judge(
    shield: &Shield<'_>,
    tool: &str,
    input: &str,
    quiet: bool,
    place: &Place<'_>,
    facts: &dyn Facts,
) -> Option<Denial> {
    if input.trim().is_empty() {
        return None;
    }
    let Ok(value) = serde_json::from_str::<Value>(input) else {
        let named = (!quiet).then(|| mention::find(shield, input)).flatten()?;
        return Some(Denial::new(
            format!("the call of {}", quote(tool)),
            format!("its input cannot be read and names {}", quote(named)),
            "send well-formed input",
        ));
    };
    let kind = Kind::of(&words(tool));
    Tree { shield, tool, kind, place, facts }.judge("", &value)
}

/// What a tool's name says it does.
pub(crate) struct Kind {
    pub(crate) reads: bool,
    pub(crate) changes: bool,
    pub(crate) removes: bool,
    /// It gives a file another name.
    pub(crate) moves: bool,
}

impl Kind {
    /// Reads it out of the words of the name.
    pub(crate) fn of(words: &[String]) -> Self {
        let is = |table: &[&str]| words.iter().any(|word| table.contains(&word.as_str()));
        let moves = is(&["move", "mv", "rename"]);
        Self { reads: is(READING) && !is(CHANGING), changes: is(CHANGING), removes: is(REMOVING), moves }
    }
}

struct Tree<'t> {
    shield: &'t Shield<'t>,
    tool: &'t str,
    kind: Kind,
    place: &'t Place<'t>,
    facts: &'t dyn Facts,
}

impl Tree<'_> {
    fn judge(&self, key: &str, value: &Value) -> Option<Denial> {
        match value {
            Value::String(text) => self.judge_text(key, text),
            // A command may come as a list of its words.
            Value::Array(items) if is_command(key) && items.iter().all(Value::is_string) => {
                let words: Vec<String> = items.iter().filter_map(Value::as_str).map(single_quoted).collect();
                self.judge_command(&words.join(" ")).or_else(|| items.iter().find_map(|item| self.judge(key, item)))
            }
            Value::Array(items) => items.iter().find_map(|item| self.judge(key, item)),
            Value::Object(members) => members.iter().find_map(|(key, value)| self.judge(key, value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }

    fn judge_text(&self, key: &str, text: &str) -> Option<Denial> {
        if is_command(key) {
            return self.judge_command(text);
        }
        if self.kind.reads || text.len() > 4_096 || text.contains('\n') {
            return None;
        }
        let path = absolute(text, self.place.cwd, self.shield.home());
        let what = || format!("the call of {} with {}", quote(self.tool), quote(text));
        match self.shield.standing_of(&path, self.facts)? {
            Standing::In(entry) => Some(own(entry, &what())),
            Standing::Above(entry, _) if self.kind.removes && looks_like_path(text) => Some(holder(entry, &what())),
            Standing::Above(..) => None,
        }
    }

    fn judge_command(&self, text: &str) -> Option<Denial> {
        shell::judge(self.shield, text, self.place.cwd, self.place, self.facts)
    }
}

/// Says whether a key's text is a shell command.
pub(crate) fn is_command(key: &str) -> bool {
    let plain: String = key.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect();
    COMMANDS.contains(&plain.as_str())
}

/// An empty text resolves to the current folder without meaning it.
fn looks_like_path(text: &str) -> bool {
    !text.is_empty()
}

pub(crate) fn single_quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Splits a tool's name into lower-case words, at signs and at capitals.
pub(crate) fn words(tool: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut before = ' ';
    for c in tool.chars() {
        let new = !c.is_ascii_alphanumeric() || c.is_ascii_uppercase() && before.is_ascii_lowercase();
        if new {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_ascii_alphanumeric(), words.last_mut()) {
            word.push(c.to_ascii_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use stead_model::Level::{self, Allow, Deny};
    use stead_model::{Action, ToolCall};

    use super::words;
    use crate::testing::{World, expect};

    #[track_caller]
    fn check(tool: &str, input: &str, level: Level) {
        let actions = [Action::Other, Action::Mcp { server: Cow::Borrowed("server"), tool: Cow::Borrowed(tool) }];
        for action in actions {
            let call = ToolCall { tool: tool.into(), id: None, action, input: input.into() };
            expect(&World::new().before(call), level, &format!("{tool} {input}"));
        }
    }

    #[test]
    fn a_tools_name_falls_into_words() {
        assert_eq!(words("mcp__fs__writeFile"), ["mcp", "fs", "write", "file"]);
        assert_eq!(words("Read-File"), ["read", "file"]);
    }

    #[test]
    fn unknown_tools_may_not_touch_protected_paths() {
        check("write_file", r#"{"path":".agent/config.toml","content":"x"}"#, Deny);
        check("write_file", r#"{"path":"/home/ann/proj/.agent/config.toml"}"#, Deny);
        check("write_file", r#"{"path":"file:///home/ann/proj/.agent/config.toml"}"#, Deny);
        check("write_file", r#"{"path":"src/../.agent/config.toml"}"#, Deny);
        check("write_file", r#"{"path":"~/.config/stead/config.toml"}"#, Deny);
        check("write_file", r#"{"path":"\u002eagent/config.toml"}"#, Deny);
        check("frobnicate", r#"{"files":[{"name":"a"},{"name":".agent/guards/x.yaml"}]}"#, Deny);
        check("write_file", r#"{"path":".tool/settings.json","content":"{}"}"#, Deny);
        check("move_file", r#"{"source":".agent","destination":"x"}"#, Deny);
        check("delete_directory", r#"{"path":"."}"#, Deny);
        check("find_and_replace", r#"{"path":".agent/config.toml"}"#, Deny);
        check("getOrCreateFile", r#"{"path":".agent/config.toml"}"#, Deny);
    }

    #[test]
    fn unknown_tools_may_do_everything_else() {
        check("read_file", r#"{"path":".agent/config.toml"}"#, Allow);
        check("list_directory", r#"{"path":".agent"}"#, Allow);
        check("search_files", r#"{"path":".agent","pattern":"*"}"#, Allow);
        check("write_file", r#"{"path":"src/main.rs","content":"see .agent/config.toml"}"#, Allow);
        check("write_file", r#"{"path":".agent/context/packets/a.md","content":"x"}"#, Allow);
        check("write_file", r#"{"path":"docs/agent.md"}"#, Allow);
        check("create_issue", r#"{"title":"about .agent/config.toml please","body":"x"}"#, Allow);
        check("delete_file", r#"{"path":"src/old.rs"}"#, Allow);
        check("anything", "", Allow);
        check("anything", "{}", Allow);
    }

    #[test]
    fn commands_in_the_input_are_read_as_commands() {
        check("terminal", r#"{"command":"rm -rf .agent"}"#, Deny);
        check("terminal", r#"{"command":["rm","-rf",".agent"]}"#, Deny);
        check("terminal", r#"{"command":["bash","-lc","rm -rf .agent"]}"#, Deny);
        check("get_output", r#"{"cmd":"echo x > .agent/config.toml"}"#, Deny);
        check("terminal", r#"{"command":"rm -rf ."}"#, Deny);
        check("terminal", r#"{"steps":[{"shell":"stead uninstall"}]}"#, Deny);
        check("terminal", r#"{"command":"cat .agent/config.toml"}"#, Allow);
        check("terminal", r#"{"command":"cargo test"}"#, Allow);
    }

    #[test]
    fn unreadable_input_passes_only_if_it_names_nothing() {
        check("write_file", r#"{"path":".agent/config.toml""#, Deny);
        check("write_file", r#"{"path":"src/x""#, Allow);
        check("write_file", "not json", Allow);
    }
}
