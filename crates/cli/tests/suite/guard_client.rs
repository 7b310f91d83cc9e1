//! The shipped guards through the real hook, in every client's own words: what each stops, and its harmless twin.

use serde_json::json;
use stead_testkit::World;

use crate::client::{By, CLIENTS, Call, Client, Warns, clients, context, denial, hold, is_cut, rewritten};
use crate::world::marked;

const FEATURES: &str = r#"{
  "features": [
    {"id": "login", "title": "log in", "files": ["src/**"], "verifiers": ["sh check.sh"], "status": "open",
      "tested": false}
  ]
}
"#;

/// A project with a feature, and `enable` taken into use.
fn guarded(enable: &[&[&str]]) -> World {
    let world = marked();
    world.write("project/src/a.rs", "one\n");
    world.write("project/check.sh", "grep -q one src/a.rs && echo '1 test passed'\n");
    world.write("project/.agent/features/feature-list.json", FEATURES);
    for words in enable {
        let words: Vec<&str> = ["guard", "enable"].iter().chain(words.iter()).copied().collect();
        world.stead(&words).ok();
    }
    world
}

#[track_caller]
fn stops(client: &Client, world: &World, by: By, call: &Call, words: &str) {
    let run = client.before(world, by, call);
    let reason = denial(&run).unwrap_or_else(|| panic!("{} lets it pass: {run}", client.name));
    assert!(is_cut(&reason) || (reason.contains(words) && reason.contains("[v-")), "{}: {reason}", client.name);
}

#[track_caller]
fn passes(client: &Client, world: &World, by: By, call: &Call) {
    let run = client.before(world, by, call);
    assert_eq!((denial(&run), rewritten(&run), run.code), (None, None, 0), "{}: {run}", client.name);
}

const LIST: &str = ".agent/features/feature-list.json";

#[test]
fn tested_needs_evidence() {
    let tested = FEATURES.replace("\"tested\": false", "\"tested\": true");
    let retitled = FEATURES.replace("log in", "sign in");
    let sed = format!("sed -i 's/\"tested\": false/\"tested\": true/' {LIST}");
    for client in clients() {
        let world = guarded(&[]);
        let path = world.project().join(LIST).display().to_string();
        let line = |value: &str| format!("      \"tested\": {value}}}");
        stops(client, &world, By::Main, &client.shell(&sed), "stead verify login");
        stops(client, &world, By::Main, &client.edit(&path, &line("false"), &line("true")), "stead verify login");
        stops(client, &world, By::Main, &client.write(&path, &tested), "login");
        passes(client, &world, By::Main, &client.write(&path, &retitled));
        passes(client, &world, By::Main, &client.shell(&format!("cat {LIST}")));
        world.stead(&["verify", "login"]).ok();
        passes(client, &world, By::Main, &client.shell(&sed));
        passes(client, &world, By::Main, &client.write(&path, &tested));
        world.write("project/src/a.rs", "one\ntwo\n");
        stops(client, &world, By::Main, &client.shell(&sed), "changed since");
    }
}

#[test]
fn the_proof_of_a_feature_stays() {
    let easier = FEATURES.replace("sh check.sh", "true");
    let more = FEATURES.replace(
        "  ]\n}",
        "    ,{\"id\": \"two\", \"title\": \"t\", \"files\": [\"x\"], \"verifiers\": [\"true\"]}\n  ]\n}",
    );
    for client in clients() {
        let world = guarded(&[]);
        let path = world.project().join(LIST).display().to_string();
        stops(client, &world, By::Main, &client.write(&path, &easier), "verifiers");
        passes(client, &world, By::Main, &client.write(&path, &more));
    }
}

#[test]
fn a_tester_must_test() {
    for client in CLIENTS.iter().filter(|client| client.holds_sub.is_some()) {
        let world = guarded(&[&["tester-must-test"]]);
        client.send_out(&world, "tester");
        let run = client.end(&world, "tester");
        let words = hold(&run).unwrap_or_else(|| panic!("{} lets the tester go: {run}", client.name));
        assert!(words.contains("no test has run yet"), "{}: {words}", client.name);
        for _ in 0..5 {
            client.end(&world, "tester");
        }
        assert_eq!(hold(&client.end(&world, "tester")), None, "{}: it is held for ever", client.name);
        let world = guarded(&[&["tester-must-test"]]);
        client.send_out(&world, "writer");
        let run = client.end(&world, "writer");
        assert_eq!(hold(&run), None, "{} holds another role: {run}", client.name);
    }
}

