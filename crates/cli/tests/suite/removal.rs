//! Removed means removed: what a person takes out, with `stead uninstall` or by deleting `.agent`, is in force nowhere and
//! does not come back; what an agent removes still does.
#![cfg(unix)]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use stead_testkit::{Finish, Run, World};

use crate::seal::{GUARD, WEAKEN, drive, guard_holds, log, opaque, own_files_hold, sh, world};
use crate::world::{bare, by_person, converse, denies, payload, shell, tool};

const STATE: &str = "home/.local/state/stead";

/// What happens to a world, and its name.
type Step = (&'static str, fn(&World));

fn start(world: &World, session: &str) -> String {
    let own = json!({"source": "startup", "session_id": session});
    world.hook("claude SessionStart", payload(world, "SessionStart", own)).stdout
}

fn end(world: &World) {
    world.hook("claude SessionEnd", payload(world, "SessionEnd", json!({"reason": "other"})));
}

fn turn(world: &World) {
    let own = json!({"stop_hook_active": false, "last_assistant_message": "x"});
    world.hook("claude Stop", payload(world, "Stop", own));
}

fn rm(world: &World) {
    fs::remove_dir_all(world.project().join(".agent")).unwrap();
}

/// Nothing of a project is in force, nothing is told, and nothing comes back, whoever looks.
#[track_caller]
fn assert_gone(world: &World, name: &str) {
    assert!(!guard_holds(world), "{name}");
    turn(world);
    let said = start(world, "session-9");
    assert!(!said.contains("still") && !said.contains("login"), "{name}: {said}");
    end(world);
    let status = by_person(world, &["status"]).stdout;
    assert!(!status.contains("in force") && status.contains("not set up yet"), "{name}: {status}");
    let doctor = world.stead(&["doctor", "--json"]).json();
    assert!(!doctor.to_string().contains("in force"), "{name}: {doctor}");
    assert_eq!(world.stead(&["where", "--json"]).json()["found_by"], "git", "{name}");
    let back = world.sh("find .agent").stdout;
    assert!(!world.exists("project/.agent"), "{name}: it came back: {back}");
    assert_eq!(places_of(world, &world.project()), Vec::<String>::new(), "{name}");
}

/// The files of the state folder that name a checkout, and nothing else.
fn places_of(world: &World, root: &Path) -> Vec<String> {
    let root = root.display().to_string();
    let script = format!("grep -rlxF --null-data -- '{root}' $HOME/.local/state/stead 2>/dev/null | sort");
    let named = world.sh(&script).stdout;
    named.lines().map(str::to_owned).collect()
}

/// A project that begins anew has nothing of the former one.
#[track_caller]
fn assert_new(world: &World, name: &str) {
    let init = by_person(world, &["init", "--harness", "claude", "--yes", "--no-mcp", "--no-guards"]);
    assert_eq!(init.code, 0, "{name}: {init}");
    assert!(!guard_holds(world), "{name}: the former guard");
    assert_eq!(world.stead(&["feature", "list", "--json"]).json()["items"], json!([]), "{name}");
    assert_eq!(log(world), Vec::<Value>::new(), "{name}");
    start(world, "session-9");
    assert!(own_files_hold(world), "{name}: the new project protects itself");
}

#[test]
fn what_a_person_uninstalls_and_deletes_is_gone() {
    for is_open in [false, true] {
        let name = if is_open { "a session is open" } else { "no session is open" };
        let world = world();
        turn(&world);
        if !is_open {
            end(&world);
        }
        let run = by_person(&world, &["uninstall", "--yes"]).ok();
        assert_eq!(run.contains("nothing in it is enforced any more"), !is_open, "{run}");
        assert_eq!(run.contains("session `session-1` of Claude Code has not ended"), is_open, "{run}");
        // Commands, and the session that was open, seal nothing of what is left.
        by_person(&world, &["status"]).ok();
        turn(&world);
        rm(&world);
        turn(&world);
        assert_gone(&world, name);
        assert_new(&world, name);
    }
}

#[test]
fn a_purge_deletes_what_is_about_this_project_only() {
    let world = world();
    let other = world.folder().join("other");
    sh(&world, &format!("git clone -q . {}", other.display()));
    world.stead_in(&other, &["status"]).ok();
    world.write("project/.agent/skills/mine.md", "not Stead's\n");
    end(&world);
    let before = places_of(&world, &other);
    assert!(!before.is_empty() && !places_of(&world, &world.project()).is_empty());
    let run = by_person(&world, &["uninstall", "--purge", "--yes"]).ok();
    assert!(run.contains("deleted  `.agent/` and what Stead kept about this project"), "{run}");
    assert!(world.exists("project/.agent/skills/mine.md") && !world.exists("project/.agent/context"));
    assert_eq!(places_of(&world, &world.project()), Vec::<String>::new());
    assert_eq!(places_of(&world, &other), before, "the clone with the same id is another checkout");
    fs::remove_dir_all(world.project().join(".agent")).unwrap();
    assert_gone(&world, "purged");
    // A second one finds nothing to do.
    let again = by_person(&world, &["uninstall", "--purge", "--yes"]).ok();
    assert_eq!(again, "there are no Stead hooks in this project's settings\n");
    assert_new(&world, "purged");
}

#[test]
fn a_folder_that_a_person_deletes_between_sessions_is_gone() {
    let looks: [Step; 2] = [
        ("a command", |world| {
            let said = by_person(world, &["status"]).stdout;
            assert!(said.contains("was deleted while no agent was at work"), "{said}");
        }),
        ("a session", |world| {
            let said = start(world, "session-2");
            assert!(!said.contains("infra"), "{said}");
        }),
    ];
    for (name, look) in looks {
        let world = world();
        turn(&world);
        end(&world);
        rm(&world);
        look(&world);
        assert_gone(&world, name);
        assert_new(&world, name);
    }
    // The first command may be the one that sets a new project up.
    let world = world();
    end(&world);
    rm(&world);
    assert_new(&world, "init at once");
}

#[test]
fn a_folder_that_is_deleted_beside_a_session_stays_in_force_until_a_person_says_so() {
    let world = world();
    turn(&world);
    rm(&world);
    let said = by_person(&world, &["status"]).stdout;
    assert!(said.contains("session `session-1` of Claude Code has not ended"), "{said}");
    assert!(said.contains("run `stead uninstall` if you deleted it yourself"), "{said}");
    let init = by_person(&world, &["init", "--yes"]);
    assert!(init.code == 1 && init.stdout.contains("is still in force"), "{init}");
    assert!(guard_holds(&world));
    turn(&world);
    assert!(guard_holds(&world) && own_files_hold(&world));
    by_person(&world, &["uninstall", "--purge", "--yes"]).ok();
    assert_gone(&world, "uninstalled");
}

/// What an agent may try, each time in a session that is open.
#[test]
fn an_agent_ends_nothing() {
    let forged = r#"{"session_id":"forged","hook_event_name":"SessionStart","source":"startup","cwd":"'$PWD'"}"#;
    let own = forged.replace("forged", "session-1");
    for (name, script) in [
        ("removal", "rm -rf .agent".to_owned()),
        ("removal and a command", "rm -rf .agent; stead status".to_owned()),
        ("removal and a detached command", "rm -rf .agent; setsid -w stead status".to_owned()),
        (
            "removal and a terminal",
            "rm -rf .agent; env -i HOME=$HOME PATH=$PATH setsid -w script -qec 'stead status' /dev/null".to_owned(),
        ),
        ("removal and a new session", format!("rm -rf .agent; echo '{forged}' | stead hook claude SessionStart")),
        ("removal and its session anew", format!("rm -rf .agent; echo '{own}' | stead hook claude SessionStart")),
        ("uninstall", "CLAUDECODE=1 stead uninstall --purge --yes".to_owned()),
        ("removal and uninstall", "rm -rf .agent; CLAUDECODE=1 stead uninstall --purge --yes".to_owned()),
    ] {
        let world = world();
        turn(&world);
        drive(&world, &opaque(&script)).unwrap();
        assert!(guard_holds(&world) && own_files_hold(&world), "{name}");
        turn(&world);
        assert!(guard_holds(&world) && own_files_hold(&world), "{name}, at the next look");
    }
    let mut world = world();
    for command in ["stead uninstall --purge --yes", "rm -rf .agent"] {
        assert!(denies(&world.hook("claude PreToolUse", shell(&world, command)).stdout), "{command}");
    }
    world.set("CLAUDECODE", "1");
    for args in [&["uninstall", "--purge", "--yes"][..], &["uninstall", "--yes"]] {
        let run = by_person(&world, args);
        assert!(run.code == 1 && run.stdout.contains("only a person may"), "{run}");
    }
    world.unset("CLAUDECODE");
    assert!(guard_holds(&world));
}

/// A client may report no start of a session: hooks were installed while it was open.
#[test]
fn a_session_without_a_start_is_known_from_its_first_call() {
    let world = world();
    turn(&world);
    end(&world);
    let call = |event: &str, id: &str, command: &str| {
        let mut own = json!({"session_id": "session-2", "tool_name": "Bash", "tool_use_id": id,
            "tool_input": {"command": command}});
        if event == "PostToolUse" {
            own["tool_response"] = json!({"stdout": "", "stderr": "", "interrupted": false});
        }
        world.hook(&format!("claude {event}"), payload(&world, event, own))
    };
    call("PreToolUse", "call-1", "ls");
    call("PostToolUse", "call-1", "ls");
    call("PreToolUse", "call-2", "make");
    rm(&world);
    start(&world, "forged");
    let said = by_person(&world, &["status"]).stdout;
    assert!(!said.contains("while no agent was at work"), "{said}");
    call("PostToolUse", "call-2", "make");
    assert!(guard_holds(&world) && own_files_hold(&world));
}

#[test]
fn a_project_that_begins_again_is_sealed_again() {
    let begins: [Step; 2] = [
        ("init", |world| {
            by_person(world, &["init", "--harness", "claude", "--yes", "--no-mcp"]).ok();
        }),
        ("git", |world| {
            sh(world, "git checkout -q -- .claude");
            start(world, "session-2");
        }),
    ];
    for (name, begin) in begins {
        let world = world();
        turn(&world);
        by_person(&world, &["uninstall", "--yes"]).ok();
        // What is changed meanwhile is a person's.
        world.write("project/.agent/guards/more.yaml", GUARD.replace("infra", "more"));
        turn(&world);
        begin(&world);
        turn(&world);
        drive(&world, &opaque(WEAKEN)).unwrap();
        assert_eq!(log(&world).last().map(|change| change["outcome"].clone()), Some(json!("put-back")), "{name}");
        assert!(guard_holds(&world), "{name}");
    }
}

#[test]
fn a_committed_marker_that_comes_back_is_a_new_project() {
    let world = world();
    end(&world);
    for how in [&["uninstall", "--purge", "--yes"][..], &["uninstall", "--yes"]] {
        by_person(&world, how).ok();
        if how.len() == 2 {
            rm(&world);
        }
        sh(&world, "git checkout -q -- .");
        let said = start(&world, "session-2");
        assert!(!said.contains("lost") && !said.contains("in force"), "{how:?}: {said}");
        assert!(guard_holds(&world) && own_files_hold(&world), "{how:?}");
        turn(&world);
        assert_eq!(log(&world), Vec::<Value>::new(), "{how:?}");
        drive(&world, &opaque("rm -rf .agent")).unwrap();
        assert!(guard_holds(&world), "{how:?}: it is sealed");
        end(&world);
        turn(&world);
        end(&world);
    }
}

#[test]
fn a_clone_elsewhere_does_not_end_with_the_project() {
    let world = world();
    end(&world);
    let clone = world.folder().join("clone");
    sh(&world, &format!("git clone -q . {}", clone.display()));
    by_person(&world, &["uninstall", "--purge", "--yes"]).ok();
    fs::remove_dir_all(world.project().join(".git")).unwrap();
    let own = json!({"cwd": clone, "tool_name": "Write", "tool_input": {"file_path": clone.join("infra/x.tf"), "content": ""}});
    let run = world
        .command(world.program(), &clone)
        .args(["hook", "claude", "PreToolUse"])
        .finish(&world, payload(&world, "PreToolUse", own).as_bytes());
    assert!(denies(&run.stdout), "{run}");
}

#[test]
fn hooks_in_the_persons_own_settings_are_named() {
    let world = world();
    end(&world);
    world.stead(&["init", "--user", "--harness", "claude", "--yes"]).ok();
    let run = by_person(&world, &["uninstall", "--yes"]).ok();
    assert!(
        run.contains("your own settings (~/.claude/settings.json) still call Stead in every project, so guards"),
        "{run}"
    );
    start(&world, "session-2");
    assert!(guard_holds(&world), "as the note says");
    end(&world);
    let run = by_person(&world, &["uninstall", "--purge", "--yes"]).ok();
    assert!(run.contains("but nothing of this one is left"), "{run}");
    assert_gone(&world, "with hooks of the person");
}

#[test]
fn a_personal_project_goes_without_a_trace() {
    let world = bare();
    world.write("project/src/main.rs", "fn main() {}\n");
    world.git(&["add", "-A"]).ok();
    world.git(&["commit", "-qm", "first"]).ok();
    let before = world.read("project/.git/info/exclude");
    by_person(&world, &["init", "--personal", "--harness", "claude", "--yes"]).ok();
    start(&world, "session-1");
    by_person(&world, &["uninstall", "--purge", "--yes"]).ok();
    assert_eq!(world.read("project/.git/info/exclude"), before);
    assert!(!world.exists("project/.agent") && !world.exists("project/.claude"));
    assert_eq!(places_of(&world, &world.project()), Vec::<String>::new());
}

#[test]
fn work_that_is_not_committed_is_not_deleted() {
    let world = world();
    end(&world);
    sh(&world, "git worktree add -q .agent/runs/night/worktrees/a && echo x > .agent/runs/night/worktrees/a/new");
    let run = by_person(&world, &["uninstall", "--purge", "--yes"]);
    assert!(run.code == 1 && run.stdout.contains("has changes that are not committed"), "{run}");
    assert!(world.read("project/.claude/settings.json").contains("stead hook"));
    sh(&world, "git worktree remove --force .agent/runs/night/worktrees/a");
    by_person(&world, &["uninstall", "--purge", "--yes"]).ok();
    assert!(!world.exists("project/.agent"));
}

/// At a terminal there are two questions, and a summary before each.
#[test]
fn a_person_is_asked_about_hooks_and_about_the_rest() {
    let world = bare();
    world.stead(&["init", "--harness", "claude,codex", "--yes"]).ok();
    let kept = converse(&world, "uninstall", &[("[y/N/d] ", "y\n"), ("[y/N] ", "\n")]);
    insta::assert_snapshot!("uninstall-kept", kept.stdout);
    assert!(world.exists("project/.agent/context/root.json") && !world.exists("project/.claude"));
    let deleted = converse(&world, "uninstall", &[("[y/N] ", "y\n")]);
    insta::assert_snapshot!("uninstall-deleted", deleted.stdout);
    assert!(!world.exists("project/.agent"));
    world.stead(&["init", "--harness", "claude", "--yes"]).ok();
    let stopped = converse(&world, "uninstall", &[("[y/N/d] ", "d\n"), ("[y/N/d] ", "n\n")]);
    assert!(stopped.code == 1 && stopped.stdout.ends_with("nothing was changed\n"), "{stopped}");
    assert!(stopped.stdout.contains("+++ /dev/null\n") && world.exists("project/.claude/settings.json"), "{stopped}");
}

/// Runs a command at a terminal, as a person would; it is killed at this moment, counted by its writes. 0 is none.
fn killed_at(world: &World, moment: usize, args: &str) -> Run {
    let line = format!("exec {} {args}", env!("CARGO_BIN_EXE_stead"));
    let mut command = world.command("script", &world.project());
    command.env("SHELL", "/bin/sh").env("STEAD_TEST_KILL_WRITE", moment.to_string());
    command.args(["-qec", &line, "/dev/null"]).finish(world, b"")
}

/// Whatever an interrupted removal leaves, the same command finishes it, and so does deleting `.agent` by hand.
#[test]
fn a_killed_removal_can_be_repeated() {
    let world = bare();
    for moment in 1.. {
        let init = world.stead(&["init", "--harness", "claude", "--yes", "--no-mcp", "--no-commands"]);
        assert_eq!(init.code, 0, "{moment}: {init}");
        world.write("project/.agent/guards/infra.yaml", GUARD);
        start(&world, "session-1");
        turn(&world);
        end(&world);
        let run = killed_at(&world, moment, "uninstall --purge --yes");
        let is_killed = run.code == 137;
        if moment % 2 == 0 && is_killed && world.exists("project/.agent") {
            let said = world.hook("claude PreToolUse", tool(&world, "Read", json!({"file_path": "x"})));
            assert_eq!(said.code, 0, "{moment}");
            rm(&world);
        }
        let again = by_person(&world, &["uninstall", "--purge", "--yes"]);
        assert_eq!(again.code, 0, "{moment}: {again}");
        assert_gone(&world, &format!("killed at {moment}: {run}, then {again}"));
        if !is_killed {
            assert!(moment > 20, "{moment}");
            return;
        }
    }
}

/// The one file that says so, in the state folder.
#[test]
fn an_end_is_recorded_for_the_sessions_that_were_open() {
    let world = world();
    turn(&world);
    by_person(&world, &["uninstall", "--yes"]).ok();
    let found = world.sh(&format!("cat ../{STATE}/projects/*/*/ended.json")).ok();
    let end: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(end["sessions"][0]["session"], "session-1");
    assert!(world.sh(&format!("ls ../{STATE}/projects/*/*/seal")).code != 0, "the seal is gone");
}
