//! The gatekeeper of intents through the real hook, in every client's own words.

use serde_json::{Value, json};
use stead_testkit::World;

use crate::client::{By, CLIENTS, Call, Client, clients, context, denial};
use crate::world::{accept_all, denies, lines, marked, payload, shell, tool};

pub(crate) const FILE: &str = "project/.agent/intents/active_intents.yaml";

pub(crate) const INTENTS: &str = "active_intents:\n  - id: INT-001\n    name: Sign in\n    status: IN_PROGRESS\n    \
    owned_scope: [\"src/**\"]\n  - id: INT-002\n    name: Docs\n    status: PENDING\n    owned_scope: [\"docs/**\"]\n  - \
    id: INT-003\n    name: Old\n    status: COMPLETED\n    owned_scope: [\"**\"]\n";

const REQUIRED: &str = "You must cite a valid active Intent ID.";

/// A project with intents.
pub(crate) fn project() -> World {
    let world = marked();
    world.write(FILE, INTENTS);
    world.write("project/src/a.rs", "old\n");
    world
}

/// Selects an intent as a client's agent does: the hook sees the call pass, then the program runs.
pub(crate) fn select(client: &Client, world: &World, by: By, id: &str) {
    let run = client.before(world, by, &client.shell(&format!("stead intent select {id}")));
    assert_eq!(denial(&run), None, "{}", client.name);
    let said = world.stead(&["intent", "select", id]).ok();
    assert!(said.contains(&format!("<id>{id}</id>")), "{said}");
}

/// The seven tools that change something, with input for a file.
fn changing(world: &World, file: &str) -> Vec<(&'static str, Value)> {
    let path = world.project().join(file).display().to_string();
    let edit = json!({"file_path": path, "old_string": "old", "new_string": "new"});
    let patch = format!("*** Begin Patch\n*** Update File: {path}\n@@\n-old\n+new\n*** End Patch\n");
    let diff = "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n";
    vec![
        ("write_to_file", json!({"path": path, "content": "new"})),
        ("edit", edit.clone()),
        ("edit_file", edit.clone()),
        ("search_replace", edit),
        ("apply_diff", json!({"path": path, "diff": diff})),
        ("apply_patch", json!({"patch": patch, "command": patch})),
        ("execute_command", json!({"command": format!("sed -i s/old/new/ {path}")})),
    ]
}

const EXEMPT: [&str; 16] = [
    "select_active_intent", "read_file", "list_files", "search_files", "codebase_search", "read_command_output",
    "ask_followup_question", "attempt_completion", "switch_mode", "new_task", "update_todo_list", "use_mcp_tool",
    "access_mcp_resource", "run_slash_command", "skill", "generate_image",
];

#[track_caller]
fn stops(client: &Client, world: &World, call: &Call, words: &str) -> String {
    let run = client.before(world, By::Main, call);
    let reason = denial(&run).unwrap_or_else(|| panic!("{} lets it pass: {run}", client.name));
    assert!(reason.contains(words), "{}: {reason}", client.name);
    reason
}

#[track_caller]
fn passes(client: &Client, world: &World, call: &Call, what: &str) {
    let run = client.before(world, By::Main, call);
    assert_eq!((denial(&run), run.code), (None, 0), "{} {what}: {run}", client.name);
}

#[test]
fn changing_tools_without_an_intent_are_denied() {
    for client in clients() {
        let world = project();
        for (name, mut input) in changing(&world, "src/a.rs") {
            let reason = stops(client, &world, &client.named(name, input.clone()), REQUIRED);
            assert!(reason.contains("INT-001 (IN_PROGRESS), INT-002 (PENDING)"), "{reason}");
            assert!(reason.contains("stead intent select INT-001") && !reason.contains("INT-003"), "{reason}");
            input["intent_id"] = json!("");
            stops(client, &world, &client.named(name, input), REQUIRED);
        }
        let path = world.project().join("src/a.rs").display().to_string();
        stops(client, &world, &client.write(&path, "x"), REQUIRED);
        stops(client, &world, &client.edit(&path, "old", "new"), REQUIRED);
        stops(client, &world, &client.shell("echo x > src/a.rs"), REQUIRED);
        stops(client, &world, &client.shell("git commit -am x"), REQUIRED);
        stops(client, &world, &client.shell("some-tool --do"), REQUIRED);
    }
}

