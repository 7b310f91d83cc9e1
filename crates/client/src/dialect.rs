//! The dialect of the first client with hooks, which several others use with variations: snake_case payloads and
//! `hookSpecificOutput` answers.

use std::borrow::Cow;

use serde_json::{Map, Value, json};
use stead_model::{Agent, Author, Detail, Event, EventKind, Level, Reply, Trigger, TypedCommand, Verdict};

use crate::client::{EventFact, Heard, WarnBy};
use crate::lenient::{Members, items_of, text_of};
use crate::tool::{Does, McpName, Tool, call, tool};

/// What differs between the clients that use the dialect.
pub(crate) struct Accent {
    pub(crate) events: &'static [EventFact],
    /// The tables are searched in order.
    pub(crate) tools: &'static [&'static [Tool]],
    pub(crate) mcp: McpName,
    /// Removes the prefix that a client adds to its own tools' names.
    pub(crate) plain: fn(&str) -> &str,
    /// Returns who wrote a prompt. In most clients, a person's prompt looks like one from a hook or another agent.
    pub(crate) author: fn(&Members<'_>) -> Author,
    /// Returns the command of Stead that a person typed, if this event of the main agent proves it.
    pub(crate) typed: TypedReader,
    pub(crate) rewrite: RewriteStyle,
    pub(crate) hold: HoldStyle,
}

/// Reads a typed command from an event, by its native name and its members.
type TypedReader = for<'a> fn(&str, &Members<'a>) -> Option<TypedCommand<'a>>;

impl Accent {
    /// Names as they are, prompts by unknown authors, no typed commands, `updatedInput` alone.
    pub(crate) const fn new(events: &'static [EventFact], tools: &'static [&'static [Tool]], mcp: McpName) -> Self {
        Self {
            events,
            tools,
            mcp,
            plain: |name| name,
            author: |_| Author::Unknown,
            typed: |_, _| None,
            rewrite: RewriteStyle::Bare,
            hold: HoldStyle::Block,
        }
    }
}

/// How a client of the dialect lets a hook change a tool call's input.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum RewriteStyle {
    /// `updatedInput`, alone.
    Bare,
    /// `updatedInput` together with `permissionDecision: "allow"`; alone it is ignored.
    WithAllow,
}

/// How a client of the dialect lets a hook continue the main agent's turn.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum HoldStyle {
    /// `decision: "block"`.
    Block,
    /// `additionalContext` alone, which its window shows as feedback; a block it would show as an error.
    Context,
}

/// The tool names that most clients of the dialect share. Skills are missing on purpose: loading one can run commands,
/// so such a call stays unknown and is judged by its input.
pub(crate) const TOOLS: &[Tool] = &[
    tool("Write", Does::Write { path: "file_path", content: "content" }),
    tool("Edit", Does::Edit { path: "file_path", old: "old_string", new: "new_string", all: "replace_all" }),
    tool(
        "MultiEdit",
        Does::EditMany { path: "file_path", edits: "edits", old: "old_string", new: "new_string", all: "replace_all" },
    ),
    tool("NotebookEdit", Does::Change { path: "notebook_path" }),
    tool("Bash", Does::Run { command: "command", dir: "" }),
    tool("PowerShell", Does::PowerShell { command: "command" }),
    tool("Read", Does::Read { paths: &["file_path"] }),
    tool("Glob|Grep|LS", Does::Read { paths: &["path"] }),
    tool("Agent|Task", Does::Spawn { role: "subagent_type", task: "prompt" }),
    tool("TodoWrite|WebFetch|WebSearch|AskUserQuestion|EnterPlanMode|ExitPlanMode", Does::Nothing),
];

