//! Decides whether a stop is blocked: a pure function of the loop, the agent's last message, and the clock.

use stead_model::{rfc3339, unix_millis};

use super::prompt::{self, Claim};
use super::{Lease, Loop, LoopStatus, last_promise};
use crate::fingerprint;

/// A stop of the session that owns the loop.
#[derive(Clone, Debug)]
pub struct Stop<'a> {
    pub said: LastMessage<'a>,
    /// The client's hint that this turn was blocked before. It only decides which turn a block is counted in.
    pub again: bool,
    /// Running sub-agents; the client wakes the session when one of them ends.
    pub waiting: usize,
    /// How many stops in a row the client lets a hook block, if known.
    pub cap: Option<u32>,
    /// The current time, in milliseconds since 1970.
    pub now: i64,
    /// The result of the loop's check, once it has run.
    pub check: Option<Check>,
}

/// The agent's last message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastMessage<'a> {
    Message(&'a str),
    /// It should be available, but could not be read this time.
    Unread,
    /// This client never sends it.
    Untold,
}

/// The result of a loop's check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    Green,
    /// How it failed (`exit 1`), and the end of its output.
    Red {
        how: String,
        tail: String,
    },
}

/// What to do about a stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Run the loop's command first; ask again with its result.
    Check,
    /// The agent continues with this prompt.
    Hold { prompt: String, why: String },
    /// The agent may stop. With a status, the loop changes to it.
    LetGo { status: Option<LoopStatus>, why: String },
    /// The agent may stop, and a run goes on with the loop, which pauses.
    HandOver { why: String },
}

/// Decides about a stop and advances the loop's state. The caller has checked that the loop is active and that the
/// session owns it. [`Decision::Check`] does not change the state.
pub(crate) fn decide(state: &mut Loop, text: &str, stop: &Stop<'_>) -> Decision {
    let mut next = state.clone();
    let clock = keep_time(&mut next, stop.now);
    let (answer, repeats) = listen(&mut next, stop);
    let decision = judge(&next, text, stop, answer, repeats);
    if decision == Decision::Check {
        return decision;
    }
    next.counts.repeats = repeats;
    next.updated_at = rfc3339(stop.now);
    match &decision {
        Decision::Hold { .. } => {
            next.iteration = next.iteration.saturating_add(1);
            next.counts.holds = holds(&next, stop);
            next.reason = None;
            if let Some(lease) = &mut next.lease {
                lease.expires = rfc3339(stop.now.saturating_add(Lease::MILLIS));
            }
        }
        Decision::LetGo { status: Some(status), why } => {
            next.status = *status;
            next.reason = Some(why.clone());
            next.counts.holds = 0;
        }
        Decision::HandOver { why } => {
            next.status = LoopStatus::Paused;
            next.reason = Some(why.clone());
            next.counts.holds = 0;
        }
        Decision::LetGo { status: None, .. } | Decision::Check => {}
    }
    *state = next;
    with_clock(decision, clock)
}

/// The number of blocks in this turn, including this one. A stop that was not blocked before starts a turn.
fn holds(state: &Loop, stop: &Stop<'_>) -> u32 {
    if stop.again { state.counts.holds.saturating_add(1) } else { 1 }
}

/// Adds the time since the last call. Only a clock that runs forward counts; returns by how much it was set back.
fn keep_time(state: &mut Loop, now: i64) -> Option<i64> {
    let since = state
        .counts
        .seen_ms
        .or_else(|| state.lease.as_ref().and_then(|lease| unix_millis(&lease.started)))
        .unwrap_or(now);
    state.counts.active_ms = state.counts.active_ms.saturating_add(now.saturating_sub(since).max(0));
    state.counts.seen_ms = Some(now);
    (since > now).then(|| since - now)
}

fn with_clock(decision: Decision, clock: Option<i64>) -> Decision {
    let Some(back) = clock else { return decision };
    let note = |why: String| format!("{why}; the clock was set back by {} s, which is not counted", back / 1000);
    match decision {
        Decision::Hold { prompt, why } => Decision::Hold { prompt, why: note(why) },
        Decision::LetGo { status, why } => Decision::LetGo { status, why: note(why) },
        Decision::HandOver { why } => Decision::HandOver { why: note(why) },
        Decision::Check => Decision::Check,
    }
}

