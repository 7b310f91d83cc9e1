use std::collections::BTreeSet;

use stead_model::{Content, Deed, How, Target};

use super::super::asked::Inquiry;
use super::{Found, Kind, kind};
use crate::condition::{FileClause, FileDeed};
use crate::field::{After, Document, FieldHit, Format, Owner, Paper, Sheet, read};
use crate::pattern::{PathPattern, Scope, any_path, is_open};
use crate::subject::Subject;

impl Inquiry<'_> {
    /// Asks what happens to files.
    pub(super) fn files(&self, clause: &FileClause, focus: Option<&Subject>) -> Found {
        if !clause.fields.is_empty() || !clause.owners.is_empty() {
            return self.fields(clause, focus);
        }
        let mut found = Vec::new();
        for (at, effect) in self.within(focus, |deed| kind(deed) == Kind::File) {
            for touched in touched(&effect.deed, clause.deed) {
                if clause.recursive.is_some_and(|wanted| wanted != touched.target.tree) {
                    continue;
                }
                let scope = Scope { home: self.asked.home, takes_tree: touched.takes_tree };
                if !clause.paths.is_empty() && any_path(&clause.paths, touched.target, scope).is_none() {
                    continue;
                }
                if !clause.content.is_empty() && !holds_text(clause, touched.content)? {
                    continue;
                }
                if !self.size_fits(clause, touched.target) {
                    continue;
                }
                let path = shown(touched.target);
                found.push(Subject {
                    effect: Some(at),
                    part: effect.part.clone(),
                    because: format!("{} {path}", touched.verb),
                    path: Some(path),
                    ..Subject::default()
                });
            }
        }
        Ok((!found.is_empty()).then_some(found))
    }

    fn size_fits(&self, clause: &FileClause, target: &Target) -> bool {
        if clause.lines.is_none() && clause.bytes.is_none() {
            return true;
        }
        let enough = clause.lines.map_or(0, |bound| bound.than.saturating_add(1));
        self.facts.measure(&target.path, enough).is_some_and(|measure| {
            clause.lines.is_none_or(|bound| bound.holds(measure.lines))
                && clause.bytes.is_none_or(|bound| bound.holds(measure.bytes))
        })
    }

    /// Asks what would change inside documents.
    fn fields(&self, clause: &FileClause, focus: Option<&Subject>) -> Found {
        let effects = self.effects();
        let paper = Paper { effects: &effects.list, facts: self.facts };
        let own = focus.and_then(|subject| subject.effect);
        let mut found: Vec<Subject> = Vec::new();
        for file in self.documents(clause) {
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
                            because: format!("{} in {}", hit.why, file.shown()),
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
        let unknown = |why: &str| vec![(FieldHit { pointer: String::new(), owner: None, why: why.to_owned() }, true)];
        let after = match state {
            After::Unknown(why) => {
                return unknown(&format!("cannot be followed ({why}; use the file tool, or give the whole text)"));
            }
            After::Gone => Document::Missing,
            After::Text(text) => read(path, text),
        };
        if after == Document::Broken {
            return unknown("leaves a document that does not parse");
        }
        let (before, after) = (before.value(), after.value());
        let mut hits: Vec<FieldHit> = clause.fields.iter().flat_map(|rule| rule.hits(before, after)).collect();
        if !clause.owners.is_empty() {
            hits.extend(Owner::foreign(&clause.owners, self.facts.caller().name(), before, after));
        }
        hits.into_iter().map(|hit| (hit, false)).collect()
    }

    /// The documents that a call touches.
    fn documents(&self, clause: &FileClause) -> BTreeSet<Sheet> {
        let mut paths = BTreeSet::new();
        let mut open = clause.paths.is_empty();
        for pattern in clause.paths.iter().filter(|pattern| !pattern.starts_with('!')) {
            match PathPattern::parse(pattern) {
                PathPattern::Anchored(text) if !is_open(text) => {
                    paths.insert(Sheet { path: self.absolute(text), inside: Some(text.to_owned()) });
                }
                _ => open = true,
            }
        }
        if !open {
            return paths;
        }
        let scope = Scope { home: self.asked.home, takes_tree: false };
        for effect in &self.effects().list {
            for touched in touched(&effect.deed, FileDeed::Writes) {
                let target = touched.target;
                let named = if clause.paths.is_empty() {
                    Format::of(&target.path).is_some()
                } else {
                    any_path(&clause.paths, target, scope).is_some()
                };
                if named && !target.tree && !target.glob {
                    paths.insert(Sheet::of(target));
                }
            }
        }
        paths
    }
}

/// A file that a deed concerns.
struct Touched<'a> {
    target: &'a Target,
    verb: &'static str,
    content: Option<&'a Content>,
    takes_tree: bool,
}

/// The files that count as written, deleted or read.
fn touched<'a>(deed: &'a Deed, wanted: FileDeed) -> Vec<Touched<'a>> {
    let one = |target: &'a Target, verb, takes_tree| Touched { target, verb, content: None, takes_tree };
    match (wanted, deed) {
        (FileDeed::Reads, Deed::Read(target)) => vec![one(target, "reads", false)],
        (FileDeed::Writes, Deed::Write { target, how, content }) => {
            let verb = match how {
                How::Link => "links",
                How::Into => "writes into",
                How::Attributes => "changes the mode of",
                _ => "writes",
            };
            vec![Touched { target, verb, content: Some(content), takes_tree: *how == How::Attributes }]
        }
        (FileDeed::Writes | FileDeed::Deletes, Deed::Delete(target)) => vec![one(target, "deletes", true)],
        (FileDeed::Writes, Deed::Rename { from, to }) => {
            vec![one(from, "moves away", true), one(to, "moves onto", false)]
        }
        (FileDeed::Deletes, Deed::Rename { from, .. }) => vec![one(from, "moves away", true)],
        _ => Vec::new(),
    }
}

/// Says whether the text that is written fits. What cannot be known does not.
fn holds_text(clause: &FileClause, content: Option<&Content>) -> Result<bool, String> {
    let texts: Vec<&str> = match content {
        Some(Content::Text(text)) => vec![text],
        Some(Content::Replacements(list)) => list.iter().map(|(_, new, _)| new.as_str()).collect(),
        _ => Vec::new(),
    };
    for pattern in &clause.content {
        for text in &texts {
            if pattern.is_in(text)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

pub(crate) fn shown(target: &Target) -> String {
    match target.inside.as_deref() {
        Some("") => ".".to_owned(),
        Some(inside) => inside.to_owned(),
        None => target.path.clone(),
    }
}
