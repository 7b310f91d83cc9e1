use stead_context::{LoopClaim, LoopLine};
use stead_evidence::{Archive, Item, Kind};
use stead_feature::{FeatureList, Status};
use stead_store::Lines;

use super::finding::Measure;
use crate::metric::finished;
use crate::{MemoryError, PastCall, Records};

/// What agents said about their own work, against what Stead saw itself.
#[derive(Default)]
pub(super) struct Claims {
    confirmed: usize,
    not: Vec<String>,
}

impl Claims {
    /// An attempt to mark a feature as tested, which a guard refused.
    pub(super) fn take(&mut self, call: &PastCall<'_>) {
        if call.hits.iter().any(Records::is_premature) {
            let verdict = call.id.as_deref().unwrap_or(&call.ts);
            self.not.push(format!("`tested` without evidence: verdict {verdict}"));
        }
    }

    pub(super) fn measure(mut self, records: &Records<'_>, since: &str) -> Result<Measure, MemoryError> {
        self.features(records, since);
        self.attempts(records, since);
        self.promises(records, since)?;
        let of = self.confirmed + self.not.len();
        Ok(Measure { found: self.not.len(), of, examples: self.not })
    }

    /// Features that became tested, and what agents added as evidence: it is confirmed if the last thing that Stead saw
    /// or ran for the feature succeeded.
    fn features(&mut self, records: &Records<'_>, since: &str) {
        let list = FeatureList::read(&records.ground.features).ok().flatten().unwrap_or_default();
        let archive = Archive::new(records.ground);
        for feature in &list.features {
            let is_recent = finished(feature).is_some_and(|ts| ts.as_str() >= since);
            self.confirmed += usize::from(feature.state() == Status::Tested && is_recent);
            let items = archive.items(&feature.id).unwrap_or_default();
            let is_proven = items.iter().find(|item| item.kind.is_own()).is_some_and(Item::has_passed);
            for item in items.iter().filter(|item| item.kind == Kind::Claimed && item.ts.as_str() >= since) {
                match is_proven {
                    true => self.confirmed += 1,
                    false => self.not.push(format!("evidence {} of feature `{}`", item.id, feature.id)),
                }
            }
        }
    }

    /// Attempts that an agent reported as done, and that failed.
    fn attempts(&mut self, records: &Records<'_>, since: &str) {
        let failed = records.own().filter(|trace| trace.is_failed_attempt() && trace.timestamp.as_str() >= since);
        self.not.extend(failed.map(|trace| trace.event.what_happened.clone()));
    }

    fn promises(&mut self, records: &Records<'_>, since: &str) -> Result<(), MemoryError> {
        for line in Lines::open(&records.history.indexes.join(LoopLine::FILE))?.unchecked() {
            let Ok(line) = serde_json::from_str::<LoopLine>(&line?.text) else { continue };
            if line.ts.as_str() < since {
                continue;
            }
            match line.claim() {
                Some(LoopClaim::Proven) => self.confirmed += 1,
                Some(LoopClaim::Unchecked | LoopClaim::Refuted) => {
                    self.not.push(format!("loop {}: {}", line.id, line.why));
                }
                None => {}
            }
        }
        Ok(())
    }
}
