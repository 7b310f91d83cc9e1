//! How a client is told to start an MCP server.

use serde_json::{Value, json};
use stead_model::{Spot, Syntax};

/// Where a client reads its MCP servers from, and how it wants them written.
pub struct Servers {
    pub syntax: Syntax,
    /// The key of the table in which each server has its name.
    pub table: &'static str,
    /// The file below the project root; `None` if there is none that Stead can use.
    pub project: Option<&'static str>,
    /// The file of the person; `None` if there is none that Stead can use.
    pub user: Option<Spot<'static>>,
    /// Builds the entry of a server that is started by this program.
    pub entry: fn(program: &str) -> Value,
    /// How a person registers it where Stead cannot.
    pub by_hand: &'static str,
    /// What a person must confirm before the server is started.
    pub confirm: Option<&'static str>,
    /// Whether the format was seen to work in the real program, or is known from its documentation.
    pub known_by: KnownBy,
}

/// How a fact about a client is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownBy {
    Test,
    Documentation,
}

/// Arguments that make Stead the server.
pub const SERVER_ARGUMENTS: &[&str] = &["mcp"];

impl Servers {
    /// JSON with the key that most clients use.
    pub(crate) const JSON: Self = Self {
        syntax: Syntax::Json,
        table: "mcpServers",
        project: None,
        user: None,
        entry: command_and_args,
        by_hand: "",
        confirm: None,
        known_by: KnownBy::Documentation,
    };

    /// The program and the arguments of an entry.
    pub fn command(entry: &Value) -> Option<Vec<String>> {
        let words = |value: &Value| -> Option<Vec<String>> {
            value.as_array()?.iter().map(|word| Some(word.as_str()?.to_owned())).collect()
        };
        match &entry["command"] {
            Value::String(program) => {
                let args = words(&entry["args"]).unwrap_or_default();
                Some(std::iter::once(program.clone()).chain(args).collect())
            }
            list => words(list).filter(|words| !words.is_empty()),
        }
    }
}

/// The entry that most clients take.
pub(crate) fn command_and_args(program: &str) -> Value {
    json!({"command": program, "args": SERVER_ARGUMENTS})
}

#[cfg(test)]
mod tests {
    use crate::Harness;

    use super::*;

    #[test]
    fn every_client_can_be_told_somewhere() {
        for harness in Harness::ALL {
            let servers = &harness.client().facts.servers;
            let entry = (servers.entry)("/o'hara/stead");
            assert_eq!(Servers::command(&entry), Some(vec!["/o'hara/stead".to_owned(), "mcp".to_owned()]), "{harness}");
            assert!(servers.project.is_some() || servers.user.is_some(), "{harness}");
            let everywhere = servers.project.is_some() && servers.user.is_some();
            assert!(everywhere || !servers.by_hand.is_empty(), "{harness}");
        }
    }
}
