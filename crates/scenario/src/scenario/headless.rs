use anyhow::Result;
use serde_json::json;
use stead_testkit::fake_model::{Call, Script, Turn};

use super::pipeline::{enlist, partner};
use super::{Scenario, allowed_edit};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::play::play_command;
use crate::process::End;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 23,
    title: "real coding and testing agents work off a feature list",
    obstacle: allowed_edit::obstacle,
    play: check,
};

const LIST: &str = ".agent/features/feature-list.json";
const FEATURES: [&str; 4] = ["door", "hinge", "key", "lock"];

/// The tester says that this one passed, although its verifier fails; the second attempt is good.
const TRICKY: &str = "hinge";

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let workers = [client, partner(client)];
    let apart = if workers[0].harness == workers[1].harness { &workers[..1] } else { &workers[..] };
    let ground = Ground::together(apart, programs)?;
    let features: Vec<_> = FEATURES
        .iter()
        .map(|id| json!({"id": id, "title": id, "files": [format!("{id}.txt")], "verifiers": [format!("grep good {id}.txt")]}))
        .collect();
    ground.write_project(LIST, &json!({"features": features}).to_string())?;
    enlist(&ground, workers)?;
    let mut iteration = 0;
    let mut script = Script::default();
    for id in FEATURES {
        let attempts = if id == TRICKY { 2 } else { 1 };
        for attempt in 1..=attempts {
            let content = if attempt == attempts { "good\n" } else { "bad\n" };
            let task = if attempt == 1 { "implement_feature" } else { "fix_feature" };
            for (task, is_test) in [(task, false), ("validate_feature", true)] {
                iteration += 1;
                let status =
                    ground.path(&format!(".agent/runs/it/stage-00-work/iterations/{iteration:03}/status.json"));
                let said =
                    json!({"decision": "stop", "summary": "done", "result": if is_test { "passed" } else { "done" }});
                let file = ground.path(&format!("{id}.txt"));
                let mut turns = Vec::new();
                // Some clients edit a file only after they read it, some write over none, and some offer no shell in a run.
                if is_test || attempt > 1 {
                    turns.push(Turn::call(Call::read(&file)));
                }
                if !is_test {
                    let call =
                        if attempt == 1 { Call::write(&file, content) } else { Call::edit(&file, "bad", "good") };
                    turns.push(Turn::call(call));
                }
                turns.extend([Turn::call(Call::write(status, format!("{said}\n"))), Turn::say("Done.")]);
                script = script.lane(format!("{id}:{task}:{attempt}"), turns);
            }
        }
    }
    let mut command = ground.world().command(ground.world().folder().join("bin/stead"), &ground.project());
    let [coder, tester] = workers.map(|worker| worker.harness.name());
    command.args(["orchestrate", "--run", "it", "--provider", coder, "--tester-provider", tester, "--json"]);
    for worker in workers {
        command.envs(worker.program(&ground).1);
    }
    let played = play_command(&ground, script, &mut command, "stead orchestrate")?;
    let report = ground.read_project(".agent/runs/it/report.md").unwrap_or_default();
    let end = played.sessions[0].ended.end;
    played.claim(end == End::Exit(0), &format!("the run ended with {end:?}\n{report}"))?;
    let list = ground.read_project(LIST).unwrap_or_default();
    let tested = serde_json::from_str::<serde_json::Value>(&list).unwrap_or_default();
    for (at, id) in FEATURES.iter().enumerate() {
        let feature = &tested["features"][at];
        let attempts = if *id == TRICKY { 2 } else { 1 };
        played.claim(
            feature["tested"] == true && feature["attempts"] == attempts,
            &format!("`{id}` should be tested after {attempts} attempts: {feature}"),
        )?;
    }
    let seen = played.log.seen("LAST_ATTEMPT_AND_REFLEXION");
    played.claim(!seen.is_empty(), "the second attempt was not told what failed")
}