/// Reads an event from the members of a payload.
pub(crate) fn event<'a>(accent: &Accent, wire: &Members<'a>, named: Option<&'a str>) -> Event<'a> {
    let native = wire.filled("hook_event_name").or(named.map(Cow::Borrowed)).unwrap_or_default();
    let kind = accent.events.iter().find(|fact| fact.native == native).map_or(EventKind::Other, |fact| fact.kind);
    let id = wire.filled("agent_id");
    let is_about_agent = matches!(kind, EventKind::SubagentStart | EventKind::SubagentStop);
    let may_be_typed = matches!(kind, EventKind::Prompt | EventKind::Other) && id.is_none();
    Event {
        session: wire.filled("session_id"),
        agent: (id.is_some() || is_about_agent).then(|| Agent { id, role: wire.text("agent_type") }),
        cwd: wire.filled("cwd"),
        transcript: wire.filled("transcript_path"),
        model: wire.filled("model"),
        call: tool_call(accent, wire),
        result: wire.any_raw("tool_response|tool_result|tool_output").map(Cow::Borrowed),
        prompt: wire.filled("prompt_id"),
        typed: may_be_typed.then(|| (accent.typed)(&native, wire)).flatten(),
        scheduled: kind == EventKind::Stop
            && wire.any_raw("session_crons|crons|sessionCrons").is_some_and(|c| !items_of(c).is_empty()),
        detail: detail(accent, kind, wire),
        ..Event::new(kind, native)
    }
}

/// The event by which several clients tell that they replace a command with its text.
pub(crate) const EXPANSION: &str = "UserPromptExpansion";

/// Reads a command from the event about its expansion; `prefix` is what the client's name for it starts with.
pub(crate) fn expansion<'a>(native: &str, wire: &Members<'a>, prefix: &str) -> Option<TypedCommand<'a>> {
    let is_command = wire.text("expansion_type").is_none_or(|kind| kind == "slash_command");
    if native != EXPANSION || !is_command {
        return None;
    }
    let name = wire.filled("command_name")?.strip_prefix(prefix)?.to_owned();
    Some(TypedCommand { name: name.into(), arguments: wire.text("command_args").unwrap_or_default() })
}

fn tool_call<'a>(accent: &Accent, wire: &Members<'a>) -> Option<stead_model::ToolCall<'a>> {
    let (name, input) = (wire.filled("tool_name"), wire.raw("tool_input"));
    // A call whose name cannot be read is still a call.
    if name.is_none() && input.is_none() {
        return None;
    }
    let server = wire.members("mcp_server").filled("name").or(wire.members("mcp_context").filled("server_name"));
    let id = wire.filled("tool_use_id").or(wire.filled("tool_call_id"));
    let name = name.unwrap_or_default();
    let known = find_tool(accent.tools, (accent.plain)(&name));
    Some(call(known, &accent.mcp, name, id, input.unwrap_or(""), server))
}

pub(crate) fn find_tool(tables: &'static [&'static [Tool]], name: &str) -> Option<&'static Tool> {
    tables.iter().flat_map(|table| table.iter()).find(|known| known.is(name))
}

fn detail<'a>(accent: &Accent, kind: EventKind, wire: &Members<'a>) -> Detail<'a> {
    match kind {
        EventKind::SessionStart => {
            Detail::Start { source: wire.filled("source"), previous: wire.filled("previous_session_id") }
        }
        EventKind::SessionEnd => Detail::End { reason: wire.filled("reason") },
        EventKind::Prompt => Detail::Prompt {
            text: wire.raw("prompt").map(prompt_text).unwrap_or_default(),
            author: (accent.author)(wire),
        },
        EventKind::Stop | EventKind::SubagentStop => Detail::Stop {
            message: wire
                .filled("last_assistant_message")
                .or(wire.filled("prompt_response"))
                .or(wire.filled("lastAssistantMessage")),
            again: wire.flag("stop_hook_active|stopHookActive"),
            waiting: running_agents(wire),
        },
        EventKind::ToolFailed | EventKind::StopFailed => {
            Detail::Failed { error: wire.raw("error").and_then(error_text), interrupted: wire.flag("is_interrupt") }
        }
        EventKind::BeforeCompact | EventKind::AfterCompact => Detail::Compact { trigger: trigger(wire) },
        EventKind::ConfigChange => Detail::Config { source: wire.filled("source"), path: wire.filled("file_path") },
        EventKind::Notification => Detail::Notice { text: wire.filled("message") },
        _ => Detail::None,
    }
}

/// Counts the sub-agents among the background tasks. Background commands are not counted: a server never ends.
fn running_agents(wire: &Members<'_>) -> usize {
    let tasks = wire.any_raw("background_tasks|backgroundTasks").map(items_of).unwrap_or_default();
    let is_running = |task: &Members<'_>| task.text("status").is_none_or(|status| status == "running");
    let is_agent = |task: &Members<'_>| task.filled("agent_type").or(task.filled("agentType")).is_some();
    tasks.into_iter().map(Members::of).filter(|task| is_agent(task) && is_running(task)).count()
}

