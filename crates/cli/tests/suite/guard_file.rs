//! Guard files: they hold from the next call on, a bad one harms nobody else, and no trick gets a file past them.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;
use stead_testkit::World;

use crate::client::denial;
use crate::world::{accept_all, by_person, marked, payload, shell, tool};

fn guard(id: &str, mode: &str, matched: &str, rest: &str) -> String {
    format!("id: {id}\nmode: {mode}\non: [before-tool]\nmatch: {matched}\nthen: deny\nsay: \"no, says {id}\"\n{rest}")
}

fn put(world: &World, id: &str, text: &str) {
    world.write(format!("project/.agent/guards/{id}.yaml"), text);
}

fn asked(world: &World, command: &str) -> Option<String> {
    denial(&world.hook("claude PreToolUse", shell(world, command)))
}

fn started(world: &World) -> String {
    world.hook("claude SessionStart", payload(world, "SessionStart", json!({"source": "startup"}))).stdout
}

#[test]
fn a_file_holds_from_the_next_call_on_and_no_longer_than_it_is_there() {
    let world = marked();
    for round in 0..4 {
        assert_eq!(asked(&world, "touch infra/a"), None, "round {round}");
        put(&world, "infra", &guard("infra", "enforce", "{writes: ['infra/**']}", ""));
        assert!(asked(&world, "touch infra/a").is_some(), "round {round}");
        // The same number of bytes, at once.
        put(&world, "infra", &guard("infra", "enforce", "{writes: ['other/**']}", ""));
        assert_eq!(asked(&world, "touch infra/a"), None, "round {round}");
        assert!(asked(&world, "touch other/a").is_some(), "round {round}");
        fs::remove_file(world.project().join(".agent/guards/infra.yaml")).unwrap();
        assert_eq!(asked(&world, "touch other/a"), None, "round {round}");
    }
}

#[test]
fn hundreds_of_guards_hold_and_only_those_that_fit_are_read() {
    let world = marked();
    for number in 0..300 {
        let area = format!("area-{number:03}");
        // The names alone are more than is read at once.
        let id = format!("{area}-{}", "named-at-length-".repeat(4));
        let say = "w\u{f6}rter ".repeat(30);
        put(&world, &id, &guard(&id, "enforce", &format!("{{writes: ['{area}/**']}}"), &format!("# {say}\n")));
    }
    for command in ["touch area-000/x", "touch area-299/x", "rm -r area-150"] {
        let said = asked(&world, command).unwrap_or_default();
        assert!(said.contains(&command.split_whitespace().last().unwrap()[..8].replace('/', "")), "{command}: {said}");
    }
    assert_eq!(asked(&world, "touch area-300/x"), None);
    let compiled = world.project().join(".agent/cache/guards");
    // Once nothing is as new as the compilation any more, it stays.
    let moment = || fs::metadata(&compiled).unwrap().modified().unwrap();
    std::thread::sleep(Duration::from_millis(60));
    asked(&world, "touch area-300/x");
    let made = moment();
    assert!(asked(&world, "touch area-299/x").is_some());
    assert_eq!(moment(), made);
    // What was compiled is cut off: it is compiled again.
    let whole = fs::read(&compiled).unwrap();
    assert!(whole.len() > 64 * 1024, "{}", whole.len());
    for length in [whole.len() - 1, 60_000, 20_000, 10_000, 300, 60, 0] {
        fs::write(&compiled, &whole[..length]).unwrap();
        assert!(asked(&world, "touch area-299/x").is_some(), "{length}");
        assert_eq!(fs::read(&compiled).unwrap().len(), whole.len(), "{length}");
    }
}

#[test]
fn a_worktree_of_a_run_is_guarded_and_recorded_by_the_project_around_it() {
    for committed in [false, true] {
        let world = marked();
        put(&world, "infra", &guard("infra", "enforce", "{writes: ['infra/**']}", ""));
        world.write("project/src/a.rs", "a\n");
        world.git(&["add", if committed { "-A" } else { "src" }]).ok();
        world.git(&["commit", "-qm", "first"]).ok();
        let tree = world.project().join(".agent/runs/r/worktrees/f.a");
        world.git(&["worktree", "add", "-q", tree.to_str().unwrap()]).ok();
        let ask = |command: &str| {
            let own = json!({"cwd": tree, "tool_name": "Bash", "tool_input": {"command": command}});
            let run = world.hook("claude PreToolUse", payload(&world, "PreToolUse", own));
            denial(&run)
        };
        let free = ["echo x >> src/a.rs", "rm -rf src", "echo x > ../../stage-00-x/output.md", "git commit -qam x"];
        for command in free {
            assert_eq!(ask(command), None, "{committed} {command}");
        }
        let refused = [
            "echo x > infra/a", "echo x > ../../plan.json", "rm -rf ../f.b", "rm -rf .agent/guards",
            "rm -rf ../../../../guards",
        ];
        for command in refused {
            assert!(ask(command).is_some(), "{committed} {command}");
        }
        let seen = world.read("project/.agent/context/indexes/sessions.jsonl");
        assert_eq!(seen.lines().count(), free.len() + refused.len(), "{committed}");
    }
}

