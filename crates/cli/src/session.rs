//! The session that called a command, if a hook saw it.

use stead_context::{Binding, bound_session};

use crate::project::{Project, now_millis};

/// How a command was called.
#[derive(Clone, Debug, Default)]
pub(crate) enum Caller {
    /// With words on the command line.
    #[default]
    Words,
    /// By a tool of the MCP server, in this session if a hook saw it. Never by a person.
    Tool(Option<Binding>),
}

/// Finds the session that called this command. `None` in a person's own shell.
pub(crate) fn calling_session(project: &Project) -> Option<Binding> {
    if let Caller::Tool(binding) = &project.caller {
        return binding.clone();
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    bound_session(&project.indexes().join("sessions.jsonl"), &words, now_millis())
}
