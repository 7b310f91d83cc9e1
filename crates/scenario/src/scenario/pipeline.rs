use std::os::unix::fs::PermissionsExt;

use anyhow::{Context, Result};
use serde_json::Value;
use stead_testkit::fake_model::{Call, Script, Turn};

use super::{Scenario, allowed_edit};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::play::play_command;
use crate::process::End;
use crate::record::Records;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 16,
    title: "Stead starts real agents for two stages of a pipeline",
    obstacle: allowed_edit::obstacle,
    play: check,
};

const STAGES: [&str; 2] = ["draft", "review"];

/// Whom a client hands on to: the first two to each other, every other to itself.
pub(super) fn partner(client: &'static Client) -> &'static Client {
    let [one, other, ..] = Client::ALL;
    match client.harness {
        harness if harness == one.harness => other,
        harness if harness == other.harness => one,
        _ => client,
    }
}

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let workers = [client, partner(client)];
    let apart = if workers[0].harness == workers[1].harness { &workers[..1] } else { &workers[..] };
    let ground = Ground::together(apart, programs)?;
    define(&ground, workers)?;
    let file = |stage: usize, name: &str| format!(".agent/runs/it/stage-{stage:02}-{}/{name}", STAGES[stage]);
    let status = |stage: usize| ground.path(&file(stage, "iterations/001/status.json"));
    let said = |words: &str| format!("{{\"decision\":\"stop\",\"reason\":\"{words}\",\"summary\":\"{words}\"}}\n");
    let first_output = ground.path(&file(0, "iterations/001/output.md"));
    let script = Script::default()
        .lane(
            marker(0),
            [
                Turn::call(Call::write(ground.path(&file(0, "output.md")), "a draft\n")),
                Turn::call(Call::write(status(0), said("drafted"))),
                Turn::say("The draft is done."),
            ],
        )
        .lane(
            marker(1),
            [
                Turn::call(Call::read(&first_output)),
                Turn::call(Call::write(ground.path(&file(1, "output.md")), "a review\n")),
                Turn::call(Call::write(status(1), said("reviewed"))),
                Turn::say("The review is done."),
            ],
        );
    let mut command = ground.world().command(ground.world().folder().join("bin/stead"), &ground.project());
    command.args(["run", "pipeline", "two", "it", "--json"]);
    for worker in workers {
        command.envs(worker.program(&ground).1);
    }
    let played = play_command(&ground, script, &mut command, "stead run pipeline two it")?;
    let end = played.sessions[0].ended.end;
    let logs: Vec<_> = [0, 1]
        .iter()
        .map(|stage| ground.read_project(&file(*stage, "iterations/001/agent.log")).unwrap_or_default())
        .collect();
    played.claim(end == End::Exit(0), &format!("the run ended with {end:?}\n{}", logs.join("\n---\n")))?;
    for (stage, output) in ["a draft\n", "a review\n"].iter().enumerate() {
        let kept = ground.read_project(&file(stage, "iterations/001/output.md"));
        played.claim(kept.as_deref() == Some(*output), &format!("stage {stage} kept {kept:?}"))?;
    }
    played.claim_told("a draft")?;
    let sessions = told_sessions(&ground)?;
    played
        .claim(sessions.len() == 2 && sessions[0] != sessions[1], &format!("the agents' sessions are {sessions:?}"))?;
    // Hooks know on whose behalf an agent works.
    let records = Records::read(&ground.project());
    for (stage, session) in STAGES.iter().zip(&sessions) {
        let own = records.sessions.iter().filter(|line| line["session"] == session.as_str());
        let attributed = own.clone().any(|line| line["run"] == "it" && line["stage"] == *stage);
        played.claim(
            attributed,
            &format!("no line of session {session} names stage `{stage}`: {:?}", own.collect::<Vec<_>>()),
        )?;
    }
    let denials = records.denials();
    played.claim(denials.is_empty(), &format!("nothing should be denied, but {denials:?}"))
}

fn marker(stage: usize) -> String {
    format!("TASK-OF-{}", STAGES[stage].to_uppercase())
}

/// Writes the pipeline, and puts the clients on PATH.
fn define(ground: &Ground, workers: [&'static Client; 2]) -> Result<()> {
    let mut steps = String::new();
    for (index, (stage, worker)) in STAGES.iter().zip(workers).enumerate() {
        let name = worker.harness.name();
        ground.write_project(
            &format!(".agent/stages/{stage}/stage.yaml"),
            &format!("name: {stage}\ndescription: One task\ntermination:\n  type: fixed\nguardrails:\n  max_iterations: 1\n  iteration_timeout_seconds: 120\nprovider: {name}\n"),
        )?;
        let prompt = format!("Do {}: read ${{CTX}}, write ${{OUTPUT}}, then write ${{STATUS}}.\n", marker(index));
        ground.write_project(&format!(".agent/stages/{stage}/prompt.md"), &prompt)?;
        steps.push_str(&format!("  - id: {stage}\n    template: {stage}\n"));
    }
    let second = format!("{steps}    inputs: {{from: {}}}\n", STAGES[0]);
    ground
        .write_project(".agent/pipelines/two.yaml", &format!("name: two\ndescription: Two tasks\nstages:\n{second}"))?;
    enlist(ground, workers)
}

/// Puts the clients on PATH as a person has them, and their arguments into the settings.
pub(super) fn enlist(ground: &Ground, workers: [&'static Client; 2]) -> Result<()> {
    let mut config = String::new();
    for worker in workers {
        let name = worker.harness.name();
        let (command, _) = worker.program(ground);
        let quoted: Vec<String> = command.iter().map(|word| format!("'{word}'")).collect();
        let program = ground.world().folder().join("bin").join(worker.harness.client().facts.program);
        std::fs::write(&program, format!("#!/bin/sh\nexec {} \"$@\"\n", quoted.join(" ")))
            .with_context(|| format!("cannot write `{}`", program.display()))?;
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))?;
        let args = (worker.provider_args)(ground);
        if !args.is_empty() && !config.contains(&format!("[provider.{name}]")) {
            let args: Vec<String> = args.iter().map(|arg| format!("'{arg}'")).collect();
            config.push_str(&format!("\n[provider.{name}]\nargs = {}\n", Value::from(args.join(" "))));
        }
    }
    let path = ".agent/config.toml";
    let text = ground.read_project(path).unwrap_or_default();
    ground.write_project(path, &format!("{text}{config}"))
}

/// The agents' sessions, in the order in which they ended.
fn told_sessions(ground: &Ground) -> Result<Vec<String>> {
    let events = ground.read_project(".agent/runs/it/events.jsonl").context("there are no events")?;
    let events = events.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let ended = events.filter(|event| event["event"] == "iteration-ended");
    Ok(ended.filter_map(|event| event["session"].as_str().map(str::to_owned)).collect())
}
