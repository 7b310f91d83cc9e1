//! What the first words of a command tell. Of other commands the effects tell, which take longer.

use stead_model::pieces;

/// What a command does to the files of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Glance {
    /// It only shows or searches.
    Reads,
    /// It changes none of them, but git's own files or a server.
    Keeps,
    /// It builds or tests, and may write files that it does not name; no file of the project says what else it does.
    Builds,
    /// It runs a program or a recipe of the project.
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
    ("cargo", Glance::Builds, &["build", "check", "clippy", "test"]),
    ("cargo", Glance::Runs, &["bench", "doc", "nextest", "run"]),
    ("go", Glance::Builds, &["test", "vet"]),
    ("go", Glance::Runs, &["build", "run"]),
    ("npm", Glance::Runs, &["run", "test"]),
    ("pnpm", Glance::Runs, &["run", "test"]),
    ("yarn", Glance::Runs, &["run", "test"]),
];

/// Options that write a file or run a program.
const DOES_MORE: &[&str] = &["--ou", "--pre", "--ext", "--text", "--host"];

/// Options of those that keep or run which could name a file that is written, and checkouts of pull requests.
const NAMES_MORE: &[&str] =
    &["-o", "--o", "--fix", "--write", "checkout", "--checkout", "develop", "download", "merge"];

/// Parts of options and values that name where a build writes, or what it runs.
const NAMES_FILES: &[&str] = &["conf", "cov", "dir", "exec", "file", "junit", "log", "out", "path", "report"];

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
    let mut found = match program {
        _ if READERS.contains(&program) => Glance::Reads,
        "pytest" => Glance::Builds,
        "make" => Glance::Runs,
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
        if found == Glance::Builds && NAMES_FILES.iter().any(|part| bare.contains(part)) {
            found = Glance::Runs;
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
        check(Glance::Builds, &["cargo test 2>&1 | tail -40", "git add -A && cargo check", "pytest -q tests"]);
        check(Glance::Runs, &["make", "npm run build && git status", "cargo test --target-dir x", "cargo run -- a"]);
        check(
            Glance::Unknown,
            &[
                "sed -i s/a/b/ x", "echo a > b", "git checkout x", "cat a; rm b", "git diff --output=x", "", "git",
                "cat a &", "git log && rm x", "git log | sh", "echo \"a && rm b\"", "echo a >b", "echo a 2>b",
                "git diff \"--output=x\"", "git diff --\"output=x\"", "gi\"t\" status", "cat a\nrm b", "cat $(rm b)",
                "cargo clippy --fix", "cargo fmt", "gh pr checkout 1", "gh pr merge 1 -d", "cargo test > out.log",
                "cat a &&", "x=1 cat a",
            ],
        );
    }
}
