use stead_model::{Author, Event, EventKind, Reply, TypedCommand, Verdict};

use crate::client::{EventFact, Heard, Powers, event};
use crate::detect::Signs;
use crate::dialect::{self, Accent, RewriteStyle};
use crate::lenient::Members;
use crate::tool::{Does, McpName, Tool, tool};
use crate::transcript::Spoken;

pub(super) const EVENTS: &[EventFact] = &[
    event("SessionStart", EventKind::SessionStart, Powers::CONTEXT.shown()),
    // A blocked prompt is dropped without telling the person.
    event("UserPromptSubmit", EventKind::Prompt, Powers::DENY_CONTEXT.shown()),
    // `ask` is rejected as unsupported, and then the tool runs.
    event("PreToolUse", EventKind::BeforeTool, Powers { rewrite: true, ..Powers::DENY_CONTEXT.shown() }),
    event("PermissionRequest", EventKind::PermissionRequest, Powers::DENY),
    // The reason replaces the tool's result.
    event("PostToolUse", EventKind::AfterTool, Powers::DENY_CONTEXT.shown()),
    event("Stop", EventKind::Stop, Powers::DENY_NOTICE),
    event("SubagentStart", EventKind::SubagentStart, Powers::CONTEXT),
    event("SubagentStop", EventKind::SubagentStop, Powers::DENY_NOTICE),
    // Only `continue: false`, which ends the run, would be obeyed here.
    event("PreCompact", EventKind::BeforeCompact, Powers::NONE),
    event("PostCompact", EventKind::AfterCompact, Powers::NONE),
    event("SessionEnd", EventKind::SessionEnd, Powers::NONE),
];

const TOOLS: &[Tool] = &[
    // Every shell tool arrives under this name.
    tool("Bash", Does::Run { command: "command", dir: "workdir" }),
    // Types into a shell that is already running.
    tool("write_stdin", Does::Run { command: "chars", dir: "" }),
    tool("apply_patch", Does::Patch { text: "command|input|patch" }),
    tool("view_image", Does::Read { paths: &["path"] }),
    tool("spawn_agent", Does::Spawn { role: "agent_type", task: "message" }),
    tool("wait_agent|close_agent|list_agents|update_plan|request_user_input|web_search|tool_search", Does::Nothing),
];

const ACCENT: Accent =
    Accent { plain, author, typed, rewrite: RewriteStyle::WithAllow, ..Accent::new(EVENTS, &[TOOLS], McpName::Double) };

/// Newer models call the agent tools through a namespace, which is prefixed without a separator.
fn plain(name: &str) -> &str {
    let rest = name.strip_prefix("collaboration").or_else(|| {
        let versioned = name.strip_prefix("multi_agent_v")?;
        Some(versioned.trim_start_matches(|c: char| c.is_ascii_digit()))
    });
    match rest {
        Some(rest) if rest.ends_with("_agent") || rest == "list_agents" => rest,
        _ => name,
    }
}

/// A sub-agent's task raises the prompt event as well.
fn author(wire: &Members<'_>) -> Author {
    if wire.filled("agent_id").is_some() { Author::Machine } else { Author::Unknown }
}

/// The prompt event has the text as it was typed. A skill that the text only mentions is not a command.
fn typed<'a>(native: &str, wire: &Members<'a>) -> Option<TypedCommand<'a>> {
    if native != "UserPromptSubmit" {
        return None;
    }
    let prompt = wire.text("prompt")?;
    let rest = prompt.trim().strip_prefix("$stead-")?;
    let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    Some(TypedCommand { name: name.to_owned().into(), arguments: arguments.trim().to_owned().into() })
}

pub(super) fn read<'a>(wire: &Members<'a>, named: Option<&'a str>) -> Event<'a> {
    dialect::event(&ACCENT, wire, named)
}

pub(super) fn encode(heard: &Heard<'_>, verdict: &Verdict) -> Reply {
    let is_stop = matches!(heard.kind, EventKind::Stop | EventKind::SubagentStop);
    // At a stop it requires JSON; several builds reported an empty answer as a failure.
    dialect::print(dialect::answer(&ACCENT, heard, verdict), if is_stop { "{}" } else { "" })
}

/// Messages and calls are `response_item` lines; everything else repeats or frames them.
pub(super) fn transcript(line: &str) -> Spoken {
    let line = Members::of(line);
    if line.text("type").as_deref() != Some("response_item") {
        return Spoken::Nothing;
    }
    let item = line.members("payload");
    match (item.text("type").as_deref(), item.text("role").as_deref()) {
        (Some("message"), Some("assistant")) => {
            let text = item.raw("content").map(dialect::prompt_text).unwrap_or_default();
            if text.is_empty() { Spoken::Nothing } else { Spoken::Agent(text.into_owned()) }
        }
        (Some("message"), Some("user")) => Spoken::Unanswered,
        (Some(kind), _) if kind.ends_with("_call") || kind.ends_with("_call_output") => Spoken::Unanswered,
        _ => Spoken::Nothing,
    }
}

pub(super) fn claims(signs: &Signs<'_>) -> bool {
    signs.text_contains("transcript_path", "/rollout-") || (signs.is_text("turn_id") && signs.is_text("model"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_namespaces_come_off() {
        let check = |name: &str, expected: &str| assert_eq!(plain(name), expected);
        check("spawn_agent", "spawn_agent");
        check("collaborationspawn_agent", "spawn_agent");
        check("multi_agent_v1wait_agent", "wait_agent");
        check("multi_agent_v12list_agents", "list_agents");
        check("mcp__x__spawn_agent", "mcp__x__spawn_agent");
        check("collaborationexec", "collaborationexec");
    }
}
