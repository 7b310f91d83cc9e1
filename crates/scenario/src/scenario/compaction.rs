use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;
use stead_client::Facts;
use stead_model::EventKind;
use stead_testkit::fake_model::{Call, Role, Script, Turn};

use super::{Scenario, powers, takes_text_late};
use crate::client::{Ask, Client};
use crate::ground::{Ground, Programs};
use crate::play::{Played, play, play_ask};
use crate::record::Records;

pub(super) const SCENARIO: Scenario =
    Scenario { number: 8, title: "before and after a compaction", obstacle, play: check };

const ROLE: &str = "builder";

/// The first words of what a role gets back.
const RECOVERY: &str = "Recovery of the role `builder`";

fn obstacle(facts: &Facts) -> Option<&'static str> {
    let has_event = facts.events.iter().any(|fact| fact.kind == EventKind::BeforeCompact);
    (!has_event).then_some("it has no event for a compaction")
}

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    automatic(client, programs).context("when the conversation is full")?;
    if powers(&client.harness.client().facts, EventKind::BeforeCompact).deny {
        manual(client, programs).context("when a person asks for it")?;
    }
    Ok(())
}

/// What a session does that has a role whose file lags behind.
fn work(ground: &Ground) -> Vec<Turn> {
    vec![
        Turn::call(Call::shell(format!("stead role use {ROLE}"))),
        Turn::call(Call::write(ground.path("door.txt"), "blue\n")),
        Turn::call(Call::shell("sleep 1")),
    ]
}

/// The client compacts on its own: it is never held, what Stead saw is kept, and the role is given back.
fn automatic(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    ground.stead(&["role", "new", ROLE])?;
    let mut turns = work(&ground);
    turns.push(Turn::call(Call::shell("true")).with_input_tokens(client.full));
    turns.push(Turn::say("It is blue."));
    let played = play(&ground, Script::new(turns))?;
    claim_events(&played, EventKind::BeforeCompact)?;
    // Without this, a compaction that the client began and gave up would look the same.
    if client.harness.client().facts.events.iter().any(|fact| fact.kind == EventKind::AfterCompact) {
        claim_events(&played, EventKind::AfterCompact)?;
    }
    let denials = Records::read(&ground.project()).denials();
    played.claim(denials.is_empty(), &format!("nothing should be held, but {denials:?}"))?;
    let packets: Value = serde_json::from_str(&ground.stead(&["packet", "list", "--json"])?)?;
    played.claim(
        packets.to_string().contains("Continue as builder after a compaction"),
        &format!("no snapshot was left: {packets}"),
    )?;
    let id = played.session_id()?.to_owned();
    if !is_recovered(&played) {
        // The client takes text only with what the person says next, or with the result of the next tool.
        let late = takes_text_late(&client.harness.client().facts);
        let turns = late.then(|| Turn::call(Call::shell("true"))).into_iter().chain([Turn::say("I go on.")]);
        let next = play_ask(&ground, Script::new(turns), Ask::again("Go on.", &id))?;
        // What went wrong shows in the session that was compacted.
        played.claim(is_recovered(&next), "the role was not given back after the compaction")?;
    }
    let state = fs::read_to_string(ground.project().join(".agent/context/indexes/roles/builder.json"))?;
    let state: Value = serde_json::from_str(&state)?;
    played.claim(state["state"] == "active", &format!("the role should be active again, but it is {state}"))
}

/// A person compacts: held once while the role file is not saved, then not any more.
fn manual(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    ground.stead(&["role", "new", ROLE])?;
    let mut turns = work(&ground);
    turns.push(Turn::say("It is blue."));
    let first = play(&ground, Script::new(turns))?;
    let id = first.session_id()?.to_owned();
    let compact = || play_ask(&ground, Script::default(), Ask::again("/compact", &id));
    let held = compact().context("at the first attempt")?;
    let denials = Records::read(&ground.project()).denials();
    held.claim(
        denials.len() == 1 && denials[0].contains("stead role lifecycle save builder"),
        &format!("it should be held once with the command that saves, not {denials:?}"),
    )?;
    held.claim(claim_events(&held, EventKind::AfterCompact).is_err(), "it was compacted though it was held")?;
    let passed = compact().context("at the second attempt")?;
    claim_events(&passed, EventKind::AfterCompact)?;
    let next = play_ask(&ground, Script::new([Turn::say("I go on.")]), Ask::again("Go on.", &id))?;
    next.claim(is_recovered(&next), "the role was not given back after the compaction")
}

/// Fails unless the client raised an event of this kind.
fn claim_events(played: &Played, kind: EventKind) -> Result<()> {
    played.claim(played.calls.iter().any(|call| call.is(kind)), &format!("the client raised no `{kind}`"))
}

fn is_recovered(played: &Played) -> bool {
    let turns: Vec<_> = played.log.turns("").iter().map(|exchange| exchange.number).collect();
    let seen = played.log.seen(RECOVERY);
    seen.iter().any(|one| turns.contains(&one.request) && !matches!(one.role, Role::Assistant | Role::Offer))
}
