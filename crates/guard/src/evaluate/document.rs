//! What would change inside documents.

use std::cell::RefCell;
use std::collections::BTreeSet;

use stead_model::{How, Op, Target};
use stead_pattern::{Pattern, has_wildcard};

use super::super::asked::Inquiry;
use super::Found;
use super::file::{Existing, is_some_below, shown, touched};
use crate::condition::{FileClause, FileOp};
use crate::field::{After, Document, FieldHit, Format, Owner, Paper, Sheet, read};
use crate::guard_facts::Looked;
use crate::pattern::any_path;
use crate::subject::Subject;

impl Inquiry<'_> {
    /// Evaluates what would change inside documents.
    pub(super) fn fields(&self, clause: &FileClause, focus: Option<&Subject>) -> Found {
        let effects = self.effects();
        let paper = Paper { effects: &effects.list, facts: self.facts };
        let own = focus.and_then(|subject| subject.effect);
        let (documents, mut found) = self.documents(clause);
        found.retain(|subject| own.is_none_or(|own| subject.effect == Some(own)));
        for file in documents {
            let before = match paper.before(&file.path) {
                After::Text(text) => read(&file.path, &text),
                After::Gone => Document::Missing,
                After::Unknown(_) => Document::Broken,
            };
            for touch in paper.touches(&file) {
                if own.is_some_and(|own| own != touch.effect) {
                    continue;
                }
                let Some(effect) = effects.list.get(touch.effect) else { continue };
                for state in &touch.states {
                    for (hit, unknown) in self.compare(clause, &file.path, &before, state) {
                        let subject = Subject {
                            effect: Some(touch.effect),
                            part: effect.part.clone(),
                            path: Some(file.shown().to_owned()),
                            command: None,
                            feature: hit.owner,
                            because: match unknown {
                                true => format!("the change of {} {}", file.shown(), hit.why),
                                false => format!("{} in {}", hit.why, file.shown()),
                            },
                            unknown,
                        };
                        if !found.contains(&subject) {
                            found.push(subject);
                        }
                    }
                }
            }
        }
        Ok((!found.is_empty()).then_some(found))
    }

    fn compare(&self, clause: &FileClause, path: &str, before: &Document, state: &After) -> Vec<(FieldHit, bool)> {
        let unknown = |why: String| vec![(FieldHit { pointer: String::new(), owner: None, why }, true)];
        let after = match state {
            After::Unknown(why) => {
                return unknown(format!("cannot be followed ({why})"));
            }
            After::Gone => Document::Missing,
            After::Text(text) => read(path, text),
        };
        if after == Document::Broken {
            return unknown("results in a document that does not parse".to_owned());
        }
        let (before, after) = (before.value(), after.value());
        let mut hits: Vec<FieldHit> = clause.fields.iter().flat_map(|rule| rule.hits(before, after)).collect();
        if !clause.owners.is_empty() {
            hits.extend(Owner::foreign(&clause.owners, self.facts.caller().name(), before, after));
        }
        hits.into_iter().map(|hit| (hit, false)).collect()
    }

    /// The documents that a call touches, and operations that may touch an unknown one.
    fn documents(&self, clause: &FileClause) -> (BTreeSet<Sheet>, Vec<Subject>) {
        let mut sheets = BTreeSet::new();
        let mut open = clause.paths.is_empty();
        for pattern in clause.paths.iter().filter(|pattern| !pattern.starts_with('!')) {
            match Pattern::parse(pattern) {
                Pattern::Anchored(text) if !has_wildcard(text) => {
                    sheets.insert(Sheet { path: self.absolute(text), inside: Some(text.to_owned()) });
                }
                _ => open = true,
            }
        }
        let mut unnamed = Vec::new();
        if !open {
            return (sheets, unnamed);
        }
        let scope = self.scope(&|_| false, true);
        for (at, effect) in self.effects().list.iter().enumerate() {
            for touched in touched(&effect.op, FileOp::Writes) {
                let target = touched.target;
                let is_document = Format::of(&target.path).is_some();
                let named = match clause.paths.is_empty() {
                    true => is_document,
                    false => any_path(&clause.paths, target, scope).is_some(),
                };
                if !named || !may_hold_documents(&effect.op, target) {
                    continue;
                }
                if !target.glob && (!target.tree || is_document) {
                    sheets.insert(Sheet::of(target));
                    continue;
                }
                let (there, looked) = self.sheets(clause, target);
                if there.is_empty() && (looked == Looked::Unknown || touched.existing == Existing::No) {
                    unnamed.push(Subject {
                        effect: Some(at),
                        part: effect.part.clone(),
                        path: Some(shown(target)),
                        because: format!("{} {}, {BY_NAME}", touched.verb, shown(target)),
                        unknown: true,
                        ..Subject::default()
                    });
                }
                sheets.extend(there);
            }
        }
        (sheets, unnamed)
    }

    /// The existing documents that a pattern or a folder includes.
    fn sheets(&self, clause: &FileClause, target: &Target) -> (Vec<Sheet>, Looked) {
        let found = RefCell::new(Vec::new());
        let looked = self.each_file(clause, target, &|path, inside| {
            let mut found = found.borrow_mut();
            if Format::of(path).is_some() || !clause.paths.is_empty() {
                found.push(Sheet { path: path.to_owned(), inside });
            }
            found.len() >= SHEETS
        });
        (found.into_inner(), looked)
    }
}

/// The maximum number of documents that are read for one pattern or folder.
const SHEETS: usize = 64;

/// The hint if a document is changed together with others.
const BY_NAME: &str = "which may change a document in a way that cannot be followed";

/// Returns true if an operation may change all documents in a folder or pattern, and not just some of them.
fn may_hold_documents(op: &Op, target: &Target) -> bool {
    let somewhere = matches!(op, Op::Write { how: How::Somewhere | How::Attributes, .. });
    let wide = target.tree && target.inside.as_deref().is_none_or(str::is_empty);
    !(somewhere && (target.tree || target.glob)) && !wide && !is_some_below(target)
}
