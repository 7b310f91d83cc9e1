//! Decides whether a change keeps the behaviour, by comparing syntax trees: both sides are brought into one form, and
//! then they are equal or not. There are no weights, and similarity counts for nothing: a change that is not proven to be
//! a refactoring is evolution.

mod compare;
mod expr;
mod extract;

mod import;
mod inline;
mod rename;
mod unit;

use crate::budget::Budget;
use crate::language::Language;
use crate::tree::Tree;
use unit::Unit;

/// A changed file. A text that nobody knows is `None`; a file that is not there has an empty text.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    pub path: &'a str,
    pub language: Option<Language>,
    pub before: Option<&'a str>,
    pub after: Option<&'a str>,
}

/// What a change does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// The behaviour is the same.
    Refactor,
    /// The behaviour is another one, or may be.
    Evolution,
    /// Cannot be compared.
    Unknown,
}

impl Class {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Refactor => "AST_REFACTOR",
            Self::Evolution => "INTENT_EVOLUTION",
            Self::Unknown => "UNKNOWN",
        }
    }
}

/// The class of a change, and one word about why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    pub class: Class,
    /// For a refactoring what it is: `none`, `format`, `comment`, `locals`, `reorder`, `move`, `rename`, `extract`,
    /// `inline`; for an evolution `add`, `remove`, `change`, `order`, `import`; otherwise what is missing: `text`,
    /// `language`, `budget`, `syntax`.
    pub how: &'static str,
}

impl Judgement {
    fn unknown(how: &'static str) -> Self {
        Self { class: Class::Unknown, how }
    }

    fn evolution(how: &'static str) -> Self {
        Self { class: Class::Evolution, how }
    }

    fn refactor(how: &'static str) -> Self {
        Self { class: Class::Refactor, how }
    }
}

/// Judges all changes of one call together, so that code may move between its files.
pub fn classify(changes: &[Change<'_>], budget: &Budget) -> Judgement {
    let mut unknown = None;
    let mut files = Vec::new();
    for change in changes {
        let (Some(before), Some(after)) = (change.before, change.after) else {
            unknown = Some("text");
            continue;
        };
        if before == after {
            continue;
        }
        let Some(language) = change.language else {
            unknown = Some("language");
            continue;
        };
        match (Tree::parse(language, before, budget), Tree::parse(language, after, budget)) {
            (Ok(before), Ok(after)) => files.push((change.path, before, after)),
            _ => unknown = Some("budget"),
        }
    }
    let judged = if files.is_empty() { Judgement::refactor("none") } else { judge(&files) };
    match unknown {
        Some(how) if judged.class != Class::Evolution => Judgement::unknown(how),
        _ => judged,
    }
}

fn judge(files: &[(&str, Tree<'_>, Tree<'_>)]) -> Judgement {
    let side =
        |pick: fn(&(&str, Tree<'_>, Tree<'_>)) -> Vec<Unit>| -> Vec<Vec<Unit>> { files.iter().map(pick).collect() };
    let before = side(|(_, before, _)| unit::units(before));
    let after = side(|(_, _, after)| unit::units(after));
    let stems: Vec<_> = files.iter().map(|(path, ..)| unit::stem(path)).collect();
    let judged = compare::compare(number(before), number(after), &stems);
    if judged != Judgement::refactor("format") {
        return judged;
    }
    let plain = |text: &str| text.chars().filter(|char| !char.is_whitespace()).collect::<String>();
    let same = files.iter().all(|(_, before, after)| plain(before.source) == plain(after.source));
    if same { judged } else { Judgement::refactor("comment") }
}

/// Gives each unit its file.
fn number(files: Vec<Vec<Unit>>) -> Vec<Unit> {
    let with_file = |(file, units): (usize, Vec<Unit>)| units.into_iter().map(move |unit| Unit { file, ..unit });
    files.into_iter().enumerate().flat_map(with_file).collect()
}
