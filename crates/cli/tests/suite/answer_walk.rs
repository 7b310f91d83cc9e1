//! Every shape of answer, printed at least once.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use stead_testkit::{Run, World};

use crate::answer::{compare, printed};
use crate::intent::{FILE, INTENTS};
use crate::intent_command::as_agent;
use crate::learned_guard::{commented, repeated};
use crate::page::check_end;
use crate::run::{fixed, stage, start, written};
use crate::world::{by_person, lines, marked, payload, shell, tool};

const GUARD: &str =
    "id: infra\nmode: enforce\non: [before-tool]\nmatch: {writes: ['infra/**']}\nthen: deny\nsay: \"ask first\"\n";

const STATUS: &str = r#"printf '{"decision":"continue","reason":"more","summary":"did a bit"}' > "$STEAD_STATUS""#;

/// Runs a command line with `--json`, whatever its exit code is.
fn ask(world: &World, line: &str) -> Value {
    answer(line, world.stead(&words(line)))
}

/// The same as a person at a terminal, or as the agent of a session.
fn ask_as(world: &World, who: fn(&World, &[&str]) -> Run, line: &str) -> Value {
    let run = who(world, &words(line));
    let value = answer(line, run);
    compare(world, &value);
    value
}

fn words(line: &str) -> Vec<&str> {
    line.split(' ').chain(["--json"]).collect()
}

fn answer(line: &str, run: Run) -> Value {
    let value: Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("`stead {line}`: {error}\n{run}"));
    assert!(value["schema"].as_str().unwrap().starts_with("stead.answer."), "`stead {line}`: {run}");
    value
}

fn agent(world: &World, words: &[&str]) -> Run {
    as_agent(world, "s1", words)
}

fn id(value: &Value) -> String {
    value["id"].as_str().unwrap_or_else(|| panic!("no id in {value:#}")).to_owned()
}

#[test]
fn every_shape_is_printed_and_fits_its_schema() {
    context();
    work();
    proof();
    intents();
    guards();
    traces();
    learning();
    runs();
    setup();
    let listed = marked().stead(&["schema", "--json"]).json();
    let names = listed["items"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap());
    let known: BTreeSet<String> =
        names.filter(|name| name.starts_with("answer.")).map(|name| format!("stead.{name}/1")).collect();
    compare(&marked(), &listed);
    let row = |one: &Value| format!("| `{}` | {} |\n", one["name"].as_str().unwrap(), one["about"].as_str().unwrap());
    let own = listed["items"].as_array().unwrap().iter().filter(|one| {
        let name = one["name"].as_str().unwrap();
        name.starts_with("answer.") || ["error", "message"].contains(&name)
    });
    let table: String = own.map(row).collect();
    check_end("json.md", "answer_walk", &format!("\n| `stead schema` | answer |\n|---|---|\n{table}"), str::to_owned);
    let printed = printed();
    let missing: Vec<&String> = known.difference(&printed).collect();
    assert!(missing.is_empty(), "no command printed {missing:?}");
}

/// Packets, notes, lessons, loops and roles.
fn context() {
    let world = marked();
    world.write("project/a.rs", "fn a() {}\n");
    for line in ["handoff Finish", "packet list", "packet open latest", "packet show latest", "packet activate latest"]
    {
        ask(&world, line);
    }
    for line in ["packet share latest", "packet lint", "pickup latest", "files confirm a.rs", "files", "files compact"]
    {
        ask(&world, line);
    }
    for line in ["note decision Small", "note list", "lesson list", "logs a.rs", "log", "stats", "where", "status"] {
        ask(&world, line);
    }
    let lesson = id(&ask(&world, "lesson add Careful"));
    ask(&world, &format!("lesson drop {lesson}"));
    let started = id(&ask(&world, "loop start Work"));
    ask(&world, &format!("loop show {started}"));
    ask(&world, "loop list");
    ask(&world, "loop log");
    world.stead(&["role", "new", "tester", "--about", "tests"]).ok();
    let roles = ask(&world, "role list");
    ask(&world, &format!("role validate {}", roles["items"][0]["path"].as_str().unwrap()));
    ask_as(&world, agent, "role use tester");
    ask(&world, "role lifecycle status");
    ask(&world, "role recover tester");
    for line in ["agent begin coder", "agent show", "agent end"] {
        ask_as(&world, agent, line);
    }
    ask_as(&world, by_person, "agent flag plan-approved --session s1");
}

/// Features and what a run of the orchestrator needs.
fn work() {
    let world = marked();
    world.write("project/list.json", json!({"userStories": [{"id": "key", "title": "A key"}]}).to_string());
    for line in ["feature list", "feature add door --title Door --verifier true", "feature import list.json"] {
        ask(&world, line);
    }
    for line in ["feature show door", "feature graph", "feature next", "reflect", "orchestrate on"] {
        ask(&world, line);
    }
    ask(&world, "orchestrate --provider mock --run it --features door");
}

fn proof() {
    let world = marked();
    world.stead(&["feature", "add", "door", "--title", "Door", "--verifier", "true"]).ok();
    world.write("project/shot.png", "x");
    for line in ["verify door", "evidence add door --file shot.png", "evidence list", "evidence list door"] {
        ask(&world, line);
    }
    ask(&world, "evidence list --runs");
    ask(&world, "evidence verify");
}

