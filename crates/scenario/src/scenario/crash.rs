use anyhow::{Context, Result};
use stead_testkit::fake_model::{Call, Script, Turn};

use super::{Scenario, cannot_deny};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::play::play;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 10,
    title: "a hook that crashes stops the tool and nothing else",
    obstacle: cannot_deny,
    play: check,
};

/// Debug builds break where this variable says.
const FAULT: &str = "STEAD_TEST_FAULT";

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    // Before it knows anything but its own command line, and with a verdict in hand.
    for point in ["start", "judged"] {
        closed(client, programs, point).with_context(|| format!("with a crash at `{point}`"))?;
    }
    open(client, programs).context("with a crash at `recording`")
}

/// A hook that breaks before it has answered: the tool must not run, and the session must go on to its end.
fn closed(client: &'static Client, programs: &Programs, point: &str) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    ground.post_witness(&[(FAULT, point)])?;
    let script = [Turn::call(Call::shell("echo ran > ran.txt")), Turn::say("It did not run.")];
    let played = play(&ground, Script::new(script))?;
    played.claim(!ground.project().join("ran.txt").exists(), "the tool ran though nobody had judged it")?;
    played.claim_told("Stead failed")?;
    let turns = played.log.turns("").len();
    played.claim(turns == 2, &format!("the session should take 2 turns, not {turns}"))
}

/// A hook that breaks after its answer: nobody may notice.
fn open(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    ground.post_witness(&[(FAULT, "recording")])?;
    let script = [
        Turn::call(Call::shell("echo ran > ran.txt")),
        Turn::call(Call::shell("rm -rf .agent/context")),
        Turn::say("One ran, one did not."),
    ];
    let played = play(&ground, Script::new(script))?;
    played.claim(ground.project().join("ran.txt").exists(), "an allowed tool did not run")?;
    let kept = ground.project().join(".agent/context/root.json").exists();
    played.claim(kept, "a denied tool ran")?;
    let told = played.log.seen("Stead failed");
    played.claim(told.is_empty(), "the model was told of a crash that changed nothing")
}
