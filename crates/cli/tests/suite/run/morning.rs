//! The morning after: how one waits for a run, what it left, and how it goes on.

use super::{
    CONTINUE, STOP, bounded, events, pipeline, run_file, signal, stage, start, state, until, with_stage, written,
};
use crate::world::{by_person, marked};

const JUDGMENT: &str = "termination:\n  type: judgment\n  min_iterations: 1\n  consensus: 1\nguardrails:\n  max_iterations: 2\n  iteration_timeout_seconds: 600\n";

#[test]
fn an_end_without_verification_has_its_own_code() {
    let world = with_stage(&format!("{JUDGMENT}verify: [\"test -e good\"]\n"), STOP);
    let run = world.stead(&["run", "stage", "chore", "it"]);
    assert_eq!((run.code, &state(&world, "it")["status"]), (6, &"unverified".into()), "{run}");
    assert!(run.stderr.contains("not done, because its verification failed"), "{run}");
    assert!(run.stderr.contains("or let the agents continue: stead run stage chore it --resume --max 4"), "{run}");
    assert_eq!(world.stead(&["wait", "it"]).code, 6);
    world.write("project/good", "");
    let run = world.stead(&["run", "stage", "chore", "it", "--resume"]);
    assert_eq!((run.code, events(&world, "it", "iteration-ended").len()), (0, 2), "{run}");
    // What only has to run is marked, and ends the stage.
    stage(&world, "chore", &format!("{JUDGMENT}verify: {{commands: [\"false\"], must: run}}\n"), STOP);
    let run = world.stead(&["run", "stage", "chore", "marked"]);
    assert_eq!((run.code, events(&world, "marked", "iteration-ended").len()), (6, 1), "{run}");
}

/// Whoever repairs what failed may also add to the queue, and then it is not done.
#[test]
fn a_queue_that_was_filled_meanwhile_is_not_done() {
    let head = "termination:\n  type: queue\n  command: cat todo\nguardrails:\n  max_iterations: 2\n  iteration_timeout_seconds: 600\nverify: [\"test -e good\"]\n";
    let world = with_stage(head, &format!(": > todo; {CONTINUE}"));
    world.write("project/todo", "one\n");
    assert_eq!(world.stead(&["run", "stage", "chore", "it"]).code, 6);
    world.write("project/good", "");
    world.write("project/todo", "two\n");
    let run = world.stead(&["run", "stage", "chore", "it", "--resume"]);
    assert_eq!((run.code, &state(&world, "it")["status"]), (3, &"limit".into()), "{run}");
    let run = world.stead(&["run", "stage", "chore", "it", "--resume", "--max", "3"]);
    assert_eq!((run.code, events(&world, "it", "iteration-ended").len()), (0, 3), "{run}");
}

#[test]
fn waiting_gives_the_runs_own_code() {
    let world =
        with_stage(&bounded(1), &format!("echo $$ > agent; while [ ! -e go ]; do sleep 0.05; done; {CONTINUE}"));
    stage(&world, "bad", &bounded(1), "exit 3");
    world.stead(&["run", "stage", "bad", "bad"]);
    world.stead(&["run", "stage", "chore", "it", "--background"]).ok();
    let late = world.stead(&["wait", "it", "--timeout", "1s"]);
    assert!(late.code == 124 && late.stderr.contains("still running: `it`"), "{late}");
    let late = world.stead(&["wait", "it", "--timeout", "1s", "--json"]).json();
    assert_eq!((&late["timed_out"], &late["items"][0]["status"]), (&true.into(), &"running".into()), "{late}");
    let (both, watch) = (start(&world, &["wait", "it", "bad"]), start(&world, &["status", "bad", "--watch"]));
    assert_eq!(watch.wait_with_output().unwrap().status.code(), Some(1), "as the run");
    world.write("project/go", "");
    let both = both.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&both.stdout);
    assert!(both.status.code() == Some(1) && said.contains("it: done") && said.contains("bad: failed"), "{both:?}");
    assert_eq!(world.stead(&["wait", "it"]).code, 0);
    assert_eq!(world.stead(&["wait", "nobody"]).code, 2);
    let log = world.read(run_file("it/engine.log"));
    let is_timed = |line: &str| line.len() > 21 && line.starts_with("20") && &line[19..21] == "Z ";
    assert!(!log.is_empty() && log.lines().all(is_timed), "{log}");
}

