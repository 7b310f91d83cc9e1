use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::program;

/// Counts the processes that a command starts, itself left out, by watching its system calls. Threads are none.
pub(super) fn count(command: &Command, folder: &Path) -> Result<u64> {
    let log = folder.join("launches.txt");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-e", "trace=clone,clone3,fork,vfork", "-o"]).arg(&log);
    strace.arg(command.get_program()).args(command.get_args()).env_clear();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            strace.env(name, value);
        }
    }
    program::read(&mut strace)?;
    let text = fs::read_to_string(&log).with_context(|| format!("cannot read `{}`", log.display()))?;
    Ok(launches(&text))
}

/// Counts a command whose launches are known, so that a tool which sees nothing is not taken for an engine that starts
/// nothing.
pub(super) fn prove(folder: &Path) -> Result<()> {
    let mut known = Command::new("/bin/sh");
    known.args(["-c", "/bin/true; /bin/true; /bin/true; exit 0"]);
    let counted = count(&known, folder)?;
    ensure!(counted == 3, "strace saw {counted} launches of a shell that makes 3");
    Ok(())
}

fn launches(trace: &str) -> u64 {
    let starts = |line: &&str| {
        let call = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
        ["clone(", "clone3(", "fork(", "vfork("].iter().any(|name| call.starts_with(name))
            && !call.contains("CLONE_THREAD")
            && !call.contains("= -1 ")
    };
    trace.lines().filter(starts).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_counted_and_threads_are_not() {
        let trace = "\
            10 clone3({flags=CLONE_VM|CLONE_THREAD|CLONE_SYSVSEM, exit_signal=0} => {parent_tid=[11]}, 88) = 11\n\
            10 clone3({flags=CLONE_VM|CLONE_VFORK, exit_signal=SIGCHLD} <unfinished ...>\n\
            10 <... clone3 resumed>) = 12\n\
            12 vfork() = 13\n\
            13 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 14\n\
            13 clone(child_stack=NULL, flags=SIGCHLD) = -1 EAGAIN (Resource temporarily unavailable)\n\
            14 +++ exited with 0 +++\n";
        assert_eq!(launches(trace), 3);
    }
}
