use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;
use stead_store::{StoreError, Tail};

use super::describe::describe_effects;
use super::hit::HitLine;
use crate::effects_line::EffectsLine;

/// A line of the session log with a verdict, as `stead explain` reads it.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct VerdictLine {
    pub ts: String,
    pub harness: String,
    pub session: Option<String>,
    pub agent: Option<String>,
    pub role: Option<String>,
    pub event: String,
    pub tool: Option<String>,
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
