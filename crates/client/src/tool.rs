//! Converts a client's tool name and input to an [`Action`], by table.

use std::borrow::Cow;

use stead_model::{Action, Change, FileChange, Replacement, ToolCall, patch_changes};

use crate::lenient::{Members, items_of, text_of};

/// A tool a client offers, and what a call to it does. `one|other` are tools that do the same.
pub(crate) struct Tool {
    names: &'static str,
    does: Does,
}

/// Names a tool in a table.
pub(crate) const fn tool(names: &'static str, does: Does) -> Tool {
    Tool { names, does }
}

impl Tool {
    pub(crate) fn is(&self, name: &str) -> bool {
        self.names.split('|').any(|known| known == name)
    }
}

/// What a tool does, and which fields of its input matter. `one|other` tries several fields.
pub(crate) enum Does {
    Write {
        path: &'static str,
        content: &'static str,
    },
    Edit {
        path: &'static str,
        old: &'static str,
        new: &'static str,
        all: &'static str,
    },
    /// Several replacements in one file: `edits` is a list of objects with `old` and `new`.
    EditMany {
        path: &'static str,
        edits: &'static str,
        old: &'static str,
        new: &'static str,
        all: &'static str,
    },
    /// Changes a file without giving the new text in its input.
    Change {
        path: &'static str,
    },
    Delete {
        path: &'static str,
    },
    /// An `apply_patch` text.
    Patch {
        text: &'static str,
    },
    /// One tool for everything: its `command` is `view`, which reads, or the name of a change.
    Editor {
        path: &'static str,
    },
    Run {
        command: &'static str,
        dir: &'static str,
    },
    /// A PowerShell command, which has another grammar than the shell.
    PowerShell {
        command: &'static str,
    },
    /// Reads; each field may contain a path or a list of paths, some of them patterns.
    Read {
        paths: &'static [&'static str],
    },
    /// Reads one file, or some lines of it.
    ReadLines {
        path: &'static str,
        lines: Lines,
    },
    Spawn {
        role: &'static str,
        task: &'static str,
    },
    /// Touches neither files nor processes.
    Nothing,
}

/// The fields that say how many lines to read. Guards see the number as `limit`, which is what most clients call it.
pub(crate) enum Lines {
    /// The first and the last one, counted from 1.
    FromTo(&'static str, &'static str),
    /// Both in a list; a last one of -1 is the end of the file.
    Pair(&'static str),
    Count(&'static str),
}

impl Lines {
    fn count(&self, members: &Members<'_>) -> Option<u64> {
        let number = |json: &str| json.parse::<u64>().ok();
        let span = |first: u64, last: u64| Some(last.checked_sub(first)? + 1);
        match self {
            Self::FromTo(first, last) => {
                span(members.raw(first).and_then(number).unwrap_or(1), number(members.raw(last)?)?)
            }
            Self::Pair(both) => match items_of(members.raw(both)?)[..] {
                [first, last] => span(number(first)?, number(last)?),
                _ => None,
            },
            Self::Count(count) => number(members.raw(count)?),
        }
    }

    /// The input with the number of lines under the name that guards use.
    fn named<'a>(&self, input: &'a str) -> Cow<'a, str> {
        let members = Members::of(input);
        match (self.count(&members), members.raw("limit"), input.trim_end().strip_suffix('}')) {
            (Some(count), None, Some(open)) => Cow::Owned(format!("{open},\"limit\":{count}}}")),
            _ => Cow::Borrowed(input),
        }
    }
}

/// How a client spells the name of an MCP tool.
pub(crate) enum McpName {
    /// `mcp__server__tool`
    Double,
    /// `server__tool`
    Infix,
    /// `server___tool`
    Triple,
    /// `mcp_server_tool`; the server's own name is in the payload.
    Single,
    /// `MCP:tool`
    Colon,
    /// `server_tool`: any name that is not the client's own. Few servers have an underscore in their name.
    FirstUnderscore,
    /// `server-tool`: any name that is not the client's own. Few tools have a hyphen in their name.
    LastHyphen,
    /// The tool's own name; the payload names the server.
    Plain,
}

