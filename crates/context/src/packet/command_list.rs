//! The commands of a section: what is in backticks at the start of a list item or of a line, and the lines of a shell
//! block. Anything else is a sentence about them, or what they print.

use super::{Fences, item_text};

/// Labels of items that are not commands to run one by one.
const LABELS: [&str; 2] = ["Promise:", "At most"];

/// The languages of code blocks that contain commands; a block without one does, too.
const SHELLS: [&str; 7] = ["", "sh", "bash", "shell", "console", "shell-session", "zsh"];

/// Those in which a line without a prompt is output, if others have one.
const SESSIONS: [&str; 4] = ["", "shell", "console", "shell-session"];

/// Words with which people tell somebody to run the command that follows.
const RUN: [&str; 4] = ["run", "execute", "and", "then"];

/// Lists the commands in the text of a section, in order, each once.
pub(crate) fn commands(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |command: &str| {
        let command = command.trim();
        if !command.is_empty() && !found.iter().any(|known| known == command) {
            found.push(command.to_owned());
        }
    };
    let mut fences = Fences::default();
    let mut block: Option<(&str, Vec<&str>)> = None;
    for line in text.lines() {
        match (fences.is_open(), fences.covers(line)) {
            (false, true) => {
                let language = line.trim().trim_start_matches(['`', '~']).split_whitespace().next().unwrap_or_default();
                block = SHELLS.contains(&language).then(|| (language, Vec::new()));
            }
            (true, _) if fences.is_open() => block.iter_mut().for_each(|(_, block)| block.push(line)),
            (true, _) => block.take().map(of_block).into_iter().flatten().for_each(|command| add(&command)),
            (false, false) => quoted(item_text(line).unwrap_or(line.trim())).into_iter().for_each(&mut add),
        }
    }
    block.map(of_block).into_iter().flatten().for_each(|command| add(&command));
    found
}

/// The commands of a shell block. A line that ends with a backslash goes on in the next one.
fn of_block((language, lines): (&str, Vec<&str>)) -> Vec<String> {
    let has_prompts = SESSIONS.contains(&language) && lines.iter().any(|line| line.trim_start().starts_with("$ "));
    let mut commands: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in lines.iter().map(|line| line.trim()) {
        let (own, goes_on) = line.strip_suffix('\\').map_or((line, false), |own| (own.trim_end(), true));
        match commands.last_mut().filter(|_| is_open) {
            Some(last) => last.push_str(&format!(" {own}")),
            None if line.starts_with('#') || has_prompts && !line.starts_with("$ ") => continue,
            None => commands.push(own.trim_start_matches("$ ").to_owned()),
        }
        is_open = goes_on;
    }
    commands
}

/// The text in the backticks that an item starts with, after a label such as `Verify:` or a word such as `Run`.
fn quoted(text: &str) -> Option<&str> {
    let text = text.trim_start_matches("**");
    if LABELS.iter().any(|label| text.starts_with(label)) {
        return None;
    }
    let (before, _) = text.split_once('`')?;
    let lead = before.trim_end();
    let is_label = lead.trim_end_matches('*').ends_with(':') && lead.split_whitespace().count() <= 4;
    let is_run = lead.split_whitespace().all(|word| RUN.contains(&word.to_lowercase().trim_end_matches(',')));
    if !is_label && !is_run {
        return None;
    }
    let text = &text[before.len()..];
    let width = text.bytes().take_while(|byte| *byte == b'`').count();
    text[width..].split_once(&text[..width]).map(|(command, _)| command)
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
        check("```sh\ncargo test \\\n  --all\nls\n```", &["cargo test --all", "ls"]);
        check("```console\n$ cargo test\nrunning 3 tests\n$ ls\na.rs\n```", &["cargo test", "ls"]);
        check("```\nnever closed", &["never closed"]);
        check("- Run `npm test`\n* **Lint**: `npm run lint`\n1) [x] then run `x`", &["npm test", "npm run lint", "x"]);
        check("- Unit tests pass: `pytest -q`\n- **`make`** works", &["pytest -q", "make"]);
        check("```json\n{}\n```", &[]);
        check("- all tests pass, see `src/a.rs`\nThe page loads.\n- run the tests", &[]);
        check("", &[]);
    }
}
