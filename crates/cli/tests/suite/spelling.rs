//! Command lines that are not quite Stead's: typing errors, and the spellings of the tools that it replaces. And what a
//! shell and `man` know about them.

use std::time::{Duration, Instant};

use crate::world::{bare, marked};

#[test]
fn a_typing_error_gets_the_word_that_was_meant_or_none() {
    let world = bare();
    let check = |words: &[&str], expected: Option<&str>| {
        let run = world.stead(words);
        assert_eq!(run.code, 2, "{words:?}: {run}");
        let tip = run.stderr.lines().find_map(|line| line.trim().strip_prefix("tip: "));
        assert_eq!(tip, expected, "{words:?}: {run}");
    };
    check(&["foo"], None);
    check(&["xyz"], None);
    check(&["go"], None);
    check(&["stauts"], Some("some similar subcommands exist: 'stats', 'status'"));
    check(&["hndoff"], Some("a similar subcommand exists: 'handoff'"));
    check(&["guard", "lst"], Some("a similar subcommand exists: 'list'"));
    check(&["guard", "frobnicate"], None);
    check(&["status", "--jsn"], Some("a similar argument exists: '--json'"));
    check(&["completions", "basch"], Some("a similar value exists: 'bash'"));
    check(&["completions", "tcsh"], None);
}

#[test]
fn spellings_of_the_older_engine_are_understood() {
    let mut world = marked();
    // The queue of the stage.
    let queue = world.write("tools/bd", "#!/bin/sh\necho '[{\"id\": \"auth-1\"}]'\n");
    world.sh(&format!("chmod +x {}", queue.display())).ok();
    world.set("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", queue.parent().unwrap().display()));
    let work = world.stead(&["run", "work", "auth", "1", "--provider", "mock"]);
    assert!(work.stderr.contains("note: read as `stead run stage work auth --max 1 --provider mock`\n"), "{work}");
    assert!(world.exists("project/.agent/runs/auth/state.json"), "{work}");
    let plan: serde_json::Value = serde_json::from_str(&world.read("project/.agent/runs/auth/plan.json")).unwrap();
    assert_eq!(plan["nodes"][0]["template"], "work", "{plan}");
    for (older, own) in [
        (&["lint", "loop", "work"][..], &["lint", "stage", "work"][..]),
        (
            &["dry-run", "loop", "work", "x", "--provider", "mock"],
            &["dry-run", "stage", "work", "x", "--provider", "mock"],
        ),
    ] {
        let (older, own) = (world.stead(older), world.stead(own));
        assert_eq!(older, own);
        assert_eq!(own.code, 0, "{own}");
    }
    let tested = world.stead(&["test", "loop", "work", "--mock", "--json"]);
    assert_eq!(tested.code, world.stead(&["test", "stage", "work", "--json"]).code, "{tested}");
    assert!(tested.json().is_object(), "{tested}");
}

#[test]
fn spellings_of_the_older_context_script_are_understood() {
    let world = marked();
    world.stead(&["role", "new", "tester"]).ok();
    let file = world.sh("ls .agent/roles/*.md").ok().trim().to_owned();
    for (older, own) in [
        (&["context", "validate", &file][..], &["role", "validate", &file][..]),
        (&["context", "validate.all"], &["role", "validate", "--all"]),
        (&["context", "schema"], &["role", "schema"]),
        (&["context", "recover", "tester"], &["role", "recover", "tester"]),
        (&["context", "lifecycle.init", "tester"], &["role", "lifecycle", "init", "tester"]),
        (&["context", "lifecycle.save", "tester"], &["role", "lifecycle", "save", "tester"]),
        (&["context", "lifecycle.status"], &["role", "lifecycle", "status"]),
    ] {
        let (first, second) = (world.stead(older), world.stead(own));
        assert_eq!((first.code, &first.stdout), (second.code, &second.stdout), "{older:?}");
        let note = format!("note: read as `stead {}`\n", own.join(" "));
        assert!(first.stderr.starts_with(&note), "{older:?}: {first}");
    }
    assert!(world.stead(&["context", "init"]).ok().contains("is complete"));
}

#[test]
fn shells_complete_commands_and_options() {
    let world = bare();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = world.stead(&["completions", shell]).ok();
        for word in ["handoff", "where-is", "promise", "completions"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        world.write(format!("project/stead.{shell}"), script);
    }
    let run = world.sh(
        "command -v bash >/dev/null || exit 0; bash -c '. ./stead.bash; COMP_WORDS=(stead guard en); COMP_CWORD=2; \
         _stead stead en guard; echo ${COMPREPLY[@]}'",
    );
    assert_eq!(run.ok().trim(), "enable");
}

/// The limit is for a release build on a quiet machine; a debug build is an order of magnitude slower.
#[test]
fn completions_are_printed_at_once() {
    let world = bare();
    let limit = Duration::from_millis(if cfg!(debug_assertions) { 400 } else { 20 });
    let fastest = (0..5).map(|_| {
        let start = Instant::now();
        world.stead(&["completions", "bash"]).ok();
        start.elapsed()
    });
    let fastest = fastest.min().unwrap();
    assert!(fastest < limit, "{fastest:?}");
    assert!(!world.exists("home/.local/state/stead"), "it leaves nothing behind");
}

#[test]
fn every_command_has_a_manual_page() {
    let world = bare();
    assert!(world.stead(&["man", "pages"]).ok().starts_with("wrote "));
    for name in ["stead", "stead-init", "stead-guard", "stead-guard-enable", "stead-role-lifecycle-save"] {
        let page = world.read(format!("project/pages/{name}.1"));
        assert!(page.contains(".TH") && page.contains(".SH SYNOPSIS"), "{name}: {page}");
    }
    let page = world.read("project/pages/stead-guard-enable.1");
    assert!(page.contains("stead guard enable") && page.contains("EXTRA") && page.contains("Examples:"), "{page}");
    assert!(world.exists("project/pages/stead-completions.1") && !world.exists("project/pages/stead-help.1"));
    // The folder of the command and the folder to run in are two things.
    assert!(world.stead(&["-C", "pages", "man", "more"]).ok().starts_with("wrote "));
    assert!(world.exists("project/pages/more/stead.1") && !world.exists("project/more"));
}
