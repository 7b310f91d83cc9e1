//! The line that a client shows about its session: what the agent works for, what Stead did, and what waits for the
//! person. It is spawned as often as a hook, so it reads small files only, and of logs what was appended since the last
//! time. It cannot fail: whatever cannot be read is left out.

mod tally;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use stead_client::{Harness, StatusInput};
use stead_context::{Foreground, LoopStatus, Loops};
use stead_ledger::Selection;
use stead_ledger::intent::{Compiled, Status};
use stead_model::{FileId, Reply, visible};
use stead_store::{OnAlarm, Room, find_root, ignore_broken_pipes, set_on_alarm, start_alarm};

use crate::answer::speak;
use crate::intent::CACHE;
use crate::location::Env;
use crate::payload::{self, Payload};
use crate::policy::PolicyText;
use crate::seal::SealedProject;
use tally::{Logs, Tallies, Tally};

/// The longest time to think, in seconds; then the line is empty.
const DEADLINE: u32 = 2;

/// The most characters of an intent.
const INTENT: usize = 48;

/// How a part is coloured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tone {
    Plain,
    Quiet,
    Notice,
    Alarm,
}

struct Part {
    text: String,
    tone: Tone,
}

/// A call by its command line.
pub struct StatusCall {
    pub harness: Option<Harness>,
    /// The folder that counts if the input names none; by default the current one.
    pub folder: Option<PathBuf>,
}

impl StatusCall {
    /// Reads the arguments after `stead statusline`. `None` means that a person asks for help.
    pub fn parse(args: impl Iterator<Item = OsString>) -> Option<Self> {
        let mut harness = None;
        for arg in args {
            match arg.to_str().unwrap_or_default() {
                "-h" | "--help" | "help" => return None,
                word => harness = harness.or(Harness::from_name(word)),
            }
        }
        Some(Self { harness, folder: None })
    }

    /// Prints the line and returns the exit code, which is always 0.
    pub fn answer(&self) -> u8 {
        ignore_broken_pipes();
        start_alarm(DEADLINE);
        set_on_alarm(OnAlarm::Pass);
        std::panic::set_hook(Box::new(|_| std::process::exit(0)));
        let bytes = match std::io::stdin().is_terminal() {
            true => Vec::new(),
            false => match payload::read() {
                Payload::Bytes(bytes) => bytes,
                Payload::TooBig => Vec::new(),
            },
        };
        let env: &Env = &|name| std::env::var_os(name);
        if let Some(parts) = self.look(&StatusInput::read(&payload::text(&bytes)), env) {
            let colours = self.harness.and_then(|harness| harness.client().facts.status_line.as_ref());
            let is_coloured = colours.is_some_and(|line| line.colours) && env("NO_COLOR").is_none();
            speak(&Reply { stdout: render(&parts, is_coloured) + "\n", ..Reply::default() });
        }
        0
    }

    /// What there is to say; `None` outside a project.
    fn look(&self, input: &StatusInput<'_>, env: &Env) -> Option<Vec<Part>> {
        let own = || self.folder.clone().or_else(|| std::env::current_dir().ok()).unwrap_or_default();
        let folders = input.folders().map(PathBuf::from).chain(std::iter::once_with(own));
        let found = folders.map(|folder| find_root(&folder)).find(|found| found.is_marked())?;
        let root = found.dir();
        let policy = PolicyText::load(root, env);
        let session = input.session_id.as_deref();
        let indexes = policy.indexes(root);
        let intents = policy.room(root, Room::Intents);
        let mut tallies = Tallies::read(root);
        let logs = Logs {
            sessions: indexes.join("sessions.jsonl"),
            evidence: indexes.join("evidence.jsonl"),
            intents: &intents,
        };
        if tallies.catch_up(&logs)
            && (policy.value("note", "marker").is_none() || policy.value("note", "sealed").is_some())
        {
            tallies.write(root);
        }
        let tally = tallies.of(session);
        let mut parts = vec![Part { text: "stead".to_owned(), tone: Tone::Quiet }];
        let mut say = |tone: Tone, text: Option<String>| parts.extend(text.map(|text| Part { text, tone }));
        say(Tone::Plain, intent(root, &indexes, session));
        say(Tone::Plain, progress(&policy.room(root, Room::Context), session));
        say(Tone::Alarm, counted(tally, tally.denied, "denied"));
        say(Tone::Plain, counted(tally, tally.shadow, "in shadow"));
        say(Tone::Notice, tally.is_stale().then(|| "changed since tests".to_owned()));
        let sealed = SealedProject::of(root, &policy, env).map_or(0, |sealed| sealed.waiting());
        let waiting = tallies.requests() + sealed;
        say(Tone::Notice, (waiting > 0).then(|| format!("{waiting} waiting for you")));
        Some(parts)
    }
}

