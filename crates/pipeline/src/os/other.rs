//! Starting and ending processes on systems without Unix process groups.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often several bells are polled.
const LOOK_AROUND: Duration = Duration::from_millis(100);

/// Wakes all who wait for it, once and for good.
#[derive(Debug, Default)]
pub(crate) struct Bell(Mutex<bool>, Condvar);

impl Bell {
    pub(crate) fn ring(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.1.notify_all();
    }

    /// Waits for any of them.
    pub(crate) fn wait(bells: &[&Self], time: Duration) {
        let since = Instant::now();
        let Some(first) = bells.first() else { return };
        while since.elapsed() < time && !bells.iter().any(|bell| bell.has_rung()) {
            let rung = first.0.lock().unwrap_or_else(PoisonError::into_inner);
            let left = time.saturating_sub(since.elapsed()).min(LOOK_AROUND);
            drop(first.1.wait_timeout(rung, left));
        }
    }

    fn has_rung(&self) -> bool {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn open_log(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}

/// File names decide on this system.
pub(crate) fn may_run(_: &std::fs::Metadata) -> bool {
    true
}

pub(crate) fn open_shared(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

pub(crate) fn open_to_look(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// An open file cannot lose its name on this system.
pub(crate) fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// There are no sessions on this system.
pub(crate) fn lead_session(_: &mut std::process::Command) {}

/// There are no signals to handle; Ctrl-C ends this program.
pub(crate) fn on_end_signals(_: impl FnMut() + Send + 'static) -> io::Result<()> {
    Ok(())
}
