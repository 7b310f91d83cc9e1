//! Warnings that could not be shown at once. Some clients accept no text for the model before a tool; there the warning
//! waits in the session log, and the next event at which the client accepts text delivers it, once.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use stead_model::EventKind;
use stead_store::Tail;

use super::hit::{Did, HitLine};
use crate::intent::take_notice;
use crate::request::Request;

/// How far the session log is read, from its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// As far as the session's start: a resumed session is not told its old warnings.
    Warnings,
    /// Also before the start, for texts: it is known that one waits, and the client may take none at the start.
    Texts,
}

impl Depth {
    fn lines(self) -> usize {
        match self {
            Self::Warnings => 300,
            Self::Texts => 5_000,
        }
    }
}

/// A warning that an agent has not read yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owed {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) late: Vec<Late>,
}

/// A hit that an agent is told of after the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Late {
    pub(crate) hit: HitLine,
    /// What the call did, as the session log has it.
    pub(crate) effects: Option<Value>,
}

#[derive(Deserialize)]
struct Line {
    session: Option<String>,
    agent: Option<String>,
    event: String,
    id: Option<String>,
    #[serde(default)]
    hits: Vec<HitLine>,
    #[serde(default)]
    told: Vec<String>,
    #[serde(default)]
    effects: Option<Value>,
    #[serde(default)]
    owes: Option<String>,
}

/// Finds the deferred warnings for the agent of this event, oldest first. Used only if the client accepts text now but
/// not before a tool, or if something that was found after a call waits.
pub(crate) fn owed(request: &Request<'_>) -> Vec<Owed> {
    let event = request.event;
    let is_after = matches!(event.kind, EventKind::AfterTool | EventKind::ToolFailed | EventKind::Prompt);
    let facts = &request.harness.client().facts;
    let at_once = facts.events.iter().any(|fact| fact.kind == EventKind::BeforeTool && fact.powers.context);
    let waits = take_notice(request);
    if !waits && (!is_after || at_once || !request.powers().context) {
        return Vec::new();
    }
    let depth = if waits { Depth::Texts } else { Depth::Warnings };
    let search = |session| search(&request.session_log(), session, request.agent_id(), depth);
    event.session.as_deref().map(search).unwrap_or_default()
}

fn search(log: &Path, session: &str, agent: Option<&str>, depth: Depth) -> Vec<Owed> {
    let Ok(lines) = Tail::open(log) else { return Vec::new() };
    let (mut told, mut owed): (Vec<String>, Vec<Owed>) = (Vec::new(), Vec::new());
    let mut is_before_start = false;
    for line in lines.unchecked().take(depth.lines()).flatten() {
        let start = EventKind::SessionStart.name();
        // Most lines need no parsing.
        if !["\"hits\":[", "\"told\":[", "\"owes\":\"", start].iter().any(|word| line.text.contains(word)) {
            continue;
        }
        let Ok(line) = serde_json::from_str::<Line>(&line.text) else { continue };
        if line.session.as_deref() != Some(session) || line.agent.as_deref() != agent {
            continue;
        }
        if line.event == start && depth == Depth::Warnings {
            break;
        }
        is_before_start |= line.event == start;
        told.extend(line.told);
        let Some(id) = line.id.filter(|id| !told.contains(id)) else { continue };
        let says: Vec<HitLine> = line
            .hits
            .into_iter()
            .filter(|hit| !is_before_start && hit.did == Did::Owed && !hit.say.is_empty())
            .collect();
        let texts = says.iter().map(|hit| hit.say.as_str()).chain(line.owes.as_deref());
        let text = texts.collect::<Vec<_>>().join("\n");
        if !text.is_empty() {
            let late = says.into_iter().map(|hit| Late { hit, effects: line.effects.clone() }).collect();
            owed.push(Owed { id, text, late });
        }
    }
    owed.reverse();
    owed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_delivered_once_and_to_the_agent_it_is_for() {
        let file = std::env::temp_dir().join(format!("stead-deferred-{}", std::process::id()));
        let warned = |id: &str, agent: &str, did: &str| {
            let hit = format!(r#"{{"guard":"g","would":"warn","did":"{did}","say":"mind {id}"}}"#);
            let agent = if agent.is_empty() { String::new() } else { format!(r#""agent":"{agent}","#) };
            format!(r#"{{"session":"s",{agent}"event":"before-tool","id":"{id}","hits":[{hit}]}}"#)
        };
        let check_to = |depth: Depth, lines: &[String], agent: Option<&str>, expected: &[&str]| {
            std::fs::write(&file, lines.join("\n") + "\n").unwrap();
            let found: Vec<String> = search(&file, "s", agent, depth).into_iter().map(|owed| owed.text).collect();
            assert_eq!(found, expected, "{lines:?}");
        };
        let check = |lines: &[String], agent: Option<&str>, expected: &[&str]| {
            check_to(Depth::Warnings, lines, agent, expected);
        };
        let told = |id: &str| format!(r#"{{"session":"s","event":"after-tool","told":["{id}"]}}"#);
        check(&[warned("v-1", "", "owed"), warned("v-2", "", "owed")], None, &["mind v-1", "mind v-2"]);
        check(&[warned("v-1", "", "owed"), told("v-1"), warned("v-2", "", "owed")], None, &["mind v-2"]);
        check(&[warned("v-1", "", "recorded"), warned("v-2", "", "told")], None, &[]);
        check(&[warned("v-1", "a", "owed"), warned("v-2", "", "owed")], Some("a"), &["mind v-1"]);
        check(&[warned("v-1", "", "owed"), r#"{"session":"s","event":"session-start"}"#.into()], None, &[]);
        check(&[warned("v-1", "", "owed").replace("\"s\"", "\"t\"")], None, &[]);
        let text = r#"{"session":"s","event":"precedent","id":"v-3","owes":"once"}"#.to_owned();
        check(std::slice::from_ref(&text), None, &["once"]);
        check(&[text.clone(), told("v-3")], None, &[]);
        let start = || r#"{"session":"s","event":"session-start"}"#.to_owned();
        check(&[text.clone(), start()], None, &[]);
        let waits = |lines: &[String], expected: &[&str]| check_to(Depth::Texts, lines, None, expected);
        waits(&[text.clone(), start()], &["once"]);
        waits(&[text.clone(), warned("v-1", "", "owed"), start(), start()], &["once"]);
        waits(&[text, told("v-3"), start()], &[]);
        std::fs::remove_file(file).unwrap();
    }
}
