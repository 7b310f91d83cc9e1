//! A verdict or a session named on the command line, and what came of a verdict.

use std::collections::BTreeSet;
use std::fs;

use stead_context::find_id;
use stead_hook::{Did, HitLine, VerdictLine, read_verdict_id};
use stead_model::nearest;
use stead_store::Tail;

use crate::error::CliError;
use crate::project::Project;

/// Finds the verdict with this id, or suggests one.
pub(crate) fn find_verdict(project: &Project, typed: &str) -> Result<VerdictLine, CliError> {
    let log = project.indexes().join("sessions.jsonl");
    let found = match read_verdict_id(typed) {
        Some(id) => VerdictLine::find(&log, &id)?,
        None => None,
    };
    found.ok_or_else(|| {
        let known = VerdictLine::last_ids(&log, 50);
        let typed = typed.trim().trim_start_matches('[').trim_end_matches(']');
        let error = CliError::not_found(format!("there is no verdict `{typed}` in the session log"));
        match (nearest(typed, known.iter().map(String::as_str)), known.first()) {
            (Some(near), _) => error.hinted(format!("did you mean `{near}`?")),
            (None, Some(last)) => error.hinted(format!("the last one is `{last}`")),
            (None, None) => error.hinted("a denial ends with the id of its verdict in brackets, as in `[v-…]`"),
        }
    })
}

/// How many lines of the log are searched for sessions that have no file of their own.
const LINES: usize = 2_000;

/// Finds the session of which a part of the id was typed.
pub(crate) fn find_session(project: &Project, typed: &str) -> Result<String, CliError> {
    #[derive(serde::Deserialize)]
    struct Line {
        session: Option<String>,
    }
    let indexes = project.indexes();
    let last = Tail::open(&indexes.join("sessions.jsonl"))?.unchecked().take(LINES).flatten();
    let mut ids: Vec<String> = last.filter_map(|line| serde_json::from_str::<Line>(&line.text).ok()?.session).collect();
    let files = fs::read_dir(indexes.join("sessions")).into_iter().flatten().flatten();
    ids.extend(files.filter_map(|file| Some(file.file_name().to_str()?.strip_suffix(".json")?.to_owned())));
    let mut seen = BTreeSet::new();
    ids.retain(|id| seen.insert(id.clone()));
    Ok(find_id("session", &ids, typed)?)
}

/// What a hit did, in a few words.
pub(crate) fn came_of(hit: &HitLine) -> String {
    match hit.did {
        Did::Recorded => format!("would {}; only recorded", hit.would),
        Did::Told => "told the agent".to_owned(),
        Did::Owed => "told the agent later, when its client accepted text".to_owned(),
        Did::Overridden => format!("would {}, but a person had allowed it", hit.would),
        did => did.name().to_owned(),
    }
}
