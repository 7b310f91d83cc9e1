use std::time::Duration;

use stead_pipeline::orchestrate::OrchestratePlan;
use stead_pipeline::{Decision, NodeStatus, RunEvent, RunStatus, provider_name};

use super::text::{elapsed, one_line};

/// How much of an agent's text goes on a line.
const QUOTE: usize = 60;

/// How much of a failure's reason does: the important part comes last.
const WHY: usize = 240;

/// What the observed events say about a run.
#[derive(Clone, Debug)]
pub(crate) struct Board {
    run: String,
    nodes: Vec<Seen>,
    /// The seconds of earlier engines, and when the current one started.
    before: f64,
    since: Option<i64>,
}

/// What the observed events say about one stage or branch.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Seen {
    pub(crate) id: String,
    pub(crate) completed: u32,
    pub(crate) most: u32,
    pub(crate) stands: Stands,
    /// The iteration under way, or the last one.
    pub(crate) iteration: u32,
    /// When that iteration started, in milliseconds since 1970.
    pub(crate) since: Option<i64>,
    /// Until when it waits for its provider's quota.
    pub(crate) waiting: Option<String>,
    pub(crate) cost: f64,
    /// Its failure was told.
    has_failed: bool,
    /// The last agent's decision, and why.
    pub(crate) last: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stands {
    #[default]
    Waits,
    Works,
    Over(NodeStatus),
}

impl Board {
    /// `before` is how long earlier engines worked on the run, in seconds.
    pub(crate) fn new(run: &str, ids: impl IntoIterator<Item = String>, before: f64) -> Self {
        let nodes = ids.into_iter().map(|id| Seen { id, ..Seen::default() }).collect();
        Self { run: run.to_owned(), nodes, before, since: None }
    }

    pub(crate) fn run(&self) -> &str {
        &self.run
    }

    /// How long engines have worked on the run, in seconds.
    pub(crate) fn elapsed(&self, now: i64) -> f64 {
        self.before + self.since.map_or(0.0, |since| (now - since).max(0) as f64 / 1000.0)
    }

    /// What this and earlier engines' observed agents cost.
    pub(crate) fn cost(&self) -> f64 {
        self.nodes.iter().map(|seen| seen.cost).sum()
    }

    pub(crate) fn nodes(&self) -> &[Seen] {
        &self.nodes
    }

    pub(crate) fn place(&self, node: &str) -> Option<usize> {
        self.nodes.iter().position(|seen| seen.id == node)
    }

    /// Processes an event, and returns a line for it if it is worth one.
    pub(crate) fn take(&mut self, event: &RunEvent, at: i64) -> Option<String> {
        match event {
            RunEvent::RunStarted { .. } | RunEvent::RunResumed { .. } => self.since = Some(at),
            RunEvent::RunEnded { seconds, .. } => (self.before, self.since) = (*seconds, None),
            _ => {}
        }
        let is_repeated = matches!(event, RunEvent::StageEnded { node, status: NodeStatus::Failed, .. }
            if self.place(node).is_some_and(|place| self.nodes[place].has_failed));
        if let Some(place) = event.node().and_then(|node| self.place(node)) {
            note(&mut self.nodes[place], event, at);
        }
        if is_repeated { None } else { self.say(event) }
    }

