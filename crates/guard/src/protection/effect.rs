//! Effects that would weaken Stead: changes of protected paths, of folders that contain one, and gaps that name one.

use std::path::Path;

use stead_model::{Action, Content, Effect, Effects, Gap, How, Op, Target, ToolCall};
use stead_shell::{Facts, Place, absolute, is_sign};

use super::candidate::Candidate;
use super::denial::{Denial, holder, own, quote};
use super::entry::Entry;
use super::mention;
use super::off;
use super::rule::Rule;
use super::settings;
use super::shield::{Shield, Standing, Width};
use super::tree;
use super::verb;

/// How many pieces of a text are looked up relative to a protected folder.
const PIECES: usize = 200;

/// What is needed to judge effects.
pub(crate) struct Bench<'b> {
    pub(crate) call: &'b ToolCall<'b>,
    pub(crate) shield: &'b Shield<'b>,
    pub(crate) place: &'b Place<'b>,
    pub(crate) facts: &'b dyn Facts,
}

impl Bench<'_> {
    /// Finds the first reason to deny a call.
    pub(crate) fn judge(&self, effects: &Effects) -> Option<Denial> {
        // Only shell commands distinguish whether a deletion is recursive.
        let deep = !matches!(self.call.action, Action::Run { .. });
        let mut found = effects.list.iter().find_map(|effect| self.effect(effect, deep));
        found = found.or_else(|| off::judge(self.shield, effects, self.place));
        found = found.or_else(|| effects.gaps.iter().find_map(|gap| self.gap(gap)));
        found.or_else(|| effects.gave_up.then(|| self.raw()).flatten())
    }

    fn effect(&self, effect: &Effect, deep: bool) -> Option<Denial> {
        let part = &effect.part;
        match &effect.op {
            Op::Delete(target) => self.removal(target, deep || target.tree, "delete", part),
            Op::Rename { from, to } => {
                let moved = self.removal(from, true, "move", part);
                moved.or_else(|| self.arrival(to, part))
            }
            Op::Write { target, how, content } => self.write(target, *how, content, part),
            Op::Git(git) => {
                let untracked = git.untracked.as_ref()?;
                self.untracked(&untracked.target, untracked.ignored, &git.verb, part)
            }
            Op::Stead(call) => verb::judge(self.shield, call, part, self.facts),
            Op::Read { .. }
            | Op::Run { .. }
            | Op::Network { .. }
            | Op::RunDownload { .. }
            | Op::Sql { .. }
            | Op::Mcp { .. }
            | Op::Spawn { .. } => None,
        }
    }

    /// All protected entries that a target matches.
    fn met(&self, target: &Target) -> Vec<Standing<'_>> {
        let mut met = self.shield.met(&Candidate::of(target));
        // An unknown prefix is probably the project, but may be a folder with a person's own files.
        if let (true, Some(inside)) = (target.guessed, &target.inside) {
            let end = Target { path: inside.clone(), ..target.clone() };
            met.extend(self.shield.standing_of_end(&Candidate::of(&end).names));
        }
        // A pattern may stand for any folder, so for another tree of a project, too.
        if target.glob && target.inside.is_none() {
            let names = Candidate::of(target).names;
            let open = names.iter().position(|name| name.iter().any(|c| is_sign(*c)));
            met.extend(open.and_then(|at| self.shield.standing_of_end(&names[at + 1..])));
        }
        met
    }

    /// A deletion, recursive if `deep` is set.
    fn removal(&self, target: &Target, deep: bool, verb: &str, part: &str) -> Option<Denial> {
        let mut met = self.met(target);
        // Removing `*` is meant to empty the folder; in some shells it includes hidden names.
        let hidden = target.path.strip_suffix("/*").filter(|_| deep && target.glob && !target.guessed);
        let hidden = hidden.map(|folder| Target { path: format!("{folder}/.*"), ..target.clone() });
        met.extend(hidden.iter().flat_map(|hidden| self.shield.met(&Candidate::of(hidden))));
        let search = Candidate::of(target).is_search();
        met.into_iter().find_map(|standing| match standing {
            Standing::In(entry) if self.is_lost(entry, target, search) => Some(self.own(entry, verb, target, part)),
            Standing::Above(entry, Width::Tree) if entry.is_of_project() => {
                let lost = deep && tree::is_lost(entry, Path::new(&target.path), self.place, self.facts);
                lost.then(|| self.holder(entry, verb, target, part))
            }
            Standing::Above(entry, _) if deep && self.is_endangered(entry) && !(search && self.is_absent(entry)) => {
                Some(self.holder(entry, verb, target, part))
            }
            _ => None,
        })
    }

    /// Returns true if a removal affects Stead: a settings file without our lines does not.
    fn is_lost(&self, entry: &Entry<'_>, target: &Target, search: bool) -> bool {
        match &entry.rule {
            _ if search && self.is_absent(entry) => false,
            Rule::Settings { .. } if target.glob => self.is_endangered(entry),
            Rule::Settings { .. } => settings::holds_lines(entry, Path::new(&target.path), self.facts),
            _ => true,
        }
    }

    /// A write, which may replace what had the name before.
    fn arrival(&self, target: &Target, part: &str) -> Option<Denial> {
        self.met(target).into_iter().find_map(|standing| match standing {
            Standing::In(entry) => Some(self.own(entry, "overwrite", target, part)),
            Standing::Above(entry, Width::Narrow) => Some(self.holder(entry, "replace", target, part)),
            Standing::Above(_, Width::Wide | Width::Tree) => None,
        })
    }

    fn write(&self, target: &Target, how: How, content: &Content, part: &str) -> Option<Denial> {
        let candidate = Candidate::of(target);
        let search = candidate.is_search();
        self.met(target).into_iter().find_map(|standing| match standing {
            Standing::In(entry) => {
                let spared = target.glob && !self.is_endangered(entry) || search && self.is_absent(entry);
                let spared = spared || how == How::Edit && self.is_unchanged(entry, target, content);
                (!spared).then(|| self.own(entry, verb_of(how), target, part))
            }
            // Without the rights to enter a folder, nothing in it is found.
            Standing::Above(entry, Width::Narrow)
                if (target.tree || how == How::Attributes && is_program(entry)) && self.is_endangered(entry) =>
            {
                Some(self.holder(entry, verb_of(how), target, part))
            }
            Standing::Above(..) => None,
        })
    }

    /// Git removes untracked files.
    fn untracked(&self, target: &Target, ignored: bool, verb: &str, part: &str) -> Option<Denial> {
        let met = self.shield.met(&Candidate::of(target));
        let mut lost: Vec<&Entry<'_>> = Vec::new();
        for entry in met.into_iter().map(Standing::entry) {
            let first = entry.first_folder(tree::around(Path::new(&target.path), self.place));
            // Tracked files stay; all others there are ignored by git.
            let stays = !ignored && first.is_some_and(|folder| self.facts.is_tracked(&folder) == Some(true));
            if entry.is_of_project() && self.is_endangered(entry) && !stays {
                lost.push(entry);
            }
        }
        let entry = lost.first()?;
        let mut denial = holder(entry, format!("a call that would remove untracked files through {}", quote(part)));
        denial.why = format!("`{}` is among them, which agents may not remove", entry.shown());
        let mut names: Vec<String> = Vec::new();
        for name in lost.iter().map(|entry| entry.first().iter().collect::<String>()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        denial.instead = match verb {
            "clean" => {
                let flags: Vec<String> = names.iter().map(|name| format!("-e {name}")).collect();
                format!("add `{}`", flags.join(" "))
            }
            _ => "stash without `-u`/`-a`, or name the paths you mean: `git stash push -u -- src`".to_owned(),
        };
        Some(denial)
    }

    /// Returns true if a replacement of known text leaves the file as it is.
    fn is_unchanged(&self, entry: &Entry<'_>, target: &Target, content: &Content) -> bool {
        let Content::Replacements(parts) = content else { return false };
        let keeps = |path: &Path| {
            let text = self.facts.read(path);
            text.is_some_and(|text| !parts.iter().any(|(old, ..)| old.is_empty() || text.contains(old.as_str())))
        };
        if !target.glob && !target.tree {
            return keeps(Path::new(&target.path));
        }
        let files = entry.files(|base| self.place.folders(base));
        files.iter().all(|file| match entry.is_folder() {
            true => self.facts.files_below(file).is_some_and(|files| files.iter().all(|file| keeps(file))),
            false => self.facts.is_missing(file) || keeps(file),
        })
    }

    /// Returns true if something worth protecting may be there: a settings file without our lines is not.
    fn is_endangered(&self, entry: &Entry<'_>) -> bool {
        if !matches!(entry.rule, Rule::Settings { .. }) {
            return true;
        }
        let files = entry.files(|base| self.place.folders(base));
        files.iter().any(|file| settings::holds_lines(entry, file, self.facts))
    }

    fn is_absent(&self, entry: &Entry<'_>) -> bool {
        entry.is_absent(|base| self.place.folders(base), self.facts)
    }

    /// A part that could not be followed may not name anything protected.
    fn gap(&self, gap: &Gap) -> Option<Denial> {
        let named = gap.paths.iter().find_map(|target| {
            let mut met = self.met(target);
            if !target.glob {
                let real = self.facts.real(Path::new(&target.path)).to_string_lossy().into_owned();
                met.extend(self.shield.met(&Candidate::of(&Target { path: real, ..target.clone() })));
            }
            let inside = met.iter().any(|standing| matches!(standing, Standing::In(_)));
            inside.then(|| shown(target))
        });
        if let Some(path) = named.or_else(|| gap.texts.iter().find_map(|text| self.mentioned(text))) {
            return Some(unfollowed(gap, &path));
        }
        let verb = gap.texts.iter().find_map(|text| mention::weakening_call(self.shield, text));
        let off = || gap.texts.iter().find_map(|text| off::mentioned(self.shield, text));
        verb.map(|verb| verb::refuse(&verb)).or_else(off)
    }

    /// Finds a protected path in free text, also relative to the folder of the call.
    fn mentioned(&self, text: &str) -> Option<String> {
        if let Some(piece) = mention::find(self.shield, text) {
            return Some(piece.to_owned());
        }
        let home = self.shield.home();
        let standing = |path: &Path| self.shield.standing_of(path, self.facts);
        match standing(self.place.cwd)? {
            Standing::Above(_, Width::Wide | Width::Tree) => None,
            _ => {
                let inside =
                    |piece: &&str| matches!(standing(&absolute(piece, self.place.cwd, home)), Some(Standing::In(_)));
                mention::pieces(text).take(PIECES).find(inside).map(str::to_owned)
            }
        }
    }

    /// A call that exceeds the limits passes only if its text names nothing protected.
    fn raw(&self) -> Option<Denial> {
        let text = match &self.call.action {
            Action::Run { command, .. } => command,
            _ => &self.call.input,
        };
        let named = mention::find(self.shield, text).map(str::to_owned);
        let named = named.or_else(|| mention::weakening_call(self.shield, text).map(|verb| format!("stead {verb}")))?;
        Some(Denial::new(
            "the call",
            format!("it is too long or too deeply nested to read, and names {}", quote(&named)),
            "split it into smaller ones",
        ))
    }

    /// Names the effect, and the part of the call that has it.
    fn would(&self, verb: &str, target: &Target, part: &str) -> String {
        let path = shown(target);
        let home = self.shield.home().is_some_and(|home| Path::new(&target.path) == home);
        let effect = match home {
            true => format!("a call that would {verb} the home folder"),
            false => super::denial::would(verb, &path),
        };
        // For a script or a task, name the command that runs it.
        let typed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let part = match &self.call.action {
            Action::Run { command, .. }
                if part.len() > command.len() || !typed(&bare(command)).contains(&*bare(part)) =>
            {
                command.as_ref()
            }
            _ => part,
        };
        if part.is_empty() || part == path { effect } else { format!("{effect} through {}", quote(part)) }
    }

    fn own(&self, entry: &Entry<'_>, verb: &str, target: &Target, part: &str) -> Denial {
        let mut denial = own(entry, self.would(verb, target, part));
        if Candidate::of(target).is_search() {
            denial.instead = leave_out(entry);
        }
        denial
    }

    fn holder(&self, entry: &Entry<'_>, verb: &str, target: &Target, part: &str) -> Denial {
        let mut denial = holder(entry, self.would(verb, target, part));
        if part.starts_with("find ") || Candidate::of(target).is_search() {
            denial.instead = leave_out(entry);
        }
        denial
    }
}

