use anyhow::Result;
use stead_testkit::fake_model::{Call, Script, Turn};

use super::{Scenario, cannot_deny_or_record};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::play::play;
use crate::record::Records;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 19,
    title: "a write needs an intent that owns the file, and the ledger names both",
    obstacle: cannot_deny_or_record,
    play: check,
};

const OWNED: &str = "src/door.txt";
const FOREIGN: &str = "docs/door.txt";

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    ground.write_intents(&[("INT-001", "src/**")])?;
    let write = || Turn::call(Call::write(ground.path(OWNED), "blue\n"));
    let played = play(
        &ground,
        Script::new([
            write(),
            Turn::call(Call::shell("stead intent select INT-001")),
            write(),
            Turn::call(Call::write(ground.path(FOREIGN), "blue\n")),
            Turn::call(Call::shell("echo green > docs.txt")),
            Turn::say("One of them is blue."),
        ]),
    )?;
    let text = ground.read_project(OWNED);
    played.claim(text.as_deref() == Some("blue\n"), &format!("the owned file should be written; it holds {text:?}"))?;
    for name in [FOREIGN, "docs.txt"] {
        let text = ground.read_project(name);
        played.claim(text.is_none(), &format!("`{name}` was written, which the intent does not own: {text:?}"))?;
    }
    let records = Records::read(&ground.project());
    let denials = records.denials();
    played.claim(denials.len() == 3, &format!("three denials should be on record, not {denials:?}"))?;
    played.claim_told("You must cite a valid active Intent ID.")?;
    for name in [FOREIGN, "docs.txt"] {
        played.claim_told(&format!("Scope Violation: INT-001 is not authorized to edit {name}."))?;
    }
    let expected = [[played.session_id()?, "INT-001", OWNED, &ground.sha256(OWNED)?].map(str::to_owned)];
    let changes = records.changes();
    played.claim(changes == expected, &format!("the ledger should hold {expected:?}, not {changes:?}"))
}
