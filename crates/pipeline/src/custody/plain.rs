//! Custody on systems where only the program itself can be watched and ended: no descendants, no signals.

use std::fs::File;
use std::io::{self, Read, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::agent_end::{AgentEnd, How};
use super::bounds::Bounds;
use super::captured::Captured;
use super::launch::Launch;
use super::log::{Log, Voice};
use super::{Cancel, Urgency};
use crate::os::Process;

/// The longest pause between two polls of the program.
const NAP: Duration = Duration::from_millis(50);

/// A process of an earlier engine's agent that was killed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    pub pid: u32,
    pub command: String,
    pub was_killed: bool,
}

/// Processes cannot be listed on this system.
pub fn end_survivors(_: &str, _: &Cancel) -> Vec<Ended> {
    Vec::new()
}

/// Processes cannot be listed on this system.
pub fn count_survivors(_: &str) -> usize {
    0
}

/// Processes cannot be listed on this system.
pub(crate) fn living_engine(_: &str) -> Option<Process> {
    None
}

/// Starts an agent and returns when it ended: by itself, because its time was up, or because of a cancellation.
pub fn run(launch: &Launch, cancel: &Cancel) -> AgentEnd {
    if cancel.is_set() {
        return AgentEnd::without_start(How::Cancelled);
    }
    attend(launch, cancel).unwrap_or_else(|error| AgentEnd::without_start(How::CannotStart(error.to_string())))
}

fn attend(launch: &Launch, cancel: &Cancel) -> io::Result<AgentEnd> {
    let since = Instant::now();
    let [program, args @ ..] = launch.argv.as_slice() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "there is no program to start"));
    };
    let (mut log, mut said) = (Log::open(&launch.log, &Bounds::USUAL)?, Captured::new(launch.capture));
    let voices = [launch.log.with_extension("stdout"), launch.log.with_extension("stderr")];
    let mut command = Command::new(program);
    command.args(args).current_dir(&launch.dir).stdin(Stdio::piped());
    for name in &launch.unset {
        command.env_remove(name);
    }
    command.envs(launch.env.iter().map(|(name, value)| (name, value))).env("STEAD_RUN_ID", &launch.run_id);
    command.stdout(File::create(&voices[0])?).stderr(File::create(&voices[1])?);
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        let prompt = launch.stdin.clone();
        thread::spawn(move || stdin.write_all(&prompt));
    }
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Ok(status);
        }
        if cancel.urgency() > Urgency::None {
            break Err(How::Cancelled);
        }
        if launch.timeout.is_some_and(|timeout| since.elapsed() >= timeout) {
            break Err(How::Timeout);
        }
        cancel.wait(NAP);
    };
    let how = status.map(|status| How::Exit(status.code().unwrap_or(-1))).unwrap_or_else(|how| {
        let _ = child.kill();
        let _ = child.wait();
        how
    });
    for (path, is_stdout) in voices.iter().zip([true, false]) {
        let mut file = File::open(path)?;
        let mut block = vec![0; 64 << 10];
        while let Ok(length @ 1..) = file.read(&mut block) {
            log.take(if is_stdout { Voice::Output } else { Voice::Errors }, &block[..length]);
            if is_stdout {
                said.take(&block[..length]);
            }
        }
        let _ = std::fs::remove_file(path);
    }
    let (left_out, log_error) = log.finish();
    Ok(AgentEnd { how, took: since.elapsed(), left_behind: 0, said: said.finish(), left_out, log_error })
}
