use stead_model::{FileId, nearest};

use super::Handoff;
use super::carried::Carried;
use super::denial::{Denial, denials};
use crate::note::Note;
use crate::prompt_log::{Prompt, persons_prompts};
use crate::relevant_file::{self, RelevantPath, relevant_files};
use crate::statement::{Kind, is_request, sentences};
use crate::validator::detect_validators;
use crate::{ContextError, TestRun, Turn, content_hash, notes};

/// How many files are suggested, and from how many they are chosen.
const SUGGESTED: usize = 20;
const LOOKED_AT: usize = 80;

/// How many requests are repeated: the first one, and the last ones.
const REQUESTS: usize = 8;

/// How many sentences of the person are quoted, of each kind: more than anybody says in a session.
const QUOTED: usize = 300;

/// How many of the files that were only read are named.
const READ_MOST: usize = 8;

/// How many questions are taken from the agent's last answer.
const QUESTIONS: usize = 4;

/// A file on one of the lists.
pub(super) struct ListedFile {
    pub(super) path: String,
    pub(super) hash: Option<String>,
    /// Why it is listed, in a few words.
    pub(super) why: String,
}

/// A prompt or a sentence of one, and where it stands.
pub(super) struct Quoted {
    pub(super) text: String,
    /// The number of the prompt among the person's, from 1.
    pub(super) prompt: usize,
    pub(super) at: String,
    /// Only the beginning was recorded.
    pub(super) cut: bool,
}

/// What Stead recorded or can observe itself.
pub(super) struct Observed {
    pub(super) confirmed: Vec<ListedFile>,
    pub(super) suggested: Vec<ListedFile>,
    /// Touched, but no longer present.
    pub(super) gone: Vec<RelevantPath>,
    /// Read, but not changed, most often first, with how often.
    pub(super) read_most: Vec<(String, u32)>,
    pub(super) notes: Vec<Note>,
    /// How many prompts the person wrote.
    pub(super) prompts: usize,
    pub(super) requests: Vec<Quoted>,
    /// Requests omitted between the first and the last ones.
    pub(super) more_requests: usize,
    pub(super) constraints: Vec<Quoted>,
    /// In other languages than English.
    pub(super) said: Vec<Quoted>,
    /// How many sentences were too many to be quoted.
    pub(super) unquoted: usize,
    pub(super) turn: Turn,
    /// Questions in the agent's last answer.
    pub(super) asked: Vec<String>,
    pub(super) denials: Vec<Denial>,
    pub(super) carried: Carried,
    pub(super) validators: Vec<Validator>,
    pub(super) verify: Option<String>,
}

/// A command that checks the work.
pub(super) struct Validator {
    pub(super) command: String,
    /// Why it is proposed; empty if somebody named it.
    pub(super) why: String,
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
        let mut read_most: Vec<(String, u32)> = candidates
            .iter()
            .filter(|file| file.reads > 1 && file.reads == file.touches && !ignored.contains(&file.path))
            .map(|file| (file.path.clone(), file.reads))
            .collect();
        read_most.sort_by_key(|(path, reads)| (std::cmp::Reverse(*reads), path.clone()));
        read_most.truncate(READ_MOST);
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
        let mut words = PersonsWords::default();
        for prompt in persons_prompts(&place.index(Prompt::FILE), &scope)? {
            words.add(prompt);
        }
        let (requests, more_requests) = first_and_last(words.requests);
        let session = handoff.session.and_then(|id| FileId::check(id).ok());
        let mut turn = session.map(|id| Turn::read(&place.indexes(), &id)).unwrap_or_default();
        if let (None, Some(text)) = (&turn.answer, &handoff.last_answer) {
            turn.answered(text, "");
        }
        let asked = turn.answer.as_ref().map(|answer| questions(&answer.text)).unwrap_or_default();
        let denials = handoff.session.map(|session| denials(&place.index("sessions.jsonl"), session)).transpose()?;
        let (validators, verify) = validators(handoff);
        Ok(Self {
            confirmed,
            suggested,
            gone,
            read_most,
            notes: notes(&place.index(Note::FILE), &scope)?,
            prompts: words.prompts,
            requests,
            more_requests,
            constraints: words.constraints,
            said: words.said,
            unquoted: words.unquoted,
            turn,
            asked,
            denials: denials.unwrap_or_default(),
            carried: Carried::default(),
            validators,
            verify,
        })
    }
}

