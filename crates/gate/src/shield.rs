//! The rules made concrete for one place: which absolute paths are protected, and how a candidate stands to them.

use std::ops::Range;
use std::path::{Path, PathBuf};

use stead_model::Base;

use crate::facts::Facts;
use crate::glob;
use crate::path::{self, fold, names};
use crate::place::Place;
use crate::policy::Policy;
use crate::rule::Rule;

/// The folded names of a path, one component each.
pub(crate) type Names = Vec<Vec<char>>;

/// All protected paths of one place.
pub(crate) struct Shield<'a> {
    entries: Vec<Entry<'a>>,
    free: Vec<Entry<'a>>,
    /// The base folders of the entries, as written and as they really are.
    bases: Vec<Names>,
    /// The checkout that the agent works in. Where it lies within the root, the root's rules end at its edge: it has
    /// the same rules itself.
    trees: Vec<Names>,
    /// Project root and home: what is there or above is too wide for milder rules.
    wide: Vec<Names>,
    verbs: Vec<Vec<String>>,
    home: Option<PathBuf>,
    root: Option<PathBuf>,
}

/// One protected path.
pub(crate) struct Entry<'a> {
    pub(crate) rule: Rule<'a>,
    /// Which of the shield's base folders are its own.
    bases: Range<usize>,
    /// Where the base lies below home when its variable is unset.
    fallback: Names,
    pattern: Names,
    /// Protects the folder and everything below it.
    deep: bool,
}

/// How a candidate stands to what is protected.
#[derive(Clone, Copy)]
pub(crate) enum Standing<'s> {
    /// It is, or may be, the protected thing or lies in it.
    In(&'s Entry<'s>),
    /// It is a folder that holds protected things.
    Above(&'s Entry<'s>, Width),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// A folder such as `.agent`.
    Narrow,
    /// The project root, home, or a folder above them.
    Wide,
}

impl<'a> Shield<'a> {
    pub(crate) fn raise(policy: &Policy<'a>, place: &Place<'_>, facts: &dyn Facts) -> Self {
        let both = |folder: &PathBuf| {
            let (written, real) = (names(folder), names(&facts.real(folder)));
            if written == real { vec![written] } else { vec![written, real] }
        };
        let home = place.home();
        let root = place.root.map(path::clean);
        let tree = place.tree.map(path::clean);
        let wide = root.iter().chain(&tree).chain(home.iter()).flat_map(both).collect();
        let trees = tree.iter().flat_map(both).collect();
        let (entries, free, bases, verbs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut shield = Self { entries, free, bases, trees, wide, verbs, home, root };
        let mut known: Vec<(Base<'_>, Range<usize>)> = Vec::new();
        for rule in policy.rules() {
            if let Rule::Verb { words } = &rule {
                shield.verbs.push(words.split_whitespace().map(str::to_owned).collect());
            }
            let Some((base, spot)) = rule.spot() else { continue };
            let bases = match known.iter().find(|(other, _)| *other == base) {
                Some((_, bases)) => bases.clone(),
                None => {
                    let start = shield.bases.len();
                    shield.bases.extend(place.folders(base).iter().flat_map(both));
                    known.push((base, start..shield.bases.len()));
                    start..shield.bases.len()
                }
            };
            let fallback = match base {
                Base::Var { fallback, .. } => split(fallback),
                Base::Project | Base::Home => Names::new(),
            };
            let (spot, deep) = match spot.strip_suffix("**") {
                Some(folder) => (folder, true),
                None => (spot, false),
            };
            // Without a project its rules have nothing to hold on to.
            if bases.is_empty() {
                continue;
            }
            let entry = Entry { pattern: split(spot), deep, bases, fallback, rule };
            if matches!(entry.rule, Rule::Free { .. }) {
                shield.free.push(entry);
            } else {
                shield.entries.push(entry);
            }
        }
        shield
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    pub(crate) fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    pub(crate) fn verbs(&self) -> &[Vec<String>] {
        &self.verbs
    }

    /// Says that there is nothing to protect.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.verbs.is_empty()
    }

    pub(crate) fn entries(&self) -> &[Entry<'a>] {
        &self.entries
    }

    /// Finds the gravest standing of an absolute path. Its names may hold shell wildcards.
    pub(crate) fn standing(&self, candidate: &[Vec<char>]) -> Option<Standing<'_>> {
        let mut above = None;
        // Many rules share a base.
        let meets: Vec<bool> = self.bases.iter().map(|base| self.reaches(base, candidate)).collect();
        for entry in &self.entries {
            for base in entry.bases.clone().filter(|base| meets[*base]) {
                match entry.meets(self.bases[base].len(), candidate) {
                    Meeting::In if !self.is_free(candidate) => return Some(Standing::In(entry)),
                    Meeting::Above if above.is_none() => above = Some(Standing::Above(entry, self.width(candidate))),
                    _ => {}
                }
            }
        }
        above
    }

    /// Every entry that lies below the folder.
    pub(crate) fn below<'s>(&'s self, folder: Names) -> impl Iterator<Item = &'s Entry<'a>> {
        self.entries.iter().filter(move |entry| {
            let mut met = self.bases[entry.bases.clone()].iter().filter(|base| self.reaches(base, &folder));
            met.any(|base| matches!(entry.meets(base.len(), &folder), Meeting::Above | Meeting::In))
        })
    }

