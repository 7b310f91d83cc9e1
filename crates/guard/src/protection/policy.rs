use std::path::Path;

use stead_model::{Effect, Effects, Op, Target, cut, pieces};
use stead_shell::{Facts, Place};

use super::needle::Needles;
use super::rule::Rule;

/// The compiled policy as text. It is parsed lazily, because most calls need none of it.
#[derive(Clone, Copy)]
pub struct Policy<'a> {
    /// Where the needles are.
    head: &'a str,
    rules: Rules<'a>,
}

#[derive(Clone, Copy)]
enum Rules<'a> {
    Here(&'a str),
    Later(&'a dyn RuleText),
}

/// Rules that are read when they are asked for.
pub trait RuleText {
    fn text(&self) -> &str;
}

impl<'a> Policy<'a> {
    /// Wraps the policy text: lines of tab-separated fields; unknown kinds are ignored.
    pub fn parse(text: &'a str) -> Self {
        Self { head: text, rules: Rules::Here(text) }
    }

    /// A policy whose rules are fetched when a call needs them. `head` has the needles.
    pub fn lazy(head: &'a str, rules: &'a dyn RuleText) -> Self {
        Self { head, rules: Rules::Later(rules) }
    }

    pub(crate) fn head(&self) -> &'a str {
        self.head
    }

    /// Returns the rules of this gate, in order.
    pub fn rules(&self) -> impl Iterator<Item = Rule<'a>> + use<'a> {
        self.rules_of(|_| true)
    }

    /// Returns the rules of some kinds. The others are not parsed.
    pub(crate) fn rules_of(&self, wants: fn(&str) -> bool) -> impl Iterator<Item = Rule<'a>> + use<'a> {
        let is_wanted = move |line: &&str| cut(line, b'\t').is_some_and(|(kind, _)| wants(kind));
        let text = match self.rules {
            Rules::Here(text) => text,
            Rules::Later(rules) => rules.text(),
        };
        pieces(text, b'\n').filter(is_wanted).filter_map(Rule::parse)
    }

    /// Returns true if no rule can apply to a command or an input with this text, run in that folder. Always false for
    /// a policy without needles, which is slow but safe.
    pub(crate) fn is_quiet(&self, text: &str, folder: &Path, place: &Place<'_>) -> bool {
        let needles = Needles::read(self.head);
        !needles.is_empty() && needles.are_quiet(text, folder, place)
    }

    /// Returns true if no rule can concern these effects: what they change or do not follow is known by name, and no name
    /// is one that a rule begins with. `deep` says that a deletion takes folders with all that is in them.
    pub(crate) fn spares(&self, effects: &Effects, deep: bool, place: &Place<'_>, facts: &dyn Facts) -> bool {
        let needles = Needles::read(self.head);
        // Only a folder can contain another tree.
        let is_apart = |target: &Target, deep: bool| {
            let is_one = !deep && !target.tree && !target.glob;
            is_one || facts.tree_of(Path::new(&target.path)).is_none()
        };
        let is_far = |target: &Target, deep: bool| needles.are_far(target, deep, place) && is_apart(target, deep);
        let spared = |effect: &Effect| match &effect.op {
            Op::Write { target, .. } => is_far(target, false),
            Op::Delete(target) => is_far(target, deep),
            Op::Rename { from, to } => is_far(from, true) && is_far(to, true),
            Op::Git(git) => git.untracked.is_none(),
            Op::Stead(_) => false,
            Op::Run { argv, .. } => !needles.name_client(argv),
            Op::Read { .. }
            | Op::Network { .. }
            | Op::RunDownload { .. }
            | Op::Sql { .. }
            | Op::Mcp { .. }
            | Op::Spawn { .. } => true,
        };
        let known = |target: &Target| {
            let real =
                || Target { path: facts.real(Path::new(&target.path)).to_string_lossy().into(), ..target.clone() };
            is_far(target, false) && (target.glob || is_far(&real(), false))
        };
        let quiet = |text: &String| text.is_ascii() && !text.contains('*') && needles.are_quiet(text, place.cwd, place);
        !needles.is_empty()
            && !effects.gave_up
            && effects.list.iter().all(spared)
            && effects.gaps.iter().all(|gap| gap.paths.iter().all(known) && gap.texts.iter().all(quiet))
    }
}

#[cfg(test)]
mod tests {
    use super::super::needle::render_needles;
    use super::*;

    fn policy() -> String {
        let lines = [
            "own\tproject\t.agent/**\tx",
            "own\tproject\tmy*hooks/**\tx",
            "own\tvar:XDG:.config\tstead/**\tx",
            "verb\tconfig set",
            "verb\tuninstall",
        ];
        let rules: Vec<_> = lines.iter().filter_map(|line| Rule::parse(line)).collect();
        format!("hook\tother\n{}names\tcargo\n", render_needles(&rules))
    }

    #[track_caller]
    fn check_in(folder: &str, text: &str, quiet: bool) {
        let env = |name: &str| (name == "XDG").then(|| "/xdg".into());
        let place = Place { root: None, tree: None, others: &[], cwd: Path::new("/"), env: &env };
        assert_eq!(Policy::parse(&policy()).is_quiet(text, Path::new(folder), &place), quiet, "{folder}: {text}");
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
        let place = Place { root: None, tree: None, others: &[], cwd: Path::new("/"), env: &|_| None };
        assert!(!Policy::parse("own\tproject\tx\tit").is_quiet("nothing", Path::new("/"), &place));
    }

    #[test]
    fn foreign_lines_are_skipped() {
        let text = "log\tx\nown\tproject\tx\tit\nverb\tuninstall\n";
        assert_eq!(Policy::parse(text).rules().count(), 2);
    }
}
