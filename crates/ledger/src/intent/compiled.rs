//! The compiled intents: one small text with an index by id, so that a hook call parses no YAML and reads only the
//! intent that its session selected. It is recompiled when the intents file or the ignore file changed.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use memchr::{memchr, memchr_iter, memmem};
use stead_model::pieces;
use stead_pattern::{Pattern, expand};
use stead_store::{Durability, Exact, cache_time, file_stamp, is_untouched, open_cache, replace_creating};

use super::ignore::{IntentIgnore, frees};
use super::item::{Constraint, Intent, Status};
use super::scope::{Reach, leads_to, owns};
use super::{IGNORE, INTENTS, IntentFile};
use crate::LedgerError;

/// How the line of an intent starts, after the end of the line before it.
const START: &str = "\nintent\t";

/// The number of the line that says whether there are intents; before it are the first line and those of the sources.
const STATE: usize = 3;

/// A file compiled by another version is not used.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "-3");

/// A file that changed this shortly before compilation may have changed again with the same stamp.
const RACY: Duration = Duration::from_millis(50);

/// How many bytes are read at once; a longer index is read completely, intents one by one.
const FIRST_READ: usize = 4 * 1024;

/// The compiled intents of a project.
pub struct Compiled {
    /// Everything before the intents themselves. Only the parts that a call needs are checked to be text.
    head: Vec<u8>,
    /// Where the first intent starts in it.
    before: usize,
    bodies: Bodies,
}

enum Bodies {
    Text(String),
    File { file: File, start: u64 },
}

/// The part of the text before the intents.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    all: &'a [u8],
    /// The lines about the sources and of the ignore file.
    before: &'a str,
}

/// One intent as the gate needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledIntent {
    pub id: String,
    pub status: Status,
    /// The fields, and the patterns of the scope behind them.
    text: String,
    scope: usize,
}

impl Compiled {
    /// Reads the compiled intents from `cache`, or compiles those of a room.
    pub fn load(cache: &Path, room: &Path) -> Self {
        Self::load_with(cache, room, &|_| None)
    }

    /// The same, with texts that count in place of files of the room.
    pub fn load_with(cache: &Path, room: &Path, instead: &dyn Fn(&Path) -> Option<String>) -> Self {
        if let Some(fresh) = Self::read(cache, Some(room)) {
            return fresh;
        }
        let made = Self::make(room, instead);
        if let Bodies::Text(bodies) = &made.bodies {
            // If the project is read-only, intents are compiled for each call, which is only slower.
            let text = [made.head.as_slice(), bodies.as_bytes()].concat();
            let _ = replace_creating(cache, Exact::Compiled.bytes(&text), Durability::Quick);
        }
        made
    }