fn is_program(entry: &Entry<'_>) -> bool {
    matches!(&entry.rule, Rule::Own { what, .. } if what == super::builtin::PROGRAM)
}

/// A command without quotes.
fn bare(text: &str) -> String {
    text.replace(['\'', '"', '\\'], "")
}

/// The hint for a search that finds something protected.
fn leave_out(entry: &Entry<'_>) -> String {
    let first: String = entry.first().iter().collect();
    format!("add `-not -path '*/{first}/*'` before the action, or search a folder without it")
}

fn unfollowed(gap: &Gap, path: &str) -> Denial {
    let part = if gap.part.is_empty() { "the call".to_owned() } else { quote(&gap.part) };
    Denial::new(
        part,
        format!(
            "Stead cannot follow it ({}), and it names {}, which agents may read but not change",
            gap.why,
            quote(path)
        ),
        "to read it use `cat` or `jq`; to change a client's settings use the edit tool; for anything else ask the person",
    )
}

/// Shows a path relative to the project.
fn shown(target: &Target) -> String {
    match target.inside.as_deref() {
        Some("") => ".".to_owned(),
        Some(inside) => inside.to_owned(),
        None => target.path.clone(),
    }
}

fn verb_of(how: How) -> &'static str {
    match how {
        How::Replace => "write",
        How::Edit => "edit",
        How::Append => "append to",
        How::Link => "link",
        How::Into => "write into",
        How::Somewhere => "change files in",
        How::Attributes => "change the mode or owner of",
    }
}
