use std::borrow::Cow;

/// A tool call as the client announced it, with what it would do.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall<'a> {
    /// The client's own tool name.
    pub tool: Cow<'a, str>,
    /// The client's id of the call; before and after events of one call share it.
    pub id: Option<Cow<'a, str>>,
    pub action: Action<'a>,
    /// The tool's input as JSON text; empty when there was none. Gates fall back to it for tools they do not know.
    pub input: Cow<'a, str>,
}

/// What a tool call would do, whatever the client calls the tool.
#[derive(Clone, Debug, PartialEq)]
pub enum Action<'a> {
    /// Changes files: one entry per file, in order; a patch may hold several.
    Change(Vec<FileChange<'a>>),
    Run {
        command: Cow<'a, str>,
        /// The folder the command runs in, where the call names one.
        dir: Option<Cow<'a, str>>,
    },
    /// Reads or searches files; may be empty when the call names none.
    Read(Vec<Cow<'a, str>>),
    Mcp {
        server: Cow<'a, str>,
        tool: Cow<'a, str>,
    },
    Spawn {
        role: Option<Cow<'a, str>>,
        task: Option<Cow<'a, str>>,
    },
    /// Known to touch neither files nor processes, such as a to-do list.
    Inert,
    /// A tool we do not know. Gates judge its raw input.
    Other,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FileChange<'a> {
    /// As the client wrote it: absolute, or relative to the event's `cwd`.
    pub path: Cow<'a, str>,
    pub change: Change<'a>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Change<'a> {
    /// Replaces the whole file. `None` when the call does not carry the new text.
    Write {
        content: Option<Cow<'a, str>>,
    },
    /// Replaces parts, in order. Empty when the call does not say which.
    Edit(Vec<Replacement<'a>>),
    Delete,
    Rename {
        to: Cow<'a, str>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Replacement<'a> {
    pub old: Cow<'a, str>,
    pub new: Cow<'a, str>,
    /// Replaces every occurrence, not only the first.
    pub all: bool,
}