    /// Finds the standing of an absolute path both as written and with its symlinks followed.
    pub(crate) fn standing_of(&self, candidate: &Path, facts: &dyn Facts) -> Option<Standing<'_>> {
        let written = names(candidate);
        let found = self.standing(&written);
        if matches!(found, Some(Standing::In(_))) || glob::is_open(&candidate.to_string_lossy()) {
            return found;
        }
        let real = names(&facts.real(candidate));
        if real == written { found } else { self.standing(&real).or(found) }
    }

    /// Finds how the end of a path stands when its beginning is unknown: some part of it must spell a rule from its
    /// first name on.
    pub(crate) fn standing_of_end(&self, candidate: &[Vec<char>]) -> Option<Standing<'_>> {
        let mut above = None;
        for start in 0..candidate.len() {
            let end = &candidate[start..];
            if end[0].iter().filter(|c| **c != glob::MANY && **c != glob::ONE).count() < 3 {
                continue;
            }
            for entry in &self.entries {
                match entry.meets_end(end) {
                    Meeting::In if !self.is_free_end(end) => return Some(Standing::In(entry)),
                    Meeting::Above if above.is_none() => above = Some(Standing::Above(entry, Width::Narrow)),
                    _ => {}
                }
            }
        }
        above
    }

    /// Says whether the rules of a base concern the candidate.
    fn reaches(&self, base: &[Vec<char>], candidate: &[Vec<char>]) -> bool {
        let ends_before =
            |tree: &Names| tree.len() > base.len() && tree.starts_with(base) && candidate.starts_with(tree);
        meet(base, candidate) && !self.trees.iter().any(ends_before)
    }

    fn is_free(&self, candidate: &[Vec<char>]) -> bool {
        self.free.iter().any(|entry| self.bases[entry.bases.clone()].iter().any(|base| entry.covers(base, candidate)))
    }

    fn is_free_end(&self, end: &[Vec<char>]) -> bool {
        self.free.iter().any(|entry| entry.covers(&entry.fallback, end))
    }

    fn width(&self, candidate: &[Vec<char>]) -> Width {
        let wide = self.wide.iter().any(|folder| candidate.len() <= folder.len() && meet(folder, candidate));
        if wide { Width::Wide } else { Width::Narrow }
    }
}

enum Meeting {
    In,
    Above,
    Apart,
}

