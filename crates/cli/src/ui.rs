//! The output of commands: answers on stdout, everything else on stderr.

mod tone;

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use stead_model::{is_hidden, visible};
use stead_store::terminal_columns;

use crate::answer::{self, Shape};
use crate::cli::Global;
use crate::error::CliError;
use crate::project::now;
use crate::session::Caller;

pub(crate) use tone::Tone;

/// The default width of a line.
const WIDTH: usize = 80;

pub(crate) struct Ui {
    pub(crate) global: Global,
    pub(crate) caller: Caller,
    /// Collects the answer instead of printing it.
    captured: Option<Captured>,
    /// Standard error is read by a program, too.
    is_json: bool,
}

/// What this program prints goes to the log of an engine in the background.
static IS_LOG: AtomicBool = AtomicBool::new(false);

/// Returns true if what this program prints is a log, whose lines have their time.
pub(crate) fn is_engine_log() -> bool {
    IS_LOG.load(Ordering::Relaxed)
}

/// The time in front of a line of a log.
pub(crate) fn stamp(time: &str) -> String {
    format!("{}Z ", time.get(..19).unwrap_or(time))
}

/// The answer of a command that was not printed.
#[derive(Default)]
pub(crate) struct Captured {
    pub(crate) json: Option<Value>,
    pub(crate) text: String,
}

impl Ui {
    /// `words` are those that were typed after the name of the program.
    pub(crate) fn new(global: Global, is_json: bool, words: Vec<OsString>) -> Self {
        IS_LOG.store(global.log_times, Ordering::Relaxed);
        let words = words.into_iter().map(|word| word.to_string_lossy().into_owned()).collect();
        Self { global, caller: Caller::Words(words), captured: None, is_json }
    }

    /// For a command that another program calls: nothing is printed, and nobody can be asked.
    pub(crate) fn capturing(global: Global, caller: Caller) -> Self {
        Self { global, caller, captured: Some(Captured::default()), is_json: false }
    }

    /// What a command answered.
    pub(crate) fn captured(self) -> Captured {
        self.captured.unwrap_or_default()
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

    /// The shell command that calls this program again for the same project.
    pub(crate) fn program(&self) -> String {
        match &self.global.dir {
            Some(dir) => format!("stead -C {}", shell_word(&dir.to_string_lossy())),
            None => "stead".to_owned(),
        }
    }

    /// The width of the terminal that the answer is printed on, if it is.
    pub(crate) fn columns(&self) -> Option<usize> {
        let out = io::stdout();
        (self.captured.is_none() && out.is_terminal()).then(|| terminal_columns(&out).map_or(WIDTH, usize::from))
    }

    /// Prints one line of the answer, on a terminal wrapped at spaces to its width. A closed pipe is not an error.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        self.lines(&[text.as_ref()]);
    }

    /// Prints lines of the answer, all at once.
    pub(crate) fn lines(&mut self, lines: &[impl AsRef<str>]) {
        if let Some(captured) = &mut self.captured {
            for line in lines {
                captured.text += &visible(line.as_ref());
                captured.text.push('\n');
            }
            return;
        }
        let mut out = io::stdout().lock();
        let width = out.is_terminal().then(|| terminal_columns(&out).map_or(WIDTH, usize::from));
        let mut text = String::new();
        for line in lines {
            text.push_str(&stamped());
            text.push_str(&wrapped(&visible(line.as_ref()), width));
            text.push('\n');
        }
        let _ = out.write_all(text.as_bytes());
        let _ = out.flush();
    }

    /// Prints one line of pieces that are coloured where colours are shown, otherwise as [`Ui::line`] does.
    pub(crate) fn coloured(&mut self, pieces: &[(Tone, &str)]) {
        let is_shown = self.captured.is_none() && !is_engine_log() && tone::is_shown(&io::stdout());
        if !is_shown {
            return self.line(pieces.iter().map(|(_, text)| *text).collect::<String>());
        }
        let text: String = pieces.iter().map(|(tone, text)| tone.paint(&visible(text))).collect();
        let mut out = io::stdout().lock();
        let width = out.is_terminal().then(|| terminal_columns(&out).map_or(WIDTH, usize::from));
        let _ = writeln!(out, "{}", wrapped(&text, width));
        let _ = out.flush();
    }