    pub fn head(&self) -> Head<'_> {
        Head { all: &self.head, before: text(self.head.get(..self.before).unwrap_or_default()) }
    }

    /// Finds an intent. `None` if there is none with this id, or its text cannot be read.
    pub fn find(&self, id: &str) -> Option<CompiledIntent> {
        let Entry { status, at, length, scope, .. } = self.head().entry(id)?;
        let text = match &self.bodies {
            Bodies::Text(text) => text.get(at..at.checked_add(length)?)?.to_owned(),
            Bodies::File { file, start } => {
                let mut bytes = vec![0; length];
                let mut file = file;
                file.seek(SeekFrom::Start(start.checked_add(at as u64)?)).ok()?;
                file.read_exact(&mut bytes).ok()?;
                String::from_utf8(bytes).ok()?
            }
        };
        text.is_char_boundary(scope).then_some(())?;
        Some(CompiledIntent { id: id.to_owned(), status, text, scope })
    }

    /// Reads what was compiled last, which may be out of date: to be shown, not to decide.
    pub fn last(cache: &Path) -> Option<Self> {
        Self::read(cache, None)
    }

    /// Reads what was compiled, if it is up to date with a room.
    fn read(cache: &Path, room: Option<&Path>) -> Option<Self> {
        let (file, data) = open_cache(cache)?;
        let mut bytes = Vec::with_capacity(FIRST_READ);
        (&file).take(FIRST_READ as u64).read_to_end(&mut bytes).ok()?;
        let line_end = memchr(b'\n', &bytes)?;
        let line = std::str::from_utf8(&bytes[..line_end]).ok()?;
        let mut fields = pieces(line.strip_prefix("stead-intents\t")?, b'\t');
        let (version, compiled) = (fields.next()?, fields.next()?.parse().ok()?);
        let before: usize = fields.next()?.parse().ok()?;
        let (size, whole): (usize, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        let written = fields.next()?.parse().ok()?;
        // A torn file has another length.
        if version != VERSION || size < line_end || data.len() != whole || !is_untouched(&data, written) {
            return None;
        }
        if bytes.len() < size {
            let known = bytes.len();
            bytes.resize(size, 0);
            (&file).read_exact(&mut bytes[known..]).ok()?;
        }
        bytes.truncate(size);
        let sources = text(bytes.get(line_end + 1..before)?);
        if let Some(room) = room {
            is_fresh(sources, room, Duration::from_nanos(compiled))?;
        }
        Some(Self { bodies: Bodies::File { file, start: size as u64 }, head: bytes, before })
    }

    fn make(room: &Path, instead: &dyn Fn(&Path) -> Option<String>) -> Self {
        // Taken before the files are read: a change in between makes the text stale, not wrong.
        let now = UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
        let mut rest = [INTENTS, IGNORE].map(|name| source_line(&room.join(name))).concat();
        let (mut index, mut bodies) = (String::new(), String::new());
        let path = room.join(INTENTS);
        let file = match instead(&path) {
            Some(text) => IntentFile::of_bytes(path, text.into_bytes()),
            None => IntentFile::read(room),
        };
        let ignore = match instead(&room.join(IGNORE)) {
            Some(text) => IntentIgnore::parse(&text),
            None => IntentIgnore::read(room),
        };
        match (file, ignore) {
            (Ok(file), Ok(ignore)) => {
                rest.push_str("whole\n");
                rest.extend(ignore.free.iter().map(|pattern| format!("free\t{pattern}\n")));
                rest.extend(ignore.barred.iter().map(|id| format!("bars\t{}\n", one_line(id))));
                for intent in &file.intents {
                    let (body, scope) = body(intent);
                    let (id, status, at) = (&intent.id, intent.status.name(), bodies.len());
                    index.push_str(&format!("intent\t{id}\t{status}\t{at}\t{}\t{scope}\n", body.len()));
                    bodies.push_str(&body);
                }
            }
            (Err(LedgerError::NoIntents { .. }), _) => rest.push_str("missing\n"),
            (Err(error), _) => rest.push_str(&format!("broken\t{}\n", one_line(&shown(error)))),
            (_, Err(fault)) => {
                let at = if fault.line == 0 { String::new() } else { format!(" line {}", fault.line) };
                rest.push_str(&format!("broken\t`{IGNORE}`{at}: {}\n", one_line(&fault.message)));
            }
        }
        index.push_str("end\n");
        // The first line says how long everything is, itself included, so its numbers have a fixed width.
        let written = cache_time();
        let first = |before: usize, head: usize, whole: usize| {
            format!("stead-intents\t{VERSION}\t{now}\t{before:010}\t{head:010}\t{whole:010}\t{written}\n")
        };
        let before = first(0, 0, 0).len() + rest.len();
        let length = before + index.len();
        let head = first(before, length, length + bodies.len()) + &rest + &index;
        Self { head: head.into_bytes(), before, bodies: Bodies::Text(bodies) }
    }
}

/// The message of an error with the file's short name, for agents.
fn shown(error: LedgerError) -> String {
    match error {
        LedgerError::Malformed { line: 0, message, .. } => format!("`{INTENTS}`: {message}"),
        LedgerError::Malformed { line, message, .. } => format!("`{INTENTS}` line {line}: {message}"),
        LedgerError::Store(error) => match std::error::Error::source(&error) {
            Some(cause) => format!("`{INTENTS}` cannot be read: {cause}"),
            None => format!("`{INTENTS}` cannot be read: {error}"),
        },
        other => other.to_string(),
    }
}

fn source_line(path: &Path) -> String {
    match fs::metadata(path) {
        Ok(data) => format!("source\t{}\n", file_stamp(&data).text),
        Err(_) => "source\t-\n".to_owned(),
    }
}

