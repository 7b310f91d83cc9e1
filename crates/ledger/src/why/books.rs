use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use stead_store::StoreError;

use super::held::Held;
use super::key::{Kind, text_key};
use super::shelf::Shelf;
use crate::trace::Ledger;

/// How many records with the same key are looked at. More say that the text is anybody's.
pub(super) const MOST: usize = 64;

/// Records that were read, by shelf and line; `None` for a line that is none.
type HeldRecords = HashMap<(usize, u32), Option<Rc<Held>>>;

/// All files of a ledger, this machine's and those of others, to be asked by hash.
pub struct Books {
    shelves: RefCell<Vec<Shelf>>,
    held: RefCell<HeldRecords>,
}

/// What was found for a key.
pub(super) enum Found {
    Records(Vec<Rc<Held>>),
    /// More than anybody could tell apart.
    TooMany,
}

impl Books {
    /// The folder of the indexes, below the cache.
    pub const INDEX: &str = "ledger-index";

    /// Opens a ledger. `cache` is the folder of what can be made again.
    pub fn open(ledger: &Ledger, cache: &Path) -> Result<Self, StoreError> {
        let indexes = cache.join(Self::INDEX);
        let mut shelves = Vec::new();
        for source in ledger.sources() {
            shelves.extend(Shelf::open(&source, &indexes)?);
        }
        Ok(Self { shelves: RefCell::new(shelves), held: RefCell::default() })
    }

    /// The records with a key, oldest first; those that a later record replaces are left out.
    pub(super) fn find(&self, kind: Kind, key: u64) -> Found {
        let mut places = Vec::new();
        for (shelf, at) in self.shelves.borrow_mut().iter_mut().zip(0..) {
            places.extend(shelf.find(kind, key).into_iter().map(|record| (at, record)));
        }
        if places.len() > MOST {
            return Found::TooMany;
        }
        let mut found: Vec<Rc<Held>> = places.into_iter().filter_map(|place| self.held(place)).collect();
        found.retain(|held| !self.is_replaced(held));
        found.sort_by_key(|held| held.order);
        Found::Records(found)
    }

    fn is_replaced(&self, held: &Held) -> bool {
        let key = text_key(&held.record.id);
        self.shelves.borrow_mut().iter_mut().any(|shelf| !shelf.find(Kind::Of, key).is_empty())
    }

    fn held(&self, place: (usize, u32)) -> Option<Rc<Held>> {
        if let Some(held) = self.held.borrow().get(&place) {
            return held.clone();
        }
        let mut shelves = self.shelves.borrow_mut();
        let shelf = shelves.get_mut(place.0)?;
        let peer = shelf.peer.clone();
        let held = shelf.record(place.1).map(|record| Rc::new(Held::of(record, peer, place)));
        self.held.borrow_mut().insert(place, held.clone());
        held
    }
}
