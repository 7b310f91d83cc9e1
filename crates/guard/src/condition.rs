//! What a guard matches. A condition matches if all of its clauses do; the clauses are ordered from cheap to expensive.

use serde::{Deserialize, Serialize};

use crate::field::{FieldRule, Owner};
use crate::pattern::TextPattern;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Condition(pub(crate) Vec<Clause>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Clause {
    Tool(Vec<String>),
    Harness(Vec<String>),
    Agent(Vec<String>),
    Exists(Vec<String>),
    Text(Vec<TextPattern>),
    Runs(Vec<String>),
    Git(Vec<String>),
    Network(Vec<String>),
    RunsDownload(Vec<String>),
    Sql(Vec<String>),
    Mcp(Vec<String>),
    Spawn(Vec<String>),
    Files(Box<FileClause>),
    Any(Vec<Condition>),
    All(Vec<Condition>),
    Not(Condition),
    Session(Vec<String>),
    Counter { name: String, bound: Bound },
    Intent(Vec<String>),
    Feature(FeatureClause),
    Tests(TestsWord),
    Evidence(EvidenceWord),
}

/// What happens to files, with all restrictions, which must hold for the same file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FileClause {
    pub(crate) op: FileOp,
    /// Empty for any file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) paths: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) recursive: Option<bool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) content: Vec<TextPattern>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) fields: Vec<FieldRule>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) owners: Vec<Owner>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) lines: Option<Bound>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) bytes: Option<Bound>,
}

impl FileClause {
    pub(crate) fn new(op: FileOp) -> Self {
        Self {
            op,
            paths: Vec::new(),
            recursive: None,
            content: Vec::new(),
            fields: Vec::new(),
            owners: Vec::new(),
            lines: None,
            bytes: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FileOp {
    /// Any change, including deletion and renaming.
    Writes,
    Deletes,
    Reads,
}

stead_model::named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub(crate) enum TestsWord {
        Ran = "ran",
        Passed = "passed",
    }
}

stead_model::named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub(crate) enum EvidenceWord {
        Fresh = "fresh",
        Stale = "stale",
        None = "none",
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FeatureClause {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) status: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tested: Option<bool>,
}

/// A comparison with a number: `>1000`, `>= 3`, `<5`, `= 2`; a bare number means "at least".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Bound {
    pub(crate) sign: Sign,
    pub(crate) than: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Sign {
    #[serde(rename = ">")]
    Above,
    #[serde(rename = ">=")]
    AtLeast,
    #[serde(rename = "<")]
    Below,
    #[serde(rename = "<=")]
    AtMost,
    #[serde(rename = "=")]
    Is,
}

impl Bound {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let signs =
            [(">=", Sign::AtLeast), ("<=", Sign::AtMost), (">", Sign::Above), ("<", Sign::Below), ("=", Sign::Is)];
        let (sign, rest) = signs
            .into_iter()
            .find_map(|(mark, sign)| Some((sign, text.strip_prefix(mark)?)))
            .unwrap_or((Sign::AtLeast, text));
        Some(Self { sign, than: rest.trim().replace('_', "").parse().ok()? })
    }

    /// Returns true if it is a lower bound.
    pub(crate) fn is_lower(self) -> bool {
        matches!(self.sign, Sign::Above | Sign::AtLeast)
    }

    pub(crate) fn holds(self, value: u64) -> bool {
        match self.sign {
            Sign::Above => value > self.than,
            Sign::AtLeast => value >= self.than,
            Sign::Below => value < self.than,
            Sign::AtMost => value <= self.than,
            Sign::Is => value == self.than,
        }
    }
}

impl Condition {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Visits all clauses, including those inside `all`, `any` and `not`.
    pub(crate) fn each(&self, see: &mut dyn FnMut(&Clause)) {
        for clause in &self.0 {
            see(clause);
            match clause {
                Clause::Any(parts) | Clause::All(parts) => parts.iter().for_each(|part| part.each(see)),
                Clause::Not(part) => part.each(see),
                _ => {}
            }
        }
    }
}

impl Clause {
    /// The cost of evaluating a clause, which is also the order in a condition.
    pub(crate) fn cost(&self) -> u8 {
        match self {
            Self::Tool(_) | Self::Harness(_) => 0,
            Self::Agent(_) | Self::Text(_) => 1,
            Self::Exists(_) => 2,
            Self::Runs(_)
            | Self::Git(_)
            | Self::Network(_)
            | Self::RunsDownload(_)
            | Self::Sql(_)
            | Self::Mcp(_)
            | Self::Spawn(_) => 3,
            Self::Files(files) if files.fields.is_empty() && files.owners.is_empty() && files.lines.is_none() => 3,
            Self::Any(_) | Self::All(_) => 4,
            Self::Not(_) => 5,
            Self::Files(_) => 6,
            Self::Session(_) | Self::Counter { .. } | Self::Intent(_) => 7,
            Self::Feature(_) | Self::Tests(_) | Self::Evidence(_) => 8,
        }
    }

    /// Returns true if it depends on the feature of a subject, and not on what the call does.
    pub(crate) fn is_about_feature(&self) -> bool {
        let (mut feature, mut effect) = (false, false);
        let mut see = |clause: &Self| {
            feature |= matches!(clause, Self::Feature(_) | Self::Evidence(_));
            effect |= clause.is_effect();
        };
        match self {
            Self::Feature(_) | Self::Evidence(_) => return true,
            Self::Any(parts) | Self::All(parts) => parts.iter().for_each(|part| part.each(&mut see)),
            Self::Not(part) => part.each(&mut see),
            _ => return false,
        }
        feature && !effect
    }

    /// Returns true if it depends on what a tool call does.
    pub(crate) fn is_effect(&self) -> bool {
        matches!(
            self,
            Self::Runs(_)
                | Self::Git(_)
                | Self::Network(_)
                | Self::RunsDownload(_)
                | Self::Sql(_)
                | Self::Mcp(_)
                | Self::Spawn(_)
                | Self::Files(_)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_read_and_kept() {
        let check = |text: &str, value: u64, expected: Option<bool>| {
            assert_eq!(Bound::parse(text).map(|bound| bound.holds(value)), expected, "{text} {value}");
        };
        check(">1000", 1000, Some(false));
        check("> 1_000", 1001, Some(true));
        check(">=3", 3, Some(true));
        check("3", 3, Some(true));
        check("3", 2, Some(false));
        check("<5", 5, Some(false));
        check("<= 5", 5, Some(true));
        check("=2", 2, Some(true));
        check("many", 2, None);
        check(">", 2, None);
        check("-1", 2, None);
    }
}
