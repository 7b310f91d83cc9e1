use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};

use super::super::spawn::{self, Cost};

/// One run of many iterations, measured as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Race {
    pub(super) iterations: u64,
    /// What the engine used up itself.
    pub(super) own: Duration,
    /// What the agents used up, and whatever else it started.
    pub(super) agents: Duration,
    pub(super) wall: Duration,
    /// When it was started, since 1970.
    pub(super) begun: Duration,
}

impl Race {
    /// Runs the command and expects it to end with `code`, and the last of its iterations to have left its status.
    pub(super) fn run(command: &mut Command, code: i32, iterations: u64, run: &Path) -> Result<Self> {
        let begun = UNIX_EPOCH.elapsed().unwrap_or_default();
        let start = Instant::now();
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start `{}`", command.get_program().display()))?;
        let (ended, Cost { cpu, children, .. }) = spawn::reap(child)?;
        let wall = start.elapsed();
        ensure!(ended == Some(code), "`{}` ended with {ended:?} and not {code}", crate::program::spell(command));
        let last = status(run, iterations);
        ensure!(last.is_file(), "there is no `{}`", last.display());
        Ok(Self { iterations, own: cpu.saturating_sub(children), agents: children, wall, begun })
    }

    pub(super) fn own_each(&self) -> Duration {
        each(self.own, self.iterations)
    }

    pub(super) fn agents_each(&self) -> Duration {
        each(self.agents, self.iterations)
    }

    pub(super) fn wall_each(&self) -> Duration {
        each(self.wall, self.iterations)
    }
}

fn status(run: &Path, iteration: u64) -> PathBuf {
    run.join("stage-00-noop/iterations").join(format!("{iteration:03}")).join("status.json")
}

fn each(whole: Duration, iterations: u64) -> Duration {
    Duration::from_secs_f64(whole.as_secs_f64() / iterations.max(1) as f64)
}

/// Removes what an earlier benchmark left.
pub(super) fn clear(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove `{}`", folder.display()))
        }
        _ => Ok(()),
    }
}
