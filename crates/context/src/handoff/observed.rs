use stead_model::nearest;

use super::Handoff;
use crate::note::Note;
use crate::prompt_log::{self, Prompt};
use crate::relevant_file::{self, RelevantPath, relevant_files};
use crate::validator::detect_validators;
use crate::{ContextError, content_hash, notes};

/// How many files are suggested, and from how many they are chosen.
const SUGGESTED: usize = 20;
const LOOKED_AT: usize = 80;

/// How many requests are repeated: the first one, and the last ones.
const REQUESTS: usize = 8;

/// A file on one of the lists.
pub(super) struct ListedFile {
    pub(super) path: String,
    pub(super) hash: Option<String>,
    /// Why it is listed, in a few words.
    pub(super) why: String,
}

/// What Stead recorded or can observe itself.
pub(super) struct Observed {
    pub(super) confirmed: Vec<ListedFile>,
    pub(super) suggested: Vec<ListedFile>,
    /// Touched, but no longer present.
    pub(super) gone: Vec<RelevantPath>,
    pub(super) notes: Vec<Note>,
    pub(super) requests: Vec<Prompt>,
    /// Requests omitted between the first and the last ones.
    pub(super) more_requests: usize,
    pub(super) validators: Vec<String>,
    pub(super) verify: Option<String>,
}

impl Observed {
    pub(super) fn gather(handoff: &Handoff<'_>) -> Result<Self, ContextError> {
        let place = &handoff.place;
        let scope = handoff.scope();
        let mut ranked = relevant_files(&place.index(relevant_file::FILE), &scope)?;
        ranked.retain(|file| !place.is_own(&file.path));
        let mut confirmed = Vec::new();
        for path in handoff.confirm.iter().chain(&handoff.sent.confirmed) {
            push(&mut confirmed, handoff, path, "");
        }
        for file in ranked.iter().filter(|file| file.confirmed && place.root.join(&file.path).is_file()) {
            push(&mut confirmed, handoff, &file.path, "");
        }
        let mut suggested = Vec::new();
        for path in &handoff.sent.suggested {
            if !confirmed.iter().any(|known| known.path == *path) {
                push(&mut suggested, handoff, path, "");
            }
        }
        let candidates = ranked.into_iter().filter(|file| !confirmed.iter().any(|known| known.path == file.path));
        let candidates: Vec<RelevantPath> = candidates.take(LOOKED_AT).collect();
        let paths: Vec<String> = candidates.iter().map(|file| file.path.clone()).collect();
        let ignored = if paths.is_empty() { Vec::new() } else { (handoff.ignored)(&paths) };
        let mut gone = Vec::new();
        for file in candidates.into_iter().filter(|file| !ignored.contains(&file.path)) {
            if suggested.len() + gone.len() >= SUGGESTED {
                break;
            }
            if place.root.join(&file.path).is_file() {
                let times = if file.touches > 1 { format!(" ({} touches)", file.touches) } else { String::new() };
                push(&mut suggested, handoff, &file.path, &format!("{}{times}", past(&file.action)));
            } else {
                gone.push(file);
            }
        }
        let requests = prompt_log::requests(&place.index(Prompt::FILE), &scope)?;
        let (requests, more_requests) = first_and_last(requests);
        let mut validators = handoff.validators.clone();
        let detected = detect_validators(place.root);
        let found = handoff.sent.validators.iter().cloned().chain(detected.into_iter().map(|found| found.command));
        for command in found {
            if !validators.contains(&command) {
                validators.push(command);
            }
        }
        let verify = handoff.validators.first().or(handoff.sent.verify.as_ref()).or(validators.first()).cloned();
        Ok(Self {
            confirmed,
            suggested,
            gone,
            notes: notes(&place.index(Note::FILE), &scope)?,
            requests,
            more_requests,
            validators,
            verify,
        })
    }
}

fn push(list: &mut Vec<ListedFile>, handoff: &Handoff<'_>, path: &str, why: &str) {
    if !list.iter().any(|known| known.path == path) {
        let hash = content_hash(&handoff.place.root.join(path));
        list.push(ListedFile { path: path.to_owned(), hash, why: why.to_owned() });
    }
}

pub(super) fn past(action: &str) -> &str {
    match action {
        "write" => "written",
        "edit" => "edited",
        "delete" => "deleted",
        "rename" => "renamed",
        "read" => "read",
        "mention" => "mentioned in a command",
        other => other,
    }
}

fn first_and_last(mut requests: Vec<Prompt>) -> (Vec<Prompt>, usize) {
    let more = requests.len().saturating_sub(REQUESTS);
    requests.drain(1.min(requests.len())..(1 + more).min(requests.len()));
    (requests, more)
}

/// The touched file that a person most likely meant.
pub(super) fn nearest_file(handoff: &Handoff<'_>, path: &str) -> Option<String> {
    let known = relevant_files(&handoff.place.index(relevant_file::FILE), &handoff.scope()).unwrap_or_default();
    nearest(path, known.iter().map(|file| file.path.as_str())).map(str::to_owned)
}
