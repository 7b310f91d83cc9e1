//! Calls of `stead` in commands: what they are given.

use std::path::{Path, PathBuf};

use stead_model::{Action, ToolCall};

use crate::command::stead_calls;
use crate::{Facts, Place, effects};

/// A world without files.
struct Nothing;

impl Facts for Nothing {
    fn read(&self, _: &Path) -> Option<String> {
        None
    }

    fn real(&self, path: &Path) -> PathBuf {
        path.to_owned()
    }

    fn had_lines(&self, _: &Path) -> bool {
        false
    }

    fn started_loop(&self, _: &str) -> bool {
        false
    }
}

#[track_caller]
fn check(command: &str, expected: &[&[&str]]) {
    let action = Action::Run { command: command.into(), dir: None };
    let call = ToolCall { tool: "Bash".into(), id: None, action, input: "".into() };
    let place = Place { root: None, tree: None, others: &[], cwd: Path::new("/"), env: &|_| None };
    assert_eq!(stead_calls(&effects(&call, &place, &Nothing)), expected, "{command}");
}

#[test]
fn the_words_are_those_the_program_will_see() {
    check("stead loop start 'go on' --max-iterations=3", &[&["loop", "start", "go on", "--max-iterations=3"]]);
    check("cd src && /opt/bin/stead role use tester; ls", &[&["role", "use", "tester"]]);
    check("timeout 5 env A=1 stead where | cat", &[&["where"]]);
    check("X=a; stead loop activate \"$X\"", &[&["loop", "activate", "a"]]);
    check("bash -c 'stead handoff \"two words\"'", &[&["handoff", "two words"]]);
    check("stead loop start why is it so slow?", &[&["loop", "start", "why", "is", "it", "so", "slow?"]]);
    check("stead loop start <<'EOF'\nstead hook\nEOF", &[&["loop", "start"]]);
    check("stead a; stead b && stead c", &[&["a"], &["b"], &["c"]]);
    check("stead note failed \"$(cat why.txt)\"; stead where", &[&["where"]]);
}

#[test]
fn a_mere_mention_is_no_call() {
    check("echo stead loop start", &[]);
    check("git commit -m 'stead loop start'", &[]);
    check("instead loop", &[]);
    check("", &[]);
    check("((((((((", &[]);
}
