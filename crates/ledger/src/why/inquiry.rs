use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;

use stead_code::{Lines, Node, file_hash, line_hash};

use super::books::{Books, Found};
use super::held::{Held, HeldFile, Order};
use super::history::{Ancestry, History, Origin};
use super::key::{Kind, hash_key};
use super::text::Text;
use super::trivial::is_trivial;
use crate::trace::{ContributorKind, NodeNote, NodePart};

stead_model::named! {
    /// Who wrote a line.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Class {
        Agent = "agent",
        /// A person, seen between two calls.
        Human = "human",
        /// There is no evidence, or it is ambiguous.
        Unknown = "unknown",
    }
}

stead_model::named! {
    /// What the answer rests on.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum How {
        /// The file is as the call left it.
        File = "file",
        /// The text of the line.
        Line = "line",
        /// The text of the line, which is in another file now and nowhere else.
        Moved = "moved",
        /// The lines around it, as the call wrote them.
        Range = "range",
        /// The syntax around it, as the call wrote it.
        Node = "node",
        Nothing = "none",
    }
}

/// The answer for one line.
#[derive(Clone, Debug)]
pub struct Answer {
    pub class: Class,
    pub how: How,
    /// The record behind it.
    pub held: Option<Rc<Held>>,
}

impl Answer {
    pub const UNKNOWN: Self = Self { class: Class::Unknown, how: How::Nothing, held: None };
}

/// How often git is asked about ancestors, and for other places of a text.
pub(super) const ASKED: usize = 3;

/// Questions about the lines of one file.
pub struct Inquiry<'a> {
    pub(super) books: &'a Books,
    pub(super) history: &'a dyn History,
    /// The checkout that the file is in.
    pub(super) root: &'a Path,
    pub(super) path: &'a str,
    pub(super) text: &'a str,
    pub(super) lines: Vec<&'a str>,
    pub(super) keys: Vec<u64>,
    /// Where each text is.
    pub(super) places: HashMap<u64, Vec<usize>>,
    pub(super) origins: HashMap<usize, Origin>,
    /// The records that left the file as it is now, and which of their files it is.
    states: Vec<Claim>,
    pub(super) nodes: OnceCell<Vec<Node>>,
    pub(super) texts: RefCell<HashMap<u64, Rc<Text>>>,
    pub(super) counts: RefCell<HashMap<String, Rc<HashMap<u64, usize>>>>,
    pub(super) searched: RefCell<HashMap<u64, bool>>,
    pub(super) searches: RefCell<usize>,
    owns: RefCell<HashMap<usize, Own>>,
    pub(super) homes: RefCell<HashMap<(String, Order), String>>,
    pub(super) ancestry: RefCell<(HashSet<String>, Ancestry, usize)>,
    pub(super) contained: RefCell<HashMap<(String, String), Option<bool>>>,
}

/// A record, and which of its files.
pub(super) type Claim = (Rc<Held>, usize);

/// What the text of a line says by itself.
#[derive(Clone)]
pub(super) enum Own {
    Nothing,
    /// Only the lines or the syntax around it can tell.
    Ambiguous,
    Sure(Claim),
    /// It is gone from where it was recorded; sure if it is nowhere else.
    Moved(Claim),
}

impl<'a> Inquiry<'a> {
    /// `path` is relative to `root`. `origins` is what git says about lines, counted from 0, as far as it was asked.
    pub fn new(
        books: &'a Books,
        history: &'a dyn History,
        root: &'a Path,
        path: &'a str,
        text: &'a str,
        origins: HashMap<usize, Origin>,
    ) -> Self {
        let lines = Lines::of(text).all().to_vec();
        let keys: Vec<u64> = lines.iter().map(|line| line_hash(line).0).collect();
        let mut places: HashMap<u64, Vec<usize>> = HashMap::with_capacity(keys.len());
        for (at, key) in keys.iter().enumerate() {
            places.entry(*key).or_default().push(at);
        }
        let mut inquiry = Self {
            books,
            history,
            root,
            path,
            text,
            lines,
            keys,
            places,
            origins,
            states: Vec::new(),
            nodes: OnceCell::new(),
            texts: RefCell::default(),
            counts: RefCell::default(),
            searched: RefCell::default(),
            searches: RefCell::default(),
            owns: RefCell::default(),
            homes: RefCell::default(),
            ancestry: RefCell::default(),
            contained: RefCell::default(),
        };
        inquiry.states = inquiry.find_states();
        inquiry
    }

