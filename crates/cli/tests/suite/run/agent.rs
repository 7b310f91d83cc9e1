//! Agents that misbehave. Each time: an honest end, nothing lost, nothing left behind.

use serde_json::Value;
use stead_testkit::extent;

use super::{CONTINUE, fixed, is_alive, run_file, state, until, with_stage, written};

#[track_caller]
fn failed(script: &str, kind: &str) -> stead_testkit::World {
    let world = with_stage(&fixed(2), script);
    let run = world.stead(&["run", "stage", "chore", "it"]);
    assert_eq!(run.code, 1, "{run}");
    assert_eq!(state(&world, "it")["error"]["type"], kind, "{script}: {run}");
    world
}

#[test]
fn a_status_that_is_none() {
    for script in [
        "mkdir \"$STEAD_STATUS\"",
        "ln -s /etc/passwd \"$STEAD_STATUS\"",
        "printf '\\377\\376{}' > \"$STEAD_STATUS\"",
        "echo '[1,2]' > \"$STEAD_STATUS\"",
        "echo '{\"decision\":\"maybe\"}' > \"$STEAD_STATUS\"",
        "echo '{\"decision\":\"stop\"' > \"$STEAD_STATUS\"",
        "{ printf '{\"decision\":\"stop\",\"reason\":\"'; head -c 3000000 /dev/zero | tr '\\0' x; printf '\"}'; } > \"$STEAD_STATUS\"",
        ": > \"$STEAD_STATUS\"",
    ] {
        failed(script, "invalid-status");
    }
}

#[test]
fn an_exit_code_outweighs_any_status() {
    failed(&format!("{CONTINUE}; exit 4"), "exit");
}

