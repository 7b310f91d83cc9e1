use std::collections::{BTreeMap, VecDeque};

use stead_ledger::trace::{ContributorKind, Ledger, Record};
use stead_store::Lines;

use super::finding::Measure;
use crate::{MemoryError, Records};

/// Going back once may be a correction. The second time, it is back and forth.
const RETURNS: usize = 2;

/// How many contents of a file are remembered.
const CONTENTS: usize = 64;

/// The contents that one file had, for one intent.
#[derive(Default)]
struct Course {
    contents: VecDeque<String>,
    last: Option<String>,
    /// How often it got a content that it had had before.
    returns: usize,
}

impl Course {
    fn take(&mut self, before: Option<&str>, after: Option<&str>) {
        if self.last.is_none() {
            self.keep(before);
        }
        // A provisional line and the final one are the same change. A file that is gone has no content to return to.
        if after == self.last.as_deref() {
            return;
        }
        if after.is_some_and(|after| self.contents.iter().any(|known| known == after)) {
            self.returns += 1;
        } else {
            self.keep(after);
        }
        self.last = after.map(str::to_owned);
    }

    fn keep(&mut self, content: Option<&str>) {
        let Some(content) = content.filter(|content| !self.contents.iter().any(|known| known == content)) else {
            return;
        };
        if self.contents.len() >= CONTENTS {
            self.contents.pop_front();
        }
        self.contents.push_back(content.to_owned());
        self.last = Some(content.to_owned());
    }
}

/// Counts the files that agents changed back and forth while they worked on the same thing.
pub(super) fn measure(records: &Records<'_>, since: &str) -> Result<Measure, MemoryError> {
    let ledger = Ledger::of(records.intents, None);
    let mut courses: BTreeMap<(String, Option<String>), Course> = BTreeMap::new();
    for line in Lines::open(ledger.path())?.unchecked() {
        let Some(record) = Record::parse(&line?.text) else { continue };
        if record.timestamp.as_str() < since || record.contributor() == ContributorKind::Human {
            continue;
        }
        let intent = record.intent().map(str::to_owned);
        for file in record.stead().into_iter().flat_map(|note| &note.files) {
            let course = courses.entry((file.path.clone(), intent.clone())).or_default();
            course.take(file.before.as_deref(), file.after.as_deref());
        }
    }
    let back_and_forth = courses.iter().filter(|(_, course)| course.returns >= RETURNS);
    let shown = |((path, intent), course): (&(String, Option<String>), &Course)| {
        let intent = intent.as_ref().map(|intent| format!(" for intent `{intent}`")).unwrap_or_default();
        format!("{path}: returned {} times to an earlier content{intent}", course.returns)
    };
    let examples: Vec<String> = back_and_forth.map(shown).collect();
    Ok(Measure { found: examples.len(), of: courses.len(), examples })
}
