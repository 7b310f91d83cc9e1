//! A call that fails may have changed something, and not every client calls a hook after it. `stead doctor` names the
//! clients that do not; this is where that is seen.

use anyhow::Result;
use serde_json::Value;
use stead_model::EventKind;
use stead_testkit::fake_model::{Call, Script, Turn};

use super::unseen_tampering::{GUARD, GUARDED, SAYS, WEAKEN, is_enforced, prepare};
use super::{Scenario, cannot_deny_or_record};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::opaque;
use crate::play::{Played, play};
use crate::record::Records;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 26,
    title: "what a failed call weakened is put back, by the hook after it or, where there is none, by the turn's end",
    obstacle: cannot_deny_or_record,
    play: check,
};

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    prepare(&ground)?;
    ground.write_project("plain.txt", "one\n")?;
    let played = play(
        &ground,
        Script::new([
            Turn::call(Call::shell(opaque::call(&format!("{WEAKEN}; exit 3")))),
            Turn::call(Call::shell(GUARDED)),
            // Some clients tell a tool that failed from a command that did.
            Turn::call(Call::edit(ground.path("plain.txt"), "not in there", "two")),
            Turn::say("I was not allowed to."),
        ]),
    )?;
    played.claim(is_enforced(&ground.project().join(GUARD)), "the guard file was not put back")?;
    let text = ground.read_project("infra/main.tf");
    played.claim(text.as_deref() == Some("one\n"), &format!("the guarded file was written: {text:?}"))?;
    played.claim_told(SAYS)?;
    let said: Value = serde_json::from_str(&ground.stead(&["seal", "log", "--all", "--json"])?)?;
    let log = said["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_back = |change: &Value| change["path"] == GUARD && change["outcome"] == "put-back";
    let session = played.session_id()?;
    let names = |change: &&Value| change["calls"].as_array().is_some_and(|calls| calls[0]["session"] == session);
    let found = log.iter().filter(|change| is_back(change)).find(names);
    played.claim(found.is_some(), &format!("the log should name the call that weakened the guard: {said}"))?;
    ensure_as_told(&ground, &played)
}

/// The calls that no hook followed are those that `stead doctor` tells of.
fn ensure_as_told(ground: &Ground, played: &Played) -> Result<()> {
    let facts = &ground.client.harness.client().facts;
    let lost = calls_without_end(&Records::read(&ground.project()).sessions);
    let doctor: Value = serde_json::from_str(&ground.stead(&["doctor", "--json"])?)?;
    let capabilities = doctor["capabilities"].as_array().map(Vec::as_slice).unwrap_or_default();
    let own = capabilities.iter().find(|one| one["harness"] == ground.client.harness.name());
    let told = own.and_then(|one| one["lost_after_tool"].as_str());
    // A client that reports failures by an event of their own loses one only by ending too early.
    let must_lose = told.is_some() && facts.events.iter().all(|fact| fact.kind != EventKind::ToolFailed);
    let agrees = if must_lose { !lost.is_empty() } else { lost.is_empty() || told.is_some() };
    played.claim(agrees, &format!("doctor tells {told:?}, but no hook was called after {lost:?}"))
}

/// The tools of the calls that ran and whose end no hook reported.
fn calls_without_end(lines: &[Value]) -> Vec<String> {
    let of = |kinds: &[&str], line: &&Value| kinds.iter().any(|kind| line["event"] == *kind);
    let mut ends: Vec<&Value> = lines.iter().filter(|line| of(&["after-tool", "tool-failed"], line)).collect();
    let ran = lines.iter().filter(|line| of(&["before-tool"], line) && line["verdict"] != "deny");
    let mut lost = Vec::new();
    for call in ran {
        let is_end = |end: &&Value| end["call"] == call["call"] && end["tool"] == call["tool"];
        match ends.iter().position(is_end) {
            Some(at) => drop(ends.remove(at)),
            None => lost.push(call["tool"].to_string()),
        }
    }
    lost
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_is_lost_if_nothing_reports_its_end() {
        let line = |event: &str, call: &str, verdict: &str| json!({"event": event, "tool": "Bash", "call": call, "verdict": verdict});
        let day = [
            line("before-tool", "1", "allow"),
            line("after-tool", "1", "allow"),
            line("before-tool", "2", "deny"),
            line("before-tool", "3", "allow"),
            line("tool-failed", "3", "allow"),
        ];
        assert!(calls_without_end(&day).is_empty());
        assert_eq!(calls_without_end(&day[..4]), ["\"Bash\""]);
    }
}