#[test]
fn changing_tools_with_an_invalid_intent_are_denied() {
    for client in clients() {
        for (text, words) in [
            (Some("active_intents:\n  - id: OTHER\n    status: IN_PROGRESS\n"), "There is no intent `INT-001`"),
            (Some(""), "it is empty"),
            (Some("active_intents: [\n"), "line 1: unclosed bracket"),
            (Some("active_intents:\n\t- id: INT-001\n"), "line 2: it is indented with a tab"),
            (Some("active_intents:\n  - id: INT-001\n  - id: INT-001\n"), "used twice"),
            (
                Some("active_intents:\n  - id: INT-001\n    status: COMPLETED\n    owned_scope: ['**']\n"),
                "is COMPLETED",
            ),
            (None, "is gone"),
        ] {
            let world = project();
            select(client, &world, By::Main, "INT-001");
            match text {
                Some(text) => drop(world.write(FILE, text)),
                None => std::fs::remove_file(world.project().join(".agent/intents/active_intents.yaml")).unwrap(),
            }
            accept_all(&world);
            for (name, input) in changing(&world, "src/a.rs") {
                let reason = stops(client, &world, &client.named(name, input), REQUIRED);
                assert!(reason.contains(words), "{}: {reason}", client.name);
            }
        }
    }
}

#[test]
fn changing_tools_with_a_valid_intent_pass() {
    for client in clients() {
        let world = project();
        select(client, &world, By::Main, "INT-001");
        for (name, input) in changing(&world, "src/a.rs") {
            passes(client, &world, &client.named(name, input), name);
        }
        for (name, input) in changing(&world, "docs/a.md") {
            let words = "Scope Violation: INT-001 is not authorized to edit docs/a.md. Request scope expansion.";
            let reason = stops(client, &world, &client.named(name, input), words);
            assert!(reason.contains("stead intent request \"why\" --intent INT-001 --scope docs/a.md"), "{reason}");
        }
    }
}

#[test]
fn exempt_and_unknown_tools_pass() {
    for client in clients() {
        let world = project();
        let path = world.project().join("src/a.rs").display().to_string();
        for name in EXEMPT {
            let input = json!({"path": path, "query": "x", "command": "init", "intent_id": "INT-001"});
            passes(client, &world, &client.named(name, input), name);
        }
        passes(client, &world, &client.read(&path), "reading");
        for command in ["ls -la", "git status", "git log --oneline | head -3", "cat src/a.rs && grep -rn x src", "pwd"]
        {
            passes(client, &world, &client.shell(command), command);
        }
        passes(client, &world, &client.named("ponder_deeply", json!({"thought": "x"})), "an unknown tool");
        let known = lines(&world, "sessions.jsonl");
        assert!(known.iter().any(|line| line["tool"] == "ponder_deeply"), "it is recorded");
    }
}

#[test]
fn an_unreadable_file_blocks() {
    for client in &CLIENTS[..3] {
        for dangling in [true, false] {
            let world = project();
            select(client, &world, By::Main, "INT-001");
            let file = world.project().join(".agent/intents/active_intents.yaml");
            std::fs::remove_file(&file).unwrap();
            match dangling {
                true => std::os::unix::fs::symlink("nowhere.yaml", &file).unwrap(),
                false => std::fs::create_dir(&file).unwrap(),
            }
            for (name, input) in changing(&world, "src/a.rs") {
                stops(client, &world, &client.named(name, input), REQUIRED);
            }
        }
    }
}

#[test]
fn ids_are_case_sensitive_and_a_pending_one_must_be_selected() {
    for client in clients() {
        let world = project();
        let cite = |id: &str, file: &str| {
            let path = world.project().join(file).display().to_string();
            client.named("write_to_file", json!({"path": path, "content": "x", "intent_id": id}))
        };
        passes(client, &world, &cite("INT-001", "src/b.rs"), "cited");
        stops(client, &world, &cite("int-001", "src/b.rs"), "There is no intent `int-001`");
        stops(client, &world, &cite("INT-002", "docs/b.md"), "`INT-002` is PENDING and not selected");
        select(client, &world, By::Main, "INT-002");
        passes(client, &world, &cite("INT-002", "docs/b.md"), "selected");
        assert!(world.read(FILE).contains("name: Docs\n    status: IN_PROGRESS"));
    }
}

