//! What happened in each session, counted from logs that only grow: `.agent/cache/statusline` says how far they were
//! read, so that a call reads only what was appended. See `docs/formats/statusline.md`.

use std::borrow::Cow;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use memchr::memmem::Finder;
use memchr::{memchr, memrchr};
use serde::Deserialize;
use stead_ledger::intent::{RequestState, Requests};
use stead_model::{EventKind, pieces};
use stead_store::{Durability, Exact, open_cache, read_text, replace_creating};

use crate::guard::{HitCount, HitLine};

/// The path of the cache below the project root. Like the policy, it does not move with the layout.
const CACHE: &str = ".agent/cache/statusline";

const HEAD: &str = "stead-statusline\t1";

/// The most that one call reads of a log. What is before it is not counted, which the line shows.
const MOST: u64 = 256 * 1024;

/// What is at most this long is counted each time: writing it down costs more.
const LITTLE: u64 = 8 * 1024;

/// How many sessions are kept, those that were heard from last.
const SESSIONS: usize = 64;

/// The project as a whole, beside its sessions.
const ALL: &str = "*";

/// The logs that are counted.
pub(super) struct Logs<'a> {
    pub(super) sessions: PathBuf,
    pub(super) evidence: PathBuf,
    pub(super) intents: &'a Path,
}

/// What happened in one session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) denied: u64,
    pub(super) shadow: u64,
    /// Nothing that came before was left out.
    pub(super) is_whole: bool,
    /// When a tool last changed a file, and when a test last ran.
    changed: String,
    tested: String,
}

impl Tally {
    /// Tests ran, and files changed since.
    pub(super) fn is_stale(&self) -> bool {
        !self.tested.is_empty() && self.changed > self.tested
    }
}

/// The counts of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tallies {
    /// How far each log was read: of sessions, of evidence, and of requests.
    read: [u64; 3],
    /// Those that were heard from last are last.
    sessions: Vec<(String, Tally)>,
    /// The ids of open requests.
    requests: Vec<String>,
    none: Tally,
}

#[derive(Deserialize)]
struct SessionLine<'a> {
    #[serde(borrow)]
    ts: Cow<'a, str>,
    #[serde(borrow)]
    session: Option<Cow<'a, str>>,
    #[serde(borrow)]
    event: Cow<'a, str>,
    #[serde(borrow, default)]
    action: Option<Cow<'a, str>>,
    #[serde(borrow)]
    verdict: Cow<'a, str>,
    #[serde(default)]
    hits: Vec<HitLine>,
}

#[derive(Deserialize)]
struct EvidenceLine<'a> {
    #[serde(borrow)]
    ts: Cow<'a, str>,
    #[serde(borrow)]
    about: Cow<'a, str>,
    #[serde(borrow, default)]
    session: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct RequestLine {
    id: String,
    state: RequestState,
}

impl Tallies {
    /// Reads the cache. One that is missing, torn or of another version counts as none.
    pub(super) fn read(root: &Path) -> Self {
        read_text(&root.join(CACHE)).ok().and_then(|text| Self::parse(&text)).unwrap_or_default()
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = pieces(text.strip_suffix("end\n")?, b'\n');
        let mut found = Self::default();
        (lines.next()? == HEAD).then_some(())?;
        for line in lines.filter(|line| !line.is_empty()) {
            let mut fields = pieces(line, b'\t');
            let kind = fields.next()?;
            let name = fields.next()?;
            let mut number = || fields.next()?.parse::<u64>().ok();
            match kind {
                "read" => found.read = [name.parse().ok()?, number()?, number()?],
                "request" => found.requests.push(name.to_owned()),
                "session" => {
                    let (denied, shadow, is_whole) = (number()?, number()?, number()? == 1);
                    let (changed, tested) = (fields.next()?.to_owned(), fields.next()?.to_owned());
                    found.sessions.push((name.to_owned(), Tally { denied, shadow, is_whole, changed, tested }));
                }
                _ => {}
            }
        }
        Some(found)
    }

    fn text(&self) -> String {
        let [sessions, evidence, requests] = self.read;
        let mut text = format!("{HEAD}\nread\t{sessions}\t{evidence}\t{requests}\n");
        for (id, Tally { denied, shadow, is_whole, changed, tested }) in &self.sessions {
            let whole = u8::from(*is_whole);
            text.push_str(&format!("session\t{id}\t{denied}\t{shadow}\t{whole}\t{changed}\t{tested}\n"));
        }
        self.requests.iter().for_each(|id| text.extend(["request\t", id, "\n"]));
        text + "end\n"
    }