    fn say(&self, event: &RunEvent) -> Option<String> {
        let line = match event {
            RunEvent::RunResumed { status, survivors, .. } => {
                let ended = match survivors {
                    0 => String::new(),
                    1 => "; killed 1 process that it left running".to_owned(),
                    many => format!("; killed {many} processes that it left running"),
                };
                // Nobody recorded its end.
                let status = if *status == RunStatus::Running { "interrupted" } else { status.name() };
                format!("resuming {status} run{ended}")
            }
            RunEvent::PlanAmended { change, nodes, .. } => {
                let most = change.max_iterations.map(|most| format!("at most {}", iterations(most)));
                let provider = change.provider.as_ref().map(|provider| provider_name(provider).to_owned());
                let model = change.model.as_ref().map(|model| format!("model {model}"));
                let inputs = change.inputs.iter().map(|input| format!("with {input}"));
                let time = change.max_runtime_seconds.map(|most| format!("at most {}", elapsed(most as f64)));
                let cost = change.max_cost_usd.map(|most| format!("at most ${most:.2}"));
                let read = change.reload.as_ref().map(|_| "limits read again from its files".to_owned());
                let limits = most.into_iter().chain(time).chain(cost).chain(read);
                let words: Vec<String> = limits.chain(provider).chain(model).chain(inputs).collect();
                format!("the plan was changed for {}: {}", nodes.join(", "), words.join(", "))
            }
            // Workers go on until nothing is left.
            RunEvent::StageStarted { node, max_iterations: OrchestratePlan::ITERATIONS, provider, .. } => {
                format!("{node}: {provider}")
            }
            RunEvent::StageStarted { node, max_iterations, provider, .. } => {
                format!("{node}: {provider}, at most {}", iterations(*max_iterations))
            }
            RunEvent::Repeated { node, iteration, attempt } => {
                format!(
                    "{}: starts again; the files of the last attempt are in attempt-{attempt}",
                    self.at(node, *iteration)
                )
            }
            // What became of it is told by the feature's change.
            RunEvent::IterationEnded { node, failure: None, .. } if self.is_worker(node) => return None,
            RunEvent::IterationEnded {
                node,
                iteration,
                decision,
                blocked_on,
                failure,
                reason,
                seconds,
                cost_usd,
                ..
            } => {
                let how = match (failure, decision) {
                    (Some(kind), _) => format!("failed ({})", kind.name()),
                    (None, _) if blocked_on.is_some() => "blocked".to_owned(),
                    (None, Some(decision)) => decision.name().to_owned(),
                    (None, None) => "ended".to_owned(),
                };
                // Why it failed is told once, at the end.
                let reason = if failure.is_some() { String::new() } else { one_line(reason, QUOTE) };
                let reason = if reason.is_empty() { reason } else { format!(" ({reason})") };
                let spent = spent(*seconds, cost_usd.unwrap_or_default());
                format!("{}: {how}{reason}, {spent}", self.at(node, *iteration))
            }
            RunEvent::Assigned { agent, task, feature, .. } => {
                let feature = feature.as_ref().map(|feature| format!("{feature}: ")).unwrap_or_default();
                format!("{feature}{agent}, {task}")
            }
            RunEvent::FeatureChanged { feature, what, status, why, .. } => {
                let why = one_line(why, WHY);
                let why = if why.is_empty() { why } else { format!(" ({why})") };
                let status = if status == what { String::new() } else { format!(", now {status}") };
                format!("{feature}: {what}{status}{why}")
            }
            RunEvent::Verified { node, iteration, command, green: false, .. } => {
                format!("{}: `{}` failed", self.at(node, *iteration), one_line(command, QUOTE))
            }
            RunEvent::Withheld { node, iteration, why } => {
                format!(
                    "{}: not done, because its verification failed ({})",
                    self.at(node, *iteration),
                    one_line(why, QUOTE)
                )
            }
            RunEvent::QueueCounted { node, iteration, left, queue } => {
                let queue = if queue.is_some() { "feature list" } else { "queue" };
                format!("{}: {left} left in the {queue}", self.at(node, *iteration))
            }
            RunEvent::Waiting { node, until, tries: 0 } => {
                format!("{node}: waiting for its provider's quota until {until}")
            }
            RunEvent::Waiting { node, until, tries } => {
                format!("{node}: its provider states no time; try {tries} is at {until}")
            }
            RunEvent::Adopted { node, iteration } => {
                format!("{}: its agent finished while no engine was there; it counts", self.at(node, *iteration))
            }
            RunEvent::StageEnded { node, status, iterations: count, seconds, cost_usd, why } => {
                let is_failed = *status == NodeStatus::Failed;
                let why = if is_failed { String::new() } else { one_line(why, WHY) };
                let why = if why.is_empty() { why } else { format!(": {why}") };
                format!("{node}: {} after {}, {}{why}", status.name(), iterations(*count), spent(*seconds, *cost_usd))
            }
            RunEvent::WorktreeKept { node, path, branch } => {
                format!("{node}: its worktree was kept in {path} (branch {branch})")
            }
            RunEvent::Warning { node, message } => {
                let node = node.as_ref().map(|node| format!("{node}: ")).unwrap_or_default();
                format!("warning: {node}{message}")
            }
            RunEvent::RunStarted { .. }
            | RunEvent::IterationStarted { .. }
            | RunEvent::Verified { .. }
            | RunEvent::RunEnded { .. }
            | RunEvent::Unknown => return None,
        };
        Some(line)
    }

