use std::path::Path;

use stead_model::{Effects, Op, Target};
use stead_shell::Place;

use super::rule::Rule;

/// Ends the needles; optional.
const RULES: &str = "rules";

/// The compiled policy as text. Nothing is read before somebody asks, because most calls concern none of it.
#[derive(Clone, Copy, Debug)]
pub struct Policy<'a> {
    text: &'a str,
}

impl<'a> Policy<'a> {
    /// Takes the policy text: lines of tab-separated fields, unknown kinds ignored.
    pub fn parse(text: &'a str) -> Self {
        Self { text }
    }

    /// Gives the rules of this gate, in order.
    pub fn rules(&self) -> impl Iterator<Item = Rule<'a>> + use<'a> {
        self.text.lines().filter_map(Rule::parse)
    }

    /// Returns true if no rule can concern a command or an input with this text, run in that folder. A policy without
    /// needles is never quiet: better slow than blind.
    pub(crate) fn is_quiet(&self, text: &str, folder: &Path, place: &Place<'_>) -> bool {
        let needles = Needles::read(self);
        !needles.is_empty()
            && !needles.are_in(text)
            && !needles.weaken(text)
            && needles.is_far(folder, place)
            && !needles.are_split(text, folder)
    }

    /// Returns true if no rule can concern these effects: they are known to the end, change files of the project alone,
    /// and none of these has a name that a rule begins with.
    pub(crate) fn spares(&self, effects: &Effects, place: &Place<'_>) -> bool {
        let needles = Needles::read(self);
        let is_far = |target: &Target| {
            let inside = target.inside.as_deref().is_some_and(|inside| !inside.is_empty());
            inside && !target.glob && !target.guessed && needles.is_far(Path::new(&target.path), place)
        };
        !needles.is_empty()
            && effects.gaps.is_empty()
            && effects.list.iter().all(|effect| match &effect.op {
                Op::Write { target, .. } | Op::Delete(target) => is_far(target),
                Op::Rename { from, to } => is_far(from) && is_far(to),
                Op::Git(git) => git.untracked.is_none(),
                Op::Stead(_) => false,
                Op::Read { .. } | Op::Run { .. } | Op::Network { .. } | Op::Mcp { .. } | Op::Spawn { .. } => true,
            })
    }

    /// Returns true if no rule can concern this path.
    pub(crate) fn is_far(&self, path: &Path, place: &Place<'_>) -> bool {
        let needles = Needles::read(self);
        !needles.is_empty() && needles.is_far(path, place)
    }
}

/// The needles of a policy, sorted by kind.
struct Needles<'a> {
    names: Vec<&'a str>,
    below: Vec<(&'a str, &'a str)>,
    verbs: Vec<&'a str>,
}

impl<'a> Needles<'a> {
    fn read(policy: &Policy<'a>) -> Self {
        let mut needles = Self { names: Vec::with_capacity(32), below: Vec::new(), verbs: Vec::with_capacity(16) };
        // The line behind which only rules follow spares the usual call more than half of the text.
        let lines = policy.text.lines().take_while(|line| *line != RULES);
        for line in lines.filter_map(|line| line.strip_prefix("needle\t")) {
            match line.split_once('\t') {
                Some(("name", name)) => needles.names.push(name),
                Some(("below", place)) => needles.below.extend(place.split_once('\t')),
                Some(("verb", words)) => needles.verbs.push(words),
                _ => {}
            }
        }
        needles
    }

    fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns true if one of the names stands in the text.
    fn are_in(&self, text: &str) -> bool {
        let mut first = [false; 128];
        for name in &self.names {
            if let Some(byte) = name.trim_start_matches('*').bytes().next() {
                first[usize::from(byte.to_ascii_lowercase() & 0x7f)] = true;
                first[usize::from(byte.to_ascii_uppercase() & 0x7f)] = true;
            }
        }
        let bytes = text.as_bytes();
        (0..bytes.len())
            .filter(|at| first[usize::from(bytes[*at] & 0x7f)])
            .any(|at| self.names.iter().any(|name| stands(bytes, at, name)))
    }

    /// Returns true if the text may call a verb of `stead` that weakens it: the verb is there as it is written, or its
    /// first word and the name of the program are.
    fn weaken(&self, text: &str) -> bool {
        let spelled = self.verbs.iter().any(|words| has_word(text, words));
        let first = |words: &str| words.split(' ').next().is_some_and(|first| has_word(text, first));
        spelled || has_word(text, "stead") && self.verbs.iter().any(|words| first(words))
    }