/// Reads a tool call. `known` is the tool in the client's table, `server` the MCP server named in the payload.
pub(crate) fn call<'a>(
    known: Option<&Tool>,
    mcp: &McpName,
    tool: Cow<'a, str>,
    id: Option<Cow<'a, str>>,
    input: &'a str,
    server: Option<Cow<'a, str>>,
) -> ToolCall<'a> {
    let action = match known {
        Some(known) => action(&known.does, input),
        None => mcp_action(mcp, &tool, server).unwrap_or(Action::Other),
    };
    let input = match known {
        Some(Tool { does: Does::ReadLines { lines, .. }, .. }) => lines.named(input),
        _ => Cow::Borrowed(input),
    };
    ToolCall { tool, id, action, input }
}

/// Like [`call`], for clients that may send the input as a JSON string. A string that contains no object stays as it
/// is.
pub(crate) fn call_with_quoted_input<'a>(
    known: Option<&Tool>,
    mcp: &McpName,
    tool: Cow<'a, str>,
    id: Option<Cow<'a, str>>,
    input: &'a str,
    server: Option<Cow<'a, str>>,
) -> ToolCall<'a> {
    match text_of(input) {
        Some(text) if Members::read(&text).is_ok() => {
            let inner = call(known, mcp, tool.clone(), None, &text, server.clone());
            ToolCall { tool, id, action: owned(inner.action), input: Cow::Owned(inner.input.into_owned()) }
        }
        _ => call(known, mcp, tool, id, input, server),
    }
}

fn action<'a>(does: &Does, input: &'a str) -> Action<'a> {
    // The patch may be the whole input, as a bare string.
    if let (Does::Patch { .. }, Some(text)) = (does, text_of(input)) {
        return patched(&text);
    }
    let members = Members::of(input);
    match does {
        // Appending keeps the rest of the file, so the content is not the whole file.
        Does::Write { path, .. } if members.text("mode").as_deref() == Some("append") => {
            one(&members, path, |_| Change::Edit(Vec::new()))
        }
        Does::Write { path, content } => {
            one(&members, path, |members| Change::Write { content: members.any_text(content) })
        }
        Does::Edit { path, old, new, all } => {
            one(&members, path, |members| Change::Edit(replacement(members, old, new, all).into_iter().collect()))
        }
        Does::EditMany { path, edits, old, new, all } => {
            one(&members, path, |members| Change::Edit(replacements(members, edits, old, new, all)))
        }
        Does::Change { path } => one(&members, path, |_| Change::Edit(Vec::new())),
        Does::Delete { path } => one(&members, path, |_| Change::Delete),
        Does::Patch { text } => members.any_text(text).map_or(Action::Other, |text| patched(&text)),
        Does::Editor { path } if members.text("command").as_deref() == Some("view") => {
            Action::Read(members.any_text(path).into_iter().collect())
        }
        Does::Editor { path } => one(&members, path, |_| Change::Edit(Vec::new())),
        Does::Run { command, dir } => match members.any_text(command) {
            Some(command) => Action::Run { command, dir: members.any_text(dir).filter(|dir| !dir.is_empty()) },
            None => Action::Other,
        },
        Does::PowerShell { command } => members.any_text(command).map_or(Action::Other, |text| Action::Run {
            command: Cow::Owned(format!("pwsh -Command '{}'", text.replace('\'', "'\\''"))),
            dir: None,
        }),
        Does::ReadLines { path, .. } => Action::Read(members.any_text(path).into_iter().collect()),
        Does::Read { paths } => {
            Action::Read(paths.iter().filter_map(|field| members.raw(field)).flat_map(texts).collect())
        }
        Does::Spawn { role, task } => Action::Spawn { role: members.any_text(role), task: members.any_text(task) },
        Does::Nothing => Action::Inert,
    }
}

