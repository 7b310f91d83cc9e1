//! What of a change is new. A call that moves, indents or formats lines did not write them, and a text that it removes was
//! there before.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use stead_code::{Budget, Hash, Language, Lines, differing, line_hash, nodes};

use super::build::Seen;
use super::record::{FileOp, NodePart};
use crate::why::is_trivial;

/// How many removed lines a record names.
const REMOVED: usize = 5_000;

/// How often a text was there before and after.
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
    let texts: Vec<Texts<'_>> = seen.iter().map(Texts::of).collect();
    let wanted: HashSet<&str> = texts.iter().flat_map(Texts::differing).collect();
    let shapes: HashSet<(usize, u8)> = wanted.iter().map(|text| shape(text)).collect();
    let is_wanted = |line: &str| shapes.contains(&shape(line)) && wanted.contains(line);
    let own: Vec<Counts<'_>> = texts.iter().map(|texts| texts.count(is_wanted)).collect();
    let mut all = Counts::new();
    for (text, (old, new)) in own.iter().flatten() {
        let count = all.entry(text).or_default();
        *count = (count.0 + old, count.1 + new);
    }
    let found: Vec<Novelty> =
        seen.iter().zip(&texts).zip(&own).map(|((file, texts), own)| look(file, texts, own, &all)).collect();
    for (file, Novelty { kept, again, gone, parts }) in seen.iter_mut().zip(found) {
        (file.note.kept, file.note.again, file.note.gone) = (kept, again, gone);
        file.note.nodes.iter_mut().zip(parts).for_each(|(node, part)| node.part = part);
    }
}

/// Returns true if it is known what was there before.
fn is_compared(file: &Seen<'_>) -> bool {
    file.old.is_some() || file.note.op == FileOp::Add
}

/// Most lines of a file differ in this from the few that a call changed.
fn shape(text: &str) -> (usize, u8) {
    (text.len(), text.as_bytes().last().copied().unwrap_or_default())
}

/// The lines of a file before and after; none if it is not known what was there before.
struct Texts<'a> {
    old: Lines<'a>,
    new: Lines<'a>,
}

impl<'a> Texts<'a> {
    fn of(file: &'a Seen<'_>) -> Self {
        let lines = |text: &'a Option<Cow<'_, str>>| {
            Lines::of(text.as_deref().filter(|_| is_compared(file)).unwrap_or_default())
        };
        Self { old: lines(&file.old), new: lines(&file.new) }
    }

    /// The lines of which there can be more or fewer than before, without the blanks around them. Lines that cannot be
    /// told from others do not count.
    fn differing(&self) -> impl Iterator<Item = &'a str> {
        let (old, new) = differing(&self.old, &self.new);
        let lines = self.old.all()[old].iter().chain(&self.new.all()[new]);
        lines.map(|line| line.trim()).filter(|line| !is_trivial(line))
    }

    fn count(&self, is_wanted: impl Fn(&str) -> bool) -> Counts<'a> {
        let mut counts = Counts::new();
        let wanted = |lines: &Lines<'a>| -> Vec<&'a str> {
            lines.all().iter().map(|line| line.trim()).filter(|line| is_wanted(line)).collect()
        };
        wanted(&self.old).into_iter().for_each(|text| counts.entry(text).or_default().0 += 1);
        wanted(&self.new).into_iter().for_each(|text| counts.entry(text).or_default().1 += 1);
        counts
    }
}

fn look<'a>(file: &Seen<'_>, texts: &Texts<'a>, own: &Counts<'a>, all: &Counts<'a>) -> Novelty {
    let mut novelty = Novelty::default();
    if !is_compared(file) {
        return novelty;
    }
    let count = |text: &str| all.get(text).copied().unwrap_or_default();
    let lines = &texts.new;
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
    let mut written: HashSet<usize> = HashSet::new();
    let (mut kept, mut again) = (HashSet::new(), HashSet::new());
    for (number, text) in &changed {
        if is_trivial(text) {
            continue;
        }
        if laid_out.contains(number) || is_moved(text) {
            kept.insert(*text);
        } else {
            written.insert(*number);
            again.extend((count(text).0 > 0).then_some(*text));
        }
    }
    let is_own =
        |number: usize| written.contains(&number) || lines.all().get(number - 1).is_none_or(|line| is_trivial(line));
    let part = |(start, end, unchanged): (u64, u64, bool)| match unchanged {
        true => NodePart::Unchanged,
        false if (start as usize..=end as usize).all(is_own) => NodePart::Whole,
        false => NodePart::Part,
    };
    let nodes = file.note.nodes.iter().zip(unchanged).map(|(node, unchanged)| (node.start, node.end, unchanged));
    novelty.parts = nodes.map(part).collect();
    let mut removed: Vec<&str> = Vec::new();
    for (text, (old, new)) in own.iter().filter(|(_, (old, new))| new < old) {
        removed.extend(std::iter::repeat_n(*text, old - new));
        // Of several copies nobody knows which one is gone.
        again.extend((*old > 1).then_some(*text));
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
