//! What a query finds: candidates of each channel, ranked together.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::embedder::{Embedder, embed};
use super::filters::Filters;
use super::hit::{Channel, Matched};
use super::query::Query;
use super::question::Question;
use super::rank::{admitted, by_words, newest};
use crate::Trace;
use crate::index::terms::{each_term, texts};
use crate::index::{IndexError, LineKey, Place, Vectors, View, log_hash, text_hash};
use crate::semantic::trace_text;

/// How many traces of each channel are looked at, at least.
const CANDIDATES: usize = 30;

/// Up to so many traces that a filter admits are compared by meaning one by one.
const ADMITTED: usize = 20_000;

/// How much of a question's weight a trace must have words of.
const LEAST_COVERAGE: f32 = 0.1;

/// How near a trace must be to a question by its meaning.
const LEAST_COSINE: f32 = 0.2;

/// How fast words lose to meaning when the best trace has fewer of them.
const WORDS_FALL: i32 = 4;

/// How many terms an answer repeats.
const TERMS: usize = 8;

/// A trace that was found.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) place: Place,
    pub(crate) trace: Trace,
    pub(crate) matched: Matched,
}

/// All of them, the best first.
#[derive(Clone, Debug)]
pub(crate) struct AllFound {
    pub(crate) list: Vec<Found>,
    pub(crate) channels: Vec<Channel>,
    /// What to say if none of them is told.
    pub(crate) abstained: String,
}

/// What the channels say about one trace.
#[derive(Clone, Debug)]
struct Candidate {
    place: Place,
    trace: Trace,
    matched: Matched,
    /// Its score by words, compared with the best one.
    words: f32,
    /// How much of the question's weight it has words of.
    coverage: f32,
    cosine: f32,
}

pub(crate) fn find(
    view: &View<'_>,
    query: &Query,
    dir: &Path,
    embedder: Option<&dyn Embedder>,
) -> Result<AllFound, IndexError> {
    let most = query.traces() * 4 + CANDIDATES;
    let question = Question::read(&query.text, view)?;
    if query.text.trim().is_empty() {
        return by_time(view, &query.filters, most);
    }
    let near = match embedder.and_then(|embedder| Some((embedder, Vectors::open(dir, embedder.id())?))) {
        Some((embedder, vectors)) => Some(by_meaning(view, query, embedder, vectors, most)?),
        None => None,
    };
    let mut channels = vec![Channel::Words, Channel::Trigrams];
    channels.extend(near.as_ref().map(|_| Channel::Meaning));
    let near = near.unwrap_or_default();
    let ranked = by_words(view, &question, &query.filters, most)?;
    let best = ranked.first().map_or(1.0, |first| first.score);
    let mut scores: HashMap<Place, f32> = HashMap::new();
    for one in ranked {
        scores.insert(view.place(one.doc)?, one.score / best);
    }
    let places: HashSet<Place> = scores.keys().chain(near.keys()).copied().collect();
    let mut candidates = Vec::new();
    for place in places {
        let Some(trace) = view.trace(place).filter(|trace| query.filters.admits(trace)) else { continue };
        let cosine =
            near.get(&place).filter(|near| near.1 == text_hash(&trace_text(&trace))).map_or(0.0, |near| near.0);
        let (matched, coverage) = explain(&question, &trace, cosine);
        if coverage >= LEAST_COVERAGE || cosine >= LEAST_COSINE {
            let words = scores.get(&place).copied().unwrap_or_default();
            candidates.push(Candidate { place, trace, matched, words, coverage, cosine });
        }
    }
    let list = fuse(candidates);
    let abstained = match question.wanted.is_empty() {
        true => "no trace has words of the query, or similar ones".to_owned(),
        false => "no trace is close enough to the query".to_owned(),
    };
    Ok(AllFound { list, channels, abstained })
}

