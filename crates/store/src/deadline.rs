//! The last resort of the hook path: an alarm that ends the process with a reply that every client understands.
//!
//! Every wait has its own limit; this catches the unexpected (a hung disk, an endless loop). A signal handler may not
//! allocate, so it cannot build a client's JSON: before an event that a gate could block it exits 2 with a reason on
//! stderr, otherwise it exits 0 without output.

use std::sync::atomic::{AtomicBool, Ordering};

/// What the alarm does when it goes off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnAlarm {
    /// Let the event pass: nothing depends on a verdict.
    Pass,
    /// Block it: a gate that cannot decide denies.
    Block,
}

static BLOCK: AtomicBool = AtomicBool::new(false);

/// Only a hook call has an alarm. Commands use the same code, and some of them run for hours.
static STARTED: AtomicBool = AtomicBool::new(false);

/// Sets what the alarm will do from now on.
pub fn set_on_alarm(on_alarm: OnAlarm) {
    BLOCK.store(on_alarm == OnAlarm::Block, Ordering::Relaxed);
}

/// Makes a write to a closed pipe an error instead of a fatal signal.
#[cfg(unix)]
#[expect(unsafe_code, reason = "neither std nor rustix can set a signal's disposition")]
pub fn ignore_broken_pipes() {
    // SAFETY: ignoring a signal runs no code of ours.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
}

/// Makes a write to a closed pipe an error instead of a fatal signal; on other systems it already is one.
#[cfg(not(unix))]
pub fn ignore_broken_pipes() {}

/// Starts the alarm. It is never stopped: the process ends first.
#[cfg(unix)]
#[expect(unsafe_code, reason = "neither std nor rustix can install a signal handler")]
pub fn start_alarm(seconds: u32) {
    STARTED.store(true, Ordering::Relaxed);
    extern "C" fn ring(_: libc::c_int) {
        let block = BLOCK.load(Ordering::Relaxed);
        if block {
            const REASON: &[u8] = b"Stead: the hook timed out, so this call is denied; try again\n";
            // SAFETY: write(2) is async-signal-safe and the buffer is static.
            unsafe { libc::write(2, REASON.as_ptr().cast(), REASON.len()) };
        }
        // SAFETY: _exit(2) is async-signal-safe.
        unsafe { libc::_exit(if block { 2 } else { 0 }) };
    }
    let handler: extern "C" fn(libc::c_int) = ring;
    // SAFETY: the handler calls async-signal-safe functions only.
    unsafe {
        libc::signal(libc::SIGALRM, handler as libc::sighandler_t);
        libc::alarm(seconds);
    }
}

/// Postpones the alarm: it now goes off in this many seconds. Does nothing if none was started.
#[cfg(unix)]
#[expect(unsafe_code, reason = "neither std nor rustix can set an alarm")]
pub fn extend_alarm(seconds: u32) {
    if !STARTED.load(Ordering::Relaxed) {
        return;
    }
    // SAFETY: alarm(2) has no preconditions.
    unsafe { libc::alarm(seconds) };
}

/// How often the alarm was set; an older one does nothing.
#[cfg(not(unix))]
static ROUND: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);

/// Starts the alarm. It is never stopped: the process ends first.
#[cfg(not(unix))]
pub fn start_alarm(seconds: u32) {
    STARTED.store(true, Ordering::Relaxed);
    let round = ROUND.fetch_add(1, Ordering::Relaxed) + 1;
    std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_secs(u64::from(seconds)));
        if ROUND.load(Ordering::Relaxed) == round {
            std::process::exit(if BLOCK.load(Ordering::Relaxed) { 2 } else { 0 });
        }
    });
}

/// Postpones the alarm: it now goes off in this many seconds. Does nothing if none was started.
#[cfg(not(unix))]
pub fn extend_alarm(seconds: u32) {
    if STARTED.load(Ordering::Relaxed) {
        start_alarm(seconds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A command that uses code of the hook must not be ended by an alarm that nobody handles.
    #[test]
    fn an_alarm_that_was_never_started_is_not_postponed() {
        extend_alarm(1);
        std::thread::sleep(std::time::Duration::from_millis(1_200));
    }
}
