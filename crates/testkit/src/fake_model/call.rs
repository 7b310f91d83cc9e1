use serde_json::Value;

/// A tool call in neutral words. The server finds the client's own tool for it.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    Shell {
        command: String,
    },
    Write {
        path: String,
        content: String,
    },
    Edit {
        path: String,
        old: String,
        new: String,
    },
    Read {
        path: String,
    },
    Mcp {
        server: String,
        tool: String,
        arguments: Value,
    },
    Spawn {
        role: String,
        task: String,
    },
    /// Looks for tools that the client has but does not show at first.
    FindTool {
        query: String,
    },
}

impl Call {
    pub fn shell(command: impl Into<String>) -> Self {
        Self::Shell { command: command.into() }
    }

    pub fn write(path: impl Into<String>, content: impl Into<String>) -> Self {
        Self::Write { path: path.into(), content: content.into() }
    }

    pub fn edit(path: impl Into<String>, old: impl Into<String>, new: impl Into<String>) -> Self {
        Self::Edit { path: path.into(), old: old.into(), new: new.into() }
    }

    pub fn read(path: impl Into<String>) -> Self {
        Self::Read { path: path.into() }
    }

    pub fn mcp(server: impl Into<String>, tool: impl Into<String>, arguments: Value) -> Self {
        Self::Mcp { server: server.into(), tool: tool.into(), arguments }
    }

    /// Sends out a sub-agent; without a role for clients that have one kind only.
    pub fn spawn(role: impl Into<String>, task: impl Into<String>) -> Self {
        Self::Spawn { role: role.into(), task: task.into() }
    }

    pub fn find_tool(query: impl Into<String>) -> Self {
        Self::FindTool { query: query.into() }
    }

    /// Names the kind of call.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Shell { .. } => "shell",
            Self::Write { .. } => "write",
            Self::Edit { .. } => "edit",
            Self::Read { .. } => "read",
            Self::Mcp { .. } => "mcp",
            Self::Spawn { .. } => "spawn",
            Self::FindTool { .. } => "find-tool",
        }
    }
}
