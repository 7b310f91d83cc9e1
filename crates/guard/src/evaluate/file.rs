use stead_model::{Access, Content, How, Op, Target};
use stead_pattern::{Case, Pattern, Scope, has_wildcard};

use super::super::asked::Inquiry;
use super::{Found, Kind, kind};
use crate::condition::{FileClause, FileOp};
use crate::guard_facts::{FileSort, Looked};
use crate::pattern::{any_path, covers_path, means, touched as touched_path};
use crate::subject::Subject;

impl Inquiry<'_> {
    /// Evaluates what happens to files.
    pub(super) fn files(&self, clause: &FileClause, focus: Option<&Subject>) -> Found {
        if !clause.fields.is_empty() || !clause.owners.is_empty() {
            return self.fields(clause, focus);
        }
        let mut found = Vec::new();
        for (at, effect) in self.within(focus, |op| kind(op) == Kind::File) {
            for touched in touched(&effect.op, clause.op) {
                if clause.recursive.is_some_and(|wanted| wanted != touched.target.tree) {
                    continue;
                }
                if !clause.paths.is_empty() && !touched.is_taken_tree() && !self.is_meant(clause, &touched) {
                    continue;
                }
                if !clause.content.is_empty() && !holds_text(clause, touched.content)? {
                    continue;
                }
                if clause.lines.is_some_and(|bound| bound.is_lower() && !self.shows_more(&effect.part, bound.than)) {
                    continue;
                }
                let path = match self.looked(clause, &touched) {
                    Looked::Found(path) => self.below_root(touched.target, &path),
                    Looked::Nothing => continue,
                    Looked::Unknown => shown(touched.target),
                };
                found.push(Subject {
                    effect: Some(at),
                    part: effect.part.clone(),
                    because: format!("{} {}", touched.verb, if self.is_home(&path) { HOME } else { &path }),
                    path: Some(path),
                    ..Subject::default()
                });
            }
        }
        Ok((!found.is_empty()).then_some(found))
    }

    fn is_home(&self, path: &str) -> bool {
        self.asked.home.is_some_and(|home| home.trim_end_matches('/') == path)
    }

    fn is_meant(&self, clause: &FileClause, touched: &Touched<'_>) -> bool {
        let is_folder = |path: &str| self.facts.is_folder(&self.absolute(path));
        let scope = self.scope(&is_folder, touched.takes_tree);
        // Reading unknown files does not count as reading these.
        if is_some_below(touched.target) && touched.verb == READS {
            return covers_path(&clause.paths, touched.target, scope);
        }
        any_path(&clause.paths, touched.target, scope).is_some()
    }

    pub(super) fn scope<'s>(&'s self, is_folder: &'s dyn Fn(&str) -> bool, takes_tree: bool) -> Scope<'s> {
        Scope { case: Case::Folded, home: self.asked.home, takes_tree, is_folder }
    }

    /// Checks the disk if that helps: for a size, and for the files that a shell pattern matches. A new file may have
    /// any name, and so may one whose name is partly unknown.
    fn looked(&self, clause: &FileClause, touched: &Touched<'_>) -> Looked {
        let target = touched.target;
        let sized = clause.lines.is_some() || clause.bytes.is_some();
        if touched.is_taken_tree() {
            return self.look_below(clause, target);
        }
        if !target.glob {
            return if !sized || self.size_fits(clause, &target.path) { Looked::Unknown } else { Looked::Nothing };
        }
        let asks = touched.existing != Existing::No && !target.guessed;
        let looked = if asks { self.look(clause, target) } else { Looked::Unknown };
        match looked {
            // The same holds for reading everything, if that is too much to search.
            Looked::Unknown if sized || touched.verb == READS && is_wide(target) => Looked::Nothing,
            Looked::Unknown if is_some_below(target) && touched.existing == Existing::Changed => Looked::Nothing,
            looked => looked,
        }
    }

    /// Checks the disk for matching files below a folder; if there are too many, none counts.
    fn look_below(&self, clause: &FileClause, target: &Target) -> Looked {
        let below = |path: &str| format!("{}/**", path.trim_end_matches('/'));
        let path = below(&target.path);
        let inside = target.inside.as_deref().map(|inside| below(inside).trim_start_matches('/').to_owned());
        match self.look(clause, &Target { path, inside, tree: false, glob: true, ..target.clone() }) {
            Looked::Unknown => Looked::Nothing,
            looked => looked,
        }
    }

    fn look(&self, clause: &FileClause, target: &Target) -> Looked {
        self.each_file(clause, target, &|path, _| self.size_fits(clause, path))
    }

    /// Visits the files that both a clause and a target match, until `is_it` returns true.
    pub(super) fn each_file(
        &self,
        clause: &FileClause,
        target: &Target,
        is_it: &dyn Fn(&str, Option<String>) -> bool,
    ) -> Looked {
        let fixed: Vec<&str> = target.path.split('/').take_while(|name| !has_wildcard(name)).collect();
        let folder = fixed.join("/");
        let below = root_length(target);
        let as_target = |path: &str, glob| Target {
            inside: below.and_then(|at| path.get(at..)).map(str::to_owned),
            path: path.to_owned(),
            tree: false,
            glob,
            guessed: false,
            except: Vec::new(),
        };
        let scope = self.scope(&|_| false, false);
        let all = clause.paths.is_empty();
        self.facts.find_file(&folder, &|path, sort| match sort {
            FileSort::File => {
                means(target, &target.path, path)
                    && (all || any_path(&clause.paths, &as_target(path, false), scope).is_some())
                    && is_it(path, as_target(path, false).inside)
            }
            // Both patterns must continue from there. A name with special characters cannot be part of a pattern.
            FileSort::Folder if has_wildcard(path) => true,
            FileSort::Folder => {
                let inner = as_target(&format!("{path}/**"), true);
                Pattern::Absolute(&inner.path).meets(&touched_path(target), Scope { takes_tree: true, ..scope })
                    && (all || any_path(&clause.paths, &inner, scope).is_some())
            }
        })
    }

    /// A found file as messages show it.
    fn below_root(&self, target: &Target, path: &str) -> String {
        root_length(target).and_then(|at| path.get(at..)).unwrap_or(path).to_owned()
    }

    fn size_fits(&self, clause: &FileClause, path: &str) -> bool {
        if clause.lines.is_none() && clause.bytes.is_none() {
            return true;
        }
        let enough = clause.lines.map_or(0, |bound| bound.than.saturating_add(1));
        self.facts.measure(path, enough).is_some_and(|measure| {
            clause.lines.is_none_or(|bound| bound.holds(measure.lines))
                && clause.bytes.is_none_or(|bound| bound.holds(measure.bytes))
        })
    }
}

