//! The rules made concrete for one location: which absolute paths are protected, and how a candidate relates to them.

use std::cell::OnceCell;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use stead_model::Base;
use stead_shell::{Facts, MANY, ONE, Place, clean, is_sign, names};

use super::candidate::{Candidate, Names};
use super::entry::{Entry, LazyNames, Meeting, meet};
use super::policy::Policy;
use super::rule::Rule;

/// All protected paths of one location.
pub(crate) struct Shield<'a> {
    entries: Vec<Entry<'a>>,
    free: Vec<Entry<'a>>,
    /// The base folders of the entries, as written and with links resolved.
    bases: Vec<Names>,
    /// The checkout that the agent works in. If it is inside the root, the root's rules do not apply in it: it has the
    /// same rules itself.
    trees: Vec<Names>,
    /// Project root and home: milder rules do not apply to them or to folders above.
    wide: Vec<Names>,
    /// Other trees of this project and of others.
    others: Vec<Names>,
    policy: Policy<'a>,
    verbs: OnceCell<Vec<Vec<String>>>,
    switches: Vec<Rule<'a>>,
    root: Option<PathBuf>,
    home: Option<PathBuf>,
}

/// How a candidate relates to what is protected.
#[derive(Clone, Copy)]
pub(crate) enum Standing<'s> {
    /// It is, or may be, protected or inside something protected.
    In(&'s Entry<'s>),
    /// It is a folder that contains something protected.
    Above(&'s Entry<'s>, Width),
}

impl<'s> Standing<'s> {
    pub(crate) fn entry(self) -> &'s Entry<'s> {
        match self {
            Self::In(entry) | Self::Above(entry, _) => entry,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// A folder such as `.agent`.
    Narrow,
    /// Another tree of a project, or a folder above it.
    Tree,
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
        let root = place.root.map(clean);
        let tree = place.tree.map(clean);
        let wide = root.iter().chain(&tree).chain(home.iter()).flat_map(both).collect();
        let trees = tree.iter().flat_map(both).collect();
        let others = place.others.iter().flat_map(both).collect();
        let (entries, free, bases) = (Vec::new(), Vec::new(), Vec::new());
        let (verbs, switches) = (OnceCell::new(), Vec::new());
        let mut shield =
            Self { entries, free, bases, trees, wide, others, policy: *policy, verbs, switches, root, home };
        let mut known: Vec<(Base<'a>, Range<usize>, Rc<LazyNames<'a>>)> = Vec::new();
        for rule in policy.rules_of(|kind| kind != "verb") {
            if matches!(rule, Rule::Off { .. } | Rule::Client { .. } | Rule::Variables { .. }) {
                shield.switches.push(rule);
                continue;
            }
            let Some((base, _)) = rule.spot() else { continue };
            let (bases, fallback) = match known.iter().find(|(other, ..)| *other == base) {
                Some((_, bases, fallback)) => (bases.clone(), fallback.clone()),
                None => {
                    let start = shield.bases.len();
                    match base {
                        // Whoever compiled the policy listed it by all its names.
                        Base::Var { name: "", fallback } if fallback.starts_with('/') => {
                            shield.bases.push(names(Path::new(fallback)));
                        }
                        _ => shield.bases.extend(place.folders(base).iter().flat_map(both)),
                    }
                    let bases = start..shield.bases.len();
                    let fallback = LazyNames::new(match base {
                        Base::Var { fallback, .. } => fallback,
                        Base::Project | Base::Home => "",
                    });
                    known.push((base, bases.clone(), fallback.clone()));
                    (bases, fallback)
                }
            };
            // Without a project, its rules do not apply.
            if bases.is_empty() {
                continue;
            }
            let entry = Entry::new(rule, bases, fallback);
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

    /// The entries of the project's own folder.
    pub(crate) fn of_project(&self) -> impl Iterator<Item = &Entry<'a>> {
        self.entries.iter().filter(|entry| entry.is_of_project())
    }

    pub(crate) fn verbs(&self) -> &[Vec<String>] {
        self.verbs.get_or_init(|| {
            let words = self.policy.rules_of(|kind| kind == "verb").filter_map(|rule| match rule {
                Rule::Verb { words } => Some(words.split_whitespace().map(str::to_owned).collect()),
                _ => None,
            });
            words.collect()
        })
    }

    /// The rules about clients: what turns their hooks off.
    pub(crate) fn switches(&self) -> &[Rule<'a>] {
        &self.switches
    }

    /// The project, as written and with links resolved.
    pub(crate) fn roots(&self, facts: &dyn Facts) -> Vec<PathBuf> {
        self.root.iter().flat_map(|root| [facts.real(root), root.clone()]).collect()
    }

    /// The variables that decide whether Stead runs.
    pub(crate) fn variables(&self) -> Vec<&str> {
        let names = self.switches.iter().filter_map(|rule| match rule {
            Rule::Variables { names } => Some(names.split(',')),
            _ => None,
        });
        names.flatten().collect()
    }

    /// Finds the most severe relation of an absolute path. Its names may contain shell wildcards.
    pub(crate) fn standing(&self, candidate: &[Vec<char>]) -> Option<Standing<'_>> {
        let mut above = None;
        // Many rules share a base.
        let meets: Vec<bool> = self.bases.iter().map(|base| self.reaches(base, candidate)).collect();
        for entry in &self.entries {
            for base in entry.bases.clone().filter(|base| meets[*base]) {
                match entry.meets(&self.bases[base], candidate) {
                    Meeting::In if !self.is_free(candidate) => return Some(Standing::In(entry)),
                    Meeting::Above if above.is_none() => above = Some(Standing::Above(entry, self.width(candidate))),
                    _ => {}
                }
            }
        }
        above
    }

    /// Returns every entry that the candidate matches, with its relation.
    pub(crate) fn met<'s>(&'s self, candidate: &Candidate<'_>) -> Vec<Standing<'s>> {
        let width = self.width(&candidate.names);
        let mut met = Vec::new();
        for entry in &self.entries {
            let bases = self.bases[entry.bases.clone()].iter().filter(|base| self.reaches(base, &candidate.names));
            let bases = bases.filter(|base| !entry.is_left_out(base, candidate.except));
            // Next to something unknown, this many letters must match.
            let bases = bases.filter(|base| !candidate.guessed || spelled(&candidate.names, base.len()) >= SPELLED);
            let meetings: Vec<Meeting> = bases.map(|base| entry.meets(base, &candidate.names)).collect();
            if meetings.contains(&Meeting::In) && !self.is_free(&candidate.names) {
                met.push(Standing::In(entry));
            } else if meetings.contains(&Meeting::Above) {
                met.push(Standing::Above(entry, width));
            }
        }
        met
    }

    /// Finds the relation of an absolute path both as written and with its symlinks resolved.
    pub(crate) fn standing_of(&self, candidate: &Path, facts: &dyn Facts) -> Option<Standing<'_>> {
        let written = names(candidate);
        let found = self.standing(&written);
        if matches!(found, Some(Standing::In(_))) {
            return found;
        }
        let real = names(&facts.real(candidate));
        if real == written { found } else { self.standing(&real).or(found) }
    }