/// Its engine is killed, so it will not end: whoever waits must not wait forever.
#[test]
fn waiting_for_a_dead_engine_ends() {
    let world = with_stage(&bounded(1), "echo $$ > agent; exec sleep 600");
    let mut child = start(&world, &["run", "stage", "chore", "it"]);
    written(&world, "project/agent");
    signal(&child, "KILL");
    child.wait().unwrap();
    let run = world.stead(&["wait", "it"]);
    assert!(run.code == 1 && run.stdout.contains("interrupted"), "{run}");
    world.stead(&["stop", "it", "--now"]).ok();
}

#[test]
fn a_deleted_history_is_noticed() {
    let world =
        with_stage(&bounded(2), &format!("[ $STEAD_ITERATION = 1 ] && rm .agent/runs/*/events.jsonl; {CONTINUE}"));
    let run = world.stead(&["run", "stage", "chore", "it"]);
    assert!(run.stderr.contains("warning: `events.jsonl` was deleted during the run; it was restored"), "{run}");
    assert_eq!((events(&world, "it", "run-started").len(), events(&world, "it", "iteration-ended").len()), (1, 2));
    std::fs::remove_file(world.project().join(".agent/runs/it/events.jsonl")).unwrap();
    let run = world.stead(&["status", "it"]);
    assert!(run.stdout.contains("`events.jsonl` is missing"), "{run}");
    world.stead(&["report", "it"]).ok();
    assert!(world.read(run_file("it/report/index.md")).contains("`events.jsonl` is missing"));
}

/// A history can also be replaced, shortened or emptied, and that between two engines.
#[test]
fn a_damaged_history_is_noticed_and_hinders_nothing() {
    let replace = "rm .agent/runs/it/events.jsonl; mkdir .agent/runs/it/events.jsonl";
    let world = with_stage(
        &bounded(3),
        &format!(
            "[ $STEAD_ITERATION = 1 ] && {{ {replace}; }}; [ $STEAD_ITERATION != 3 ] || [ -e go ] || exit 5; {CONTINUE}"
        ),
    );
    let run = world.stead(&["run", "stage", "chore", "it"]);
    assert!(run.stderr.contains("warning: `events.jsonl` was replaced during the run; it was restored"), "{run}");
    assert_eq!((events(&world, "it", "run-started").len(), events(&world, "it", "iteration-started").len()), (1, 3));
    let path = world.project().join(".agent/runs/it/events.jsonl");
    let whole = std::fs::read_to_string(&path).unwrap();
    let half: String = whole.lines().take(3).map(|line| format!("{line}\n")).collect();
    let harms: [(&str, &dyn Fn()); 3] = [
        ("was shortened", &|| std::fs::write(&path, &half).unwrap()),
        ("was emptied", &|| std::fs::write(&path, "").unwrap()),
        ("is missing", &|| {
            std::fs::remove_file(&path).unwrap();
            std::fs::create_dir(&path).unwrap();
        }),
    ];
    for (words, harm) in harms {
        harm();
        let words = format!("`events.jsonl` {words}");
        assert!(world.stead(&["status", "it"]).stdout.contains(&words), "{words}");
        assert_eq!(world.stead(&["report", "it", "--json"]).json()["history_lost"], true, "{words}");
        let run = world.stead(&["run", "stage", "chore", "it", "--resume"]);
        assert!(run.code == 1 && run.stderr.contains(&format!("warning: {words}")), "{run}");
        assert!(events(&world, "it", "warning")[0]["message"].as_str().unwrap().starts_with(&words));
        assert!(!world.stead(&["status", "it"]).stdout.contains("`events.jsonl`"), "it is told once");
    }
    world.write("project/go", "");
    world.stead(&["run", "stage", "chore", "it", "--resume"]).ok();
}

