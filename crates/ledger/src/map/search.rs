//! Where something is: the places that the ledger knows, ranked by how many words of the question they share, and by how
//! rare those words are here. A place that shares none is never an answer.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::Serialize;

use super::state::MapState;
use super::words::{asked, likeness, split};
use crate::intent::Intent;
use crate::trace::{Ledger, Record};

/// How many lines of the ledger are searched for the prompts that led to changes.
const LINES: usize = 5_000;

/// How much of a text an answer quotes.
const QUOTED: usize = 80;

/// A question.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    pub question: &'a str,
    /// What people asked agents for, oldest first.
    pub prompts: &'a [PromptText],
    /// The largest number of answers.
    pub most: usize,
}

/// A prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptText {
    pub session: String,
    pub ts: String,
    pub text: String,
}

/// A place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// Relative to the root; a pattern if only the scope of an intent is known.
    pub path: String,
    pub line: Option<u64>,
    pub end: Option<u64>,
    pub kind: Option<String>,
    pub name: Option<String>,
    pub intent: Option<String>,
    pub score: f64,
    /// The strongest first.
    pub why: Vec<Reason>,
}

/// Why a place is an answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    pub what: Field,
    /// The words of the question that it shares.
    pub words: Vec<String>,
    pub text: String,
}

stead_model::named! {
    /// What shares words with a question.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Field {
        Name = "name",
        Intent = "intent",
        Path = "path",
        Note = "note",
        Constraint = "constraint",
        Prompt = "prompt",
    }
}

impl Field {
    fn weight(self) -> f64 {
        match self {
            Self::Name => 6.0,
            Self::Intent => 5.0,
            Self::Path => 4.0,
            Self::Note => 3.0,
            Self::Constraint | Self::Prompt => 2.0,
        }
    }

    /// The name of something, rather than prose around it.
    fn is_strong(self) -> bool {
        matches!(self, Self::Name | Self::Intent | Self::Path)
    }
}

/// A place and the texts that belong to it.
struct Candidate {
    answer: Answer,
    texts: Vec<(Field, String)>,
    /// Something was changed there; otherwise an intent only names it.
    is_recorded: bool,
}

/// What a place that an intent only names is worth, compared with one that was changed.
const PLANNED: f64 = 0.5;

pub(super) fn search(
    state: &MapState,
    intents: &[Intent],
    notes: &BTreeMap<String, String>,
    ledger: &Ledger,
    root: &Path,
    question: &Asked<'_>,
) -> Vec<Answer> {
    let words = asked(question.question);
    if words.is_empty() {
        return Vec::new();
    }
    let mut all = candidates(state, intents, notes, root);
    add_prompts(&mut all, ledger, question.prompts);
    let scores: Vec<Vec<Match>> = all.iter().map(|candidate| matches(candidate, &words)).collect();
    // A word that every place shares tells little.
    let rarity: Vec<f64> = (0..words.len())
        .map(|word| {
            let having = scores.iter().filter(|found| found.iter().any(|found| found.word == word)).count();
            (1.0 + all.len() as f64 / (having.max(1)) as f64).ln()
        })
        .collect();
    let mut answers: Vec<(usize, Answer)> = Vec::new();
    for (candidate, found) in all.into_iter().zip(scores) {
        let shared: std::collections::BTreeSet<usize> = found.iter().map(|found| found.word).collect();
        let is_strong = found.iter().any(|found| found.field.is_strong());
        let is_enough = shared.len() * 2 >= words.len() && (is_strong || shared.len() == words.len());
        if shared.is_empty() || !is_enough {
            continue;
        }
        let mut answer = candidate.answer;
        answer.score = found.iter().map(|found| found.likeness * found.field.weight() * rarity[found.word]).sum();
        let worth = if candidate.is_recorded { 1.0 } else { PLANNED };
        answer.score = (answer.score * worth * 100.0).round() / 100.0;
        answer.why = reasons(&found, &candidate.texts, &words);
        answers.push((shared.len(), answer));
    }
    let key = |answer: &Answer| (answer.intent.is_none(), answer.path.clone(), answer.line, answer.intent.clone());
    answers.sort_by(|(shared, a), (more, b)| {
        let by_score = b.score.total_cmp(&a.score);
        more.cmp(shared).then(by_score).then_with(|| key(a).cmp(&key(b)))
    });
    // One place may belong to several intents; the best reason counts.
    let mut seen = std::collections::HashSet::new();
    answers.retain(|(_, answer)| seen.insert((answer.path.clone(), answer.line, answer.name.clone())));
    answers.into_iter().map(|(_, answer)| answer).take(question.most).collect()
}

/// Every place that is known.
fn candidates(state: &MapState, intents: &[Intent], notes: &BTreeMap<String, String>, root: &Path) -> Vec<Candidate> {
    let mut all = Vec::new();
    for (id, files) in &state.intents {
        let intent = intents.iter().find(|intent| intent.id == *id);
        let own = texts_of(id, intent, notes);
        for (path, touched) in files.iter().filter(|(path, _)| state.exists(path)) {
            let place = |line: u64, end: u64| Answer {
                path: path.clone(),
                line: Some(line.max(1)),
                end: Some(end.max(1)),
                intent: (!id.is_empty()).then(|| id.clone()),
                ..empty()
            };
            let parts = state.parts(path, touched);
            for part in &parts {
                let (kind, name) = (Some(part.kind.clone()), Some(part.name.clone()));
                let answer = Answer { kind, name, ..place(part.start, part.end) };
                let texts = [(Field::Name, part.name.clone()), (Field::Path, path.clone())];
                let texts = texts.into_iter().chain(own.clone()).collect();
                all.push(Candidate { answer, texts, is_recorded: true });
            }
            if parts.is_empty() {
                // The lines may have moved since.
                let last = state.files.get(path).map_or(0, |look| look.lines);
                let (start, end) = if touched.lines.1 <= last { touched.lines } else { (1, 1) };
                let texts = [(Field::Path, path.clone())].into_iter().chain(own.clone()).collect();
                all.push(Candidate { answer: place(start, end), texts, is_recorded: true });
            }
        }
    }
    for intent in intents {
        all.extend(planned(state, intent, notes, root));
    }
    all
}

