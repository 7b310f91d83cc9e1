//! Five habits that make a memory useless, each as a number that is compared with a limit: traces that nobody reads,
//! strategies that change back and forth, reflections that fit any failure, claims without evidence, and planning
//! without acting. It only measures; nothing is changed.

mod check;
mod claim;
mod finding;
mod oscillation;
mod planning;
mod reflection;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

pub use check::{HealthCheck, HealthUnit};
pub use finding::{HealthFinding, HealthStatus};

use crate::{MemoryError, Reading, Records, Retrievals, TraceId};
use finding::Measure;

/// How many days are looked at; of the retrievals, as many as there are.
pub const HEALTH_DAYS: i64 = 30;

/// Measures all checks. Each log is read once, in bounded memory.
pub fn health(
    records: &Records<'_>,
    retrievals: &Retrievals,
    progress: &mut dyn FnMut(Reading),
) -> Result<Vec<HealthFinding>, MemoryError> {
    let since = stead_model::rfc3339(records.now - HEALTH_DAYS * 24 * 3600 * 1000);
    let mut planning = planning::Planning::default();
    let mut reflections = reflection::Reflections::default();
    let mut claims = claim::Claims::default();
    records.history.each(progress, &mut |call| {
        if *call.ts >= *since {
            planning.take(call, &records.history.root);
            reflections.take(call, &records.history.root);
            claims.take(call);
        }
    })?;
    let measures = [
        (HealthCheck::Retrieval, retrieval(records, retrievals)?),
        (HealthCheck::Oscillation, oscillation::measure(records, &since)?),
        (HealthCheck::Reflections, reflections.measure(records, &since)),
        (HealthCheck::Claims, claims.measure(records, &since)?),
        (HealthCheck::Planning, planning.measure()),
    ];
    Ok(measures.into_iter().map(|(check, measure)| HealthFinding::new(check, measure)).collect())
}

/// Traces that no answer contained. As long as there was no answer at all, nothing is measured.
fn retrieval(records: &Records<'_>, retrievals: &Retrievals) -> Result<Measure, MemoryError> {
    let seen: HashSet<TraceId> = retrievals.read()?.into_iter().flat_map(|line| line.ids).collect();
    if seen.is_empty() {
        return Ok(Measure::default());
    }
    let never: Vec<&TraceId> = records.own().map(|trace| &trace.id).filter(|id| !seen.contains(*id)).collect();
    let examples = never.iter().map(ToString::to_string).collect();
    Ok(Measure { found: never.len(), of: records.own().count(), examples })
}
