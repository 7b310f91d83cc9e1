use std::path::Path;

use stead_model::rfc3339;
use stead_store::redact;

use super::{Counts, Lease, Loop, LoopStatus, Owner, Starter, split_promises};
use crate::{ContextError, Document};

/// A loop file: its state, and the text around it, which changes only where the state changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopFile {
    document: Document,
    written: Loop,
    pub state: Loop,
}

const PROMPT: &str = "## Loop Prompt";
const NOTES: &str = "## Notes";

impl LoopFile {
    /// Creates a file for a loop and its prompt.
    pub fn build(state: Loop, prompt: &str) -> Self {
        let head = fields(&state).into_iter().filter_map(|(key, value)| Some((key, value?)));
        let prompt = redact(prompt.trim());
        let document = Document::build(head, &format!("\n{PROMPT}\n\n{prompt}\n\n{NOTES}\n"));
        Self { document, written: state.clone(), state }
    }

    /// Parses a file. `path` appears in errors, and its name is the loop's id.
    pub fn parse(path: &Path, text: String) -> Result<Self, ContextError> {
        let document =
            Document::parse(text).map_err(|problem| ContextError::FrontMatter { path: path.to_owned(), problem })?;
        let state = Reading { path, document: &document }.state()?;
        let file = Self { written: state.clone(), state, document };
        match file.section() {
            Some(prompt) if !prompt.trim().is_empty() => Ok(file),
            _ => Err(ContextError::Content {
                path: path.to_owned(),
                line: file.document.body_line(),
                message: format!("there is no text below `{PROMPT}`"),
            }),
        }
    }

    /// What the agent should do, as it was given.
    pub fn prompt(&self) -> String {
        self.section().unwrap_or_default().replace("\r\n", "\n").trim().to_owned()
    }

    /// The file's text with every changed field in place and no other byte changed.
    pub fn render(&mut self) -> &str {
        for ((key, old), (_, new)) in fields(&self.written).into_iter().zip(fields(&self.state)) {
            if old != new {
                self.document.set(key, new.as_deref().unwrap_or("null"));
            }
        }
        self.written = self.state.clone();
        self.document.as_str()
    }

    /// Between the prompt's heading and the last heading for notes, because a prompt may contain such a heading too.
    fn section(&self) -> Option<&str> {
        let body = self.document.body();
        let start = heading(body, PROMPT).next()?;
        let end = heading(&body[start.1..], NOTES).last().map_or(body.len(), |(from, _)| start.1 + from);
        Some(&body[start.1..end])
    }
}

/// The ranges of lines that are this heading.
fn heading<'a>(text: &'a str, heading: &'a str) -> impl Iterator<Item = (usize, usize)> + 'a {
    let mut at = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        (line.trim_end() == heading).then_some((start, at))
    })
}

/// The front matter, in the order of a new file. A new file omits `None`; an existing key becomes `null`.
fn fields(state: &Loop) -> [(&'static str, Option<String>); 21] {
    let lease = state.lease.as_ref();
    let json = |text: &String| serde_json::to_string(text).unwrap_or_default();
    [
        ("id", Some(state.id.clone())),
        ("created_at", Some(state.created_at.clone())),
        ("updated_at", Some(state.updated_at.clone())),
        ("status", Some(state.status.name().to_owned())),
        ("reason", state.reason.as_deref().map(|reason| redact(reason).into_owned())),
        ("iteration", Some(state.iteration.to_string())),
        ("max_iterations", Some(state.max_iterations.to_string())),
        (
            "completion_promise",
            Some(if state.promises.is_empty() { "null".to_owned() } else { state.promises.join("|") }),
        ),
        ("source_packet_id", state.source_packet_id.clone()),
        ("verify", state.verify.as_ref().map(json)),
        ("verify_seconds", state.verify.as_ref().map(|_| state.verify_seconds.to_string())),
        ("then_run", state.then_run.clone()),
        ("max_minutes", Some(state.max_minutes.to_string())),
        ("max_repeats", Some(state.max_repeats.to_string())),
        ("started_by", Some(state.started_by.to_string())),
        ("harness", lease.map(|lease| lease.owner.harness().to_owned())),
        ("session", lease.map(|lease| lease.owner.session().to_owned())),
        ("started", lease.map(|lease| lease.started.clone())),
        ("expires", lease.map(|lease| lease.expires.clone())),
        ("counts", (state.counts != Counts::default()).then(|| counts(&state.counts))),
        ("schema", Some("1".to_owned())),
    ]
}

fn counts(counts: &Counts) -> String {
    serde_json::to_string(counts).unwrap_or_default()
}

/// The front matter of a file, read key by key.
struct Reading<'a> {
    path: &'a Path,
    document: &'a Document,
}

