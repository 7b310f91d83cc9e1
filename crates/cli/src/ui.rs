//! The one value through which commands speak: stdout is the answer, stderr the talk.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::cli::Global;
use crate::error::CliError;

/// How wide a line of a list is, at most.
pub(crate) const WIDTH: usize = 80;

pub(crate) struct Ui {
    pub(crate) global: Global,
}

impl Ui {
    pub(crate) fn new(global: Global) -> Self {
        Self { global }
    }

    /// The folder the command works in.
    pub(crate) fn dir(&self) -> Result<PathBuf, CliError> {
        let here = std::env::current_dir()
            .map_err(|source| CliError::user("cannot tell the current folder").because(source))?;
        Ok(match &self.global.dir {
            Some(dir) => here.join(dir),
            None => here,
        })
    }

    /// How this program is called once more for the same project, as a shell reads it.
    pub(crate) fn program(&self) -> String {
        match &self.global.dir {
            Some(dir) => format!("stead -C {}", shell_word(&dir.to_string_lossy())),
            None => "stead".to_owned(),
        }
    }

    /// Prints one line of the answer. A reader that has gone away is not our error.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        let mut out = io::stdout().lock();
        let _ = writeln!(out, "{}", text.as_ref());
    }

    /// Prints the answer as it is, without adding a line end.
    pub(crate) fn raw(&mut self, text: impl AsRef<str>) {
        let mut out = io::stdout().lock();
        let _ = out.write_all(text.as_ref().as_bytes());
        let _ = out.flush();
    }

    /// Prints a value as JSON, for machines.
    pub(crate) fn json(&mut self, value: &serde_json::Value) {
        self.line(serde_json::to_string_pretty(value).unwrap_or_else(|_| "null".to_owned()));
    }

    /// Says something beside the answer.
    pub(crate) fn note(&mut self, text: impl AsRef<str>) {
        let mut err = io::stderr().lock();
        let _ = writeln!(err, "{}", text.as_ref());
    }

    /// Says that something is odd but not fatal.
    pub(crate) fn warning(&mut self, text: impl AsRef<str>) {
        self.note(format!("warning: {}", text.as_ref()));
    }

    pub(crate) fn error(&mut self, error: &CliError) {
        self.note(error.render());
    }

    /// Says whether a person can be asked.
    pub(crate) fn is_interactive(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Asks a yes-or-no question; anything but yes is no.
    pub(crate) fn confirm(&mut self, question: &str) -> bool {
        let mut err = io::stderr().lock();
        let _ = write!(err, "{question} [y/N] ");
        let _ = err.flush();
        let mut answer = String::new();
        let _ = io::stdin().read_line(&mut answer);
        is_yes(&answer)
    }

    /// Reads what is answered unasked, where there is no terminal to ask at. A pipe that stays open and silent is not
    /// waited for.
    pub(crate) fn piped_answer(&self) -> Piped {
        const PATIENCE: Duration = Duration::from_secs(5);
        if io::stdin().is_terminal() {
            return Piped::Nothing;
        }
        let (send, receive) = mpsc::channel();
        thread::spawn(move || {
            let mut answer = String::new();
            let read = io::stdin().read_line(&mut answer);
            let _ = send.send(match read {
                Ok(0) => Piped::Nothing,
                Ok(_) if is_yes(&answer) => Piped::Yes,
                _ => Piped::No,
            });
        });
        receive.recv_timeout(PATIENCE).unwrap_or(Piped::Silence)
    }
}

/// An answer that came without a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piped {
    /// The input is at its end, as that of a script.
    Nothing,
    Yes,
    No,
    /// Somebody holds the input open and has not said anything yet.
    Silence,
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

/// A word as a shell reads it.
pub(crate) fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@+%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// A number with its word, which is in the plural unless there is just one.
pub(crate) fn counted(number: usize, word: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{number} {word}{end}")
}

/// A line of a list, cut where a terminal would break it.
pub(crate) fn in_width(line: &str) -> String {
    if line.chars().count() <= WIDTH {
        return line.to_owned();
    }
    line.chars().take(WIDTH - 1).chain(['…']).collect()
}
