use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use stead_model::EventKind;
use stead_store::Tail;

use super::target::Named;
use crate::guard::HitLine;
use crate::record::cut;
use crate::request::Request;

/// How far the session log is read, from its end.
const LINES: usize = 400;

/// The session line from before a call.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct CallLine {
    pub(super) ts: String,
    session: Option<String>,
    agent: Option<String>,
    event: String,
    tool: Option<String>,
    call: Option<String>,
    pub(super) id: Option<String>,
    #[serde(default)]
    pub(super) hits: Vec<HitLine>,
    #[serde(default)]
    pub(super) stats: BTreeMap<String, String>,
    #[serde(default)]
    moves: BTreeMap<String, String>,
    #[serde(default)]
    places: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) open: bool,
    /// The lines of other calls that began since.
    #[serde(skip)]
    since: Vec<String>,
}

impl CallLine {
    /// Finds the line: by the client's id of the call, else the last call of this agent with this tool.
    pub(super) fn find(request: &Request<'_>) -> Option<Self> {
        let event = request.event;
        let call = event.call.as_ref()?;
        let lines = Tail::open(&request.session_log()).ok()?;
        let id = call.id.as_deref().map(|id| serde_json::to_string(cut(id)).unwrap_or_default());
        let mut since = Vec::new();
        for line in lines.unchecked().take(LINES).flatten() {
            match Glimpse::of(&line.text) {
                Some(glimpse) if glimpse.may_be(id.as_deref()) => {}
                Some(_) => {
                    since.push(line.text);
                    continue;
                }
                None => continue,
            }
            let Ok(found) = serde_json::from_str::<Self>(&line.text) else { continue };
            let is_own = found.event == EventKind::BeforeTool.name()
                && found.session.as_deref() == event.session.as_deref()
                && match (&found.call, &call.id) {
                    (Some(one), Some(other)) => one == cut(other),
                    _ => found.tool.as_deref() == Some(&call.tool) && found.agent.as_deref() == request.agent_id(),
                };
            if is_own {
                return Some(Self { since, ..found });
            }
            since.push(line.text);
        }
        None
    }

    /// The files that the call named, by what was read before it.
    pub(super) fn named(&self, request: &Request<'_>) -> Vec<Named> {
        let named = |inside: &String| {
            let from = self.moves.get(inside).cloned();
            let path = self.places.get(inside).map_or_else(|| request.work().join(inside), PathBuf::from);
            Named { path, inside: inside.clone(), from }
        };
        self.stats.keys().map(named).collect()
    }

    /// Returns true if another call that began during this one names the file.
    pub(super) fn is_shared(&self, path: &str) -> bool {
        let quoted = serde_json::to_string(path).unwrap_or_default();
        let end = format!("/{}", quoted.trim_start_matches('"'));
        self.since.iter().any(|line| line.contains(&quoted) || line.contains(&end))
    }
}

/// The start of a line from before a call. Most lines are of other calls, which need not be parsed to know it.
struct Glimpse<'a>(&'a str);

impl<'a> Glimpse<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let (_, rest) = line.split_once("\"event\":\"")?;
        let rest = rest.strip_prefix(EventKind::BeforeTool.name())?;
        // The id stands before all that is long.
        Some(Self(rest.split_once("\"action\":").map_or(rest, |(start, _)| start)))
    }

    /// Returns true if the call has this id, in quotes, or the line names none.
    fn may_be(&self, id: Option<&str>) -> bool {
        match (id, self.0.split_once("\"call\":")) {
            (Some(id), Some((_, rest))) => rest.starts_with(id),
            _ => true,
        }
    }
}
