use anyhow::Result;
use stead_testkit::fake_model::{Call, Script, Turn};

use super::{Scenario, cannot_deny};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::play::play;
use crate::record::Records;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 13,
    title: "a shell command cannot write a guarded file, however it is written",
    obstacle: cannot_deny,
    play: check,
};

const GUARD: &str = "id: infra-is-reviewed\nmode: enforce\non: [before-tool]\nmatch:\n  writes: [\"infra/**\"]\n\
                     then: deny\nsay: \"infra/ changes need an approved plan.\"\n";

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    ground.write_project(".agent/guards/infra-is-reviewed.yaml", GUARD)?;
    ground.write_project("infra/main.tf", "one\n")?;
    let played = play(
        &ground,
        Script::new([
            Turn::call(Call::shell("cat infra/main.tf > seen.txt")),
            Turn::call(Call::shell("cd infra && sed -i s/one/two/ main.tf")),
            Turn::say("I was not allowed to."),
        ]),
    )?;
    played.claim(ground.read_project("seen.txt").as_deref() == Some("one\n"), "reading was not let pass")?;
    played.claim(ground.read_project("infra/main.tf").as_deref() == Some("one\n"), "the guarded file was written")?;
    let denials = Records::read(&ground.project()).denials();
    played.claim(denials.len() == 1, &format!("one denial should be on record, not {denials:?}"))?;
    played.claim_told("infra/ changes need an approved plan.")
}
