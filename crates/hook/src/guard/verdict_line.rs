use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;
use stead_model::{EventKind, Level};
use stead_store::{StoreError, Tail};

use super::describe::describe_effects;
use super::hit::HitLine;
use crate::effects_line::EffectsLine;

/// A line of the session log, as `stead explain` and `stead log` read it.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct VerdictLine {
    pub ts: String,
    pub harness: String,
    pub session: Option<String>,
    pub agent: Option<String>,
    pub role: Option<String>,
    pub event: String,
    pub tool: Option<String>,
    pub command: Option<String>,
    pub spawns: Option<String>,
    #[serde(default)]
    pub paths: Vec<String>,
    pub verdict: String,
    pub reason: Option<String>,
    #[serde(default)]
    pub id: String,
    #[serde(default)]
    pub hits: Vec<HitLine>,
    #[serde(default)]
    effects: RecordedEffects,
}

/// Which lines of the session log are wanted.
#[derive(Clone, Debug, Default)]
pub struct LogFilter {
    /// Only those of this session.
    pub session: Option<String>,
    /// Only those that were blocked.
    pub blocked: bool,
}

/// The verdicts that block.
const BLOCKING: [Level; 2] = [Level::Deny, Level::Ask];

impl LogFilter {
    /// Parses a line if it is a wanted call: one before a tool, or one that a gate or a guard matched.
    pub fn parse(&self, text: &str) -> Option<VerdictLine> {
        // Most lines are not worth parsing.
        let blocks = |level: Level| text.contains(&format!("\"verdict\":\"{}\"", level.name()));
        let is_near = self.session.as_ref().is_none_or(|session| text.contains(session.as_str()))
            && (!self.blocked || BLOCKING.into_iter().any(blocks));
        let line: VerdictLine = is_near.then(|| serde_json::from_str(text).ok()).flatten()?;
        let is_call = line.event == EventKind::BeforeTool.name();
        let is_own = self.session.is_none() || self.session == line.session;
        ((is_call || line.is_blocked() || !line.hits.is_empty()) && is_own && (!self.blocked || line.is_blocked()))
            .then_some(line)
    }
}

/// The field `effects`, in its two forms.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum RecordedEffects {
    /// A few words each: older lines.
    Words(Vec<String>),
    Line(EffectsLine),
    Unknown(IgnoredAny),
}

impl Default for RecordedEffects {
    fn default() -> Self {
        Self::Words(Vec::new())
    }
}

impl VerdictLine {
    /// What the call would have done, in a few words each.
    pub fn effects(&self) -> Vec<String> {
        match &self.effects {
            RecordedEffects::Words(words) => words.clone(),
            RecordedEffects::Line(line) => {
                line.effects(Path::new("/")).as_ref().map(describe_effects).unwrap_or_default()
            }
            RecordedEffects::Unknown(_) => Vec::new(),
        }
    }

    /// Returns true if the call was denied, or a person was asked.
    pub fn is_blocked(&self) -> bool {
        BLOCKING.iter().any(|level| level.name() == self.verdict)
    }

    /// The wanted calls, newest first. Only what is asked for is read.
    pub fn newest(log: &Path, filter: LogFilter) -> Result<impl Iterator<Item = Self> + use<>, StoreError> {
        Ok(Tail::open(log)?.unchecked().flatten().filter_map(move |line| filter.parse(&line.text)))
    }

    /// Finds a verdict by its id, from the end of the log.
    pub fn find(log: &Path, id: &str) -> Result<Option<Self>, StoreError> {
        for line in Tail::open(log)? {
            let line = line?;
            if line.text.contains(id)
                && let Ok(found) = serde_json::from_str::<Self>(&line.text)
                && found.id == id
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The ids of the last verdicts, newest first.
    pub fn last_ids(log: &Path, most: usize) -> Vec<String> {
        let Ok(lines) = Tail::open(log) else { return Vec::new() };
        let named = lines.unchecked().take(5_000).flatten().filter(|line| line.text.contains("\"id\":\"v-"));
        let lines = named.filter_map(|line| serde_json::from_str::<Self>(&line.text).ok());
        lines.map(|line| line.id).filter(|id| !id.is_empty()).take(most).collect()
    }
}
