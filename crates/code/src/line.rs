use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use crate::hash::Lines;

/// Lines from `start` to `end`, from 1, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineRange {
    pub start: usize,
    pub end: usize,
}

/// Work of the exact comparison beyond which the rest is taken as one change: lines before times lines after.
const EXACT: usize = 4_000_000;

/// Returns the lines of `after` that differ from `before`, in order. Line ends count as equal whether LF or CRLF.
/// Removed lines have no place in `after` and give no range.
pub fn changed_lines(before: &str, after: &str) -> Vec<LineRange> {
    let (before, after) = (Lines::of(before), Lines::of(after));
    let (old, new) = differing(&before, &after);
    let mut ranges = Vec::new();
    compare(&before.all()[old], &after.all()[new.clone()], new.start, &mut ranges);
    ranges
}

/// Returns which lines, counted from 0, lie between those that both texts begin with and those that both end with.
pub fn differing(before: &Lines<'_>, after: &Lines<'_>) -> (Range<usize>, Range<usize>) {
    let (old, new) = (before.all(), after.all());
    let first = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let ends = old[first..].iter().rev().zip(new[first..].iter().rev());
    let last = ends.take_while(|(one, other)| one == other).count();
    (first..old.len() - last, first..new.len() - last)
}

/// Compares the middle parts. Long ones are first cut at lines that are unique in both, as `patience` does, which is
/// linear; what lies between two cuts is compared exactly if it is short enough.
fn compare(old: &[&str], new: &[&str], offset: usize, ranges: &mut Vec<LineRange>) {
    if old.len().saturating_mul(new.len()) > EXACT {
        let mut at = (0, 0);
        let cuts = anchors(old, new);
        if cuts.is_empty() {
            return push(ranges, offset, offset + new.len());
        }
        for (one, other) in cuts.into_iter().chain([(old.len(), new.len())]) {
            let (old_part, new_part) = (&old[at.0..one], &new[at.1..other]);
            if old_part.len().saturating_mul(new_part.len()) > EXACT {
                push(ranges, offset + at.1, offset + other);
            } else {
                compare(old_part, new_part, offset + at.1, ranges);
            }
            at = (one + 1, other + 1);
        }
        return;
    }
    for op in capture_diff_slices_deadline(Algorithm::Myers, old, new, None) {
        match op {
            DiffOp::Insert { new_index, new_len, .. } | DiffOp::Replace { new_index, new_len, .. } => {
                push(ranges, offset + new_index, offset + new_index + new_len);
            }
            DiffOp::Equal { .. } | DiffOp::Delete { .. } => {}
        }
    }
}

/// Adds lines `start..end`, counted from 0, to the last range if they touch it.
fn push(ranges: &mut Vec<LineRange>, start: usize, end: usize) {
    match ranges.last_mut() {
        _ if start == end => {}
        Some(last) if last.end == start => last.end = end,
        _ => ranges.push(LineRange { start: start + 1, end }),
    }
}

/// Pairs of equal lines, each unique on its side, whose order is the same on both sides: as many as possible.
fn anchors(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    use std::collections::HashMap;
    let unique = |lines: &[&str]| {
        let mut places: HashMap<String, Option<usize>> = HashMap::with_capacity(lines.len());
        for (at, line) in lines.iter().enumerate() {
            places.entry((*line).to_owned()).and_modify(|place| *place = None).or_insert(Some(at));
        }
        places
    };
    let (left, right) = (unique(old), unique(new));
    let mut pairs: Vec<_> = left.iter().filter_map(|(line, place)| Some(((*place)?, (*right.get(line)?)?))).collect();
    pairs.sort_unstable();
    // The longest increasing subsequence of the second places.
    let mut tails: Vec<usize> = Vec::new();
    let mut previous = vec![usize::MAX; pairs.len()];
    for at in 0..pairs.len() {
        let place = tails.partition_point(|tail| pairs[*tail].1 < pairs[at].1);
        if place > 0 {
            previous[at] = tails[place - 1];
        }
        if place == tails.len() {
            tails.push(at);
        } else {
            tails[place] = at;
        }
    }
    let mut chain = Vec::with_capacity(tails.len());
    let mut at = tails.last().copied().unwrap_or(usize::MAX);
    while at != usize::MAX {
        chain.push(pairs[at]);
        at = previous[at];
    }
    chain.reverse();
    chain
}
