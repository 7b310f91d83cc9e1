//! The first minutes with Stead, at a terminal of 80 columns and 24 rows.

use serde_json::json;
use stead_testkit::World;

use crate::client::denial;
use crate::world::{bare, by_person, converse, payload, shell};

const AGENTS: &str = "or other names: ";
const GUARDS: &str = "Add them? [Y/n] ";
const GO: &str = "n stops: ";

/// A repository with one commit, in which one agent program was used.
fn used_by_claude() -> World {
    let world = bare();
    world.write("project/.claude/skills/own/SKILL.md", "mine\n");
    world.git(&["add", "-A"]).ok();
    world.git(&["commit", "-qm", "first"]).ok();
    world
}

fn mode_of_starter(world: &World) -> String {
    let text = world.read("project/.agent/guards/destructive.yaml");
    text.lines().find_map(|line| line.strip_prefix("mode: ")).unwrap_or_default().to_owned()
}

#[test]
fn enter_at_every_question_installs_the_shared_default() {
    let world = used_by_claude();
    let run = converse(&world, "init", &[(AGENTS, "\n"), (GUARDS, "\n"), (GO, "\n")]);
    assert_eq!(run.code, 0, "{run}");
    insta::assert_snapshot!("init-enter", run.stdout);
    let shown: Vec<&str> = run.stdout.trim().lines().map(str::trim_end).collect();
    let page = include_str!("../../../../docs/start.md");
    assert!(page.contains(&shown.join("\n")), "docs/start.md shows something else");
    // Neither the questions nor what follows scrolls away.
    for screen in run.stdout.split("\nDone.") {
        let rows: usize = screen.lines().map(|line| line.chars().count().div_ceil(80).max(1)).sum();
        assert!(rows < 24, "{rows} rows\n{run}");
    }
    assert_eq!(mode_of_starter(&world), "shadow");

    // The same as without questions.
    let other = used_by_claude();
    other.stead(&["init", "--yes"]).ok();
    for file in [".claude/settings.json", ".mcp.json", ".agent/guards/destructive.yaml"] {
        assert_eq!(world.read(format!("project/{file}")), other.read(format!("project/{file}")), "{file}");
    }
    let again = converse(&world, "init", &[(AGENTS, "\n")]);
    assert!(again.code == 0 && again.stdout.contains("nothing to change"), "{again}");
}