#[test]
fn guards_of_the_person_hold_in_every_project_and_a_projects_own_add_to_them() {
    let world = marked();
    world.write("home/.config/stead/guards/infra.yaml", guard("infra", "enforce", "{writes: ['infra/**']}", ""));
    assert!(asked(&world, "touch infra/a").is_some());
    put(&world, "infra", &guard("infra", "shadow", "{writes: ['infra/**']}", ""));
    assert!(asked(&world, "touch infra/a").is_some());
    put(&world, "infra", &guard("infra", "enforce", "{writes: ['docs/**']}", ""));
    assert!(asked(&world, "touch infra/a").is_some() && asked(&world, "touch docs/a").is_some());
}

#[test]
fn the_switch_turns_them_off_and_the_environment_does_not() {
    let mut world = marked();
    put(&world, "infra", &guard("infra", "enforce", "{writes: ['infra/**']}", ""));
    world.set("STEAD_GATE_GUARDS", "false");
    assert!(asked(&world, "touch infra/a").is_some());
    world.write("project/.agent/config.toml", "[gate]\nguards = false\n");
    assert_eq!(asked(&world, "touch infra/a"), None);
}

#[test]
fn a_bad_file_is_reported_and_takes_no_other_down() {
    let bomb: String = (0..9).fold("a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned(), |text, at| {
        let next = at + 1;
        format!("{text}a{next}: &a{next} [{}]\n", vec![format!("*a{at}"); 9].join(","))
    });
    let bad = [
        ("torn", "id: torn\nmatch: {writes: [\n".to_owned()),
        ("bomb", format!("{bomb}id: bomb\nmatch: *a9\n")),
        ("huge", format!("id: huge\n# {}\n", "x".repeat(300_000))),
        ("nothing", String::new()),
        ("odd-mode", guard("odd-mode", "sometimes", "{writes: ['x']}", "")),
        ("odd-key", guard("odd-key", "enforce", "{wirtes: ['x']}", "")),
        ("fails", guard("fails", "enforce", "{writes: ['x']}", "tests: {must: [ls]}\n")),
        ("grants", guard("grants", "enforce", "{writes: ['x']}", "").replace("then: deny", "then: allow")),
        ("bytes", "id: bytes\u{fffd}\u{0}\n".to_owned()),
    ];
    let world = marked();
    for (id, text) in &bad {
        put(&world, id, text);
    }
    put(&world, "infra", &guard("infra", "enforce", "{writes: ['infra/**']}", ""));
    let begun = Instant::now();
    assert!(asked(&world, "touch infra/a").is_some());
    assert_eq!(asked(&world, "touch x"), None);
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert!(started(&world).contains("A guard of this project is not applied"), "{}", started(&world));
    let lint = world.stead(&["guard", "lint"]);
    assert_eq!(lint.code, 1, "{lint}");
    let doctor = world.stead(&["doctor", "--all"]);
    for (id, _) in &bad {
        let file = format!(".agent/guards/{id}.yaml");
        assert!(lint.stdout.contains(&file), "{id}: {lint}");
        assert!(doctor.stdout.replace("\n            ", " ").contains(&file), "{id}: {doctor}");
    }
    assert!(lint.stdout.contains("did you mean `writes`"), "{lint}");
}

#[test]
fn guards_that_contradict_each_other_the_strongest_wins_and_it_is_said() {
    let world = marked();
    put(&world, "asks", &guard("asks", "enforce", "{writes: ['a/**']}", "").replace("then: deny", "then: ask"));
    put(&world, "denies", &guard("denies", "enforce", "{writes: ['a/**']}", ""));
    put(&world, "tells", &guard("tells", "warn", "{writes: ['a/**']}", ""));
    let run = world.hook("claude PreToolUse", shell(&world, "touch a/b"));
    let reason = denial(&run).unwrap();
    assert!(reason.starts_with("`denies`: no, says denies"), "{reason}");
    assert!(reason.contains("`asks` would ask; the strongest applies"), "{reason}");
    assert!(run.stdout.contains("no, says tells"), "{run}");
}

