//! Tests and builds that pass by: what was run, how it ended, what it said, so that a claim can lean on it later.

use std::time::{Duration, Instant};

use stead_evidence::{Bounds, EvidenceError, Ground, Seen, Who, could_be_evidence, observe};
use stead_model::{Action, EventKind};
use stead_store::{Room, extend_alarm};

use crate::record::{Told, cut};

/// How long the files may be looked at that a run speaks for, and what the alarm allows for it, in seconds. The reply is
/// out, but clients wait for the end of the process.
const PATIENCE: Duration = Duration::from_millis(1_500);
const ALARM: u32 = 4;

/// Variables by which the engine names the run and the stage that an agent works for.
const RUN: &str = "STEAD_RUN";
const STAGE: &str = "STEAD_STAGE";

/// Writes down a test or a build. Everything else leaves at once.
pub(crate) fn record(told: &Told<'_>, now: &str) -> Result<(), EvidenceError> {
    let event = told.event;
    if !matches!(event.kind, EventKind::AfterTool | EventKind::ToolFailed) {
        return Ok(());
    }
    let Some(Action::Run { command, dir }) = event.call.as_ref().map(|call| &call.action) else { return Ok(()) };
    if !could_be_evidence(command) || !told.policy.records("record.evidence", "STEAD_RECORD_EVIDENCE", told.env) {
        return Ok(());
    }
    let outcome = (told.harness.doorway().outcome)(event);
    let agent = event.agent.as_ref();
    let own = |text: &str| cut(text).to_owned();
    let named = |name: &str| (told.env)(name).and_then(|value| value.into_string().ok()).map(|value| own(&value));
    let who = Who {
        harness: Some(told.harness.name().to_owned()),
        session: event.session.as_deref().map(own),
        agent: agent.and_then(|agent| agent.id.as_deref()).map(own),
        role: agent.and_then(|agent| agent.role.as_deref()).map(own),
        run: named(RUN),
        stage: named(STAGE),
    };
    let ground = Ground {
        root: told.standing.found.work().to_owned(),
        features: told.policy.room(told.root, Room::Features),
        indexes: told.indexes(),
        cache: told.root.join(Room::Cache.default_path()),
    };
    let folder = told.standing.cwd.join(dir.as_deref().unwrap_or_default());
    let seen = Seen { command, dir: &folder, exit: outcome.exit, output: &outcome.output, who, now };
    let begun = Instant::now();
    extend_alarm(ALARM);
    let go_on = || begun.elapsed() < PATIENCE;
    observe(&ground, &seen, &Bounds::hook(&go_on)).map(drop)
}
