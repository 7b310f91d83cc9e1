//! The dialect that Claude Code started and several clients speak with their own accents: snake_case payloads and
//! `hookSpecificOutput` answers.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use stead_model::{Agent, Author, Detail, Event, EventKind, Level, Reply, Trigger, Verdict};

use crate::doorway::{EventFact, Heard};
use crate::lenient::{Flag, Text};
use crate::tool::{McpName, Tool, call};

/// The payload, with the fields of every client that speaks the dialect. Unknown ones are skipped.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Wire<'a> {
    #[serde(borrow)]
    pub(crate) hook_event_name: Text<'a>,
    #[serde(borrow)]
    pub(crate) session_id: Text<'a>,
    #[serde(borrow)]
    pub(crate) previous_session_id: Text<'a>,
    #[serde(borrow)]
    pub(crate) transcript_path: Text<'a>,
    #[serde(borrow)]
    pub(crate) cwd: Text<'a>,
    #[serde(borrow)]
    pub(crate) agent_id: Text<'a>,
    #[serde(borrow)]
    pub(crate) agent_type: Text<'a>,
    #[serde(borrow)]
    pub(crate) tool_name: Text<'a>,
    #[serde(borrow)]
    pub(crate) tool_input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) tool_use_id: Text<'a>,
    #[serde(borrow)]
    pub(crate) tool_call_id: Text<'a>,
    #[serde(borrow)]
    pub(crate) mcp_server: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) mcp_context: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) source: Text<'a>,
    #[serde(borrow)]
    pub(crate) reason: Text<'a>,
    #[serde(borrow)]
    pub(crate) trigger: Text<'a>,
    #[serde(borrow)]
    pub(crate) prompt: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) submitted_prompt: Text<'a>,
    #[serde(borrow)]
    pub(crate) last_assistant_message: Text<'a>,
    #[serde(borrow)]
    pub(crate) prompt_response: Text<'a>,
    pub(crate) stop_hook_active: Flag,
    #[serde(borrow)]
    pub(crate) error: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) message: Text<'a>,
    #[serde(borrow)]
    pub(crate) file_path: Text<'a>,
}

/// What differs between the clients when a payload is read.
pub(crate) struct Accent {
    pub(crate) events: &'static [EventFact],
    pub(crate) tools: &'static [Tool],
    pub(crate) mcp: McpName,
}

/// Reads a payload of the dialect.
pub(crate) fn decode<'a>(accent: &Accent, payload: &'a str, named: Option<&'a str>) -> serde_json::Result<Event<'a>> {
    let wire: Wire<'a> = serde_json::from_str(payload)?;
    Ok(event(accent, wire, named))
}

pub(crate) fn event<'a>(accent: &Accent, wire: Wire<'a>, named: Option<&'a str>) -> Event<'a> {
    let native = wire.hook_event_name.clone().filled().or(named.map(Cow::Borrowed)).unwrap_or_default();
    let kind = accent.events.iter().find(|fact| fact.native == native).map_or(EventKind::Other, |fact| fact.kind);
    let detail = detail(kind, &wire);
    let id = wire.agent_id.filled();
    let role = wire.agent_type.0;
    let server = wire
        .mcp_server
        .and_then(|raw| member(raw.get(), "name"))
        .or_else(|| wire.mcp_context.and_then(|raw| member(raw.get(), "server_name")));
    let call_id = wire.tool_use_id.filled().or(wire.tool_call_id.filled());
    let input = wire.tool_input.map_or("", RawValue::get);
    Event {
        kind,
        native,
        session: wire.session_id.filled(),
        agent: (id.is_some() || is_about_agent(kind)).then_some(Agent { id, role }),
        cwd: wire.cwd.filled(),
        project: None,
        transcript: wire.transcript_path.filled(),
        call: wire.tool_name.filled().map(|tool| call(accent.tools, &accent.mcp, tool, call_id, input, server)),
        detail,
    }
}

fn is_about_agent(kind: EventKind) -> bool {
    matches!(kind, EventKind::SubagentStart | EventKind::SubagentStop)
}

