//! Whose change it was, what a person can do about it, and what happens where the seal cannot be kept.
#![cfg(unix)]

use std::fs;

use serde_json::{Value, json};
use stead_testkit::World;

use crate::seal::{GUARD, WEAKEN, drive, guard_holds, log, opaque, own_files_hold, sh, world};
use crate::world::{by_person, denies, payload, shell};

const PATH: &str = "project/.agent/guards/infra.yaml";

fn start(world: &World) -> String {
    world.hook("claude SessionStart", payload(world, "SessionStart", json!({"source": "startup"}))).stdout
}

fn end(world: &World) {
    world.hook("claude SessionEnd", payload(world, "SessionEnd", json!({"reason": "other"})));
}

fn outcomes(world: &World) -> Vec<String> {
    log(world).iter().map(|change| change["outcome"].as_str().unwrap().to_owned()).collect()
}

/// The id of the last change.
fn last(world: &World) -> String {
    log(world).last().unwrap()["id"].as_str().unwrap().to_owned()
}

/// Ends every call and the turn.
fn turn(world: &World) {
    world
        .hook("claude Stop", payload(world, "Stop", json!({"stop_hook_active": false, "last_assistant_message": "x"})));
}

#[test]
fn a_persons_edit_counts_if_no_session_is_open() {
    let world = world();
    end(&world);
    world.write(PATH, GUARD.replace("enforce", "off"));
    let said = start(&world);
    assert!(said.contains("was changed while no agent was at work, and applies"), "{said}");
    assert!(!guard_holds(&world));
    assert_eq!(outcomes(&world), ["taken-over"]);
    assert!(!start(&world).contains("no agent was at work"), "told once");
}

#[test]
fn an_edit_beside_the_calls_waits_for_the_person() {
    let world = world();
    turn(&world);
    world.write(PATH, GUARD.replace("enforce", "off"));
    assert!(guard_holds(&world), "before anybody looked");
    turn(&world);
    assert_eq!(outcomes(&world), ["in-force"]);
    assert!(guard_holds(&world));
    let status = world.stead(&["status"]).ok();
    assert!(status.contains("still in force: .agent/guards/infra.yaml (changed "), "{status}");
    let id = last(&world);
    assert!(world.stead(&["seal", "diff", &id]).ok().contains("-mode: enforce\n+mode: off"));
    assert!(start(&world).contains(&format!("stead seal accept {id}")), "told at session start");
    // An agent cannot accept it, however it tries.
    assert!(denies(&world.hook("claude PreToolUse", shell(&world, &format!("stead seal accept {id}"))).stdout));
    let refused = world.stead(&["seal", "accept", &id]);
    assert!(refused.code == 1 && refused.stderr.contains("only a person may accept"), "{refused}");
    assert!(guard_holds(&world));
    by_person(&world, &["seal", "accept", &id]).ok();
    assert!(!guard_holds(&world));
    assert_eq!(outcomes(&world), ["accepted"]);
    assert!(by_person(&world, &["seal", "accept", &id]).stdout.contains("does not wait for anybody"));
}

#[test]
fn an_edit_during_a_call_is_kept_aside_and_can_be_had_back() {
    let world = world();
    turn(&world);
    world.hook("claude PreToolUse", shell(&world, "make test"));
    let edited = format!("# why\n{}", GUARD.replace("infra/**", "infra/prod/**"));
    world.write(PATH, &edited);
    let own = json!({"tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_use_id": "call-1", "tool_response": {}});
    let said = world.hook("claude PostToolUse", payload(&world, "PostToolUse", own)).stdout;
    assert!(said.contains("was put back") && said.contains("has other conditions"), "{said}");
    assert_eq!(world.read(PATH), GUARD);
    let change = log(&world).pop().unwrap();
    assert_eq!(world.read(format!("project/{}", change["displaced"].as_str().unwrap())), edited);
    assert_eq!(change["calls"][0]["session"], "session-1");
    assert_eq!(change["calls"][0]["tool"], "Bash");
    by_person(&world, &["seal", "accept", change["id"].as_str().unwrap()]).ok();
    assert_eq!(world.read(PATH), edited);
    turn(&world);
    assert_eq!(world.read(PATH), edited, "it stays");
}