/// A change of the file that `path` names; without one the call is unknown.
fn one<'a>(members: &Members<'a>, path: &str, change: impl FnOnce(&Members<'a>) -> Change<'a>) -> Action<'a> {
    match members.any_text(path) {
        Some(path) => Action::Change(vec![FileChange { path, change: change(members) }]),
        None => Action::Other,
    }
}

fn patched<'a>(text: &str) -> Action<'a> {
    let changes = patch_changes(text);
    if changes.is_empty() { Action::Other } else { Action::Change(changes) }
}

fn replacement<'a>(members: &Members<'a>, old: &str, new: &str, all: &str) -> Option<Replacement<'a>> {
    Some(Replacement { old: members.any_text(old)?, new: members.any_text(new)?, all: members.flag(all) })
}

fn replacements<'a>(members: &Members<'a>, edits: &str, old: &str, new: &str, all: &str) -> Vec<Replacement<'a>> {
    let list = members.any_raw(edits).map(items_of).unwrap_or_default();
    let known: Vec<_> = list.iter().filter_map(|edit| replacement(&Members::of(edit), old, new, all)).collect();
    // A list that was read only in part must not count as the whole edit.
    if known.len() == list.len() { known } else { Vec::new() }
}

/// A path, or each path of a list.
fn texts(json: &str) -> Vec<Cow<'_, str>> {
    match text_of(json) {
        Some(text) => vec![text],
        None => items_of(json).into_iter().filter_map(text_of).collect(),
    }
}

fn mcp_action<'a>(mcp: &McpName, tool: &str, server: Option<Cow<'a, str>>) -> Option<Action<'a>> {
    let (named, tool) = match mcp {
        McpName::Double => tool.strip_prefix("mcp__")?.split_once("__")?,
        McpName::Infix => tool.split_once("__")?,
        McpName::Triple => tool.split_once("___")?,
        McpName::Single => {
            let rest = tool.strip_prefix("mcp_")?;
            match &server {
                Some(server) => (server.as_ref(), rest.strip_prefix(server.as_ref())?.strip_prefix('_')?),
                None => rest.split_once('_')?,
            }
        }
        McpName::Colon => ("", tool.strip_prefix("MCP:")?),
        McpName::FirstUnderscore => tool.split_once('_')?,
        McpName::LastHyphen => tool.rsplit_once('-')?,
        McpName::Plain => (server.as_deref()?, tool),
    };
    let (named, tool) = (named.to_owned(), tool.to_owned());
    Some(Action::Mcp { server: server.unwrap_or(Cow::Owned(named)), tool: Cow::Owned(tool) })
}

