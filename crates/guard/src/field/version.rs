//! The content of a file after each step of a call, computed in memory.

use stead_model::{Content, Effect, How, Op, Target};

use crate::guard_facts::{FileText, GuardFacts};
use crate::pattern::means;

/// The content of a file after an effect.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum After {
    Text(String),
    Gone,
    /// Unknown, and why.
    Unknown(&'static str),
}

/// One effect that touches the file, and every possible content of the file after it.
pub(crate) struct Touch {
    pub(crate) effect: usize,
    pub(crate) states: Vec<After>,
}

/// A file, by its absolute path and by the one below the root. The root may be reached through a link, so the relative
/// paths are compared if both sides have one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Sheet {
    pub(crate) path: String,
    pub(crate) inside: Option<String>,
}

impl Sheet {
    pub(crate) fn of(target: &Target) -> Self {
        Self { path: target.path.clone(), inside: target.inside.clone() }
    }

    /// How messages name it.
    pub(crate) fn shown(&self) -> &str {
        self.inside.as_deref().unwrap_or(&self.path)
    }

    /// The two names to compare.
    fn beside<'a>(&'a self, target: &'a Target) -> (&'a str, &'a str) {
        match (&self.inside, &target.inside) {
            (Some(own), Some(other)) => (own, other),
            _ => (&self.path, &target.path),
        }
    }
}

/// Simulates changes of one file.
pub(crate) struct Paper<'a> {
    pub(crate) effects: &'a [Effect],
    pub(crate) facts: &'a dyn GuardFacts,
}

/// Every text that a file may have after a call, as far as it is known.
pub fn texts_after(effects: &[Effect], facts: &dyn GuardFacts, path: &str, inside: Option<&str>) -> Vec<String> {
    let file = Sheet { path: path.to_owned(), inside: inside.map(str::to_owned) };
    let touches = Paper { effects, facts }.touches(&file);
    let last = touches.into_iter().next_back().map(|touch| touch.states).unwrap_or_default();
    let texts = last.into_iter().filter_map(|state| match state {
        After::Text(text) => Some(text),
        After::Gone | After::Unknown(_) => None,
    });
    texts.collect()
}

/// Some clients then use a similar text.
const MISSED: &str = "the text to replace does not occur as given";

/// The maximum number of occurrences of a text to replace; with more, the result is unknown.
const STATES: usize = 16;
/// The maximum number of consecutive renames.
const DEPTH: usize = 8;

impl Paper<'_> {
    /// The current content of the file.
    pub(crate) fn before(&self, path: &str) -> After {
        match self.facts.text(path) {
            FileText::Is(text) => After::Text(text),
            FileText::Missing => After::Gone,
            FileText::Unreadable => After::Unknown("its current text cannot be read"),
        }
    }

    /// Every effect that touches the file, in order.
    pub(crate) fn touches(&self, file: &Sheet) -> Vec<Touch> {
        self.follow(file, self.effects.len(), 0)
    }

    fn follow(&self, file: &Sheet, end: usize, depth: usize) -> Vec<Touch> {
        let mut states = None;
        let mut touches = Vec::new();
        for (at, effect) in self.effects.iter().enumerate().take(end) {
            let next = match &effect.op {
                Op::Write { target, how, content } if hits(target, file) => match how {
                    How::Attributes => continue,
                    How::Link => vec![After::Unknown("it becomes a link")],
                    _ => {
                        let now: &Vec<After> = states.get_or_insert_with(|| vec![self.before(&file.path)]);
                        written(now, *how, content)
                    }
                },
                Op::Write { target, how, .. }
                    if reaches(target, file) && *how != How::Attributes && self.is_telling(at, target, *how) =>
                {
                    vec![After::Unknown("files are written into its folder")]
                }
                Op::Delete(target) if hits(target, file) || reaches(target, file) => vec![After::Gone],
                Op::Rename { to, .. } if reaches(to, file) && to.inside.is_some() => {
                    vec![After::Unknown("its folder is replaced")]
                }
                Op::Rename { from, to } if hits(to, file) => self.moved(from, at, depth),
                Op::Rename { from, .. } if hits(from, file) || reaches(from, file) => vec![After::Gone],
                _ => continue,
            };
            touches.push(Touch { effect: at, states: next.clone() });
            states = Some(next);
        }
        touches
    }

    /// Returns true if a write of a whole folder counts for one file in it. A change somewhere in it does not, nor one
    /// that comes from outside the project or only discards work.
    fn is_telling(&self, at: usize, target: &Target, how: How) -> bool {
        let undone = |inside: &str| {
            let part = self.effects.get(at).map_or("", |effect| effect.part.as_str());
            let runs = self.effects.iter().take(at).rev().filter(|effect| effect.part == part);
            inside.is_empty()
                && runs.into_iter().any(|effect| matches!(&effect.op, Op::Run { argv, .. } if is_return(argv)))
        };
        how != How::Somewhere && target.inside.as_deref().is_some_and(|inside| !undone(inside))
    }

    /// The content of a renamed file at that point.
    fn moved(&self, from: &Target, at: usize, depth: usize) -> Vec<After> {
        if depth >= DEPTH || from.glob {
            return vec![After::Unknown("its source is unknown")];
        }
        match self.follow(&Sheet::of(from), at, depth + 1).pop() {
            Some(touch) => touch.states,
            None => match self.before(&from.path) {
                After::Gone => vec![After::Unknown("its source does not exist yet")],
                other => vec![other],
            },
        }
    }
}

