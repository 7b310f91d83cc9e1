//! A client that an editor drives and that calls no hook around its tools.

use serde_json::{Value, json};
use stead_testkit::World;

use crate::client::said;
use crate::world::{bare, marked, payload};

const SAID: &str =
    "Stead cannot guard this session: started with `--acp`, Gemini CLI calls no hook before or after a tool.";

/// What the person and the model are told at an event of a session.
fn told(world: &World, client: &str, event: &str, session: &str, own: Value) -> (String, String) {
    let mut own = own;
    own["session_id"] = json!(session);
    let run = world.hook(&format!("{client} {event}"), payload(world, event, own));
    if run.stdout.trim().is_empty() {
        return Default::default();
    }
    let said = said(&run);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&said["systemMessage"]), text(&said["hookSpecificOutput"]["additionalContext"]))
}

fn prompt(world: &World, session: &str) -> (String, String) {
    told(world, "gemini", "BeforeAgent", session, json!({"prompt": "Paint the door."}))
}

#[test]
fn the_first_prompt_from_an_editor_says_that_nothing_is_guarded() {
    let mut world = marked();
    world.set("STEAD_TEST_ANCESTORS", "sh -c x\nnode /opt/gemini.js -m pro --acp\nzed");
    let (line, context) = prompt(&world, "s-1");
    assert!(line.starts_with(SAID), "{line}");
    assert!(context.contains("Tell the person before anything else") && context.contains(SAID), "{context}");
    assert_eq!(prompt(&world, "s-1"), Default::default(), "once per session");
    // The client begins a session of its own with each start.
    assert!(prompt(&world, "s-2").0.starts_with(SAID));
    // An older name of the argument, named as it was given.
    world.set("STEAD_TEST_ANCESTORS", "sh -c x\n/usr/bin/gemini --experimental-acp\ncode");
    assert!(prompt(&world, "s-3").0.contains("`--experimental-acp`"));
}

#[test]
fn an_ordinary_session_is_told_nothing_of_editors() {
    let mut world = marked();
    for (at, above) in
        ["sh -c x\ngemini", "gemini -p what-is---acp", "gemini -p x\nbash -c x\ngemini --acp\nzed", "zed --acp"]
            .into_iter()
            .enumerate()
    {
        world.set("STEAD_TEST_ANCESTORS", above);
        assert_eq!(prompt(&world, &format!("s-{at}")), Default::default(), "{above}");
    }
    // A session whose start was heard has all hooks, whatever its command line looks like.
    world.set("STEAD_TEST_ANCESTORS", "sh -c x\ngemini --acp");
    told(&world, "gemini", "SessionStart", "s-9", json!({"source": "startup"}));
    assert_eq!(prompt(&world, "s-9"), Default::default());
    // One that ended, and goes on in an editor.
    told(&world, "gemini", "SessionEnd", "s-9", json!({"reason": "exit"}));
    assert!(prompt(&world, "s-9").0.starts_with(SAID));
    assert_eq!(prompt(&world, "s-9"), Default::default());
    // A client whose hooks run there.
    world.set("STEAD_TEST_ANCESTORS", "sh -c x\nqwen --acp");
    let own = json!({"prompt": "Paint the door."});
    assert_eq!(told(&world, "qwen", "UserPromptSubmit", "s-10", own), Default::default());
}

#[test]
fn doctor_says_what_does_not_work_in_an_editor() {
    let world = bare().with_stead_on_path();
    world.stead(&["init", "--harness", "gemini,qwen"]).ok();
    let text = world.stead(&["doctor"]).stdout;
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("  editors")).collect();
    assert_eq!(lines.len(), 1, "{text}");
    assert!(lines[0].contains("started by an editor (`gemini --acp`), it calls no hook"), "{text}");
    let json = world.stead(&["doctor", "--json"]).json();
    for client in json["capabilities"].as_array().unwrap() {
        assert_eq!(client["lost_in_editors"].is_string(), client["harness"] == "gemini", "{client}");
    }
}
