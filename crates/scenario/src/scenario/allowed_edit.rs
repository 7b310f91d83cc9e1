use anyhow::Result;
use stead_client::Facts;
use stead_model::EventKind;
use stead_testkit::fake_model::{Call, Script, Turn};

use super::Scenario;
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::play::play;
use crate::record::Records;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 3,
    title: "an allowed edit happens and is recorded with its session and path",
    obstacle,
    play: check,
};

pub(super) fn obstacle(facts: &Facts) -> Option<&'static str> {
    let tells = facts.events.iter().any(|fact| fact.kind == EventKind::AfterTool);
    (!tells).then_some("it has no event after a tool")
}

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    ground.write_project("src/notes.txt", "one\ntwo\n")?;
    let path = ground.path("src/notes.txt");
    let played = play(
        &ground,
        Script::new([
            Turn::call(Call::read(&path)),
            Turn::call(Call::edit(&path, "two", "three")),
            // Some clients do not wait for a hook after a tool, and end it when they end themselves.
            Turn::call(Call::shell("sleep 1")),
            Turn::say("It is done."),
        ]),
    )?;
    let text = ground.read_project("src/notes.txt");
    played.claim(text.as_deref() == Some("one\nthree\n"), &format!("the file holds {text:?}"))?;
    let records = Records::read(&ground.project());
    let denials = records.denials();
    played.claim(denials.is_empty(), &format!("nothing should be denied, but {denials:?}"))?;
    let own = played.session_id()?;
    let sessions = records.sessions_of("src/notes.txt");
    played.claim(
        sessions == [own],
        &format!("the edit should be recorded for session {own}, not for {sessions:?}; {:?}", records.files),
    )
}