#[test]
fn an_adopted_folder_is_read() {
    let world = crate::world::bare();
    world.write("project/.orchestration/active_intents.yaml", INTENTS);
    world.stead(&["context", "init"]).ok();
    assert!(denies(&world.hook("claude PreToolUse", shell(&world, "touch src/b.rs")).stdout));
    select(&CLIENTS[0], &world, By::Main, "INT-001");
    let write = CLIENTS[0].shell("touch src/b.rs");
    passes(&CLIENTS[0], &world, &write, "in scope");
}

#[test]
fn a_sub_agent_has_its_own_selection_or_its_parents() {
    for client in CLIENTS.iter().filter(|client| matches!(client.name, "claude" | "codex" | "qwen")) {
        let world = project();
        let by = By::Sub("coder");
        let write = |file: &str| client.write(&world.project().join(file).display().to_string(), "x\n");
        select(client, &world, By::Main, "INT-001");
        client.send_out(&world, "coder");
        assert_eq!(denial(&client.before(&world, by, &write("src/b.rs"))), None, "the parent's");
        select(client, &world, by, "INT-002");
        assert_eq!(denial(&client.before(&world, by, &write("docs/b.md"))), None);
        assert!(denial(&client.before(&world, by, &write("src/b.rs"))).is_some());
        passes(client, &world, &write("src/b.rs"), "the parent keeps its own");
        stops(client, &world, &write("docs/b.md"), "Scope Violation: INT-001");
    }
}

#[test]
fn without_an_intents_file_nothing_is_gated() {
    for client in clients() {
        let world = marked();
        passes(client, &world, &client.write(&world.project().join("a").display().to_string(), "x"), "off");
        passes(client, &world, &client.shell("some-tool > x"), "off");
    }
}

#[test]
fn modes_and_the_strict_shell() {
    let client = &CLIENTS[0];
    let world = project();
    let call = client.shell("touch src/x");
    let first = stops(client, &world, &call, "stead config set intents.mode");
    assert!(first.contains("[v-"), "{first}");
    let again = stops(client, &world, &call, REQUIRED);
    assert!(!again.contains("intents.mode"), "said once: {again}");
    world.write("project/.agent/config.toml", "[intents]\nmode = \"warn\"\n");
    let run = client.before(&world, By::Main, &call);
    assert_eq!(denial(&run), None);
    assert!(context(&run).contains(REQUIRED), "{run}");
    world.write("project/.agent/config.toml", "[intents]\nmode = \"off\"\n");
    assert_eq!(client.before(&world, By::Main, &call).stdout, "");
    world.write("project/.agent/config.toml", "[intents]\nshell = \"all\"\n");
    stops(client, &world, &client.shell("git status"), REQUIRED);
    stops(client, &world, &client.shell("stead intent list; git status"), REQUIRED);
    passes(client, &world, &client.shell("stead intent list"), "the whole command");
    select(client, &world, By::Main, "INT-001");
    passes(client, &world, &client.shell("git status"), "with an intent");
}

#[test]
fn what_stead_asks_for_needs_no_intent() {
    let client = &CLIENTS[0];
    let world = project();
    for path in [
        ".agent/runs/night/stage-00-plan/progress.md",
        ".agent/runs/night/stage-00-plan/iterations/001/status.json",
        ".agent/roles/coder.context.md",
        ".agent/context/packets/20261115T194530Z-x.md",
    ] {
        let path = world.project().join(path).display().to_string();
        passes(client, &world, &client.write(&path, "{}"), &path);
    }
    for command in
        ["stead note 'x'", "stead handoff", "stead verify login", "stead explain v-7k2m9qd4", "stead role list"]
    {
        passes(client, &world, &client.shell(command), command);
    }
    stops(client, &world, &client.shell("stead note x > notes.txt"), REQUIRED);
    stops(client, &world, &client.shell("stead intent select INT-001 && touch docs/x"), REQUIRED);
    stops(client, &world, &client.shell("stead run pipeline x"), REQUIRED);
    stops(client, &world, &client.shell("stead intent widen INT-001 --add '**'"), "weaken Stead");
    stops(client, &world, &client.shell("stead intent reopen INT-003"), "weaken Stead");
}

