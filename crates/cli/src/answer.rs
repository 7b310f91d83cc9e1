//! The shapes of JSON answers. [`crate::ui::Ui::json`] prints nothing without one, so every answer is one object that starts
//! with the id of its schema; docs/json.md has the promise.

use serde_json::{Value, json};

/// The shape of an answer: what it is called, what it answers, and its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The name for `stead schema`.
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
}

impl Shape {
    /// What `schema` says in an answer.
    pub(crate) fn id(self) -> String {
        format!("stead.{}/1", self.name)
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

macro_rules! shapes {
    ($($constant:ident $name:literal: $about:literal,)+) => {
        $(pub(crate) const $constant: Shape = Shape { name: concat!("answer.", $name), about: $about };)+

        /// Every answer, by name.
        pub(crate) const SHAPES: &[Shape] = &[$($constant),+];
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
    APPEAL "appeal": "an objection to a verdict: `stead appeal`",
    BLAME "blame": "who wrote each line of a file: `stead blame`",
    CHAIN_CHECK "chain-check": "the check of a hash chain: `stead trace verify`",
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
    FEATURE "feature": "one feature: `stead feature show`",
    FEATURE_GRAPH "feature-graph": "what features depend on: `stead feature graph`",
    FEATURE_IMPORT "feature-import": "what an import changed: `stead feature import`",
    FEATURE_LIST "feature-list": "the features: `stead feature list`",
    FEATURE_NEXT "feature-next": "what to do next: `stead feature next`",
    FILE_CHANGE "file-change": "relevant files that were confirmed or dropped: `stead files confirm`, `stead files drop`",
    FILE_COMPACTION "file-compaction": "how much smaller the index became: `stead files compact`",
    FILE_LIST "file-list": "the relevant files of a session: `stead files list`",
    GUARD "guard": "one guard: `stead guard show`",
    GUARD_ACCEPT "guard-accept": "a proposed guard that was accepted: `stead guard accept`",
    GUARD_BENCH "guard-bench": "how long the guards take: `stead guard bench`",
    GUARD_HISTORY "guard-history": "the versions of a guard: `stead guard history`",
    GUARD_LINT "guard-lint": "problems of guard files: `stead guard lint`",
    GUARD_LIST "guard-list": "the guards: `stead guard list`",
    GUARD_MODE "guard-mode": "the mode of a guard: `stead guard promote`",
    GUARD_NEW "guard-new": "a new guard file: `stead guard new`",
    GUARD_REVIEW "guard-review": "hits of a guard for review: `stead guard review`",
    GUARD_ROLLBACK "guard-rollback": "a guard put back to an earlier version: `stead guard rollback`",
    GUARD_STATS "guard-stats": "how often guards matched: `stead guard stats`",
    GUARD_TEST "guard-test": "the tests of guards: `stead guard test`",
    HANDOFF "handoff": "a packet that was written: `stead handoff`",
    INIT "init": "what `stead init` did or would do",
    INTENT "intent": "one intent: `stead intent show`",
    INTENT_HISTORY "intent-history": "what was changed for an intent: `stead intent history`",
    INTENT_LINT "intent-lint": "problems of the intents: `stead intent check`",
    INTENT_LIST "intent-list": "the intents: `stead intent list`",
    INTENT_MISSING "intent-missing": "criteria without evidence: `stead intent complete`",
    INTENT_OWNERS "intent-owners": "the intents that own a path: `stead intent scope`",
    INTENT_RELEASE "intent-release": "an intent that was put down: `stead intent release`",
    INTENT_REQUEST "intent-request": "a request for an intent: `stead intent request`",
    INTENT_SELECTION "intent-selection": "the intent a session works on: `stead intent select`",
    LESSON_ADD "lesson-add": "a lesson that was recorded: `stead lesson add`",
    LESSON_LIST "lesson-list": "the lessons: `stead lesson list`",
    LESSON_REMOVAL "lesson-removal": "a lesson that was dropped: `stead lesson drop`",
    LINT "lint": "problems of stages and pipelines: `stead lint`",
    LOGS "logs": "the digest of a log file: `stead logs`",
    LOOP "loop": "one loop: `stead loop show`",
    LOOP_LIST "loop-list": "the loops: `stead loop list`",
    LOOP_LOG "loop-log": "what happened to loops: `stead loop log`",
    MEMORY_CHANGE "memory-change": "a trace whose scope or status changed: `stead memory confirm`",
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
    MODEL "model": "the sentence model: `stead model`",
    MODEL_REMOVAL "model-removal": "the sentence model was removed: `stead model remove`",
    NOTE "note": "a note that was recorded: `stead note decision`",
    NOTE_LIST "note-list": "the notes of a session: `stead note list`",
    ORCHESTRATE "orchestrate": "a run on the feature list: `stead orchestrate`",
    ORCHESTRATE_SWITCH "orchestrate-switch": "whether a session is orchestrated: `stead orchestrate on`",
    PACKET "packet": "one packet: `stead packet show`",
    PACKET_LINT "packet-lint": "problems of packets: `stead packet lint`",
    PACKET_LIST "packet-list": "the packets: `stead packet list`",
    PACKET_PATH "packet-path": "the file of a packet: `stead packet open`",
    PACKET_SHARE "packet-share": "a packet that was staged: `stead packet share`",
    PACKET_STATUS "packet-status": "the status of a packet: `stead packet done`",
    PICKUP "pickup": "a packet to continue with: `stead pickup`",
    PIPELINE "pipeline": "one pipeline: `stead pipeline show`",
    PIPELINE_LIST "pipeline-list": "the pipelines: `stead pipeline list`",
    PROPOSAL_DECISION "proposal-decision": "what became of a proposal: `stead guard accept`",
    PROPOSAL_LIST "proposal-list": "proposed guards: `stead guard accept`",
    REFLECT "reflect": "the reflection on a feature: `stead reflect`",
    ROLE_LIST "role-list": "the roles: `stead role list`",
    ROLE_RECOVERY "role-recovery": "a role that was recovered: `stead role recover`",
    ROLE_STATE "role-state": "the state of roles: `stead role lifecycle`",
    ROLE_USE "role-use": "the role of a session: `stead role use`",
    ROLE_VALIDATE "role-validate": "problems of role files: `stead role validate`",
    RUN "run": "one run: `stead status RUN`, `stead run`, `stead stop`, `stead test`",
    RUN_LIST "run-list": "the runs: `stead runs`",
    RUN_PAGE "run-page": "a run on one page: `stead report RUN`",
    RUN_PRUNE "run-prune": "runs that were or would be deleted: `stead runs prune`",
    RUN_STARTED "run-started": "a run that was started in the background: `stead run --background`",
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
