//! The reply if the hook cannot finish: from a panic hook, with an alarm as a fallback.

use std::sync::{Mutex, PoisonError};

use stead_client::Harness;
use stead_model::{EventKind, Reply, Verdict};
use stead_store::{OnAlarm, set_on_alarm, start_alarm};

use crate::answer::speak;

/// Our own deadline, in seconds. Every client waits longer.
const DEADLINE: u32 = 2;

/// The gate that a failed hook names.
pub(crate) const GATE: &str = "hook";

static LAST: Mutex<LastWord> = Mutex::new(LastWord { harness: None, native: String::new(), spoken: None });

struct LastWord {
    harness: Option<Harness>,
    native: String,
    /// The exit code of the reply, once it is written. Later failures cannot change it.
    spoken: Option<u8>,
}

/// Sets up both fallbacks.
pub(crate) fn arm(harness: Option<Harness>, native: Option<&str>) {
    start_alarm(DEADLINE);
    heard(harness, native.unwrap_or_default());
    std::panic::set_hook(Box::new(|info| {
        let text = info.payload_as_str().unwrap_or("unknown cause");
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        std::process::exit(last_exit(&format!("Stead failed ({text}, {place}) and denies what it cannot judge")));
    }));
}

/// Stores the caller and the event, as soon as they are known.
pub(crate) fn heard(harness: Option<Harness>, native: &str) {
    let kind = harness.map_or(EventKind::Other, |harness| harness.client().heard(native).kind);
    set_on_alarm(if kind.is_gated() { OnAlarm::Block } else { OnAlarm::Pass });
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    last.harness = harness;
    last.native.clear();
    last.native.push_str(native);
}

/// Stores that the reply is written.
pub(crate) fn spoken(exit: u8) {
    set_on_alarm(if exit == 0 { OnAlarm::Pass } else { OnAlarm::Block });
    LAST.lock().unwrap_or_else(PoisonError::into_inner).spoken = Some(exit);
}

/// Replies for a failed hook, unless it has already replied, and returns the exit code.
fn last_exit(reason: &str) -> i32 {
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let exit = match (last.spoken, last.harness) {
        (Some(exit), _) => exit,
        (None, Some(harness)) => speak(&undecided(harness, &last.native, reason)),
        (None, None) => 0,
    };
    i32::from(exit)
}

/// The reply of a hook that could not judge: denies if something can still be prevented, allows otherwise.
pub(crate) fn undecided(harness: Harness, native: &str, reason: &str) -> Reply {
    let client = harness.client();
    let heard = client.heard(native);
    let verdict = if heard.kind.is_gated() { Verdict::deny(GATE, reason) } else { Verdict::allow() };
    client.reply(&heard, &verdict)
}
