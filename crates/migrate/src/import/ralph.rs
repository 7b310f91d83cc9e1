//! The state file of the Ralph plugin: front matter with the iteration and the promise, then the prompt.

use super::item::{FROM, HASH};
use stead_context::{Counts, Document, FrontMatterError, Loop, LoopFile, LoopStatus, Starter, split_promises};

/// Where the plugin keeps its one loop.
pub(super) const STATE: &str = ".claude/ralph-loop.local.md";

/// A loop of the plugin.
pub(super) struct Ralph {
    pub(super) prompt: String,
    /// When it started.
    pub(super) started: String,
    iteration: u32,
    max_iterations: u32,
    promises: Vec<String>,
    pub(super) left: Vec<String>,
}

/// Parses the file; the error is a message for people.
pub(super) fn read(text: &str) -> Result<Ralph, String> {
    let document = Document::parse(text).map_err(|problem: FrontMatterError| problem.to_string())?;
    let prompt = document.body().trim().to_owned();
    if prompt.is_empty() {
        return Err(format!("line {}: there is no prompt below the front matter", document.body_line()));
    }
    let get = |key: &str| document.get(key).filter(|value| !value.is_empty() && *value != "null");
    let number = |key: &str| match get(key).map(str::parse::<u32>) {
        None => Ok(None),
        Some(Ok(number)) => Ok(Some(number)),
        Some(Err(_)) => {
            let line = document.line_of(key).unwrap_or(1);
            Err(format!("line {line}: `{key}` is not an integer"))
        }
    };
    let mut left = Vec::new();
    let iteration = number("iteration")?.unwrap_or(1).max(1);
    let max_iterations = match number("max_iterations")?.unwrap_or(0) {
        0 => {
            left.push(format!("no limit: Stead's loop ends after {} iterations", Loop::MAX_ITERATIONS));
            Loop::MAX_ITERATIONS
        }
        most => most,
    };
    let promises = match get("completion_promise") {
        Some(text) => split_promises(text).map_err(|why| {
            format!("line {}: `completion_promise`: {why}", document.line_of("completion_promise").unwrap_or(1))
        })?,
        None => Vec::new(),
    };
    if promises.len() > 1 {
        left.push("a promise containing `|`: in Stead each part ends the loop".to_owned());
    }
    if get("session_id").is_some() {
        left.push("its session: the loop belongs to the session that activates it".to_owned());
    }
    if get("active") == Some("true") {
        left.push(
            "its active state: the loop is paused, and the plugin's own hook still acts on the old file".to_owned(),
        );
    }
    let known = ["active", "iteration", "max_iterations", "completion_promise", "started_at", "session_id"];
    left.extend(document.keys().filter(|key| !known.contains(key)).map(|key| format!("its `{key}`")));
    let started = get("started_at").and_then(super::moment::of_text).unwrap_or(0);
    Ok(Ralph { prompt, started: stead_model::rfc3339(started), iteration, max_iterations, promises, left })
}

impl Ralph {
    /// Renders the loop file: paused, without a session.
    pub(super) fn render(&self, id: &str, source: &str, hash: &str, now: &str) -> String {
        let state = Loop {
            id: id.to_owned(),
            created_at: self.started.clone(),
            updated_at: now.to_owned(),
            status: LoopStatus::Paused,
            reason: Some(format!("imported from {source}")),
            iteration: self.iteration,
            max_iterations: self.max_iterations,
            promises: self.promises.clone(),
            source_packet_id: None,
            verify: None,
            verify_seconds: Loop::VERIFY_SECONDS,
            then_run: None,
            max_minutes: 0,
            max_repeats: Loop::MAX_REPEATS,
            started_by: Starter::Person,
            lease: None,
            counts: Counts::default(),
        };
        let mut file = LoopFile::build(state, &self.prompt);
        // The text was just built, so it has front matter.
        let Ok(mut document) = Document::parse(file.render()) else { return file.render().to_owned() };
        document.set(FROM, source);
        document.set(HASH, hash);
        document.as_str().to_owned()
    }
}
