//! Commands of a stage are judged as if the agent that starts the run had typed them.

use stead_testkit::World;

use super::{CONTINUE, fixed, run_file, stage, with_stage};

/// Says that an agent's client calls from now on.
fn by_agent(world: &mut World) {
    world.set("CLAUDECODE", "1");
}

#[track_caller]
fn check_refused(world: &World, args: &[&str], command: &str) {
    let run = world.stead(args);
    assert!(run.code == 1 && run.stderr.contains(&format!("runs `{command}`, which is refused")), "{run}");
    assert!(world.exists("project/.agent/config.toml"), "it ran all the same");
}

#[test]
fn an_agent_runs_nothing_through_a_stage_that_it_may_not_run_itself() {
    let script = format!("{CONTINUE}\n");
    let mut world = with_stage(&fixed(1), &script);
    by_agent(&mut world);
    let evil = "rm -rf .agent/config.toml";
    stage(&world, "checks", &format!("{}verify:\n  - true\n  - {evil}\n", fixed(1)), &script);
    let queue = format!("termination:\n  type: queue\n  command: {evil}\nguardrails:\n  max_iterations: 2\n");
    stage(&world, "queue", &queue, &script);
    stage(&world, "script", &fixed(1), &format!("{evil}\n"));
    for (name, command) in [("checks", evil), ("queue", evil), ("script", "sh script.sh")] {
        check_refused(&world, &["run", "stage", name, name], command);
        check_refused(&world, &["run", "stage", name, name, "--background"], command);
        assert!(!world.exists(run_file(name)), "{name}");
    }
    world.write("project/evil.sh", format!("#!/bin/sh\n{evil}\n"));
    world.sh("chmod 755 evil.sh").ok();
    check_refused(&world, &["run", "stage", "chore", "it", "--provider", "./evil.sh"], "./evil.sh");

    let pipeline =
        "name: both\ndescription: Two\nstages:\n  - {id: a, template: chore}\n  - {id: b, template: checks}\n";
    world.write("project/.agent/pipelines/both.yaml", pipeline);
    check_refused(&world, &["run", "pipeline", "both", "both"], evil);

    // What an agent may run, a stage may run for it.
    world.stead(&["run", "stage", "chore", "fine"]).ok();
    // And a person runs what they like.
    world.unset("CLAUDECODE");
    world.stead(&["run", "stage", "checks", "mine"]);
    assert!(!world.exists("project/.agent/config.toml"));
}

/// What is denied to an agent that types it, in each place where a definition or the settings can have it.
#[test]
fn an_agent_starts_no_provider_with_arguments_that_turn_its_hooks_off() {
    let script = format!("{CONTINUE}\n");
    let mut world = with_stage(&fixed(1), &script);
    for (name, off) in [
        ("claude", "--settings x.json"),
        ("claude", "--bare"),
        ("codex", "-c features.hooks=false"),
        ("codex", "--dangerously-bypass-hook-trust"),
        ("qwen", "--safe-mode"),
        ("opencode", "--pure"),
        ("kilo", "--pure"),
        ("droid", "--settings x.json"),
    ] {
        let program = "mkdir -p ../bin; printf '#!/bin/sh\\n' > ../bin/NAME; chmod 755 ../bin/NAME";
        world.sh(&program.replace("NAME", name)).ok();
        let key = format!("provider.{name}.args");
        world.stead(&["config", "set", &key, "--", off]).ok();
        by_agent(&mut world);
        let run = world.stead(&["run", "stage", "chore", "it", "--provider", name]);
        assert!(run.code == 1 && run.stderr.contains(off) && run.stderr.contains("which is refused"), "{name}: {run}");
        world.unset("CLAUDECODE");
        world.stead(&["config", "unset", &key]).ok();
    }
    by_agent(&mut world);
    world.write("project/.agent/guards/README.md", "kept\n");
    let commands = ["codex -c features.hooks=false exec hi", "env HOME=/tmp/x claude -p hi", "rm -rf .agent/guards"];
    for (number, evil) in commands.into_iter().enumerate() {
        let name = format!("evil{number}");
        stage(&world, &name, &format!("{}verify:\n  - {evil}\n", fixed(1)), &script);
        check_refused(&world, &["run", "stage", &name, &name], evil);
        // A rehearsal runs no check.
        world.stead(&["test", "stage", &name]);
        assert!(world.exists("project/.agent/guards/README.md"), "it ran in a rehearsal");
        let verify = world.stead(&["verify", "--", "sh", "-c", evil]);
        assert!(verify.code != 0 && verify.stderr.contains("Stead stopped"), "{verify}");
        let start = world.stead(&["loop", "start", "go on", "--promise", "DONE", "--verify", evil]);
        assert!(start.code == 1 && start.stderr.contains("is refused"), "{start}");
    }
}

#[test]
fn an_agents_loop_has_no_check_that_it_may_not_run_itself() {
    let mut world = crate::world::marked();
    by_agent(&mut world);
    let start =
        |world: &World, verify: &str| world.stead(&["loop", "start", "go on", "--promise", "DONE", "--verify", verify]);
    let refused = start(&world, "rm -rf .agent/guards; true");
    assert!(refused.code == 1 && refused.stderr.contains("is refused"), "{refused}");
    start(&world, "true").ok();
}
