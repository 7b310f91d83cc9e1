use crate::{StoreError, nearest};

/// The JSON Schema of one file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema {
    pub name: &'static str,
    /// What the format is for.
    pub about: &'static str,
    pub text: &'static str,
}

/// Every schema, by name.
pub const SCHEMAS: &[Schema] = &[
    Schema {
        name: "active-loop",
        about: "the loop in the foreground: `indexes/active-loop.json`",
        text: include_str!("../schema/active-loop.json"),
    },
    Schema { name: "config", about: "settings: `.agent/config.toml`", text: include_str!("../schema/config.json") },
    Schema {
        name: "install",
        about: "how to undo an installation: `indexes/install.json`",
        text: include_str!("../schema/install.json"),
    },
    Schema {
        name: "loop-log",
        about: "one line of `indexes/loop-log.jsonl`",
        text: include_str!("../schema/loop-log.json"),
    },
    Schema { name: "note", about: "one line of `indexes/notes.jsonl`", text: include_str!("../schema/note.json") },
    Schema {
        name: "prompt",
        about: "one line of `indexes/prompts.jsonl`",
        text: include_str!("../schema/prompt.json"),
    },
    Schema {
        name: "relevant-file",
        about: "one line of `indexes/relevant-files.jsonl`",
        text: include_str!("../schema/relevant-file.json"),
    },
    Schema {
        name: "role-state",
        about: "where a role stands: `indexes/roles/<role>.json`",
        text: include_str!("../schema/role-state.json"),
    },
    Schema {
        name: "root",
        about: "the project marker: `.agent/context/root.json`",
        text: include_str!("../schema/root.json"),
    },
    Schema {
        name: "session",
        about: "live state of one session: `indexes/sessions/<id>.json`",
        text: include_str!("../schema/session.json"),
    },
    Schema {
        name: "session-log",
        about: "one line of `indexes/sessions.jsonl`",
        text: include_str!("../schema/session-log.json"),
    },
];

/// Gives a schema by name.
pub fn schema(name: &str) -> Result<&'static Schema, StoreError> {
    SCHEMAS.iter().find(|schema| schema.name == name).ok_or_else(|| StoreError::UnknownSchema {
        name: name.to_owned(),
        known: SCHEMAS.iter().map(|schema| format!("`{}`", schema.name)).collect::<Vec<_>>().join(", "),
        nearest: nearest(name, SCHEMAS.iter().map(|schema| schema.name)),
    })
}
