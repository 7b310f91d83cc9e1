//! Guards from repeated mistakes: from the pattern to the guard, its modes and its way back.

use serde_json::{Value, json};
use stead_testkit::World;

use crate::client::denial;
use crate::world::{by_person, lines, marked, payload, shell};

const GUARD: &str =
    "id: infra\nmode: enforce\non: [before-tool]\nmatch: {writes: ['infra/**']}\nthen: deny\nsay: \"ask first\"\n";

/// A call of a session, and a person's correction of it.
fn corrected(world: &World, session: &str, call: &str, command: &str) {
    ran(world, session, call, command);
    let trace = json!({
        "v": 1, "id": format!("00000000-0000-4000-8000-0000000{call}"), "project": "p",
        "timestamp": "2099-01-01T00:00:00.000Z", "type": "correction", "status": "suspected", "scope": "project",
        "source": "user_correction", "context": {"session": session, "call": call},
        "event": {"what_happened": "changed infra", "what_was_correct": "open a ticket"},
    });
    let path = "project/.agent/graph/traces.jsonl";
    let old = if world.exists(path) { world.read(path) } else { String::new() };
    world.write(path, format!("{old}{trace}\n"));
}

fn ran(world: &World, session: &str, call: &str, command: &str) -> stead_testkit::Run {
    let mut payload: Value = serde_json::from_str(&shell(world, command)).unwrap();
    payload["session_id"] = json!(session);
    payload["tool_use_id"] = json!(call);
    world.hook("claude PreToolUse", payload.to_string())
}

/// Three corrections in two sessions.
pub(crate) fn repeated() -> World {
    let world = marked();
    corrected(&world, "one", "10001", "sed -i s/a/b/ infra/main.tf");
    corrected(&world, "one", "10002", "cd infra && rm old.tf");
    ran(&world, "one", "10003", "touch docs/a.md");
    corrected(&world, "two", "10004", "echo x | tee infra/new.tf");
    world
}

fn pattern(world: &World) -> String {
    let found = world.stead(&["memory", "patterns", "--json"]).json();
    found["items"][0]["id"].as_str().unwrap_or_else(|| panic!("{found}")).to_owned()
}

#[test]
fn the_loop_closes() {
    let world = repeated();
    let found = world.stead(&["memory", "patterns", "--json"]).json();
    let item = &found["items"][0];
    assert_eq!((&item["kind"], &item["count"], &item["sessions"]), (&json!("correction"), &json!(3), &json!(2)));
    assert_eq!(item["evidence"].as_array().unwrap().len(), 3);
    let id = item["id"].as_str().unwrap();
    let proposed = world.stead(&["memory", "propose", id, "--json"]).json();
    let counts = ["fired", "own_incidents", "allowed_stopped", "silent", "without_effects"].map(|name| &proposed[name]);
    assert_eq!(counts, [&json!(3), &json!(3), &json!(0), &json!(1), &json!(0)]);
    assert!(proposed["guard"].as_str().unwrap().contains("match: {writes: \"infra/*.tf\"}"), "{proposed}");
    let guard = proposed["id"].as_str().unwrap();
    assert!(!world.exists(format!("project/.agent/guards/{guard}.yaml")), "a proposal applies nothing");
    world.stead(&["guard", "accept", id]).ok();
    world.stead(&["guard", "lint"]).ok();
    world.stead(&["guard", "test", guard]).ok();
    let fourth = "python3 -c \"open('infra/other.tf', 'w').write('x')\"";
    assert_eq!(denial(&ran(&world, "three", "10005", fourth)), None, "it starts in shadow mode");
    let missing = world.stead(&["guard", "promote", guard, "--check", "--json"]);
    assert_eq!(missing.code, 1, "{missing}");
    assert!(missing.json()["missing"].to_string().contains("1 hits not reviewed"), "{missing}");
    assert!(world.stead(&["guard", "review", guard]).ok().contains("1 hit since the last review"));
    let missing = world.stead(&["guard", "promote", guard, "--check", "--json"]).json();
    assert!(!missing.to_string().contains("not reviewed"), "{missing}");
    for mode in ["warn", "enforce"] {
        let told = world.stead(&["guard", "promote", guard, "--json"]).json();
        assert_eq!(told["mode"], mode);
    }
    let denied = denial(&ran(&world, "three", "10006", fourth)).unwrap();
    assert!(denied.contains("open a ticket"), "{denied}");
    assert_eq!(denial(&ran(&world, "three", "10007", "cat infra/main.tf; touch docs/b.md")), None);
    let history = world.stead(&["guard", "history", guard, "--json"]).json();
    let steps: Vec<&str> =
        history["items"].as_array().unwrap().iter().map(|one| one["what"].as_str().unwrap()).collect();
    assert_eq!(steps, ["accept", "promote", "promote"]);
    assert!(world.stead(&["guard", "rollback", guard]).stderr.contains("there is no terminal"));
    assert_eq!(by_person(&world, &["guard", "rollback", guard]).code, 0);
    assert!(world.read(format!("project/.agent/guards/{guard}.yaml")).contains("mode: warn"));
    let first = history["items"][0]["to"].as_str().unwrap();
    assert_eq!(by_person(&world, &["guard", "rollback", guard, "--to", first]).code, 0);
    assert!(world.read(format!("project/.agent/guards/{guard}.yaml")).contains("mode: shadow"));
    let unknown = by_person(&world, &["guard", "rollback", guard, "--to", "zzz"]);
    assert!(unknown.code == 1 && unknown.stdout.contains("hint: expected one of"), "{unknown}");
}

