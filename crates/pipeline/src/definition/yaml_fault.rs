//! What is wrong with a text that is no YAML we read, in words for whoever wrote it.

use serde_saphyr::Error;
use serde_saphyr::budget::BudgetBreach;

use super::yaml::{ALIASES, DEPTH, NODES};

/// Why a text is no YAML that we read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlFault {
    /// From 1; 0 when the place is not known.
    pub line: usize,
    pub column: usize,
    pub message: String,
    pub hint: Option<&'static str>,
}

impl YamlFault {
    pub(super) fn of(error: &Error) -> Self {
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
        Error::Budget { breach, .. } => return (beyond(breach), None),
        Error::AliasError { error, .. } => return told(error.without_snippet()),
        Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. }
        | Error::AliasReplayCounterOverflow { .. } => {
            return hinted("its aliases stand for more than is read", "write out what is meant");
        }
        Error::RecursiveReferencesRequireWeakTypes { .. } => {
            return hinted("an alias stands inside of what it stands for", "write out what is meant");
        }
        Error::UnknownAnchor { .. } => {
            return hinted("an alias names nothing that comes before it", "put a text that begins with `*` in quotes");
        }
        Error::DuplicateMappingKey { key, .. } => {
            let message =
                key.as_ref().map_or("a key is given twice".to_owned(), |key| format!("`{key}` is given twice"));
            return (message, Some("take one of them out"));
        }
        // Only keys are asked to be texts.
        Error::Unexpected { expected: "string scalar", .. }
        | Error::NullIntoString { .. }
        | Error::TaggedScalarCannotDeserializeIntoString { .. } => {
            return hinted("a key must be a plain text", "write `key: value`");
        }
        Error::UnsupportedTag { tag, .. } => {
            return (format!("the tag `{tag}` means nothing here"), Some("take it out"));
        }
        Error::InvalidBinaryBase64 { .. } | Error::BinaryNotUtf8 { .. } => {
            return hinted("a value marked `!!binary` is no text", "write the text itself");
        }
        _ => {}
    }
    let told = error.to_string();
    let first = told.lines().next().unwrap_or_default();
    // Brackets alone are counted before the depth is.
    if first.starts_with("recursion limit") {
        return (too_deep(), None);
    }
    // The place is told beside the message, not in it.
    (first.split(" at line ").next().unwrap_or(first).trim_end_matches([' ', ':', ',']).to_owned(), None)
}

/// Says which bound of the reader a text goes beyond.
fn beyond(breach: &BudgetBreach) -> String {
    match breach {
        BudgetBreach::Documents { .. } => "it holds several documents; only one is read".to_owned(),
        BudgetBreach::Depth { .. } => too_deep(),
        BudgetBreach::Nodes { .. } | BudgetBreach::Events { .. } => {
            format!("it has more than the {NODES} values that are read")
        }
        BudgetBreach::Aliases { .. } | BudgetBreach::AliasAnchorRatio { .. } => {
            format!("it has more aliases than the {ALIASES} that are read")
        }
        BudgetBreach::Anchors { .. } => format!("it has more anchors than the {ALIASES} that are read"),
        _ => "it is larger than what is read".to_owned(),
    }
}

fn too_deep() -> String {
    format!("it is nested deeper than the {DEPTH} levels that are read")
}