    fn is_worker(&self, node: &str) -> bool {
        self.place(node).is_some_and(|place| self.nodes[place].most == OrchestratePlan::ITERATIONS)
    }

    fn at(&self, node: &str, iteration: u32) -> String {
        match self.place(node).map(|place| self.nodes[place].most) {
            Some(most) if most > 0 => format!("{node} {iteration}/{most}"),
            _ => format!("{node} {iteration}"),
        }
    }
}

fn note(seen: &mut Seen, event: &RunEvent, at: i64) {
    match event {
        RunEvent::StageStarted { iteration, max_iterations, .. } => {
            (seen.most, seen.completed) = (*max_iterations, iteration.saturating_sub(1));
            (seen.stands, seen.has_failed) = (Stands::Works, false);
        }
        RunEvent::IterationStarted { iteration, max_iterations, .. } => {
            (seen.most, seen.completed) = (*max_iterations, iteration.saturating_sub(1));
            (seen.iteration, seen.since, seen.waiting) = (*iteration, Some(at), None);
            seen.stands = Stands::Works;
        }
        RunEvent::IterationEnded { iteration, decision, blocked_on, failure, reason, cost_usd, .. } => {
            seen.has_failed |= failure.is_some();
            seen.cost += cost_usd.unwrap_or_default();
            let how = match (failure, decision) {
                (Some(kind), _) => kind.name(),
                (None, _) if blocked_on.is_some() => "blocked",
                (None, Some(decision)) => decision.name(),
                (None, None) => "",
            };
            let counts = blocked_on.is_none() && matches!(decision, Some(Decision::Continue | Decision::Stop));
            seen.completed = if counts { *iteration } else { iteration.saturating_sub(1) };
            seen.last = one_line(&format!("{how} {reason}"), QUOTE);
        }
        RunEvent::Waiting { until, .. } => seen.waiting = Some(until.clone()),
        RunEvent::StageEnded { status, iterations, cost_usd, .. } => {
            (seen.completed, seen.cost) = (*iterations, *cost_usd);
            seen.stands = Stands::Over(*status);
        }
        _ => {}
    }
}

fn iterations(count: u32) -> String {
    if count == 1 { "1 iteration".to_owned() } else { format!("{count} iterations") }
}

/// Time, and money if any was spent.
pub(crate) fn spent(seconds: f64, cost_usd: f64) -> String {
    let time = elapsed(Duration::try_from_secs_f64(seconds).unwrap_or_default().as_secs_f64());
    if cost_usd > 0.0 { format!("{time}, ${cost_usd:.2}") } else { time }
}

#[cfg(test)]
mod tests {
    use stead_pipeline::{Change, ErrorKind, RunStatus};

    use super::*;

    fn started(iteration: u32) -> RunEvent {
        RunEvent::IterationStarted { node: "plan".into(), iteration, max_iterations: 3 }
    }

    fn ended(iteration: u32, decision: Option<Decision>, failure: Option<ErrorKind>, reason: &str) -> RunEvent {
        RunEvent::IterationEnded {
            node: "plan".into(),
            iteration,
            decision,
            blocked_on: None,
            failure,
            reason: reason.into(),
            summary: String::new(),
            consecutive_stops: 0,
            seconds: 61.0,
            cost_usd: None,
            session: None,
            left_behind: 0,
        }
    }