#[test]
fn an_agent_proposes_and_a_person_accepts() {
    let mut world = repeated();
    let id = pattern(&world);
    world.set("CLAUDECODE", "1");
    let told = world.stead(&["memory", "propose", &id, "--accept"]);
    assert!(told.code == 0 && told.stderr.contains("agents may not accept it"), "{told}");
    for args in [&["guard", "accept", &id][..], &["guard", "rollback", "x"], &["guard", "review", "destructive"]] {
        let run = world.stead(args);
        assert!(run.code == 1 && run.stderr.contains("only a person may"), "{args:?}: {run}");
    }
    assert!(!world.exists("project/.agent/guards/no-writes-infra-tf.yaml"));
    let proposals = world.stead(&["guard", "accept", "--json"]).json();
    assert_eq!((&proposals["items"][0]["id"], &proposals["items"][0]["by"]), (&json!(id), &json!("agent")));
    world.unset("CLAUDECODE");
    world.stead(&["guard", "accept", "no-writes-infra-tf"]).ok();
    assert!(world.exists("project/.agent/guards/no-writes-infra-tf.yaml"));
    assert_eq!(world.stead(&["guard", "accept", "--json"]).json()["items"], json!([]));
    // The hook stops an agent before the commands do, and lets it propose.
    for command in [
        "stead guard accept p-1",
        "stead guard rollback g",
        "stead appeal uphold v-00000000",
        "rm .agent/graph/patterns.jsonl",
    ] {
        assert!(denial(&ran(&world, "four", "10008", command)).is_some(), "{command}");
    }
    for command in ["stead memory propose p-1 --accept", "stead memory patterns", "stead appeal v-00000000 uphold it"] {
        assert_eq!(denial(&ran(&world, "four", "10009", command)), None, "{command}");
    }
}

#[test]
fn a_person_accepts_at_once() {
    let world = repeated();
    let id = pattern(&world);
    let told = world.stead(&["memory", "propose", &id, "--accept"]).ok();
    assert!(told.contains("created .agent/guards/no-writes-infra-tf.yaml in mode `shadow`"), "{told}");
    let text = world.read("project/.agent/guards/no-writes-infra-tf.yaml");
    assert!(
        text.contains("# Drafted from pattern") && text.contains("# Back-test: would have fired 3 times"),
        "{text}"
    );
    let again = world.stead(&["memory", "propose", &id, "--accept"]).ok();
    assert!(again.contains("no-writes-infra-tf-2"), "{again}");
}

/// Of several that accept it at once, one creates the guard. The others change nothing, and say so.
#[test]
fn a_proposal_is_accepted_once() {
    let world = repeated();
    let id = pattern(&world);
    world.stead(&["memory", "propose", &id]).ok();
    let runs: Vec<_> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..6).map(|_| scope.spawn(|| world.stead(&["guard", "accept", &id]))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(runs.iter().filter(|run| run.code == 0).count(), 1, "{runs:?}");
    for run in runs.iter().filter(|run| run.code != 0) {
        assert!(run.code == 1 && run.stderr.contains("hint: "), "{run}");
    }
    let history = world.stead(&["guard", "history", "no-writes-infra-tf", "--json"]).json();
    assert_eq!(history["items"].as_array().unwrap().len(), 1, "{history}");
}