#[test]
fn free_paths_barred_intents_and_approval() {
    let client = &CLIENTS[0];
    let world = project();
    world.write("project/.agent/intents/.intentignore", "*.lock\nbuild/\nintent: INT-002\n");
    stops(client, &world, &client.shell("touch a.lock"), REQUIRED);
    select(client, &world, By::Main, "INT-001");
    passes(
        client,
        &world,
        &client.shell("touch a.lock src/deep/b.lock && mkdir -p build/x && touch build/x/y"),
        "free",
    );
    stops(client, &world, &client.shell("touch a.locks"), "a.locks");
    let refused = world.stead(&["intent", "select", "INT-002"]);
    assert_eq!(refused.code, 1, "{refused}");
    let cited = json!({"path": "docs/x", "content": "x", "intent_id": "INT-002"});
    stops(client, &world, &client.named("write_to_file", cited), "bars `INT-002`");
    world.write(FILE, INTENTS.replace("    name: Sign in\n", "    name: Sign in\n    approval: required\n"));
    let run = client.before(&world, By::Main, &client.shell("touch src/x"));
    assert_eq!(run.json()["hookSpecificOutput"]["permissionDecision"], "ask", "{run}");
    let codex = &CLIENTS[1];
    select(codex, &world, By::Main, "INT-001");
    stops(codex, &world, &codex.shell("touch src/x"), "needs a person's approval");
    passes(codex, &world, &codex.shell("cat src/a.rs"), "reading");
}

#[test]
fn the_briefing_demands_a_selection_and_repeats_it() {
    let world = project();
    let start = |source: &str| {
        let own = json!({"source": source});
        world.hook("claude SessionStart", payload(&world, "SessionStart", own)).stdout
    };
    let said = start("startup");
    assert!(said.contains("you must select an intent") && said.contains("INT-002 (PENDING): Docs"), "{said}");
    world.hook("claude PreToolUse", shell(&world, "stead intent select INT-001"));
    world.stead(&["intent", "select", "INT-001"]).ok();
    let said = start("compact");
    assert!(said.contains("Selected: INT-001 (Sign in). It owns src/**."), "{said}");
    std::fs::remove_file(world.project().join(".agent/intents/active_intents.yaml")).unwrap();
    accept_all(&world);
    let reply = world.hook("claude PreToolUse", tool(&world, "Write", json!({"file_path": "src/x", "content": ""})));
    assert!(reply.stdout.contains("The intents file is gone"), "{reply}");
}

#[test]
fn a_verdict_can_be_explained_and_guards_see_the_intent() {
    let client = &CLIENTS[0];
    let world = project();
    world.write(
        "project/.agent/guards/no-b.yaml",
        "id: no-b\nmode: enforce\nmatch:\n  writes: [src/b.rs]\n  intent: INT-001\nthen: deny\nsay: not b\n",
    );
    let reason = stops(client, &world, &client.shell("touch src/b.rs"), REQUIRED);
    let id = reason.rsplit_once("[v-").map(|(_, id)| format!("v-{}", id.trim_end_matches(']'))).unwrap();
    let told = world.stead(&["explain", &id]).ok();
    assert!(told.contains("intents (enforce): denied") && told.contains("stead intent select"), "{told}");
    select(client, &world, By::Main, "INT-001");
    stops(client, &world, &client.shell("touch src/b.rs"), "not b");
    passes(client, &world, &client.shell("touch src/c.rs"), "another file");
    // A constraint makes a guard binding that only watches otherwise.
    world.write(
        "project/.agent/guards/no-b.yaml",
        "id: no-b\nmode: shadow\nmatch:\n  writes: [src/b.rs]\nthen: deny\nsay: not b\n",
    );
    accept_all(&world);
    passes(client, &world, &client.shell("touch src/b.rs"), "shadow");
    world.write(FILE, INTENTS.replace("    name: Sign in\n", "    name: Sign in\n    constraints: [{guard: no-b}]\n"));
    stops(client, &world, &client.shell("touch src/b.rs"), "a constraint of intent INT-001");
}
