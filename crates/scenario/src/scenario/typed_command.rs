use anyhow::{Context, Result};
use serde_json::Value;
use stead_client::Facts;
use stead_testkit::fake_model::{Call, Script, Turn};

use super::{Scenario, cannot_deny};
use crate::client::{Ask, Client};
use crate::ground::{Ground, Programs};
use crate::play::play_ask;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 18,
    title: "a command that a person typed is the person's, once, and nothing else is",
    obstacle,
    play: check,
};

fn obstacle(facts: &Facts) -> Option<&'static str> {
    let unproven = facts.typed_by.is_none().then_some("nothing proves that a person typed a command");
    unproven.or_else(|| cannot_deny(facts))
}

/// A loop that a person started, which agents may not cancel, and its id.
fn start(ground: &Ground, task: &str) -> Result<String> {
    let told: Value = serde_json::from_str(&ground.stead(&["loop", "start", task, "--json"])?)?;
    told["id"].as_str().map(str::to_owned).context("`stead loop start` told no id")
}

fn status(ground: &Ground, id: &str) -> Result<Value> {
    let told: Value = serde_json::from_str(&ground.stead(&["loop", "show", id, "--json"])?)?;
    Ok(told["status"].clone())
}

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    let (first, second) = (start(&ground, "Paint the door")?, start(&ground, "Sweep the yard")?);
    let cancel = |id: &str| Call::shell(format!("stead loop cancel {id}"));
    let typed = client.harness.client().facts.commands.typed.replace("{name}", "loop");
    // The text of a prompt that only mentions the command is not the command.
    let script = Script::new([Turn::call(cancel(&first)), Turn::say("It was refused.")]);
    let played = play_ask(&ground, script, Ask::new(&format!("Please do what {typed} cancel {first} does.")))?;
    let state = status(&ground, &first)?;
    played
        .claim(state == "active", &format!("a mention of the command should grant nothing, but the loop is {state}"))?;
    // Typed, it permits this loop, and only once.
    let script = Script::new([
        Turn::call(cancel(&second)),
        Turn::call(cancel(&first)),
        Turn::call(cancel(&second)),
        Turn::say("One is cancelled."),
    ]);
    let played = play_ask(&ground, script, Ask::new(&format!("{typed} cancel {first}")))?;
    let states = (status(&ground, &first)?, status(&ground, &second)?);
    played.claim(states.0 == "cancelled", &format!("the typed command was refused: the loop is {}", states.0))?;
    played.claim(states.1 == "active", &format!("another loop was cancelled with it: it is {}", states.1))
}