/// Removes what the agent already said in this turn, which some clients repeat, and counts equal answers.
fn listen<'a>(state: &mut Loop, stop: &Stop<'a>) -> (Option<&'a str>, u32) {
    let LastMessage::Message(whole) = stop.said else { return (None, state.counts.repeats) };
    let answer = match &state.counts.heard {
        Some((length, sign)) if *length > 0 && stop.again => whole
            .split_at_checked(*length)
            .filter(|(before, after)| after.starts_with('\n') && fingerprint([*before]) == *sign)
            .map_or(whole, |(_, after)| after),
        _ => whole,
    };
    let sign = fingerprint(answer.split_whitespace());
    let same = state.counts.answer.as_ref() == Some(&sign);
    let repeats = if same { state.counts.repeats.saturating_add(1) } else { 1 };
    state.counts.answer = Some(sign);
    state.counts.heard = Some((whole.len(), fingerprint([whole])));
    (Some(answer), repeats)
}

fn judge(state: &Loop, text: &str, stop: &Stop<'_>, answer: Option<&str>, repeats: u32) -> Decision {
    let end = |status, why: String| Decision::LetGo { status: Some(status), why };
    let let_go = |why: &str| Decision::LetGo { status: None, why: why.to_owned() };
    if let Some(lease) = &state.lease
        && unix_millis(&lease.expires).is_none_or(|expires| expires < stop.now)
    {
        return end(LoopStatus::Paused, format!("its lease expired at {}", lease.expires));
    }
    if !state.promises.is_empty() && stop.said == LastMessage::Unread {
        return let_go("the agent's last message could not be read");
    }
    let said = answer.and_then(last_promise);
    let kept = said.as_ref().filter(|said| state.promises.contains(said));
    if stop.waiting > 0 && kept.is_none() {
        return let_go(&format!("{} sub-agents are still running", stop.waiting));
    }
    let claim = match (kept, state.verify.is_some()) {
        (Some(kept), _) => Some(format!("promise `{kept}`")),
        // If no promise was asked for, or the client never sends messages, the check alone decides.
        (None, true) if state.promises.is_empty() || stop.said == LastMessage::Untold => Some("its check".to_owned()),
        (None, _) => None,
    };
    let red = match (&claim, &state.verify, &stop.check) {
        (Some(claim), None, _) => return end(LoopStatus::Done, format!("{claim} kept")),
        (Some(_), Some(_), None) => return Decision::Check,
        (Some(claim), Some(command), Some(Check::Green)) => {
            return end(LoopStatus::Done, format!("{claim} kept, `{}` passed", prompt::short(command)));
        }
        (Some(_), Some(_), Some(red @ Check::Red { .. })) => Some(red),
        (None, _, _) => None,
    };
    let minutes = state.counts.active_ms / 60_000;
    if state.max_minutes > 0 && minutes >= i64::from(state.max_minutes) {
        return end(LoopStatus::Limit, format!("{minutes} of {} minutes used", state.max_minutes));
    }
    if state.max_iterations > 0 && state.iteration >= state.max_iterations {
        return end(LoopStatus::Limit, format!("{} of {} iterations used", state.iteration, state.max_iterations));
    }
    if state.max_repeats > 0 && repeats >= state.max_repeats && answer.is_some() {
        return end(LoopStatus::Paused, format!("the same answer {repeats} times in a row"));
    }
    let claim = Claim { said: said.as_deref(), is_kept: kept.is_some(), red };
    let mut why = prompt::why(state, stop, &claim);
    if let Some(cap) = stop.cap.filter(|cap| state.then_run.is_some() && holds(state, stop) >= *cap) {
        // Not every client asks again after its last block.
        let run = state.run_name();
        return Decision::HandOver {
            why: format!("this client allows at most {cap} blocks in a row; run `{run}` goes on"),
        };
    }
    if let Some(cap) = stop.cap
        && holds(state, stop) > cap
    {
        // The client asks once more but ignores the answer; that block would count as an iteration.
        return let_go(&format!("{why}; this client allows at most {cap} blocks in a row; the loop stays active"));
    }
    let left = stop.cap.map(|cap| cap.saturating_sub(holds(state, stop))).filter(|left| *left <= 1);
    if left == Some(0) {
        // Some clients do not ask again after this one.
        why.push_str("; this client allows no further block in this turn");
    }
    Decision::Hold { prompt: prompt::again(state, text, stop, &claim, left), why }
}

#[cfg(test)]
mod tests;