#[test]
fn the_window_in_docs_is_a_recorded_one() {
    // The client puts blanks of another kind after its marks, which nobody sees.
    let screen = include_str!("../../../scenario/screens/claude.txt").replace('\u{a0}', " ");
    let page = include_str!("../../../../docs/start.md");
    let section = page.split("## In the agent's window\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let shown: Vec<&str> =
        section.split("```").skip(1).step_by(2).flat_map(str::lines).filter(|line| !line.is_empty()).collect();
    assert!(shown.len() > 7, "{section}");
    for line in shown {
        assert!(screen.lines().any(|known| known == line), "not on the screen: {line}");
    }
}

#[test]
fn every_answer_is_understood() {
    let world = used_by_claude();
    let wrong = [(AGENTS, "emacs\n"), (AGENTS, "codex, gemini\n"), (GUARDS, "what\n"), (GUARDS, "n\n")];
    let look = [(GO, "d\n"), (GO, "x\n"), (GO, "p\n"), (GO, "s\n"), (GO, "\n")];
    let run = converse(&world, "init", &[&wrong[..], &look].concat());
    assert_eq!(run.code, 0, "{run}");
    assert!(run.stdout.contains("error: unknown harness `emacs`"), "{run}");
    assert_eq!(run.stdout.matches("+++ b/.codex/hooks.json").count(), 1, "the diff once: {run}");
    assert!(world.exists("project/.codex/hooks.json") && world.exists("project/.gemini/settings.json"));
    assert!(!world.exists("project/.claude/settings.json") && !world.exists("project/.agent/guards/destructive.yaml"));

    let world = used_by_claude();
    for ends in [
        &[(AGENTS, "\u{4}")][..],
        &[(AGENTS, "\n"), (GUARDS, "\u{4}")],
        &[(AGENTS, "\n"), (GUARDS, "\n"), (GO, "\u{4}")],
    ] {
        let run = converse(&world, "init", ends);
        assert!(run.code == 1 && run.stdout.ends_with("nothing was changed\n"), "{run}");
        assert!(!world.exists("project/.agent") && !world.exists("project/.mcp.json"));
    }
}

#[test]
fn options_are_not_asked_about() {
    let world = used_by_claude();
    converse(&world, "init --harness claude --no-guards --local", &[(GO, "\n")]);
    assert!(world.exists("project/.claude/settings.local.json") && !world.exists("project/.agent/guards"));
    let world = used_by_claude();
    converse(&world, "init --no-hooks", &[(GO, "\n")]);
    assert!(world.exists("project/.agent/context/root.json") && !world.exists("project/.agent/guards"));
    // An existing project is not asked about guards either, and gets them on request.
    converse(&world, "init --harness claude", &[(GO, "\n")]);
    assert!(!world.exists("project/.agent/guards"));
    world.stead(&["init", "--guards", "--no-hooks"]).ok();
    assert_eq!(mode_of_starter(&world), "shadow");
}

#[test]
fn older_hooks_are_replaced_by_the_same_question() {
    let world = used_by_claude();
    let old =
        r#"{"hooks":{"PreCompact":[{"hooks":[{"type":"command","command":"bash .claude/hooks/pre-compact.sh"}]}]}}"#;
    world.write("project/.claude/settings.json", old);
    let run = converse(&world, "init --harness claude --no-guards", &[(GO, "r\n"), (GO, "\n")]);
    assert!(run.code == 0 && !world.read("project/.claude/settings.json").contains("pre-compact.sh"), "{run}");
}

/// One session with these shell calls; returns what each call and the stop were answered.
fn session(world: &World, id: &str, commands: &[&str]) -> (Vec<String>, String) {
    let own = |text: String| text.replace("session-1", id);
    world.hook("claude SessionStart", own(payload(world, "SessionStart", json!({"source": "startup"}))));
    world.hook("claude UserPromptSubmit", own(payload(world, "UserPromptSubmit", json!({"prompt": "go"}))));
    let calls = commands.iter().map(|command| world.hook("claude PreToolUse", own(shell(world, command))));
    let denied = calls.filter_map(|run| denial(&run)).collect();
    let stop = world.hook("claude Stop", own(payload(world, "Stop", json!({"stop_hook_active": false})))).stdout;
    world.hook("claude SessionEnd", own(payload(world, "SessionEnd", json!({"reason": "other"}))));
    (denied, stop)
}

#[test]
fn starter_guards_block_nothing_and_ask_to_be_enforced_after_three_sessions() {
    let world = used_by_claude();
    world.stead(&["init", "--harness", "claude", "--yes"]).ok();
    let due = "`stead guard enable destructive` enforces it";
    let status = world.stead(&["status"]).ok();
    assert!(status.contains("last 24 h: none blocked; `destructive` only watches; `stead guard list`\n"), "{status}");
    for (id, commands) in [("one", &["git reset --hard", "cat .env"][..]), ("two", &["git push -f origin main"])] {
        let (denied, stop) = session(&world, id, commands);
        assert_eq!(denied, [] as [String; 0]);
        assert!(stop.contains("in this turn, guards in shadow mode would have acted") && !stop.contains(due), "{stop}");
    }
    let (denied, stop) = session(&world, "three", &["git reset --hard HEAD~1"]);
    assert_eq!(denied, [] as [String; 0]);
    let said = "it would have stopped 4 calls in 3 sessions: `git reset --hard HEAD~1`, `git push -f origin main`, \
                `cat .env`. ";
    assert!(stop.contains(said) && stop.contains(due), "{stop}");
    // A session in which nothing of it happened does not repeat it at its end, but the next one starts with it.
    let (_, stop) = session(&world, "four", &["git status"]);
    assert!(!stop.contains(due), "{stop}");
    let start = world.hook("claude SessionStart", payload(&world, "SessionStart", json!({"source": "startup"})));
    assert!(start.stdout.contains(due), "{start}");
    let told = by_person(&world, &["context", "init"]).stdout;
    assert!(told.contains("note: `destructive` only watches") && told.contains(due), "{told}");

    let enabled = world.stead(&["guard", "enable", "destructive"]).ok();
    assert!(enabled.contains("is now in mode `enforce`"), "{enabled}");
    let (denied, stop) = session(&world, "five", &["git reset --hard"]);
    assert!(denied.len() == 1 && !stop.contains(due), "{denied:?} {stop}");
    assert!(!world.stead(&["status"]).ok().contains("only watches"));
}

#[test]
fn proof_is_enforced_from_the_first_day() {
    let world = used_by_claude();
    world.stead(&["init", "--harness", "claude", "--yes"]).ok();
    world.write("project/.agent/features/feature-list.json", r#"{"features": [{"id": "login", "tested": false}]}"#);
    let claim = "sed -i 's/false/true/' .agent/features/feature-list.json";
    let said = denial(&world.hook("claude PreToolUse", shell(&world, claim)));
    assert!(said.is_some_and(|why| why.contains("tested-needs-evidence")));
    let listed = world.stead(&["guard", "list", "--json"]).json();
    let mode = |id: &str| {
        let guards = listed["items"].as_array().unwrap().iter();
        guards.filter(|guard| guard["id"] == id && guard["state"] == "active").map(|guard| guard["mode"].clone()).next()
    };
    assert_eq!(mode("tested-needs-evidence"), Some(json!("enforce")));
    assert_eq!(mode("proof-stays-fixed"), Some(json!("enforce")));
    assert_eq!(mode("destructive.whole-tree"), Some(json!("shadow")));
}