    /// Best effort: without it the next call counts the same lines.
    pub(super) fn write(&self, root: &Path) {
        let _ = replace_creating(&root.join(CACHE), Exact::Own.bytes(&self.text()), Durability::Quick);
    }

    /// What happened in a session, or in the project.
    pub(super) fn of(&self, session: Option<&str>) -> &Tally {
        let id = session.unwrap_or(ALL);
        self.sessions.iter().find(|(known, _)| known == id).map_or(&self.none, |(_, tally)| tally)
    }

    pub(super) fn requests(&self) -> usize {
        self.requests.len()
    }

    /// Counts what was appended since. Returns true if that is worth writing down.
    pub(super) fn catch_up(&mut self, logs: &Logs<'_>) -> bool {
        let requests = logs.intents.join(Requests::FILE);
        let paths = [logs.sessions.as_path(), &logs.evidence, &requests];
        let lengths = paths.map(|path| std::fs::metadata(path).map_or(0, |data| data.len()));
        let before = self.read;
        if lengths == before {
            return false;
        }
        // A log was cut or replaced.
        let is_other = lengths.iter().zip(before).any(|(length, read)| *length < read);
        if is_other {
            *self = Self::default();
        }
        let quiet = Quiet::new();
        for (log, path) in paths.into_iter().enumerate() {
            let Some(Appended { bytes, is_gapless, end }) = appended(path, self.read[log], lengths[log]) else {
                continue;
            };
            if log == 0 && !is_gapless {
                self.sessions.iter_mut().for_each(|(_, tally)| tally.is_whole = false);
            }
            let is_whole = log == 0 && is_gapless && self.read[0] == 0;
            for line in pieces_of(&bytes) {
                match log {
                    0 => self.hear(line, &quiet, is_whole),
                    1 => self.note_test(line),
                    _ => self.note_request(line),
                }
            }
            self.read[log] = end;
        }
        is_other || self.read.iter().zip(before).any(|(now, then)| now - then > LITTLE)
    }

    fn hear(&mut self, line: &str, quiet: &Quiet, is_whole: bool) {
        // That of the last line is last.
        let last = self.sessions.last().map(|(id, _)| id.as_str()).filter(|id| *id != ALL);
        if !last.is_some_and(|session| quiet.is(line, session)) {
            self.count(line, is_whole);
        }
    }

    fn count(&mut self, line: &str, is_whole: bool) {
        let Ok(line) = serde_json::from_str::<SessionLine<'_>>(line) else { return };
        let kind = EventKind::from_name(&line.event);
        let mut hits = HitCount::default();
        line.hits.iter().for_each(|hit| hits.add(hit));
        let is_denied = line.verdict == "deny" && kind.is_some_and(EventKind::is_gated);
        let is_change = kind == Some(EventKind::AfterTool) && line.action.as_deref() == Some("change");
        let is_start = kind == Some(EventKind::SessionStart);
        self.each(line.session.as_deref(), |tally, is_new, is_all| {
            if is_new {
                tally.is_whole = is_whole || (is_start && !is_all);
            }
            tally.denied += u64::from(is_denied);
            tally.shadow += hits.shadow;
            if is_change {
                line.ts.as_ref().clone_into(&mut tally.changed);
            }
        });
    }

    fn note_test(&mut self, line: &str) {
        let Ok(line) = serde_json::from_str::<EvidenceLine<'_>>(line) else { return };
        if line.about == "test" {
            self.each(line.session.as_deref(), |tally, _, _| line.ts.as_ref().clone_into(&mut tally.tested));
        }
    }

    fn note_request(&mut self, line: &str) {
        let Ok(RequestLine { id, state }) = serde_json::from_str(line) else { return };
        self.requests.retain(|known| *known != id);
        if state == RequestState::Open && is_plain(&id) {
            self.requests.push(id);
        }
    }

    /// Changes the counts of a session and those of the project.
    fn each(&mut self, session: Option<&str>, change: impl Fn(&mut Tally, bool, bool)) {
        for id in [Some(ALL), session.filter(|id| is_plain(id) && *id != ALL)].into_iter().flatten() {
            let at = self.sessions.iter().position(|(known, _)| known == id);
            let (mut entry, is_new) = match at {
                Some(at) => (self.sessions.remove(at), false),
                None => ((id.to_owned(), Tally::default()), true),
            };
            change(&mut entry.1, is_new, id == ALL);
            self.sessions.push(entry);
        }
        if self.sessions.len() > SESSIONS {
            self.sessions.remove(0);
        }
    }
}