fn by_time(view: &View<'_>, filters: &Filters, most: usize) -> Result<AllFound, IndexError> {
    let mut list = Vec::new();
    for one in newest(view, filters, most)? {
        let place = view.place(one.doc)?;
        if let Some(trace) = view.trace(place).filter(|trace| filters.admits(trace)) {
            list.push(Found { place, trace, matched: Matched::default() });
        }
    }
    let abstained = if filters.is_empty() { "there are no traces" } else { "no trace passes the filters" };
    Ok(AllFound { list, channels: Vec::new(), abstained: abstained.to_owned() })
}

/// The traces nearest by meaning: their cosine, and the hash of the text that was embedded.
fn by_meaning(
    view: &View<'_>,
    query: &Query,
    embedder: &dyn Embedder,
    mut vectors: Vectors,
    most: usize,
) -> Result<HashMap<Place, (f32, u64)>, IndexError> {
    let only = admitted_lines(view, &query.filters)?;
    let hashes: Vec<u32> = view.logs().iter().map(|log| log_hash(&log.name)).collect();
    let near = vectors.nearest(&embed(embedder, &query.text), most, only.as_ref())?;
    let found = near.into_iter().filter(|near| near.cosine >= LEAST_COSINE).filter_map(|near| {
        let log = hashes.iter().position(|hash| *hash == near.key.log)? as u32;
        let place = Place { log, offset: near.key.offset, length: near.key.length };
        Some((place, (near.cosine, near.key.text)))
    });
    Ok(found.collect())
}

/// The lines that a filter admits; nothing if there is no filter, or if it admits too many to list.
fn admitted_lines(view: &View<'_>, filters: &Filters) -> Result<Option<HashSet<LineKey>>, IndexError> {
    if filters.is_empty() {
        return Ok(None);
    }
    let mut lines = HashSet::new();
    for part in view.parts() {
        let admitted = admitted(view, part, filters)?.unwrap_or_default();
        for (doc, _) in (part.first..).zip(admitted).filter(|(_, is_in)| *is_in) {
            if lines.len() == ADMITTED {
                return Ok(None);
            }
            let place = view.place(doc)?;
            lines.extend(view.log(place).map(|log| (log_hash(&log.name), place.offset)));
        }
    }
    Ok(Some(lines))
}

/// Which words of the question a trace has, and how much of the question's weight they make up.
fn explain(question: &Question, trace: &Trace, cosine: f32) -> (Matched, f32) {
    let mut own = HashSet::new();
    for text in texts(trace) {
        each_term(text, |term| {
            if question.wanted.iter().any(|wanted| wanted.term == term.text) {
                own.insert(term.text.to_owned());
            }
        });
    }
    let mut matched = Matched::default();
    let mut weight = 0.0;
    let (mut exact, mut similar) = (false, false);
    for wanted in question.wanted.iter().filter(|wanted| own.contains(&wanted.term)) {
        exact |= !wanted.is_similar;
        similar |= wanted.is_similar;
        if !matched.terms.contains(&wanted.spelling) {
            matched.terms.push(wanted.spelling.clone());
            weight += wanted.weight;
        }
    }
    matched.terms.truncate(TERMS);
    let channels = [(exact, Channel::Words), (similar, Channel::Trigrams), (cosine >= LEAST_COSINE, Channel::Meaning)];
    matched.channels = channels.into_iter().filter(|(is_in, _)| *is_in).map(|(_, channel)| channel).collect();
    (matched, (weight / question.total.max(f32::MIN_POSITIVE)).min(1.0))
}

/// Orders candidates. The more of the question the best trace has words of, the more words count.
fn fuse(mut candidates: Vec<Candidate>) -> Vec<Found> {
    let best = candidates.iter().map(|one| one.words * one.coverage).fold(0.0, f32::max);
    let share = best.clamp(0.0, 1.0).powi(WORDS_FALL);
    let score = |one: &Candidate| share * one.words + (1.0 - share) * one.cosine.max(0.0);
    candidates.sort_by(|a, b| {
        score(b)
            .total_cmp(&score(a))
            .then_with(|| b.trace.timestamp.cmp(&a.trace.timestamp))
            .then(b.place.cmp(&a.place))
    });
    candidates.into_iter().map(|Candidate { place, trace, matched, .. }| Found { place, trace, matched }).collect()
}
