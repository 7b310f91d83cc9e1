//! Search over traces: filters first, then words, similar words and meaning, ranked together. An answer has a budget, says
//! why each trace is in it and whether it still holds, and abstains rather than guess.
//!
//! Search never fails. Without an index it reads the end of the logs, without a model it looks for words only, and it says
//! so.

mod answer;
mod embedder;
mod filters;
mod found;
mod freshness;
mod hit;
mod query;
mod question;
mod rank;
mod standing;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use stead_hook::Precedent;

pub use answer::{Answer, SCHEMA};
pub use embedder::Embedder;
pub use filters::Filters;
pub use freshness::Freshness;
pub use hit::{Channel, Matched};
pub use query::Query;

use crate::index::{IndexError, Log, Place, Shelf, VectorKey, Vectors, View, log_hash, text_hash};
use crate::semantic::{DIMENSIONS, trace_text};
use crate::{Level, Trace, TraceBook, TraceId};
use answer::fitting;
use found::{Found, find};
pub(crate) use freshness::Tree;
use hit::{Hit, age};
use standing::Standing;

/// The folder of the index in the project's cache.
const FOLDER: &str = "memory";

/// How many texts are embedded at once.
const BATCH: usize = 32;

/// How long a query waits for another process that embeds.
const PATIENCE: Duration = Duration::from_millis(200);

/// The traces of a project, to be searched.
#[derive(Clone, Debug)]
pub struct TraceSearch {
    shelf: Shelf,
    /// Where the files are that traces are about.
    root: PathBuf,
}

impl TraceSearch {
    /// Searches a project's book with those of others in it, and the person's own. `cache` is the project's cache room, `root` the
    /// folder that anchors are relative to.
    pub fn of(book: &TraceBook, universal: Option<&TraceBook>, cache: &Path, root: &Path) -> Self {
        let shelf = Shelf { logs: Log::all(book, universal), dir: cache.join(FOLDER) };
        Self { shelf, root: root.to_owned() }
    }

    /// Answers a query; `now` is in milliseconds since 1970.
    pub fn query(&self, query: &Query, embedder: Option<&dyn Embedder>, now: i64) -> Answer {
        self.on_view(|view| self.answer(view, query, embedder, now)).unwrap_or_else(|| Answer::empty(Vec::new()))
    }

    /// The traces of this machine and of the person that hold and are still fresh, for whoever does similar work. Only words
    /// are compared.
    pub fn similar(&self, query: &Query, now: i64) -> Vec<Precedent> {
        let found = self.on_view(|view| {
            let found = find(view, query, &self.shelf.dir, None)?;
            self.hits(view, query.traces(), found.list, now)
        });
        let is_fresh = |hit: &Hit| matches!(hit.freshness, Freshness::Fresh | Freshness::Unanchored);
        let holds = |hit: &Hit| hit.superseded_by.is_none() && hit.foreign.is_none() && is_fresh(hit);
        found.unwrap_or_default().iter().filter(|hit| holds(hit)).map(|hit| hit.trace.precedent()).collect()
    }

    /// Describes one trace within the budget of the level; nothing if there is none, or it was forgotten.
    pub fn get(&self, id: &TraceId, level: Level, max_tokens: Option<usize>, now: i64) -> Option<Value> {
        let hit = self.on_view(|view| {
            for log in view.logs() {
                let Some(doc) = view.newest(log, id)? else { continue };
                let place = view.place(doc)?;
                let Some(trace) = view.trace(place).filter(|trace| trace.id == *id) else { continue };
                let standing = Standing::of(view, place, &trace)?;
                return Ok(self.hit(view, place, trace, standing, None, &mut Tree::of(&self.root), now));
            }
            Ok(None)
        })??;
        let query = Query { level, max_tokens, ..Query::default() };
        let (most, _) = query.budget(1);
        Some(fitting(&hit, level, usize::MAX, most))
    }

    /// Brings the index up to date.
    pub fn update(&self) {
        self.shelf.update(0);
    }

    /// Embeds traces that have no vector yet, the newest first, until `patience` is over. Returns how many are left.
    pub fn embed(&self, embedder: &dyn Embedder, patience: Duration) -> usize {
        self.on_view(|view| {
            let known = Vectors::open(&self.shelf.dir, embedder.id()).map_or(0, |vectors| vectors.rows());
            if known >= view.docs() {
                return Ok(0);
            }
            let Some(_lock) = self.shelf.lock(PATIENCE) else { return Ok((view.docs() - known) as usize) };
            embed_missing(view, &self.shelf.dir, embedder, patience)
        })
        .unwrap_or(0)
    }

