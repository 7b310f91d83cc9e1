//! Stead's own commands are killed before and after every write they make. The next look repairs what is left: nothing has
//! to be explained, nothing is looser than the files say, no change of a person is lost, and the same command works
//! afterwards.
#![cfg(unix)]

use serde_json::{Value, json};
use stead_testkit::{Finish, Run, World};

use crate::seal::{GUARD, guard_holds, log, own_files_hold, world};
use crate::world::payload;

const FILE: &str = "project/.agent/guards/infra.yaml";

/// Runs a command at a terminal, as a person would; it is killed at this moment, counted by its writes. 0 is none.
fn killed_at(world: &World, moment: usize, args: &[&str]) -> Run {
    let quoted: Vec<String> = args.iter().map(|arg| format!("'{arg}'")).collect();
    let line = format!("exec {} {}", env!("CARGO_BIN_EXE_stead"), quoted.join(" "));
    let mut command = world.command("script", &world.project());
    command.env("SHELL", "/bin/sh").env("STEAD_TEST_KILL_WRITE", moment.to_string());
    command.args(["-qec", &line, "/dev/null"]).finish(world, b"")
}

fn by_person(world: &World, args: &[&str]) -> Run {
    killed_at(world, 0, args)
}

/// The next look of a hook.
fn look(world: &World) {
    let own = json!({"stop_hook_active": false, "last_assistant_message": "x"});
    world.hook("claude Stop", payload(world, "Stop", own));
}

/// Kills a command at every moment, each time in the state that `before` makes; `holds` is checked at the next look, and
/// again when the command was repeated. Returns how many moments there were.
#[track_caller]
fn kill_everywhere(world: &World, before: &dyn Fn(usize) -> Vec<String>, holds: &dyn Fn(&str)) -> usize {
    for moment in 1.. {
        let args = before(moment);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let run = killed_at(world, moment, &args);
        let name = format!("{args:?} killed at {moment}: {run}");
        if run.code != 137 {
            assert_eq!(run.code, 0, "{name}");
            return moment - 1;
        }
        look(world);
        holds(&name);
        let again = by_person(world, &args);
        let is_done = again.stdout.contains("already") || again.stdout.contains("does not wait");
        assert!(again.code == 0 || is_done, "{name}, then {again}");
        look(world);
        holds(&format!("{name}, then {again}"));
    }
    unreachable!()
}

fn words(args: &[&str]) -> Vec<String> {
    args.iter().map(|arg| (*arg).to_owned()).collect()
}

#[test]
fn a_killed_change_of_a_guard_is_whole_or_not_there() {
    let world = world();
    look(&world);
    let before = |_| {
        by_person(&world, &["guard", "enable", "infra", "--mode", "enforce"]);
        words(&["guard", "disable", "infra"])
    };
    let moments = kill_everywhere(&world, &before, &|name| {
        assert_eq!(log(&world), Vec::<Value>::new(), "{name}");
        assert_eq!(guard_holds(&world), world.read(FILE).contains("mode: enforce"), "{name}");
        assert!(own_files_hold(&world), "{name}");
    });
    assert!(moments >= 4, "{moments}");
    // And the other way.
    let before = |_| {
        by_person(&world, &["guard", "disable", "infra"]);
        words(&["guard", "enable", "infra", "--mode", "enforce"])
    };
    kill_everywhere(&world, &before, &|name| {
        assert_eq!(log(&world), Vec::<Value>::new(), "{name}");
        assert_eq!(guard_holds(&world), world.read(FILE).contains("mode: enforce"), "{name}");
    });
}

#[test]
fn a_killed_change_of_settings_is_whole_or_not_there() {
    let world = world();
    look(&world);
    let before = |_| {
        by_person(&world, &["config", "set", "gate.guards", "true"]).ok();
        words(&["config", "set", "gate.guards", "false"])
    };
    let moments = kill_everywhere(&world, &before, &|name| {
        assert_eq!(log(&world), Vec::<Value>::new(), "{name}");
        assert_eq!(guard_holds(&world), !world.read("project/.agent/config.toml").contains("guards = false"), "{name}");
        assert!(own_files_hold(&world), "{name}");
    });
    assert!(moments >= 4, "{moments}");
}

