use std::path::Path;

use stead_pattern::{Pattern, expand};
use stead_store::read_capped;

use super::file::{Fault, LARGEST, check_pattern};
use super::scope::{Reach, owns};

/// `.intentignore`: paths that every intent may change, and intents that may change nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntentIgnore {
    pub free: Vec<String>,
    pub barred: Vec<String>,
}

impl IntentIgnore {
    /// Reads the file of a room; a missing one is empty.
    pub fn read(room: &Path) -> Result<Self, Fault> {
        let unreadable = |message: String| Fault { line: 0, message, hint: None };
        match read_capped(&room.join(super::IGNORE), LARGEST) {
            Ok(None) => Ok(Self::default()),
            Ok(Some(bytes)) => match String::from_utf8(bytes) {
                Ok(text) => Self::parse(&text),
                Err(_) => Err(unreadable("it is not UTF-8".to_owned())),
            },
            Err(error) => Err(unreadable(error.to_string())),
        }
    }

    /// Reads a text: one pattern a line, `intent: ID` bars an intent, `#` starts a comment.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let mut ignore = Self::default();
        for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(id) = line.strip_prefix("intent:") {
                ignore.barred.push(id.trim().to_owned());
                continue;
            }
            let wrong = |(message, hint)| Fault { line: number + 1, message, hint: Some(hint) };
            check_pattern(line).map_err(wrong)?;
            ignore.free.extend(expand(line));
        }
        Ok(ignore)
    }
}

/// Returns true if patterns of the file free all that is reached. They are for the project's own files.
pub(super) fn frees<'p>(patterns: impl IntoIterator<Item = &'p str>, reach: &Reach<'_>) -> bool {
    reach.inside.is_some() && owns(patterns, Pattern::parse, reach, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_free_paths_or_bar_intents() {
        let text = "# build output\ntarget/\nCargo.lock\n\n!keep/target\nintent: INT-9\n  intent:INT-8  \n";
        let ignore = IntentIgnore::parse(text).unwrap();
        assert_eq!(ignore.barred, ["INT-9", "INT-8"]);
        let check = |path: &str, expected: bool| {
            let reach = Reach { path: "", inside: Some(path), tree: false, open: false };
            assert_eq!(frees(ignore.free.iter().map(String::as_str), &reach), expected, "{path}");
        };
        check("target/debug/x", true);
        check("crates/a/target/x", true);
        check("keep/target/x", false);
        check("Cargo.lock", true);
        check("src/main.rs", false);
        let outside = Reach { path: "/etc/Cargo.lock", inside: None, tree: false, open: false };
        assert!(!frees(ignore.free.iter().map(String::as_str), &outside));
        assert_eq!(IntentIgnore::parse("a\n../b\n").unwrap_err().line, 2);
    }
}
