//! Who is calling: the client's word, the recorded spawn, or the agent's own.

use serde_json::json;
use stead_testkit::World;

use crate::client::{By, CLIENTS, Client, denial};
use crate::world::{by_person, marked, payload};

fn guarded() -> World {
    let world = marked();
    let guard = "id: g\nmode: enforce\non: [before-tool]\nmatch: {writes: ['src/**']}\nunless: {agent: [coder]}\nthen: deny\nsay: \"no\"\n";
    world.write("project/.agent/guards/g.yaml", guard);
    world
}

fn client(name: &str) -> &'static Client {
    CLIENTS.iter().find(|client| client.name == name).unwrap()
}

fn may_write(client: &Client, world: &World, by: By) -> bool {
    denial(&client.before(world, by, &client.shell("touch src/a"))).is_none()
}

/// Has the agent run a command of Stead.
fn say(world: &World, client: &Client, words: &[&str]) -> String {
    client.before(world, By::Main, &client.shell(&format!("stead {}", words.join(" "))));
    world.stead(words).ok()
}

#[test]
fn a_role_that_an_agent_begins_exempts_it_from_nothing() {
    for client in CLIENTS {
        for words in [["agent", "begin", "coder"], ["role", "use", "coder"]] {
            let world = guarded();
            world.write("project/.agent/roles/coder.context.md", "# coder\n");
            assert!(!may_write(client, &world, By::Main), "{}", client.name);
            client.before(&world, By::Main, &client.shell(&format!("stead {}", words.join(" "))));
            world.stead(&words);
            assert!(!may_write(client, &world, By::Main), "{}: {words:?} widens", client.name);
        }
    }
}

#[test]
fn a_role_that_an_agent_begins_binds_it() {
    let (world, gemini) = (marked(), client("gemini"));
    let guard = "id: g\nmode: enforce\non: [before-tool]\nmatch: {writes: ['src/**'], agent: [tester]}\nthen: deny\nsay: \"no\"\n";
    world.write("project/.agent/guards/g.yaml", guard);
    assert!(may_write(gemini, &world, By::Main));
    assert!(say(&world, gemini, &["agent", "begin", "tester"]).contains("now has the role `tester`"));
    assert!(!may_write(gemini, &world, By::Main));
    assert!(world.stead(&["agent", "show"]).ok().contains("tester"));
    say(&world, gemini, &["agent", "end"]);
    assert!(may_write(gemini, &world, By::Main));
    let run = world.stead(&["agent", "begin", "writer"]);
    assert!(run.code == 1 && run.stderr.contains("no session ran this command"), "{run}");
}

/// Only the tester may say that a feature is tested.
#[test]
fn a_role_counts_if_the_orchestrator_assigns_it() {
    let (world, gemini) = (marked(), client("gemini"));
    let guard = "id: g\nmode: enforce\non: [before-tool]\nmatch: {writes: ['src/**']}\nunless: {agent: [coding-agent]}\nthen: deny\nsay: \"no\"\n";
    world.write("project/.agent/guards/g.yaml", guard);
    let features = r#"{"features": [{"id": "login", "title": "log in", "files": ["src/**"], "verifiers": ["true"]}]}"#;
    world.write("project/.agent/features/feature-list.json", features);
    say(&world, gemini, &["agent", "begin", "coding-agent"]);
    assert!(!may_write(gemini, &world, By::Main), "nobody assigned it");
    world.stead(&["config", "set", "orchestrate.in_session", "true"]).ok();
    assert!(may_write(gemini, &world, By::Main), "the next command is for the coding agent");
    say(&world, gemini, &["agent", "begin", "tester-agent"]);
    assert!(!may_write(gemini, &world, By::Main), "the next command is not for the tester");
}

#[test]
fn a_client_that_names_its_agents_knows_better() {
    let (world, claude) = (guarded(), client("claude"));
    let words = ["agent", "begin", "coder"];
    claude.before(&world, By::Main, &claude.shell(&format!("stead {}", words.join(" "))));
    let run = world.stead(&words);
    assert!(run.code == 0 && run.stderr.contains("guards still see the main agent"), "{run}");
    assert!(!may_write(claude, &world, By::Main));
    assert!(may_write(claude, &world, By::Sub("coder")));
}

#[test]
fn a_flag_is_put_on_a_session_by_a_person() {
    let world = marked();
    let guard = "id: g\nmode: enforce\non: [before-tool]\nmatch: {writes: ['src/**']}\nunless: {session: {has: plan-approved}}\nthen: deny\nsay: \"no\"\n";
    world.write("project/.agent/guards/g.yaml", guard);
    let claude = client("claude");
    world.hook(
        "claude SessionStart",
        payload(
            &world,
            "SessionStart",
            json!({"source": "startup", "session_id": "0f0e0d0c-0000-4000-8000-00000000abcd"}),
        ),
    );
    assert!(!may_write(claude, &world, By::Main));
    by_person(&world, &["agent", "flag", "plan-approved"]).ok();
    assert!(may_write(claude, &world, By::Main));
    by_person(&world, &["agent", "flag", "plan-approved", "--remove"]).ok();
    assert!(!may_write(claude, &world, By::Main));
}

#[test]
fn a_flag_is_put_on_a_session_that_never_said_it_began() {
    let world = marked();
    world.hook("claude PreToolUse", crate::world::shell(&world, "ls"));
    by_person(&world, &["agent", "flag", "plan-approved", "--session", "session-1"]).ok();
    assert!(world.stead(&["agent", "show", "--session", "session-1"]).ok().contains("flag   plan-approved"));
    let run = by_person(&world, &["agent", "flag", "plan-approved", "--session", "session-2"]);
    assert!(run.code == 1 && run.stdout.contains("there is no session `session-2`"), "{run}");
}

/// A compaction of Claude Code ends with the stop of its own summariser, which nobody sent out.
#[test]
fn the_summariser_is_nobodys_agent() {
    let world = marked();
    let guard =
        "id: g\nmode: enforce\non: [subagent-stop]\nmatch: {agent: [sub, '*']}\nthen: continue\nsay: \"go on\"\n";
    world.write("project/.agent/guards/g.yaml", guard);
    let stop = |kind: &str| {
        let own =
            json!({"agent_id": "a1", "agent_type": kind, "stop_hook_active": false, "last_assistant_message": "x"});
        world.hook("claude SubagentStop", payload(&world, "SubagentStop", own)).stdout
    };
    assert!(stop("coder").contains("go on"), "{}", stop("coder"));
    assert_eq!(stop(""), "");
}
