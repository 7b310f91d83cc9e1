//! Records tests and builds that an agent runs: the command, its exit status and its summary, as evidence for later.

use std::time::{Duration, Instant};

use stead_evidence::{Bounds, EvidenceError, Seen, Who, could_be_evidence, observe};
use stead_model::{Action, EventKind};
use stead_store::extend_alarm;

use crate::record::cut;
use crate::request::Request;
use crate::run_identity::RunIdentity;

/// How long reading the files that a run covers may take, and what the alarm allows for it, in seconds. The reply is
/// already written, but clients wait for the end of the process.
const PATIENCE: Duration = Duration::from_millis(1_500);
const ALARM: u32 = 4;

/// Records a test or a build. Everything else returns at once.
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
