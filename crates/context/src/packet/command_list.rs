//! The commands of a section: what is in backticks at the start of a list item or of a line, and the lines of a shell
//! block. Anything else is a sentence about them.

use super::outline::Fence;
use super::{Fences, item_text};

/// Labels of items that are not commands to run one by one.
const LABELS: [&str; 2] = ["Promise:", "At most"];

/// The languages of code blocks that contain commands; a block without one does, too.
const SHELLS: [&str; 6] = ["", "sh", "bash", "shell", "console", "zsh"];

/// Lists the commands in the text of a section, in order, each once.
pub(crate) fn commands(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut fences = Fences::default();
    let mut is_shell = false;
    for line in text.lines() {
        let command = match (fences.is_open(), fences.covers(line)) {
            (false, true) => {
                let language = line.trim().trim_start_matches(['`', '~']).trim();
                is_shell = SHELLS.contains(&language.split_whitespace().next().unwrap_or_default());
                None
            }
            (true, _) if Fence::read(line).is_none() && is_shell => {
                Some(line.trim().trim_start_matches("$ ")).filter(|line| !line.starts_with('#'))
            }
            (true, _) => None,
            (false, false) => quoted(item_text(line).unwrap_or(line.trim())),
        };
        let command = command.map(str::trim).filter(|command| !command.is_empty());
        found.extend(command.filter(|command| !found.iter().any(|known| known == command)).map(str::to_owned));
    }
    found
}

/// The text in the backticks that an item starts with, after a label such as `Verify:`.
fn quoted(text: &str) -> Option<&str> {
    if LABELS.iter().any(|label| text.starts_with(label)) {
        return None;
    }
    let text = match text.split_once(": ") {
        Some((label, rest)) if rest.starts_with('`') && label.split_whitespace().count() <= 3 => rest,
        _ => text,
    };
    let width = text.bytes().take_while(|byte| *byte == b'`').count();
    let marks = text.get(..width).filter(|marks| !marks.is_empty())?;
    text[width..].split_once(marks).map(|(command, _)| command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(commands(text), expected, "{text}");
    }

    #[test]
    fn commands_stand_in_backticks_or_in_a_block() {
        check(
            "- `cargo test`\n- `cargo clippy -- -D warnings` is clean\n1. `make x`",
            &["cargo test", "cargo clippy -- -D warnings", "make x"],
        );
        check("`npm test`\n`npm test`", &["npm test"]);
        check("- Verify: `just ci`\n- Promise: `DONE`\n- At most 7 iterations", &["just ci"]);
        check("- ``echo `date` ``", &["echo `date`"]);
        check("```sh\n# all\n$ cargo test\ncargo fmt --check\n```\n- `x`", &["cargo test", "cargo fmt --check", "x"]);
        check("```json\n{}\n```", &[]);
        check("- all tests pass, see `src/a.rs`\nThe page loads.\n- run the tests", &[]);
        check("", &[]);
    }
}