#[test]
fn long_logs_are_read_through_tools() {
    let long: String = (0..1_001).map(|number| format!("line {number}\n")).collect();
    for client in clients() {
        let world = guarded(&[&["logs-through-tools"]]);
        world.write("project/build.log", &long);
        world.write("project/short.log", "one\n");
        let path = |name: &str| world.project().join(name).display().to_string();
        stops(client, &world, By::Main, &client.read(&path("build.log")), "stead logs");
        stops(client, &world, By::Main, &client.shell("cat build.log"), "stead logs");
        passes(client, &world, By::Main, &client.read(&path("short.log")));
        passes(client, &world, By::Main, &client.shell("tail -20 build.log"));
    }
}

#[test]
fn the_orchestrator_does_not_edit() {
    // One has no sub-agents.
    for client in clients().filter(|client| client.name != "pi") {
        let world = guarded(&[&["orchestrator-does-not-edit", "--with", "paths=src/**"]]);
        let path = world.project().join("src/a.rs").display().to_string();
        stops(client, &world, By::Main, &client.edit(&path, "one", "two"), "coding role");
        stops(client, &world, By::Main, &client.shell("echo two > src/a.rs"), "coding role");
        passes(client, &world, By::Main, &client.shell("cat src/a.rs"));
        client.send_out(&world, "coder");
        passes(client, &world, By::Sub("coder"), &client.edit(&path, "one", "two"));
        let world = guarded(&[&["orchestrator-does-not-edit", "--with", "paths=src/**"]]);
        let path = world.project().join("src/a.rs").display().to_string();
        client.send_out(&world, "reviewer");
        stops(client, &world, By::Sub("reviewer"), &client.edit(&path, "one", "two"), "coding role");
    }
}

#[test]
fn summaries_go_to_their_folder() {
    for client in clients() {
        let world = guarded(&[&["summaries-go-to", "--with", "folder=docs/summaries"]]);
        let path = world.project().join("SUMMARY.md").display().to_string();
        let run = client.before(&world, By::Main, &client.write(&path, "done\n"));
        // A patch names its files in its text, which is not rewritten.
        if client.rewrites && client.name != "codex" {
            let input = rewritten(&run).unwrap_or_else(|| panic!("{} does not change it: {run}", client.name));
            assert!(input.to_string().contains("docs/summaries/SUMMARY.md"), "{}: {input}", client.name);
        } else {
            let reason = denial(&run).unwrap_or_else(|| panic!("{} lets it pass: {run}", client.name));
            assert!(reason.contains("docs/summaries/SUMMARY.md"), "{}: {reason}", client.name);
        }
        let there = world.project().join("docs/summaries/SUMMARY.md").display().to_string();
        passes(client, &world, By::Main, &client.write(&there, "done\n"));
    }
}

#[test]
fn fields_belong_to_roles() {
    let enable: &[&str] =
        &["fields-by-role", "--with", "document=state.json", "--with", "fields={tester: [/tested], coder: [/done]}"];
    let before = "{\n  \"done\": false,\n  \"tested\": false\n}\n";
    // One has no sub-agents.
    for client in clients().filter(|client| client.name != "pi") {
        let sent = |role: &'static str| {
            let world = guarded(&[enable]);
            world.write("project/state.json", before);
            client.send_out(&world, role);
            let path = world.project().join("state.json").display().to_string();
            (world, path)
        };
        let (world, path) = sent("tester");
        passes(client, &world, By::Sub("tester"), &client.edit(&path, "  \"tested\": false", "  \"tested\": true"));
        stops(
            client,
            &world,
            By::Sub("tester"),
            &client.edit(&path, "  \"done\": false,", "  \"done\": true,"),
            "your role may not change this field",
        );
        let (world, path) = sent("coder");
        passes(client, &world, By::Sub("coder"), &client.edit(&path, "  \"done\": false,", "  \"done\": true,"));
        stops(
            client,
            &world,
            By::Sub("coder"),
            &client.edit(&path, "  \"tested\": false", "  \"tested\": true"),
            "your role may not change this field",
        );
    }
}

#[test]
fn destruction_is_stopped_once_it_is_chosen() {
    for client in clients() {
        let world = guarded(&[]);
        passes(client, &world, By::Main, &client.shell("git push --force"));
        world.stead(&["guard", "enable", "destructive"]).ok();
        world.write("project/.env", "KEY=1\n");
        let env = world.project().join(".env").display().to_string();
        stops(client, &world, By::Main, &client.shell("git push --force"), "remote");
        stops(client, &world, By::Main, &client.shell("sudo rm -rf /etc/nginx"), "agents may not delete");
        stops(client, &world, By::Main, &client.shell("cd src && git reset --hard"), "whole tree");
        stops(client, &world, By::Main, &client.read(&env), "secrets");
        passes(client, &world, By::Main, &client.shell("git push"));
        passes(client, &world, By::Main, &client.shell("rm -rf target"));
        passes(client, &world, By::Main, &client.shell("git commit -m 'no git push --force'"));
    }
}

