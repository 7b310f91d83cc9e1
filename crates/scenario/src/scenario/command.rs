use anyhow::Result;
use stead_client::Facts;
use stead_testkit::fake_model::{Role, Script, Turn};

use super::Scenario;
use crate::client::{Ask, Client};
use crate::ground::{Ground, Programs};
use crate::play::play_ask;

pub(super) const SCENARIO: Scenario =
    Scenario { number: 12, title: "the client finds an installed command", obstacle, play: check };

fn obstacle(_: &Facts) -> Option<&'static str> {
    None
}

/// What only the body of the command says.
const BODY: &str = "Stead then knows which session the loop belongs to";

/// What a list of commands says about it.
const ABOUT: &str = "Start, list or control a loop that keeps a session working on one task";

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    let typed = client.harness.client().facts.commands.typed.replace("{name}", "loop");
    let prompt = format!("{typed} list GREEN-PAINT");
    let played = play_ask(&ground, Script::new([Turn::say("There are none.")]), Ask::new(&prompt))?;
    let first = played.log.turns("").first().map(|exchange| exchange.number);
    let texts: &[&str] = if client.expands { &[BODY, "list GREEN-PAINT"] } else { &[ABOUT] };
    for text in texts {
        let seen = played.log.seen(text);
        let told = seen.iter().any(|one| Some(one.request) == first && one.role != Role::Assistant);
        played.claim(told, &format!("`{typed}` did not bring `{text}` to the model; it was seen at {seen:?}"))?;
    }
    Ok(())
}
