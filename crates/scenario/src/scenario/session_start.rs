use anyhow::Result;
use stead_harness::Facts;
use stead_model::EventKind;
use stead_testkit::fake_model::{Role, Script, Turn};

use super::{Scenario, Stage, powers};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::play::play;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 4,
    title: "what Stead says at a session's start reaches the model",
    stage: Stage::Built { obstacle, play: check },
};

fn obstacle(facts: &Facts) -> Option<&'static str> {
    (!powers(facts, EventKind::SessionStart).context).then_some("it takes no text for the model when a session starts")
}

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    // A real cause to speak up: settings that cannot be read.
    ground.write_project(".agent/config.toml", "[gate\n")?;
    let played = play(&ground, Script::new([Turn::say("Hello.")]))?;
    let seen = played.log.seen("Stead in this project is not whole");
    let first = played.log.turns("").first().map(|exchange| exchange.number);
    played.claim(first.is_some(), "the model was never asked")?;
    played.claim(
        seen.iter().any(|one| Some(one.request) == first && !matches!(one.role, Role::Assistant | Role::Offer)),
        &format!("the first request does not hold what Stead said; it was seen at {seen:?}"),
    )
}
