use serde_json::{Value, json};
use stead_client::Harness;
use stead_model::EventKind;

use std::os::unix::fs::PermissionsExt;

use stead_testkit::{Finish, Run, World};

use crate::world::{bare, marked, payload};

/// A world with programs on PATH that do nothing.
fn with(programs: &[&str]) -> World {
    let world = bare().with_stead_on_path();
    for name in programs {
        let path = world.write(format!("bin/{name}"), "#!/bin/sh\n");
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    world
}

/// What doctor says, without times.
fn told(run: Run) -> String {
    let mut lines = Vec::new();
    for line in run.stdout.lines() {
        let is_time = |word: &str| word.starts_with("20") && word.matches('-').count() == 2;
        let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        for at in 0..words.len() {
            if words[at].starts_with('(') && words.get(at + 1).is_some_and(|next| next.starts_with("ms)")) {
                words[at] = "(N".to_owned();
            }
            if is_time(&words[at]) {
                words[at] = "DATE".to_owned();
                words[at + 1] = "TIME".to_owned();
            }
        }
        lines.push(words.join(" "));
    }
    format!("{}\nexit {}", lines.join("\n"), run.code)
}

/// Runs the program that is on PATH.
fn doctor(world: &World, args: &[&str]) -> Run {
    world.command(world.folder().join("bin/stead"), &world.project()).arg("doctor").args(args).finish(world, b"")
}

fn call(world: &World, harness: &str) {
    let start = payload(world, "SessionStart", json!({"source": "startup"}));
    world.hook(&format!("{harness} SessionStart"), &start);
}

#[test]
fn every_state_has_its_report() {
    let world = with(&["claude"]);
    insta::assert_snapshot!("doctor-nothing", told(doctor(&world, &[])));
    world.stead(&["init", "--harness", "claude", "--strict"]).ok();
    insta::assert_snapshot!("doctor-never-called", told(doctor(&world, &[])));
    call(&world, "claude");
    insta::assert_snapshot!("doctor-called", told(doctor(&world, &[])));
    // A second program that is there without hooks, then with hooks.
    world.write("bin/codex", "#!/bin/sh\n");
    std::fs::set_permissions(world.folder().join("bin/codex"), PermissionsExt::from_mode(0o755)).unwrap();
    let without = told(doctor(&world, &[]));
    assert!(without.contains("\nCodex CLI\n  hooks     none\n"), "{without}");
    world.stead(&["init", "--harness", "codex", "--strict"]).ok();
    let said = told(doctor(&world, &[]));
    insta::assert_snapshot!("doctor-two", said);
    assert!(said.lines().count() <= 24, "{said}");
    // A third whose hooks are there without the program, and settings that changed after the last call.
    world.stead(&["init", "--harness", "qwen,claude", "--strict", "--statusline"]).ok();
    insta::assert_snapshot!("doctor-three", told(doctor(&world, &[])));
}

#[test]
fn what_is_broken_comes_first() {
    let world = with(&["claude"]);
    world.stead(&["init", "--harness", "claude"]).ok();
    let text = world.read("project/.claude/settings.json");
    world.write("project/.claude/settings.json", text.replace("\"PreToolUse\": [", "\"PreToolUse2\": ["));
    world.write("project/.claude/settings.local.json", "{\"disableAllHooks\": true}");
    insta::assert_snapshot!("doctor-broken", told(doctor(&world, &[])));
}

#[test]
fn hooks_that_find_no_program_are_broken() {
    let world = bare();
    world.stead(&["init", "--harness", "claude"]).ok();
    std::fs::remove_dir_all(world.home().join(".local/state/stead/bin")).unwrap();
    insta::assert_snapshot!("doctor-no-program", told(world.stead(&["doctor"])));
}

#[test]
fn what_a_repository_brought_is_a_hint() {
    let world = with(&["claude"]);
    world.stead(&["init", "--harness", "claude", "--strict"]).ok();
    call(&world, "claude");
    // Another person's machine, which has not trusted anything.
    std::fs::remove_dir_all(world.home().join(".local")).unwrap();
    std::fs::remove_dir_all(world.folder().join("project/.agent/cache")).unwrap();
    std::fs::remove_file(world.folder().join("project/.agent/context/indexes/install.json")).unwrap();
    world.write(
        "project/.agent/guards/own.yaml",
        "id: own\nmode: enforce\non: [before-tool]\nmatch: {writes: [x]}\nthen: deny\nsay: No.\n",
    );
    insta::assert_snapshot!("doctor-untrusted", told(doctor(&world, &[])));
}

#[test]
fn all_of_it_is_told_on_request() {
    let world = with(&["claude"]);
    world.stead(&["init", "--harness", "claude"]).ok();
    insta::assert_snapshot!("doctor-all", world.normalise(&told(doctor(&world, &["--all"]))));
    let json = world.stead(&["doctor", "--json"]).json();
    let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    insta::assert_snapshot!("doctor-json", format!("{keys:#?}\n{:#}\n{:#}", json["tasks"], json["summary"]));
}

fn report<'a>(json: &'a Value, harness: &str) -> &'a Value {
    let reports = json["harnesses"].as_array().into_iter().flatten();
    reports.into_iter().find(|report| report["harness"] == harness).unwrap_or(&Value::Null)
}

