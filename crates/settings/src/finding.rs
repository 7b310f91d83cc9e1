//! What an installer should report about hooks that already exist.

use std::fmt;

use serde_json::Value;
use stead_model::Shape;

use crate::json_text::{self, Step};
use crate::line::{items, members};
use crate::{SettingsError, document};

/// Scripts of older hook sets that Stead replaces.
const OLD_SCRIPTS: [&str; 5] = [
    "pre-compact.sh", "block-tested-true.py", "force-tester-completion.py", "enforce-mcp-logs.py",
    "block-direct-edit.py",
];

/// Something in an existing settings text that a person should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// A matcher that is not a string: the client ignores the whole file because of it.
    ObjectMatcher { event: String },
    /// A hook script of an older set.
    OldScript { event: String, script: String },
    /// A hooks file with a `hooks` key around the event map, which the client does not read.
    Wrapped,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ObjectMatcher { event } => {
                write!(
                    f,
                    "`{event}` has a matcher that is not a string; the client ignores the whole file because of it"
                )
            }
            Self::OldScript { event, script } => write!(f, "`{event}` runs `{script}`, which Stead replaces"),
            Self::Wrapped => write!(f, "the event map is inside a `hooks` key, which the client does not read"),
        }
    }
}

/// Lists what is wrong with a text. A text that cannot be parsed has no findings; inserting into it says why.
pub fn findings(shape: Shape, text: &str) -> Vec<Finding> {
    let Ok(document) = document::read(shape, text) else {
        return Vec::new();
    };
    let mut found: Vec<Finding> = odd_groups(shape, &document).into_iter().map(|odd| odd.finding).collect();
    if shape == Shape::BareGroups && document.get("hooks").is_some_and(Value::is_object) {
        found.push(Finding::Wrapped);
    }
    found
}

/// Repairs what [`findings`] lists in a JSON text: object matchers become the equivalent string, older scripts are
/// removed. A wrapped file is left to its owner. `None` if there is nothing to do.
pub fn replace_old(shape: Shape, text: &str) -> Result<Option<String>, SettingsError> {
    if !matches!(shape, Shape::Groups | Shape::BareGroups) {
        return Ok(None);
    }
    let (mark, body) = match text.strip_prefix(document::BOM) {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let mut text = body.to_owned();
    if odd_groups(shape, &document::read(shape, &text)?).is_empty() {
        return Ok(None);
    }
    // One at a time: removing a script may remove its whole group, which shifts every later path.
    loop {
        let document = document::read(shape, &text)?;
        let odd = odd_groups(shape, &document);
        let Some(next) = odd.iter().find(|odd| odd.replacement.is_none()).or(odd.first()) else {
            break;
        };
        text = match &next.replacement {
            Some(matcher) => json_text::replace(&text, &next.path, &Value::from(matcher.as_str()))?,
            None => json_text::remove(&text, &crate::remove::emptied(&document, &next.path, 1))?,
        };
    }
    Ok(Some(format!("{mark}{text}")))
}

/// A finding, where it is, and its replacement.
struct Odd {
    finding: Finding,
    path: Vec<Step>,
    replacement: Option<String>,
}

fn odd_groups(shape: Shape, document: &Value) -> Vec<Odd> {
    let (events, base) = match shape {
        Shape::Groups | Shape::TomlGroups => (document.get("hooks"), vec![Step::key("hooks")]),
        Shape::BareGroups => (Some(document), Vec::new()),
        Shape::Flat | Shape::TomlList | Shape::Whole => (None, Vec::new()),
    };
    let mut found = Vec::new();
    for (event, groups) in members(events) {
        for (index, group) in items(groups).enumerate() {
            let path: Vec<Step> = base.iter().cloned().chain([Step::key(event), Step::Index(index)]).collect();
            if let Some(matcher) = group.get("matcher").filter(|matcher| !matcher.is_string()) {
                let path = path.iter().cloned().chain([Step::key("matcher")]).collect();
                let finding = Finding::ObjectMatcher { event: event.clone() };
                found.push(Odd { finding, path, replacement: Some(matcher_text(matcher)) });
            }
            for (at, entry) in group.get("hooks").into_iter().flat_map(items).enumerate() {
                let Some(script) = old_script(entry) else {
                    continue;
                };
                let path = path.iter().cloned().chain([Step::key("hooks"), Step::Index(at)]).collect();
                let finding = Finding::OldScript { event: event.clone(), script: script.to_owned() };
                found.push(Odd { finding, path, replacement: None });
            }
        }
    }
    found
}

fn old_script(entry: &Value) -> Option<&'static str> {
    let command = entry.get("command")?.as_str()?;
    let mut words = command.split(|c: char| c.is_whitespace() || "'\"/\\;&|".contains(c));
    words.find_map(|word| OLD_SCRIPTS.into_iter().find(|script| *script == word))
}