fn detail<'a>(kind: EventKind, wire: &Wire<'a>) -> Detail<'a> {
    match kind {
        EventKind::SessionStart => {
            Detail::Start { source: wire.source.clone().filled(), previous: wire.previous_session_id.clone().filled() }
        }
        EventKind::SessionEnd => Detail::End { reason: wire.reason.clone().filled() },
        EventKind::Prompt => Detail::Prompt {
            text: wire.prompt.map(|raw| prompt_text(raw.get())).unwrap_or_default(),
            author: if wire.submitted_prompt.0.is_some() { Author::Person } else { Author::Unknown },
        },
        EventKind::Stop | EventKind::SubagentStop => Detail::Stop {
            message: wire.last_assistant_message.clone().filled().or(wire.prompt_response.clone().filled()),
            again: wire.stop_hook_active.is_set(),
        },
        EventKind::ToolFailed | EventKind::StopFailed => {
            Detail::Failed { error: wire.error.and_then(|raw| error_text(raw.get())) }
        }
        EventKind::BeforeCompact | EventKind::AfterCompact => {
            Detail::Compact { trigger: trigger(wire.trigger.0.as_deref()) }
        }
        EventKind::ConfigChange => {
            Detail::Config { source: wire.source.clone().filled(), path: wire.file_path.clone().filled() }
        }
        EventKind::Notification => Detail::Notice { text: wire.message.clone().filled() },
        _ => Detail::None,
    }
}

/// Reads what set off a compaction.
pub(crate) fn trigger(word: Option<&str>) -> Trigger {
    match word {
        Some("manual") => Trigger::Manual,
        Some("auto") => Trigger::Automatic,
        _ => Trigger::Unknown,
    }
}

/// A prompt is a string, or a list of parts of which the text counts.
pub(crate) fn prompt_text(json: &str) -> Cow<'_, str> {
    if let Some(text) = crate::lenient::text_of(json) {
        return text;
    }
    let parts: Vec<crate::lenient::Members<'_>> = serde_json::from_str(json).unwrap_or_default();
    let texts: Vec<_> = parts.iter().filter_map(|part| part.text("text")).collect();
    Cow::Owned(texts.join("\n"))
}

/// An error is a string, or an object with a message.
pub(crate) fn error_text(json: &str) -> Option<Cow<'_, str>> {
    crate::lenient::text_of(json).or_else(|| member(json, "message"))
}

fn member<'a>(json: &'a str, key: &str) -> Option<Cow<'a, str>> {
    crate::lenient::Members::of(json).text(key)
}

/// How a client of the dialect wants a tool call's input changed.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum RewriteStyle {
    /// `updatedInput`, alone.
    Bare,
    /// `updatedInput` beside `permissionDecision: "allow"`; alone it is ignored.
    WithAllow,
}

/// Answers in the dialect; `None` when there is nothing to say. The verdict has been expressed for the client, so every
/// field it still carries is honoured there.
pub(crate) fn answer(heard: &Heard<'_>, verdict: &Verdict, rewrite: RewriteStyle) -> Option<Value> {
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
        _ => {
            top.insert("decision".into(), json!("block"));
            top.insert("reason".into(), json!(reason));
        }
    }
    if let Some(input) = verdict.rewrite.as_deref().and_then(parsed) {
        if rewrite == RewriteStyle::WithAllow {
            specific.insert("permissionDecision".into(), json!("allow"));
        }
        specific.insert("updatedInput".into(), input);
    }
    if let Some(text) = context_with_warning(verdict) {
        specific.insert("additionalContext".into(), json!(text));
    }
    if !specific.is_empty() {
        specific.insert("hookEventName".into(), json!(heard.native));
        top.insert("hookSpecificOutput".into(), Value::Object(specific));
    }
    (!top.is_empty()).then_some(Value::Object(top))
}

/// The context, with a warning in front of it.
pub(crate) fn context_with_warning(verdict: &Verdict) -> Option<String> {
    let mut text = String::new();
    if verdict.level == Level::Warn {
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

pub(crate) fn parsed(json: &str) -> Option<Value> {
    serde_json::from_str(json).ok()
}

/// Prints an answer, or `nothing` where there is none.
pub(crate) fn print(answer: Option<Value>, nothing: &str) -> Reply {
    match answer {
        Some(value) => Reply::json(value.to_string()),
        None => Reply::json(nothing),
    }
}
