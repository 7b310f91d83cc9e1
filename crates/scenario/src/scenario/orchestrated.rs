use anyhow::Result;
use stead_testkit::fake_model::{Call, Script, Turn};

use super::Scenario;
use super::held_stop::{asks_once, obstacle};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::play::play;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 22,
    title: "the orchestrator sends the main agent back with what is next",
    obstacle,
    play: check,
};

const LIST: &str = ".agent/features/feature-list.json";
const FEATURES: &str =
    r#"{"features": [{"id": "door", "title": "Paint the door", "files": ["door.txt"], "verifiers": ["sh check.sh"]}]}"#;

/// More than the reminders for one command.
const ROUNDS: usize = 5;

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    ground.write_project(LIST, FEATURES)?;
    ground.write_project("door.txt", "blue\n")?;
    let config = ground.read_project(".agent/config.toml").unwrap_or_default();
    ground.write_project(".agent/config.toml", &format!("{config}\n[orchestrate]\nin_session = true\n"))?;
    let idle = (1..=ROUNDS).map(|round| Turn::say(format!("Round {round}: I have nothing to do.")));
    let played = play(
        &ground,
        Script::new(
            [
                Turn::say("I think that I am done."),
                Turn::call(Call::shell("stead feature claim door")),
                Turn::call(Call::shell("stead feature report door --implemented")),
            ]
            .into_iter()
            .chain(idle),
        ),
    )?;
    // The first request has the briefing; what comes later is the answer to a stop.
    let told = |text: &str| played.log.seen(text).iter().any(|one| one.request > 1);
    let says = |task: &str| format!("next is {task} for feature `door` (Paint the door)");
    played.claim(told(&says("implement_feature")), "the agent was not told to implement the feature")?;
    let list = ground.read_project(LIST).unwrap_or_default();
    played.claim(list.contains("implemented"), &format!("the feature should be implemented: {list}"))?;
    played.claim(!list.contains("\"tested\": true"), &format!("nobody tested the feature: {list}"))?;
    if asks_once(client) {
        return Ok(());
    }
    played.claim(told(&says("validate_feature")), "the agent was not told to let the feature be tested")?;
    let turns = played.log.turns("").len();
    played.claim(turns < ROUNDS + 3, &format!("the agent should be let go in the end, but took {turns} turns"))
}
