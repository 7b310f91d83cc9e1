//! A verifier's text as the program it runs, read like any other command, so that it is found again however it is
//! typed.

use std::path::Path;

use stead_model::{Action, Effects, ToolCall};
use stead_shell::{Facts, NoFacts, Place};

use crate::ran::Ran;
use crate::runner::Tools;

/// A program as it is compared: its words without wrappers, the variables that change what it does, and its folder
/// below the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) words: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    /// `None` where that is not known or lies outside.
    pub(crate) dir: Option<String>,
}

impl Command {
    /// Says whether it is the same program, wherever it runs.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (&self.words, &self.env) == (&other.words, &other.env)
    }
}

/// The one program that a verifier runs and whose end is the verifier's; `None` for a verifier of several.
pub(crate) fn single(verifier: &str, tools: Tools<'_>) -> Option<Command> {
    let effects = read(verifier, tools);
    Ran::of(&effects, tools).only()
}

/// The folder that the last program of a verifier runs in, below the root.
pub(crate) fn last_dir(verifier: &str, tools: Tools<'_>) -> Option<String> {
    let effects = read(verifier, tools);
    Ran::of(&effects, tools).last_dir()
}

/// Reads a command without a look at files: what a script or makefile would run makes no difference here.
pub(crate) fn read(command: &str, tools: Tools<'_>) -> Effects {
    read_with(command, tools.root, tools, &NoFacts)
}

fn read_with(command: &str, cwd: &Path, tools: Tools<'_>, facts: &dyn Facts) -> Effects {
    let action = Action::Run { command: command.into(), dir: None };
    let call = ToolCall { tool: "".into(), id: None, action, input: "".into() };
    let env = tools.env;
    stead_shell::effects(&call, &Place { root: Some(tools.root), tree: None, others: &[], cwd, env: &env }, facts)
}

/// Reads a command as a hook does, with the files as they are.
#[cfg(test)]
pub(crate) fn read_on_disk(command: &str, cwd: &Path, tools: Tools<'_>) -> Effects {
    struct Disk;

    impl Facts for Disk {
        fn read(&self, path: &Path) -> Option<String> {
            std::fs::read_to_string(path).ok()
        }

        fn real(&self, path: &Path) -> std::path::PathBuf {
            path.canonicalize().unwrap_or_else(|_| path.to_owned())
        }

        fn had_lines(&self, _: &Path) -> bool {
            false
        }

        fn started_loop(&self, _: &str) -> bool {
            false
        }
    }

    read_with(command, cwd, tools, &Disk)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(verifier: &str, expected: Option<&str>) {
        let shown = single(verifier, Tools::for_tests()).map(|command| {
            let env = command.env.iter().map(|(name, value)| format!("{name}={value} ")).collect::<String>();
            let dir = command.dir.filter(|dir| !dir.is_empty()).map(|dir| format!("{dir}: ")).unwrap_or_default();
            format!("{dir}{env}{}", command.words.join(" "))
        });
        assert_eq!(shown.as_deref(), expected, "{verifier}");
    }

    #[test]
    fn what_changes_nothing_is_taken_off() {
        for same in [
            "cargo test -p x",
            "  cargo  test '-p' x 2>&1",
            "RUST_BACKTRACE=1 cargo test -p x",
            "time timeout -k 5 60 cargo test -p x",
            "env CI=1 nice cargo test -p x",
            "bash -c 'cargo test -p x'",
            "{ cargo test -p x; }",
            "cd . && cargo test -p x",
            "export PATH=\"$HOME/.cargo/bin:$PATH\"; cargo test -p x",
        ] {
            check(same, Some("cargo test -p x"));
        }
        check("B=2 A=1 cargo test", Some("A=1 B=2 cargo test"));
        check("export B=2; A=1 cargo test", Some("A=1 B=2 cargo test"));
        check("cd api && pytest tests", Some("api: pytest tests"));
        check("cargo test; true", None);
        check("cargo test | tail", None);
        check("cargo test > x", None);
        check("cargo build && cargo test", None);
        check("cd \"$X\" && cargo test", None);
        check("timeout", None);
        check("", None);
    }
}
