//! What a run on the feature list adds to its agents: the mock answers at once, so all that is left is Stead's own work
//! and one verifier per feature.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

/// How many features the two runs have.
pub(super) const FEW: u32 = 50;
pub(super) const MANY: u32 = 200;

/// A feature is implemented, then tested.
const TRANSITIONS: u32 = 2;

/// What one transition took, by the number of features.
#[derive(Clone, Copy)]
pub(super) struct FeatureRuns {
    pub(super) few: Duration,
    pub(super) many: Duration,
}

/// Writes a list of pending features and their files.
pub(super) fn write(project: &Path, count: u32) -> Result<()> {
    let folder = project.join(".agent/features");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    let mut list = "{\"features\": [".to_owned();
    for number in 0..count {
        let comma = if number == 0 { "" } else { "," };
        fs::write(project.join(format!("feature-{number}.txt")), "good\n")?;
        write!(
            list,
            "{comma}\n{{\"id\": \"f{number}\", \"title\": \"Feature {number}\", \"status\": \"pending\", \
             \"files\": [\"feature-{number}.txt\"], \"verifiers\": [\"cat feature-{number}.txt\"]}}"
        )?;
    }
    list.push_str("\n]}\n");
    fs::write(folder.join("feature-list.json"), list).context("cannot write the feature list")
}

/// Runs `stead orchestrate` and returns what one transition took.
pub(super) fn measure(command: &mut Command, count: u32) -> Result<Duration> {
    let start = Instant::now();
    let output = command.stdin(Stdio::null()).output().context("cannot start stead")?;
    let took = start.elapsed();
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success() && said.contains(&format!("\"tested\": {count}")),
        "`{}` answered `{said}{}`",
        crate::program::spell(command),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(took / (count * TRANSITIONS))
}