impl<'a> Entry<'a> {
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
        self.pattern.first().map_or(&[], Vec::as_slice)
    }

    /// Says whether a search for this name may find something the rule protects, or a folder on the way to it.
    pub(crate) fn may_be_named(&self, name: &[char]) -> bool {
        // What lies in our folders has these endings; other litter there is nobody's loss.
        let samples = ["x.json", "x.jsonl", "x.yaml", "x.toml"];
        let written = ["x.md"].iter().filter(|_| !self.holds_no_prose());
        self.pattern.iter().any(|part| glob::can_meet(part, name))
            || self.deep && samples.iter().chain(written).any(|sample| glob::can_meet(&fold(sample), name))
    }

    /// Says whether the folder is one of those that hold data alone.
    fn holds_no_prose(&self) -> bool {
        let last: String = self.pattern.last().map(|name| name.iter().collect()).unwrap_or_default();
        matches!(last.as_str(), "cache" | "graph" | "guards" | "indexes")
    }

    /// Says whether nothing of what the rule protects is there.
    pub(crate) fn is_absent(&self, place_of: impl Fn(Base<'_>) -> Vec<PathBuf>, facts: &dyn Facts) -> bool {
        let Some((base, path)) = self.rule.spot() else { return false };
        let path = path.split("/*").next().unwrap_or_default().trim_end_matches("**");
        place_of(base).iter().all(|folder| facts.is_missing(&path::clean(&folder.join(path))))
    }

    /// The rule's concrete files. Where a client reads a whole folder, ours is the one with our name.
    pub(crate) fn files(&self, place_of: impl Fn(Base<'_>) -> Vec<PathBuf>) -> Vec<PathBuf> {
        match self.rule.spot() {
            Some((base, path)) => {
                let path = path.replace('*', "stead");
                place_of(base).into_iter().map(|folder| path::clean(&folder.join(&path))).collect()
            }
            None => Vec::new(),
        }
    }

    /// Says how a candidate stands that meets the base, which has so many names.
    fn meets(&self, base: usize, candidate: &[Vec<char>]) -> Meeting {
        let full = base + self.pattern.len();
        let equal = meet(&self.pattern, candidate.get(base..).unwrap_or_default());
        match candidate.len() {
            _ if !equal => Meeting::Apart,
            length if length == full || (length > full && self.deep) => Meeting::In,
            length if length < full => Meeting::Above,
            _ => Meeting::Apart,
        }
    }

    fn meets_end(&self, end: &[Vec<char>]) -> Meeting {
        if !meet(&self.fallback, end) {
            return Meeting::Apart;
        }
        let meeting = self.meets(self.fallback.len(), end);
        let first = self.fallback.first().or(self.pattern.first());
        // An everyday word such as `docs` says little alone; a dotted name says enough.
        let telling = first.is_some_and(|name| name.first() == Some(&'.')) || end.len() > 1;
        match meeting {
            Meeting::Above if !telling => Meeting::Apart,
            // A folder such as `.github`, in which one of many folders may hold hook files, says too little.
            Meeting::Above if end.len() == 1 && self.pattern.iter().any(|name| name.contains(&'*')) => Meeting::Apart,
            // `~/.config` alone holds the whole desk, not only our folder.
            Meeting::Above if end.len() <= self.fallback.len() && self.pattern.len() + usize::from(self.deep) > 1 => {
                Meeting::Apart
            }
            other => other,
        }
    }

    fn covers(&self, base: &[Vec<char>], candidate: &[Vec<char>]) -> bool {
        candidate.len() == base.len() + self.pattern.len()
            && base.iter().chain(&self.pattern).zip(candidate).all(|(rule, name)| glob::covers(rule, name))
    }
}

/// Says whether two paths can mean the same as far as the shorter one goes.
fn meet(rule: &[Vec<char>], candidate: &[Vec<char>]) -> bool {
    rule.iter().zip(candidate).all(|(rule, name)| glob::can_meet(rule, name))
}

/// Folds a relative path with `/` into names.
pub(crate) fn split(path: &str) -> Names {
    path.split('/').filter(|name| !name.is_empty() && *name != ".").map(fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{World, show};

    #[track_caller]
    fn check(path: &str, expected: &str) {
        let world = World::new();
        world.with_shield(|shield, _| {
            let candidate = path::absolute(path, Path::new(World::ROOT), shield.home());
            assert_eq!(show(shield.standing(&names(&candidate))), expected, "{path}");
        });
    }

    #[test]
    fn absolute_paths_stand_somewhere() {
        check(".agent/config.toml", "in .agent/config.toml");
        check(".AGENT/Config.TOML", "in .agent/config.toml");
        check(".agent/guards", "in .agent/guards/**");
        check(".agent/guards/a/b.yaml", "in .agent/guards/**");
        check(".agent/guards2/a.yaml", "apart");
        check(".agent/context/packets/x.md", "apart");
        check(".agent", "above, narrow");
        check(".agent/context", "above, narrow");
        check("src/main.rs", "apart");
        check(".", "above, wide");
        check("..", "above, wide");
        check("/", "above, wide");
        check("~", "above, wide");
        check("~/.config", "above, narrow");
        check("~/.config/stead/config.toml", "in ~/.config/stead/**");
        check(".agent/runs/r/plan.json", "in .agent/runs/**");
        check(".agent/runs/r/stage-00-x/output.md", "apart");
        check(".agent/runs/r/stage-00-x/iterations/001/status.json", "apart");
        check(".agent/runs/r/stage-00-x/iterations/001/context.json", "in .agent/runs/**");
        check(".tool/settings.json", "in .tool/settings.json");
        check(".tool/settings.json/x", "apart");
        check(".tool/commands/x.md", "apart");
        check(".tool", "above, narrow");
    }

    #[track_caller]
    fn check_in_tree(tree: &str, path: &str, expected: &str) {
        let world = World::new();
        let env = |name: &str| (name == "HOME").then(|| World::HOME.into());
        let root = Path::new(World::ROOT);
        let tree = path::clean(&root.join(tree));
        let place = Place { root: Some(root), tree: Some(&tree), cwd: &tree, env: &env };
        let policy = Policy::parse(&world.policy);
        let shield = Shield::raise(&policy, &place, &world);
        let candidate = path::absolute(path, &tree, shield.home());
        assert_eq!(show(shield.standing(&names(&candidate))), expected, "{path}");
    }

    #[test]
    fn a_tree_within_the_root_has_the_rules_of_the_project_and_those_around_it_end_at_its_edge() {
        let check = |path: &str, expected: &str| check_in_tree(".agent/runs/r/worktrees/a", path, expected);
        check("src/main.rs", "apart");
        check(".agent/config.toml", "in .agent/config.toml");
        check(".agent/runs/r/plan.json", "in .agent/runs/**");
        check(".agent", "above, narrow");
        check(".", "above, wide");
        check("../b/src/main.rs", "in .agent/runs/**");
        check("../../plan.json", "in .agent/runs/**");
        check("../../stage-00-x/output.md", "apart");
        check("../../../../config.toml", "in .agent/config.toml");
        check("/home/ann/proj/src/main.rs", "apart");
        check("/home/ann/proj/.agent/guards/x.yaml", "in .agent/guards/**");
        check_in_tree("../elsewhere", ".agent/config.toml", "in .agent/config.toml");
        check_in_tree("../elsewhere", "src/main.rs", "apart");
    }

    #[track_caller]
    fn check_end(path: &str, expected: &str) {
        let world = World::new();
        world.with_shield(|shield, _| assert_eq!(show(shield.standing_of_end(&split(path))), expected, "{path}"));
    }

    #[test]
    fn ends_of_paths_stand_somewhere() {
        check_end("x/.agent/config.toml", "in .agent/config.toml");
        check_end(".agent", "above, narrow");
        check_end("a/.agent/context", "above, narrow");
        check_end(".agent/context/packets/a.md", "apart");
        check_end("config.toml", "apart");
        check_end(".config", "apart");
        check_end(".config/stead", "in ~/.config/stead/**");
        check_end("stead", "apart");
        check_end(".usertool", "above, narrow");
        check_end(".usertool/settings.json", "in ~/.usertool/settings.json");
        check_end(".agent/runs/r/stage-1/output.md", "apart");
    }
}
