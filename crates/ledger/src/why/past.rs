//! What git knows about the age of a line.

use std::collections::BTreeSet;

use super::held::Held;
use super::inquiry::{ASKED, Inquiry};

impl Inquiry<'_> {
    /// The paths that the file has, or had according to git.
    pub(super) fn aliases(&self, line: usize) -> BTreeSet<&str> {
        // One line may have been asked about for all.
        let origin =
            self.origins.get(&line).or_else(|| self.origins.values().next().filter(|_| self.origins.len() == 1));
        [Some(self.path), origin.and_then(|origin| origin.path.as_deref())].into_iter().flatten().collect()
    }

    /// Returns true if git had the line before a record was made.
    pub(super) fn predates(&self, line: usize, held: &Held) -> bool {
        let Some(origin) = self.origins.get(&line) else { return false };
        let Some(commit) = &origin.commit else { return false };
        let (recorded, committed) = (held.order.0, origin.time.saturating_mul(1000));
        let revision = held.record.vcs.as_ref().map(|vcs| vcs.revision.as_str()).filter(|id| !id.is_empty());
        if revision == Some(commit) {
            return true;
        }
        if committed > recorded {
            return false;
        }
        let is_contained = revision.and_then(|revision| {
            let pair = (revision.to_owned(), commit.clone());
            let known = self.contained.borrow().get(&pair).copied();
            known.unwrap_or_else(|| {
                let is_contained = self.contains(revision, commit);
                self.contained.borrow_mut().insert(pair, is_contained);
                is_contained
            })
        });
        is_contained.unwrap_or(committed.saturating_add(999) < recorded)
    }

    fn contains(&self, revision: &str, commit: &str) -> Option<bool> {
        let (known, ancestry, asked) = &mut *self.ancestry.borrow_mut();
        if !known.contains(revision) && *asked < ASKED {
            *asked += 1;
            known.insert(revision.to_owned());
            ancestry.extend(self.history.ancestry(&[revision])?);
        }
        ancestry.contains(revision, commit)
    }

    /// Asks once for the revisions of all records that some line's commit has to be compared with.
    pub(super) fn load_ancestry(&self) {
        let mut revisions = BTreeSet::new();
        for (line, key) in self.keys.iter().enumerate().filter(|(line, _)| !self.is_trivial(*line)) {
            let Some(origin) = self.origins.get(&line).filter(|origin| origin.commit.is_some()) else { continue };
            for (held, _) in &self.text_of(*key).adds {
                let revision = held.record.vcs.as_ref().map(|vcs| vcs.revision.clone());
                revisions.extend(revision.filter(|_| origin.time.saturating_mul(1000) <= held.order.0));
            }
        }
        let asked: Vec<&str> = revisions.iter().map(String::as_str).collect();
        if !asked.is_empty()
            && let Some(found) = self.history.ancestry(&asked)
        {
            let (known, ancestry, _) = &mut *self.ancestry.borrow_mut();
            ancestry.extend(found);
            known.extend(revisions);
        }
    }
}