#[test]
fn calls_of_two_sessions_are_both_named() {
    let world = world();
    turn(&world);
    let own = |session: &str| json!({"session_id": session, "tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": session});
    for session in ["session-1", "session-2"] {
        world.hook("claude PreToolUse", payload(&world, "PreToolUse", own(session)));
    }
    sh(&world, WEAKEN);
    let mut done = own("session-2");
    done["tool_response"] = json!({});
    world.hook("claude PostToolUse", payload(&world, "PostToolUse", done));
    let change = log(&world).pop().unwrap();
    let sessions: Vec<&str> =
        change["calls"].as_array().unwrap().iter().map(|call| call["session"].as_str().unwrap()).collect();
    assert_eq!(sessions, ["session-1", "session-2"]);
    assert!(guard_holds(&world));
}

#[test]
fn stricter_and_equal_changes_are_sealed_silently() {
    let world = world();
    turn(&world);
    for (path, text) in [
        (PATH, format!("# a comment\n{GUARD}")),
        ("project/.agent/guards/more.yaml", GUARD.replace("infra", "secrets")),
        ("project/.agent/config.toml", "[context]\nbriefing_tokens = 900\n[gate]\nstale_files = true\n".to_owned()),
    ] {
        world.write(path, text);
        turn(&world);
        assert_eq!(log(&world), Vec::<Value>::new(), "{path}");
    }
    assert!(guard_holds(&world));
    // From now on the new text is what counts.
    drive(&world, &opaque("rm .agent/guards/more.yaml"));
    assert_eq!(outcomes(&world), ["put-back"]);
    assert!(world.exists("project/.agent/guards/more.yaml"));
}

#[test]
fn steads_own_commands_need_no_acceptance() {
    let world = world();
    turn(&world);
    by_person(&world, &["guard", "disable", "infra"]).ok();
    assert!(!guard_holds(&world), "at once");
    turn(&world);
    by_person(&world, &["config", "set", "gate.guards", "false"]).ok();
    by_person(&world, &["uninstall", "--yes"]).ok();
    turn(&world);
    assert_eq!(log(&world), Vec::<Value>::new());
    let settings = "project/.claude/settings.json";
    assert!(!world.exists(settings) || !world.read(settings).contains("stead hook"));
}

/// A command that was killed between its announcement, its write and the look leaves nothing to explain.
#[test]
fn a_command_that_is_killed_leaves_nothing_to_explain() {
    let weak = GUARD.replace("enforce", "off");
    let world = world();
    turn(&world);
    let dir = world.stead(&["seal", "status", "--json"]).json()["dir"].as_str().unwrap().to_owned();
    let dir = dir.replace("$HOME", &world.home().display().to_string());
    let sum = world.sh(&format!("printf '%s' '{weak}' | sha256sum")).ok();
    let line = json!({"path": ".agent/guards/infra.yaml", "sha256": &sum[..64], "at": 0});
    let announce = || fs::write(format!("{dir}/announced.jsonl"), format!("{line}\n")).unwrap();
    // Killed before the write.
    announce();
    turn(&world);
    assert!(guard_holds(&world) && log(&world).is_empty());
    // Killed after it.
    announce();
    fs::write(world.project().join(".agent/guards/infra.yaml"), &weak).unwrap();
    assert!(!guard_holds(&world));
    turn(&world);
    assert!(!guard_holds(&world) && log(&world).is_empty());
    // What was not announced is another text. Times of files have the grain of a clock tick.
    fs::write(world.project().join(".agent/guards/infra.yaml"), GUARD).unwrap();
    turn(&world);
    std::thread::sleep(std::time::Duration::from_millis(30));
    announce();
    fs::write(world.project().join(".agent/guards/infra.yaml"), weak.replace("off", "shadow")).unwrap();
    turn(&world);
    assert!(guard_holds(&world));
    assert_eq!(outcomes(&world), ["in-force"]);
}

