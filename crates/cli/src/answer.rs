//! The shapes of JSON answers. [`crate::ui::Ui::json`] prints nothing without one, so every answer is one object that starts
//! with the id of its schema; docs/json.md has the promise.

use serde::Serialize;
use serde_json::{Map, Value, from_str, json};

use crate::error::CliError;

/// The shape of an answer: what it is called, what it answers, and its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The name for `stead schema`.
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// The members: what a JSON Schema says of an object, with references to [`DEFINITIONS`] and to file formats; or, as
    /// `format`, the file format that is printed as it is.
    source: &'static str,
}

/// What several shapes have in common.
const DEFINITIONS: &str = include_str!("../answer/defs.json");

/// Where references lead to.
const REFERENCE: &str = "#/$defs/";

/// The names of definitions that are file formats start with it.
const FORMAT: &str = "format.";

impl Shape {
    /// What `schema` says in an answer.
    pub(crate) fn id(self) -> String {
        format!("stead.{}/1", self.name)
    }

    /// The JSON Schema, with everything it refers to.
    pub(crate) fn schema(self) -> Result<Value, CliError> {
        let read = |text: &str| {
            from_str::<Value>(text).map_err(|error| {
                CliError::internal(format!("the schema of `{}` is not JSON", self.name)).because(error)
            })
        };
        let source = read(self.source)?;
        let mut schema = match source["format"].as_str() {
            Some(format) => read(&stead_store::schema(format)?.text())?,
            None => source,
        };
        let known = read(DEFINITIONS)?;
        let (mut found, mut open) = (Map::new(), references(&schema));
        while let Some(name) = open.pop().filter(|_| schema.get("$defs").is_none()) {
            if found.contains_key(&name) {
                continue;
            }
            let definition = match name.strip_prefix(FORMAT) {
                Some(format) => {
                    let mut definition = read(&stead_store::schema(format)?.text())?;
                    // With an id of its own, its references lead into itself.
                    definition["$id"] = json!(format!("stead:{format}"));
                    definition
                }
                None => {
                    open.extend(references(&known[&name]));
                    known[&name].clone()
                }
            };
            found.insert(name, definition);
        }
        schema["properties"]["schema"] = json!({"const": self.id()});
        let mut required = vec![json!("schema")];
        required.extend(schema["required"].as_array().into_iter().flatten().filter(|name| *name != "schema").cloned());
        let mut whole = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": format!("Stead {}", self.name),
            "description": self.about,
            "type": "object",
            "required": required,
        });
        for (name, value) in schema.as_object().into_iter().flatten() {
            if whole.get(name).is_none() {
                whole[name] = value.clone();
            }
        }
        if !found.is_empty() {
            whole["$defs"] = Value::Object(found);
        }
        Ok(whole)
    }

    /// An answer of this shape. A list becomes the `items` of an object.
    pub(crate) fn envelope(self, value: Value) -> Value {
        let mut answer = match value {
            Value::Object(members) => members,
            list => [("items".to_owned(), list)].into_iter().collect(),
        };
        answer.shift_insert(0, "schema".to_owned(), json!(self.id()));
        Value::Object(answer)
    }
}

