//! One protected path, and how a candidate relates to it.

use std::cell::OnceCell;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use stead_model::{Base, ITSELF};
use stead_shell::{Facts, can_meet, clean, covers, fold};

use super::candidate::{Names, is_deep};
use super::rule::Rule;

/// One protected path.
pub(crate) struct Entry<'a> {
    pub(crate) rule: Rule<'a>,
    /// The indices of its base folders in the shield.
    pub(crate) bases: Range<usize>,
    fallback: Rc<LazyNames<'a>>,
    pattern: OnceCell<Names>,
    /// Protects the folder and everything below it.
    pub(crate) deep: bool,
}

/// The names of a path, split when they are asked for: most rules are far from what a call concerns.
pub(crate) struct LazyNames<'a> {
    path: &'a str,
    names: OnceCell<Names>,
}

impl<'a> LazyNames<'a> {
    pub(crate) fn new(path: &'a str) -> Rc<Self> {
        Rc::new(Self { path, names: OnceCell::new() })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Meeting {
    Apart,
    Above,
    In,
}

impl<'a> Entry<'a> {
    pub(crate) fn new(rule: Rule<'a>, bases: Range<usize>, fallback: Rc<LazyNames<'a>>) -> Self {
        let deep = rule.spot().is_some_and(|(_, path)| path.ends_with("**"));
        Self { rule, bases, fallback, pattern: OnceCell::new(), deep }
    }

    /// The names of the rule's path below its base.
    fn pattern(&self) -> &Names {
        self.pattern.get_or_init(|| {
            let (_, path) = self.rule.spot().unwrap_or((Base::Project, ""));
            split(path.strip_suffix("**").unwrap_or(path))
        })
    }

    /// The names of the base below home if its variable is unset.
    pub(crate) fn fallback(&self) -> &Names {
        self.fallback.names.get_or_init(|| split(self.fallback.path))
    }

    /// Names the rule's path for a reason.
    pub(crate) fn shown(&self) -> String {
        match self.rule.spot() {
            Some((Base::Project, path)) => path.to_owned(),
            Some((Base::Home, path)) => format!("~/{path}"),
            Some((Base::Var { name, fallback: "" }, path)) => format!("${name}/{path}"),
            Some((Base::Var { fallback, .. }, path)) if fallback.starts_with('/') => format!("{fallback}/{path}"),
            Some((Base::Var { fallback, .. }, path)) => format!("~/{fallback}/{path}"),
            None => String::new(),
        }
    }

    /// The first name of the rule's path.
    pub(crate) fn first(&self) -> &[char] {
        self.pattern().first().map_or(&[], Vec::as_slice)
    }

    /// Returns true if nothing that the rule protects exists.
    pub(crate) fn is_absent(&self, place_of: impl Fn(Base<'_>) -> Vec<PathBuf>, facts: &dyn Facts) -> bool {
        let Some((base, path)) = self.rule.spot() else { return false };
        let path = path.split("/*").next().unwrap_or_default().trim_end_matches("**");
        place_of(base).iter().all(|folder| facts.is_missing(&clean(&folder.join(path))))
    }

    /// Returns true if the rule protects a folder with everything in it.
    pub(crate) fn is_folder(&self) -> bool {
        self.deep
    }

    /// Returns true if the rule applies to the project, and not to a person's own files.
    pub(crate) fn is_of_project(&self) -> bool {
        matches!(self.rule.spot(), Some((Base::Project, _)))
    }

    /// The first folder of the rule's path, below a project.
    pub(crate) fn first_folder(&self, project: Option<&Path>) -> Option<PathBuf> {
        let (_, path) = self.rule.spot()?;
        project.map(|folder| folder.join(path.split('/').next().unwrap_or_default()))
    }

    /// The rule's concrete files. If a client reads a whole folder, ours is the file with our name.
    pub(crate) fn files(&self, place_of: impl Fn(Base<'_>) -> Vec<PathBuf>) -> Vec<PathBuf> {
        match self.rule.spot() {
            Some((base, path)) => {
                let path = path.trim_end_matches("/**").replace('*', "stead");
                place_of(base).into_iter().map(|folder| clean(&folder.join(&path))).collect()
            }
            None => Vec::new(),
        }
    }

    /// Relates a candidate to the entry, if it matches the base.
    pub(crate) fn meets(&self, base: &[Vec<char>], candidate: &[Vec<char>]) -> Meeting {
        if candidate.iter().any(|name| is_deep(name)) {
            let rule: Vec<&[char]> = base.iter().chain(self.pattern()).map(Vec::as_slice).collect();
            return self.searched(&rule, candidate);
        }
        let full = base.len() + self.pattern().len();
        let equal = meet(self.pattern(), candidate.get(base.len()..).unwrap_or_default());
        match candidate.len() {
            _ if !equal => Meeting::Apart,
            length if length == full || (length > full && self.deep) => Meeting::In,
            length if length < full => Meeting::Above,
            _ => Meeting::Apart,
        }
    }

    /// Relates the names that a search may find to the rest of the rule.
    fn searched(&self, rule: &[&[char]], candidate: &[Vec<char>]) -> Meeting {
        let Some((name, rest)) = candidate.split_first() else {
            return if rule.is_empty() { Meeting::In } else { Meeting::Above };
        };
        match rule.split_first() {
            None if self.deep && self.may_hold(&candidate[candidate.len() - 1]) => Meeting::In,
            None if is_deep(name) => self.searched(rule, rest),
            None => Meeting::Apart,
            Some((_, behind)) if is_deep(name) => self.searched(rule, rest).max(self.searched(behind, candidate)),
            Some((wanted, behind)) if can_meet(wanted, name) => self.searched(behind, rest),
            Some(_) => Meeting::Apart,
        }
    }

    /// Returns true if a file of this name may matter in the rule's folder: only files with these extensions do.
    fn may_hold(&self, name: &[char]) -> bool {
        let last: String = self.pattern().last().map(|name| name.iter().collect()).unwrap_or_default();
        let prose = !matches!(last.as_str(), "cache" | "graph" | "guards" | "indexes");
        let samples = ["x.json", "x.jsonl", "x.yaml", "x.toml"].into_iter().chain(prose.then_some("x.md"));
        is_deep(name) || samples.into_iter().any(|sample| can_meet(&fold(sample), name))
    }

    /// Returns true if the call excludes all of it.
    pub(crate) fn is_left_out(&self, base: &[Vec<char>], except: &[String]) -> bool {
        let full: Vec<&Vec<char>> = base.iter().chain(self.pattern()).collect();
        except.iter().any(|left_out| {
            let itself = left_out.strip_prefix(ITSELF);
            let is_at = |text: &str, at: usize| {
                let names = split(text);
                let part = full.get(at..at + names.len()).unwrap_or_default();
                let ends = itself.is_none() || !self.deep && at + names.len() == full.len();
                // Our names are in lower case: others are not excluded by `-not -path ./.AGENT`.
                let mut own = text.split('/').filter(|name| !name.is_empty()).skip(base.len().saturating_sub(at));
                let is_exact = own.all(|name| !name.contains(char::is_uppercase));
                ends && is_exact && !part.is_empty() && names.iter().zip(part).all(|(rule, name)| covers(rule, name))
            };
            let pattern = itself.unwrap_or(left_out);
            match pattern.strip_prefix("**/") {
                Some(rest) => (base.len()..full.len()).any(|at| is_at(rest, at)),
                None => is_at(pattern, 0),
            }
        })
    }

    pub(crate) fn meets_end(&self, end: &[Vec<char>]) -> Meeting {
        if !meet(self.fallback(), end) {
            return Meeting::Apart;
        }
        let meeting = self.meets(self.fallback(), end);
        let first = self.fallback().first().or(self.pattern().first());
        // A common word such as `docs` is not enough; a name with a leading dot is.
        let telling = first.is_some_and(|name| name.first() == Some(&'.')) || end.len() > 1;
        match meeting {
            Meeting::Above if !telling => Meeting::Apart,
            // A folder such as `.github`, where one of many subfolders may contain hook files, is not enough.
            Meeting::Above if end.len() == 1 && self.pattern().iter().any(|name| name.contains(&'*')) => Meeting::Apart,
            // `~/.config` contains far more than our folder.
            Meeting::Above
                if end.len() <= self.fallback().len() && self.pattern().len() + usize::from(self.deep) > 1 =>
            {
                Meeting::Apart
            }
            other => other,
        }
    }

    pub(crate) fn is_covering(&self, base: &[Vec<char>], candidate: &[Vec<char>]) -> bool {
        candidate.len() == base.len() + self.pattern().len()
            && base.iter().chain(self.pattern()).zip(candidate).all(|(rule, name)| covers(rule, name))
    }
}

/// Returns true if two paths can be equal up to the length of the shorter one.
pub(crate) fn meet(rule: &[Vec<char>], candidate: &[Vec<char>]) -> bool {
    let near = candidate.iter().take_while(|name| !is_deep(name));
    rule.iter().zip(near).all(|(rule, name)| can_meet(rule, name))
}

/// Splits a relative path at `/` into folded names.
pub(crate) fn split(path: &str) -> Names {
    path.split('/').filter(|name| !name.is_empty() && *name != ".").map(fold).collect()
}