    pub fn len(&self) -> usize {
        self.lines.len()
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Answers for every line.
    pub fn all(&self) -> Vec<Answer> {
        self.load_ancestry();
        self.search_moved();
        (0..self.lines.len()).map(|line| self.answer(line)).collect()
    }

    /// Answers for one line, counted from 0.
    pub fn answer(&self, line: usize) -> Answer {
        let found = self
            .by_file(line)
            .or_else(|| self.by_line(line))
            .or_else(|| self.by_range(line))
            .or_else(|| self.by_node(line));
        let Some((held, how)) = found else { return Answer::UNKNOWN };
        match held.record.contributor() {
            ContributorKind::Ai => Answer { class: Class::Agent, how, held: Some(held) },
            ContributorKind::Human => Answer { class: Class::Human, how, held: Some(held) },
            ContributorKind::Mixed | ContributorKind::Unknown => Answer::UNKNOWN,
        }
    }

    fn find_states(&self) -> Vec<Claim> {
        let hash = file_hash(self.text.as_bytes()).to_string();
        let Some(Found::Records(found)) = hash_key(&hash).map(|key| self.books.find(Kind::After, key)) else {
            return Vec::new();
        };
        let mut states = Vec::new();
        for held in found {
            for (at, file) in held.files.iter().enumerate() {
                // A copy beside the original is not the call's.
                let home = self.home(&file.path, held.order);
                if file.after.as_deref() == Some(&hash) && (home == self.path || !self.root.join(&home).exists()) {
                    states.push((held.clone(), at));
                }
            }
        }
        states
    }

    /// The file is as a call left it, so the numbers of its lines are still right.
    fn by_file(&self, line: usize) -> Option<(Rc<Held>, How)> {
        let key = *self.keys.get(line)?;
        let is_trivial = self.is_trivial(line);
        let claims = self.states.iter().filter(|(held, file)| {
            let adds = |file: &HeldFile| file.added_at(line, key) && (!is_trivial || self.is_within(file, line));
            held.files.get(*file).is_some_and(adds) && !self.predates(line, held)
        });
        let held = single_owner(claims.map(|(held, _)| held))?;
        let text = self.text_of(key);
        // A text that was removed since may be anybody's now.
        (is_trivial || text.is_alive(key)).then_some((held, How::File))
    }

    /// Returns true unless a line lies in or next to lines that the call only moved or formatted.
    fn is_within(&self, file: &HeldFile, line: usize) -> bool {
        let is_laid_out =
            |node: &NodeNote| node.part == NodePart::Unchanged && (node.start..=node.end).contains(&(line as u64 + 1));
        let around = [line.checked_sub(1), line.checked_add(1)].into_iter().flatten();
        let mut keys = around.filter_map(|line| self.keys.get(line));
        !file.nodes.iter().any(is_laid_out) && !keys.any(|key| file.kept.contains(key))
    }

    fn by_line(&self, line: usize) -> Option<(Rc<Held>, How)> {
        match self.own(line) {
            Own::Sure((held, _)) => Some((held, How::Line)),
            Own::Moved((held, _)) => self.is_nowhere_else(line).then_some((held, How::Moved)),
            Own::Nothing | Own::Ambiguous => None,
        }
    }

    pub(super) fn is_trivial(&self, line: usize) -> bool {
        self.lines.get(line).is_none_or(|line| is_trivial(line))
    }

    /// What the text of a line says by itself.
    pub(super) fn own(&self, line: usize) -> Own {
        if let Some(own) = self.owns.borrow().get(&line) {
            return own.clone();
        }
        let own = self.find_own(line);
        self.owns.borrow_mut().insert(line, own.clone());
        own
    }

    fn find_own(&self, line: usize) -> Own {
        let Some(key) = self.keys.get(line).copied() else { return Own::Nothing };
        if self.is_trivial(line) {
            return Own::Nothing;
        }
        let text = self.text_of(key);
        if text.adds.is_empty() || text.is_foreign {
            return Own::Nothing;
        }
        let candidates: Vec<&Claim> = text.adds.iter().filter(|(held, _)| !self.predates(line, held)).collect();
        if single_owner(candidates.iter().map(|(held, _)| held)).is_none() {
            return Own::Ambiguous;
        }
        let aliases = self.aliases(line);
        let home_of = |(held, file): &Claim| held.files.get(*file).map(|file| self.home(&file.path, held.order));
        let newest = |is_there: &dyn Fn(&str) -> bool| {
            let there = candidates.iter().filter(|claim| home_of(claim).is_some_and(|home| is_there(&home)));
            there.max_by_key(|(held, _)| held.order).map(|claim| (*claim).clone())
        };
        let is_missing =
            |home: &str| text.homes.get(home).is_some_and(|live| *live > self.count_in(home, key) as isize);
        let at_home = || newest(&|home| aliases.contains(home)).map(Own::Sure);
        let moved = || newest(&|home| !aliases.contains(home) && is_missing(home)).map(Own::Moved);
        let found = match self.is_accounted_for(line, key, &text) {
            false => None,
            true => at_home().or_else(moved),
        };
        found.unwrap_or(Own::Ambiguous)
    }
}

/// The newest of records, if all have the same owner.
pub(super) fn single_owner<'h>(records: impl Iterator<Item = &'h Rc<Held>>) -> Option<Rc<Held>> {
    let mut newest: Option<&Rc<Held>> = None;
    for held in records {
        match newest {
            Some(other) if other.owner() != held.owner() => return None,
            Some(other) if other.order > held.order => {}
            _ => newest = Some(held),
        }
    }
    newest.cloned()
}