/// Returns true if a target is exactly this file. Unknown files do not count.
fn hits(target: &Target, file: &Sheet) -> bool {
    let (path, other) = file.beside(target);
    match target.glob {
        true => target.inside.as_deref() != Some("**") && means(&Target { tree: false, ..target.clone() }, other, path),
        false => other.eq_ignore_ascii_case(path),
    }
}

/// Returns true if a target is a whole folder that contains the file.
fn reaches(target: &Target, file: &Sheet) -> bool {
    let (path, other) = file.beside(target);
    let folder = other.trim_end_matches('/').as_bytes();
    let path_bytes = path.as_bytes();
    if target.inside.as_deref() == Some("") && file.inside.is_some() {
        return target.tree;
    }
    if target.glob {
        return target.tree && means(target, other, path);
    }
    target.tree
        && path_bytes.get(..folder.len()).is_some_and(|start| start.eq_ignore_ascii_case(folder))
        && path_bytes.get(folder.len()) == Some(&b'/')
}

/// Returns true if git restores an earlier tree: the last commit (`git checkout .`, `git reset --hard`, `git stash`),
/// or stashed changes that were judged before (`git stash pop`).
fn is_return(argv: &[String]) -> bool {
    let [git, rest @ ..] = argv else { return false };
    if git.rsplit('/').next() != Some("git") {
        return false;
    }
    let words: Vec<&str> = rest.iter().map(String::as_str).filter(|word| *word != "--").collect();
    let verb = words.iter().position(|word| matches!(*word, "checkout" | "restore" | "reset" | "stash"));
    let Some((verb, words)) = verb.map(|at| (words[at], &words[at + 1..])) else { return false };
    if verb == "stash" {
        return matches!(words.first(), None | Some(&("push" | "save" | "pop" | "apply")))
            || words.first().is_some_and(|word| word.starts_with('-'));
    }
    let sources = words.iter().any(|word| word.starts_with("-s") || word.starts_with("--source"));
    let is_last = |word: &&str| matches!(*word, "HEAD" | "." | "./" | ":/") || word.starts_with('-');
    !sources && words.iter().all(is_last)
}

fn written(now: &[After], how: How, content: &Content) -> Vec<After> {
    match content {
        Content::Unknown => vec![After::Unknown("the new text is unknown")],
        Content::Text(text) if how == How::Append => now
            .iter()
            .map(|state| match state {
                After::Text(old) => After::Text(format!("{old}{text}")),
                After::Gone => After::Text(text.clone()),
                After::Unknown(why) => After::Unknown(why),
            })
            .collect(),
        Content::Text(text) => vec![After::Text(text.clone())],
        Content::Replacements(list) => {
            let mut states = now.to_vec();
            for (old, new, all) in list {
                states = states.iter().flat_map(|state| replaced(state, old, new, *all)).collect();
                if states.len() > STATES {
                    return vec![After::Unknown("the text to replace occurs too often")];
                }
            }
            states
        }
    }
}

