use anyhow::Result;
use stead_testkit::fake_model::{Call, Script, Turn};

use super::{Scenario, cannot_deny};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::play::play;
use crate::record::Records;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 2,
    title: "a denied shell command does not run, and the model learns why",
    obstacle: cannot_deny,
    play: check,
};

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    let played = play(
        &ground,
        Script::new([
            Turn::call(Call::shell("echo harmless > allowed.txt")),
            Turn::call(Call::shell("touch ran.txt && rm -rf .agent/context")),
            Turn::say("I was not allowed to."),
        ]),
    )?;
    played.claim(ground.project().join("allowed.txt").exists(), "the harmless command did not run")?;
    played.claim(!ground.project().join("ran.txt").exists(), "the denied command ran")?;
    played.claim(ground.project().join(".agent/context/root.json").exists(), "Stead's folder is gone")?;
    let denials = Records::read(&ground.project()).denials();
    played.claim(denials.len() == 1, &format!("one denial should be on record, not {denials:?}"))?;
    played.claim_denied(&ground, &denials[0])
}
