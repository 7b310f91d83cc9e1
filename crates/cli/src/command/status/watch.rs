use std::thread::sleep;
use std::time::Duration;

use stead_pipeline::{EventLine, Observer, RunFolder};

use crate::error::CliError;
use crate::log::Log;
use crate::progress::{Manner, Progress};

const PAUSE: Duration = Duration::from_millis(150);

/// Shows what another process does with the run, until it has ended.
pub(super) fn until_it_ends(folder: &RunFolder, json: bool) -> Result<(), CliError> {
    let plan = folder.plan()?;
    let manner = if json { Manner::Silent } else { Manner::for_people() };
    let progress = Progress::new(&plan, manner, 0.0);
    let mut log = Log::from_start(&folder.events_path());
    // Past events are recorded but not shown.
    progress.hush(true);
    loop {
        // Checked before the last read, so that nothing is missed in between.
        let live = folder.engine().is_some();
        let mut quiet = true;
        while let Some(lines) = log.lines() {
            quiet = false;
            lines
                .iter()
                .filter_map(|line| serde_json::from_str::<EventLine>(line).ok())
                .for_each(|line| progress.event(&line));
        }
        progress.hush(false);
        if !live {
            progress.finish();
            return Ok(());
        }
        if quiet {
            sleep(PAUSE);
        }
    }
}