/// The string that matches what an object or a list was meant to match: the tool names, else everything.
fn matcher_text(matcher: &Value) -> String {
    let mut names = Vec::new();
    collect_names(matcher, &mut names);
    if names.is_empty() { "*".to_owned() } else { names.join("|") }
}

fn collect_names(matcher: &Value, names: &mut Vec<String>) {
    match matcher {
        Value::String(name) => names.push(name.clone()),
        Value::Array(list) => list.iter().for_each(|item| collect_names(item, names)),
        Value::Object(map) => {
            for key in ["tool", "tools", "tool_name", "tool_names", "toolName"] {
                map.get(key).into_iter().for_each(|value| collect_names(value, names));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(shape: Shape, text: &str, found: &[&str], replaced: Option<&str>) {
        let shown: Vec<String> = findings(shape, text).iter().map(ToString::to_string).collect();
        assert_eq!(shown, found, "{text}");
        assert_eq!(replace_old(shape, text).unwrap().as_deref(), replaced, "{text}");
    }

    #[test]
    fn object_matchers_become_strings() {
        check(
            Shape::Groups,
            r#"{"hooks":{"PreToolUse":[{"matcher":{"tool_name":"Write"},"hooks":[{"command":"x"}]}]}}"#,
            &["`PreToolUse` has a matcher that is not a string; the client ignores the whole file because of it"],
            Some(r#"{"hooks":{"PreToolUse":[{"matcher":"Write","hooks":[{"command":"x"}]}]}}"#),
        );
        check(
            Shape::Groups,
            r#"{"hooks":{"Stop":[{"matcher":["Write", "Edit"],"hooks":[]},{"matcher":{"x":1},"hooks":[]}]}}"#,
            &["`Stop` has a matcher that is not a string; the client ignores the whole file because of it"; 2],
            Some(r#"{"hooks":{"Stop":[{"matcher":"Write|Edit","hooks":[]},{"matcher":"*","hooks":[]}]}}"#),
        );
    }

    #[test]
    fn older_scripts_go() {
        check(
            Shape::Groups,
            "{\"hooks\":{\"PreCompact\":[{\"hooks\":[\n{\"command\":\".claude/hooks/pre-compact.sh\"}]}],\n\"Stop\":[{\"hooks\":[{\"command\":\"python3 my-block-tested-true.py\"}]}]}}",
            &["`PreCompact` runs `pre-compact.sh`, which Stead replaces"],
            Some("{\"hooks\":{\n\"Stop\":[{\"hooks\":[{\"command\":\"python3 my-block-tested-true.py\"}]}]}}"),
        );
    }

    #[test]
    fn an_older_script_takes_its_odd_group_along() {
        check(
            Shape::Groups,
            r#"{"hooks":{"Stop":[{"matcher":{"tool":"A"},"hooks":[{"command":"pre-compact.sh"}]},{"matcher":{"tool":"B"},"hooks":[{"command":"x"}]}]}}"#,
            &[
                "`Stop` has a matcher that is not a string; the client ignores the whole file because of it",
                "`Stop` runs `pre-compact.sh`, which Stead replaces",
                "`Stop` has a matcher that is not a string; the client ignores the whole file because of it",
            ],
            Some(r#"{"hooks":{"Stop":[{"matcher":"B","hooks":[{"command":"x"}]}]}}"#),
        );
    }

    #[test]
    fn a_wrapped_event_map_is_named_and_left() {
        check(
            Shape::BareGroups,
            r#"{"hooks":{"Stop":[]}}"#,
            &["the event map is inside a `hooks` key, which the client does not read"],
            None,
        );
        assert_eq!(findings(Shape::Groups, "{\"hooks\":"), []);
    }
}
