use serde::Serialize;
use stead_model::unix_millis;

use super::Freshness;
use crate::{Trace, TraceId};

stead_model::named! {
    /// How a trace was found.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Channel {
        /// It has words of the question.
        Words = "words",
        /// It has words that share trigrams with those of the question.
        Trigrams = "trigrams",
        /// It means something similar.
        Meaning = "meaning",
    }
}

/// Why a trace is an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Matched {
    /// Words of the question, the rarest first.
    pub terms: Vec<String>,
    pub channels: Vec<Channel>,
}

/// A trace that was found.
#[derive(Clone, Debug)]
pub(crate) struct Hit {
    pub(crate) trace: Trace,
    /// The name of another writer.
    pub(crate) foreign: Option<String>,
    /// Nothing if it was asked for by its id.
    pub(crate) matched: Option<Matched>,
    pub(crate) freshness: Freshness,
    pub(crate) superseded_by: Option<TraceId>,
    pub(crate) age: String,
}

/// How long ago a moment was, in its largest unit.
pub(crate) fn age(timestamp: &str, now: i64) -> String {
    let Some(then) = unix_millis(timestamp) else { return String::new() };
    let seconds = (now - then).max(0) / 1_000;
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..172_800 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}
