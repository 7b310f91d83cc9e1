//! A command as it is compared: without the wrappers and variables that change nothing about what it proves.

use crate::command_line::{CommandLine, Part};
use crate::joint::Joint;

/// Variables that change how much is said, not what is done.
const TALK: &[&str] = &[
    "RUST_BACKTRACE",
    "RUST_LOG",
    "CI",
    "FORCE_COLOR",
    "NO_COLOR",
    "TERM",
    "CARGO_TERM_COLOR",
    "PYTHONUNBUFFERED",
    "PY_COLORS",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "LC_ALL",
    "LANG",
    "PYTHONDONTWRITEBYTECODE",
    "DEBUG",
    "PAGER",
];

/// The words of one command that matter, its telling variables in front. Wrappers such as `time` and `timeout 60` are taken off.
pub(crate) fn bare(part: &Part) -> Vec<String> {
    let mut words = unwrapped(&part.words).to_vec();
    let mut env: Vec<String> = part.env.iter().filter(|set| !is_talk(set)).cloned().collect();
    if words.first().is_some_and(|word| word == "env") {
        words.remove(0);
        while words.first().is_some_and(|word| word.contains('=') && !word.starts_with('-')) {
            env.extend(Some(words.remove(0)).filter(|set| !is_talk(set)));
        }
        words = unwrapped(&words).to_vec();
    }
    env.sort();
    env.extend(words);
    env
}

/// The words of a command without variables and wrappers.
pub(crate) fn program_words(part: &Part) -> Vec<String> {
    let words = bare(part);
    let env = words.iter().take_while(|word| is_set(word)).count();
    words[env..].to_vec()
}

/// The one command that a verifier consists of, as it is compared; `None` for a verifier of several.
pub(crate) fn normal(command: &str) -> Option<Vec<String>> {
    let line = CommandLine::read(command);
    match line.parts.as_slice() {
        [part] if !line.is_opaque && part.joint == Joint::End && !part.is_diverted => Some(bare(part)),
        _ => None,
    }
}

fn is_talk(set: &str) -> bool {
    set.split_once('=').is_some_and(|(name, _)| TALK.contains(&name))
}

fn is_set(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// Takes programs off that only run the rest.
fn unwrapped(words: &[String]) -> &[String] {
    let mut words = words;
    loop {
        let Some(first) = words.first() else { return words };
        let rest = &words[1..];
        let skipped = match first.as_str() {
            "time" | "nice" | "nohup" | "command" | "exec" | "stdbuf" | "ionice" | "caffeinate" | "xvfb-run" => {
                rest.iter().take_while(|word| word.starts_with('-')).count()
            }
            // Its flags, their values and the time itself.
            "timeout" | "gtimeout" => {
                let is_time = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
                let is_signal = |at: usize| at > 0 && matches!(rest[at - 1].as_str(), "-s" | "--signal");
                let own = rest.iter().enumerate();
                own.take_while(|(at, word)| word.starts_with('-') || is_time(word) || is_signal(*at)).count()
            }
            _ => return words,
        };
        words = &rest[skipped..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, expected: Option<&str>) {
        assert_eq!(normal(command).map(|words| words.join(" ")).as_deref(), expected, "{command}");
    }

    #[test]
    fn what_changes_nothing_is_taken_off() {
        for same in [
            "cargo test -p x",
            "  cargo  test '-p' x 2>&1",
            "RUST_BACKTRACE=1 cargo test -p x",
            "time timeout -k 5 60 cargo test -p x",
            "env CI=1 nice cargo test -p x",
        ] {
            check(same, Some("cargo test -p x"));
        }
        check("B=2 A=1 cargo test", Some("A=1 B=2 cargo test"));
        check("cargo test; true", None);
        check("cargo test | tail", None);
        check("cargo test > x", None);
        check("timeout", Some(""));
    }
}
