//! `stead memory`: who may do what, what is refused, and that many processes lose nothing.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};
use stead_testkit::World;

use crate::world::{by_person, denies, marked, payload, shell, tool};

const TRACES: &str = "project/.agent/graph/traces.jsonl";

const STORE: &[&str] = &[
    "memory", "store", "--type", "correction", "--what", "edited schema.rs", "--correct", "edit schema.sql", "--why",
    "it is generated",
];

fn store(world: &World, more: &[&str]) -> String {
    let args: Vec<&str> = STORE.iter().chain(more).chain(&["--json"]).copied().collect();
    world.stead(&args).json()["id"].as_str().unwrap().to_owned()
}

fn traces(world: &World) -> Vec<Value> {
    world.read(TRACES).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Runs a command as the agent of a session whose hook saw it.
fn as_agent(world: &World, session: &str, args: &[&str]) -> stead_testkit::Run {
    let words: Vec<String> = args.iter().map(|arg| format!("'{arg}'")).collect();
    let mut seen: Value = serde_json::from_str(&shell(world, &format!("stead {}", words.join(" ")))).unwrap();
    seen["session_id"] = json!(session);
    world.hook("claude PreToolUse", seen.to_string());
    world.stead(args)
}

#[test]
fn a_trace_is_stored_found_and_folded() {
    let world = marked();
    world.write("project/src/door.rs", "struct Door;\n\nimpl Door {\n    fn open(&self) {}\n}\n");
    let run = world.stead(&[STORE, &["--file", "src/door.rs:4", "--topic", "schema"]].concat()).ok();
    let id = run.trim().strip_prefix("stored ").unwrap().to_owned();
    let again = world.stead(&[STORE, &["--file", "src/door.rs:Door::open", "--topic", "schema"]].concat()).ok();
    assert_eq!(again, format!("folded into {id}\n"));
    let full = world.stead(&["memory", "get", &id[..8], "--level", "full", "--json"]).json();
    assert_eq!(full["anchors"][0]["node"], "Door::open");
    assert_eq!((&full["repeats"].as_array().unwrap().len(), &full["context"]["by"]), (&1, &json!("person")));
    assert_eq!(full["source"], "user_correction");
    let newer = world
        .stead(&[
            "memory",
            "store",
            "--type",
            "decision",
            "--what",
            "schema.rs is written by hand now",
            "--topic",
            "schema",
            "--supersedes",
            &id[..8],
        ])
        .ok();
    let newer = newer.trim().strip_prefix("stored ").unwrap().to_owned();
    let old = world.stead(&["memory", "get", &id, "--level", "metadata", "--json"]).json();
    assert_eq!((&old["superseded_by"], &old["event"]), (&json!(newer), &Value::Null));
    assert!(world.stead(&["memory", "get", &id]).ok().contains("event.what_was_correct: edit schema.sql\n"));
    assert_eq!(world.stead(&["memory", "verify", "--json"]).json()["lines"], 3);
    let schema: Value = serde_json::from_str(&world.stead(&["schema", "traces"]).ok()).unwrap();
    let check = jsonschema::validator_for(&schema).unwrap();
    traces(&world).iter().for_each(|trace| assert!(check.is_valid(trace), "{trace}"));
    for (id, code) in [("zzzz", 1), ("", 1)] {
        assert_eq!(world.stead(&["memory", "get", id]).code, code);
    }
}

#[test]
fn refusals_say_why() {
    let world = marked();
    let check = |args: &[&str], why: &str| {
        let run = world.stead(&[&["memory", "store", "--type"], args].concat());
        assert!(run.code == 1 && run.stderr.contains(why) && run.stderr.contains("hint: "), "{args:?}: {run}");
    };
    check(&["decision", "--what", "build succeeded"], "a state that the next command changes");
    check(&["decision", "--what", "there is a function foo in bar.rs"], "the code says so itself");
    check(&["reflection", "--what", "be more careful"], "names nothing concrete");
    check(&["correction", "--what", "used the wrong table"], "must say what is correct");
    check(&["decision", "--what", "keep v1", "--supersedes", "zz"], "there is no trace");
    check(&["decision", "--what", "keep v1", "--file", "none.rs"], "there is no such file");
    assert_eq!(world.stead(&["memory", "store", "--type", "omen", "--what", "x"]).code, 2);
    assert!(!world.exists(TRACES));
    store(&world, &["--feature", "login"]);
    let secret =
        ["memory", "store", "--type", "decision", "--what", "the key is token=sk-abcdefgh12345678 for staging"];
    world.stead(&secret).ok();
    assert!(!world.read(TRACES).contains("sk-abcdefgh"));
}

#[test]
fn confirming_promoting_and_forgetting_are_a_persons() {
    let mut world = marked();
    let id = store(&world, &[]);
    world.set("CLAUDECODE", "1");
    let file = world.project().join("x.jsonl").to_string_lossy().into_owned();
    for args in [&["confirm", &id][..], &["promote", &id], &["forget", &id], &["import", &file], &["export", &file]] {
        for run in [world.stead(&[&["memory"], args].concat()), by_person(&world, &[&["memory"], args].concat())] {
            assert!(run.code == 1 && run.to_string().contains("only a person may"), "{args:?}: {run}");
        }
    }
    world.unset("CLAUDECODE");
    assert_eq!(world.stead(&["memory", "confirm", &id]).ok(), format!("confirmed {id}\n"));
    assert_eq!(world.stead(&["memory", "promote", &id]).ok(), format!("promoted {id}\n"));
    assert_eq!(world.stead(&["memory", "get", &id, "--json"]).json()["scope"], "universal");
    assert!(world.exists("home/.local/share/stead/traces.jsonl"));
    assert!(!world.exists("home/.local/share/stead/.gitignore"));
    assert_eq!(world.stead(&["memory", "forget", &id]).ok(), format!("forgot {id}\n"));
    let run = world.stead(&["memory", "get", &id]);
    assert!(run.code == 1 && run.stderr.contains("was forgotten") && !run.to_string().contains("schema.sql"), "{run}");
    assert_eq!(world.stead(&["memory", "export"]).ok(), "");
    world.stead(&["memory", "verify"]).ok();
}

#[test]
fn an_agent_forgets_only_what_it_stored_in_this_session() {
    let world = marked();
    let args: Vec<&str> = STORE.iter().chain(&["--json"]).copied().collect();
    let stored = as_agent(&world, "session-1", &args).json();
    let id = stored["id"].as_str().unwrap();
    let context = &traces(&world)[0]["context"];
    assert_eq!((&context["by"], &context["session"]), (&json!("agent"), &json!("session-1")));
    let ask = |session: &str, command: &str| {
        let mut seen: Value = serde_json::from_str(&shell(&world, command)).unwrap();
        seen["session_id"] = json!(session);
        denies(&world.hook("claude PreToolUse", seen.to_string()).stdout)
    };
    assert!(ask("session-2", &format!("stead memory forget {id}")));
    assert!(!ask("session-1", &format!("stead memory forget {id} --why x")));
    assert!(ask("session-1", &format!("stead memory confirm {id}")));
    assert!(ask("session-1", "echo '{}' >> .agent/graph/traces.jsonl"));
    as_agent(&world, "session-1", &["memory", "forget", id]).ok();
}

#[test]
fn traces_travel_and_stay_foreign() {
    let (ann, bob) = (marked(), marked());
    let id = store(&ann, &[]);
    ann.stead(&["memory", "export", "ann.jsonl"]).ok();
    let text = ann.read("project/ann.jsonl");
    bob.write("project/ann.jsonl", format!("{text}{{torn\n"));
    let done = bob.stead(&["memory", "import", "ann.jsonl", "--json"]).json();
    assert_eq!((&done["added"], &done["skipped"], &done["from"]), (&json!(1), &json!(1), &json!("ann")));
    assert_eq!(bob.stead(&["memory", "import", "ann.jsonl", "--json"]).json()["added"], 0);
    assert_eq!(bob.stead(&["memory", "get", &id, "--json"]).json()["foreign"], "ann");
    assert!(bob.stead(&["memory", "confirm", &id]).stderr.contains("belongs to `ann`"));
    assert!(!bob.exists(TRACES));
}

#[test]
fn a_denial_becomes_a_trace_with_what_followed() {
    let world = marked();
    world.write(
        "project/.agent/guards/infra.yaml",
        "id: infra\nmode: enforce\non: [before-tool]\nmatch: {writes: ['infra/**']}\nthen: deny\nsay: \"ask first\"\n",
    );
    world.hook("claude SessionStart", payload(&world, "SessionStart", json!({"source": "startup"})));
    let edit = |path: &str| tool(&world, "Write", json!({"file_path": world.project().join(path), "content": "x"}));
    assert!(denies(&world.hook("claude PreToolUse", edit("infra/main.tf")).stdout));
    world.hook("claude PreToolUse", edit("src/main.rs"));
    world.hook("claude Stop", payload(&world, "Stop", json!({"stop_hook_active": false})));
    world.stead(&["status"]).ok();
    let trace = &traces(&world)[0];
    assert_eq!((&trace["type"], &trace["outcome"]), (&json!("violation"), &json!("complied")));
    assert_eq!(trace["context"]["guard"], "infra");
    assert_eq!(trace["anchors"][0]["path"], "infra/main.tf");
    assert!(trace["event"]["what_was_correct"].as_str().unwrap().starts_with("ask first"), "{trace}");
    assert_eq!(trace["effects"]["v"], 1);
    // The person takes back what the agent did, and interrupts it.
    world.hook("claude UserPromptSubmit", payload(&world, "UserPromptSubmit", json!({"prompt": "no, not in main.rs"})));
    world.hook("claude PreToolUse", shell(&world, "rm -rf src"));
    let failed = json!({"tool_name": "Bash", "tool_input": {"command": "rm -rf src"}, "tool_use_id": "call-1",
        "error": "interrupted", "is_interrupt": true});
    world.hook("claude PostToolUseFailure", payload(&world, "PostToolUseFailure", failed));
    world.stead(&["status"]).ok();
    let all = traces(&world);
    let suspected: Vec<&Value> = all.iter().filter(|trace| trace["status"] == "suspected").collect();
    assert_eq!(suspected.len(), 2, "{all:?}");
    assert_eq!(suspected[0]["event"]["what_was_correct"], "no, not in main.rs");
    assert_eq!(suspected[1]["event"]["why"], "the person interrupted the call");
    let id = suspected[0]["id"].as_str().unwrap();
    world.stead(&["memory", "confirm", id]).ok();
    assert_eq!(world.stead(&["memory", "get", id, "--json"]).json()["status"], "confirmed");
    let count = world.read(TRACES).lines().count();
    fs::remove_dir_all(world.project().join(".agent/cache")).unwrap();
    world.stead(&["status"]).ok();
    assert_eq!(world.read(TRACES).lines().count(), count, "a lost cursor captures nothing twice");
    world.stead(&["--config", "record.traces=false", "memory", "verify"]).ok();
}

/// Many processes store and capture at the same time, and some are killed.
#[test]
fn many_processes_lose_nothing_and_write_nothing_twice() {
    let world = marked();
    world.write(
        "project/.agent/guards/infra.yaml",
        "id: infra\nmode: shadow\non: [before-tool]\nmatch: {writes: ['infra/**']}\nthen: deny\nsay: \"ask first\"\n",
    );
    for number in 0..20 {
        let path = world.project().join(format!("infra/{number}.tf"));
        world.hook("claude PreToolUse", tool(&world, "Write", json!({"file_path": path, "content": "x"})));
    }
    let mut children: Vec<_> = (0..64)
        .map(|number| {
            let what = format!("table_{number} is written by the importer, never by hand");
            let args = ["memory", "store", "--type", "decision", "--what", what.as_str()];
            let mut command = world.command(env!("CARGO_BIN_EXE_stead"), &world.project());
            command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for child in children.iter_mut().skip(60) {
        let _ = child.kill();
    }
    let stored = children.iter_mut().map(|child| child.wait().unwrap()).filter(|status| status.success()).count();
    assert!(stored >= 60, "{stored}");
    world.stead(&["memory", "verify"]).ok();
    let all = traces(&world);
    let mut ids: Vec<&str> = all.iter().map(|trace| trace["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count, "an id twice");
    assert_eq!(all.iter().filter(|trace| trace["type"] == "violation").count(), 20);
    let decisions = all.iter().filter(|trace| trace["type"] == "decision").count();
    assert!((stored..=64).contains(&decisions), "{decisions} of {stored}");
}

#[test]
fn a_folder_in_the_way_is_told_and_loses_nothing() {
    let world = marked();
    world.write("project/.agent/graph", "not a folder");
    let run = world.stead(STORE);
    assert!(run.code == 1 && run.stderr.contains("error: "), "{run}");
    world.stead(&["status"]).ok();
    fs::remove_file(world.project().join(".agent/graph")).unwrap();
    store(&world, &[]);
}

/// The disk is full in the middle of a log: the failure is told, and what was stored is still whole.
#[test]
fn a_full_disk_leaves_the_old_traces() {
    let world = marked();
    let store = "\"$STEAD\" memory store --type decision --why \"it was agreed\" --what";
    let long = "of many words ".repeat(400);
    let script = format!(
        "mkdir -p .agent/graph && mount -t tmpfs -o size=64k none .agent/graph\n\
         {store} \"the first decision\" || exit 8\n\
         dd if=/dev/zero of=.agent/graph/fill bs=1k count=100 2>/dev/null || true\n\
         {store} \"a second one {long}\" && exit 9\n\
         rm .agent/graph/fill\n\
         {store} \"the third decision\" || exit 7\n\
         \"$STEAD\" memory verify || exit 6\n\
         \"$STEAD\" memory query decision --json"
    );
    let Some(run) = world.sh_with_own_mounts(&script, b"") else { return };
    assert_eq!(run.code, 0, "{run}");
    assert!(run.stderr.contains("hint: free some space"), "{run}");
    assert!(run.stdout.contains("the first decision") && run.stdout.contains("the third decision"), "{run}");
}