#[test]
fn a_pull_request_needs_a_verified_tree() {
    let create = "gh pr create --title t --body \"$(cat <<'EOF'\nall of it\nEOF\n)\"";
    for client in clients() {
        let world = guarded(&[&["pr-needs-verification", "--with", "also=git push"]]);
        stops(client, &world, By::Main, &client.shell(create), "stead verify");
        stops(client, &world, By::Main, &client.shell("git push origin main"), "stead verify");
        passes(client, &world, By::Main, &client.shell("gh pr list"));
        passes(client, &world, By::Main, &client.shell("git commit -m 'gh pr create'"));
        world.stead(&["verify", "--all"]).ok();
        passes(client, &world, By::Main, &client.shell(create));
        // The tree that would be shown is not the one that was verified.
        for change in ["echo two >> src/a.rs", "sed -i s/one/two/ src/a.rs", "rm -rf src"] {
            let line = format!("{change} && git commit -qam x && gh pr create --fill");
            stops(client, &world, By::Main, &client.shell(&line), "the same call changes files");
        }
        passes(client, &world, By::Main, &client.shell("mkdir -p target; date > target/x; gh pr create --fill"));
        passes(client, &world, By::Main, &client.shell("gh pr create --fill && echo made >> notes.md"));
    }
}

#[test]
fn a_call_that_changes_what_was_proven_cannot_lean_on_it() {
    let world = guarded(&[]);
    world.stead(&["verify", "login"]).ok();
    let set = "sed -i 's/\"tested\": false/\"tested\": true/' .agent/features/feature-list.json";
    for client in clients() {
        stops(client, &world, By::Main, &client.shell(&format!("echo two > src/a.rs; {set}")), "the same call changes");
        passes(client, &world, By::Main, &client.shell(&format!("echo x > docs.md; {set}")));
        passes(client, &world, By::Main, &client.shell(set));
    }
}

/// A guard that only warns must never block, and its words must arrive, whatever the client can do.
#[test]
fn a_warning_reaches_the_agent_and_stops_nothing() {
    let guard = "id: mind\nmode: warn\non: [before-tool]\nmatch: {writes: [\"src/**\"]}\nthen: deny\nsay: \"mind the sources\"\n";
    for client in clients() {
        let world = marked();
        world.write("project/src/a.rs", "one\n");
        world.write("project/.agent/guards/mind.yaml", guard);
        let call = client.shell("echo two > src/a.rs");
        let (before, after, prompt) = {
            let before = client.before(&world, By::Main, &call);
            assert_eq!((denial(&before), before.code), (None, 0), "{}: {before}", client.name);
            let after = client.after(&world, By::Main, &call);
            (context(&before), context(&after), context(&client.prompt(&world)))
        };
        let has = |text: &str| text.contains("mind the sources");
        let seen = (has(&before), has(&after), has(&prompt));
        let expected = match client.warns {
            Warns::Before => (true, false, false),
            Warns::After => (false, true, false),
            Warns::Prompt => (false, false, true),
        };
        assert_eq!(seen, expected, "{}", client.name);
        let again = context(&client.after(&world, By::Main, &client.shell("ls")));
        assert!(!has(&again), "{} is told twice: {again}", client.name);
        let log = crate::world::lines(&world, "sessions.jsonl");
        assert_eq!(log[0]["hits"][0]["guard"], json!("mind"), "{}", client.name);
        assert_eq!(log[0]["verdict"], "allow", "{}", client.name);
    }
}

/// A client that cannot ask gets a denial, which says so.
#[test]
fn what_cannot_be_asked_is_denied_in_so_many_words() {
    let guard = "id: mind\nmode: enforce\nmatch: {writes: [\"src/**\"]}\nthen: ask\nsay: \"may it?\"\n";
    let mut denied = 0;
    for client in clients() {
        let world = marked();
        world.write("project/.agent/guards/mind.yaml", guard);
        let run = client.before(&world, By::Main, &client.shell("touch src/a.rs"));
        let words = run.to_string().contains("this client cannot ask the person, so it is denied; stop and ask them")
            && run.to_string().contains("`stead allow` and this id [v-");
        match denial(&run) {
            Some(reason) => assert!(words && reason.contains("may it?"), "{}: {run}", client.name),
            None => assert!(!words && run.to_string().contains("may it?"), "{}: {run}", client.name),
        }
        denied += usize::from(denial(&run).is_some());
    }
    assert!(denied > 0 && denied < CLIENTS.len(), "{denied}");
}
