use std::collections::{HashMap, HashSet};

use super::Incident;
use crate::history::{CallKey, PastCall};

/// Recognises the calls of incidents in the log: by verdict, by call, or else by session and effects.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    evidence: HashSet<String>,
    calls: HashSet<CallKey>,
    /// The recorded effects of calls without an id, by session.
    twins: HashMap<String, HashSet<String>>,
}

impl Marks {
    pub fn of<'i>(incidents: impl IntoIterator<Item = &'i Incident>) -> Self {
        let mut marks = Self::default();
        for incident in incidents {
            marks.evidence.extend(incident.evidence.iter().cloned());
            marks.calls.extend(incident.call.clone());
            if let (Some(session), Some(twin)) = (&incident.session, &incident.twin) {
                marks.twins.entry(session.clone()).or_default().insert(twin.clone());
            }
        }
        marks
    }

    pub fn have(&self, call: &PastCall<'_>) -> bool {
        if call.id.as_deref().is_some_and(|id| self.evidence.contains(id)) {
            return true;
        }
        let Some(session) = call.session.as_deref() else { return false };
        let by_id = || call.key().is_some_and(|key| self.calls.contains(&key));
        let twins = self.twins.get(session);
        let by_effects = || twins.is_some_and(|twins| call.effects_text().is_some_and(|text| twins.contains(text)));
        by_id() || by_effects()
    }
}
