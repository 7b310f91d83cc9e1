//! One orchestrating run per list, and whose claims are whose.

use std::path::Path;

use serde_json::Value;
use stead_feature::{Event, FeatureError, Rules, SessionState, transact};

use crate::engine::EngineError;
use crate::{Holder, RunFolder};

/// The member of `session-state.json` that names the run which works on the list.
const RUN: &str = "run";

const PREFIX: &str = "run:";

/// The owner of the claims of a worker.
pub(crate) fn claim_owner(run: &str, node: &str) -> String {
    format!("{PREFIX}{run}/{node}")
}

fn run_of(owner: &str) -> Option<&str> {
    Some(owner.strip_prefix(PREFIX)?.split_once('/')?.0)
}

/// The run that works on the list now, if any, with its engine.
pub fn working_run(features: &Path, runs: &Path) -> Result<Option<(String, Holder)>, FeatureError> {
    Ok(living(&SessionState::read(features)?, runs))
}

/// The run that worked on the list last.
pub fn last_run(features: &Path) -> Result<Option<String>, FeatureError> {
    let session = SessionState::read(features)?;
    Ok(session.other.get(RUN).and_then(Value::as_str).map(str::to_owned))
}

fn living(session: &SessionState, runs: &Path) -> Option<(String, Holder)> {
    let run = session.other.get(RUN)?.as_str()?;
    let engine = RunFolder::at(runs, run).ok()?.engine()?;
    Some((run.to_owned(), engine))
}

/// Takes the list for a run whose lock is held, and frees what dead engines had claimed.
pub(crate) fn enter(features: &Path, folder: &RunFolder, now: i64, rules: &Rules) -> Result<(), EngineError> {
    let runs = folder.path().parent().unwrap_or(folder.path());
    transact(features, |opened| {
        if let Some((run, engine)) = living(&opened.session, runs).filter(|(run, _)| run != folder.name()) {
            let holder = format!("process {}, since {}", engine.pid, engine.since);
            return Err(EngineError::ListTaken { run, holder });
        }
        opened.session.other.insert(RUN.into(), Value::from(folder.name()));
        let is_dead =
            |run: &str| run == folder.name() || RunFolder::at(runs, run).is_ok_and(|folder| folder.engine().is_none());
        let claims = opened.session.claims.iter();
        let dead = claims.filter(|claim| run_of(&claim.owner).is_some_and(is_dead)).map(|claim| claim.feature.clone());
        for feature in dead.collect::<Vec<_>>() {
            let is_listed = opened.document.as_ref().is_some_and(|document| document.feature(&feature).is_ok());
            if is_listed {
                opened.apply(&Event::DiedWithEngine { feature }, now, rules)?;
            } else {
                opened.session.claims.retain(|claim| claim.feature != feature);
            }
        }
        opened.apply(&Event::Started, now, rules)?;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_names_its_run() {
        assert_eq!(run_of(&claim_owner("night", "work.2")), Some("night"));
        assert_eq!(run_of("session-7"), None);
    }
}