/// Reads what triggered a compaction.
pub(crate) fn trigger(wire: &Members<'_>) -> Trigger {
    match wire.any_text("trigger|source").as_deref() {
        Some("manual") => Trigger::Manual,
        Some("auto") => Trigger::Automatic,
        _ => Trigger::Unknown,
    }
}

/// Reads a prompt: a string, or a list of parts, of which the text is used, except what the client itself added.
pub(crate) fn prompt_text(json: &str) -> Cow<'_, str> {
    if let Some(text) = text_of(json) {
        return text;
    }
    let parts = items_of(json).into_iter().map(Members::of).filter(|part| !part.flag("synthetic"));
    let texts: Vec<_> = parts.filter_map(|part| part.text("text")).collect();
    Cow::Owned(texts.join("\n"))
}

/// Reads an error: a string, or an object with a message.
pub(crate) fn error_text(json: &str) -> Option<Cow<'_, str>> {
    text_of(json).or_else(|| Members::of(json).text("message"))
}

/// Answers in the dialect; `None` if there is nothing to say. The verdict has been expressed for the client, so the
/// client supports every field that is left.
pub(crate) fn answer(accent: &Accent, heard: &Heard<'_>, verdict: &Verdict) -> Option<Value> {
    // The usual call ends here, before anything is allocated.
    if verdict.is_silent() {
        return None;
    }
    let mut top = Map::new();
    let mut specific = Map::new();
    let reason = verdict.reason_text();
    match (heard.kind, verdict.level) {
        (_, Level::Allow | Level::Warn) => {}
        (EventKind::BeforeTool, level) => {
            specific.insert("permissionDecision".into(), json!(level.name()));
            specific.insert("permissionDecisionReason".into(), json!(reason));
        }
        (EventKind::PermissionRequest, _) => {
            specific.insert("decision".into(), json!({"behavior": "deny", "message": reason}));
        }
        (EventKind::Stop, _) if accent.hold == HoldStyle::Context => {
            specific.insert("additionalContext".into(), json!(reason));
        }
        _ => {
            top.insert("decision".into(), json!("block"));
            top.insert("reason".into(), json!(reason));
        }
    }
    if verdict.grant && heard.kind == EventKind::PermissionRequest {
        specific.insert("decision".into(), json!({"behavior": "allow"}));
    }
    if let Some(input) = rewritten(verdict) {
        if accent.rewrite == RewriteStyle::WithAllow {
            specific.insert("permissionDecision".into(), json!("allow"));
        }
        specific.insert("updatedInput".into(), input);
    }
    if let Some(text) = for_the_model(accent.events, heard, verdict) {
        specific.insert("additionalContext".into(), json!(text));
    }
    if let Some(text) = verdict.notice_text() {
        top.insert("systemMessage".into(), json!(text));
    }
    if !specific.is_empty() {
        specific.insert("hookEventName".into(), json!(heard.native));
        top.insert("hookSpecificOutput".into(), Value::Object(specific));
    }
    (!top.is_empty()).then_some(Value::Object(top))
}

/// The channel that a client offers for a warning at an event.
pub(crate) fn warns_by(events: &[EventFact], heard: &Heard<'_>) -> WarnBy {
    events.iter().find(|fact| fact.native == heard.native).map_or(WarnBy::Nothing, |fact| fact.powers.warn)
}

/// The context, preceded by a warning if the model reads warnings.
pub(crate) fn for_the_model(events: &[EventFact], heard: &Heard<'_>, verdict: &Verdict) -> Option<String> {
    let mut text = String::new();
    if verdict.level == Level::Warn && warns_by(events, heard).reaches_model() {
        text.push_str(&verdict.reason_text());
    }
    let context = verdict.context_text();
    if !context.is_empty() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&context);
    }
    (!text.is_empty()).then_some(text)
}

/// The changed input of an allowed call.
pub(crate) fn rewritten(verdict: &Verdict) -> Option<Value> {
    if verdict.level > Level::Warn {
        return None;
    }
    serde_json::from_str(verdict.rewrite.as_deref()?).ok()
}

/// Formats an answer, or returns `nothing` if there is none.
pub(crate) fn print(answer: Option<Value>, nothing: &str) -> Reply {
    match answer {
        Some(value) => Reply::json(value.to_string()),
        None => Reply::json(nothing),
    }
}
