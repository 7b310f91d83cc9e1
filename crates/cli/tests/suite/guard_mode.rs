//! What comes of a hit: in shadow a line, as a warning words, enforced a verdict; and nobody has to ask for the counts.

use serde_json::json;
use stead_testkit::World;

use crate::client::{denial, hold};
use crate::world::{accept_all, lines, marked, payload, shell};

fn put(world: &World, mode: &str) {
    let guard = format!(
        "id: infra\nmode: {mode}\non: [before-tool]\nmatch: {{writes: ['infra/**']}}\nthen: deny\nsay: \"ask first\"\n"
    );
    world.write("project/.agent/guards/infra.yaml", guard);
}

fn event(world: &World, name: &str, own: serde_json::Value) -> stead_testkit::Run {
    world.hook(&format!("claude {name}"), payload(world, name, own))
}

#[test]
fn a_guard_goes_through_its_modes() {
    let world = marked();
    let touch = shell(&world, "touch infra/a");
    for (mode, would, did, verdict) in [
        ("shadow", "deny", "recorded", "allow"),
        ("experiment", "deny", "recorded", "allow"),
        ("warn", "deny", "told", "allow"),
        ("enforce", "deny", "denied", "deny"),
        ("production", "deny", "denied", "deny"),
    ] {
        put(&world, mode);
        let run = world.hook("claude PreToolUse", &touch);
        assert_eq!(denial(&run).is_some(), verdict == "deny", "{mode}: {run}");
        assert_eq!(run.stdout.is_empty(), did == "recorded", "{mode}: {run}");
        let line = lines(&world, "sessions.jsonl").pop().unwrap();
        let hit = &line["hits"][0];
        assert_eq!(
            (&line["verdict"], &hit["would"], &hit["did"]),
            (&json!(verdict), &json!(would), &json!(did)),
            "{mode}"
        );
        let id = line["id"].as_str().unwrap();
        assert_eq!(run.stdout.contains(id), did != "recorded", "{mode}: {run}");
        let effects = json!({"v": 1, "coverage": "full", "list": [
            {"run": ["touch", "infra/a"], "part": "touch infra/a"},
            {"write": "infra/a", "how": "append"},
        ]});
        assert_eq!(line["effects"], effects, "{mode}");
        let explained = world.stead(&["explain", id]).ok();
        assert!(explained.contains("effects  run touch infra/a, write infra/a"), "{explained}");
    }
    put(&world, "off");
    accept_all(&world);
    assert_eq!(world.hook("claude PreToolUse", &touch).to_string(), "exit 0");
    assert_eq!(lines(&world, "sessions.jsonl").pop().unwrap()["hits"], json!(null));
}

#[test]
fn hits_are_kept_even_where_sessions_are_not_recorded() {
    let world = marked();
    put(&world, "enforce");
    world.write("project/.agent/config.toml", "[record]\nsessions = false\n");
    world.hook("claude PreToolUse", shell(&world, "ls"));
    world.hook("claude PreToolUse", shell(&world, "touch infra/a"));
    let log = lines(&world, "sessions.jsonl");
    assert_eq!(log.len(), 1);
    world.stead(&["explain", log[0]["id"].as_str().unwrap()]).ok();
}

#[test]
fn what_the_shadow_saw_is_said_unasked() {
    let world = marked();
    put(&world, "shadow");
    event(&world, "UserPromptSubmit", json!({"prompt": "go"}));
    for _ in 0..2 {
        world.hook("claude PreToolUse", shell(&world, "touch infra/a"));
    }
    let stop = event(&world, "Stop", json!({"stop_hook_active": false})).json();
    let told = stop["systemMessage"].as_str().unwrap();
    assert!(told.contains("would have acted: `infra` twice"), "{stop}");
    let start = event(&world, "SessionStart", json!({"source": "startup"})).stdout;
    assert!(start.contains("would have acted: `infra` twice") && start.contains("stead guard stats"), "{start}");
    let status = world.stead(&["status"]).ok();
    assert!(status.contains("last 24 h: 2 would have acted (shadow)"), "{status}");
    let json = world.stead(&["status", "--json"]).json();
    assert!(json["guards"].as_str().unwrap().contains("would have acted: `infra` twice"), "{json}");
    event(&world, "UserPromptSubmit", json!({"prompt": "go on"}));
    assert_eq!(event(&world, "Stop", json!({"stop_hook_active": false})).to_string(), "exit 0");
}

#[test]
fn self_protection_has_a_name_but_no_mode() {
    let world = marked();
    let run = world.hook("claude PreToolUse", shell(&world, "rm -rf .agent"));
    let line = lines(&world, "sessions.jsonl").pop().unwrap();
    let id = line["id"].as_str().unwrap();
    assert!(denial(&run).unwrap().ends_with(&format!("[{id}]")), "{run}");
    assert_eq!((&line["hits"][0]["guard"], &line["hits"][0]["mode"]), (&json!("self-protection"), &json!(null)));
    let told = world.stead(&["explain", id]).ok();
    assert!(told.contains("Agents may not weaken Stead"), "{told}");
}

/// A stop that a guard holds: within its bound, whatever the agent does meanwhile, and not while sub-agents work.
#[test]
fn a_held_stop_ends() {
    let guard = "id: says-done\nmode: enforce\non: [stop]\nmatch: {text: \".*\"}\nthen: continue\nsay: \"go on\"\n";
    let world = marked();
    world.write("project/.agent/guards/says-done.yaml", guard);
    world.stead(&["guard", "lint"]).ok();
    let stop = |again: bool, tasks: serde_json::Value| {
        let own = json!({"stop_hook_active": again, "last_assistant_message": "so", "background_tasks": tasks});
        hold(&event(&world, "Stop", own))
    };
    let work = || {
        event(
            &world,
            "PostToolUse",
            json!({"tool_name": "Bash", "tool_use_id": "c", "tool_input": {"command": "ls"}, "tool_response": {}}),
        )
    };
    let busy = json!([{"id": "a", "agent_type": "coder", "status": "running"}]);
    assert_eq!(stop(false, busy), None);
    assert!(stop(false, json!([])).unwrap().contains("go on"));
    assert!(stop(true, json!([])).is_some(), "it did nothing since");
    work();
    assert!(stop(true, json!([])).is_some());
    work();
    assert_eq!(stop(true, json!([])), None, "three times are enough");
    assert_eq!(stop(false, json!([])), None, "three times are enough");
    let told = world.stead(&["status"]).ok();
    assert!(told.contains("2 let pass despite `enforce`") && !told.contains("shadow"), "{told}");
    let nameless = json!({"session_id": "", "stop_hook_active": false, "last_assistant_message": "so"});
    assert_eq!(hold(&event(&world, "Stop", nameless)), None, "what cannot be counted is not held");
}
