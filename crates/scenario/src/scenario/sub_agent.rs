use std::time::Duration;

use anyhow::Result;
use stead_client::Facts;
use stead_model::EventKind;
use stead_testkit::fake_model::{Script, Turn};

use super::{Scenario, held_stop};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::loop_log::{LoopLog, wait_for};
use crate::play::play;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 7,
    title: "a sub-agent's stop does not count as the main agent's",
    obstacle: held_stop::obstacle,
    play: check,
};

const MARKER: &str = "SCREWDRIVER";
const TASK: &str = "Look for a SCREWDRIVER in the shed.";

/// What the log says of a sub-agent's stop.
const PASSED: &str = "a sub-agent stopped";

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    let tells = has_event(&client.harness.client().facts);
    let mut turns = vec![Turn::call(held_stop::start(5))];
    turns.extend((client.spawn)(TASK).into_iter().map(Turn::call));
    // The sub-agent may work in the background; its end is not to be missed.
    let ended = wait_for(&ground, PASSED, if tells { Duration::from_secs(60) } else { Duration::ZERO });
    turns.push(Turn::say("The shed was searched.").after(ended, Duration::ZERO));
    turns.push(Turn::say("Half of it is blue."));
    turns.push(Turn::say("All of it is blue.\n<promise>DONE</promise>"));
    let played = play(&ground, Script::new(turns).lane(MARKER, [Turn::say("There is none.")]))?;
    let log = LoopLog::read(&ground)?;
    let own: Vec<_> = played.log.turns(MARKER).iter().map(|exchange| exchange.number).collect();
    played.claim(!own.is_empty(), "the sub-agent did not ask the model")?;
    let told = played.log.seen("Stead loop `");
    played.claim(
        told.iter().all(|one| !own.contains(&one.request)),
        &format!("the sub-agent was held like its parent: {:?}", log.lines),
    )?;
    let held = log.count("held");
    // Where it still works, a stop is one to wait for it.
    let waited = log.reasons("let-go").iter().filter(|why| why.ends_with("still at work")).count();
    // One client goes on by itself when the sub-agent reports, and so asks about one stop less.
    played.claim(
        held >= 1 && held + waited <= 2,
        &format!("only the agent's own stops should be held or wait: {:?}", log.lines),
    )?;
    let status = if held_stop::asks_once(client) { "active" } else { "done" };
    let counted = log.state["status"] == status && log.state["iteration"] == held + 1;
    played.claim(counted, &format!("the loop should be {status} in round {}, but it is {}", held + 1, log.state))?;
    let passed = log.reasons("let-go").contains(&PASSED);
    played.claim(passed || !tells, &format!("no line of the log tells of the sub-agent: {:?}", log.lines))
}

fn has_event(facts: &Facts) -> bool {
    facts.events.iter().any(|fact| fact.kind == EventKind::SubagentStop)
}