/// Copies an action, so that it does not borrow from the text it was read from.
fn owned(action: Action<'_>) -> Action<'static> {
    fn keep(text: Cow<'_, str>) -> Cow<'static, str> {
        Cow::Owned(text.into_owned())
    }
    fn change(change: Change<'_>) -> Change<'static> {
        match change {
            Change::Write { content } => Change::Write { content: content.map(keep) },
            Change::Edit(parts) => Change::Edit(
                parts.into_iter().map(|r| Replacement { old: keep(r.old), new: keep(r.new), all: r.all }).collect(),
            ),
            Change::Delete => Change::Delete,
            Change::Rename { to } => Change::Rename { to: keep(to) },
        }
    }
    match action {
        Action::Change(files) => Action::Change(
            files.into_iter().map(|file| FileChange { path: keep(file.path), change: change(file.change) }).collect(),
        ),
        Action::Run { command, dir } => Action::Run { command: keep(command), dir: dir.map(keep) },
        Action::Read(paths) => Action::Read(paths.into_iter().map(keep).collect()),
        Action::Mcp { server, tool } => Action::Mcp { server: keep(server), tool: keep(tool) },
        Action::Spawn { role, task } => Action::Spawn { role: role.map(keep), task: task.map(keep) },
        Action::Inert => Action::Inert,
        Action::Other => Action::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EDIT: Does = Does::Edit { path: "path|file_path", old: "old", new: "new", all: "all" };
    const MANY: Does = Does::EditMany { path: "path", edits: "edits", old: "old", new: "new", all: "all" };

    #[track_caller]
    fn check(does: Does, input: &str, expected: &str) {
        assert_eq!(format!("{:?}", action(&does, input)), expected, "{input}");
    }

    #[test]
    fn fields_have_second_names() {
        let expected =
            r#"Change([FileChange { path: "a", change: Edit([Replacement { old: "x", new: "y", all: true }]) }])"#;
        check(EDIT, r#"{"path":"a","old":"x","new":"y","all":true}"#, expected);
        check(EDIT, r#"{"file_path":"a","old":"x","new":"y","all":true}"#, expected);
    }

    #[test]
    fn an_edit_that_is_not_understood_is_still_one() {
        check(EDIT, r#"{"path":"a"}"#, r#"Change([FileChange { path: "a", change: Edit([]) }])"#);
        let half = r#"{"path":"a","edits":[{"old":"x","new":"y"},{"old":1}]}"#;
        check(MANY, half, r#"Change([FileChange { path: "a", change: Edit([]) }])"#);
        check(MANY, r#"{"path":"a","edits":[7]}"#, r#"Change([FileChange { path: "a", change: Edit([]) }])"#);
    }

    #[test]
    fn a_call_without_its_main_field_is_unknown() {
        check(EDIT, "{}", "Other");
        check(EDIT, r#"{"path":["a"]}"#, "Other");
        check(Does::Run { command: "command", dir: "" }, r#"{"command":["rm","x"]}"#, "Other");
        check(Does::Patch { text: "patch" }, r#"{"patch":"no markers"}"#, "Other");
        check(Does::Editor { path: "path" }, r#"{"command":"create"}"#, "Other");
    }

    #[test]
    fn appending_is_not_replacing() {
        let write = || Does::Write { path: "path", content: "content" };
        let whole = r#"Change([FileChange { path: "a", change: Write { content: Some("x") } }])"#;
        check(write(), r#"{"path":"a","content":"x"}"#, whole);
        check(write(), r#"{"path":"a","content":"x","mode":"overwrite"}"#, whole);
        let part = r#"Change([FileChange { path: "a", change: Edit([]) }])"#;
        check(write(), r#"{"path":"a","content":"x","mode":"append"}"#, part);
    }

    #[test]
    fn patches_come_bare_or_in_a_field() {
        let expected = r#"Change([FileChange { path: "a", change: Delete }])"#;
        check(Does::Patch { text: "patch" }, r#""*** Delete File: a""#, expected);
        check(Does::Patch { text: "input|patch" }, r#"{"patch":"*** Delete File:a\n"}"#, expected);
    }

    #[test]
    fn one_tool_may_read_or_change() {
        check(Does::Editor { path: "path" }, r#"{"command":"view","path":"a"}"#, r#"Read(["a"])"#);
        let insert = r#"{"command":"insert","path":"a"}"#;
        check(Does::Editor { path: "path" }, insert, r#"Change([FileChange { path: "a", change: Edit([]) }])"#);
    }

    #[test]
    fn reads_take_a_path_or_a_list() {
        let read = || Does::Read { paths: &["path", "paths"] };
        check(read(), r#"{"path":"a","paths":["b",1,"c"]}"#, r#"Read(["a", "b", "c"])"#);
        check(read(), "null", "Read([])");
    }

    #[test]
    fn another_language_is_not_the_shells() {
        let does = Does::PowerShell { command: "command" };
        let command = r"pwsh -Command 'rm '\''a b'\'''".into();
        assert_eq!(action(&does, r#"{"command":"rm 'a b'"}"#), Action::Run { command, dir: None });
        check(does, "{}", "Other");
    }

    #[test]
    fn so_many_lines_have_one_name() {
        let check = |lines: Lines, input: &str, limit: Option<u64>| {
            let reads = tool("read", Does::ReadLines { path: "path", lines });
            let call = call(Some(&reads), &McpName::Plain, "read".into(), None, input, None);
            let read: serde_json::Value = serde_json::from_str(&call.input).unwrap();
            assert_eq!(read["limit"].as_u64(), limit, "{input}");
            assert_eq!(call.action, Action::Read(vec!["a".into()]), "{input}");
        };
        check(Lines::FromTo("from", "to"), r#"{"path":"a","from":11,"to":20}"#, Some(10));
        check(Lines::FromTo("from", "to"), r#"{"path":"a","to":20} "#, Some(20));
        check(Lines::FromTo("from", "to"), r#"{"path":"a","from":11}"#, None);
        check(Lines::FromTo("from", "to"), r#"{"path":"a","from":20,"to":11}"#, None);
        check(Lines::FromTo("from", "to"), r#"{"path":"a","to":20,"limit":5}"#, Some(5));
        check(Lines::Pair("range"), r#"{"path":"a","range":[1, 50]}"#, Some(50));
        check(Lines::Pair("range"), r#"{"path":"a","range":[1,-1]}"#, None);
        check(Lines::Pair("range"), r#"{"path":"a","range":"1"}"#, None);
        check(Lines::Count("n"), r#"{"path":"a","n":7}"#, Some(7));
        check(Lines::Count("n"), r#"{"path":"a"}"#, None);
    }

    #[test]
    fn quoted_input_is_unpacked() {
        let shell = tool("bash", Does::Run { command: "command", dir: "" });
        let check = |input: &str, expected: &str| {
            let call = call_with_quoted_input(Some(&shell), &McpName::Plain, "bash".into(), None, input, None);
            assert_eq!(format!("{:?} {}", call.action, call.input), expected, "{input}");
        };
        check(r#"{"command":"ls"}"#, r#"Run { command: "ls", dir: None } {"command":"ls"}"#);
        check(r#""{\"command\":\"ls\"}""#, r#"Run { command: "ls", dir: None } {"command":"ls"}"#);
        check(r#""just words""#, r#"Other "just words""#);
    }

    #[test]
    fn servers_are_told_from_tools() {
        let check = |mcp: McpName, tool: &str, server: Option<&str>, expected: Option<(&str, &str)>| {
            let found = mcp_action(&mcp, tool, server.map(Cow::Borrowed));
            let expected =
                expected.map(|(server, tool)| Action::Mcp { server: Cow::Borrowed(server), tool: Cow::Borrowed(tool) });
            assert_eq!(found, expected, "{tool}");
        };
        check(McpName::Double, "mcp__a_b__c__d", None, Some(("a_b", "c__d")));
        check(McpName::Double, "Bash", None, None);
        check(McpName::Infix, "a_b__c__d", None, Some(("a_b", "c__d")));
        check(McpName::Infix, "run_terminal_command", None, None);
        check(McpName::Triple, "a_b___c__d", None, Some(("a_b", "c__d")));
        check(McpName::Triple, "Execute", None, None);
        check(McpName::Single, "mcp_my_server_tool", Some("my_server"), Some(("my_server", "tool")));
        check(McpName::Single, "mcp_server_tool", None, Some(("server", "tool")));
        check(McpName::Colon, "MCP:tool", None, Some(("", "tool")));
        check(McpName::FirstUnderscore, "git-hub_create_pull_request", None, Some(("git-hub", "create_pull_request")));
        check(McpName::LastHyphen, "git-hub-create_pull_request", None, Some(("git-hub", "create_pull_request")));
        check(McpName::LastHyphen, "report_intent", None, None);
        check(McpName::Plain, "server_tool", None, None);
        check(McpName::Plain, "tool", Some("server"), Some(("server", "tool")));
    }
}