fn intents() {
    let world = marked();
    let proven = "    acceptance_criteria:\n      - text: tested\n        verify: sh check.sh\n";
    world.write(FILE, INTENTS.replace("  - id: INT-002\n", &format!("{proven}  - id: INT-002\n")));
    for line in
        ["intent list", "intent show INT-001", "intent history INT-001", "intent check", "intent scope src/a.rs"]
    {
        ask(&world, line);
    }
    for line in ["intent select INT-001", "intent release"] {
        ask_as(&world, agent, line);
    }
    ask(&world, "intent request More --intent INT-001 --scope docs/a.md");
    ask(&world, "intent complete INT-001");
}

fn guards() {
    let world = marked();
    world.write("project/.agent/guards/infra.yaml", GUARD);
    world.hook("claude PreToolUse", shell(&world, "touch infra/a"));
    let verdict = id(&lines(&world, "sessions.jsonl")[0]);
    ask(&world, &format!("explain {verdict}"));
    for line in ["guard list", "guard show infra", "guard stats", "guard lint", "guard test", "guard review infra"] {
        ask(&world, line);
    }
    for line in ["guard history infra", "guard new other --runs kubectl", "check ls", "config list"] {
        ask(&world, line);
    }
    ask(&world, "config get record.sessions");
    ask_as(&world, by_person, "guard disable other");
    ask_as(&world, by_person, "guard rollback other");
    ask(&world, &format!("appeal {verdict} no"));
    ask_as(&world, by_person, &format!("allow {verdict} --reason fine"));
    world.write(
        "project/cases.jsonl",
        "{\"command\": \"rm -rf /\", \"category\": \"files\", \"expected\": \"block\"}\n",
    );
    ask(&world, "guard bench cases.jsonl");
    ask(&world, "seal status");
    world.write("project/.agent/guards/infra.yaml", GUARD.replace("enforce", "shadow"));
    world.hook("claude PreToolUse", shell(&world, "ls"));
    let changes = ask(&world, "seal log");
    let change = id(&changes["items"][0]);
    ask(&world, &format!("seal diff {change}"));
    ask_as(&world, by_person, &format!("seal accept {change}"));
}

/// The ledger.
fn traces() {
    let world = marked();
    let path = world.write("project/a.rs", "fn a() {}\n");
    let input = json!({"file_path": path, "content": "fn a() {}\nfn b() {}\n"});
    world.hook("claude PreToolUse", tool(&world, "Write", input.clone()));
    world.write("project/a.rs", "fn a() {}\nfn b() {}\n");
    let after = json!({"tool_name": "Write", "tool_input": input, "tool_use_id": "call-1", "tool_response": {}});
    world.hook("claude PostToolUse", payload(&world, "PostToolUse", after));
    let change = id(&ask(&world, "trace log")["items"][0]);
    ask(&world, &format!("trace show {change}"));
    for line in ["trace stats", "trace export", "trace verify", "why a.rs:2", "blame a.rs", "where-is b"] {
        ask(&world, line);
    }
}

fn learning() {
    let world = repeated();
    let pattern = id(&ask(&world, "memory patterns")["items"][0]);
    ask(&world, &format!("memory propose {pattern}"));
    ask(&world, "guard accept");
    ask_as(&world, by_person, &format!("guard accept {pattern}"));
    let trace = id(&ask(&world, "memory store --type decision --what Small --why Simple"));
    for line in ["memory get", "memory confirm"] {
        ask(&world, &format!("{line} {trace}"));
    }
    for line in ["memory query small", "memory export", "memory health"] {
        ask(&world, line);
    }
    world.write("project/theirs.jsonl", world.stead(&["memory", "export"]).ok());
    ask(&world, "memory import theirs.jsonl");
    ask_as(&world, by_person, &format!("memory forget {trace}"));
    let world = commented();
    let pattern = id(&ask(&world, "memory patterns")["items"][0]);
    ask(&world, &format!("memory propose {pattern}"));
    ask(&world, &format!("guard accept {pattern}"));
}

fn runs() {
    let world = marked();
    stage(&world, "chore", &fixed(1), STATUS);
    for line in ["lint", "stage list", "stage show chore", "pipeline list", "pipeline show ideas", "runs"] {
        ask(&world, line);
    }
    for line in ["dry-run stage chore it", "run stage chore it", "status it", "report it", "wait it", "runs prune"] {
        ask(&world, line);
    }
    stage(&world, "long", &fixed(1), "echo $$ > agent; sleep 600");
    let mut engine = start(&world, &["run", "stage", "long", "on", "--background", "--json"]);
    engine.wait().unwrap();
    written(&world, "project/agent");
    ask(&world, "stop on --now");
    // One that ends at once is told as over, not as started.
    stage(&world, "slow", &fixed(1), &format!("sleep 2; {STATUS}"));
    ask(&world, "run stage slow back --background");
    world.stead(&["wait", "back"]);
}

fn setup() {
    let world = marked();
    for line in ["context init", "init --harness claude", "doctor", "trust --show", "agents lint", "agents size"] {
        ask(&world, line);
    }
    for line in ["migrate", "model status", "uninstall --dry-run"] {
        ask(&world, line);
    }
    ask_as(&world, by_person, "model remove");
}
