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

macro_rules! schemas {
    ($($name:literal: $about:literal,)+) => {
        /// Every schema, by name.
        pub const SCHEMAS: &[Schema] = &[$(Schema {
            name: $name,
            about: $about,
            source: include_str!(concat!("../schema/", $name, ".json")),
        }),+];
    };
}

schemas! {
    "active-intents": "what agents may work on: `.agent/intents/active_intents.yaml`",
    "active-loop": "the loop in the foreground: `indexes/active-loop.json`",
    "agent-process": "the process of an iteration's agent: `agent.json`",
    "agent-trace": "one line of the ledger: `intents/agent_trace.jsonl`",
    "agent-verifiers": "one line of `features/agent-verifiers.jsonl`",
    "appeal": "one line of `indexes/appeals.jsonl`",
    "command": "what one agent is asked to do: `stead feature next --json`",
    "config": "settings: `.agent/config.toml`",
    "context": "what an agent reads: `iterations/<n>/context.json`",
    "evidence": "what was tested or built: `indexes/evidence.jsonl`, `features/evidence/<feature>/<id>.json`",
    "feature-list": "the features of a project: `features/feature-list.json`",
    "grant": "a command that a person typed: `indexes/grants/<session>.json`",
    "guard": "a guard file: `.agent/guards/<id>.yaml`",
    "guard-change": "one line of `graph/guard-changes.jsonl`",
    "injection": "one line of `cache/injections.jsonl`",
    "install": "how to undo an installation: `indexes/install.json`",
    "lesson-log": "one line of `indexes/lessons.jsonl`",
    "loop-log": "one line of `indexes/loop-log.jsonl`",
    "note": "one line of `indexes/notes.jsonl`",
    "override": "one line of `indexes/overrides.jsonl`",
    "pattern": "one line of `graph/patterns.jsonl`",
    "pipeline": "stages and their order: `.agent/pipelines/<name>.yaml`",
    "plan": "the compiled plan of a run: `.agent/runs/<run>/plan.json`",
    "prompt": "one line of `indexes/prompts.jsonl`",
    "proposal": "what a pattern proposes: `graph/proposals/<id>.json`",
    "reflection": "one line of `features/reflections.jsonl`",
    "relevant-file": "one line of `indexes/relevant-files.jsonl`",
    "report": "what a run on the feature list did: `runs/<run>/report.json`",
    "retrieval": "one line of `cache/retrievals.jsonl`",
    "role-state": "the state of a role: `indexes/roles/<role>.json`",
    "root": "the project marker: `.agent/context/root.json`",
    "run-event": "one line of a run's `events.jsonl`",
    "run-lock": "the engine that works on a run: `runs/<run>/lock`",
    "run-page": "a run on one page, as `stead report RUN --json` prints it",
    "session": "live state of one session: `indexes/sessions/<id>.json`",
    "session-log": "one line of `indexes/sessions.jsonl`",
    "session-state": "who works on which feature: `features/session-state.json`",
    "stage": "a stage: `.agent/stages/<name>/stage.yaml`",
    "state": "the state of a run: `runs/<run>/state.json`",
    "status": "what an agent reports: `iterations/<n>/status.json`",
    "traces": "one line of `graph/traces.jsonl`",
    "trust": "what a person trusts in one checkout: `trust.json` in the state folder",
    "turn": "what a session last said and plans: `indexes/turns/<session>.json`",
}

/// Returns a schema by name.
pub fn schema(name: &str) -> Result<&'static Schema, StoreError> {
    SCHEMAS.iter().find(|schema| schema.name == name).ok_or_else(|| StoreError::UnknownSchema {
        name: name.to_owned(),
        expected: expected_one_of(SCHEMAS.iter().map(|schema| schema.name)),
        nearest: nearest(name, SCHEMAS.iter().map(|schema| schema.name)),
    })
}