impl Reading<'_> {
    fn state(&self) -> Result<Loop, ContextError> {
        if self.number("schema", 1)? > 1 {
            return Err(self.wrong("schema", "written by a newer version of stead"));
        }
        let status = self.get("status").ok_or_else(|| self.wrong("status", "it is missing"))?;
        let status = LoopStatus::from_name(status)
            .ok_or_else(|| self.wrong("status", "expected `active`, `paused`, `limit`, `done` or `cancelled`"))?;
        let promises = match self.get("completion_promise") {
            Some(text) => split_promises(text).map_err(|why| self.wrong("completion_promise", why))?,
            None => Vec::new(),
        };
        let moment = |key: &str| self.get(key).unwrap_or_default().to_owned();
        Ok(Loop {
            id: self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            created_at: moment("created_at"),
            updated_at: moment("updated_at"),
            status,
            reason: self.get("reason").map(str::to_owned),
            iteration: self.number("iteration", 1)?,
            max_iterations: self.number("max_iterations", Loop::MAX_ITERATIONS)?,
            promises,
            source_packet_id: self.get("source_packet_id").map(str::to_owned),
            verify: self.get("verify").map(unquoted),
            verify_seconds: self.number("verify_seconds", Loop::VERIFY_SECONDS)?.clamp(1, Loop::MOST_VERIFY_SECONDS),
            then_run: self.get("then_run").map(str::to_owned),
            max_minutes: self.number("max_minutes", 0)?,
            max_repeats: self.number("max_repeats", Loop::MAX_REPEATS)?,
            started_by: Starter::parse(self.get("started_by").unwrap_or_default()),
            lease: self.lease(),
            // Unreadable counters start over; the iteration is a limit of its own.
            counts: self.document.get("counts").and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default(),
        })
    }

    /// A lease without a valid session counts as no lease: an unknown owner matches nobody.
    fn lease(&self) -> Option<Lease> {
        let owner = Owner::new(self.get("harness")?, self.get("session")?)?;
        let moment = |key: &str| self.get(key).unwrap_or_default().to_owned();
        // A lease without an end would never expire.
        let expires = self.get("expires").map_or_else(|| rfc3339(0), str::to_owned);
        Some(Lease { owner, started: moment("started"), expires })
    }

    /// The value of a key that exists and is not `null`.
    fn get(&self, key: &str) -> Option<&str> {
        self.document.get(key).filter(|value| !value.is_empty() && *value != "null")
    }

    fn number(&self, key: &'static str, missing: u32) -> Result<u32, ContextError> {
        match self.get(key) {
            None => Ok(missing),
            Some(text) => text.parse().map_err(|_| self.wrong(key, "expected a non-negative integer")),
        }
    }

    fn wrong(&self, key: &str, why: &str) -> ContextError {
        ContextError::Content {
            path: self.path.to_owned(),
            line: self.document.line_of(key).unwrap_or(1),
            message: format!("`{key}`: {why}"),
        }
    }
}

