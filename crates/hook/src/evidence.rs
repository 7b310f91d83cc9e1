//! Tests and builds that pass by: what was run, how it ended, what it said, so that a claim can lean on it later.

use std::time::{Duration, Instant};

use stead_evidence::{Bounds, EvidenceError, Seen, Who, could_be_evidence, observe};
use stead_model::{Action, EventKind};
use stead_store::extend_alarm;

use crate::record::cut;
use crate::request::Request;
use crate::run_identity::RunIdentity;

/// How long the files may be looked at that a run speaks for, and what the alarm allows for it, in seconds. The reply is
/// out, but clients wait for the end of the process.
const PATIENCE: Duration = Duration::from_millis(1_500);
const ALARM: u32 = 4;

/// Writes down a test or a build. Everything else leaves at once.
pub(crate) fn record(request: &Request<'_>, now: &str) -> Result<(), EvidenceError> {
    let event = request.event;
    if !matches!(event.kind, EventKind::AfterTool | EventKind::ToolFailed) {
        return Ok(());
    }
    let Some(Action::Run { command, dir }) = event.call.as_ref().map(|call| &call.action) else { return Ok(()) };
    if !could_be_evidence(command) || !request.records("record.evidence", "STEAD_RECORD_EVIDENCE") {
        return Ok(());
    }
    let outcome = (request.harness.client().outcome)(event);
    let own = |text: &str| cut(text).to_owned();
    let work = RunIdentity::from_env(request.env);
    let who = Who {
        harness: Some(request.harness.name().to_owned()),
        session: event.session.as_deref().map(own),
        agent: request.agent_id().map(own),
        role: event.agent.as_ref().and_then(|agent| agent.role.as_deref()).map(own),
        run: work.run,
        stage: work.stage,
    };
    let folder = request.location.cwd.join(dir.as_deref().unwrap_or_default());
    let seen = Seen { command, dir: &folder, exit: outcome.exit, output: &outcome.output, who, now };
    let begun = Instant::now();
    extend_alarm(ALARM);
    let go_on = || begun.elapsed() < PATIENCE;
    observe(&request.evidence_ground(), &seen, &Bounds::hook(&go_on)).map(drop)
}