    /// Works on all traces; on a new index if the old one is damaged, and on none if that does not help.
    fn on_view<T>(&self, mut work: impl FnMut(&View<'_>) -> Result<T, IndexError>) -> Option<T> {
        let views = [Shelf::open, Shelf::open_anew, Shelf::open_without_index];
        views.into_iter().find_map(|open| open(&self.shelf).and_then(|view| work(&view)).ok())
    }

    fn answer(
        &self,
        view: &View<'_>,
        query: &Query,
        embedder: Option<&dyn Embedder>,
        now: i64,
    ) -> Result<Answer, IndexError> {
        let found = find(view, query, &self.shelf.dir, embedder)?;
        let mut answer = Answer::empty(found.channels.clone());
        answer.partial = view.is_partial;
        let hits = self.hits(view, query.traces(), found.list, now)?;
        if hits.is_empty() {
            answer.abstained = Some(found.abstained);
            return Ok(answer);
        }
        answer.fill(&hits, query.level, query.budget(hits.len()));
        Ok(answer)
    }

    /// The first hits that still hold, then those that were replaced.
    fn hits(&self, view: &View<'_>, most: usize, found: Vec<Found>, now: i64) -> Result<Vec<Hit>, IndexError> {
        let mut tree = Tree::of(&self.root);
        let mut seen = HashSet::new();
        let (mut hits, mut replaced) = (Vec::new(), Vec::new());
        for Found { place, trace, matched } in found {
            if hits.len() == most {
                break;
            }
            let standing = Standing::of(view, place, &trace)?;
            // Of several lines with one id only the last counts, whichever ranks higher.
            if standing == Standing::Gone || !seen.insert(trace.id.clone()) {
                continue;
            }
            match standing {
                Standing::Current => hits.extend(self.hit(view, place, trace, standing, Some(matched), &mut tree, now)),
                _ => replaced.push((place, trace, standing, matched)),
            }
        }
        let left = most - hits.len();
        let describe =
            |(place, trace, standing, matched)| self.hit(view, place, trace, standing, Some(matched), &mut tree, now);
        hits.extend(replaced.into_iter().filter_map(describe).take(left));
        Ok(hits)
    }

    #[expect(clippy::too_many_arguments, reason = "what is known about a hit comes from as many places")]
    fn hit(
        &self,
        view: &View<'_>,
        place: Place,
        trace: Trace,
        standing: Standing,
        matched: Option<Matched>,
        tree: &mut Tree<'_>,
        now: i64,
    ) -> Option<Hit> {
        let superseded_by = match standing {
            Standing::Gone => return None,
            Standing::SupersededBy(id) => Some(id),
            Standing::Current => None,
        };
        let foreign = view.log(place).and_then(|log| log.peer.clone());
        let (freshness, age) = (tree.freshness(&trace.anchors), age(&trace.timestamp, now));
        Some(Hit { trace, foreign, matched, freshness, superseded_by, age })
    }
}

fn embed_missing(
    view: &View<'_>,
    dir: &Path,
    embedder: &dyn Embedder,
    patience: Duration,
) -> Result<usize, IndexError> {
    let mut vectors = Vectors::open_to_append(dir, embedder.id())?;
    let known: HashSet<_> = vectors.keys()?.into_iter().map(VectorKey::line).collect();
    let since = Instant::now();
    let mut left = 0;
    let mut batch: Vec<(VectorKey, String)> = Vec::with_capacity(BATCH);
    for doc in (0..view.docs()).rev() {
        let place = view.place(doc)?;
        let Some(log) = view.log(place) else { continue };
        let log = log_hash(&log.name);
        if known.contains(&(log, place.offset)) {
            continue;
        }
        if since.elapsed() >= patience {
            left += 1;
            continue;
        }
        let text = view.trace(place).map(|trace| trace_text(&trace)).unwrap_or_default();
        let key = VectorKey { log, length: place.length, offset: place.offset, text: text_hash(&text) };
        batch.push((key, text));
        if batch.len() == BATCH {
            embed_batch(&mut vectors, embedder, &mut batch)?;
        }
    }
    embed_batch(&mut vectors, embedder, &mut batch)?;
    Ok(left)
}

/// Adds a row for each text. An empty one gets a row too, so that the number of rows says whether one is missing.
fn embed_batch(
    vectors: &mut Vectors,
    embedder: &dyn Embedder,
    batch: &mut Vec<(VectorKey, String)>,
) -> Result<(), IndexError> {
    let texts: Vec<&str> = batch.iter().map(|(_, text)| text.as_str()).collect();
    let mut embedded = embedder.embed_all(&texts).into_iter();
    for (key, text) in batch.drain(..) {
        let vector = embedded.next().and_then(|vector| vector.try_into().ok()).unwrap_or([0.0; DIMENSIONS]);
        vectors.push(key, if text.is_empty() { &[0.0; DIMENSIONS] } else { &vector })?;
    }
    Ok(())
}
