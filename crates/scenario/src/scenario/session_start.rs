use anyhow::Result;
use stead_client::Facts;
use stead_model::EventKind;
use stead_testkit::fake_model::{Role, Script, Turn};

use super::{Scenario, powers};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::play::play;

/// What another session decided.
const NOTE: &str = "The garden door stays shut at night";

pub(super) const SCENARIO: Scenario =
    Scenario { number: 4, title: "the briefing at session start reaches the model", obstacle, play: check };

fn obstacle(facts: &Facts) -> Option<&'static str> {
    let takes = |kind| powers(facts, kind).context;
    let takes_any = takes(EventKind::SessionStart) || takes(EventKind::Prompt);
    (!takes_any).then_some("hooks cannot send text to the model, neither at session start nor with a prompt")
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
    let played = play(&ground, Script::new([Turn::say("Hello.")]))?;
    let first = played.log.turns("").first().map(|exchange| exchange.number);
    played.claim(first.is_some(), "the model was never asked")?;
    for text in told {
        let seen = played.log.seen(text);
        let reached =
            seen.iter().any(|one| Some(one.request) == first && !matches!(one.role, Role::Assistant | Role::Offer));
        played.claim(reached, &format!("the first request does not hold `{text}`; it was seen at {seen:?}"))?;
    }
    Ok(())
}
