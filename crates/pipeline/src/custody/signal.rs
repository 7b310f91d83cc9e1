use std::io;

use super::{Cancel, Urgency};
use crate::os;

/// Turns Ctrl-C, SIGTERM and SIGHUP into a wish to end: the first asks, the next insists. For the whole process and for
/// good, so a program calls it once.
pub fn cancel_on_signals(cancel: &Cancel) -> io::Result<()> {
    let cancel = cancel.clone();
    os::on_end_signals(move || match cancel.urgency() {
        Urgency::None => cancel.ask(),
        Urgency::Soon | Urgency::Now => cancel.insist(),
    })
}
