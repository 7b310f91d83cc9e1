//! The clients' side of a reply, written down from what they were seen to do: whether a reply stops the call, asks, or
//! reaches the model. It shares no code with `stead_client`, so that both must be wrong in the same way to agree.

use serde_json::{Map, Value};
use stead_client::Harness;
use stead_model::{EventKind, Reply};

/// A reply as the client takes it.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Taken {
    pub(crate) denied: Option<String>,
    pub(crate) asked: Option<String>,
    pub(crate) model_reads: Option<String>,
    pub(crate) person_reads: Option<String>,
    pub(crate) input: Option<Value>,
}

/// Reads a reply as the client would. `Err` says why the client would drop or misread it.
pub(crate) fn take(harness: Harness, native: &str, kind: EventKind, reply: &Reply) -> Result<Taken, String> {
    if !matches!(reply.exit, 0 | 2) {
        return Err(format!("exit {}", reply.exit));
    }
    if reply.exit == 2 {
        // Copilot loses the reason, Cursor ignores it at a stop; only Kimi needs it.
        if harness.name() != "kimi" || reply.stderr.trim().is_empty() || !reply.stdout.is_empty() {
            return Err("exit 2 where JSON is honoured, or without a reason".into());
        }
        return Ok(Taken { denied: Some(reply.stderr.clone()), ..Taken::default() });
    }
    if !reply.stderr.is_empty() {
        return Err("text on stderr".into());
    }
    if harness.name() == "kimi" && native == "UserPromptSubmit" {
        return Ok(Taken { model_reads: filled(&reply.stdout), ..Taken::default() });
    }
    if reply.stdout.is_empty() {
        return match harness.name() {
            "claude" | "droid" | "kimi" => Ok(Taken::default()),
            "codex" if !matches!(kind, EventKind::Stop | EventKind::SubagentStop) => Ok(Taken::default()),
            _ => Err("an empty answer".into()),
        };
    }
    let Ok(Value::Object(top)) = serde_json::from_str(&reply.stdout) else {
        return Err(format!("not one JSON object: {}", reply.stdout));
    };
    match harness.name() {
        "claude" => groups(native, kind, &top).map(|taken| held_by_context(kind, taken)),
        "qwen" | "grok" => groups(native, kind, &top),
        "droid" => droid(native, kind, &top),
        "kimi" if kind != EventKind::BeforeTool => Err("JSON is read before a tool only".into()),
        "kimi" => groups(native, kind, &top),
        "codex" => strict(&top).and_then(|()| groups(native, kind, &top)),
        "gemini" => Ok(gemini(native, &top)),
        "opencode" | "kilo" | "pi" => Ok(opencode(kind, &top)),
        "copilot" => Ok(copilot(kind, &top)),
        "cursor" => Ok(cursor(kind, &top)),
        other => Err(format!("nobody wrote down how {other} reads a reply")),
    }
}

