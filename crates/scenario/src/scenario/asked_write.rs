use anyhow::Result;
use stead_testkit::fake_model::{Call, Script, Turn};

use super::{Scenario, cannot_deny};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::play::play;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 17,
    title: "a guard that asks stops the call when nobody answers",
    obstacle: cannot_deny,
    play: check,
};

const GUARD: &str = "id: infra-is-asked\nmode: enforce\non: [before-tool]\nmatch:\n  writes: [\"infra/**\"]\n\
                     then: ask\nsay: \"infra/ changes need a person's yes.\"\n";

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    ground.write_project(".agent/guards/infra-is-asked.yaml", GUARD)?;
    let played = play(
        &ground,
        Script::new([
            Turn::call(Call::write(ground.path("infra/new.tf"), "one\n")),
            Turn::call(Call::shell("mkdir -p infra && echo two > infra/more.tf")),
            Turn::say("I was not allowed to."),
        ]),
    )?;
    for name in ["infra/new.tf", "infra/more.tf"] {
        let text = ground.read_project(name);
        played.claim(text.is_none(), &format!("`{name}` was written, though nobody said yes: {text:?}"))?;
    }
    played.claim_told("infra/ changes need a person's yes.")
}