/// Where an intent may work, if nothing was recorded there yet.
fn planned<'a>(
    state: &'a MapState,
    intent: &'a Intent,
    notes: &'a BTreeMap<String, String>,
    root: &'a Path,
) -> impl Iterator<Item = Candidate> + use<'a> {
    let known = state.intents.get(&intent.id);
    let is_new = move |path: &&String| known.is_none_or(|files| !files.contains_key(path.as_str()));
    // A pattern says less than the places that were changed.
    let tells =
        move |pattern: &&String| !pattern.starts_with('!') && (known.is_none() || !pattern.contains(['*', '?', '[']));
    let scope = intent.owned_scope.iter().filter(tells);
    intent.related_files.iter().chain(scope).filter(is_new).map(move |path| {
        let line = root.join(path).is_file().then_some(1);
        let answer = Answer { path: path.clone(), line, end: line, intent: Some(intent.id.clone()), ..empty() };
        let texts = [(Field::Path, path.clone())].into_iter().chain(texts_of(&intent.id, Some(intent), notes));
        Candidate { answer, texts: texts.collect(), is_recorded: false }
    })
}

fn empty() -> Answer {
    let path = String::new();
    Answer { path, line: None, end: None, kind: None, name: None, intent: None, score: 0.0, why: Vec::new() }
}

fn texts_of(id: &str, intent: Option<&Intent>, notes: &BTreeMap<String, String>) -> Vec<(Field, String)> {
    let mut texts = Vec::new();
    if let Some(intent) = intent {
        texts.push((Field::Intent, format!("{id} {}", intent.name)));
        texts.extend(intent.constraints.iter().map(|constraint| (Field::Constraint, constraint.shown())));
        texts.extend(intent.acceptance_criteria.iter().map(|criterion| (Field::Constraint, criterion.shown())));
    } else if !id.is_empty() {
        texts.push((Field::Intent, id.to_owned()));
    }
    texts.extend(notes.get(id).map(|note| (Field::Note, note.clone())));
    texts
}

/// Adds to each place the prompts that its changes followed.
fn add_prompts(all: &mut [Candidate], ledger: &Ledger, prompts: &[PromptText]) {
    if prompts.is_empty() {
        return;
    }
    let mut of_session: HashMap<&str, Vec<&PromptText>> = HashMap::new();
    for prompt in prompts {
        of_session.entry(prompt.session.as_str()).or_default().push(prompt);
    }
    let mut led: HashMap<(String, String), Vec<&PromptText>> = HashMap::new();
    for source in ledger.sources() {
        let Ok(lines) = Ledger::read_back(&source) else { continue };
        for record in lines.take(LINES).flatten().map(|line| line.record) {
            let Some(prompt) = prompt_of(&record, &of_session) else { continue };
            for path in record.paths() {
                let known = led.entry((record.intent().unwrap_or_default().to_owned(), path.to_owned())).or_default();
                if !known.iter().any(|other| other.text == prompt.text) {
                    known.push(prompt);
                }
            }
        }
    }
    for candidate in all {
        let key = (candidate.answer.intent.clone().unwrap_or_default(), candidate.answer.path.clone());
        let texts = led.get(&key).into_iter().flatten().map(|prompt| (Field::Prompt, prompt.text.clone()));
        candidate.texts.extend(texts);
    }
}

/// The last prompt of the record's session before it.
fn prompt_of<'p>(record: &Record, prompts: &HashMap<&str, Vec<&'p PromptText>>) -> Option<&'p PromptText> {
    let own = prompts.get(record.session()?)?;
    own.iter().rev().find(|prompt| prompt.ts <= record.timestamp).copied()
}

/// A word of the question in a text of a place.
struct Match {
    word: usize,
    field: Field,
    /// Which text of the place it is.
    text: usize,
    likeness: f64,
}

/// The best match of each word in each field.
fn matches(candidate: &Candidate, words: &[String]) -> Vec<Match> {
    let mut found: Vec<Match> = Vec::new();
    for (at, (field, text)) in candidate.texts.iter().enumerate() {
        let own = split(text);
        for (word, asked) in words.iter().enumerate() {
            let likeness = own.iter().map(|other| likeness(asked, other)).fold(0.0, f64::max);
            if likeness == 0.0 {
                continue;
            }
            match found.iter_mut().find(|known| known.word == word && known.field == *field) {
                Some(known) if known.likeness >= likeness => {}
                Some(known) => (known.text, known.likeness) = (at, likeness),
                None => found.push(Match { word, field: *field, text: at, likeness }),
            }
        }
    }
    found
}

fn reasons(found: &[Match], texts: &[(Field, String)], words: &[String]) -> Vec<Reason> {
    let mut by_text: BTreeMap<(Field, usize), Vec<String>> = BTreeMap::new();
    for one in found {
        by_text.entry((one.field, one.text)).or_default().push(words[one.word].clone());
    }
    let quoted = |text: &str| {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let end = text.floor_char_boundary(QUOTED.min(text.len()));
        if end < text.len() { format!("{}…", &text[..end]) } else { text }
    };
    by_text.into_iter().map(|((what, at), words)| Reason { what, words, text: quoted(&texts[at].1) }).collect()
}
