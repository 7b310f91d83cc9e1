//! What the ledger knows about a text: who added it, where it should be, and whether there was another copy of it.

use std::collections::HashMap;
use std::rc::Rc;

use super::books::Found;
use super::held::Order;
use super::inquiry::{Claim, Inquiry};
use super::key::{Kind, text_key};

/// What the ledger knows about a text.
pub(super) struct Text {
    /// Records that added it, and which of their files.
    pub(super) adds: Vec<Claim>,
    /// For each place it was added at: how many of it should be there now, by the ledger.
    pub(super) homes: HashMap<String, isize>,
    /// A call removed or moved a copy.
    pub(super) was_removed: bool,
    /// A copy was there that no record added.
    pub(super) is_foreign: bool,
}

impl Text {
    /// Returns true if, by the ledger, there should be a copy, and none from elsewhere. Of two copies nobody knows which
    /// one a call added: a comparison may take the one for the other.
    pub(super) fn is_alive(&self, key: u64) -> bool {
        let is_again = |(held, file): &Claim| held.files.get(*file).is_some_and(|file| file.again.contains(&key));
        !self.is_foreign && !self.adds.iter().any(is_again) && self.homes.values().any(|live| *live > 0)
    }
}

impl Inquiry<'_> {
    pub(super) fn text_of(&self, key: u64) -> Rc<Text> {
        if let Some(text) = self.texts.borrow().get(&key) {
            return text.clone();
        }
        let text = Rc::new(self.find_text(key));
        self.texts.borrow_mut().insert(key, text.clone());
        text
    }

    fn find_text(&self, key: u64) -> Text {
        let mut text = Text { adds: Vec::new(), homes: HashMap::new(), was_removed: false, is_foreign: false };
        let added = match self.books.find(Kind::Added, key) {
            Found::Records(added) if added.is_empty() => return text,
            Found::Records(added) => added,
            Found::TooMany => return Text { is_foreign: true, ..text },
        };
        let Found::Records(removed) = self.books.find(Kind::Removed, key) else {
            return Text { is_foreign: true, ..text };
        };
        for held in added {
            for (at, file) in held.files.iter().enumerate() {
                let count = file.count(key);
                if count > 0 {
                    *text.homes.entry(self.home(&file.path, held.order)).or_default() += count as isize;
                    text.adds.push((held.clone(), at));
                }
            }
        }
        for held in removed {
            for (path, count) in held.removed_from(key) {
                let home = self.home(path, held.order);
                let is_known = text.adds.iter().any(|(add, at)| {
                    let added = add.files.get(*at).map(|file| self.home(&file.path, add.order));
                    add.order < held.order && added.as_ref() == Some(&home)
                });
                let is_one_of_many = held.files.iter().any(|file| file.path == path && file.again.contains(&key));
                text.was_removed = true;
                text.is_foreign |= !is_known || is_one_of_many;
                *text.homes.entry(home).or_default() -= count;
                // Within a call it may have moved to another file.
                let mut to = held.files.iter().filter(|file| file.path != path && file.kept.contains(&key));
                if let Some(file) = to.next() {
                    *text.homes.entry(self.home(&file.path, held.order)).or_default() += count;
                    text.is_foreign |= to.next().is_some();
                }
            }
        }
        text
    }

    /// Where a file of a record is now, as far as the ledger saw renames.
    pub(super) fn home(&self, path: &str, since: Order) -> String {
        if let Some(home) = self.homes.borrow().get(&(path.to_owned(), since)) {
            return home.clone();
        }
        let home = self.find_home(path, since);
        self.homes.borrow_mut().insert((path.to_owned(), since), home.clone());
        home
    }

    fn find_home(&self, path: &str, mut since: Order) -> String {
        let mut home = path.to_owned();
        for _ in 0..16 {
            let Found::Records(renames) = self.books.find(Kind::From, text_key(&home)) else { break };
            let to = renames.iter().filter(|held| held.order >= since).find_map(|held| {
                let to = held.renamed(&home)?;
                Some((to.to_owned(), held.order))
            });
            match to {
                Some((to, order)) if to != home => (home, since) = (to, order),
                _ => break,
            }
        }
        home
    }

    /// Returns true if the file has no more copies of a text than the ledger expects in it, or misses elsewhere.
    pub(super) fn is_accounted_for(&self, line: usize, key: u64, text: &Text) -> bool {
        if !text.is_alive(key) {
            return false;
        }
        let here = self.places.get(&key).map_or(0, Vec::len) as isize;
        let aliases = self.aliases(line);
        let mut at_home = text.homes.iter().filter(|(home, _)| aliases.contains(home.as_str())).peekable();
        // A home with too many has what another one misses.
        let missing = |(home, live): (&String, &isize)| live - self.count_in(home, key) as isize;
        match at_home.peek() {
            Some(_) => here <= at_home.map(|(_, live)| *live).sum(),
            None => here <= text.homes.iter().map(missing).sum(),
        }
    }
}