    /// Prints a text without wrapping it or adding a newline.
    pub(crate) fn raw(&mut self, text: impl AsRef<str>) {
        if let Some(captured) = &mut self.captured {
            captured.text += &visible(text.as_ref());
            return;
        }
        let mut out = io::stdout().lock();
        let _ = out.write_all(visible(text.as_ref()).as_bytes());
        let _ = out.flush();
    }

    /// Prints an answer as JSON, for machines.
    pub(crate) fn json(&mut self, shape: Shape, answer: &Value) {
        self.value(shape.envelope(answer.clone()));
    }

    /// Prints SARIF, whose shape is not ours.
    pub(crate) fn sarif(&mut self, log: Value) {
        self.value(log);
    }

    /// Control characters stay in it, escaped.
    fn value(&mut self, value: Value) {
        if let Some(captured) = &mut self.captured {
            captured.json = Some(value);
            return;
        }
        let text = serde_json::to_string_pretty(&value).unwrap_or_else(|_| "null".to_owned());
        let mut out = io::stdout().lock();
        let _ = writeln!(out, "{}", escaped(&text));
    }

    /// Prints a message that is not part of the answer.
    pub(crate) fn note(&mut self, text: impl AsRef<str>) {
        let text = text.as_ref();
        match self.is_json {
            true => self.message("note", text.strip_prefix("note: ").unwrap_or(text)),
            false => self.talk(text),
        }
    }

    /// Prints a warning.
    pub(crate) fn warning(&mut self, text: impl AsRef<str>) {
        match self.is_json {
            true => self.message("warning", text.as_ref()),
            false => self.talk(&format!("warning: {}", text.as_ref())),
        }
    }

    pub(crate) fn error(&mut self, error: &CliError) {
        match self.is_json {
            true => self.talk_json(&error.as_json()),
            false => self.talk(&error.render()),
        }
    }

    fn message(&mut self, level: &str, text: &str) {
        let message = json!({"level": level, "text": text});
        self.talk_json(&answer::MESSAGE.envelope(json!({"message": message})));
    }

    /// Prints one object as a line.
    fn talk_json(&mut self, value: &Value) {
        if self.captured.is_none() {
            let _ = writeln!(io::stderr().lock(), "{}", escaped(&value.to_string()));
        }
    }

    fn talk(&mut self, text: &str) {
        if self.captured.is_some() {
            return;
        }
        let mut err = io::stderr().lock();
        let width = err.is_terminal().then(|| terminal_columns(&err).map_or(WIDTH, usize::from));
        let _ = writeln!(err, "{}{}", stamped(), wrapped(&visible(text), width));
    }

