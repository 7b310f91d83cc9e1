//! The ranking by words: BM25 over all traces that have one of them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Filters;
use super::question::Question;
use crate::index::{IndexError, Part, Segment, View, each_posting, length_of, seconds};

/// How fast further occurrences of a word stop counting, and how much longer texts lose.
const SATURATION: f32 = 1.2;
const LENGTH_LOSS: f32 = 0.5;

/// How many entries of lists are read. Only a long question of very common words has more; its most common ones then say
/// the least and are left out.
const MOST_ENTRIES: u64 = 5_000_000;

/// A document and its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ranked {
    pub(crate) doc: u64,
    pub(crate) score: f32,
}

/// The documents that a filter admits; all of them if there is no filter.
pub(crate) fn admitted(view: &View<'_>, part: Part, filters: &Filters) -> Result<Option<Vec<bool>>, IndexError> {
    if filters.is_empty() {
        return Ok(None);
    }
    let mut all = vec![true; part.docs as usize];
    for one_of in filters.terms() {
        let mut some = vec![false; part.docs as usize];
        for term in one_of {
            view.list(part, &term, |list| Ok(each_posting(list, part.docs, |doc, _| some[doc as usize] = true)?))?;
        }
        all.iter_mut().zip(some).for_each(|(all, some)| *all &= some);
    }
    if filters.has_times() {
        // Seconds are coarser than what was asked for; the trace itself decides.
        let from = filters.from.map_or(0, seconds);
        let to = filters.to.map_or(u32::MAX, seconds);
        let times = view.times(part)?;
        all.iter_mut().zip(times).for_each(|(all, time)| *all &= (from..=to).contains(&time));
    }
    Ok(Some(all))
}

/// The best documents, the best first; of equal ones the newest.
pub(crate) fn by_words(
    view: &View<'_>,
    question: &Question,
    filters: &Filters,
    most: usize,
) -> Result<Vec<Ranked>, IndexError> {
    let parts = view.parts();
    let sizes: Vec<f32> = (0..=255).map(length_of).collect();
    let total: f64 = parts.iter().map(|part| part.terms).sum();
    let average = (total / view.docs().max(1) as f64).max(1.0) as f32;
    let loss: Vec<f32> =
        sizes.iter().map(|size| SATURATION * (1.0 - LENGTH_LOSS + LENGTH_LOSS * size / average)).collect();
    let mut left = MOST_ENTRIES;
    let wanted: Vec<_> = question
        .wanted
        .iter()
        .enumerate()
        .take_while(|(at, wanted)| {
            let fits = *at == 0 || wanted.count <= left;
            left = left.saturating_sub(wanted.count);
            fits
        })
        .map(|(_, wanted)| wanted)
        .collect();
    let mut best = Best::new(most);
    // Only documents with a word are visited: a rare word is in few of a million.
    let (mut scores, mut visited) = (vec![0.0_f32; Segment::MOST], Vec::new());
    for part in parts {
        let mut lengths = None;
        for wanted in &wanted {
            let gain = wanted.weight * (SATURATION + 1.0);
            view.list(part, &wanted.term, |list| {
                let lengths = match &mut lengths {
                    Some(lengths) => lengths,
                    none => none.insert(view.lengths(part)?),
                };
                Ok(each_posting(list, part.docs, |doc, count| {
                    let score = &mut scores[doc as usize];
                    if *score == 0.0 {
                        visited.push(doc);
                    }
                    let count = count as f32;
                    *score += gain * count / (count + loss[usize::from(lengths[doc as usize])]);
                })?)
            })?;
        }
        let admitted = if visited.is_empty() { None } else { admitted(view, part, filters)? };
        for doc in visited.drain(..) {
            let score = std::mem::take(&mut scores[doc as usize]);
            if score > best.least && admitted.as_ref().is_none_or(|admitted| admitted[doc as usize]) {
                best.push(part.first + u64::from(doc), score);
            }
        }
    }
    Ok(best.sorted())
}

/// The newest documents that a filter admits.
pub(crate) fn newest(view: &View<'_>, filters: &Filters, most: usize) -> Result<Vec<Ranked>, IndexError> {
    let mut newest: BinaryHeap<Reverse<(u32, u64)>> = BinaryHeap::new();
    for part in view.parts() {
        let admitted = admitted(view, part, filters)?;
        for (at, time) in view.times(part)?.into_iter().enumerate() {
            let key = (time, part.first + at as u64);
            let is_new = newest.len() < most || newest.peek().is_some_and(|oldest| key > oldest.0);
            if is_new && admitted.as_ref().is_none_or(|admitted| admitted[at]) {
                newest.push(Reverse(key));
                if newest.len() > most {
                    newest.pop();
                }
            }
        }
    }
    let all = newest.into_sorted_vec();
    Ok(all.into_iter().map(|Reverse((_, doc))| Ranked { doc, score: 0.0 }).collect())
}

/// The documents with the highest scores so far.
struct Best {
    most: usize,
    /// A score must be higher to matter.
    least: f32,
    all: Vec<Ranked>,
}

impl Best {
    fn new(most: usize) -> Self {
        Self { most, least: 0.0, all: Vec::with_capacity(most * 2) }
    }

    fn push(&mut self, doc: u64, score: f32) {
        self.all.push(Ranked { doc, score });
        if self.all.len() >= self.most * 2 {
            self.shrink();
            // One that is as good and newer still matters.
            self.least = self.all.last().map_or(0.0, |last| last.score.next_down());
        }
    }

    fn shrink(&mut self) {
        self.all.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(b.doc.cmp(&a.doc)));
        self.all.truncate(self.most);
    }

    fn sorted(mut self) -> Vec<Ranked> {
        self.shrink();
        self.all
    }
}
