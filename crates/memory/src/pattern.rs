//! Patterns: the same mistake, made repeatedly. They are found over effects, so that the spelling of a command does not
//! matter, and over texts only where no effect is known. A pattern only proposes; nothing is changed by it.

mod cause;
mod extract;
mod gather;
mod group;
mod incident;
mod marks;
mod notice;
mod route;
mod template;
#[cfg(test)]
mod tests;

pub use extract::{Extraction, PatternFacts, extract_patterns};
pub use incident::Incident;
pub use marks::Marks;
pub use notice::PatternBook;
pub use stead_guard::touch::Verb;

pub(crate) use cause::Cause;
pub(crate) use stead_guard::touch::{Place, Subject, Touch};

use serde::{Deserialize, Serialize};

/// How often something must have happened, and in how many sessions, to be a pattern.
pub const LEAST_COUNT: usize = 3;
pub const LEAST_SESSIONS: usize = 2;

/// The version of a line of `patterns.jsonl`.
const VERSION: u32 = 1;

/// The same mistake, made repeatedly.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Pattern {
    pub v: u32,
    /// When it was found.
    pub ts: String,
    /// `p-` and the beginning of the hash of what makes it this pattern.
    pub id: String,
    pub kind: PatternKind,
    /// The guard that matched, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guard: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verb: Option<Verb>,
    /// What it is about: a folder, a file name, a program, a host, or the template of a text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The role of the agent, if it was always the same one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    pub count: usize,
    pub sessions: usize,
    /// Verdicts, traces and calls.
    pub evidence: Vec<String>,
    pub summary: String,
    pub proposes: Proposes,
    /// What it was found in.
    #[serde(skip)]
    pub incidents: Vec<Incident>,
}

stead_model::named! {
    /// How a pattern was found.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum PatternKind {
        /// A guard or a gate matched.
        Guard = "guard",
        /// The person corrected or undid it.
        Correction = "correction",
        /// It was denied, then achieved in another way.
        Route = "route",
        /// Texts of traces that say the same.
        #[default]
        #[serde(other)]
        Text = "text",
    }
}

stead_model::named! {
    /// What a pattern proposes.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Proposes {
        /// A new guard over effects.
        Guard = "guard",
        /// The next mode of an existing guard.
        Mode = "mode",
        /// Something that later sessions should know, because no guard can express it.
        #[default]
        #[serde(other)]
        Lesson = "lesson",
    }
}
