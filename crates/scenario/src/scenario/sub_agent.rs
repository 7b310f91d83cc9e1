use anyhow::Result;
use stead_harness::Facts;
use stead_model::EventKind;
use stead_testkit::fake_model::{Call, Script, Turn};

use super::{Scenario, Stage, held_stop};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::loop_log::LoopLog;
use crate::play::play;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 7,
    title: "a sub-agent's stop is not the main agent's",
    stage: Stage::Built { obstacle: held_stop::obstacle, play: check },
};

const TASK: &str = "Look for a SCREWDRIVER in the shed.";

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    let script = Script::new([
        Turn::call(held_stop::start(5)),
        Turn::call(Call::spawn(client.sub_agent, TASK)),
        // Where the sub-agent works in the background, this stop is one to wait for it.
        Turn::say("The shed is being searched."),
        Turn::say("Half of it is blue."),
        Turn::say("All of it is blue.\n<promise>DONE</promise>"),
    ])
    .lane("SCREWDRIVER", [Turn::say("There is none.")]);
    let played = play(&ground, script)?;
    let log = LoopLog::read(&ground)?;
    let turns = played.log.turns("SCREWDRIVER").len();
    played.claim(turns == 1, &format!("the sub-agent should take 1 turn, not {turns}; {:?}", log.lines))?;
    let held = log.count("held");
    let waited = log.reasons("let-go").iter().filter(|why| why.ends_with("still at work")).count();
    played.claim(
        held >= 1 && held + waited == 2,
        &format!("only the agent's own two stops should be held or wait: {:?}", log.lines),
    )?;
    let done = log.state["status"] == "done" && log.state["iteration"] == held + 1;
    played.claim(done, &format!("the loop should be done in round {}, but it is {}", held + 1, log.state))?;
    if has_event(&client.harness.doorway().facts) {
        let told = log.reasons("let-go");
        let passed = told.contains(&"a sub-agent stopped");
        played.claim(passed, &format!("no line of the log tells of the sub-agent: {:?}", log.lines))?;
    }
    Ok(())
}

fn has_event(facts: &Facts) -> bool {
    facts.events.iter().any(|fact| fact.kind == EventKind::SubagentStop)
}
