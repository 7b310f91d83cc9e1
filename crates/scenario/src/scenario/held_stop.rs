use std::time::Duration;

use anyhow::{Context, Result};
use stead_client::Facts;
use stead_model::EventKind;
use stead_testkit::fake_model::{Call, Meeting, Role, Script, Turn};

use super::{Scenario, powers};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::loop_log::{LoopLog, wait_for};
use crate::play::{play, play_together};

pub(super) const SCENARIO: Scenario =
    Scenario { number: 5, title: "a blocked stop keeps the agent working until its loop ends", obstacle, play: check };

const FIRST: &str = "SESSION-ALPHA";
const SECOND: &str = "SESSION-BETA";

const TASK: &str = "Paint the garden door blue";

/// More rounds than any client with a limit of its own allows in a row.
const ROUNDS: usize = 12;

/// How long one session waits for what another one does.
const PATIENCE: Duration = Duration::from_secs(100);

pub(super) fn obstacle(facts: &Facts) -> Option<&'static str> {
    (!powers(facts, EventKind::Stop).deny).then_some("hooks cannot block a stop")
}

/// The command by which an agent starts a loop in its own session.
pub(super) fn start(most: usize) -> Call {
    Call::shell(format!("stead loop start \"{TASK}\" --max-iterations {most} --promise DONE"))
}

/// Says whether a client asks a hook about one stop of a turn only.
pub(super) fn asks_once(client: &Client) -> bool {
    client.harness.client().facts.stop_cap.most() == Some(1)
}

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    promise(client, programs).context("with a promise")?;
    bound(client, programs).context("without a promise")
}

/// One session has a loop and is held until its promise; another one beside it is not held.
fn promise(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    let meeting = Meeting::of(2, PATIENCE);
    let passed_by = wait_for(&ground, "the session has no loop", PATIENCE);
    let script = Script::default()
        .lane(
            FIRST,
            [
                Turn::call(start(2)),
                Turn::say("It is half blue.").meeting(&meeting),
                Turn::say("All of it is blue.\n<promise>DONE</promise>").after(passed_by, Duration::ZERO),
            ],
        )
        .lane(SECOND, [Turn::say("Beta has nothing to do.").meeting(&meeting)]);
    let prompts = [format!("Do the task of {FIRST}."), format!("Do the task of {SECOND}.")];
    let played = play_together(&ground, script, &[&prompts[0], &prompts[1]])?;
    let log = LoopLog::read(&ground)?;
    let (own, other) = (played.id_of(0)?, played.id_of(1)?);
    let turns = (played.log.turns(FIRST).len(), played.log.turns(SECOND).len());
    played
        .claim(turns == (3, 1), &format!("the sessions should take 3 and 1 turns, not {turns:?}; {:?}", log.lines))?;
    let last = played.log.turns(FIRST).last().map(|exchange| exchange.number);
    for text in [TASK, "iteration 2 of 2"] {
        let seen = played.log.seen(text);
        let told = seen.iter().any(|one| Some(one.request) == last && one.role == Role::User);
        played.claim(told, &format!("the held agent was not told `{text}`; it was seen at {seen:?}"))?;
    }
    let mut expected = vec![("started", own), ("held", own), ("let-go", other)];
    if asks_once(client) {
        // The stop with the promise reaches no hook, so the loop waits for the person's next message.
        played.claim(log.state["status"] == "active", &format!("the loop should go on: {}", log.state))?;
    } else {
        let done = log.state["status"] == "done" && log.state["reason"] == "promise `DONE` kept";
        played.claim(done, &format!("the promise should end the loop, but it is {}", log.state))?;
        expected.push(("let-go", own));
    }
    let told: Vec<_> = log.lines.iter().map(|line| (line["did"].as_str(), line["session"].as_str())).collect();
    for line in expected {
        let line = (Some(line.0), Some(line.1));
        played.claim(told.contains(&line), &format!("no line of the log is about {line:?}: {:?}", log.lines))?;
    }
    played.claim(log.count("held") == 1, &format!("one stop should be held: {:?}", log.lines))
}

/// A loop without a promise ends by its bound, or says that the client did not let it go on.
fn bound(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    let rounds = (1..=ROUNDS).map(|round| Turn::say(format!("Layer {round} of {} is dry.", round * 7)));
    let played = play(&ground, Script::new([Turn::call(start(ROUNDS))].into_iter().chain(rounds)))?;
    let log = LoopLog::read(&ground)?;
    let (held, turns) = (log.count("held"), played.log.turns("").len() - 1);
    // Every held stop was followed by a turn: nothing that Stead held was given up by the client.
    played.claim(
        turns == held + 1,
        &format!("{held} stops were held, but the agent worked {turns} rounds; {:?}", log.lines),
    )?;
    if let Some(most) = client.harness.client().facts.stop_cap.most() {
        played.claim(held == most as usize, &format!("{most} stops in a row should be held, not {held}"))?;
        let told = played.log.seen("this is the last time");
        played.claim(!told.is_empty(), "the agent was not told that this client holds no further")?;
        played.claim(log.state["status"] == "active", &format!("the loop should go on: {}", log.state))?;
        let why = log.lines.last().map(|line| line["why"].to_string()).unwrap_or_default();
        return played
            .claim(why.contains("this client allows"), &format!("the log does not tell of the client's limit: {why}"));
    }
    let over = log.state["status"] == "limit" && held == ROUNDS - 1;
    played.claim(over, &format!("{ROUNDS} rounds should end the loop, but {held} stops were held: {}", log.state))
}