#[test]
fn every_line_of_every_client_is_proven() {
    let world = bare().with_stead_on_path();
    world.stead(&["init", "--all"]).ok();
    world.stead(&["init", "--user", "--harness", "kimi"]).ok();
    let before = world.read("project/.agent/context/indexes/sessions.jsonl");
    let run = world.stead(&["doctor", "--json"]);
    let json = run.json();
    assert_eq!(json["sound"], true, "{run}");
    for harness in Harness::ALL {
        let install = &report(&json, harness.name())["installs"][0];
        assert_eq!(install["lines_found"], install["lines_expected"], "{harness}");
        let proofs = install["proofs"].as_array().unwrap();
        assert_eq!(proofs.len(), harness.client().facts.install.lines.len(), "{harness}");
        let denies = proofs.iter().filter(|proof| proof["outcome"] == "denies").count();
        assert_eq!(denies, 1, "{harness}: {proofs:?}");
    }
    assert_eq!(world.read("project/.agent/context/indexes/sessions.jsonl"), before, "doctor's calls leave no record");
    assert!(!world.exists("home/.local/state/stead/sessions"), "nor a remembered session");
    assert!(world.exists("project/.agent/config.toml"));
}

#[test]
fn the_report_fits_eighty_columns() {
    let world = bare().with_stead_on_path();
    world.stead(&["init", "--all"]).ok();
    for args in [&["doctor"][..], &["doctor", "--all"]] {
        for line in world.stead(args).ok().lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
    let said = world.stead(&["doctor", "--all"]).ok();
    assert!(said.contains("at its stop: claude, codex"), "{said}");
}

#[test]
fn the_report_says_which_clients_may_call_no_hook_after_a_tool() {
    let world = bare().with_stead_on_path();
    world.stead(&["init", "--harness", "claude"]).ok();
    let said = world.stead(&["doctor", "--all"]).ok();
    let head = "  What a call weakened is put back by the hook after it, else at the next event:\n";
    let (_, section) = said.split_once(head).unwrap();
    let section = section.split("\n\n").next().unwrap();
    let named: Vec<&str> = section
        .lines()
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(named, ["codex", "opencode", "kimi", "droid", "kilo"], "{section}");
    // A client that reports failed tools by an event of their own loses none of them.
    for harness in Harness::ALL {
        let facts = &harness.client().facts;
        let reports = facts.events.iter().any(|fact| fact.kind == EventKind::ToolFailed);
        assert!(
            reports || facts.lost_after_tool.is_some() || matches!(harness, Harness::Gemini | Harness::Pi),
            "{harness}"
        );
    }
    let json = world.stead(&["doctor", "--json"]).json();
    for client in json["capabilities"].as_array().unwrap() {
        let facts = &Harness::from_name(client["harness"].as_str().unwrap()).unwrap().client().facts;
        assert_eq!(client["lost_after_tool"].as_str(), facts.lost_after_tool, "{client}");
    }
}

#[test]
fn what_a_window_does_not_show_is_told() {
    let json = marked().stead(&["doctor", "--json"]).json();
    let unseen = |name: &str| {
        let clients = json["capabilities"].as_array().unwrap();
        clients.iter().find(|client| client["harness"] == name).unwrap()["unseen"].clone()
    };
    assert_eq!(unseen("claude"), json!(["asks before an edit without showing why"]));
    assert_eq!(unseen("codex"), json!([]));
    assert_eq!(unseen("qwen")[0], "warnings");
    // It shows what the model reads with a prompt.
    assert!(!unseen("kimi").to_string().contains("at the start"), "{}", unseen("kimi"));
    let text = marked().stead(&["doctor", "--all"]).stdout;
    assert!(text.contains("claude    asks before an edit without showing why"), "{text}");
}

#[test]
fn a_user_install_is_proven_without_a_project() {
    let world = bare();
    world.stead(&["init", "--user", "--harness", "claude"]).ok();
    let run = world.stead(&["doctor", "--json"]);
    let json = run.json();
    assert_eq!(json["sound"], true, "{run}");
    let proofs = report(&json, "claude")["installs"][0]["proofs"].as_array().unwrap();
    assert!(proofs.iter().any(|proof| proof["outcome"] == "denies"), "{run}");
    assert!(!world.exists("project/.agent"));
}

#[test]
fn the_last_real_call_is_told() {
    let world = bare().with_stead_on_path();
    world.stead(&["init", "--harness", "claude"]).ok();
    assert_eq!(report(&world.stead(&["doctor", "--json"]).json(), "claude")["heartbeat"], Value::Null);
    let start = payload(&world, "SessionStart", serde_json::json!({"source": "startup"}));
    world.hook("claude SessionStart", &start);
    let json = world.stead(&["doctor", "--json"]).json();
    assert_eq!(report(&json, "claude")["heartbeat"]["session"], "session-1");
}

#[test]
fn two_installs_of_one_client_are_odd_but_work() {
    let world = bare().with_stead_on_path();
    world.stead(&["init", "--harness", "codex"]).ok();
    world.stead(&["init", "--user", "--harness", "codex"]).ok();
    let run = doctor(&world, &[]);
    assert_eq!(run.code, 0, "{run}");
    let all = world.stead(&["doctor", "--all"]).ok();
    assert!(all.contains("  hint      codex has lines in `.codex/hooks.json` and"), "{all}");
}

#[test]
fn a_matcher_that_makes_the_client_drop_the_file_is_broken() {
    let world = bare().with_stead_on_path();
    world.write("project/.claude/settings.json", r#"{"hooks":{"Stop":[{"matcher":{"tool":"x"},"hooks":[]}]}}"#);
    world.stead(&["init", "--harness", "claude"]).ok();
    let run = world.stead(&["doctor"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stdout.contains("     `stead init --replace-old`\n"), "{run}");
    world.stead(&["init", "--harness", "claude", "--replace-old"]).ok();
    world.stead(&["doctor"]).ok();
}

/// Codex keeps its trust by line, and skips lines silently that it does not trust.
#[test]
fn trust_that_a_client_no_longer_keeps_is_told() {
    let world = with(&["codex"]);
    world.stead(&["init", "--harness", "codex", "--no-mcp"]).ok();
    let own = json!({"source": "startup", "turn_id": "turn-1", "model": "model"});
    world.hook("codex SessionStart", payload(&world, "SessionStart", own)).ok();
    let hooks = world.project().join(".codex/hooks.json");
    let trust = format!("[hooks.state.\"{}:stop:0:0\"]\ntrusted_hash = \"sha256:1\"\n", hooks.display());
    world.write("home/.codex/config.toml", trust);
    let run = world.stead(&["doctor"]);
    assert!(run.code == 0 && run.stdout.contains("so it ran the hooks then"), "{run}");
    world.write(
        "home/.codex/config.toml",
        "[hooks.state.\"/srv/x/.codex/hooks.json:stop:0:0\"]\ntrusted_hash = \"1\"\n",
    );
    let json = world.stead(&["doctor", "--json"]).json();
    assert_eq!(report(&json, "codex")["trusted"], false);
    assert!(json["tasks"].to_string().contains("keeps no trust in the hooks of this project"), "{json}");
}

/// A server that a client left behind has the PATH of the shell that started it, and no hook of a new window has another.
#[cfg(target_os = "linux")]
#[test]
fn a_server_that_finds_no_stead_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let world = with(&["codex"]);
    world.stead(&["init", "--harness", "codex", "--no-mcp"]).ok();
    let program = world.write("home/old/codex", "#!/bin/sh\nread -r line\n");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let serve = |home: std::path::PathBuf| {
        let mut server = std::process::Command::new(&program);
        server.args(["app-server", "--listen", "x"]).env_clear().env("PATH", "/usr/bin:/bin").env("HOME", home);
        let server = server.stdin(std::process::Stdio::piped()).spawn().unwrap();
        let words = format!("/proc/{}/cmdline", server.id());
        while !std::fs::read(&words).unwrap().windows(10).any(|part| part == b"app-server") {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        server
    };
    let told = |world: &World| {
        let run = world.stead(&["doctor"]);
        (run.stdout.contains("keeps a server running"), run.code)
    };
    let mut others = serve(world.folder());
    let mut server = serve(world.home());
    assert!(!told(&world).0, "its hooks find the link");
    std::fs::remove_dir_all(world.home().join(".local/state/stead/bin")).unwrap();
    assert_eq!(told(&world), (true, 1));
    for process in [&mut server, &mut others] {
        drop(process.stdin.take());
        process.wait().unwrap();
    }
    assert!(!told(&world).0);
}