#[test]
fn gates_work_where_no_seal_can_be_kept() {
    let mut world = world();
    turn(&world);
    let state = world.home().join(".local/state/stead");
    fs::remove_dir_all(state.join("projects")).unwrap();
    fs::write(state.join("projects"), "a file").unwrap();
    fs::write(state.join("seal"), "")
        .or_else(|_| fs::remove_dir_all(state.join("seal")).and_then(|()| fs::write(state.join("seal"), "")))
        .unwrap();
    assert!(guard_holds(&world) && own_files_hold(&world));
    drive(&world, "make test");
    let run = world.stead(&["status"]);
    assert!(run.code == 0 && run.stderr.contains("the seal cannot be checked"), "{run}");
    world.unset("HOME");
    assert!(guard_holds(&world) && own_files_hold(&world));
    // The project remembers the person's folders.
    let run = world.stead(&["seal", "status"]);
    assert!(run.code == 0 && run.stderr.contains("the seal cannot be checked"), "{run}");
    world.sh("rm .agent/cache/person-*").ok();
    assert!(guard_holds(&world) && own_files_hold(&world));
    let run = world.stead(&["seal", "status"]);
    assert!(run.code == 1 && run.stderr.contains("set HOME or XDG_STATE_HOME"), "{run}");
}

#[test]
fn a_moved_project_keeps_its_seal() {
    let world = world();
    turn(&world);
    end(&world);
    world.sh("cd .. && mv project other && mv other renamed").ok();
    fs::create_dir_all(world.project()).unwrap();
    let moved = world.folder().join("renamed");
    let own = |event: &str, own: Value| {
        let mut all = own;
        all["cwd"] = json!(moved);
        all["session_id"] = json!("session-9");
        world.hook(&format!("claude {event}"), payload(&world, event, all)).stdout
    };
    own("SessionStart", json!({"source": "startup"}));
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "c"});
    own("PreToolUse", call.clone());
    fs::remove_file(moved.join(".agent/guards/infra.yaml")).unwrap();
    let mut done = call;
    done["tool_response"] = json!({});
    assert!(own("PostToolUse", done).contains("was put back"));
    assert_eq!(fs::read_to_string(moved.join(".agent/guards/infra.yaml")).unwrap(), GUARD);
}

#[test]
fn other_branches_leave_the_tree_clean_and_the_gates_on() {
    let world = world();
    for branch in ["weak", "bare", "main", "bare", "weak", "main"] {
        assert!(drive(&world, &format!("git checkout -q {branch}")).is_some());
        let status = world.sh("git status --porcelain --untracked-files=no").ok();
        assert_eq!(status, "", "{branch}");
        assert_eq!(world.sh("git rev-parse --abbrev-ref HEAD").ok().trim(), branch);
        assert!(guard_holds(&world) && own_files_hold(&world), "{branch}");
    }
    let waits = world.stead(&["seal", "status", "--json"]).json()["pending"].clone();
    assert_eq!(waits, json!([]), "back on the branch nothing waits");
}

#[test]
fn settings_keep_the_rest_of_a_change() {
    let world = world();
    drive(&world, &opaque("echo '{\"theme\": \"light\", \"disableAllHooks\": true}' > .claude/settings.json"));
    let settings = world.read("project/.claude/settings.json");
    assert!(
        settings.contains("\"theme\": \"light\"") && settings.contains("stead hook claude PreToolUse"),
        "{settings}"
    );
    assert!(!settings.contains("disableAllHooks"), "{settings}");
    // Twice, to see that the result is sealed.
    turn(&world);
    assert_eq!(outcomes(&world), ["put-back"]);
}

#[test]
fn a_claim_that_git_brought_does_not_count() {
    let world = world();
    sh(
        &world,
        "git checkout -q -b claim && sed -i 's/\"tested\": false/\"tested\": true/' .agent/features/feature-list.json && git \
         commit -qam claim && git checkout -q main",
    );
    assert!(drive(&world, "git merge -q claim").is_some());
    assert_eq!(outcomes(&world), ["in-force"]);
    let list = world.stead(&["feature", "list", "--json"]).ok();
    assert!(!list.contains("\"tested\": true"), "{list}");
}