/// The names of the definitions that a schema refers to.
fn references(schema: &Value) -> Vec<String> {
    match schema {
        Value::Object(members) => {
            let own = members.get("$ref").and_then(|to| to.as_str()?.strip_prefix(REFERENCE)).map(str::to_owned);
            own.into_iter().chain(members.values().flat_map(references)).collect()
        }
        Value::Array(list) => list.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

/// An error, on standard error.
pub(crate) const ERROR: Shape = Shape {
    name: "error",
    about: "an error: any command with `--json`, on standard error",
    source: include_str!("../answer/error.json"),
};

/// A note or a warning, on standard error.
pub(crate) const MESSAGE: Shape = Shape {
    name: "message",
    about: "a note or a warning: any command with `--json`, on standard error",
    source: include_str!("../answer/message.json"),
};

/// What answers call a member that a log calls otherwise.
const RECORD_NAMES: [(&str, &str); 3] = [("ts", "recorded_at"), ("since", "entered_at"), ("until", "expires_at")];

/// A record of a log or a file, as an answer says it; the version of the format is left out.
pub(crate) fn record(record: impl Serialize) -> Value {
    let Ok(Value::Object(members)) = serde_json::to_value(record) else { return Value::Null };
    let renamed = members.into_iter().filter(|(name, _)| name != "v" && name != "schema").map(|(name, value)| {
        let known = RECORD_NAMES.iter().find(|(logged, _)| *logged == name);
        (known.map_or(name, |(_, own)| (*own).to_owned()), value)
    });
    Value::Object(renamed.collect())
}

/// Records of a log, as a list in an answer.
pub(crate) fn records(records: impl IntoIterator<Item = impl Serialize>) -> Value {
    records.into_iter().map(record).collect()
}

macro_rules! shapes {
    ($($constant:ident $name:literal: $about:literal,)+) => {
        $(pub(crate) const $constant: Shape = Shape {
            name: concat!("answer.", $name),
            about: $about,
            source: include_str!(concat!("../answer/", $name, ".json")),
        };)+

        /// Every shape, by name.
        pub(crate) const SHAPES: &[Shape] = &[$($constant,)+ ERROR, MESSAGE];
    };
}

shapes! {
    AGENT "agent": "the roles and flags of a session: `stead agent show`",
    AGENT_BEGIN "agent-begin": "a role that a session started: `stead agent begin`",
    AGENT_END "agent-end": "roles that ended: `stead agent end`",
    AGENT_FLAGS "agent-flags": "the flags of a session: `stead agent flag`",
    AGENTS_LINT "agents-lint": "rules in agents' instructions: `stead agents lint`",
    AGENTS_SIZE "agents-size": "how long agents' instructions are: `stead agents size`",
    ALLOW "allow": "an exception from a guard: `stead allow`",
    APPEAL "appeal": "an objection to a verdict: `stead appeal`, `stead appeal uphold`",
    BLAME "blame": "who wrote each line of a file: `stead blame`",
    CHAIN_CHECK "chain-check": "the check of a hash chain: `stead trace verify`, `stead evidence verify`, `stead memory verify`",
    CHECK "check": "what a call would do and what guards say: `stead check`",
    CONFIG_LIST "config-list": "the settings in force: `stead config list`",
    CONFIG_VALUE "config-value": "one setting: `stead config get`",
    CONTEXT "context": "what `stead context init` did",
    DOCTOR "doctor": "what `stead doctor` checked",
    DRY_RUN "dry-run": "what a run would do: `stead dry-run`",
    EVIDENCE "evidence": "one piece of evidence: `stead evidence add`, `stead evidence show`",
    EVIDENCE_FEATURE "evidence-feature": "the evidence for one feature: `stead evidence list FEATURE`",
    EVIDENCE_LIST "evidence-list": "the evidence for each feature: `stead evidence list`",
    EVIDENCE_RUNS "evidence-runs": "recorded runs of tests and builds: `stead evidence list --runs`",
    EXPLAIN "explain": "why a call was blocked: `stead explain`",
    FEATURE "feature": "one feature: `stead feature show`, and the commands that change one: `stead feature add`, `stead feature edit`, `stead feature claim`, `stead feature report`, `stead feature block`, `stead feature unblock`, `stead feature answer`, `stead feature skip`",
    FEATURE_GRAPH "feature-graph": "what features depend on: `stead feature graph`",
    FEATURE_IMPORT "feature-import": "what an import changed: `stead feature import`",
    FEATURE_LIST "feature-list": "the features: `stead feature list`",
    FEATURE_NEXT "feature-next": "what to do next: `stead feature next`",
    FILE_CHANGE "file-change": "relevant files that were confirmed or dropped: `stead files confirm`, `stead files drop`",
    FILE_COMPACTION "file-compaction": "how much smaller the index became: `stead files compact`",
    FILE_LIST "file-list": "the relevant files of a session: `stead files`, `stead files list`",
    GUARD "guard": "one guard: `stead guard show`",
    GUARD_ACCEPT "guard-accept": "a proposed guard that was accepted: `stead guard accept`",
    GUARD_BENCH "guard-bench": "what guards catch and miss in a file of commands: `stead guard bench`",
    GUARD_HISTORY "guard-history": "the versions of a guard: `stead guard history`",
    GUARD_LINT "guard-lint": "problems of guard files: `stead guard lint`",
    GUARD_LIST "guard-list": "the guards: `stead guard list`",
    GUARD_MODE "guard-mode": "the mode of a guard: `stead guard promote`, `stead guard demote`, `stead guard enable`, `stead guard disable`",
    GUARD_NEW "guard-new": "a new guard file: `stead guard new`",
    GUARD_REVIEW "guard-review": "hits of a guard for review: `stead guard review`",
    GUARD_ROLLBACK "guard-rollback": "a guard put back to an earlier version: `stead guard rollback`",
    GUARD_STATS "guard-stats": "how often guards matched: `stead guard stats`",
    GUARD_TEST "guard-test": "the tests of guards: `stead guard test`",
    HANDOFF "handoff": "a packet that was written: `stead handoff`",
    INIT "init": "what `stead init` did or would do",
    INTENT "intent": "one intent: `stead intent show`, and the commands that change one: `stead intent add`, `stead intent widen`, `stead intent reopen`, `stead intent complete`, `stead intent confirm`",
    INTENT_HISTORY "intent-history": "what was changed for an intent: `stead intent history`",
    INTENT_LINT "intent-lint": "problems of the intents: `stead intent check`",
    INTENT_LIST "intent-list": "the intents: `stead intent list`",
    INTENT_MISSING "intent-missing": "criteria without evidence: `stead intent complete`",
    INTENT_OWNERS "intent-owners": "the intents that own a path: `stead intent scope`",
    INTENT_RELEASE "intent-release": "an intent that was put down: `stead intent release`",
    INTENT_REQUEST "intent-request": "a request for an intent: `stead intent request`, `stead intent reject`",
    INTENT_SELECTION "intent-selection": "the intent a session works on: `stead intent select`",
    LESSON_ADD "lesson-add": "a lesson that was recorded: `stead lesson add`",
    LESSON_LIST "lesson-list": "the lessons: `stead lesson list`",
    LESSON_REMOVAL "lesson-removal": "a lesson that was dropped: `stead lesson drop`",
    LINT "lint": "problems of stages and pipelines: `stead lint`",
    LOG "log": "what agents called, and what Stead answered: `stead log`",
    LOGS "logs": "the digest of a log file: `stead logs`",
    LOOP "loop": "one loop: `stead loop show`, `stead loop start`, `stead loop activate`, `stead loop resume`, `stead loop pause`, `stead loop cancel`",
    LOOP_LIST "loop-list": "the loops: `stead loop list`",
    LOOP_LOG "loop-log": "what happened to loops: `stead loop log`",
    MEMORY_CHANGE "memory-change": "a trace whose scope or status changed: `stead memory confirm`, `stead memory promote`",
    MEMORY_EXPORT "memory-export": "traces: `stead memory export`",
    MEMORY_FORGET "memory-forget": "traces that were forgotten: `stead memory forget`",
    MEMORY_HEALTH "memory-health": "the state of the memory: `stead memory health`",
    MEMORY_IMPORT "memory-import": "what an import added: `stead memory import`",
    MEMORY_PATTERNS "memory-patterns": "patterns in traces: `stead memory patterns`",
    MEMORY_PROPOSAL "memory-proposal": "a guard that a pattern proposes: `stead memory propose`",
    MEMORY_QUERY "memory-query": "traces that match a question: `stead memory query`",
    MEMORY_STORE "memory-store": "a trace that was stored: `stead memory store`",
    MEMORY_TRACE "memory-trace": "one trace: `stead memory get`",
    MIGRATE "migrate": "what `stead migrate` did or would do",
    MODEL "model": "the sentence model: `stead model status`, `stead model install`",
    MODEL_REMOVAL "model-removal": "the sentence model was removed: `stead model remove`",
    NOTE "note": "a note that was recorded: `stead note decision`, `stead note question`, `stead note failed`",
    NOTE_LIST "note-list": "the notes of a session: `stead note list`",
    ORCHESTRATE "orchestrate": "a run on the feature list: `stead orchestrate`",
    ORCHESTRATE_SWITCH "orchestrate-switch": "whether a session is orchestrated: `stead orchestrate on`, `stead orchestrate off`",
    PACKET "packet": "one packet: `stead packet show`",
    PACKET_LINT "packet-lint": "problems of packets: `stead packet lint`",
    PACKET_LIST "packet-list": "the packets: `stead packet list`",
    PACKET_PATH "packet-path": "the file of a packet: `stead packet open`",
    PACKET_SHARE "packet-share": "a packet that was staged: `stead packet share`",
    PACKET_STATUS "packet-status": "the status of a packet: `stead packet activate`, `stead packet done`, `stead packet block`",
    PICKUP "pickup": "a packet to continue with: `stead pickup`",
    PIPELINE "pipeline": "one pipeline: `stead pipeline show`",
    PIPELINE_LIST "pipeline-list": "the pipelines: `stead pipeline list`",
    PROPOSAL_DECISION "proposal-decision": "what became of a proposal: `stead guard accept`",
    PROPOSAL_LIST "proposal-list": "proposed guards: `stead guard accept`",
    REFLECT "reflect": "the reflection on a feature: `stead reflect`",
    ROLE_LIST "role-list": "the roles: `stead role list`",
    ROLE_RECOVERY "role-recovery": "a role that was recovered: `stead role recover`",
    ROLE_STATE "role-state": "the state of roles: `stead role lifecycle status`",
    ROLE_USE "role-use": "the role of a session: `stead role use`",
    ROLE_VALIDATE "role-validate": "problems of role files: `stead role validate`",
    RUN "run": "one run: `stead status RUN`, `stead run`, `stead stop`, `stead test`",
    RUN_LIST "run-list": "the runs: `stead runs`",
    RUN_PAGE "run-page": "a run on one page: `stead report RUN`",
    RUN_PRUNE "run-prune": "runs that were or would be deleted: `stead runs prune`",
    RUN_STARTED "run-started": "a run that was started in the background: `stead run --background`, `stead orchestrate --background`",
    SCHEMA_LIST "schema-list": "the schemas: `stead schema`",
    SEAL "seal": "the sealed files: `stead seal status`",
    SEAL_ACCEPT "seal-accept": "a change that was accepted: `stead seal accept`",
    SEAL_DIFF "seal-diff": "one change of a sealed file: `stead seal diff`",
    SEAL_LOG "seal-log": "changes of sealed files: `stead seal log`",
    STAGE "stage": "one stage: `stead stage show`",
    STAGE_LIST "stage-list": "the stages: `stead stage list`",
    STATS "stats": "what sessions did: `stead stats`",
    STATUS "status": "a project at a glance: `stead status`",
    TRACE "trace": "one recorded change: `stead trace show`",
    TRACE_EXPORT "trace-export": "recorded changes in another format: `stead trace export`",
    TRACE_LIST "trace-list": "recorded changes: `stead trace log`",
    TRACE_STATS "trace-stats": "recorded changes, counted: `stead trace stats`",
    TRUST "trust": "what a person trusts here: `stead trust`",
    UNINSTALL "uninstall": "what `stead uninstall` did or would do",
    VERIFY "verify": "what the verifiers of a feature found: `stead verify`",
    WAIT "wait": "runs that were waited for: `stead wait`",
    WHERE "where": "where Stead keeps its files: `stead where`",
    WHERE_IS "where-is": "code that was written for a topic: `stead where-is`",
    WHY "why": "why a line is there: `stead why`",
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::error::Code;

    /// The names of all members in a schema, with the schema of each.
    fn members<'a>(schema: &'a Value, found: &mut Vec<(&'a str, &'a Value)>) {
        if let Value::Object(map) = schema {
            found.extend(
                map.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(k, v)| (k.as_str(), v)),
            );
            map.iter().filter(|(name, _)| *name != "$defs").for_each(|(_, value)| members(value, found));
        } else if let Value::Array(list) = schema {
            list.iter().for_each(|value| members(value, found));
        }
    }

    /// The commands with `--json`, as they are typed.
    fn commands(command: &clap::Command, typed: &str, found: &mut BTreeSet<String>) {
        if command.get_arguments().any(|argument| argument.get_id() == "json") && !command.is_subcommand_required_set()
        {
            found.insert(typed.to_owned());
        }
        for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
            commands(below, &format!("{typed} {}", below.get_name()), found);
        }
    }

    #[test]
    fn every_command_with_json_is_named_by_its_shape() {
        let mut typed = BTreeSet::new();
        commands(&crate::cli::command(), "stead", &mut typed);
        let named: BTreeSet<String> = SHAPES
            .iter()
            .flat_map(|shape| shape.about.split('`').skip(1).step_by(2))
            .map(|text| text.split(' ').take_while(|word| !word.starts_with(|c: char| c == '-' || c.is_uppercase())))
            .map(|words| words.collect::<Vec<_>>().join(" "))
            .collect();
        // It writes the list as a file.
        typed.remove("stead feature export");
        let missing: Vec<&String> = typed.difference(&named).collect();
        assert!(missing.is_empty(), "no shape says that it answers {missing:?}");
    }

    #[test]
    fn one_name_for_one_notion() {
        let definitions: Value = from_str(DEFINITIONS).unwrap();
        // They contain records as a file has them.
        let foreign = ["answer.trace", "answer.trace-list", "answer.memory-trace", "answer.memory-query"];
        let sources =
            SHAPES.iter().filter(|shape| !foreign.contains(&shape.name)).map(|shape| from_str(shape.source).unwrap());
        let sources: Vec<Value> = sources.collect();
        let mut found = Vec::new();
        sources.iter().for_each(|source| members(source, &mut found));
        let own = definitions
            .as_object()
            .unwrap()
            .iter()
            .filter(|(name, _)| !["trace", "agent_trace", "error", "seal_change"].contains(&name.as_str()));
        own.for_each(|(_, definition)| members(definition, &mut found));
        for (name, schema) in found {
            let is_time = schema["format"] == "date-time";
            assert!(!is_time || name.ends_with("_at") || ["since", "until"].contains(&name), "`{name}` is a time");
            let banned = ["ts", "at", "time", "timestamp", "schema", "v", "session_id", "client", "folder"];
            assert!(!banned.contains(&name), "`{name}` has another name in answers");
        }
    }

    #[test]
    fn every_schema_can_be_built_and_lists_every_code() {
        for shape in SHAPES {
            let schema = shape.schema().unwrap();
            assert_eq!(schema["properties"]["schema"]["const"], shape.id());
            jsonschema::draft202012::new(&schema).unwrap_or_else(|error| panic!("{}: {error}", shape.name));
        }
        let codes = from_str::<Value>(DEFINITIONS).unwrap()["code"]["enum"].clone();
        assert_eq!(codes, json!(Code::ALL.map(Code::name)));
    }

    #[test]
    fn an_answer_starts_with_its_schema() {
        let check = |value: Value, expected: &str| assert_eq!(WAIT.envelope(value).to_string(), expected);
        check(json!([1]), r#"{"schema":"stead.answer.wait/1","items":[1]}"#);
        check(json!({"a": 1, "schema": 1}), r#"{"schema":"stead.answer.wait/1","a":1}"#);
        assert_eq!(record(json!({"v": 1, "ts": "x", "id": 2})), json!({"recorded_at": "x", "id": 2}));
    }
}