    /// Finds the relation of a path whose beginning is unknown: some part of it must match a rule from its first name
    /// on.
    pub(crate) fn standing_of_end(&self, candidate: &[Vec<char>]) -> Option<Standing<'_>> {
        let mut above = None;
        for start in 0..candidate.len() {
            let end = &candidate[start..];
            if end[0].iter().filter(|c| **c != MANY && **c != ONE).count() < 3 {
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

    /// Returns true if the rules of a base apply to the candidate.
    fn reaches(&self, base: &[Vec<char>], candidate: &[Vec<char>]) -> bool {
        let ends_before =
            |tree: &Names| tree.len() > base.len() && tree.starts_with(base) && candidate.starts_with(tree);
        meet(base, candidate) && !self.trees.iter().any(ends_before)
    }

    fn is_free(&self, candidate: &[Vec<char>]) -> bool {
        self.free
            .iter()
            .any(|entry| self.bases[entry.bases.clone()].iter().any(|base| entry.is_covering(base, candidate)))
    }

    fn is_free_end(&self, end: &[Vec<char>]) -> bool {
        self.free.iter().any(|entry| entry.is_covering(entry.fallback(), end))
    }

    fn width(&self, candidate: &[Vec<char>]) -> Width {
        let holds = |folder: &Names| candidate.len() <= folder.len() && meet(folder, candidate);
        if self.wide.iter().any(holds) {
            return Width::Wide;
        }
        if self.others.iter().any(holds) { Width::Tree } else { Width::Narrow }
    }
}

/// How many letters of a rule must match next to something unknown.
const SPELLED: usize = 3;

/// The literal letters of a candidate after its first names.
fn spelled(names: &[Vec<char>], from: usize) -> usize {
    names.iter().skip(from).flatten().filter(|c| !is_sign(**c)).count()
}

#[cfg(test)]
mod tests {
    use super::super::entry::split;
    use super::*;
    use crate::protection::testing::{World, show};

    #[track_caller]
    fn check(path: &str, expected: &str) {
        let world = World::new();
        world.with_shield(|shield, _| {
            let candidate = stead_shell::absolute(path, Path::new(World::ROOT), shield.home());
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
        let tree = clean(&root.join(tree));
        let place = Place { root: Some(root), tree: Some(&tree), others: &[], cwd: &tree, env: &env };
        let policy = Policy::parse(&world.policy);
        let shield = Shield::raise(&policy, &place, &world);
        let candidate = stead_shell::absolute(path, &tree, shield.home());
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
