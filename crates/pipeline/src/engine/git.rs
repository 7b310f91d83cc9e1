//! Git, as far as the engine needs it: a worktree for a branch of the run.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Variables that would lead git to another repository.
const MISLEADING: [&str; 7] = [
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY",
    "GIT_NAMESPACE",
];

/// Runs git in a folder and returns its output without the line end. `Err` is its error message.
pub(crate) fn git(dir: &Path, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new("git");
    command.arg("-C").arg(dir).args(arguments).stdin(Stdio::null()).env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
    for name in MISLEADING {
        command.env_remove(name);
    }
    match command.output() {
        Ok(output) if output.status.success() => Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let lines = || said.trim().lines();
            // Advice may follow the error.
            let complaint = lines().find(|line| line.starts_with("fatal: ")).or_else(|| lines().next_back());
            Err(complaint.unwrap_or("git failed without a message").to_owned())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err("git is not installed".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
