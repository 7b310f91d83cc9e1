//! From a client's tool name and input to an [`Action`], by table.

use std::borrow::Cow;

use stead_model::{Action, Change, FileChange, Replacement, ToolCall};

use crate::lenient::{Members, text_of};
use crate::patch;

/// A tool a client offers, and what a call to it does.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) does: Does,
}

/// What a tool does, and in which fields of its input the interesting parts are.
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
    /// Changes a file in a way the input does not spell out as text.
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
    Run {
        command: &'static str,
        dir: &'static str,
    },
    /// Reads; each field may hold a path or a list of paths.
    Read {
        paths: &'static [&'static str],
    },
    Spawn {
        role: &'static str,
        task: &'static str,
    },
    /// Touches neither files nor processes.
    Nothing,
}

/// How a client spells the name of an MCP tool.
pub(crate) enum McpName {
    /// `mcp__server__tool`
    Double,
    /// `mcp_server_tool`; the server's own name is in the payload.
    Single,
    /// `MCP:tool`
    Colon,
    /// Nothing tells it from the client's own tools.
    Plain,
}

/// Reads a tool call. `server` is the MCP server as the payload names it, where it does.
pub(crate) fn call<'a>(
    tools: &[Tool],
    mcp: &McpName,
    tool: Cow<'a, str>,
    id: Option<Cow<'a, str>>,
    input: &'a str,
    server: Option<Cow<'a, str>>,
) -> ToolCall<'a> {
    let action = match tools.iter().find(|known| known.name == tool) {
        Some(known) => action(&known.does, input),
        None => mcp_action(mcp, &tool, server).unwrap_or(Action::Other),
    };
    ToolCall { tool, id, action, input: Cow::Borrowed(input) }
}

fn action<'a>(does: &Does, input: &'a str) -> Action<'a> {
    // The patch may be the whole input, as a bare string.
    if let (Does::Patch { .. }, Some(text)) = (does, text_of(input)) {
        return patched(&text);
    }
    let members = Members::of(input);
    match does {
        Does::Write { path, content } => {
            one(&members, path, |members| Change::Write { content: members.text(content) })
        }
        Does::Edit { path, old, new, all } => {
            one(&members, path, |members| Change::Edit(replacement(members, old, new, all).into_iter().collect()))
        }
        Does::EditMany { path, edits, old, new, all } => {
            one(&members, path, |members| Change::Edit(replacements(members, edits, old, new, all)))
        }
        Does::Change { path } => one(&members, path, |_| Change::Edit(Vec::new())),
        Does::Delete { path } => one(&members, path, |_| Change::Delete),
        Does::Patch { text } => members.text(text).map_or(Action::Other, |text| patched(&text)),
        Does::Run { command, dir } => match members.text(command) {
            Some(command) => Action::Run { command, dir: members.text(dir).filter(|dir| !dir.is_empty()) },
            None => Action::Other,
        },
        Does::Read { paths } => {
            Action::Read(paths.iter().filter_map(|field| members.raw(field)).flat_map(texts).collect())
        }
        Does::Spawn { role, task } => Action::Spawn { role: members.text(role), task: members.text(task) },
        Does::Nothing => Action::Inert,
    }
}

/// A change of the one file that `path` names; without a name the call is not understood.
fn one<'a>(members: &Members<'a>, path: &str, change: impl FnOnce(&Members<'a>) -> Change<'a>) -> Action<'a> {
    match members.text(path) {
        Some(path) => Action::Change(vec![FileChange { path, change: change(members) }]),
        None => Action::Other,
    }
}

fn patched<'a>(text: &str) -> Action<'a> {
    let changes = patch::changes(text);
    if changes.is_empty() { Action::Other } else { Action::Change(changes) }
}

fn replacement<'a>(members: &Members<'a>, old: &str, new: &str, all: &str) -> Option<Replacement<'a>> {
    Some(Replacement { old: members.text(old)?, new: members.text(new)?, all: members.flag(all) })
}

fn replacements<'a>(members: &Members<'a>, edits: &str, old: &str, new: &str, all: &str) -> Vec<Replacement<'a>> {
    let Some(list) = members.raw(edits) else {
        return Vec::new();
    };
    let list: Vec<Members<'a>> = serde_json::from_str(list).unwrap_or_default();
    let known: Vec<_> = list.iter().filter_map(|edit| replacement(edit, old, new, all)).collect();
    // A list we understood only in part must not pass for the whole edit.
    if known.len() == list.len() { known } else { Vec::new() }
}

/// A path, or each path of a list.
fn texts(json: &str) -> Vec<Cow<'_, str>> {
    if let Some(text) = text_of(json) {
        return vec![text];
    }
    let list: Vec<crate::lenient::Text<'_>> = serde_json::from_str(json).unwrap_or_default();
    list.into_iter().filter_map(|text| text.0).collect()
}

fn mcp_action<'a>(mcp: &McpName, tool: &str, server: Option<Cow<'a, str>>) -> Option<Action<'a>> {
    let (named, tool) = match mcp {
        McpName::Double => tool.strip_prefix("mcp__")?.split_once("__")?,
        McpName::Single => {
            let rest = tool.strip_prefix("mcp_")?;
            match &server {
                Some(server) => (server.as_ref(), rest.strip_prefix(server.as_ref())?.strip_prefix('_')?),
                None => rest.split_once('_')?,
            }
        }
        McpName::Colon => ("", tool.strip_prefix("MCP:")?),
        McpName::Plain => (server.as_deref()?, tool),
    };
    let (named, tool) = (named.to_owned(), tool.to_owned());
    Some(Action::Mcp { server: server.unwrap_or(Cow::Owned(named)), tool: Cow::Owned(tool) })
}
