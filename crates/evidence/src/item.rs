use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stead_model::{rfc3339, unix_millis};
use stead_store::redact;

use crate::text::{self, blob_hash};
use crate::{About, Counts, Kind, Leaned, RecordLink, Source, Trust};

/// One piece of evidence, as stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Item {
    pub v: u32,
    /// Starts with the time, so that ids sort by it.
    pub id: String,
    pub ts: String,
    pub kind: Kind,
    pub source: Source,
    pub about: About,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// The state of the feature's files, or of the whole project, that it applies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Where it ran, below the root; empty for the root itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<String>,
    /// It ran all tests.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Attachment>,
    /// How much of the code the tests reach, in percent, if the feature asks for that; else why it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_coverage: Option<String>,
    /// A person started what ran it: the command, the run, or the orchestrator of its session. Without that, it does not
    /// count for verifiers that an agent wrote.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub supervised: bool,
    /// A note by whoever added it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Why it proves nothing, if that was known when it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weak: Option<String>,
    /// What told the runner what to run, and the program if it lies in the project.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leaned: Vec<Leaned>,
    #[serde(flatten)]
    pub who: Who,
    /// Only in the log: the records that this run left with features.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<RecordLink>,
    /// Whether the log vouches for it, once that was looked up.
    #[serde(skip)]
    pub trust: Trust,
    /// Fields of later versions, kept as they are.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Who ran it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Who {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
}

/// The output of a command: its hash, and its end with secrets redacted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    pub sha1: String,
    pub bytes: u64,
    pub tail: String,
}

/// A file that is stored next to the record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Its original name.
    pub name: String,
    pub sha1: String,
    pub bytes: u64,
    /// The path of the copy below the feature's evidence folder.
    pub kept: String,
}

impl Output {
    /// How much of an output a record shows.
    const SHOWN: usize = 2_000;

    pub fn of(output: &str) -> Self {
        // Redacted before it is cut: half of a secret is not recognised.
        let plain = text::plain(text::tail(output, Self::SHOWN * 8));
        let tail = text::tail(&redact(plain.trim_end()), Self::SHOWN).to_owned();
        Self { sha1: blob_hash(output.as_bytes()), bytes: output.len() as u64, tail }
    }

    /// Returns true if the output is empty.
    pub fn is_empty(&self) -> bool {
        self.tail.trim().is_empty()
    }
}

impl Item {
    pub const VERSION: u32 = 2;

    /// Creates an item with an id made of the time and a hash of its content.
    pub(crate) fn new(ts: &str, kind: Kind, source: Source, about: About, sign: &str) -> Self {
        let compact: String = ts.chars().filter(char::is_ascii_alphanumeric).collect();
        let mark = &blob_hash(format!("{ts}\0{sign}").as_bytes())[..6];
        let id = format!("{compact}-{mark}");
        Self { v: Self::VERSION, id, ts: ts.to_owned(), kind, source, about, ..Self::default() }
    }

    /// When an item was made, by its id.
    pub fn moment(id: &str) -> Option<String> {
        let digits = |from: usize, to: usize| id.get(from..to).filter(|part| part.bytes().all(|b| b.is_ascii_digit()));
        let (year, month, day) = (digits(0, 4)?, digits(4, 6)?, digits(6, 8)?);
        let (hour, minute, second) = (digits(9, 11)?, digits(11, 13)?, digits(13, 15)?);
        let millis = digits(15, 18).unwrap_or("000");
        let moment = format!("{year}-{month}-{day}T{hour}:{minute}:{second}.{millis}Z");
        unix_millis(&moment).map(rfc3339)
    }

    /// Returns true if the command succeeded, as far as is known.
    pub fn is_green(&self) -> bool {
        self.exit == Some(0) && self.counts.is_none_or(|counts| counts.failed == 0)
    }

    /// Returns true if Stead observed or ran it, by its own account, and it passed.
    pub fn has_passed(&self) -> bool {
        self.kind.is_own() && self.weak.is_none() && self.is_green()
    }

    /// Returns true if it is proof: it passed, and the log vouches for it.
    pub fn is_proof(&self) -> bool {
        self.has_passed() && self.trust == Trust::Vouched
    }

    /// Returns why it is foreign; `None` if the log vouches for it or was not asked.
    pub fn foreign(&self) -> Option<&str> {
        match &self.trust {
            Trust::Foreign { why } => Some(why),
            Trust::Vouched | Trust::Unchecked => None,
        }
    }

    /// Returns why it is no proof, in a few words; `None` if it is one.
    pub fn objection(&self) -> Option<String> {
        match (&self.weak, &self.trust) {
            _ if self.is_proof() => None,
            (_, Trust::Foreign { why }) => Some(format!("foreign: {why}")),
            (Some(weak), _) => Some(weak.clone()),
            (None, _) if !self.kind.is_own() => Some("added, not observed".into()),
            (None, _) => Some(self.outcome()),
        }
    }

    /// Returns true if it succeeded without a test count.
    pub(crate) fn is_uncounted(&self) -> bool {
        self.exit == Some(0) && !self.counts.is_some_and(|counts| counts.ran())
    }

    /// The outcome, in a few words.
    pub fn outcome(&self) -> String {
        match (self.counts, self.exit) {
            (Some(counts), Some(0) | None) => counts.to_string(),
            (Some(counts), Some(exit)) => format!("{counts}, exit {exit}"),
            (None, Some(exit)) => format!("exit {exit}"),
            (None, None) => match &self.file {
                Some(file) => format!("{}, {} bytes", file.name, file.bytes),
                None => "result unknown".into(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_says_when() {
        for ts in ["2026-11-15T22:53:33.123Z", "2000-02-29T00:00:00.000Z"] {
            let item = Item::new(ts, Kind::Ran, Source::Verify, About::Test, "x");
            assert_eq!(Item::moment(&item.id).as_deref(), Some(ts));
        }
        assert_eq!(Item::moment("20261115T225333Z-1a2b3c").as_deref(), Some("2026-11-15T22:53:33.000Z"));
        for odd in ["", "login", "2026", "20261315T225333123Z-1", "é0261115T225333123Z"] {
            assert_eq!(Item::moment(odd), None, "{odd}");
        }
    }
}