    /// Shows the events one after the other and compares the last line.
    #[track_caller]
    fn check(events: &[RunEvent], expected: Option<&str>) -> Seen {
        let mut board = Board::new("night", ["other".to_owned(), "plan".to_owned()], 0.0);
        let last = events.iter().map(|event| board.take(event, 0)).last().flatten();
        assert_eq!(last.as_deref(), expected);
        assert_eq!(board.nodes()[0], Seen { id: "other".into(), ..Seen::default() });
        board.nodes()[1].clone()
    }

    #[test]
    fn events_are_said_in_a_line() {
        let begun = RunEvent::StageStarted {
            node: "plan".into(),
            stage: "plan".into(),
            iteration: 1,
            max_iterations: 3,
            provider: "claude".into(),
            worktree_base: None,
        };
        check(&[begun], Some("plan: claude, at most 3 iterations"));
        check(&[started(2)], None);
        check(&[started(2), ended(2, Some(Decision::Stop), None, "")], Some("plan 2/3: stop, 1 min 1 s"));
        check(&[ended(2, None, Some(ErrorKind::Exit), "code 7")], Some("plan 2: failed (exit), 1 min 1 s"));
        let failed = |why: &str| RunEvent::StageEnded {
            node: "plan".into(),
            status: NodeStatus::Failed,
            iterations: 1,
            seconds: 3.0,
            cost_usd: 0.0,
            why: why.into(),
        };
        check(&[ended(2, None, Some(ErrorKind::Exit), "code 7"), failed("code 7")], None);
        check(&[failed("no queue")], Some("plan: failed after 1 iteration, 3 s"));
        let over = RunEvent::StageEnded {
            node: "plan".into(),
            status: NodeStatus::Limit,
            iterations: 1,
            seconds: 3.2,
            cost_usd: 0.254,
            why: "no\nmore".into(),
        };
        check(&[over], Some("plan: limit after 1 iteration, 3 s, $0.25: no more"));
        let resumed = RunEvent::RunResumed { status: RunStatus::Failed, survivors: 2, pid: 7 };
        check(&[resumed], Some("resuming failed run; killed 2 processes that it left running"));
        check(&[RunEvent::Warning { node: None, message: "odd".into() }], Some("warning: odd"));
        check(
            &[started(2), RunEvent::Repeated { node: "plan".into(), iteration: 2, attempt: 1 }],
            Some("plan 2/3: starts again; the files of the last attempt are in attempt-1"),
        );
        let change = Change { max_iterations: Some(9), inputs: vec!["/spec.md".into()], ..Change::default() };
        check(
            &[RunEvent::PlanAmended { change, nodes: vec!["plan".into()], plan_sha1: String::new() }],
            Some("the plan was changed for plan: at most 9 iterations, with /spec.md"),
        );
        check(&[RunEvent::Unknown], None);
    }

    #[test]
    fn a_bar_counts_what_is_completed() {
        let seen = check(&[started(2)], None);
        assert_eq!((seen.completed, seen.most, seen.stands), (1, 3, Stands::Works));
        let seen = check(
            &[started(2), ended(2, Some(Decision::Continue), None, "more\n to do")],
            Some("plan 2/3: continue (more to do), 1 min 1 s"),
        );
        assert_eq!((seen.completed, seen.last.as_str()), (2, "continue more to do"));
        let seen = check(
            &[started(2), ended(2, None, Some(ErrorKind::Timeout), "")],
            Some("plan 2/3: failed (timeout), 1 min 1 s"),
        );
        assert_eq!((seen.completed, seen.last.as_str()), (1, "timeout"));
        // Cancelled: neither a decision nor a failure, and not completed.
        let seen = check(
            &[started(2), ended(2, None, None, "the run was cancelled")],
            Some("plan 2/3: ended (the run was cancelled), 1 min 1 s"),
        );
        assert_eq!(seen.completed, 1);
    }

    #[test]
    fn agents_cannot_move_the_cursor() {
        check(
            &[started(1), ended(1, Some(Decision::Stop), None, "\u{1b}[2J\u{8}hi")],
            Some("plan 1/3: stop ([2J hi), 1 min 1 s"),
        );
    }
}