#[test]
fn a_status_in_a_fence_is_read_and_told() {
    let world =
        with_stage(&bounded(1), "printf '```json\\n{\"decision\": \"stop\"} // done\\n```\\n' > \"$STEAD_STATUS\"");
    let run = world.stead(&["run", "stage", "chore", "it"]);
    assert!(run.code == 0 && run.stderr.contains("read without a code fence and comments"), "{run}");
    assert!(events(&world, "it", "warning")[0]["message"].as_str().unwrap().contains("a code fence"));
}

/// Neither the fence nor a comment hides a secret from the redactor.
#[test]
fn a_secret_in_a_fenced_status_is_covered() {
    let key = concat!("sk-ant-api03-", "abcdefghijklmnopqrstuvwxyz0123456789ABCDEF");
    let script = format!(
        "printf '```json\\n{{\"decision\": \"stop\", \"reason\": \"found {key}\"}} // it\\047s \"{key}\"\\n```\\n' > \"$STEAD_STATUS\""
    );
    let world = with_stage(&bounded(1), &script);
    let run = world.stead(&["run", "stage", "chore", "it"]);
    assert!(run.code == 0 && !run.stderr.contains(key), "{run}");
    let status = world.read(run_file("it/stage-00-chore/iterations/001/status.json"));
    assert!(status.starts_with("```json") && status.matches("[redacted]").count() == 2, "{status}");
}

/// Its engine was killed, so nobody covered what its agent wrote.
#[test]
fn a_secret_of_an_attempt_that_was_lost_is_covered() {
    let key = concat!("sk-ant-api03-", "abcdefghijklmnopqrstuvwxyz0123456789ABCDEF");
    let first = format!("echo 'note {key}' | tee \"$STEAD_OUTPUT\" \"$STEAD_STATUS\" >> \"$STEAD_PROGRESS\"");
    let world = with_stage(
        &bounded(1),
        &format!("[ -e agent ] || {{ {first}; echo $$ > agent; exec sleep 600; }}; {CONTINUE}"),
    );
    let mut child = start(&world, &["run", "stage", "chore", "it"]);
    written(&world, "project/agent");
    signal(&child, "KILL");
    child.wait().unwrap();
    world.stead(&["run", "stage", "chore", "it", "--resume"]).ok();
    let attempt = world.project().join(".agent/runs/it/stage-00-chore/iterations/001/attempt-1");
    let texts: Vec<String> = std::fs::read_dir(attempt)
        .unwrap()
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    assert_eq!(texts.iter().filter(|text| text.contains("note [redacted]")).count(), 3, "{texts:?}");
    assert!(!texts.concat().contains(key), "{texts:?}");
}

/// A failure is said once, with its reason at the end.
#[test]
fn a_failure_is_printed_once() {
    let world = with_stage(&bounded(2), "exit 7");
    let run = world.stead(&["run", "stage", "chore", "it"]);
    assert_eq!(run.stderr.matches("exited with code 7").count(), 1, "{run}");
    assert_eq!(run.stderr.lines().filter(|line| line.contains("failed")).count(), 2, "{run}");
}

