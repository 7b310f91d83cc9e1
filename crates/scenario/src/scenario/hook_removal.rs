use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};
use stead_model::{EventKind, Shape};
use stead_testkit::fake_model::{Call, Script, Turn};

use super::{Scenario, cannot_deny, powers};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::play::{Played, play};
use crate::record::Records;

pub(super) const SCENARIO: Scenario =
    Scenario { number: 9, title: "an agent cannot remove Stead's hooks", obstacle: cannot_deny, play: check };

/// A command that is denied as long as the hooks are alive.
const STILL_DENIED: &str = "rm -rf .agent/context";

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    by_the_agent(client, programs)?;
    if powers(&client.harness.client().facts, EventKind::ConfigChange).deny {
        behind_its_back(client, programs)?;
    }
    Ok(())
}

/// By the file tool and by the shell.
fn by_the_agent(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    let settings = ground.settings();
    let before = ours(&ground, &fs::read_to_string(&settings)?);
    let path = settings.display().to_string();
    let played = play(
        &ground,
        Script::new([
            Turn::call(Call::read(&path)),
            Turn::call(Call::write(&path, "{}\n")),
            Turn::call(Call::shell(format!("rm -f '{path}'"))),
            Turn::call(Call::shell(STILL_DENIED)),
            Turn::say("I was not allowed to."),
        ]),
    )?;
    let after = ours(&ground, &fs::read_to_string(&settings).unwrap_or_default());
    played.claim(after == before, &format!("Stead's lines were changed: {after:?}"))?;
    ensure_denied(&ground, &played, 3)
}

/// What is Stead's in a settings file; a client may write down other things of its own.
pub(super) fn ours(ground: &Ground, text: &str) -> Vec<String> {
    let is_whole = ground.client.harness.client().facts.install.shape == Shape::Whole;
    text.lines().filter(|line| is_whole || line.contains("stead hook")).map(str::to_owned).collect()
}

/// By somebody else than a tool while the client runs: the client asks whether the new settings may count.
fn behind_its_back(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    let settings = ground.settings();
    let emptied = settings.clone();
    let empty = move || {
        let _ = fs::write(&emptied, "{}\n");
    };
    let played = play(
        &ground,
        Script::new([
            Turn::call(Call::shell("true")),
            // The client watches its files; give it time to see the change and to ask.
            Turn::call(Call::shell("true")).after(empty, Duration::from_secs(4)),
            Turn::call(Call::shell(STILL_DENIED)),
            Turn::say("I was not allowed to."),
        ]),
    )?;
    let text = fs::read_to_string(&settings).context("the settings file is gone")?;
    played.claim(text == "{}\n", "the settings were not changed, so nothing was tried")?;
    let change = client.harness.client().facts.events.iter().find(|fact| fact.kind == EventKind::ConfigChange);
    let native = change.map_or("", |fact| fact.native);
    let asked = played.calls.iter().any(|call| call.hook().is_some_and(|(_, event)| event == native));
    played.claim(asked, &format!("the client did not raise `{native}`"))?;
    // One for the change, one for the command.
    ensure_denied(&ground, &played, 2)
}

fn ensure_denied(ground: &Ground, played: &Played, times: usize) -> Result<()> {
    let alive = ground.project().join(".agent/context/root.json").exists();
    played.claim(alive, "the hooks are off: a command that they deny was run")?;
    let denials = Records::read(&ground.project()).denials();
    played.claim(denials.len() == times, &format!("{times} denials should be on record, not {denials:?}"))?;
    match denials.last() {
        Some(last) => played.claim_denied(ground, last),
        None => Ok(()),
    }
}