#[test]
fn one_session_proposes_nothing_and_an_unknown_id_is_named() {
    let world = marked();
    for call in ["10001", "10002", "10003", "10004"] {
        corrected(&world, "one", call, "touch infra/a.tf");
    }
    assert!(world.stead(&["memory", "patterns"]).ok().starts_with("No patterns"));
    let run = world.stead(&["memory", "propose", "p-12345678"]);
    assert!(run.code == 1 && run.stderr.contains("there is no pattern `p-12345678`"), "{run}");
}

#[test]
fn patterns_are_found_after_a_session_and_told_at_the_next() {
    let world = repeated();
    let event = |name: &str, own: Value| world.hook(&format!("claude {name}"), payload(&world, name, own));
    event("SessionEnd", json!({"reason": "exit"}));
    let id = pattern(&world);
    let book = || world.read("project/.agent/graph/patterns.jsonl");
    let first = book();
    assert!(first.lines().count() == 1 && first.contains(&id) && first.contains("\"proposes\":\"guard\""), "{first}");
    event("SessionEnd", json!({"reason": "exit"}));
    let status = world.stead(&["status"]).ok();
    assert_eq!(book(), first, "nothing is new");
    assert!(status.contains(&format!("; `stead memory propose {id}`\n")), "{status}");
    let start = event("SessionStart", json!({"source": "startup"})).stdout;
    assert!(start.contains(&format!("stead memory propose {id}")), "{start}");
}

/// A person allows a verdict of a session.
fn overridden(world: &World, session: &str, call: &str, file: &str) {
    let reason = denial(&ran(world, session, call, &format!("touch infra/{file}"))).unwrap();
    let id = reason.rsplit_once('[').unwrap().1.trim_end_matches(']').to_owned();
    let run = by_person(world, &["allow", &id, "--for", "1s", "--reason", "fine"]);
    assert_eq!(run.code, 0, "{run}");
}

#[test]
fn a_guard_that_people_override_steps_down() {
    let world = marked();
    world.write("project/.agent/guards/infra.yaml", GUARD);
    overridden(&world, "one", "10001", "a");
    overridden(&world, "one", "10002", "b");
    overridden(&world, "one", "10003", "c");
    assert_eq!(world.read("project/.agent/guards/infra.yaml"), GUARD, "one session does not count");
    // An agent's appeals never count.
    let denied = denial(&ran(&world, "two", "10004", "touch infra/d")).unwrap();
    let verdict = denied.rsplit_once('[').unwrap().1.trim_end_matches(']').to_owned();
    world.stead(&["appeal", &verdict, "it is fine"]).ok();
    assert_eq!(world.read("project/.agent/guards/infra.yaml"), GUARD);
    assert_eq!(world.stead(&["appeal", "uphold", &verdict]).code, 1, "only a person at a terminal");
    let run = by_person(&world, &["appeal", "uphold", &verdict, "it is fine"]);
    assert!(run.code == 0 && run.stdout.contains("`infra` went from `enforce` to `warn`"), "{run}");
    let text = world.read("project/.agent/guards/infra.yaml");
    assert!(text.contains("mode: warn") && text.contains(&format!(", {verdict}")) || text.contains(&verdict), "{text}");
    assert!(text.ends_with(&GUARD["id: infra\nmode: enforce\n".len()..]), "{text}");
    assert!(world.stead(&["guard", "list"]).ok().contains("`infra` went from `enforce` to `warn`"));
    let start = world.hook("claude SessionStart", payload(&world, "SessionStart", json!({"source": "startup"}))).stdout;
    assert!(start.contains("went from `enforce` to `warn`"), "{start}");
    // The same decisions do not count twice.
    let text = world.read("project/.agent/guards/infra.yaml");
    world.stead(&["status"]).ok();
    assert_eq!(world.read("project/.agent/guards/infra.yaml"), text);
    assert_eq!(by_person(&world, &["guard", "rollback", "infra"]).code, 0);
    assert_eq!(world.read("project/.agent/guards/infra.yaml"), GUARD);
    assert_eq!(lines(&world, "appeals.jsonl").len(), 2);
    let stats = world.stead(&["guard", "stats", "infra", "--json"]).json();
    assert_eq!((&stats["items"][0]["appeals"], &stats["items"][0]["upheld"]), (&json!(1), &json!(1)));
}

