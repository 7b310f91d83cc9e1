use serde::Serialize;
use stead_feature::Status;
use stead_hook::SealOutcome;
use stead_model::rfc3339;
use stead_pipeline::{RunView, ViewStatus};

use super::{DAY, Glance};
use crate::ui::counted;

/// Something that a person should look at.
#[derive(Serialize)]
pub(super) struct Waiting {
    /// Which part of the project it is about.
    pub(super) area: &'static str,
    pub(super) count: usize,
    pub(super) text: String,
    /// The one command that shows more.
    pub(super) command: String,
}

/// What waits for a person, the most urgent first.
pub(super) fn list(glance: &Glance) -> Vec<Waiting> {
    let mut list = List(Vec::new());
    let (pending, put_back): (Vec<_>, Vec<_>) =
        glance.sealed.iter().partition(|change| change.outcome == SealOutcome::InForce);
    list.add("seal", &pending, |change| (change.shown(), format!("stead seal diff {}", change.id)));
    if glance.intents.is_err() {
        list.push("intents", 1, "the file cannot be read, so agents may change nothing".into(), "stead intent check");
    }
    if glance.features.is_err() {
        list.push("features", 1, "the list cannot be read".into(), "stead feature list");
    }
    if glance.broken > 0 {
        let text = format!("{} broken and not applied", counted(glance.broken, "file"));
        list.push("guards", glance.broken, text, "stead guard lint");
    }
    if !glance.untrusted.is_empty() {
        let count = glance.untrusted.len();
        let text = format!("{} not trusted, so not used: {}", counted(count, "item"), glance.untrusted.join(", "));
        list.push("trust", count, text, "stead trust --show");
    }
    list.add("intents", &glance.requests, |one| {
        let what = one.intent.as_ref().map_or("a new intent".to_owned(), |id| format!("more scope for {id}"));
        (format!("{} asks for {what}: {}", one.id, one.text), "stead intent list".into())
    });
    let since = rfc3339(glance.now - DAY);
    let stuck: Vec<&RunView> = glance.runs.iter().filter(|run| is_stuck(run, &since)).collect();
    list.add("runs", &stuck, |run| {
        (format!("{} is {}", run.run, run.status.name()), format!("stead status {}", run.run))
    });
    list.add("runs", &glance.unread, |name| (format!("{name} is unreadable"), format!("stead status {name}")));
    let blocked: Vec<&str> = glance.features_with(Status::Blocked).collect();
    list.add("features", &blocked, |id| (format!("{id} is blocked"), "stead feature list --blocked".into()));
    list.add("appeals", &glance.appeals, |one| {
        (format!("{}: {}", one.verdict, one.text), format!("stead explain {}", one.verdict))
    });
    list.add("put back", &put_back, |change| (change.shown(), format!("stead seal diff {}", change.id)));
    list.add("proposed", &glance.proposals, |one| (one.summary.clone(), format!("stead guard accept {}", one.id)));
    list.add("guards", &glance.news, |one| (one.text.clone(), one.command.clone()));
    let due: Vec<_> = glance.starters.iter().filter(|one| one.is_due()).collect();
    list.add("guards", &due, |one| {
        let calls = counted(one.calls, "call");
        (format!("`{}` only watches; it would have stopped {calls}", one.guard), one.command())
    });
    list.add("evidence", &glance.foreign, |(id, why)| {
        (format!("`{id}` is tested by foreign evidence only: {why}"), format!("stead verify {id}"))
    });
    let open: Vec<_> = glance.older.iter().filter(|run| !run.is_complete()).collect();
    list.add("runs", &open, |run| {
        (format!("of the older engine: {} ({})", run.name, run.status), "stead migrate --dry-run".into())
    });
    list.0
}

/// Returns true for a run that cannot go on without a person, and for one that failed in the last day.
fn is_stuck(run: &RunView, since: &str) -> bool {
    match run.status {
        ViewStatus::Blocked | ViewStatus::Interrupted | ViewStatus::Quota => true,
        ViewStatus::Failed | ViewStatus::Limit | ViewStatus::Unverified => run.state.updated_at.as_str() >= since,
        ViewStatus::Running | ViewStatus::Done | ViewStatus::Cancelled => false,
    }
}

struct List(Vec<Waiting>);

impl List {
    /// Adds one line for all items, which shows the first.
    fn add<T>(&mut self, area: &'static str, items: &[T], shown: impl Fn(&T) -> (String, String)) {
        if let [first, others @ ..] = items {
            let (text, command) = shown(first);
            let more = if others.is_empty() { String::new() } else { format!("1 of {}: ", items.len()) };
            self.push(area, items.len(), more + &text, &command);
        }
    }

    fn push(&mut self, area: &'static str, count: usize, text: String, command: &str) {
        self.0.push(Waiting { area, count, text, command: command.to_owned() });
    }
}
