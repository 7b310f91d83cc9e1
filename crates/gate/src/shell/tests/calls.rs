//! Calls of `stead` in commands: what they are given, and which of them end a loop.

use super::super::stead_calls;
use super::{allow, deny};

#[track_caller]
fn check(command: &str, expected: &[&[&str]]) {
    assert_eq!(stead_calls(command), expected, "{command}");
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

#[test]
fn an_agent_ends_only_the_loops_that_it_started() {
    allow(
        "stead loop cancel 20261115T194530Z-mine
         stead loop pause 20261115T194530Z-mine --json
         cd src && stead -C .. loop cancel 20261115T194530Z-mine
         stead loop start go on
         stead loop start cancel the order
         stead loop start 'pause it'
         stead loop list
         stead loop resume 20261115T194530Z-theirs
         stead loop log --json
         stead loop cancel --help
         echo stead loop cancel x",
    );
    deny(
        "stead loop cancel 20261115T194530Z-theirs
         stead loop pause 20261115T194530Z-theirs
         stead loop cancel 20261115T194530Z-mine 20261115T194530Z-theirs
         stead loop cancel mine
         stead loop cancel
         stead -C . loop cancel 20261115T194530Z-theirs
         stead loop --config a=b cancel 20261115T194530Z-theirs
         stead loop cancel $ID
         stead loop cancel $(stead loop list)
         bash -c 'stead loop cancel 20261115T194530Z-theirs'
         echo 20261115T194530Z-theirs | xargs stead loop cancel
         python3 -c \"import os; os.system('stead loop cancel x')\"",
    );
}
