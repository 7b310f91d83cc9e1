use anyhow::Result;
use stead_testkit::fake_model::{Call, Script, Turn};

use super::{Scenario, cannot_deny};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::play::play;
use crate::record::Records;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 1,
    title: "a denied write does not happen, and the model learns why",
    obstacle: cannot_deny,
    play: check,
};

/// Stead's own marker, which no agent may write.
const MARKER: &str = ".agent/context/root.json";

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    let before = ground.read_project(MARKER);
    let played = play(
        &ground,
        Script::new([
            // Several clients let nobody write a file that was not read.
            Turn::call(Call::read(ground.path(MARKER))),
            Turn::call(Call::write(ground.path(MARKER), "{}\n")),
            Turn::say("I was not allowed to."),
        ]),
    )?;
    played.claim(before.is_some() && ground.read_project(MARKER) == before, "the marker was written")?;
    let denials = Records::read(&ground.project()).denials();
    played.claim(denials.len() == 1, &format!("one denial should be on record, not {denials:?}"))?;
    played.claim_denied(&ground, &denials[0])
}