#[test]
#[cfg(unix)]
fn a_link_into_a_guarded_folder_is_that_folder() {
    let world = marked();
    put(&world, "infra", &guard("infra", "enforce", "{writes: ['infra/**']}", ""));
    world.write("project/infra/main.tf", "one\n");
    let link = world.project().join("harmless");
    fs::create_dir(&link).unwrap();
    assert_eq!(asked(&world, "touch harmless/main.tf"), None);
    // The folder is swapped for a link between two calls.
    fs::remove_dir(&link).unwrap();
    std::os::unix::fs::symlink(world.project().join("infra"), &link).unwrap();
    assert!(asked(&world, "touch harmless/main.tf").is_some());
    let write = json!({"file_path": link.join("main.tf"), "content": "x"});
    assert!(denial(&world.hook("claude PreToolUse", tool(&world, "Write", write))).is_some());
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(world.project().join("infra/main.tf"), &link).unwrap();
    assert!(asked(&world, "echo two > harmless").is_some());
}

#[test]
fn a_guard_that_breaks_is_closed_unless_it_says_otherwise() {
    let world = marked();
    let broken = "{runs: ['deploy']}\nwhen: \"input.nothing.there == 1\"";
    put(&world, "closed", &guard("closed", "enforce", broken, ""));
    let reason = asked(&world, "deploy now").unwrap();
    assert!(reason.contains("could not be judged"), "{reason}");
    put(&world, "closed", &guard("closed", "enforce", broken, "on_error: open\n"));
    assert_eq!(asked(&world, "deploy now"), None);
    put(&world, "closed", &guard("closed", "shadow", broken, ""));
    assert_eq!(asked(&world, "deploy now"), None);
}

