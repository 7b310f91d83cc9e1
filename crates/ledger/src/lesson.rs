//! Lessons: what agents learned in a project, in `AGENT.md` beside the intents, for every later session to read.
//!
//! The file belongs to people. Entries are added and removed one at a time inside a marked block, and every other byte
//! stays as it is. How often a lesson was needed is private to the checkout, in `indexes/lessons.jsonl`.

mod book;
mod document;
mod learn;
#[cfg(test)]
mod tests;
mod usage;

pub use book::{Added, Lessons, NewLesson};
pub use document::Entry;
pub use learn::{Learning, Learnt, Run, RunEnd, learn, telling_line};
pub use usage::{Happened, LessonLine};

stead_model::named! {
    /// What a lesson is about; each kind has its section.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum LessonKind {
        #[default]
        Lesson = "lesson",
        Style = "style",
        Pitfall = "pitfall",
        Decision = "decision",
        Failure = "failure",
    }
}

impl LessonKind {
    /// The heading of its section.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Lesson => "Lessons learned",
            Self::Style => "Style rules",
            Self::Pitfall => "Pitfalls",
            Self::Decision => "Decisions",
            Self::Failure => "Verification failures and solutions",
        }
    }
}