fn is_fresh(text: &str, room: &Path, compiled: Duration) -> Option<()> {
    let mut lines = pieces(text, b'\n');
    for name in [INTENTS, IGNORE] {
        let known = lines.next()?.strip_prefix("source\t")?;
        match fs::metadata(room.join(name)) {
            Ok(data) => {
                let stamp = file_stamp(&data);
                (stamp.text == known && stamp.changed + RACY <= compiled).then_some(())?;
            }
            Err(_) => (known == "-").then_some(())?,
        }
    }
    Some(())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text of an intent, and where the patterns of its scope start, one in a line.
fn body(intent: &Intent) -> (String, usize) {
    let mut text = format!("name\t{}\n", one_line(&intent.name));
    if intent.needs_approval {
        text.push_str("approval\trequired\n");
    }
    if intent.exclusive {
        text.push_str("exclusive\ttrue\n");
    }
    let guards = intent.constraints.iter().filter_map(|constraint| match constraint {
        Constraint::Guard(id) => Some(id),
        Constraint::Text(_) => None,
    });
    guards.for_each(|id| text.push_str(&format!("guard\t{}\n", one_line(id))));
    intent.commands.iter().for_each(|command| text.push_str(&format!("command\t{}\n", one_line(command))));
    let patterns = intent.owned_scope.iter().flat_map(|pattern| expand(pattern));
    let scope = text.len();
    patterns.for_each(|pattern| text.extend([pattern.as_str(), "\n"]));
    (text, scope)
}

fn lines<'a>(text: &'a str, kind: &'static str) -> impl Iterator<Item = &'a str> {
    pieces(text, b'\n').filter_map(move |line| line.strip_prefix(kind)?.strip_prefix('\t'))
}

impl<'a> Head<'a> {
    /// There is no intents file.
    pub fn is_missing(&self) -> bool {
        self.state() == "missing"
    }

    /// Why the intents cannot be used.
    pub fn broken(&self) -> Option<&'a str> {
        self.state().strip_prefix("broken\t")
    }

    /// The line behind those about the sources.
    fn state(&self) -> &'a str {
        pieces(self.before, b'\n').nth(STATE).unwrap_or_default()
    }

    /// The ids and status of all intents.
    pub fn intents(&self) -> impl Iterator<Item = (&'a str, Status)> {
        self.entries().map(|entry| (entry.id, entry.status))
    }

    /// Returns true if the ignore file bars an intent.
    pub fn bars(&self, id: &str) -> bool {
        lines(self.ignored(), "bars").any(|barred| barred == id)
    }

    /// Returns true if the ignore file frees all that is reached.
    pub fn frees(&self, reach: &Reach<'_>) -> bool {
        frees(lines(self.ignored(), "free"), reach)
    }

    /// The lines of the ignore file, of which there are usually none.
    fn ignored(&self) -> &'a str {
        let end = memchr_iter(b'\n', self.before.as_bytes()).nth(STATE);
        end.and_then(|end| self.before.get(end + 1..)).unwrap_or_default()
    }

    fn entries(&self) -> impl Iterator<Item = Entry<'a>> {
        lines(text(self.all), "intent").filter_map(entry)
    }

    /// The entry of an intent, found without reading those before it.
    fn entry(&self, id: &str) -> Option<Entry<'a>> {
        let start = [START, id, "\t"].concat();
        let line = &self.all[memmem::find(self.all, start.as_bytes())? + START.len()..];
        entry(text(&line[..memchr(b'\n', line)?]))
    }
}

/// A part that is no text counts as empty: nothing in it permits anything.
fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// An intent in the index: its status, where its text starts, how long it is, and where its scope starts in it.
struct Entry<'a> {
    id: &'a str,
    status: Status,
    at: usize,
    length: usize,
    scope: usize,
}

fn entry(line: &str) -> Option<Entry<'_>> {
    let mut fields = pieces(line, b'\t');
    let (id, status) = (fields.next()?, Status::from_name(fields.next()?)?);
    let mut number = || fields.next()?.parse().ok();
    Some(Entry { id, status, at: number()?, length: number()?, scope: number()? })
}

impl CompiledIntent {
    pub fn name(&self) -> &str {
        lines(self.fields(), "name").next().unwrap_or_default()
    }

    /// The patterns of the scope.
    pub fn scope(&self) -> impl Iterator<Item = &str> {
        let mut rest = &self.text[self.scope..];
        std::iter::from_fn(move || {
            let (line, after) = rest.split_at(memchr(b'\n', rest.as_bytes())?);
            rest = &after[1..];
            Some(line)
        })
    }

    /// Returns true if all that is reached belongs to the scope.
    pub fn owns(&self, reach: &Reach<'_>, home: Option<&str>) -> bool {
        owns(self.scope(), Pattern::parse_anchored, reach, home)
    }

    /// Returns true if something below a folder can belong to the scope.
    pub fn leads_to(&self, folder: &Reach<'_>) -> bool {
        folder.inside.is_some_and(|inside| leads_to(self.scope(), inside))
    }

    /// The command patterns that may run although their effects are unknown.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        lines(self.fields(), "command")
    }

    /// The guards that its constraints name.
    pub fn guards(&self) -> impl Iterator<Item = &str> {
        lines(self.fields(), "guard")
    }

    pub fn needs_approval(&self) -> bool {
        self.has("\napproval\t")
    }

    pub fn is_exclusive(&self) -> bool {
        self.has("\nexclusive\t")
    }

    /// Looks for a line behind the name, which is the first.
    fn has(&self, start: &str) -> bool {
        memmem::find(self.fields().as_bytes(), start.as_bytes()).is_some()
    }

    fn fields(&self) -> &str {
        &self.text[..self.scope]
    }
}
