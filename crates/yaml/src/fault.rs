//! What is wrong with a text that is not valid YAML, as a message for its author.

use serde_saphyr::Error;
use serde_saphyr::budget::BudgetBreach;

use crate::tree::{ALIASES, DEPTH, NODES};

/// Why a text is not accepted as YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlFault {
    /// From 1; 0 if the position is unknown.
    pub line: usize,
    pub column: usize,
    pub message: String,
    pub hint: Option<&'static str>,
}

impl YamlFault {
    pub(crate) fn of(error: &Error) -> Self {
        let (line, column) = match error.location() {
            Some(at) => (at.line() as usize, at.column() as usize),
            None => (0, 0),
        };
        let (message, hint) = told(error.without_snippet());
        Self { line, column, message, hint }
    }
}

fn told(error: &Error) -> (String, Option<&'static str>) {
    let hinted = |message: &str, hint| (message.to_owned(), Some(hint));
    match error {
        Error::Budget {
            breach: BudgetBreach::Anchors { anchors: 1 } | BudgetBreach::Aliases { aliases: 1 }, ..
        } => return hinted("it uses an anchor or an alias", "write the values out"),
        Error::Budget { breach, .. } => return (unreachable_within(breach), None),
        Error::AliasError { error, .. } => return told(error.without_snippet()),
        Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. }
        | Error::AliasReplayCounterOverflow { .. } => {
            return hinted("its aliases expand to too much", "write the values out");
        }
        Error::RecursiveReferencesRequireWeakTypes { .. } => {
            return hinted("recursive alias", "write the values out");
        }
        Error::UnknownAnchor { .. } => {
            return hinted("undefined alias", "put a string that starts with `*` in quotes");
        }
        Error::DuplicateMappingKey { key, .. } => {
            let message =
                key.as_ref().map_or("a key is given twice".to_owned(), |key| format!("`{key}` is given twice"));
            return (message, Some("remove one of them"));
        }
        // Only keys must be strings.
        Error::Unexpected { expected: "string scalar", .. }
        | Error::NullIntoString { .. }
        | Error::TaggedScalarCannotDeserializeIntoString { .. } => {
            return hinted("a key must be a plain string", "write `key: value`");
        }
        Error::UnsupportedTag { tag, .. } => {
            return (format!("unsupported tag `{tag}`"), Some("remove it"));
        }
        Error::InvalidBinaryBase64 { .. } | Error::BinaryNotUtf8 { .. } => {
            return hinted("a `!!binary` value is not a string", "write the string itself");
        }
        _ => {}
    }
    let told = error.to_string();
    let first = told.lines().next().unwrap_or_default();
    // Brackets alone are counted before the depth is.
    if first.starts_with("recursion limit") {
        return (too_deep(), None);
    }
    // The position is reported beside the message, not in it.
    (first.split(" at line ").next().unwrap_or(first).trim_end_matches([' ', ':', ',']).to_owned(), None)
}

/// Names the limit that a text exceeds.
fn unreachable_within(breach: &BudgetBreach) -> String {
    match breach {
        BudgetBreach::Documents { .. } => "it has several documents; only one is allowed".to_owned(),
        BudgetBreach::Depth { .. } => too_deep(),
        BudgetBreach::Nodes { .. } | BudgetBreach::Events { .. } => {
            format!("it has more than {NODES} values")
        }
        BudgetBreach::Aliases { .. } | BudgetBreach::AliasAnchorRatio { .. } => {
            format!("it has more than {ALIASES} aliases")
        }
        BudgetBreach::Anchors { .. } => format!("it has more than {ALIASES} anchors"),
        _ => "it is too large".to_owned(),
    }
}

fn too_deep() -> String {
    format!("it is nested deeper than {DEPTH} levels")
}
