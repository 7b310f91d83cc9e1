use std::fs;
use std::time::Duration;

use anyhow::Result;
use stead_model::EventKind;
use stead_testkit::fake_model::{Call, Script, Turn};

use super::{Scenario, cannot_deny_or_record};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::play::play;
use crate::record::Records;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 20,
    title: "a file that somebody else changed is not overwritten until it was read again",
    obstacle: cannot_deny_or_record,
    play: check,
};

const FILE: &str = "src/door.txt";

/// What the agent wants to write, and what no report about a read holds.
const WANTED: &str = "the door is blue";

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    ground.write_intents(&[("INT-001", "src/**")])?;
    ground.write_project(FILE, "the door is red\n")?;
    let path = ground.path(FILE);
    // Some clients do not wait for a hook after a tool, so the read may not be recorded yet when the next turn begins.
    let read = |count| {
        let path = path.clone();
        ground.wait_for_calls(count, move |call| {
            call.is(EventKind::AfterTool) && call.stdin.contains(&path) && !call.stdin.contains(WANTED)
        })
    };
    let (first, second, file) = (read(1), read(2), ground.project().join(FILE));
    let person_writes = move || {
        first();
        // A failure shows in what the file holds at the end.
        let _ = fs::write(&file, "the door is green, says a person\n");
    };
    let edit = |old| Turn::call(Call::edit(&path, old, WANTED));
    let played = play(
        &ground,
        Script::new([
            Turn::call(Call::shell("stead intent select INT-001")),
            Turn::call(Call::read(&path)),
            edit("the door is red").after(person_writes, Duration::ZERO),
            Turn::call(Call::shell(format!("echo {WANTED} > {FILE}"))),
            Turn::call(Call::read(&path)),
            edit("the door is green, says a person").after(second, Duration::ZERO),
            Turn::say("It is blue."),
        ]),
    )?;
    let denials = Records::read(&ground.project()).denials();
    let expected = if client.checks_reads { 1 } else { 2 };
    played.claim(
        denials.len() == expected && denials.iter().all(|why| why.starts_with(&format!("Stale File: {FILE} changed"))),
        &format!("{expected} changes should be denied because the file is stale, not {denials:?}"),
    )?;
    played.claim_denied(&ground, &denials[0])?;
    let text = ground.read_project(FILE);
    played.claim(
        text.as_deref().map(str::trim_end) == Some(WANTED),
        &format!("after it was read again, the edit should happen, but the file holds {text:?}"),
    )
}
