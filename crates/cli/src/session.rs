//! The session that called a command, if a hook saw it.

use stead_context::{Binding, bound_session};

use crate::project::{Project, now_millis};

/// How a command was called.
#[derive(Clone, Debug)]
pub(crate) enum Caller {
    /// With these words on the command line, after the name of the program. What is not text has a replacement character.
    Words(Vec<String>),
    /// By a tool of the MCP server, in this session if a hook saw it. Never by a person.
    Tool(Option<Binding>),
}

/// Finds the session that called this command. `None` in a person's own shell.
pub(crate) fn calling_session(project: &Project) -> Option<Binding> {
    let words: Vec<&str> = match &project.caller {
        Caller::Tool(binding) => return binding.clone(),
        Caller::Words(words) => words.iter().map(String::as_str).collect(),
    };
    bound_session(&project.indexes().join("sessions.jsonl"), &words, now_millis())
}
