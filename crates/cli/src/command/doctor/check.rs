//! What doctor checks besides the hooks: guards, records, evidence and trust.

use stead_evidence::{Archive, foreign_features};
use stead_feature::FeatureList;
use stead_guard::{Origin, State};
use stead_hook::recorder_notes;
use stead_install::Check;
use stead_model::Severity;
use stead_model::rfc3339;

use crate::error::CliError;
use crate::guard_counts::{Counts, is_orphaned};
use crate::guards::Guards;
use crate::project::{Project, env, now_millis};
use crate::proof::ground;
use crate::trusting::untrusted;
use crate::ui::counted;

/// The name of the check of what came with the repository, which only a person can settle.
pub(super) const TRUST: &str = "trust";

/// All of them.
pub(super) fn checks(project: &Project) -> Result<Vec<Check>, CliError> {
    let mut checks = guard_checks(project)?;
    checks.extend(record_checks(project));
    checks.extend(evidence_checks(project));
    checks.extend(trust_check(project));
    Ok(checks)
}

/// What came with the repository and waits for a person.
fn trust_check(project: &Project) -> Option<Check> {
    let count = if project.found.is_marked() { untrusted(project).len() } else { 0 };
    let what = || {
        format!("{} that came with the repository run and permit nothing until you trust them", counted(count, "item"))
    };
    (count > 0).then(|| Check::odd(TRUST, what()).remedy("`stead trust --show`"))
}

/// What hooks could not write down during the last day. They answer all the same, so nobody else would hear of it.
fn record_checks(project: &Project) -> Vec<Check> {
    const DAY: i64 = 24 * 3600 * 1000;
    let notes = recorder_notes(project.root(), &env, &rfc3339(now_millis() - DAY));
    notes.into_iter().map(|(at, note)| Check::odd("records", format!("not recorded at {at}: {note}"))).collect()
}

/// Features that are called tested by records which this checkout's log does not vouch for, and damage of the log.
fn evidence_checks(project: &Project) -> Vec<Check> {
    if !project.found.is_marked() {
        return Vec::new();
    }
    let ground = ground(project);
    let flaws = Archive::new(&ground).verify().map(|found| found.flaws).unwrap_or_default();
    let damaged = flaws.first().map(|flaw| {
        Check::odd("evidence", format!("the log of evidence is damaged at {flaw}"))
            .remedy("`stead evidence verify` lists all; run the tests again")
    });
    let list = FeatureList::read(&ground.features).ok().flatten().unwrap_or_default();
    let foreign = foreign_features(&ground, &list).unwrap_or_default().into_iter().map(|(id, why)| {
        Check::odd("evidence", format!("feature `{id}` is tested by foreign evidence only: {why}"))
            .remedy(format!("`stead verify {id}` proves it here"))
    });
    damaged.into_iter().chain(foreign).collect()
}

/// Guard files that are not applied. A broken file does not affect the others, so this is only a warning.
fn guard_checks(project: &Project) -> Result<Vec<Check>, CliError> {
    if !project.found.is_marked() {
        return Ok(Vec::new());
    }
    let guards = Guards::load(project)?;
    let wrong = guards.problems.iter().filter(|problem| problem.severity == Severity::Error);
    let broken = wrong.map(|problem| (format!("a guard is not applied: {problem}"), problem));
    let waiting = guards.around.iter().map(|problem| (problem.message.clone(), problem));
    // A log that cannot be read is reported by the recorder that failed to write it.
    let counts = Counts::recent(project).unwrap_or_default();
    let own = guards.list.iter().filter(|guard| guard.state == State::Active && guard.origin == Origin::Project);
    let idle = own.filter_map(|guard| {
        let is_dormant = counts.of(&guard.id, &guard.on).marks(&guard.id).contains(&"dormant");
        let check = |why: &str| Check::odd("guards", format!("`{}` {why}", guard.id));
        match is_orphaned(project, guard) {
            true => {
                Some(check("is about folders that do not exist").remedy(format!("correct or remove {}", guard.file)))
            }
            false if is_dormant => {
                let remedy = format!("`stead guard stats {}` shows its calls; is it still needed?", guard.id);
                Some(check("matched none of the last calls").remedy(remedy))
            }
            false => None,
        }
    });
    Ok(broken
        .chain(waiting)
        .map(|(message, problem)| {
            let remedy = problem.hint().unwrap_or("fix the file; `stead guard lint` checks it");
            Check::odd("guards", message).remedy(remedy)
        })
        .chain(idle)
        .collect())
}
