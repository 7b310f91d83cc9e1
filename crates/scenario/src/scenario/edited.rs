//! An editor drives the client over ACP.

use anyhow::Result;
use stead_client::AcpHooks;
use stead_model::EventKind;
use stead_testkit::fake_model::{Call, Role, Script, Turn};

use super::Scenario;
use super::held_stop::start;
use super::unseen_tampering::{GUARD, SAYS};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::loop_log::LoopLog;
use crate::play::{Played, play, play_edited};
use crate::record::Records;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 28,
    title: "driven by an editor over ACP, a write is denied, one recorded and a stop blocked, or the person is told that they are not",
    obstacle: |facts| match facts.acp.hooks {
        AcpHooks::Unproven(why) => Some(why),
        AcpHooks::Same | AcpHooks::NoTools { .. } => None,
    },
    play: check,
};

const FREE: &str = "docs/plan.txt";
const GUARDED: &str = "infra/main.tf";

/// The model's last words, which keep the loop's promise.
const DONE: &str = "All of it is blue.\n<promise>DONE</promise>";

/// How Stead begins when it says that it cannot guard a session.
const UNGUARDED: &str = "Stead cannot guard this session";

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    let guard =
        "id: infra-is-reviewed\nmode: enforce\non: [before-tool]\nmatch:\n  writes: [\"infra/**\"]\nthen: deny\n";
    ground.write_project(GUARD, &format!("{guard}say: \"{SAYS}\"\n"))?;
    // One client creates no folder for a file.
    for folder in ["docs", "infra"] {
        ground.write_project(&format!("{folder}/README"), "")?;
    }
    let headless = play(&ground, Script::new([Turn::say("There is nothing to do.")]))?;
    ensure_told(&headless, 0)?;
    let is_guarded = !matches!(client.harness.client().facts.acp.hooks, AcpHooks::NoTools { .. });
    let writes = [(FREE, "one\n"), (GUARDED, "one\n")];
    let writes = writes.map(|(file, text)| Turn::call(Call::write(ground.path(file), text)));
    let rest = match is_guarded {
        // In one turn, because several clients have the model name a session after its first.
        true => vec![Turn::call(start(3)), Turn::say("It is half blue."), Turn::say(DONE)],
        // Without a hook, no loop would find its session.
        false => vec![Turn::say("The plant is new."), Turn::say(DONE)],
    };
    let prompts = if is_guarded { &["Change the plant."][..] } else { &["Change the plant.", "What else?"] };
    let played = play_edited(&ground, Script::new(writes.into_iter().chain(rest)), prompts, DONE)?;
    played.claim(ground.read_project(FREE).is_some(), "the free write did not happen")?;
    if is_guarded { guarded(&ground, &played) } else { unguarded(&ground, &played) }
}

/// Hooks run as elsewhere.
fn guarded(ground: &Ground, played: &Played) -> Result<()> {
    played.claim(ground.read_project(GUARDED).is_none(), "the guarded write happened")?;
    played.claim_told(SAYS)?;
    ensure_told(played, 0)?;
    let records = Records::read(&ground.project());
    let denials = records.denials();
    let of_write = denials.iter().filter(|reason| reason.contains(SAYS)).count();
    played.claim(of_write == 1, &format!("one denial of a write should be on record, not {denials:?}"))?;
    let (own, sessions) = (played.session_id()?, records.sessions_of(FREE));
    played
        .claim(sessions == [own], &format!("the write should be recorded for session {own}, not for {sessions:?}"))?;
    let log = LoopLog::read(ground)?;
    let held = log.lines.iter().filter(|line| line["did"] == "held" && line["session"] == own).count();
    played.claim(held == 1, &format!("one stop of the session should be blocked: {:?}", log.lines))
}

/// The client calls no hook around its tools. Should it begin to, the facts about it are wrong.
fn unguarded(ground: &Ground, played: &Played) -> Result<()> {
    let kinds = [EventKind::SessionStart, EventKind::BeforeTool, EventKind::AfterTool];
    let called = kinds.into_iter().find(|kind| played.calls.iter().any(|call| call.is(*kind)));
    played.claim(called.is_none(), &format!("a hook was called that should not be: {called:?}"))?;
    played.claim(ground.read_project(GUARDED).is_some(), "the guarded write did not happen")?;
    ensure_told(played, 1)?;
    let said = ground.stead(&["doctor"])?;
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_said = words.contains("it calls no hook before or after a tool");
    played.claim(is_said, &format!("`stead doctor` should say what does not work in an editor: {said}"))
}

/// Fails unless so many replies say to the person that the session is not guarded, and the first asks the model to pass
/// it on, because an editor need not show what a hook says.
fn ensure_told(played: &Played, times: usize) -> Result<()> {
    let replies = played.calls.iter().filter(|call| call.stdout.contains(UNGUARDED));
    let told: Vec<_> = replies.map(|call| call.hook().map_or("", |(_, event)| event)).collect();
    played.claim(told.len() == times, &format!("{times} replies should say `{UNGUARDED}`, not those to {told:?}"))?;
    let first = played.log.turns("").first().map(|exchange| exchange.number);
    let seen = played.log.seen(UNGUARDED);
    let is_read = seen.iter().any(|sighting| Some(sighting.request) == first && sighting.role == Role::User);
    played.claim(is_read == (times > 0), &format!("with the first prompt, the model should read it: {seen:?}"))
}