fn filled(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn text(map: &Map<String, Value>, key: &str) -> Option<String> {
    map.get(key)?.as_str().and_then(filled)
}

/// `decision: "block"` counts only with a reason.
fn decided(top: &Map<String, Value>, word: &str) -> Option<String> {
    (top.get("decision")? == word).then(|| text(top, "reason"))?
}

fn permission(map: &Map<String, Value>, word: &str) -> Option<String> {
    (map.get("permissionDecision")? == word).then(|| text(map, "permissionDecisionReason"))?
}

fn groups(native: &str, kind: EventKind, top: &Map<String, Value>) -> Result<Taken, String> {
    let empty = Map::new();
    let specific = top.get("hookSpecificOutput").and_then(Value::as_object).unwrap_or(&empty);
    if !specific.is_empty() && specific.get("hookEventName").and_then(Value::as_str) != Some(native) {
        return Err("no or wrong hookEventName: the answer is dropped".into());
    }
    let mut taken = Taken {
        model_reads: text(specific, "additionalContext"),
        person_reads: text(top, "systemMessage"),
        ..Taken::default()
    };
    match kind {
        EventKind::BeforeTool => {
            taken.denied = permission(specific, "deny");
            taken.asked = permission(specific, "ask");
            taken.input = specific.get("updatedInput").cloned();
        }
        EventKind::PermissionRequest => {
            let decision = specific.get("decision").and_then(Value::as_object).unwrap_or(&empty);
            taken.denied =
                decision.get("behavior").filter(|word| **word == "deny").and_then(|_| text(decision, "message"));
        }
        _ => taken.denied = decided(top, "block"),
    }
    Ok(taken)
}

/// Text for the model at a stop continues the turn.
fn held_by_context(kind: EventKind, taken: Taken) -> Taken {
    match kind {
        EventKind::Stop => Taken { denied: taken.denied.or(taken.model_reads), model_reads: None, ..taken },
        _ => taken,
    }
}

/// A prompt is rejected by `continue: false` alone. `ask` and a notice before a tool are only logged.
fn droid(native: &str, kind: EventKind, top: &Map<String, Value>) -> Result<Taken, String> {
    let taken = groups(native, kind, top)?;
    let is_rejected = top.get("continue") == Some(&Value::Bool(false));
    let denied = match kind {
        EventKind::Prompt => text(top, "stopReason").filter(|_| is_rejected),
        _ if is_rejected => return Err("this ends the run".into()),
        EventKind::AfterTool | EventKind::SubagentStop => None,
        _ => taken.denied,
    };
    // At a stop the whole answer is shown.
    let person_reads = taken.person_reads.filter(|_| kind == EventKind::Stop);
    Ok(Taken { denied, asked: None, person_reads, ..taken })
}

/// One key outside the schema and the whole answer is rejected; a rewrite counts only beside `allow`.
fn strict(top: &Map<String, Value>) -> Result<(), String> {
    let outer =
        ["continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason", "hookSpecificOutput"];
    let inner = |event: &str| -> &[&str] {
        match event {
            "PreToolUse" => &["permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"],
            "PermissionRequest" => &["decision"],
            "PostToolUse" => &["additionalContext", "updatedMCPToolOutput"],
            "SessionStart" | "UserPromptSubmit" | "SubagentStart" => &["additionalContext"],
            _ => &[],
        }
    };
    if let Some(key) = top.keys().find(|key| !outer.contains(&key.as_str())) {
        return Err(format!("unknown key {key}"));
    }
    let Some(specific) = top.get("hookSpecificOutput") else {
        return Ok(());
    };
    let specific = specific.as_object().ok_or("hookSpecificOutput is no object")?;
    let event = specific.get("hookEventName").and_then(Value::as_str).ok_or("no hookEventName")?;
    let known = inner(event);
    if known.is_empty() {
        return Err(format!("hookSpecificOutput on {event}"));
    }
    if let Some(key) = specific.keys().find(|key| *key != "hookEventName" && !known.contains(&key.as_str())) {
        return Err(format!("unknown key {key} on {event}"));
    }
    let decision = specific.get("permissionDecision").and_then(Value::as_str);
    match (decision, specific.contains_key("updatedInput")) {
        (Some("allow"), true) | (Some("deny") | None, false) => {}
        (decision, rewritten) => return Err(format!("decision {decision:?} with rewrite {rewritten}")),
    }
    if decision == Some("deny") && text(specific, "permissionDecisionReason").is_none() {
        return Err("a denial without a reason lets the tool run".into());
    }
    if let Some(decision) = specific.get("decision") {
        let keys: Vec<_> = decision.as_object().into_iter().flat_map(Map::keys).collect();
        if keys.iter().any(|key| !["behavior", "message"].contains(&key.as_str())) {
            return Err(format!("unknown keys in decision: {keys:?}"));
        }
    }
    Ok(())
}

fn gemini(native: &str, top: &Map<String, Value>) -> Taken {
    let empty = Map::new();
    let specific = top.get("hookSpecificOutput").and_then(Value::as_object).unwrap_or(&empty);
    // Before a tool it ignores context.
    let context = if native == "BeforeTool" { None } else { text(specific, "additionalContext") };
    Taken {
        denied: decided(top, "deny"),
        asked: None,
        model_reads: context,
        person_reads: text(top, "systemMessage"),
        input: specific.get("tool_input").cloned(),
    }
}

fn opencode(kind: EventKind, top: &Map<String, Value>) -> Taken {
    let is_stop = matches!(kind, EventKind::Stop | EventKind::SubagentStop);
    Taken {
        denied: text(top, if is_stop { "continue" } else { "deny" }),
        asked: None,
        model_reads: text(top, "context"),
        person_reads: text(top, "notice"),
        input: top.get("args").cloned(),
    }
}

fn copilot(kind: EventKind, top: &Map<String, Value>) -> Taken {
    let denied = if kind == EventKind::BeforeTool { permission(top, "deny") } else { decided(top, "block") };
    Taken {
        denied,
        asked: None,
        model_reads: text(top, "additionalContext"),
        person_reads: None,
        input: top.get("modifiedArgs").cloned(),
    }
}

fn cursor(kind: EventKind, top: &Map<String, Value>) -> Taken {
    let permission = |word: &str| {
        (top.get("permission").and_then(Value::as_str) == Some(word)).then(|| text(top, "agent_message")).flatten()
    };
    let denied = match kind {
        EventKind::Stop | EventKind::SubagentStop => text(top, "followup_message"),
        EventKind::Prompt => {
            (top.get("continue") == Some(&Value::Bool(false))).then(|| text(top, "user_message")).flatten()
        }
        _ => permission("deny"),
    };
    Taken {
        denied,
        asked: permission("ask"),
        model_reads: text(top, "additional_context"),
        person_reads: text(top, "user_message"),
        input: top.get("updated_input").cloned(),
    }
}