/// What a person said in a session.
#[derive(Default)]
struct PersonsWords {
    prompts: usize,
    requests: Vec<Quoted>,
    constraints: Vec<Quoted>,
    said: Vec<Quoted>,
    unquoted: usize,
}

impl PersonsWords {
    fn add(&mut self, prompt: Prompt) {
        self.prompts += 1;
        let quoted =
            |text: &str, cut| Quoted { text: text.to_owned(), prompt: self.prompts, at: prompt.ts.clone(), cut };
        if is_request(&prompt.text) && !self.requests.iter().any(|known| known.text == prompt.text) {
            self.requests.push(quoted(&prompt.text, prompt.cut));
        } else if !is_request(&prompt.text) {
            return;
        }
        for (sentence, kind) in sentences(&prompt.text) {
            let list = match kind {
                Kind::Constraint => &mut self.constraints,
                Kind::Foreign => &mut self.said,
                Kind::Question | Kind::Other => continue,
            };
            // What is said again counts from when it was said last.
            list.retain(|known| known.text != sentence);
            list.push(quoted(&sentence, false));
            if list.len() > QUOTED {
                // The first half and the newest stay.
                list.remove(QUOTED / 2);
                self.unquoted += 1;
            }
        }
    }
}

/// The last questions of an answer.
fn questions(answer: &str) -> Vec<String> {
    let asked =
        sentences(answer).into_iter().filter(|(text, kind)| *kind == Kind::Question && text.contains(['?', '？']));
    let mut asked: Vec<String> = asked.map(|(text, _)| text).collect();
    asked.drain(..asked.len().saturating_sub(QUESTIONS));
    asked
}

/// The commands that check the work: those that were named, those that passed in the session, those of the project. The
/// first one that checks everything is the one that verifies it.
fn validators(handoff: &Handoff<'_>) -> (Vec<Validator>, Option<String>) {
    let mut all: Vec<Validator> = Vec::new();
    let mut add = |command: &str, why: String| {
        if !all.iter().any(|known| known.command == command) {
            all.push(Validator { command: command.to_owned(), why });
        }
    };
    for command in handoff.validators.iter().chain(&handoff.sent.validators) {
        add(command, String::new());
    }
    // The last time that each command passed, the newest first, and whether it still does.
    let mut green: Vec<(&TestRun, bool)> = Vec::new();
    let mut newest: Vec<&TestRun> = Vec::new();
    for run in handoff.runs.iter().rev() {
        let is_newest = !newest.iter().any(|known| known.command == run.command);
        if is_newest {
            newest.push(run);
        }
        if run.passed == Some(true) && !green.iter().any(|(known, _)| known.command == run.command) {
            green.push((run, is_newest));
        }
    }
    for (run, is_newest) in &green {
        let since = if *is_newest { "" } else { ", failed since" };
        add(&run.command, format!("passed in this session {}{since}, evidence `{}`", minute(&run.at), run.id));
    }
    let detected = detect_validators(handoff.place.root);
    for found in &detected {
        add(&found.command, format!("from {}", found.because));
    }
    let named = handoff.validators.first().or(handoff.sent.verify.as_ref()).or(handoff.sent.validators.first());
    let whole = || green.iter().find(|(run, _)| run.is_whole).map(|(run, _)| &run.command);
    let verify = named.or_else(whole).or_else(|| detected.first().map(|found| &found.command));
    let verify = verify.cloned().or_else(|| all.first().map(|first| first.command.clone()));
    (all, verify)
}

/// A timestamp to the minute.
pub(super) fn minute(at: &str) -> String {
    at.get(..16).map(|at| at.replace('T', " ")).unwrap_or_default()
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

fn first_and_last(mut requests: Vec<Quoted>) -> (Vec<Quoted>, usize) {
    let more = requests.len().saturating_sub(REQUESTS);
    requests.drain(1.min(requests.len())..(1 + more).min(requests.len()));
    (requests, more)
}

/// The touched file that a person most likely meant.
pub(super) fn nearest_file(handoff: &Handoff<'_>, path: &str) -> Option<String> {
    let known = relevant_files(&handoff.place.index(relevant_file::FILE), &handoff.scope()).unwrap_or_default();
    nearest(path, known.iter().map(|file| file.path.as_str())).map(str::to_owned)
}
