use anyhow::Result;
use stead_client::Facts;
use stead_model::EventKind;
use stead_testkit::fake_model::{Call, Role, Script, Turn};

use super::{Scenario, powers, takes_text_late};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::play::play;

/// What another session decided.
const NOTE: &str = "The garden door stays shut at night";

pub(super) const SCENARIO: Scenario =
    Scenario { number: 4, title: "the briefing at session start reaches the model", obstacle, play: check };

fn obstacle(facts: &Facts) -> Option<&'static str> {
    let takes = |kind| powers(facts, kind).context;
    let takes_any = takes(EventKind::SessionStart) || takes(EventKind::Prompt) || takes(EventKind::AfterTool);
    (!takes_any).then_some("hooks cannot send text to the model")
}

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    // Two real causes to speak up: something to know from before, and settings that cannot be read.
    ground.stead(&["note", "decision", NOTE])?;
    let mut told = vec![NOTE];
    if powers(&client.harness.client().facts, EventKind::SessionStart).context {
        ground.write_project(".agent/config.toml", "[gate\n")?;
        told.push("Stead cannot read part of this project");
    }
    let late = takes_text_late(&client.harness.client().facts);
    let turns = late.then(|| Turn::call(Call::shell("true"))).into_iter().chain([Turn::say("Hello.")]);
    let played = play(&ground, Script::new(turns))?;
    let first = played.log.turns("").get(usize::from(late)).map(|exchange| exchange.number);
    played.claim(first.is_some(), "the model was never asked")?;
    for text in told {
        let seen = played.log.seen(text);
        let reached =
            seen.iter().any(|one| Some(one.request) == first && !matches!(one.role, Role::Assistant | Role::Offer));
        played.claim(
            reached,
            &format!("the first request that can hold it does not hold `{text}`; it was seen at {seen:?}"),
        )?;
    }
    Ok(())
}
