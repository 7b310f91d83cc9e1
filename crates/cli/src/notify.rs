//! Tells a person that a run ended, failed, is blocked on them or waits for a quota: by a command of theirs, or by the
//! terminal itself. Both are off by default. What is told has no secrets, and nothing of it is run by a shell.

use std::io::{IsTerminal, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread::sleep;
use std::time::{Duration, Instant};

use stead_model::visible;
use stead_pipeline::{EventLine, NodeStatus, Observer, RunEvent, RunStatus, shell};
use stead_store::redact;

use crate::progress::one_line;
use crate::project::Project;
use crate::trusting::refuse_setting;

/// How long the person's command may take once the run has ended.
const PATIENCE: Duration = Duration::from_secs(10);

const PAUSE: Duration = Duration::from_millis(20);

/// How long a message is at most.
const LONGEST: usize = 300;

const COMMAND: &str = "notify.command";
const TERMINAL: &str = "notify.terminal";

/// Tells what happens in one run.
pub(crate) struct Notifier<'a> {
    run: &'a str,
    /// The person's shell command.
    command: Option<String>,
    terminal: Osc,
    /// Several stages: one may wait while the others work.
    is_parallel: bool,
    children: Mutex<Vec<Child>>,
}

/// How a terminal is asked to notify.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Osc {
    Off,
    Nine,
    SevenSevenSeven,
}

impl Osc {
    fn of(project: &Project) -> Self {
        match project.config.text(TERMINAL) {
            "osc9" => Self::Nine,
            "osc777" => Self::SevenSevenSeven,
            _ => Self::Off,
        }
    }

    /// The sequence that shows this text.
    fn sequence(self, text: &str) -> Option<String> {
        match self {
            Self::Off => None,
            Self::Nine => Some(format!("\u{1b}]9;{text}\u{7}")),
            // A semicolon would end the title.
            Self::SevenSevenSeven => Some(format!("\u{1b}]777;notify;stead;{}\u{7}", text.replace(';', ","))),
        }
    }
}

/// The command that a person set, if the file that sets it is trusted.
pub(crate) fn command(project: &Project) -> Option<String> {
    let command = project.config.text(COMMAND).trim();
    (!command.is_empty() && refuse_setting(project, COMMAND).is_ok()).then(|| command.to_owned())
}

impl<'a> Notifier<'a> {
    pub(crate) fn new(project: &Project, run: &'a str, stages: usize) -> Self {
        let (command, terminal) = (command(project), Osc::of(project));
        Self { run, command, terminal, is_parallel: stages > 1, children: Mutex::new(Vec::new()) }
    }

    /// Tells how the run ended, and waits a little for the command.
    pub(crate) fn ended(&self, status: RunStatus, reason: Option<&str>) {
        let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        self.tell(status.name(), &format!("{}{reason}", status.name()));
        let deadline = Instant::now() + PATIENCE;
        let mut children = self.children.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        while children.iter_mut().any(|child| matches!(child.try_wait(), Ok(None))) && Instant::now() < deadline {
            sleep(PAUSE);
        }
    }

    fn tell(&self, event: &str, text: &str) {
        let text = message(&format!("{}: {text}", self.run));
        if let Some(command) = &self.command {
            // What agents wrote reaches the command as data only.
            let words = shell(command);
            let child = Command::new(&words[0])
                .args(&words[1..])
                .env("STEAD_RUN", &*redact(self.run))
                .env("STEAD_EVENT", event)
                .env("STEAD_MESSAGE", &text)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            self.children.lock().unwrap_or_else(std::sync::PoisonError::into_inner).extend(child);
        }
        ring(self.terminal, &text);
    }
}

impl Observer for Notifier<'_> {
    fn event(&self, line: &EventLine) {
        match &line.event {
            RunEvent::Waiting { node, until, .. } => {
                self.tell("waiting", &format!("`{node}` waits for its provider's quota until {until}"));
            }
            // The others go on, so the end of the run may be hours away.
            RunEvent::StageEnded { node, status, why, .. } if self.is_parallel => match status {
                NodeStatus::Failed | NodeStatus::Blocked | NodeStatus::Unverified => {
                    self.tell(status.name(), &format!("`{node}` {}: {why}", status.name()));
                }
                _ => {}
            },
            _ => {}
        }
    }
}

/// Lets the terminal tell something, if its person wants that.
pub(crate) fn bell(project: &Project, text: &str) {
    ring(Osc::of(project), &message(text));
}

fn ring(terminal: Osc, text: &str) {
    let mut err = std::io::stderr();
    if let Some(sequence) = terminal.sequence(text).filter(|_| err.is_terminal()) {
        let _ = err.write_all(sequence.as_bytes());
        let _ = err.flush();
    }
}

/// A text on one line, without secrets and without anything that a terminal obeys.
fn message(text: &str) -> String {
    one_line(&visible(&redact(text)), LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_can_neither_leak_nor_end_its_sequence() {
        let text =
            message("it \u{1b}]0;owned\u{7} failed\nwith sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF; see");
        assert!(!text.contains(['\u{1b}', '\u{7}', '\n']) && !text.contains("abcdefghijklmnop"), "{text}");
        assert_eq!(Osc::Off.sequence(&text), None);
        assert!(Osc::SevenSevenSeven.sequence("a; b").unwrap().ends_with("stead;a, b\u{7}"));
    }
}
