use std::time::Duration;

use anyhow::Result;
use stead_model::EventKind;
use stead_testkit::fake_model::{Call, Meeting, Role, Script, Turn};

use super::{Scenario, cannot_deny_or_record};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::play::play_together;
use crate::record::Records;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 21,
    title: "an architect reads the map while a builder writes, each with an intent of its own",
    obstacle: cannot_deny_or_record,
    play: check,
};

const ARCHITECT: &str = "TASK-OF-THE-ARCHITECT";
const BUILDER: &str = "TASK-OF-THE-BUILDER";
const PLAN: &str = "docs/plan.md";
const CODE: &str = "src/hinge.rs";

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    ground.write_intents(&[("INT-001", "src/**"), ("INT-002", "docs/**")])?;
    let patience = Duration::from_secs(100);
    let (selected, written) = (Meeting::of(2, patience), Meeting::of(2, patience));
    let code = ground.path(CODE);
    // Some clients do not wait for a hook after a tool.
    let recorded = ground.wait_for_calls(1, move |call| call.is(EventKind::AfterTool) && call.stdin.contains(&code));
    let script = Script::default()
        .lane(
            BUILDER,
            [
                Turn::call(Call::shell("stead intent select INT-001")),
                Turn::call(Call::write(ground.path(CODE), "pub fn oil_hinge() -> u8 {\n    3\n}\n")).meeting(&selected),
                Turn::say("The hinge is oiled.").after(recorded, Duration::ZERO).meeting(&written),
            ],
        )
        .lane(
            ARCHITECT,
            [
                Turn::call(Call::shell("stead intent select INT-002")),
                Turn::call(Call::write(ground.path(PLAN), "Oil the hinge.\n")).meeting(&selected),
                Turn::call(Call::shell(format!("echo later > {CODE}"))),
                Turn::call(Call::shell("stead where-is 'oil hinge'")).meeting(&written),
                Turn::call(Call::read(ground.path(".agent/intents/intent_map.md"))),
                Turn::say("The map knows it."),
            ],
        );
    let prompts = [format!("Do {ARCHITECT}."), format!("Do {BUILDER}.")];
    let played = play_together(&ground, script, &[&prompts[0], &prompts[1]])?;
    played.claim(written.took_place(), "the sessions did not live at the same time")?;
    let (architect, builder) = (played.id_of(0)?, played.id_of(1)?);
    let records = Records::read(&ground.project());
    let denials = records.denials();
    let refused = format!("Scope Violation: INT-002 is not authorized to edit {CODE}.");
    played.claim(
        denials.len() == 1 && denials[0].starts_with(&refused),
        &format!("only what the architect's intent does not own should be denied, not {denials:?}"),
    )?;
    let expected = [
        [architect, "INT-002", PLAN, &ground.sha256(PLAN)?].map(str::to_owned),
        [builder, "INT-001", CODE, &ground.sha256(CODE)?].map(str::to_owned),
    ];
    let changes = records.changes();
    played.claim(changes == expected, &format!("the ledger should hold {expected:?}, not {changes:?}"))?;
    let own: Vec<_> = played.log.turns(ARCHITECT).iter().map(|exchange| exchange.number).collect();
    for text in [&format!("{CODE}:1"), "`oil_hinge`"] {
        let seen = played.log.seen(text);
        let told = seen.iter().any(|one| own.contains(&one.request) && one.role == Role::Tool);
        played.claim(told, &format!("the architect did not learn of `{text}`; it was seen at {seen:?}"))?;
    }
    ground.stead(&["trace", "verify"]).map(drop)
}
