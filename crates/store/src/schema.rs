use stead_client::Harness;

use stead_model::{expected_one_of, nearest};

use crate::StoreError;

/// The JSON Schema of one file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema {
    pub name: &'static str,
    /// What the format describes.
    pub about: &'static str,
    source: &'static str,
}

/// Stands in a schema for the names of all known agent programs.
const CLIENTS: &str = "\"{clients}\"";

impl Schema {
    pub fn text(&self) -> String {
        self.source.replace(CLIENTS, &format!("\"{}\"", Harness::NAMES.join("\", \"")))
    }
}

/// Every schema, by name.
pub const SCHEMAS: &[Schema] = &[
    Schema {
        name: "active-loop",
        about: "the loop in the foreground: `indexes/active-loop.json`",
        source: include_str!("../schema/active-loop.json"),
    },
    Schema {
        name: "appeal",
        about: "one line of `indexes/appeals.jsonl`",
        source: include_str!("../schema/appeal.json"),
    },
    Schema { name: "config", about: "settings: `.agent/config.toml`", source: include_str!("../schema/config.json") },
    Schema {
        name: "context",
        about: "what an agent reads: `iterations/<n>/context.json`",
        source: include_str!("../schema/context.json"),
    },
    Schema {
        name: "evidence",
        about: "what was tested or built: `indexes/evidence.jsonl`, `features/evidence/<feature>/<id>.json`",
        source: include_str!("../schema/evidence.json"),
    },
    Schema {
        name: "feature-list",
        about: "the features of a project: `features/feature-list.json`",
        source: include_str!("../schema/feature-list.json"),
    },
    Schema {
        name: "guard",
        about: "a guard file: `.agent/guards/<id>.yaml`",
        source: include_str!("../schema/guard.json"),
    },
    Schema {
        name: "install",
        about: "how to undo an installation: `indexes/install.json`",
        source: include_str!("../schema/install.json"),
    },
    Schema {
        name: "loop-log",
        about: "one line of `indexes/loop-log.jsonl`",
        source: include_str!("../schema/loop-log.json"),
    },
    Schema { name: "note", about: "one line of `indexes/notes.jsonl`", source: include_str!("../schema/note.json") },
    Schema {
        name: "override",
        about: "one line of `indexes/overrides.jsonl`",
        source: include_str!("../schema/override.json"),
    },
    Schema {
        name: "pipeline",
        about: "stages and their order: `.agent/pipelines/<name>.yaml`",
        source: include_str!("../schema/pipeline.json"),
    },
    Schema {
        name: "plan",
        about: "the compiled plan of a run: `.agent/runs/<run>/plan.json`",
        source: include_str!("../schema/plan.json"),
    },
    Schema {
        name: "prompt",
        about: "one line of `indexes/prompts.jsonl`",
        source: include_str!("../schema/prompt.json"),
    },
    Schema {
        name: "relevant-file",
        about: "one line of `indexes/relevant-files.jsonl`",
        source: include_str!("../schema/relevant-file.json"),
    },
    Schema {
        name: "role-state",
        about: "the state of a role: `indexes/roles/<role>.json`",
        source: include_str!("../schema/role-state.json"),
    },
    Schema {
        name: "root",
        about: "the project marker: `.agent/context/root.json`",
        source: include_str!("../schema/root.json"),
    },
    Schema {
        name: "run-event",
        about: "one line of a run's `events.jsonl`",
        source: include_str!("../schema/run-event.json"),
    },
    Schema {
        name: "run-lock",
        about: "the engine that works on a run: `runs/<run>/lock`",
        source: include_str!("../schema/run-lock.json"),
    },
    Schema {
        name: "session",
        about: "live state of one session: `indexes/sessions/<id>.json`",
        source: include_str!("../schema/session.json"),
    },
    Schema {
        name: "session-log",
        about: "one line of `indexes/sessions.jsonl`",
        source: include_str!("../schema/session-log.json"),
    },
    Schema {
        name: "stage",
        about: "a stage: `.agent/stages/<name>/stage.yaml`",
        source: include_str!("../schema/stage.json"),
    },
    Schema {
        name: "state",
        about: "the state of a run: `runs/<run>/state.json`",
        source: include_str!("../schema/state.json"),
    },
    Schema {
        name: "status",
        about: "what an agent reports: `iterations/<n>/status.json`",
        source: include_str!("../schema/status.json"),
    },
];

/// Returns a schema by name.
pub fn schema(name: &str) -> Result<&'static Schema, StoreError> {
    SCHEMAS.iter().find(|schema| schema.name == name).ok_or_else(|| StoreError::UnknownSchema {
        name: name.to_owned(),
        expected: expected_one_of(SCHEMAS.iter().map(|schema| schema.name)),
        nearest: nearest(name, SCHEMAS.iter().map(|schema| schema.name)),
    })
}