#[test]
fn a_queue_is_rehearsed_as_it_runs() {
    let head = "termination:\n  type: queue\n  command: exit 9\nguardrails:\n  max_iterations: 5\n";
    let world = with_stage(head, CONTINUE);
    for number in [1, 2, 3] {
        let text = format!("---status\n{{\"decision\": \"stop\"}}\n---\nanswer {number}\n");
        world.write(format!("project/.agent/stages/chore/fixtures/iteration-{number}.txt"), text);
    }
    let run = world.stead(&["test", "stage", "chore"]);
    assert_eq!(run.code, 0, "{run}");
    for words in ["3 left in the queue", "0 left in the queue", "3 iterations"] {
        assert!(run.stdout.contains(words) || run.stderr.contains(words), "{words}: {run}");
    }
    assert_eq!(world.stead(&["test", "stage", "chore", "--iterations", "2"]).code, 3, "a limit, as in a run");
    let shown = world.stead(&["stage", "show", "chore"]).ok();
    assert!(shown.contains("# --- fixtures/iteration-2.txt") && shown.contains("answer 2"), "{shown}");
    let json = world.stead(&["stage", "show", "chore", "--json"]).json();
    assert_eq!(json["fixtures"][2]["name"], "iteration-3.txt", "{json}");
    let built_in = world.stead(&["stage", "show", "work"]).ok();
    assert!(built_in.contains("# --- fixtures/") && built_in.contains("\"blocked_on\": \"human\""), "{built_in}");
}

#[test]
fn runs_of_the_older_engine_are_named() {
    let world = marked();
    world.write(
        "project/.claude/pipeline-runs/auth/state.json",
        r#"{"session": "auth", "pipeline": "refine", "status": "running"}"#,
    );
    assert!(world.stead(&["status"]).ok().contains("of the older engine: auth (running)"));
    assert_eq!(world.stead(&["status", "--json"]).json()["older_runs"][0]["run"], "auth");
    let said = world.stead(&["migrate", "--dry-run"]).ok();
    assert!(
        said.contains("keeps    .claude/pipeline-runs/auth (a run of refine of the older engine, running)"),
        "{said}"
    );
    assert_eq!(world.stead(&["migrate", "--dry-run", "--json"]).json()["older_runs"][0]["status"], "running");
    // One that is complete waits for nobody.
    world.write("project/.claude/pipeline-runs/auth/state.json", r#"{"pipeline": "refine", "status": "completed"}"#);
    let said = world.stead(&["status"]).ok();
    assert!(said.contains("runs     1 of the older engine; `stead migrate --dry-run`"), "{said}");
    assert!(!said.contains("Waiting"), "{said}");
}

#[test]
fn instructions_can_say_how_runs_work() {
    let world = marked();
    world.write("project/AGENTS.md", "# Ours\n");
    world.stead(&["init", "--harness", "codex", "--runs", "--yes"]).ok();
    let text = world.read("project/AGENTS.md");
    assert!(text.starts_with("# Ours\n\nIn a run of `stead`") && text.lines().count() == 5, "{text}");
    assert!(text.contains("$STEAD_CONTEXT") && text.contains("$STEAD_STATUS") && text.contains("blocked_on"), "{text}");
    world.stead(&["init", "--harness", "codex", "--runs", "--lessons", "--yes"]).ok();
    assert_eq!(world.read("project/AGENTS.md").matches("$STEAD_STATUS").count(), 1);
    by_person(&world, &["uninstall", "--yes"]).ok();
    assert_eq!(world.read("project/AGENTS.md").trim_end(), "# Ours");
}

/// The others go on, and what they did is not lost.
#[test]
fn a_failing_branch_lets_the_others_finish() {
    let world = with_stage(&bounded(2), CONTINUE);
    stage(&world, "bad", &bounded(1), "exit 3");
    pipeline(&world, "two", "  - {id: good, template: chore, needs: []}\n  - {id: bad, template: bad, needs: []}\n");
    let run = world.stead(&["run", "pipeline", "two", "it"]);
    let nodes = &state(&world, "it")["nodes"];
    assert_eq!((run.code, &nodes[0]["status"], &nodes[1]["status"]), (1, &"done".into(), &"failed".into()), "{run}");
    until("the engine is gone", || world.stead(&["status", "it", "--json"]).json()["pid"].is_null());
}
