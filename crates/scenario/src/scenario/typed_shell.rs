use anyhow::Result;
use stead_testkit::fake_model::{Call, Script, Turn};

use super::{Scenario, cannot_deny};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::play::play;
use crate::record::Records;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 29,
    title: "a shell that takes its commands from a terminal does not start while a guard is enforced",
    obstacle: cannot_deny,
    play: check,
};

const GUARD: &str = "id: infra-is-reviewed\nmode: enforce\non: [before-tool]\nmatch:\n  writes: [\"infra/**\"]\n\
                     then: deny\nsay: \"infra/ changes need an approved plan.\"\n";

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    ground.write_project(".agent/guards/infra-is-reviewed.yaml", GUARD)?;
    let played = play(
        &ground,
        Script::new([
            Turn::call(Call::shell("touch ran.txt; bash --norc -i")),
            Turn::call(Call::shell("bash -c 'echo two > allowed.txt'")),
            Turn::say("I was not allowed to."),
        ]),
    )?;
    played.claim(!ground.project().join("ran.txt").exists(), "the shell started")?;
    played.claim(ground.project().join("allowed.txt").exists(), "a command that is a text did not run")?;
    let known = Records::read(&ground.project()).denials();
    played.claim(known.len() <= 1, &format!("one denial may be on record, not {known:?}"))
}