/// Every possible result of one replacement: clients differ in which of several occurrences they replace.
fn replaced(state: &After, old: &str, new: &str, all: bool) -> Vec<After> {
    let text = match state {
        After::Text(text) => text.as_str(),
        After::Gone if old.is_empty() => return vec![After::Text(new.to_owned())],
        After::Gone => return vec![After::Gone],
        After::Unknown(why) => return vec![After::Unknown(why)],
    };
    if old.is_empty() {
        return vec![
            After::Text(new.to_owned()),
            After::Text(format!("{new}{text}")),
            After::Text(format!("{text}{new}")),
        ];
    }
    if all {
        return match text.contains(old) {
            true => vec![After::Text(text.replace(old, new))],
            false => vec![After::Unknown(MISSED)],
        };
    }
    let mut places = text.match_indices(old).take(STATES + 1).peekable();
    if places.peek().is_none() {
        return vec![After::Unknown(MISSED)];
    }
    places.map(|(at, _)| After::Text(format!("{}{new}{}", &text[..at], &text[at + old.len()..]))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replacements(list: &[(&str, &str, bool)]) -> Content {
        Content::Replacements(list.iter().map(|(old, new, all)| ((*old).into(), (*new).into(), *all)).collect())
    }

    #[track_caller]
    fn check(now: &str, how: How, content: Content, expected: &[&str]) {
        let texts: Vec<String> = written(&[After::Text(now.into())], how, &content)
            .into_iter()
            .map(|state| match state {
                After::Text(text) => text,
                After::Gone => "(gone)".into(),
                After::Unknown(why) => format!("({why})"),
            })
            .collect();
        assert_eq!(texts, expected, "{now} {content:?}");
    }

    #[test]
    fn undoing_is_told_from_bringing_in() {
        let check = |command: &str, expected: bool| {
            let argv: Vec<String> = command.split(' ').map(str::to_owned).collect();
            assert_eq!(is_return(&argv), expected, "{command}");
        };
        for command in [
            "git checkout .",
            "git checkout -- .",
            "git checkout HEAD -- .",
            "git restore .",
            "git restore --staged --worktree .",
            "git reset --hard",
            "git -C . reset --hard HEAD",
            "git stash",
            "git stash -u",
            "git stash pop",
        ] {
            check(command, true);
        }
        for command in [
            "git checkout other -- .",
            "git restore -s other .",
            "git restore --source=HEAD~3 .",
            "git reset --hard HEAD~1",
            "git stash branch x",
            "tar -xf x.tar",
        ] {
            check(command, false);
        }
    }

    #[test]
    fn a_change_is_made_on_paper() {
        check("a", How::Replace, Content::Text("b".into()), &["b"]);
        check("a", How::Append, Content::Text("b".into()), &["ab"]);
        check("a", How::Replace, Content::Unknown, &["(the new text is unknown)"]);
        check("x a y", How::Edit, replacements(&[("a", "b", false)]), &["x b y"]);
        check("a a", How::Edit, replacements(&[("a", "b", false)]), &["b a", "a b"]);
        check("a a", How::Edit, replacements(&[("a", "b", true)]), &["b b"]);
        check("ab", How::Edit, replacements(&[("a", "b", false), ("bb", "c", false)]), &["c"]);
        check("a", How::Edit, replacements(&[("z", "b", false)]), &["(the text to replace does not occur as given)"]);
        check(
            &"a".repeat(40),
            How::Edit,
            replacements(&[("a", "b", false)]),
            &["(the text to replace occurs too often)"],
        );
        check("a", How::Edit, replacements(&[("", "b", false)]), &["b", "ba", "ab"]);
    }
}
