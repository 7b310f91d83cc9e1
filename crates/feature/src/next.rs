use stead_model::unix_millis;

use crate::queue::is_chosen;
use crate::{Action, Outline, Queue, Readiness, Rules, SessionState, Status, Summary, Task};

/// Decides what to do now. Without a list, an initializer writes one. What is implemented is tested before anything new
/// is coded; a person is asked when nothing else is left.
pub fn next(outline: Option<&Outline>, session: &SessionState, now: i64, rules: &Rules) -> Action {
    let Some(outline) = outline else { return Action::Initialize };
    let queue = Queue::of(outline, session, now);
    if session.ended.is_some() {
        return Action::End { summary: summary(&queue, session, rules) };
    }
    if let Some(pause) = &session.wait
        && let Some(until) = unix_millis(&pause.until).filter(|until| now < *until)
    {
        return Action::Wait { until, why: pause.why.clone() };
    }
    if let Some(row) = queue.first(Task::Test, &rules.only) {
        return Action::Test { feature: row.id.clone() };
    }
    if let Some(row) = queue.first(Task::Code, &rules.only) {
        let again = row.last_failure.as_deref().filter(|_| row.retries > 0).cloned();
        return Action::Code { feature: row.id.clone(), again };
    }
    let chosen = || queue.iter().filter(|(row, _)| is_chosen(row, &rules.only));
    let claims = chosen().filter_map(|(row, ready)| match ready {
        Readiness::Claimed { owner, expires } => Some((*expires, format!("`{}` is claimed by {owner}", row.id))),
        _ => None,
    });
    if let Some((until, why)) = claims.min() {
        return Action::Wait { until, why };
    }
    if let Some((feature, question)) = chosen().find_map(|(row, _)| Some((row.id.clone(), row.question()?.to_owned())))
    {
        return Action::AskPerson { feature, question };
    }
    Action::End { summary: summary(&queue, session, rules) }
}

fn summary(queue: &Queue<'_>, session: &SessionState, rules: &Rules) -> Summary {
    let mut summary = Summary { why: session.ended.clone(), ..Summary::default() };
    for (row, ready) in queue.iter().filter(|(row, _)| is_chosen(row, &rules.only)) {
        match ready {
            Readiness::Done if row.status == Status::Tested => summary.tested += 1,
            Readiness::Done => summary.skipped += 1,
            Readiness::Blocked { .. } => summary.blocked.push(row.id.clone()),
            Readiness::Waits { .. } => summary.waiting.push(row.id.clone()),
            Readiness::Code | Readiness::Test | Readiness::Claimed { .. } => summary.open.push(row.id.clone()),
        }
    }
    summary
}