/// A file that an operation concerns.
pub(super) struct Touched<'a> {
    pub(super) target: &'a Target,
    pub(super) verb: &'static str,
    content: Option<&'a Content>,
    takes_tree: bool,
    pub(super) existing: Existing,
}

impl Touched<'_> {
    /// Returns true if a folder is copied or sent with everything in it; the disk shows which files these are.
    fn is_taken_tree(&self) -> bool {
        self.verb == READS && self.takes_tree && self.target.tree
    }
}

/// Whether an operation affects only existing files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Existing {
    /// It may create something.
    No,
    /// Read or changed.
    Changed,
    /// Deleted or moved.
    Removed,
}

const READS: &str = "reads";

/// How reasons name the home folder, because its path is easily overlooked.
const HOME: &str = "the home folder";

/// The files that count as written, deleted or read.
pub(super) fn touched<'a>(op: &'a Op, wanted: FileOp) -> Vec<Touched<'a>> {
    let one =
        |target: &'a Target, verb, takes_tree, existing| Touched { target, verb, content: None, takes_tree, existing };
    let gone = |target, verb| one(target, verb, true, Existing::Removed);
    match (wanted, op) {
        (FileOp::Reads, Op::Read { access: Access::Used, .. }) => Vec::new(),
        (FileOp::Reads, Op::Read { target, access }) => {
            vec![one(target, READS, *access == Access::Taken, Existing::Changed)]
        }
        (FileOp::Writes, Op::Write { target, how, content }) => {
            let (verb, existing) = match how {
                How::Link => ("links", Existing::No),
                How::Into | How::Somewhere => ("writes into", Existing::No),
                How::Attributes => ("changes the mode of", Existing::Changed),
                How::Edit => ("writes", Existing::Changed),
                How::Replace | How::Append => ("writes", Existing::No),
            };
            // For every other folder, each file is written.
            let takes_tree = *how != How::Somewhere;
            vec![Touched { target, verb, content: Some(content), takes_tree, existing }]
        }
        (FileOp::Writes | FileOp::Deletes, Op::Delete(target)) => vec![gone(target, "deletes")],
        (FileOp::Writes, Op::Rename { from, to }) => {
            vec![gone(from, "moves away"), one(to, "moves onto", true, Existing::No)]
        }
        (FileOp::Deletes, Op::Rename { from, .. }) => vec![gone(from, "moves away")],
        _ => Vec::new(),
    }
}

/// Unknown files below the root, such as those that a search found.
pub(super) fn is_some_below(target: &Target) -> bool {
    target.glob && !target.tree && target.inside.as_deref() == Some("**")
}

/// How much of a target's path belongs to the root.
fn root_length(target: &Target) -> Option<usize> {
    target.path.strip_suffix(target.inside.as_deref()?).map(str::len)
}

/// A pattern that matches nearly every file.
fn is_wide(target: &Target) -> bool {
    target.path.rsplit('/').next().is_some_and(|name| name.bytes().all(|byte| byte == b'*'))
}

/// Returns true if the written text matches. Unknown text does not.
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