#[test]
fn a_guard_about_nothing_is_reported() {
    let world = marked();
    world.write("project/.agent/guards/infra.yaml", GUARD);
    let marks = || {
        world.stead(&["guard", "list", "--json"]).json()["items"]
            .as_array()
            .unwrap()
            .iter()
            .find(|guard| guard["id"] == "infra")
            .unwrap()["marks"]
            .clone()
    };
    assert_eq!(marks(), json!(["orphaned"]));
    assert!(world.stead(&["doctor", "--all"]).stdout.contains("`infra` is about folders that do not exist"));
    world.write("project/infra/a.tf", "");
    assert_eq!(marks(), json!([]));
    let line = json!({"v": 1, "ts": "2026-01-01T00:00:00.000Z", "harness": "claude", "event": "before-tool", "verdict": "allow"});
    world.write("project/.agent/context/indexes/sessions.jsonl", format!("{line}\n").repeat(200));
    assert_eq!(marks(), json!(["dormant"]));
}

#[test]
fn a_mode_is_proposed_for_a_guard_that_matches_often() {
    let world = marked();
    world.write("project/.agent/guards/infra.yaml", GUARD.replace("enforce", "shadow"));
    for (session, call) in [("one", "10001"), ("one", "10002"), ("two", "10003")] {
        ran(&world, session, call, "touch infra/a");
    }
    let id = pattern(&world);
    let proposed = world.stead(&["memory", "propose", &id, "--json"]).json();
    assert_eq!(
        (&proposed["kind"], &proposed["id"], &proposed["mode"]),
        (&json!("mode"), &json!("infra"), &json!("warn"))
    );
    world.stead(&["guard", "accept", &id]).ok();
    assert!(world.read("project/.agent/guards/infra.yaml").contains("mode: warn"));
}

/// Three corrections that no guard can express.
pub(crate) fn commented() -> World {
    let world = marked();
    for (number, session) in ["one", "one", "two"].iter().enumerate() {
        let trace = json!({
            "v": 1, "id": format!("00000000-0000-4000-8000-00000000000{number}"), "project": "p",
            "timestamp": "2026-01-01T00:00:00.000Z", "type": "correction", "status": "confirmed",
            "context": {"session": session},
            "event": {"what_happened": format!("added a comment to `f{number}.rs` that repeats the code"),
                "what_was_correct": "say why, not what"},
        });
        let path = "project/.agent/graph/traces.jsonl";
        let old = if world.exists(path) { world.read(path) } else { String::new() };
        world.write(path, format!("{old}{trace}\n"));
    }
    world
}

#[test]
fn what_no_guard_can_express_becomes_a_lesson() {
    let world = commented();
    let id = pattern(&world);
    let proposed = world.stead(&["memory", "propose", &id, "--json"]).json();
    assert!(proposed["lesson"].as_str().unwrap().contains("say why, not what"), "{proposed}");
    world.stead(&["guard", "accept", &id]).ok();
    assert!(world.read("project/.agent/intents/AGENT.md").contains("say why, not what"));
}

/// A kill while a guard changes leaves a file that is the last version, after the next command at the latest.
#[test]
#[cfg(unix)]
fn a_killed_change_is_finished() {
    let world = marked();
    world.write("project/.agent/guards/infra.yaml", GUARD.replace("enforce", "off"));
    let file = "project/.agent/guards/infra.yaml";
    for delay in 0..24 {
        let verb = if delay % 4 == 3 { "disable" } else { "promote" };
        world.write("project/.agent/config.toml", "[gate]\nself_protection = false\n");
        let stead = env!("CARGO_BIN_EXE_stead");
        world.sh(&format!("{stead} guard {verb} infra & sleep 0.{:03}; kill -9 $! 2>/dev/null; wait", delay * 16));
        world.stead(&["status"]).ok();
        let history = world.stead(&["guard", "history", "infra", "--json"]).json();
        let last = history["items"].as_array().unwrap().last().map(|last| last["to"].clone());
        assert!(last.is_none() || last.as_ref() == Some(&history["current"]), "{verb} {delay}: {history}");
        assert!(world.read(file).ends_with("say: \"ask first\"\n"), "{}", world.read(file));
    }
    world.stead(&["guard", "enable", "infra", "--mode", "warn"]).ok();
    let log = world.read("project/.agent/graph/guard-changes.jsonl");
    let count = |step: &str| log.matches(&format!("\"step\":\"{step}\"")).count();
    assert_eq!(count("begin"), count("done") + count("dropped"), "{log}");
}
