//! Lines that are not where they were recorded, and lines that only the lines around them can tell.

use std::collections::HashMap;
use std::rc::Rc;

use stead_code::line_hash;
use stead_store::read_capped;

use super::held::{Held, HeldFile};
use super::inquiry::{ASKED, How, Inquiry, Own, single_owner};

/// How far a line that is sure vouches for others.
const REACH: usize = 200;
/// The longest file that is looked into.
const LONGEST: usize = 16 * 1024 * 1024;

impl Inquiry<'_> {
    /// How many lines of a file have a text; none if there is no such file.
    pub(super) fn count_in(&self, path: &str, key: u64) -> usize {
        if let Some(counts) = self.counts.borrow().get(path) {
            return counts.get(&key).copied().unwrap_or(0);
        }
        let bytes = read_capped(&self.root.join(path), LONGEST).ok().flatten().unwrap_or_default();
        let mut counts: HashMap<u64, usize> = HashMap::new();
        for line in String::from_utf8_lossy(&bytes).lines() {
            *counts.entry(line_hash(line).0).or_default() += 1;
        }
        let count = counts.get(&key).copied().unwrap_or(0);
        self.counts.borrow_mut().insert(path.to_owned(), Rc::new(counts));
        count
    }

    /// Returns true if a text that moved here is in no other file; not if that cannot be found out.
    pub(super) fn is_nowhere_else(&self, line: usize) -> bool {
        let Some(key) = self.keys.get(line) else { return false };
        if !self.searched.borrow().contains_key(key) {
            self.search(&[line]);
        }
        self.searched.borrow().get(key) == Some(&true)
    }

    /// Searches for all lines that moved here.
    pub(super) fn search_moved(&self) {
        let is_moved = |line: &usize| matches!(self.own(*line), Own::Moved(_));
        let moved: Vec<usize> = (0..self.keys.len()).filter(is_moved).collect();
        if !moved.is_empty() {
            self.search(&moved);
        }
    }

    fn search(&self, lines: &[usize]) {
        if *self.searches.borrow() >= ASKED {
            return;
        }
        *self.searches.borrow_mut() += 1;
        let text = |line: &usize| Some((*self.keys.get(*line)?, self.lines.get(*line)?.trim()));
        let asked: Vec<(u64, &str)> = lines.iter().filter_map(text).collect();
        let texts: Vec<&str> = asked.iter().map(|(_, text)| *text).collect();
        let Some(found) = self.history.occurrences(&texts) else { return };
        let mut elsewhere: HashMap<u64, Vec<String>> = HashMap::new();
        for (path, line) in found.into_iter().filter(|(path, _)| path != self.path) {
            elsewhere.entry(line_hash(&line).0).or_default().push(path);
        }
        let mut searched = self.searched.borrow_mut();
        for (key, _) in asked {
            let homes = &self.text_of(key).homes;
            let others = elsewhere.get(&key).map(Vec::as_slice).unwrap_or_default();
            searched.insert(key, others.iter().all(|path| homes.contains_key(path)));
        }
    }

    /// A line within lines that a call wrote in this order, next to one that is sure.
    pub(super) fn by_range(&self, line: usize) -> Option<(Rc<Held>, How)> {
        let key = *self.keys.get(line)?;
        if !self.is_trivial(line) {
            let text = self.text_of(key);
            // What was removed from between its neighbours may have been typed there again.
            if text.was_removed || !self.is_accounted_for(line, key, &text) {
                return None;
            }
            let aliases = self.aliases(line);
            if !text.homes.keys().any(|home| aliases.contains(home.as_str())) && !self.is_nowhere_else(line) {
                return None;
            }
        }
        let above = (line.saturating_sub(REACH)..line).rev();
        let below = line + 1..self.keys.len().min(line + REACH);
        let claims = [self.vouched(line, above), self.vouched(line, below)];
        let held = single_owner(claims.iter().flatten())?;
        (!self.predates(line, &held)).then_some((held, How::Range))
    }

    /// The record of the nearest line that is sure, if its range goes on to this line.
    fn vouched(&self, line: usize, others: impl Iterator<Item = usize>) -> Option<Rc<Held>> {
        for other in others {
            let (held, file) = match self.own(other) {
                Own::Sure(claim) => claim,
                Own::Moved(claim) if self.is_nowhere_else(other) => claim,
                _ => continue,
            };
            let file = held.files.get(file)?;
            return (self.may_come_from(file, &held, line) && self.reaches(file, &held, other, line)).then_some(held);
        }
        None
    }

    /// Returns true if a text may be the one that a record added to a file: the file is this one, or misses it now, and this
    /// one has none of its own.
    fn may_come_from(&self, file: &HeldFile, held: &Held, line: usize) -> bool {
        let Some(key) = self.keys.get(line) else { return false };
        let aliases = self.aliases(line);
        let home = self.home(&file.path, held.order);
        if self.is_trivial(line) || aliases.contains(home.as_str()) {
            return true;
        }
        let homes = &self.text_of(*key).homes;
        let is_missing = homes.get(&home).is_some_and(|live| *live > self.count_in(&home, *key) as isize);
        is_missing && !homes.keys().any(|home| aliases.contains(home.as_str()))
    }

    /// Returns true if a range has the lines from one to the other, and no other line could be the second.
    fn reaches(&self, file: &HeldFile, held: &Rc<Held>, from: usize, to: usize) -> bool {
        let Some(key) = self.keys.get(from) else { return false };
        file.ranges.iter().any(|(_, hashes)| {
            let starts = hashes.iter().enumerate().filter(|(_, hash)| *hash == key).map(|(at, _)| at);
            starts.into_iter().any(|at| {
                let target = (at + to).checked_sub(from);
                target.is_some_and(|target| {
                    self.matches(file, hashes, from, at, to) && !self.is_claimed(file, hashes, held, from, to, target)
                })
            })
        })
    }

    /// Returns true if the lines between two are those of the range between two places, all of them new.
    fn matches(&self, file: &HeldFile, hashes: &[u64], from: usize, at: usize, to: usize) -> bool {
        let (first, last) = (from.min(to), from.max(to));
        (first..=last).all(|line| {
            let hash = (at + line).checked_sub(from).and_then(|at| hashes.get(at));
            hash.is_some() && hash == self.keys.get(line) && hash.is_some_and(|hash| !file.kept.contains(hash))
        })
    }

    /// Returns true if a sure line on the other side vouches for another line in the same place of the range.
    fn is_claimed(
        &self,
        file: &HeldFile,
        hashes: &[u64],
        held: &Rc<Held>,
        from: usize,
        to: usize,
        target: usize,
    ) -> bool {
        let beyond: Vec<usize> = match from < to {
            true => (target + 1..hashes.len()).collect(),
            false => (0..target).rev().collect(),
        };
        for at in beyond.into_iter().take(REACH) {
            let Some([line]) = hashes.get(at).and_then(|hash| self.places.get(hash)).map(Vec::as_slice) else {
                continue;
            };
            if !matches!(self.own(*line), Own::Sure((other, _)) | Own::Moved((other, _)) if Rc::ptr_eq(&other, held)) {
                continue;
            }
            let Some(claimed) = (line + target).checked_sub(at) else { return false };
            return claimed != to && self.matches(file, hashes, *line, at, claimed);
        }
        false
    }
}