/// Tells lines that change no count, which are most, from the others without parsing them. A quote within a string is
/// escaped, so that no string can look like a field.
struct Quiet {
    allowed: Finder<'static>,
    session: Finder<'static>,
    counted: [Finder<'static>; 3],
}

impl Quiet {
    fn new() -> Self {
        let counted = ["\"hits\":", "\"action\":\"change\"", "\"event\":\"session-start\""];
        Self {
            allowed: Finder::new("\"verdict\":\"allow\""),
            session: Finder::new("\"session\":\""),
            counted: counted.map(Finder::new),
        }
    }

    /// It is one more line of that session, and nothing in it is counted.
    fn is(&self, line: &str, session: &str) -> bool {
        let bytes = line.as_bytes();
        let is_same = |at: usize| {
            let id = &bytes[at + self.session.needle().len()..];
            id.strip_prefix(session.as_bytes()).is_some_and(|rest| rest.first() == Some(&b'"'))
        };
        self.session.find(bytes).is_some_and(is_same)
            && self.allowed.find(bytes).is_some()
            && self.counted.iter().all(|finder| finder.find(bytes).is_none())
    }
}

/// It fits into a field.
fn is_plain(id: &str) -> bool {
    !id.is_empty() && id.len() <= 200 && !id.contains(char::is_control)
}

struct Appended {
    bytes: Vec<u8>,
    /// Nothing between what was read before and this was left out.
    is_gapless: bool,
    /// Where the last whole line ends.
    end: u64,
}

/// Reads what was appended to a log, up to its last whole line; `None` if there is nothing, or it cannot be read.
fn appended(path: &Path, read: u64, length: u64) -> Option<Appended> {
    let start = read.max(length.saturating_sub(MOST));
    if start >= length {
        return None;
    }
    let (mut file, _) = open_cache(path)?;
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::with_capacity(usize::try_from(length - start).ok()?);
    file.take(length - start).read_to_end(&mut bytes).ok()?;
    let end = memrchr(b'\n', &bytes)? + 1;
    bytes.truncate(end);
    let is_gapless = start == read;
    if !is_gapless {
        // It starts amid a line.
        let first = memchr(b'\n', &bytes)? + 1;
        bytes.drain(..first);
    }
    Some(Appended { bytes, is_gapless, end: start + end as u64 })
}

fn pieces_of(bytes: &[u8]) -> impl Iterator<Item = &str> {
    bytes.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// A line as the hook writes it, or something else.
    fn a_line() -> impl Strategy<Value = String> {
        let one_of = |texts: &'static [&'static str]| prop::sample::select(texts);
        let line = (
            one_of(&["s1", "s2", "*", "", "s\"1", "a\\b"]),
            one_of(&["session-start", "before-tool", "after-tool", "stop", "later"]),
            one_of(&["run", "change", ""]),
            one_of(&["allow", "deny", "warn"]),
            any::<bool>(),
            one_of(&["ls", "echo '\"session\":\"s1\"'", "\"verdict\":\"allow\"", "\"hits\":[]"]),
            0..10_000u32,
        );
        let line = line.prop_map(|(session, event, action, verdict, is_hit, command, ts)| {
            let mut line = json!({"v": 1, "ts": format!("{ts:05}"), "command": command, "session": session});
            line["event"] = event.into();
            line["action"] = action.into();
            line["verdict"] = verdict.into();
            if is_hit {
                line["hits"] = json!([{"guard": "g", "mode": "shadow", "would": "deny", "did": "recorded"}]);
            }
            line.to_string()
        });
        prop_oneof![9 => line, 1 => "\\PC{0,60}"]
    }

    proptest! {
        #[test]
        fn lines_that_are_not_parsed_change_nothing(lines in prop::collection::vec(a_line(), 0..40), is_whole: bool) {
            let (mut all, mut heard, quiet) = (Tallies::default(), Tallies::default(), Quiet::new());
            for line in lines {
                all.count(&line, is_whole);
                heard.hear(&line, &quiet, is_whole);
                prop_assert_eq!(&all, &heard, "{}", line);
            }
        }

        #[test]
        fn what_was_written_down_is_read_back(lines in prop::collection::vec(a_line(), 0..40), cut in 0.0..1.0f64) {
            let mut found = Tallies { read: [7, 8, 9], requests: vec!["r1".to_owned()], ..Tallies::default() };
            lines.iter().for_each(|line| found.count(line, true));
            let text = found.text();
            prop_assert_eq!(Tallies::parse(&text), Some(found));
            let torn = text.floor_char_boundary((text.len() as f64 * cut) as usize);
            prop_assert_eq!(Tallies::parse(&text[..torn]), None);
        }

        #[test]
        fn a_cache_can_hold_anything(text in "(stead-statusline\t1\n)?(\\PC|[\t\n0-9]|session\t|read\t){0,40}(end\n)?") {
            let _ = Tallies::parse(&text);
        }
    }
}
