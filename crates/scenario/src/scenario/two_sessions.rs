use std::time::Duration;

use anyhow::Result;
use stead_testkit::fake_model::{Call, Meeting, Script, Turn};

use super::{Scenario, cannot_deny_or_record};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::play::play_together;
use crate::record::Records;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 6,
    title: "two sessions in one project at once do not influence each other",
    obstacle: cannot_deny_or_record,
    play: check,
};

const FIRST: &str = "SESSION-ALPHA";
const SECOND: &str = "SESSION-BETA";

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    for name in ["alpha.txt", "beta.txt"] {
        ground.write_project(name, "old\n")?;
    }
    let (alpha, beta) = (ground.path("alpha.txt"), ground.path("beta.txt"));
    // Both are in the middle of their work when the first one is denied something.
    let meeting = Meeting::of(2, Duration::from_secs(100));
    let script = Script::default()
        .lane(
            FIRST,
            [
                Turn::call(Call::read(&alpha)).meeting(&meeting),
                Turn::call(Call::shell("rm -rf .agent/context")),
                Turn::call(Call::edit(&alpha, "old", "new")),
                Turn::call(Call::shell("sleep 1")),
                Turn::say("Alpha is done."),
            ],
        )
        .lane(
            SECOND,
            [
                Turn::call(Call::read(&beta)).meeting(&meeting),
                Turn::call(Call::edit(&beta, "old", "new")),
                Turn::call(Call::shell("sleep 1")),
                Turn::say("Beta is done."),
            ],
        );
    let prompts = [format!("Do the task of {FIRST}."), format!("Do the task of {SECOND}.")];
    let played = play_together(&ground, script, &[&prompts[0], &prompts[1]])?;
    played.claim(meeting.took_place(), "the sessions did not live at the same time")?;
    let (first, second) = (played.id_of(0)?, played.id_of(1)?);
    played.claim(first != second, "both sessions have the same id")?;
    let records = Records::read(&ground.project());
    for (name, own) in [("alpha.txt", first), ("beta.txt", second)] {
        let text = ground.read_project(name);
        played.claim(text.as_deref() == Some("new\n"), &format!("`{name}` holds {text:?}"))?;
        let sessions = records.sessions_of(name);
        played.claim(sessions == [own], &format!("`{name}` belongs to session {own}, not to {sessions:?}"))?;
        let state = format!(".agent/context/indexes/sessions/{own}.json");
        played.claim(ground.read_project(&state).is_some(), &format!("there is no `{state}`"))?;
    }
    let denials = records.denials();
    played.claim(denials.len() == 1, &format!("one denial should be on record, not {denials:?}"))?;
    let denied: Vec<_> = records.sessions.iter().filter(|line| line["verdict"] == "deny").collect();
    played
        .claim(denied.iter().all(|line| line["session"] == first), "the denial was recorded for the other session")?;
    let told = played.log.seen(&client.passed_on(&denials[0]));
    let numbers = |lane| played.log.turns(lane).iter().map(|exchange| exchange.number).collect::<Vec<_>>();
    let (own, other) = (numbers(FIRST), numbers(SECOND));
    played.claim(told.iter().any(|one| own.contains(&one.request)), "the reason did not reach the model")?;
    // A client may ask further things about its session on its own account.
    played.claim(told.iter().all(|one| !other.contains(&one.request)), "the reason reached the other session")
}
