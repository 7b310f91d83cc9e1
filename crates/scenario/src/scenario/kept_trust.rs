use std::fs;

use anyhow::{Context, Result};
use stead_client::Facts;
use stead_testkit::fake_model::{Call, Script, Turn};

use super::Scenario;
use crate::client::{Ask, Client};
use crate::ground::{Ground, Programs};
use crate::play::play_ask;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 30,
    title: "the hooks that a person trusts run, and what the client writes beside its trust during a call stays",
    obstacle,
    play: check,
};

fn obstacle(facts: &Facts) -> Option<&'static str> {
    let keeps = facts.settings.iter().any(|file| file.watch.contains("still:lines") && file.watch.contains("trust:"));
    (!keeps).then_some("it keeps no trust by hook")
}

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    let trust = client.trust_hooks.context("nobody wrote down how it trusts hooks")?;
    let config = trust(&ground)?;
    let given = fs::read_to_string(&config)?;
    let script = Script::new([
        // Whoever writes it, it is no call of the agent's that says so.
        Turn::call(Call::shell("touch begun.txt; while [ ! -e go.txt ]; do sleep 0.05; done")),
        Turn::call(Call::shell("touch ran.txt && rm -rf .agent/context")),
        Turn::say("I was not allowed to."),
    ]);
    let (begun, go) = (ground.project().join("begun.txt"), ground.project().join("go.txt"));
    let person = std::thread::spawn({
        // In a second window, while a call runs.
        let (config, given) = (config.clone(), format!("{given}{}", client.written_beside));
        move || -> Result<()> {
            for _ in 0..1200 {
                if begun.exists() {
                    fs::write(&config, &given)?;
                    fs::write(&go, "")?;
                    return Ok(());
                }
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
            anyhow::bail!("the call never began, so its hooks let nothing run")
        }
    });
    let played = play_ask(&ground, script, Ask::trusting("Do the scripted task."))?;
    person.join().map_err(|_| anyhow::anyhow!("the person's window broke"))??;
    played.claim(!ground.project().join("ran.txt").exists(), "the denied command ran: no hook ran")?;
    let kept = fs::read_to_string(&config)?;
    let beside = client.written_beside.split("\n\n").all(|part| kept.contains(part.trim()));
    played.claim(
        kept.contains(given.trim()) && beside,
        &format!("the client's own settings are not as they were written: {kept}"),
    )?;
    let script = Script::new([
        Turn::call(Call::shell("touch again.txt && rm -rf .agent/context")),
        Turn::say("I was not allowed to."),
    ]);
    let played = play_ask(&ground, script, Ask::trusting("Do it again."))?;
    played.claim(!ground.project().join("again.txt").exists(), "no hook ran in the next session")
}
