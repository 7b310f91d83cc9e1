use anyhow::Result;
use stead_testkit::fake_model::{Call, Script, Turn};

use super::{Scenario, cannot_deny};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::play::play;
use crate::record::Records;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 14,
    title: "one field of a document is guarded, the others can be changed",
    obstacle: cannot_deny,
    play: check,
};

const GUARD: &str = "id: release-is-decided\nmode: enforce\non: [before-tool]\nmatch:\n  writes: [\"release.json\"]\n  \
                     fields: {\"/approved\": true}\nthen: deny\nsay: \"A person approves a release.\"\n";

const BEFORE: &str = r#"{"version": "1.0", "approved": false}"#;
const FREE: &str = r#"{"version": "1.1", "approved": false}"#;
const FORBIDDEN: &str = r#"{"version": "1.1", "approved": true}"#;

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    ground.write_project(".agent/guards/release-is-decided.yaml", GUARD)?;
    ground.write_project("release.json", &format!("{BEFORE}\n"))?;
    let path = ground.path("release.json");
    let played = play(
        &ground,
        Script::new([
            // Several clients let nobody change a file that was not read, and one writes no file that is there.
            Turn::call(Call::read(path.clone())),
            Turn::call(Call::edit(path.clone(), BEFORE, FREE)),
            Turn::call(Call::edit(path, FREE, FORBIDDEN)),
            Turn::say("I was not allowed to."),
        ]),
    )?;
    let now = ground.read_project("release.json");
    played.claim(
        now.as_deref().map(str::trim_end) == Some(FREE),
        &format!("the document should be {FREE:?}, not {now:?}"),
    )?;
    let denials = Records::read(&ground.project()).denials();
    played.claim(denials.len() == 1, &format!("one denial should be on record, not {denials:?}"))?;
    played.claim_told("A person approves a release.")
}