#[test]
fn an_agent_that_is_not_there() {
    let world = with_stage(&fixed(1), "");
    world.write(
        "project/.agent/stages/chore/stage.yaml",
        format!("name: chore\ndescription: x\n{}provider:\n  command: [\"./no-such-agent\"]\n", fixed(1)),
    );
    let run = world.stead(&["run", "stage", "chore", "it"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stderr.contains("no-such-agent"), "{run}");
}

#[test]
fn a_gigabyte_of_output_does_not_fill_the_disk() {
    let size = extent(200_000_000, 1_000_000_000);
    let script = format!("head -c {size} /dev/zero; echo the end; {CONTINUE}");
    let world = with_stage(&fixed(1), &script);
    world.stead(&["run", "stage", "chore", "it"]).ok();
    let log = world.folder().join(run_file("it/stage-00-chore/iterations/001/agent.log"));
    let length = log.metadata().unwrap().len();
    assert!(length < 64 << 20, "{length} bytes");
    let text = std::fs::read(log).unwrap();
    assert!(text.ends_with(b"the end\n"), "the end of the output was lost");
}

#[test]
fn an_agent_that_closes_its_output_is_still_waited_for() {
    let script = format!("exec > /dev/null 2>&1 < /dev/null; sleep 0.3; {CONTINUE}");
    let world = with_stage(&fixed(2), &script);
    world.stead(&["run", "stage", "chore", "it"]).ok();
}

#[test]
fn a_daemon_does_not_outlive_its_iteration() {
    let script = format!("setsid sh -c 'echo $$ > daemon; exec sleep 600' > /dev/null 2>&1 & sleep 0.5\n{CONTINUE}");
    let world = with_stage(&fixed(1), &script);
    world.stead(&["run", "stage", "chore", "it"]).ok();
    let daemon = written(&world, "project/daemon");
    until("the daemon is gone", || !is_alive(&daemon));
}

#[test]
fn a_timeout_reaches_those_who_will_not_listen() {
    let head = "termination:\n  type: fixed\nguardrails:\n  max_iterations: 1\n  iteration_timeout_seconds: 2\n";
    let script = "trap '' TERM; sh -c 'trap \"\" TERM; echo $$ > stubborn; while :; do sleep 1; done' & while :; do sleep 1; done";
    let world = with_stage(head, script);
    let run = world.stead(&["run", "stage", "chore", "it"]);
    assert_eq!(run.code, 1, "{run}");
    assert_eq!(state(&world, "it")["error"]["type"], "timeout");
    let stubborn = written(&world, "project/stubborn");
    until("the child is gone", || !is_alive(&stubborn));
}

#[test]
fn a_prompt_that_nobody_reads_is_no_obstacle() {
    let world = with_stage(&fixed(1), CONTINUE);
    let prompt = format!("${{CTX}} ${{STATUS}} ${{OUTPUT}} {}\n", "word ".repeat(200_000));
    world.write("project/.agent/stages/chore/prompt.md", prompt);
    world.stead(&["run", "stage", "chore", "it"]).ok();
}

#[test]
fn a_stale_status_does_not_count() {
    let world = with_stage(
        &fixed(2),
        &format!(
            "[ $STEAD_ITERATION = 2 ] && exit 0; next=${{STEAD_STATUS%001/status.json}}002; mkdir -p $next; cp chore.sh $next/status.json; printf '{{\"decision\":\"stop\"}}' > $next/status.json; {CONTINUE}"
        ),
    );
    let run = world.stead(&["run", "stage", "chore", "it"]);
    assert_eq!(run.code, 1, "{run}");
    assert_eq!(state(&world, "it")["error"]["type"], "missing-status");
}

#[test]
fn an_agent_that_changes_the_run_folder_cannot_mislead_the_engine() {
    let forge = "printf '{\"status\":\"done\"}' > .agent/runs/it/state.json; rm -f .agent/runs/it/plan.json; echo torn >> .agent/runs/it/events.jsonl";
    let world = with_stage(&fixed(3), &format!("{forge}; {CONTINUE}"));
    let run = world.stead(&["run", "stage", "chore", "it"]);
    assert_eq!(run.code, 0, "{run}");
    let state = state(&world, "it");
    assert_eq!(state["status"], "done");
    assert!(world.exists(run_file("it/stage-00-chore/iterations/003/status.json")));
    assert_eq!(world.stead(&["status", "it", "--json"]).json()["status"], "done");
}

#[test]
fn an_agent_that_removes_the_run_folder_fails_the_run() {
    let world = with_stage(&fixed(3), &format!("{CONTINUE}; rm -rf .agent/runs/it"));
    let run = world.stead(&["run", "stage", "chore", "it"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stderr.contains("error"), "{run}");
    assert!(!run.stderr.contains("panicked"), "{run}");
}

#[test]
fn agents_know_their_run() {
    let world = with_stage(&fixed(1), &format!("env > env.txt; {CONTINUE}"));
    world.stead(&["run", "stage", "chore", "it"]).ok();
    let env = world.read("project/env.txt");
    for line in ["STEAD_RUN=it\n", "STEAD_STAGE=chore\n", "STEAD_ITERATION=1\n"] {
        assert!(env.contains(line), "{line}: {env}");
    }
}

#[test]
fn a_hook_call_of_an_agent_is_attributed_to_its_run() {
    let call = "printf '{\"session_id\":\"s-1\",\"cwd\":\"%s\",\"hook_event_name\":\"SessionStart\",\"source\":\"startup\"}' \"$PWD\" | \"$STEAD_UNDER_TEST\" hook claude SessionStart";
    let mut world = with_stage(&fixed(1), &format!("{call}; {CONTINUE}"));
    world.set("STEAD_UNDER_TEST", env!("CARGO_BIN_EXE_stead"));
    world.stead(&["run", "stage", "chore", "it"]).ok();
    let lines = crate::world::lines(&world, "sessions.jsonl");
    let line = lines.iter().find(|line| line["session"] == "s-1").unwrap_or(&Value::Null);
    assert_eq!(
        (&line["run"], &line["stage"], &line["iteration"]),
        (&"it".into(), &"chore".into(), &1.into()),
        "{line}"
    );
}
