use std::io;

use super::{Cancel, Urgency};
use crate::os;

/// Turns Ctrl-C, SIGTERM and SIGHUP into a cancellation: the first is orderly, the second immediate. It applies to the
/// whole process and cannot be undone, so a program calls it once.
pub fn cancel_on_signals(cancel: &Cancel) -> io::Result<()> {
    let cancel = cancel.clone();
    os::on_end_signals(move || match cancel.urgency() {
        Urgency::None => cancel.ask(),
        Urgency::Soon | Urgency::Now => cancel.insist(),
    })
}
