//! The dialect of the plugin that replaces hooks where a client has none: what the plugin says, and what it acts on. Clients
//! that share the plugin share this. It wraps each call as `{"client"?, "directory", "worktree", "parent"?, "input",
//! "output"}` or `{…, "event"}` and acts on `{}`, `{"deny"}`, `{"args"}`, `{"context"}`, `{"continue"}` and `{"notice"}`.

use std::borrow::Cow;

use serde_json::{Map, Value, json};
use stead_model::{Agent, Author, Detail, Event, EventKind, Level, Reply, Trigger, TypedCommand, Verdict};

use crate::client::{EventFact, Heard, Powers, event};
use crate::detect::Signs;
use crate::dialect;
use crate::lenient::Members;
use crate::tool::{Does, McpName, Tool, call, tool};

pub(crate) const EVENTS: &[EventFact] = &[
    // The plugin stores the context and adds it to the system prompt of every model call.
    event("session.created", EventKind::SessionStart, Powers::CONTEXT.shown()),
    // Refusing a message ends the run with a generic error, so it is not offered.
    event("chat.message", EventKind::Prompt, Powers::CONTEXT.shown()),
    // Precedes the message that a typed command becomes.
    event("command.execute.before", EventKind::Other, Powers::NONE),
    // The plugin stores the context and adds it to the result.
    event("tool.execute.before", EventKind::BeforeTool, Powers { rewrite: true, ..Powers::DENY_CONTEXT.shown() }),
    event("tool.execute.after", EventKind::AfterTool, Powers::DENY_CONTEXT.shown()),
    // A prompt sent here keeps a headless run going. The event ends a text, not necessarily the turn: text before a
    // tool call looks the same.
    event("experimental.text.complete", EventKind::Stop, Powers::DENY),
    // A headless run ends before a prompt sent here is read; in a terminal it is.
    event("session.idle", EventKind::Stop, Powers::DENY_NOTICE),
    event("experimental.session.compacting", EventKind::BeforeCompact, Powers::CONTEXT),
    event("session.compacted", EventKind::AfterCompact, Powers::NONE),
    event("session.deleted", EventKind::SessionEnd, Powers::NONE),
];

/// `batch` and skills are missing on purpose: they contain or load other calls.
pub(crate) const TOOLS: &[Tool] = &[
    tool("bash", Does::Run { command: "command", dir: "workdir" }),
    tool("write", Does::Write { path: "filePath", content: "content" }),
    tool("edit", Does::Edit { path: "filePath", old: "oldString", new: "newString", all: "replaceAll" }),
    tool(
        "multiedit",
        Does::EditMany { path: "filePath", edits: "edits", old: "oldString", new: "newString", all: "replaceAll" },
    ),
    tool("apply_patch|patch", Does::Patch { text: "patchText" }),
    tool("read", Does::Read { paths: &["filePath"] }),
    tool("glob|grep|list", Does::Read { paths: &["path"] }),
    tool("task", Does::Spawn { role: "subagent_type", task: "prompt" }),
    tool("todowrite|todoread|webfetch|websearch|codesearch|question|plan_enter|plan_exit", Does::Nothing),
];

/// What differs between the clients that talk like this.
pub(crate) struct Talk {
    pub(crate) events: &'static [EventFact],
    /// The tables are searched in order.
    pub(crate) tools: &'static [&'static [Tool]],
    pub(crate) mcp: McpName,
}

/// The plugin that several clients run unchanged.
const PLUGIN: Talk = Talk { events: EVENTS, tools: &[TOOLS], mcp: McpName::FirstUnderscore };

pub(crate) fn read<'a>(wire: &Members<'a>, named: Option<&'a str>) -> Event<'a> {
    read_as(&PLUGIN, wire, named)
}

pub(crate) fn encode(heard: &Heard<'_>, verdict: &Verdict) -> Reply {
    encode_as(&PLUGIN, heard, verdict)
}

pub(crate) fn read_as<'a>(talk: &Talk, wire: &Members<'a>, named: Option<&'a str>) -> Event<'a> {
    let bus = wire.members("event");
    let (input, output, properties) = (wire.members("input"), wire.members("output"), bus.members("properties"));
    let info = properties.members("info");
    let native = bus.filled("type").or(named.map(Cow::Borrowed)).unwrap_or_default();
    let kind = talk.events.iter().find(|fact| fact.native == native).map_or(EventKind::Other, |fact| fact.kind);
    let own = input.filled("sessionID").or(properties.filled("sessionID")).or(info.filled("id"));
    let parent = wire.filled("parent").or(info.filled("parentID"));
    let is_child = parent.is_some();
    let kind = if is_child { within_child(kind) } else { kind };
    let name = input.filled("tool");
    let args = output.raw("args").or(input.raw("args"));
    let call = (name.is_some() || (kind == EventKind::BeforeTool && args.is_some())).then(|| {
        let name = name.unwrap_or_default();
        let known = dialect::find_tool(talk.tools, &name);
        call(known, &talk.mcp, name, input.filled("callID"), args.unwrap_or(""), None)
    });
    Event {
        // A sub-agent has its own session; its parent is used as the session, as in other clients.
        agent: is_child.then(|| Agent { id: own.clone(), role: None }),
        session: parent.or(own),
        cwd: wire.filled("directory").or(info.filled("directory")),
        // Outside a repository the work tree is the root of the disk.
        project: wire.filled("worktree").filter(|path| path != "/"),
        model: model(wire),
        call,
        result: (kind == EventKind::AfterTool).then(|| wire.raw("output").map(Cow::Borrowed)).flatten(),
        typed: (!is_child).then(|| typed(&native, wire, &input)).flatten(),
        detail: detail(kind, wire, &output),
        ..Event::new(kind, native)
    }
}