    /// Returns true if the two names of a needle with a slash stand apart, such as in `cd ~/.config && mytool stead`.
    fn are_split(&self, text: &str, folder: &Path) -> bool {
        let folder = folder.to_string_lossy();
        let mut pairs = self.names.iter().filter_map(|name| name.split_once('/'));
        pairs.any(|(around, name)| {
            let stands = |name: &str, text: &str| (0..text.len()).any(|at| stands(text.as_bytes(), at, name));
            stands(name, text) && (stands(around, text) || stands(around, &folder))
        })
    }

    /// Returns true if a path has none of the names in it.
    fn is_far(&self, path: &Path, place: &Place<'_>) -> bool {
        let below = |(variable, folder): &(&str, &str)| {
            (place.env)(variable).is_some_and(|base| path.starts_with(Path::new(&base).join(folder)))
        };
        !self.are_in(&path.to_string_lossy()) && !self.below.iter().any(below)
    }
}

/// Returns true if the name stands at this place of the text, in any ASCII case, as a name of its own.
fn stands(text: &[u8], at: usize, name: &str) -> bool {
    let (open, name) = name.strip_prefix('*').map_or((false, name), |name| (true, name));
    let (more, name) = name.strip_suffix('*').map_or((false, name), |name| (true, name));
    let end = at + name.len();
    let same = text.len() >= end && text[at..end].eq_ignore_ascii_case(name.as_bytes());
    let starts = open || name.starts_with('.') || at == 0 || !is_part(text[at - 1]);
    same && starts && (more || text.get(end).is_none_or(|byte| !is_part(*byte)))
}

/// Returns true if the text has these words in it as words.
fn has_word(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let before = at.checked_sub(1).map(|at| text.as_bytes()[at]);
        let after = text.as_bytes().get(at + words.len());
        // A folder of that name is no program.
        !before.is_some_and(is_part) && !after.is_some_and(|byte| is_part(*byte) || *byte == b'/')
    })
}

/// Letters go on; so do bytes of letters beyond ASCII.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: &str = "needle\tname\t.agent\nhook\tother\nneedle\tname\t*hooks\nneedle\tname\t.config/stead\n\
        needle\tbelow\tXDG\tstead\nneedle\tverb\tconfig set\nneedle\tverb\tuninstall\nrules\nneedle\tname\tcargo\n";

    #[track_caller]
    fn check_in(folder: &str, text: &str, quiet: bool) {
        let env = |name: &str| (name == "XDG").then(|| "/xdg".into());
        let place = Place { root: None, tree: None, cwd: Path::new("/"), env: &env };
        assert_eq!(Policy::parse(POLICY).is_quiet(text, Path::new(folder), &place), quiet, "{folder}: {text}");
    }

    #[track_caller]
    fn check(text: &str, quiet: bool) {
        check_in("/home/ann/homestead", text, quiet);
    }

    #[test]
    fn names_are_found_as_names_in_any_case() {
        check("cargo test", true);
        check("cat .agen", true);
        check("cat .agents/x", true);
        check("cat .agent/x", false);
        check("x.AGENT", false);
        check("é.agent", false);
        check("cat myhooks", false);
        check("cat hooksX", true);
        check("ls ~/.config/stead", false);
        check("cd ~/.config && mytool stead", false);
        check_in("/home/ann/.config", "mytool stead", false);
    }

    #[test]
    fn a_verb_counts_with_its_program_or_in_full() {
        check("use this instead", true);
        check("git -C /work/stead status", true);
        check("cd /work/stead && cargo test", true);
        check("cat /work/stead/config", true);
        check("stead status", true);
        check("git config user.name", true);
        check("stead config --user set a b", false);
        check("cargo run -- uninstall", false);
        check("./q config set a b", false);
        check("pip uninstall-x", true);
    }

    #[test]
    fn a_folder_counts_where_something_protected_is() {
        check_in("/work/stead", "cargo test", true);
        check_in("/work/stead/crates", "cargo test", true);
        check_in("/work/x/.agent", "rm config.toml", false);
        check_in("/home/ann/.config/stead", "rm config.toml", false);
        check_in("/xdg/stead/guards", "rm a.yaml", false);
    }

    #[test]
    fn a_policy_without_needles_is_never_quiet() {
        let place = Place { root: None, tree: None, cwd: Path::new("/"), env: &|_| None };
        assert!(!Policy::parse("own\tproject\tx\tit").is_quiet("nothing", Path::new("/"), &place));
        assert!(!Policy::parse("").is_far(Path::new("/x"), &place));
    }

    #[test]
    fn foreign_lines_are_skipped() {
        let text = "log\tx\nown\tproject\tx\tit\nverb\tuninstall\n";
        assert_eq!(Policy::parse(text).rules().count(), 2);
    }
}
