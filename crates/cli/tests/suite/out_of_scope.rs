//! Changes outside the scope of an intent that are found only after the call: recorded, and told once.

use serde_json::{Value, json};
use stead_testkit::World;

use crate::client::{By, CLIENTS, Client, context};
use crate::intent::{FILE, INTENTS, project, select};
use crate::trace::{Call, ledger, note, stop, tick};
use crate::world::{accept_all, lines, payload};

const OUTSIDE: &str = "docs/out of.md";

/// A project in git whose agent has selected INT-001, which owns `src/**`.
fn begun(client: &Client) -> World {
    let world = project();
    world.git(&["init", "-q"]).ok();
    select(client, &world, By::Main, "INT-001");
    tick();
    world
}

/// A call of a test runner, which may write anything, and did.
fn tested(client: &Client, world: &World, files: &[&str]) {
    let call = client.shell("cargo test");
    let run = client.before(world, By::Main, &call);
    assert_eq!(crate::client::denial(&run), None, "{run}");
    files.iter().for_each(|file| drop(world.write(format!("project/{file}"), "x\n")));
    let told = context(&client.after(world, By::Main, &call));
    assert!(!told.contains("outside the scope"), "{told}");
    tick();
}

fn out_of_scope(world: &World) -> Vec<Value> {
    ledger(world).iter().map(|line| note(line)["out_of_scope"].clone()).collect()
}

#[test]
fn what_a_test_run_changed_outside_is_told_with_the_next_prompt_once() {
    for client in CLIENTS {
        let world = begun(client);
        tested(client, &world, &["src/in.rs", OUTSIDE]);
        let run = client.stop(&world);
        assert!(!run.stdout.contains("out of.md"), "{}: {run}", client.name);
        assert_eq!(out_of_scope(&world), [json!([OUTSIDE])], "{}", client.name);
        // The model of the call, not of the stop.
        let who = &ledger(&world)[0]["files"][0]["conversations"][0]["contributor"];
        assert_eq!(who.get("model_id").is_some(), client.name == "codex", "{}: {who}", client.name);
        let takes = stead_client::Harness::ALL.into_iter().any(|harness| {
            let mut facts = harness.client().facts.events.iter();
            harness.name() == client.name
                && facts.any(|fact| fact.kind == stead_model::EventKind::Prompt && fact.powers.context)
        });
        let told = if takes {
            context(&client.prompt(&world))
        } else {
            context(&client.after(&world, By::Main, &client.shell("cargo build")))
        };
        assert!(
            told.contains("changed files outside the scope of INT-001: docs/out of.md."),
            "{}: {told}",
            client.name
        );
        assert!(told.contains("stead intent request \"why\" --intent INT-001 --scope 'docs/out of.md'"), "{told}");
        let again = context(&client.prompt(&world));
        assert!(!again.contains("outside the scope"), "{}: {again}", client.name);
    }
}

#[test]
fn the_verdict_can_be_explained_and_the_change_shown() {
    let world = begun(&CLIENTS[0]);
    tested(&CLIENTS[0], &world, &[OUTSIDE]);
    CLIENTS[0].stop(&world);
    let told = context(&CLIENTS[0].prompt(&world));
    let id = told.rsplit_once('[').unwrap().1.split(']').next().unwrap();
    let explained = world.stead(&["explain", id]).ok();
    assert!(explained.contains("docs/out of.md"), "{explained}");
    let shown = ledger(&world).remove(0);
    let shown = world.stead(&["trace", "show", shown["id"].as_str().unwrap()]).ok();
    assert!(shown.contains("out of scope: docs/out of.md"), "{shown}");
}

#[test]
fn a_held_agent_is_told_after_its_next_call_but_not_after_a_plain_one() {
    let client = &CLIENTS[0];
    let world = begun(client);
    tested(client, &world, &[OUTSIDE]);
    client.stop(&world);
    for plain in [client.shell("git status"), client.read("src/a.rs")] {
        assert!(!context(&client.after(&world, By::Main, &plain)).contains("scope"));
    }
    assert!(context(&client.after(&world, By::Main, &client.shell("cargo build"))).contains("docs/out of.md"));
    assert!(lines(&world, "sessions.jsonl").pop().unwrap()["told"][0].as_str().unwrap().starts_with("v-"));
}

#[test]
fn free_paths_and_other_modes_are_not_judged() {
    let check = |prepare: &dyn Fn(&World), expected: &[Value]| {
        let world = begun(&CLIENTS[0]);
        prepare(&world);
        accept_all(&world);
        tested(&CLIENTS[0], &world, &["docs/new.md"]);
        CLIENTS[0].stop(&world);
        assert_eq!(out_of_scope(&world), expected);
        let told = context(&CLIENTS[0].prompt(&world)).contains("docs/new.md");
        assert_eq!(told, expected[0] != json!(null));
    };
    check(&|_| {}, &[json!(["docs/new.md"])]);
    check(
        &|world| drop(world.write("project/.agent/config.toml", "[intents]\nmode = \"warn\"\n")),
        &[json!(["docs/new.md"])],
    );
    check(&|world| drop(world.write("project/.agent/config.toml", "[intents]\nmode = \"off\"\n")), &[json!(null)]);
    check(&|world| drop(world.write("project/.agent/intents/.intentignore", "docs/**\n")), &[json!(null)]);
    // A scope that was widened since owns it now.
    check(&|world| drop(world.write(FILE, INTENTS.replace("src/**", "**"))), &[json!(null)]);
}

#[test]
fn what_the_gate_warned_of_is_recorded_and_not_told_again() {
    let client = &CLIENTS[0];
    let world = begun(client);
    world.write("project/.agent/config.toml", "[intents]\nmode = \"warn\"\n");
    accept_all(&world);
    let call = client.write("docs/new.md", "x\n");
    assert!(context(&client.before(&world, By::Main, &call)).contains("Scope Violation"));
    world.write("project/docs/new.md", "x\n");
    client.after(&world, By::Main, &call);
    assert_eq!(out_of_scope(&world), [json!(["docs/new.md"])]);
    assert!(!context(&client.prompt(&world)).contains("docs/new.md"));
}

#[test]
fn of_two_calls_at_once_a_file_outside_both_scopes_is_out_of_scope() {
    let world = begun(&CLIENTS[0]);
    world.write("project/.agent/context/indexes/sessions/session-1.intent", "-\tINT-001\t2026-11-15T20:00:00Z\t-\n");
    let one = Call::begin(&world, "c1", "Bash", json!({"command": "cargo test"}));
    let two = Call::begin(&world, "c2", "Bash", json!({"command": "cargo build"}));
    tick();
    world.write("project/docs/new.md", "x\n");
    world.write("project/src/new.rs", "x\n");
    tick();
    one.end(json!({"stdout": ""}));
    two.end(json!({"stdout": ""}));
    stop(&world);
    assert_eq!(out_of_scope(&world), [json!(["docs/new.md"])]);
    let prompt = payload(&world, "UserPromptSubmit", json!({"prompt": "go on"}));
    assert!(world.hook("claude UserPromptSubmit", prompt).stdout.contains("docs/new.md"));
}