/// The model of the message that the turn answers, which the plugin adds to calls.
fn model<'a>(wire: &Members<'a>) -> Option<Cow<'a, str>> {
    let model = wire.members("model");
    let (provider, name) = (model.filled("providerID")?, model.filled("modelID")?);
    Some(Cow::Owned(format!("{provider}/{name}")))
}

/// The command that was typed. The plugin adds it to the message that the command became.
fn typed<'a>(native: &str, wire: &Members<'a>, input: &Members<'a>) -> Option<TypedCommand<'a>> {
    let message;
    let command = match native {
        "command.execute.before" => input,
        "chat.message" => {
            message = wire.members("command");
            &message
        }
        _ => return None,
    };
    let name = command.filled("command")?.strip_prefix("stead-")?.to_owned();
    Some(TypedCommand { name: name.into(), arguments: command.text("arguments").unwrap_or_default() })
}

fn within_child(kind: EventKind) -> EventKind {
    match kind {
        EventKind::SessionStart => EventKind::SubagentStart,
        EventKind::Stop => EventKind::SubagentStop,
        EventKind::SessionEnd => EventKind::Other,
        kind => kind,
    }
}

fn detail<'a>(kind: EventKind, wire: &Members<'a>, output: &Members<'a>) -> Detail<'a> {
    match kind {
        EventKind::SessionStart => Detail::Start {
            source: Some(Cow::Borrowed(if wire.flag("resumed") { "resume" } else { "startup" })),
            previous: None,
        },
        EventKind::SessionEnd => Detail::End { reason: None },
        EventKind::Prompt => Detail::Prompt {
            text: output.raw("parts").map(dialect::prompt_text).unwrap_or_default(),
            // Another plugin's text looks like a person's.
            author: if wire.flag("machine") || wire.filled("parent").is_some() {
                Author::Machine
            } else {
                Author::Unknown
            },
        },
        EventKind::Stop | EventKind::SubagentStop => Detail::Stop {
            message: output.filled("text").or(wire.filled("last")),
            again: wire.flag("continued"),
            waiting: 0,
        },
        EventKind::BeforeCompact | EventKind::AfterCompact => Detail::Compact { trigger: Trigger::Unknown },
        _ => Detail::None,
    }
}

pub(crate) fn encode_as(talk: &Talk, heard: &Heard<'_>, verdict: &Verdict) -> Reply {
    let mut top = Map::new();
    if verdict.level > Level::Warn {
        let is_stop = matches!(heard.kind, EventKind::Stop | EventKind::SubagentStop);
        top.insert(if is_stop { "continue" } else { "deny" }.into(), json!(verdict.reason_text()));
    }
    if let Some(args) = dialect::rewritten(verdict) {
        top.insert("args".into(), args);
    }
    if let Some(text) = dialect::for_the_model(talk.events, heard, verdict) {
        top.insert("context".into(), json!(text));
    }
    if let Some(text) = verdict.notice_text() {
        top.insert("notice".into(), json!(text));
    }
    Reply::json(Value::Object(top).to_string())
}

/// Returns true if the plugin of this client is calling. One that is older than the second client names none.
pub(crate) fn is_of(client: &str, unnamed: bool, signs: &Signs<'_>) -> bool {
    let is_plugins = !signs.has("hook_event_name")
        && (signs.is_object("event") || (signs.is_object("input") && signs.is_object("output")));
    is_plugins && signs.text("client").map_or(unnamed, |named| named == client)
}

/// The text of a plugin for a client, by its title, its name and the file with the rest.
macro_rules! text {
    ($title:literal, $name:literal, $file:literal) => {
        concat!(
            "// Stead's plugin for ",
            $title,
            ". It hands events to `stead hook ",
            $name,
            " <event>` and acts on the answers.\n// Written by `stead init`; take it out with `stead uninstall`.\n",
            "const CLIENT = \"",
            $name,
            "\"\n",
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), $file))
        )
    };
}

pub(crate) use text;
