//! Commands besides the agent: those that verify its work, and the one that counts a queue. They are in custody like an
//! agent, so that a cancelled run leaves none behind.

use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;

use stead_store::Durability;

use super::EngineError;
use super::attempt::VERIFY;
use super::iteration::IterationFiles;
use super::journal::{safe, write_json};
use super::node_end::NodeEnd;
use super::node_run::NodeRun;
use crate::context_file::Verification;
use crate::custody::{self, AgentEnd, Capture, How, Launch};
use crate::event::RunEvent;
use crate::state::{ErrorKind, seconds};

/// The time limit of a command.
const TIMEOUT: Duration = Duration::from_secs(600);

/// How much of a command's output the next agent sees.
const TAIL: u64 = 4000;

impl NodeRun<'_> {
    /// Runs the stage's commands and keeps their results for the next iteration.
    pub(super) fn verify(&self, files: &IterationFiles) -> Result<Vec<Verification>, EngineError> {
        let mut results = Vec::new();
        for (number, command) in self.node.verify.iter().enumerate() {
            let log = files.file(&format!("verify-{}.log", number + 1));
            let end = self.shell(command, &log);
            if end.how == How::Cancelled {
                break;
            }
            let green = end.how == How::Exit(0);
            let took = seconds(end.took.as_secs_f64());
            self.run.journal.tell(RunEvent::Verified {
                node: self.node.id.clone(),
                iteration: files.iteration,
                command: safe(command),
                green,
                seconds: took,
            })?;
            results.push(Verification {
                command: command.clone(),
                green,
                exit: if let How::Exit(code) = end.how { Some(code) } else { None },
                tail: tail(&log),
                seconds: took,
            });
        }
        if !results.is_empty() {
            write_json(&files.file(VERIFY), &results, Durability::Quick)?;
        }
        Ok(results)
    }

    /// Counts what is left. A queue whose command fails is not empty.
    pub(super) fn ask_queue(&self, command: &str, iteration: u32) -> Result<Result<u64, NodeEnd>, EngineError> {
        let log = self.stage_dir.join("queue.log");
        let end = self.shell(command, &log);
        let failed = |how: String| Ok(Err(NodeEnd::Failed(ErrorKind::Queue, format!("the queue's command {how}"))));
        match &end.how {
            How::Exit(0) => {}
            How::Exit(code) => return failed(format!("exited with code {code}{}", last_words(&log))),
            How::Signal(signal) => return failed(format!("was killed by signal {signal}")),
            How::Timeout => return failed(format!("took longer than {} s", TIMEOUT.as_secs())),
            How::CannotStart(why) => return failed(format!("could not start: {why}")),
            How::Cancelled => return Ok(Err(self.cancelled())),
        }
        let left = open_items(&end.said);
        self.run.journal.tell(RunEvent::QueueCounted { node: self.node.id.clone(), iteration, left, queue: None })?;
        Ok(Ok(left))
    }

    fn shell(&self, command: &str, log: &Path) -> AgentEnd {
        self.command_in(command, &self.root, log, TIMEOUT, None)
    }

    pub(super) fn command_in(
        &self,
        command: &str,
        dir: &Path,
        log: &Path,
        timeout: Duration,
        more: Option<(String, String)>,
    ) -> AgentEnd {
        let shell = if cfg!(windows) { ["cmd", "/C"] } else { ["sh", "-c"] };
        // Only the output of the last run is useful.
        let _ = fs::remove_file(log);
        let run = &self.run;
        let launch = Launch {
            argv: shell.into_iter().chain([command]).map(str::to_owned).collect(),
            stdin: Vec::new(),
            dir: dir.to_owned(),
            env: [("STEAD_RUN".to_owned(), run.plan.run.clone()), ("STEAD_STAGE".to_owned(), self.node.id.clone())]
                .into_iter()
                .chain(more)
                .collect(),
            unset: Vec::new(),
            log: log.to_owned(),
            timeout: Some(timeout),
            run_id: run.run_id.clone(),
            capture: Capture::End,
        };
        custody::run(&launch, &self.cancel)
    }
}

/// Counts the output of a queue's command: the items of a JSON list, else the lines. Trackers print a sentence when
/// nothing is left, except in JSON.
fn open_items(said: &str) -> u64 {
    match serde_json::from_str::<Option<Vec<serde_json::Value>>>(said.trim()) {
        Ok(items) => items.map_or(0, |items| items.len() as u64),
        Err(_) => said.lines().filter(|line| !line.trim().is_empty()).count() as u64,
    }
}

/// The last line of a failed command.
fn last_words(log: &Path) -> String {
    match tail(log).trim().lines().next_back() {
        Some(line) => format!(": {}", line.trim()),
        None => String::new(),
    }
}

/// The end of a command's stdout and stderr.
fn tail(log: &Path) -> String {
    let mut bytes = Vec::new();
    let read = stead_store::open_file(log).and_then(|mut file| {
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        file.take(TAIL).read_to_end(&mut bytes)
    });
    match read {
        Ok(_) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::open_items;

    #[test]
    fn items_are_counted_by_line_or_in_a_list() {
        let check = |said: &str, expected: u64| assert_eq!(open_items(said), expected, "{said:?}");
        check("", 0);
        check(" \n\n", 0);
        check("a\n\nb\n", 2);
        check("[]\n", 0);
        check("null", 0);
        check("[{\"id\": 1},\n {\"id\": 2}]", 2);
        check("[1, 2", 1);
    }
}
