use anyhow::Result;
use stead_testkit::fake_model::{Call, Script, Turn};

use super::{Scenario, cannot_deny};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::play::play;
use crate::record::Records;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 15,
    title: "`tested` is denied without evidence and allowed with it",
    obstacle: cannot_deny,
    play: check,
};

const LIST: &str = ".agent/features/feature-list.json";
const FEATURES: &str = "{\"features\": [{\"id\": \"add\", \"title\": \"adds\", \"files\": [\"src/**\"], \
                        \"verifiers\": [\"sh check.sh\"], \"status\": \"in-progress\", \"tested\": false}]}\n";
const CLAIM: &str = "sed -i 's/\"tested\": false/\"tested\": true/' .agent/features/feature-list.json";

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    ground.write_project(LIST, FEATURES)?;
    ground.write_project("src/add.txt", "1 + 1\n")?;
    ground.write_project("check.sh", "grep -q + src/add.txt && echo '1 test passed'\n")?;
    let played = play(
        &ground,
        Script::new([
            // One client takes `sed -i` for an edit of its own and lets nobody edit a file that was not read.
            Turn::call(Call::read(ground.path(LIST))),
            Turn::call(Call::shell(CLAIM)),
            Turn::call(Call::shell("stead verify add")),
            Turn::call(Call::shell(CLAIM)),
            Turn::say("It is tested now."),
        ]),
    )?;
    let denials = Records::read(&ground.project()).denials();
    played.claim(denials.len() == 1, &format!("one denial should be on record, not {denials:?}"))?;
    let is_cut = client.passed_on(&denials[0]) != denials[0];
    played.claim_told(if is_cut { "(rest: `stead explain v-" } else { "stead verify add" })?;
    let list = ground.read_project(LIST).unwrap_or_default();
    played.claim(list.contains("\"tested\": true"), &format!("the proven claim was not let through: {list}"))
}