#[test]
#[cfg(unix)]
fn a_guards_own_program_is_pinned_timed_and_may_only_deny() {
    let world = marked();
    let pin = |script: &str, rest: &str| {
        let text = format!("#!/bin/sh\n{script}\n");
        world.write("project/.agent/guards/text", &text);
        // A program that this process had open for writing may still be so in a child of another thread.
        world.sh("cd .agent/guards && rm -f judge.sh && cp text judge.sh && chmod 755 judge.sh").ok();
        let sum = world.sh("sha256sum .agent/guards/judge.sh").ok();
        let exec = format!("exec: {{path: .agent/guards/judge.sh, sha256: {}, timeout_ms: 1500}}\n", &sum[..64]);
        put(&world, "judge", &guard("judge", "enforce", "{runs: ['deploy']}", &format!("{exec}{rest}")));
        accept_all(&world);
        assert_eq!(by_person(&world, &["guard", "enable", "judge"]).code, 0);
    };
    pin(r#"cat > seen.json; echo '{"decision": "deny", "reason": "it is Friday"}'"#, "");
    assert!(asked(&world, "deploy now").unwrap().contains("it is Friday"));
    let seen: serde_json::Value = serde_json::from_str(&world.read("project/seen.json")).unwrap();
    assert_eq!((&seen["guard"], &seen["event"]), (&json!("judge"), &json!("before-tool")));
    pin("cat > /dev/null; echo '{\"decision\": \"abstain\"}'", "");
    assert_eq!(asked(&world, "deploy now"), None);
    assert_eq!(asked(&world, "echo deploy"), None);
    pin("cat > /dev/null; echo 'not on Fridays' >&2; exit 2", "on_error: open\n");
    let reason = asked(&world, "deploy now").unwrap();
    assert!(reason.contains("not on Fridays") && !reason.contains("could not be judged"), "{reason}");
    for script in ["echo '{\"decision\": \"allow\"}'", "echo fine", "exit 3", "exec sleep 60", "kill -9 $$"] {
        pin(script, "");
        assert!(asked(&world, "deploy now").unwrap().contains("could not be judged"), "{script}");
        pin(script, "on_error: open\n");
        assert_eq!(asked(&world, "deploy now"), None, "{script}");
    }
    pin("echo '{\"decision\": \"abstain\"}'", "");
    world.write("project/.agent/guards/judge.sh", "#!/bin/sh\necho '{\"decision\": \"abstain\"}' # other\n");
    assert!(asked(&world, "deploy now").unwrap().contains("hash"), "another program was run");
}

/// Stands for everything that an agent might try: guards are its business to read, not to write.
#[test]
fn an_agent_changes_no_guard() {
    let world = marked();
    put(&world, "infra", &guard("infra", "enforce", "{writes: ['infra/**']}", ""));
    for command in [
        "rm .agent/guards/infra.yaml",
        "sed -i s/enforce/off/ .agent/guards/infra.yaml",
        "echo > ~/.config/stead/guards/x.yaml",
        "stead guard disable infra",
        "stead guard demote infra",
        "stead guard enable infra --mode shadow",
        "stead guard new x",
        "cd /tmp; env A=1 stead -C . guard promote infra",
        "stead allow v-00000000 --reason please",
        "stead agent flag plan-approved",
        "stead config set gate.guards false",
        "echo '{}' > .agent/context/indexes/overrides.jsonl",
        "rm .agent/cache/guards",
        "echo x > .agent/features/evidence/login/x.json",
    ] {
        let reason = asked(&world, command).unwrap_or_else(|| panic!("`{command}` passes"));
        assert!(reason.starts_with("Stead stopped") && reason.contains("[v-"), "{command}: {reason}");
    }
    for command in [
        "stead guard list",
        "stead guard show infra",
        "cat .agent/guards/infra.yaml",
        "stead guard stats",
        "stead check 'touch infra/a'",
        "stead explain v-00000000",
        "stead appeal v-00000000 please allow it",
        "stead agent begin tester",
    ] {
        assert_eq!(asked(&world, command), None, "{command}");
    }
}

#[test]
fn nobody_is_told_a_placeholder() {
    let world = marked();
    world.stead(&["guard", "new", "infra", "--writes", "infra/**"]).ok();
    let lint = world.stead(&["guard", "lint", "infra"]);
    assert!(lint.code == 1 && lint.stdout.contains("`say` is still the placeholder"), "{lint}");
    let refused = world.stead(&["guard", "promote", "infra"]);
    assert!(refused.code == 2 && refused.stderr.contains("`say` is still the placeholder"), "{refused}");
    let text = world.read("project/.agent/guards/infra.yaml");
    put(&world, "infra", &text.replace("mode: shadow", "mode: enforce"));
    assert_eq!(asked(&world, "touch infra/a"), None);
    assert!(started(&world).contains("`say` is still the placeholder"));
    put(&world, "infra", &text.replace("Say why not, and what to do instead.", "leave {pth} to {path}"));
    let lint = world.stead(&["guard", "lint", "infra"]);
    assert!(lint.code == 0 && lint.stdout.contains("`{pth}` in `say` is not replaced"), "{lint}");
    world.stead(&["guard", "promote", "infra"]).ok();
}

#[test]
#[cfg(unix)]
fn files_that_cannot_be_read_and_links_are_reported() {
    let world = marked();
    put(&world, "good", &guard("good", "enforce", "{runs: ['deploy']}", ""));
    fs::create_dir(world.project().join(".agent/guards/folder.yaml")).unwrap();
    put(&world, "latin", "");
    world.sh("printf 'id: caf\\351\\n' > .agent/guards/latin.yaml; ln -s nowhere .agent/guards/dangling.yaml").ok();
    world.write("project/common.yaml", guard("linked", "enforce", "{runs: ['release']}", ""));
    world.sh("ln -s ../../common.yaml .agent/guards/linked.yaml").ok();
    let lint = world.stead(&["guard", "lint"]);
    for (file, why) in [
        ("folder", "it cannot be read: it is not a regular file"),
        ("latin", "it cannot be read: it is not UTF-8"),
        ("dangling", "it cannot be read: it is a link to a file that does not exist"),
        ("linked", "this is a link to `../../common.yaml`, which agents may edit"),
    ] {
        let line = format!(".agent/guards/{file}.yaml: {why}");
        assert!(lint.stdout.contains(&line), "{line}\n{lint}");
    }
    assert!(world.stead(&["doctor", "--all"]).stdout.contains("which agents may edit"));
    assert!(started(&world).contains("it cannot be read"));
    // The others hold, and so does the linked one.
    assert!(asked(&world, "deploy").is_some() && asked(&world, "release").is_some());
}

#[test]
#[cfg(unix)]
fn a_program_that_cannot_run_is_a_finding() {
    let world = marked();
    world.write("project/tools/judge.sh", "#!/bin/sh\n");
    let sum = world.sh("sha256sum tools/judge.sh").ok()[..64].to_owned();
    let pin = |path: &str, sum: &str| {
        let exec = format!("exec: {{path: {path}, sha256: {sum}}}\n");
        put(&world, "judge", &guard("judge", "enforce", "{runs: ['deploy']}", &exec));
        let lint = world.stead(&["guard", "lint", "judge"]);
        (lint.code, lint.stdout)
    };
    for (path, sum, why) in [
        ("tools/none.sh", sum.as_str(), "there is no such file"),
        ("tools/judge.sh", &"f".repeat(64), "its hash is not the one in the guard"),
        ("tools/judge.sh", &sum, "it is not executable"),
    ] {
        let (code, said) = pin(path, sum);
        assert!(code == 1 && said.contains(why), "{why}: {said}");
    }
    world.sh("chmod +x tools/judge.sh").ok();
    let (code, said) = pin("tools/judge.sh", &sum);
    assert!(code == 0 && said.contains("no person has enabled it"), "{said}");
}