/// The intent that the session selected; without a session, those in progress.
fn intent(root: &Path, indexes: &Path, session: Option<&str>) -> Option<String> {
    let named = |compiled: Option<&Compiled>, id: &str| {
        let name = compiled.and_then(|compiled| compiled.find(id)).map(|intent| intent.name().to_owned());
        let mut text = match name.filter(|name| !name.is_empty()) {
            Some(name) => format!("{id} {name}"),
            None => id.to_owned(),
        };
        if let Some((end, _)) = text.char_indices().nth(INTENT) {
            text.truncate(end);
            text.push('…');
        }
        text
    };
    let cache = root.join(CACHE);
    match session {
        Some(session) => {
            let selected = Selection::read(indexes, &FileId::check(session).ok()?, None)?;
            Some(named(Compiled::last(&cache).as_ref(), &selected.intent))
        }
        None => {
            let compiled = Compiled::last(&cache)?;
            let head = compiled.head();
            let mut open = head.intents().filter(|(_, status)| *status == Status::InProgress);
            let first = open.next()?.0;
            Some(match open.count() {
                0 => named(Some(&compiled), first),
                more => format!("{} intents", more + 1),
            })
        }
    }
}

/// How far the session's loop is; without a session, any.
fn progress(context: &Path, session: Option<&str>) -> Option<String> {
    let loops = Loops::of_room(context);
    let id = match (loops.foreground(session.unwrap_or_default()).ok()?, session) {
        (Foreground::Own { id }, _) | (Foreground::Others { id }, None) => id,
        _ => return None,
    };
    let state = loops.read(&id).ok()?.state;
    let most = if state.max_iterations == 0 { String::new() } else { format!("/{}", state.max_iterations) };
    (state.status == LoopStatus::Active).then(|| format!("loop {}{most}", state.iteration))
}

fn counted(tally: &Tally, count: u64, what: &str) -> Option<String> {
    let more = if tally.is_whole { "" } else { "+" };
    (count > 0).then(|| format!("{count}{more} {what}"))
}

/// One line, without anything that a terminal obeys besides our own colours.
fn render(parts: &[Part], is_coloured: bool) -> String {
    let mut line = String::new();
    for (at, part) in parts.iter().enumerate() {
        let words = part.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let code = match part.tone {
            Tone::Plain => "",
            Tone::Quiet => "2",
            Tone::Notice => "33",
            Tone::Alarm => "31",
        };
        line.push_str(if at > 0 { " · " } else { "" });
        match is_coloured && !code.is_empty() {
            true => line.extend(["\u{1b}[", code, "m", &visible(&words), "\u{1b}[0m"]),
            false => line.push_str(&visible(&words)),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_colours_reach_a_terminal() {
        let part = |text: &str, tone| Part { text: text.to_owned(), tone };
        let parts = [
            part("stead", Tone::Quiet),
            part("a\u{1b}[2J\n\u{202e}b \u{9b}31m", Tone::Plain),
            part("1 denied", Tone::Alarm),
        ];
        assert_eq!(render(&parts, false), "stead · a\\u{1b}[2J \\u{202e}b \\u{9b}31m · 1 denied");
        assert_eq!(
            render(&parts, true),
            "\u{1b}[2mstead\u{1b}[0m · a\\u{1b}[2J \\u{202e}b \\u{9b}31m · \u{1b}[31m1 denied\u{1b}[0m"
        );
    }
}