/// A command is stored as a JSON string whose quotes are already removed; one that a person wrote plainly is used as it
/// is.
fn unquoted(inner: &str) -> String {
    serde_json::from_str(&format!("\"{inner}\"")).unwrap_or_else(|_| inner.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NAME: &str = "loops/20261115T194530Z-go.md";

    fn sample() -> Loop {
        Loop {
            id: "20261115T194530Z-go".into(),
            created_at: "2026-11-15T19:45:30.123Z".into(),
            updated_at: "2026-11-15T19:45:30.123Z".into(),
            status: LoopStatus::Active,
            reason: None,
            iteration: 1,
            max_iterations: 25,
            promises: vec!["DONE".into(), "BLOCKED".into()],
            source_packet_id: None,
            verify: Some("test \"$X\" = 'a'\ntrue".into()),
            verify_seconds: 60,
            then_run: None,
            max_minutes: 0,
            max_repeats: 3,
            started_by: Starter::parse("h:s"),
            lease: Some(Lease {
                owner: Owner::new("h", "s").unwrap(),
                started: "2026-11-15T19:45:30.123Z".into(),
                expires: "2026-11-16T19:45:30.123Z".into(),
            }),
            counts: Counts::default(),
        }
    }

    fn parse(text: &str) -> Result<LoopFile, ContextError> {
        LoopFile::parse(Path::new(NAME), text.to_owned())
    }

    #[test]
    fn a_new_file_reads_back() {
        let mut file = LoopFile::build(sample(), "  Fix it.\n\n## Notes\nmind the gap\n");
        let text = file.render().to_owned();
        let read = parse(&text).unwrap();
        assert_eq!(read.state, sample());
        assert_eq!(read.prompt(), "Fix it.\n\n## Notes\nmind the gap");
        for line in ["status: active", "completion_promise: DONE|BLOCKED", "harness: h", "session: s", "iteration: 1"] {
            assert!(text.contains(&format!("\n{line}\n")), "{line} in\n{text}");
        }
    }

    #[test]
    fn a_changed_field_changes_its_line_only() {
        let text = "\u{feff}---\r\nid: x\r\n# mine\r\nstatus:  active  \r\nhue: blue\r\niteration: 1\r\n---\r\n\r\n## Loop Prompt\r\ngo\r\n\r\n## Notes\r\nkept  \r\n";
        let mut file = parse(text).unwrap();
        assert_eq!((file.prompt(), file.render()), ("go".to_owned(), text));
        file.state.iteration = 2;
        file.state.status = LoopStatus::Paused;
        let expected = text.replace("iteration: 1", "iteration: 2").replace("status:  active", "status: paused");
        assert_eq!(file.render(), expected);
    }

    #[test]
    fn nonsense_is_named_by_file_and_line() {
        let check = |text: &str, expected: &str| assert_eq!(parse(text).unwrap_err().to_string(), expected);
        let file = format!("`{NAME}`");
        check("no head", &format!("{file}: line 1: the file does not start with `---`"));
        check(
            "---\nid: a\nstatus: asleep\n---\n## Loop Prompt\nx\n",
            &format!("{file}: line 3: `status`: expected `active`, `paused`, `limit`, `done` or `cancelled`"),
        );
        check(
            "---\nstatus: active\niteration: many\n---\n## Loop Prompt\nx\n",
            &format!("{file}: line 3: `iteration`: expected a non-negative integer"),
        );
        check(
            "---\nstatus: active\n---\n\ntext\n",
            &format!("{file}: line 4: there is no text below `## Loop Prompt`"),
        );
        check("---\nid: a\n---\n## Loop Prompt\nx\n", &format!("{file}: line 1: `status`: it is missing"));
        check(
            "---\nstatus: active\nstatus: done\n---\n## Loop Prompt\nx\n",
            &format!("{file}: line 3: `status` appears twice"),
        );
        check("---\nschema: 2\n---\n", &format!("{file}: line 2: `schema`: written by a newer version of stead"));
    }

    #[test]
    fn an_owner_that_is_not_whole_is_nobody() {
        let with = |head: &str| parse(&format!("---\nstatus: active\n{head}---\n## Loop Prompt\nx\n")).unwrap().state;
        for head in ["", "harness: h\n", "session: s\n", "harness: h\nsession: \n", "harness: h\nsession: ../x\n"] {
            assert_eq!(with(head).lease, None, "{head}");
        }
        assert_eq!(with("harness: h\nsession: s\n").lease.unwrap().expires, rfc3339(0), "it has long ended");
        assert_eq!(with("started_by: nobody knows\n").started_by, Starter::Person);
    }

    #[test]
    fn a_command_written_by_hand_is_taken_as_it_stands() {
        let with = |line: &str| parse(&format!("---\nstatus: active\n{line}\n---\n## Loop Prompt\nx\n")).unwrap().state;
        assert_eq!(with("verify: cargo test").verify.as_deref(), Some("cargo test"));
        assert_eq!(with(r#"verify: grep -q "x" file"#).verify.as_deref(), Some(r#"grep -q "x" file"#));
        assert_eq!(with(r#"verify: grep '\d' file"#).verify.as_deref(), Some(r#"grep '\d' file"#));
    }

    proptest! {
        #[test]
        fn reading_and_writing_is_identity(
            extra in "([a-z]{6,9}: [^\r\n]{0,12}\r?\n){0,3}",
            prompt in "[^\r]{1,60}",
            notes in "(?s).{0,80}",
        ) {
            let text = format!("---\nstatus: active\niteration: 4\n{extra}---\n## Loop Prompt\nx{prompt}\n## Notes\n{notes}");
            if let Ok(mut file) = parse(&text) {
                prop_assert_eq!(file.render(), &text);
                file.state.iteration = 5;
                prop_assert_eq!(file.render().to_owned(), text.replacen("iteration: 4", "iteration: 5", 1));
            }
        }

        #[test]
        fn a_built_file_keeps_prompt_and_command(prompt in "[^\r]{1,80}", command in "(?s).{1,60}") {
            let state = Loop { verify: Some(command), ..sample() };
            let mut file = LoopFile::build(state.clone(), &prompt);
            let text = file.render().to_owned();
            match parse(&text) {
                Ok(read) => {
                    prop_assert_eq!(&read.state, &state);
                    prop_assert_eq!(read.prompt(), prompt.trim());
                }
                Err(_) => prop_assert!(prompt.trim().is_empty()),
            }
        }
    }
}
