//! What guards can know about features and their evidence.

use std::time::{Duration, Instant};

use stead_evidence::{self as evidence, Bounds, Ground, NotProven};
use stead_feature::FeatureList;
use stead_guard::{EvidenceState, FeatureState, TestRuns};
use stead_model::Target;
use stead_store::extend_alarm;

/// How long the files of a feature may be compared with its evidence, and what the alarm allows for it, in seconds.
const PATIENCE: Duration = Duration::from_millis(1_500);
const ALARM: u32 = 4;

pub(crate) struct Proof {
    pub(crate) ground: Ground,
}

impl Proof {
    pub(crate) fn standing(&self, feature: Option<&str>) -> Result<EvidenceState, String> {
        let begun = Instant::now();
        extend_alarm(ALARM);
        let go_on = || begun.elapsed() < PATIENCE;
        let (ground, bounds) = (&self.ground, Bounds::hook(&go_on));
        let Some(feature) = feature else {
            let whole = evidence::fresh_verification(ground, &bounds).map_err(|error| error.to_string())?;
            let proven = whole.is_fresh();
            return Ok(standing(proven, false, &whole.why_not, &whole.next));
        };
        let list = FeatureList::read(&self.ground.features).map_err(|error| error.to_string())?.unwrap_or_default();
        let Ok(known) = list.find(feature) else {
            let why = format!("`{feature}` is not in the feature list yet; add it without `tested`, then verify it");
            return Ok(EvidenceState::None { why });
        };
        match evidence::proof_of(ground, known, &bounds) {
            Ok(_) => Ok(EvidenceState::Fresh),
            Err(NotProven::Evidence(error)) => Err(error.to_string()),
            Err(NotProven::Unproven { feature, why, next, is_stale }) => {
                Ok(standing(false, is_stale, &format!("`{feature}` {why}"), &next))
            }
        }
    }

    /// Returns true if evidence covers one of these files.
    pub(crate) fn is_about(&self, feature: Option<&str>, changes: &[&Target]) -> bool {
        let list = FeatureList::read(&self.ground.features).ok().flatten().unwrap_or_default();
        let files = feature.and_then(|id| list.find(id).ok()).map(|feature| feature.files.as_slice());
        changes.iter().any(|target| {
            let is_one = |path: &str| match target.tree || target.glob {
                true => evidence::may_hold_below(files.unwrap_or_default(), path),
                false => evidence::holds(&self.ground, files.unwrap_or_default(), path),
            };
            target.inside.as_deref().is_some_and(is_one)
        })
    }

    pub(crate) fn feature(&self, id: &str) -> Result<Option<FeatureState>, String> {
        let list = FeatureList::read(&self.ground.features).map_err(|error| error.to_string())?;
        let list = list.unwrap_or_default();
        let found = list.features.iter().find(|feature| feature.id == id);
        Ok(found.map(|feature| FeatureState { status: feature.status.clone(), tested: feature.tested }))
    }

    pub(crate) fn test_runs(&self, session: Option<&str>, agent: Option<&str>) -> Result<TestRuns, String> {
        let session = session.ok_or("the session is unknown")?;
        let seen = evidence::tests_ran(&self.ground, session, agent).map_err(|error| error.to_string())?;
        Ok(TestRuns { ran: seen.ran as u64, passed: seen.passed as u64 })
    }
}

fn standing(proven: bool, stale: bool, why: &str, next: &str) -> EvidenceState {
    let why = format!("{why}; `{next}` proves it");
    match (proven, stale) {
        (true, _) => EvidenceState::Fresh,
        (false, true) => EvidenceState::Stale { why },
        (false, false) => EvidenceState::None { why },
    }
}