    /// Returns true if a person can be asked.
    pub(crate) fn is_interactive(&self) -> bool {
        self.has_stdin() && io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Returns true if standard input belongs to the command.
    pub(crate) fn has_stdin(&self) -> bool {
        self.captured.is_none()
    }

    /// Asks a question and returns the answer without blanks around it; `None` if the input ended.
    pub(crate) fn ask(&mut self, question: &str) -> Option<String> {
        let mut err = io::stderr().lock();
        let _ = write!(err, "{}", visible(question));
        let _ = err.flush();
        let mut answer = String::new();
        match io::stdin().read_line(&mut answer) {
            Ok(1..) => Some(answer.trim().to_owned()),
            _ => None,
        }
    }

    /// Asks a yes-or-no question; anything but yes is no.
    pub(crate) fn confirm(&mut self, question: &str) -> bool {
        let mut err = io::stderr().lock();
        let _ = write!(err, "{} [y/N] ", visible(question));
        let _ = err.flush();
        let mut answer = String::new();
        let _ = io::stdin().read_line(&mut answer);
        is_yes(&answer)
    }

    /// Reads an answer from standard input if there is no terminal to ask at. Does not wait for a pipe without data.
    pub(crate) fn piped_answer(&self) -> Piped {
        const PATIENCE: Duration = Duration::from_secs(5);
        if !self.has_stdin() || io::stdin().is_terminal() {
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

/// The time in front of a line, if it goes to a log.
fn stamped() -> String {
    if is_engine_log() { stamp(&now()) } else { String::new() }
}

/// An answer that was read without a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piped {
    /// The input is empty, as in a script.
    Nothing,
    Yes,
    No,
    /// The input is open, but no data arrived.
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

/// A number with its noun, in the plural unless the number is 1.
pub(crate) fn counted(number: usize, word: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{number} {word}{end}")
}

/// Escapes what JSON leaves as it is and a terminal obeys, or nobody sees.
fn escaped(json: &str) -> Cow<'_, str> {
    if !json.contains(is_hidden) {
        return Cow::Borrowed(json);
    }
    let mut units = [0; 2];
    let mut escape = |c: char| match is_hidden(c) {
        true => c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
        false => c.to_string(),
    };
    Cow::Owned(json.chars().map(&mut escape).collect::<Vec<String>>().concat())
}

/// Breaks long lines at spaces and indents the rest. Words are never broken. Colours take no room.
fn wrapped(text: &str, width: Option<usize>) -> Cow<'_, str> {
    const INDENT: usize = 4;
    let Some(width) = width.filter(|width| text.lines().any(|line| tone::columns(line) > *width)) else {
        return Cow::Borrowed(text);
    };
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches(' ').len() + INDENT;
        let mut used = 0;
        let mut rest = line;
        while !rest.is_empty() {
            // Spaces stay before their word, so that columns stay aligned.
            let blanks = rest.len() - rest.trim_start_matches(' ').len();
            let end = rest[blanks..].find(' ').map_or(rest.len(), |length| blanks + length);
            let (word, behind) = rest.split_at(end);
            let length = tone::columns(word.trim_end_matches('\n'));
            if used > 0 && used + length > width && indent < width {
                out.push_str(&format!("\n{:indent$}{}", "", word.trim_start_matches(' ')));
                used = indent + length - blanks;
            } else {
                out.push_str(word);
                used += length;
            }
            rest = behind;
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_nothing_that_a_terminal_obeys() {
        let json =
            serde_json::to_string_pretty(&serde_json::json!({"a": "\u{1b}[2J\u{9b}x\n\u{202e}\u{e0041}"})).unwrap();
        let safe = escaped(&json);
        assert!(!safe.contains(is_hidden), "{safe}");
        assert_eq!(serde_json::from_str::<Value>(&safe).unwrap()["a"], "\u{1b}[2J\u{9b}x\n\u{202e}\u{e0041}");
    }

    #[test]
    fn lines_are_broken_at_blanks_only() {
        let check = |text: &str, width, expected: &str| assert_eq!(wrapped(text, width), expected);
        check("one two three", None, "one two three");
        check("one two three", Some(13), "one two three");
        check("one two three", Some(9), "one two\n    three");
        check("id      mode    a reason", Some(16), "id      mode\n    a reason");
        check("  - one two three", Some(12), "  - one two\n      three");
        check("short\none two three\nend", Some(9), "short\none two\n    three\nend");
        check("a-word-too-wide-for-it", Some(9), "a-word-too-wide-for-it");
        check("see a-word-too-wide-for-it now", Some(9), "see\n    a-word-too-wide-for-it\n    now");
        check("\u{1b}[1mone\u{1b}[0m two", Some(7), "\u{1b}[1mone\u{1b}[0m two");
        check("\u{1b}[1mone\u{1b}[0m two three", Some(9), "\u{1b}[1mone\u{1b}[0m two\n    three");
    }
}
