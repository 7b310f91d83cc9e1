//! What the first words of a command tell. Of other commands the effects tell, which take longer.

use stead_model::pieces;

/// What a command does to the files of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Glance {
    /// It only shows or searches.
    Reads,
    /// It changes none of them, but git's own files or a server.
    Keeps,
    /// It runs a program of the project or a compiler, which may write files that it does not name.
    Runs,
    /// The first words do not tell.
    Unknown,
}

const READERS: &[&str] =
    &["cat", "cd", "echo", "grep", "head", "jq", "ls", "pwd", "rg", "sleep", "tail", "true", "uname", "wc", "which"];

/// The same for programs whose second word tells.
const VERBS: &[(&str, Glance, &[&str])] = &[
    ("git", Glance::Reads, &["blame", "diff", "log", "ls-files", "rev-parse", "show", "status"]),
    ("git", Glance::Keeps, &["add", "commit", "fetch", "push"]),
    ("gh", Glance::Keeps, &["issue", "pr", "run"]),
    ("cargo", Glance::Runs, &["bench", "build", "check", "clippy", "doc", "nextest", "run", "test"]),
    ("go", Glance::Runs, &["build", "run", "test", "vet"]),
    ("npm", Glance::Runs, &["run", "test"]),
    ("pnpm", Glance::Runs, &["run", "test"]),
    ("yarn", Glance::Runs, &["run", "test"]),
];

/// Options that write a file or run a program.
const DOES_MORE: &[&str] = &["--ou", "--pre", "--ext", "--text", "--host"];

/// Options of those that keep or run which could name a file that is written, and checkouts of pull requests.
const NAMES_MORE: &[&str] = &["-o", "--o", "--fix", "--write", "checkout", "download"];

/// Returns true if a command is so plain that its first words tell that it only reads.
pub(crate) fn is_plain_reading(command: &str) -> bool {
    glance(command) == Glance::Reads
}

/// Looks at the first words of a command, or of each command in a row of them. Quotes are letters here, so that a
/// quoted text can hide nothing: what follows a `&&` in it is looked at too.
pub(crate) fn glance(command: &str) -> Glance {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" _./:=,@+-^~%\"'".contains(&byte);
    if command.len() > 500 || command.bytes().any(|byte| !is_plain(byte) && !b"&|;>".contains(&byte)) {
        return Glance::Unknown;
    }
    let mut words = pieces(command, b' ').filter(|word| !word.is_empty());
    let mut most = None;
    loop {
        let (found, is_last) = one(&mut words);
        most = most.max(Some(found));
        if is_last || found == Glance::Unknown {
            return most.unwrap_or(Glance::Unknown);
        }
    }
}

/// Reads one command, and returns true if it is the last.
fn one<'a>(words: &mut impl Iterator<Item = &'a str>) -> (Glance, bool) {
    const UNKNOWN: (Glance, bool) = (Glance::Unknown, true);
    let Some(program) = words.next() else { return UNKNOWN };
    let found = match program {
        _ if READERS.contains(&program) => Glance::Reads,
        "make" | "pytest" => Glance::Runs,
        _ => {
            let Some(verb) = words.next() else { return UNKNOWN };
            let known = VERBS.iter().find(|(name, _, verbs)| *name == program && verbs.contains(&verb));
            known.map_or(Glance::Unknown, |(_, found, _)| *found)
        }
    };
    let barred = if found == Glance::Reads { DOES_MORE } else { NAMES_MORE };
    for word in words {
        match word {
            "&&" | "||" | "|" | ";" => return (found, false),
            "2>&1" | "2>/dev/null" | ">/dev/null" => continue,
            _ => {}
        }
        let bare = word.trim_start_matches(['"', '\'']);
        let is_split = bare.starts_with('-') && bare.contains(['"', '\'']);
        if word.contains(['&', '|', ';', '>']) || is_split || barred.iter().any(|start| bare.starts_with(start)) {
            return UNKNOWN;
        }
    }
    (found, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expected: Glance, commands: &[&str]) {
        for command in commands {
            assert_eq!(glance(command), expected, "{command}");
        }
    }

    #[test]
    fn only_what_is_known_is_told_by_first_words() {
        check(Glance::Reads, &["git status", "cat src/a.rs", "ls -la", "rg -n foo", "git diff HEAD~1", "echo hello"]);
        check(Glance::Reads, &["cd web && git log --oneline | head -5", "grep -rn \"a b\" src 2>/dev/null | wc -l"]);
        check(Glance::Keeps, &["git add -A && git commit -m \"client: retry\"", "git push origin HEAD && git status"]);
        check(Glance::Runs, &["cargo test 2>&1 | tail -40", "make", "npm run build && git status", "pytest -q tests"]);
        check(
            Glance::Unknown,
            &[
                "sed -i s/a/b/ x", "echo a > b", "git checkout x", "cat a; rm b", "git diff --output=x", "", "git",
                "cat a &", "git log && rm x", "git log | sh", "echo \"a && rm b\"", "echo a >b", "echo a 2>b",
                "git diff \"--output=x\"", "git diff --\"output=x\"", "gi\"t\" status", "cat a\nrm b", "cat $(rm b)",
                "cargo clippy --fix", "cargo fmt", "gh pr checkout 1", "cargo test > out.log", "cat a &&", "x=1 cat a",
            ],
        );
    }
}
