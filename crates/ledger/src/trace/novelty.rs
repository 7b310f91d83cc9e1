//! What of a change is new. A call that moves, indents or formats lines did not write them, and a text that it removes was
//! there before.

use std::collections::{HashMap, HashSet};

use stead_code::{Budget, Hash, Language, Lines, line_hash, nodes};

use super::build::Seen;
use super::record::{FileOp, NodePart};
use crate::why::is_trivial;

/// How many removed lines a record names.
const REMOVED: usize = 5_000;

/// How often a text was there before and after, in all files of the call.
type Counts<'a> = HashMap<&'a str, (usize, usize)>;

/// What is found out about one file.
#[derive(Default)]
struct Novelty {
    kept: String,
    again: String,
    gone: String,
    parts: Vec<NodePart>,
}

/// Notes for each file which of its changed lines are not new, which lines are gone, and which nodes were written as a
/// whole. Lines that move between files of the same call count as moved.
pub(super) fn mark(seen: &mut [Seen<'_>]) {
    let mut counts: Counts<'_> = HashMap::new();
    for file in seen.iter().filter(|file| is_compared(file)) {
        texts(file.old.as_deref()).for_each(|text| counts.entry(text).or_default().0 += 1);
        texts(file.new.as_deref()).for_each(|text| counts.entry(text).or_default().1 += 1);
    }
    let found: Vec<Novelty> = seen.iter().map(|file| look(file, &counts)).collect();
    for (file, Novelty { kept, again, gone, parts }) in seen.iter_mut().zip(found) {
        (file.note.kept, file.note.again, file.note.gone) = (kept, again, gone);
        file.note.nodes.iter_mut().zip(parts).for_each(|(node, part)| node.part = part);
    }
}

/// Returns true if it is known what was there before.
fn is_compared(file: &Seen<'_>) -> bool {
    file.old.is_some() || file.note.op == FileOp::Add
}

/// The lines that can be told from others, without the blanks around them.
fn texts(text: Option<&str>) -> impl Iterator<Item = &str> {
    text.unwrap_or_default().lines().map(str::trim).filter(|line| !is_trivial(line))
}

fn look(file: &Seen<'_>, counts: &Counts<'_>) -> Novelty {
    let mut novelty = Novelty::default();
    if !is_compared(file) {
        return novelty;
    }
    let count = |text: &str| counts.get(text).copied().unwrap_or_default();
    let lines = Lines::of(file.new.as_deref().unwrap_or_default());
    let numbers = file.ranges.iter().flat_map(|range| range.start_line as usize..=range.end_line as usize);
    let changed: Vec<(usize, &str)> =
        numbers.filter_map(|number| Some((number, lines.all().get(number - 1)?.trim()))).collect();
    let mut here: HashMap<&str, usize> = HashMap::new();
    changed.iter().for_each(|(_, text)| *here.entry(text).or_default() += 1);
    let is_moved = |text: &str| {
        let (old, new) = count(text);
        old > 0 && new.saturating_sub(old) < here.get(text).copied().unwrap_or(0)
    };
    let unchanged = unchanged_nodes(file);
    let mut laid_out: HashSet<usize> = HashSet::new();
    for (node, _) in file.note.nodes.iter().zip(&unchanged).filter(|(_, unchanged)| **unchanged) {
        laid_out.extend(node.start as usize..=node.end as usize);
    }
    let mut own: HashSet<usize> = HashSet::new();
    let (mut kept, mut again) = (HashSet::new(), HashSet::new());
    for (number, text) in &changed {
        if is_trivial(text) {
            continue;
        }
        if laid_out.contains(number) || is_moved(text) {
            kept.insert(*text);
        } else {
            own.insert(*number);
            again.extend((count(text).0 > 0).then_some(*text));
        }
    }
    let is_own =
        |number: usize| own.contains(&number) || lines.all().get(number - 1).is_none_or(|line| is_trivial(line));
    let part = |(start, end, unchanged): (u64, u64, bool)| match unchanged {
        true => NodePart::Unchanged,
        false if (start as usize..=end as usize).all(is_own) => NodePart::Whole,
        false => NodePart::Part,
    };
    let nodes = file.note.nodes.iter().zip(unchanged).map(|(node, unchanged)| (node.start, node.end, unchanged));
    novelty.parts = nodes.map(part).collect();
    let mut own: HashMap<&str, (usize, usize)> = HashMap::new();
    texts(file.old.as_deref()).for_each(|text| own.entry(text).or_default().0 += 1);
    texts(file.new.as_deref()).for_each(|text| own.entry(text).or_default().1 += 1);
    let mut removed: Vec<&str> = Vec::new();
    for (text, (old, new)) in own.into_iter().filter(|(_, (old, new))| new < old) {
        removed.extend(std::iter::repeat_n(text, old - new));
        // Of several copies nobody knows which one is gone.
        again.extend((old > 1).then_some(text));
    }
    removed.sort_unstable();
    novelty.gone = hashes(removed.into_iter().take(REMOVED));
    novelty.again = hashes(again.difference(&kept).copied());
    novelty.kept = hashes(kept.into_iter());
    novelty
}

/// Hashes in order, so that the same change gives the same record.
fn hashes<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut hashes: Vec<String> = texts.map(|text| line_hash(text).to_string()).collect();
    hashes.sort_unstable();
    hashes.concat()
}

/// For each node, whether the file had the same one before, but for layout and local names.
fn unchanged_nodes(file: &Seen<'_>) -> Vec<bool> {
    let notes = &file.note.nodes;
    let old = file.old.as_deref().unwrap_or_default();
    let language = Language::of(file.note.from.as_deref().unwrap_or(&file.note.path), old);
    let (Some(language), false) = (language, notes.is_empty() || old.is_empty()) else {
        return vec![false; notes.len()];
    };
    let before = nodes(language, old, &Budget::default()).unwrap_or_default();
    let before: HashSet<(String, Hash)> = before
        .into_iter()
        .filter_map(|node| Some((node.name, node.normal?)))
        .filter(|(name, _)| !name.is_empty())
        .collect();
    let is_unchanged = |name: &str, normal: Option<&str>| {
        let normal = normal.and_then(|normal| normal.parse().ok());
        normal.is_some_and(|normal| before.contains(&(name.to_owned(), normal)))
    };
    notes.iter().map(|note| is_unchanged(&note.name, note.normal.as_deref())).collect()
}
