//! A project whose logs are written by hand, for tests of what counts them.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use stead_evidence::Ground;
use stead_model::rfc3339;
use tempfile::TempDir;

use crate::{History, Memory, Records, Retrievals, Trace, Traces};

pub(crate) const NOW: i64 = 1_794_771_930_000;
pub(crate) const DAY: i64 = 24 * 3600 * 1000;

pub(crate) struct MadeProject {
    dir: TempDir,
    memory: Memory,
    history: History,
    ground: Ground,
    intents: PathBuf,
}

impl MadeProject {
    pub(crate) fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let at = |name: &str| dir.path().join(name);
        for folder in ["indexes", "features", "intents", "cache"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        let memory = Memory::of("p", &at("graph"), None, None);
        let history = History { indexes: at("indexes"), root: "/p".into(), home: None };
        let state = stead_store::ProjectState::of(&at("state"), "p", "/p".as_ref());
        let (features, indexes, cache) = (at("features"), at("indexes"), at("cache"));
        let ground = Ground { root: "/p".into(), features, indexes, cache, state };
        let intents = at("intents");
        Self { dir, memory, history, ground, intents }
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Appends lines; each is an object, or a text that is torn.
    pub(crate) fn append(&self, name: &str, lines: impl IntoIterator<Item = Value>) {
        let old = fs::read_to_string(self.dir.path().join(name)).unwrap_or_default();
        let text = |line: Value| line.as_str().map_or_else(|| line.to_string(), str::to_owned) + "\n";
        self.write(name, &(old + &lines.into_iter().map(text).collect::<String>()));
    }

    pub(crate) fn log(&self, lines: impl IntoIterator<Item = Value>) {
        self.append("indexes/sessions.jsonl", lines);
    }

    /// Stores traces as the capture would.
    pub(crate) fn remember(&self, traces: impl IntoIterator<Item = Trace>) {
        for trace in traces {
            self.memory.book.append(&trace, stead_store::Durability::Quick, crate::memory::PATIENCE).unwrap();
        }
    }

    pub(crate) fn traces(&self) -> Traces {
        self.memory.traces().unwrap()
    }

    pub(crate) fn retrievals(&self) -> Retrievals {
        Retrievals::of(&self.ground.cache)
    }

    pub(crate) fn records<'a>(&'a self, traces: &'a Traces) -> Records<'a> {
        Records { history: &self.history, ground: &self.ground, intents: &self.intents, traces, now: NOW }
    }
}

/// So many days ago.
pub(crate) fn ago(days: i64) -> String {
    rfc3339(NOW - days * DAY)
}

/// A line of the session log.
pub(crate) fn event(ts: &str, session: &str, event: &str, more: Value) -> Value {
    let mut line = json!({"v": 1, "ts": ts, "harness": "claude", "session": session, "event": event,
        "native": event, "verdict": "allow"});
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line
}

/// A call that a guard denied.
pub(crate) fn denied(ts: &str, session: &str, guard: &str) -> Value {
    let hit = json!({"guard": guard, "mode": "enforce", "would": "deny", "did": "denied"});
    event(ts, session, "before-tool", json!({"verdict": "deny", "id": "v-aaaaaaaa", "hits": [hit]}))
}

/// A feature that became tested at that time.
pub(crate) fn tested(id: &str, ts: &str) -> Value {
    let compact: String = ts.chars().filter(char::is_ascii_alphanumeric).collect();
    json!({"id": id, "status": "tested", "tested": true, "evidence": [format!("{compact}-1a2b3c")]})
}
