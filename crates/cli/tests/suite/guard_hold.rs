//! Guards through the real hook where they could be slipped through, or stop what is harmless: patterns of the shell,
//! commands that nobody can read, calls that were changed, words that a person gave for something else.

use serde_json::json;
use stead_testkit::World;

use crate::client::{context, denial, rewritten, said};
use crate::world::{by_person, lines, marked, payload, shell, tool};

fn put(world: &World, id: &str, rest: &str) {
    world.write(
        format!("project/.agent/guards/{id}.yaml"),
        format!("id: {id}\nmode: enforce\nsay: \"not like this\"\n{rest}\n"),
    );
}

fn asked(world: &World, command: &str) -> Option<String> {
    denial(&world.hook("claude PreToolUse", shell(world, command)))
}

#[test]
fn patterns_of_the_shell_are_looked_up() {
    let world = marked();
    world.write("project/infra/main.tf", "x\n");
    world.write("project/src/a.py", "x\n");
    world.write("project/.env", "S=1\n");
    put(&world, "infra", "match: {writes: 'infra/**'}");
    world.write("project/.agent/guards/destructive.yaml", "id: destructive\nuse: destructive\n");
    for command in [
        "rm */*.tf",
        "find . -name '*.tf' -delete",
        "find . -type f -exec sed -i s/a/b/ {} +",
        "tar -xf x.tar -C infra",
        "touch infra/$NAME.tf",
        "rg -l foo | xargs sed -i s/foo/bar/",
        "cat .e*",
        "find . -type f | xargs cat",
    ] {
        assert!(asked(&world, command).is_some(), "{command}");
    }
    for command in [
        "find . -name '*.pyc' -delete",
        "find . -name '*.py' | xargs sed -i s/a/b/",
        "rg -l foo src | xargs sed -i s/foo/bar/",
        "rg -l foo | xargs cat",
        "rm -f */*.o",
        "cat *",
        "head -5 *",
        "ls | xargs cat",
        "cat */*.md",
        "find . -name __pycache__ -exec rm -rf {} +",
        "cat $(git ls-files '*.md')",
        "git diff --name-only | xargs cat",
    ] {
        assert_eq!(asked(&world, command), None, "{command}");
    }
    world.write("project/server.pem", "x\n");
    assert!(asked(&world, "cat *").is_some_and(|reason| reason.contains("server.pem contains secrets")));
}

#[test]
fn a_command_that_nobody_can_read_is_refused_where_a_guard_may_be_meant() {
    let world = marked();
    put(&world, "infra", "match: {writes: 'infra/**'}");
    let nested = |inner: &str| format!("{}{inner}{}", "( ".repeat(300), " )".repeat(300));
    let reason = asked(&world, &nested("rm infra/main.tf")).unwrap();
    assert!(reason.contains("too long or too deeply nested"), "{reason}");
    assert_eq!(asked(&world, &nested("cargo test")), None);
    put(&world, "infra", "match: {writes: 'infra/**'}\non_error: open");
    assert_eq!(asked(&world, &nested("rm infra/main.tf")), None);
}

#[test]
fn a_permission_is_given_for_all_of_a_command() {
    let world = marked();
    put(&world, "tests", "on: permission-request\nmatch: {runs: cargo test}\nthen: allow");
    let granted = |command: &str| {
        let own = json!({"tool_name": "Bash", "tool_input": {"command": command}});
        let run = world.hook("claude PermissionRequest", payload(&world, "PermissionRequest", own));
        said(&run)["hookSpecificOutput"]["decision"]["behavior"] == "allow"
    };
    assert!(granted("cargo test --lib"));
    for command in ["cargo test; rm -rf x", "cargo test > x", "PATH=/evil:$PATH cargo test", "/evil/cargo test"] {
        assert!(!granted(command), "{command}");
    }
}

#[test]
fn a_changed_call_is_judged_anew() {
    let world = marked();
    put(&world, "move", "match: {writes: 'src/**'}\nthen: rewrite\nto: x/{name}");
    let write = |path: &str| {
        let path = world.project().join(path).display().to_string();
        world.hook("claude PreToolUse", tool(&world, "Write", json!({"file_path": path, "content": "x"})))
    };
    let run = write("src/a");
    assert!(rewritten(&run).unwrap()["file_path"].as_str().unwrap().ends_with("/x/a"), "{run}");
    put(&world, "there", "match: {writes: 'x/**'}");
    let run = write("src/a");
    let reason = denial(&run).unwrap_or_else(|| panic!("it passes: {run}"));
    assert!(reason.contains("would redirect it to") && reason.contains("`there`"), "{reason}");
    assert_eq!((rewritten(&run), context(&run).contains("It is now written")), (None, false), "{run}");
    let hits = lines(&world, "sessions.jsonl").pop().unwrap()["hits"].clone();
    let did: Vec<(&str, &str)> = hits
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| (hit["guard"].as_str().unwrap(), hit["did"].as_str().unwrap()))
        .collect();
    assert_eq!(did, [("move", "recorded"), ("there", "denied")]);
}

#[test]
fn a_word_for_one_feature_is_none_for_another() {
    let world = marked();
    let list = |a: bool, b: bool| {
        let features = [("a", a), ("b", b)].map(|(id, tested)| json!({"id": id, "files": ["x"], "tested": tested}));
        json!({"features": features}).to_string()
    };
    let path = "project/.agent/features/feature-list.json";
    world.write(path, list(false, false));
    let write = |a: bool, b: bool| {
        let file = world.project().join(".agent/features/feature-list.json").display().to_string();
        let input = json!({"file_path": file, "content": list(a, b)});
        denial(&world.hook("claude PreToolUse", tool(&world, "Write", input)))
    };
    assert!(write(true, false).is_some());
    let id = lines(&world, "sessions.jsonl").pop().unwrap()["id"].as_str().unwrap().to_owned();
    let run = by_person(&world, &["allow", &id, "--reason", "a is proven elsewhere"]);
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(write(true, false), None);
    assert!(write(false, true).is_some_and(|reason| reason.contains("set on b only")));
    assert!(write(true, true).is_some());
}

#[test]
fn a_guard_in_a_folder_is_told_of() {
    let world = marked();
    let guard = "id: deep\nmatch: {writes: x}\nsay: no\ntests: {must: [touch x], must_not: [ls]}\n";
    world.write("project/.agent/guards/more/deep.yaml", guard);
    let run = world.stead(&["guard", "lint"]);
    assert!(run.stdout.contains("more/deep.yaml: not applied"), "{run}");
    assert_eq!(run.code, 0, "{run}");
}