#[test]
fn a_killed_change_of_intents_and_features_is_whole_or_not_there() {
    let world = world();
    look(&world);
    let name_of = |moment: usize| format!("INT-{moment:03}");
    let before = |moment| words(&["intent", "add", &name_of(moment), "--name", "x", "--scope", "src/**"]);
    let explained = |name: &str| assert_eq!(log(&world), Vec::<Value>::new(), "{name}");
    let moments = kill_everywhere(&world, &before, &explained);
    assert!(moments >= 4, "{moments}");
    let list = world.read("project/.agent/intents/active_intents.yaml");
    (1..=moments + 1).for_each(|moment| assert!(list.contains(&name_of(moment)), "{moment}: {list}"));
    let before = |moment: usize| words(&["feature", "add", &format!("f-{moment}"), "--title", "x"]);
    let moments = kill_everywhere(&world, &before, &explained);
    let before = |moment: usize| {
        let id = format!("f-{}", moment.min(moments));
        words(&["feature", "report", &id, "--implemented"])
    };
    kill_everywhere(&world, &before, &explained);
    let list = world.read("project/.agent/features/feature-list.json");
    (1..=moments).for_each(|moment| assert!(list.contains(&format!("\"f-{moment}\"")), "{moment}: {list}"));
}

/// The person's change is in the file, in the seal or beside it, whenever the acceptance ends.
#[test]
fn a_killed_acceptance_loses_nothing() {
    for during_call in [false, true] {
        let world = world();
        look(&world);
        let weak = |moment: usize| format!("# {moment}\n{}", GUARD.replace("enforce", "off"));
        let call = json!({"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "c"});
        let before = |moment| {
            by_person(&world, &["guard", "enable", "infra", "--mode", "enforce"]);
            look(&world);
            std::thread::sleep(std::time::Duration::from_millis(60));
            if during_call {
                world.hook("claude PreToolUse", payload(&world, "PreToolUse", call.clone()));
            }
            world.write(FILE, weak(moment));
            let mut done = call.clone();
            done["tool_response"] = json!({});
            match during_call {
                true => drop(world.hook("claude PostToolUse", payload(&world, "PostToolUse", done))),
                false => look(&world),
            }
            let change = log(&world).pop().unwrap();
            let expected = if during_call { "put-back" } else { "in-force" };
            assert_eq!(change["outcome"], expected, "{moment}: {change}");
            words(&["seal", "accept", change["id"].as_str().unwrap()])
        };
        let moments = kill_everywhere(&world, &before, &|name| {
            let text = world.read(FILE);
            let displaced = log(&world).pop().and_then(|change| Some(change["displaced"].as_str()?.to_owned()));
            let kept = displaced.map(|path| world.read(format!("project/{path}"))).unwrap_or_default();
            assert!(format!("{text}{kept}").contains("mode: off"), "{name}: {text}");
            // What waits is not in force, and what is in force does not wait.
            let waits = world.stead(&["seal", "status", "--json"]).json()["pending"] != json!([]);
            assert_eq!(guard_holds(&world), waits || text.contains("mode: enforce"), "{name}");
            assert!(own_files_hold(&world), "{name}");
        });
        assert!(moments >= 4, "{moments}");
        assert!(!guard_holds(&world));
    }
}

#[test]
fn killed_trust_is_whole_or_not_there() {
    let world = world();
    look(&world);
    let before = |moment: usize| {
        world.write("project/.agent/stages/a/stage.yaml", format!("# {moment}\nname: a\n"));
        words(&["trust"])
    };
    kill_everywhere(&world, &before, &|name| {
        assert_eq!(log(&world), Vec::<Value>::new(), "{name}");
        assert!(guard_holds(&world) && own_files_hold(&world), "{name}");
    });
    let before = |_| {
        by_person(&world, &["trust"]).ok();
        words(&["trust", "--revoke"])
    };
    kill_everywhere(&world, &before, &|name| {
        assert!(guard_holds(&world) && own_files_hold(&world), "{name}");
    });
}
