//! The orchestrator in a session: what the main agent is told, which stops are blocked, and how that ends.

use serde_json::json;
use stead_testkit::World;

use crate::client::{context, hold};
use crate::world::{accept_all, by_person, marked, payload};

const LIST: &str = "project/.agent/features/feature-list.json";

fn world() -> World {
    let world = marked();
    world.write("project/src/login.rs", "one");
    world.write("project/check.sh", "echo \"== 2 passed in 0.1s ==\"\n");
    let features = json!([
        {"id": "login", "title": "Sign in", "files": ["src/login.rs"], "verifiers": ["sh check.sh"]},
        {"id": "search", "title": "Search", "depends_on": ["login"]},
    ]);
    world.write(LIST, json!({"features": features}).to_string());
    world
}

fn on(world: &World) {
    by_person(world, &["config", "set", "orchestrate.in_session", "true"]).ok();
    start(world);
}

fn start(world: &World) -> String {
    let own = json!({"session_id": "s1", "source": "startup"});
    context(&world.hook("claude SessionStart", payload(world, "SessionStart", own)))
}

/// The reason why a stop is blocked; empty if it is not.
fn stop(world: &World, again: bool) -> String {
    let own = json!({"session_id": "s1", "stop_hook_active": again, "last_assistant_message": "done"});
    let run = world.hook("claude Stop", payload(world, "Stop", own));
    assert_eq!(run.code, 0, "{run}");
    hold(&run).unwrap_or_default()
}

#[test]
fn a_stop_is_blocked_only_if_a_person_turned_it_on() {
    let world = world();
    assert!(!start(&world).contains("orchestrate"));
    assert_eq!(stop(&world, false), "");
    on(&world);
    let told = start(&world);
    assert!(told.contains("You orchestrate") && told.contains("\"feature_id\": \"login\""), "{told}");
    let reason = stop(&world, false);
    assert!(reason.starts_with("Stead: next is implement_feature for feature `login` (Sign in).\n"), "{reason}");
    assert!(reason.contains("`stead agent begin coding-agent`"), "there is no definition: {reason}");
    world.write("project/.claude/agents/coding-agent.md", "---\nname: coding-agent\n---\n");
    assert!(stop(&world, true).contains("Start the sub-agent `coding-agent`"));
    by_person(&world, &["config", "set", "orchestrate.in_session", "false"]).ok();
    assert_eq!(stop(&world, true), "");
}

#[test]
fn the_right_next_action_is_told_until_nothing_is_ready() {
    let world = world();
    on(&world);
    assert!(stop(&world, false).contains("implement_feature"));
    world.stead(&["feature", "claim", "login", "--owner", "session s1, agent a1"]).ok();
    assert!(stop(&world, false).contains("claimed feature `login` and did not report it"), "its own claim is open");
    world.stead(&["feature", "report", "login", "--implemented"]).ok();
    assert!(stop(&world, false).contains("validate_feature"));
    world.write("project/check.sh", "echo \"== 1 failed, 1 passed in 0.1s ==\"\nexit 1\n");
    world.stead(&["feature", "report", "login", "--failed", "--summary", "the token expires"]);
    let reason = stop(&world, false);
    assert!(reason.contains("fix_feature") && reason.contains("the token expires"), "{reason}");
    world.stead(&["feature", "report", "login", "--implemented"]).ok();
    world.write("project/check.sh", "echo \"== 2 passed in 0.1s ==\"\n");
    world.stead(&["feature", "report", "login", "--passed"]).ok();
    assert!(stop(&world, false).contains("`search` (Search)"));
    by_person(&world, &["feature", "skip", "search"]).ok();
    assert_eq!(stop(&world, false), "", "nothing is left");
}

#[test]
fn an_agent_that_does_nothing_is_let_go() {
    let world = world();
    on(&world);
    for _ in 0..3 {
        assert!(!stop(&world, true).is_empty());
    }
    assert_eq!(stop(&world, true), "", "reminded often enough");
    assert_eq!(stop(&world, false), "", "the next turn, too");
    world.stead(&["feature", "claim", "login", "--owner", "x"]).ok();
    world.stead(&["feature", "report", "login", "--implemented"]).ok();
    assert!(!stop(&world, false).is_empty(), "something happened, and something else is next");
}

#[test]
fn a_list_that_cannot_be_read_blocks_no_stop() {
    let world = world();
    on(&world);
    world.write(LIST, "{\"features\": [}");
    accept_all(&world);
    assert_eq!(stop(&world, false), "");
    assert!(start(&world).contains("The features cannot be read"));
}

#[test]
fn a_result_without_its_fields_is_sent_back_once() {
    let world = world();
    on(&world);
    let back = |id: &str, text: &str| {
        let own = json!({"session_id": "s1", "agent_id": id, "agent_type": "tester-agent", "stop_hook_active": false,
            "last_assistant_message": text});
        world.hook("claude SubagentStop", payload(&world, "SubagentStop", own)).stdout
    };
    let fine = "Test results: 2 passed\nEvidence: .agent/evidence/x\nResult: PASSED\n";
    assert_eq!(back("a1", fine), "");
    let sent = back("a2", "All good.");
    assert!(sent.contains("Your result lacks"), "{sent}");
    assert_eq!(back("a2", "All good."), "", "only once");
}
