//! Guards that come with Stead, in a project below the temporary folder: worlds lie there.

use serde_json::{Value, json};
use stead_testkit::World;

use crate::client::denial;
use crate::world::{marked, payload, shell, tool};

fn with(args: &[&str]) -> World {
    let world = marked();
    world.stead(&[&["guard", "enable"], args].concat()).ok();
    world
}

fn asked(world: &World, command: &str) -> Option<String> {
    denial(&world.hook("claude PreToolUse", shell(world, command)))
}

#[test]
fn a_project_below_the_temporary_folder_keeps_its_git_folder() {
    let world = with(&["destructive"]);
    world.write("project/sub/.git/HEAD", "ref: refs/heads/main\n");
    let denied = [
        "rm -rf .git", "rm -rf sub/.git", "rm -rf .", "rm -rf ..", "rm -rf ~", "rm -rf ~/docs",
        "cd .. && rm -rf project",
    ];
    for command in denied {
        let reason = asked(&world, command).unwrap_or_else(|| panic!("`{command}` passes"));
        assert!(reason.contains("delete-beyond") || reason.starts_with("Stead stopped"), "{command}: {reason}");
    }
    assert!(asked(&world, "rm -rf .git").unwrap().contains("delete-beyond"));
    for command in ["rm -rf target", "rm -rf /tmp/build-1", "rm -rf ../scratch"] {
        assert_eq!(asked(&world, command), None, "{command}");
    }
}

#[test]
fn keys_of_tests_are_no_secrets() {
    let world = with(&["destructive"]);
    for command in ["cat tests/fixtures/server.pem", "cat messages.key", "cat pkg/testdata/ca.key"] {
        assert_eq!(asked(&world, command), None, "{command}");
    }
    for command in ["cat server.pem", "cat certs/private.key", "cat deploy/tls.key", "cat tests/.env"] {
        assert!(asked(&world, command).is_some(), "{command}");
    }
}

/// Where the client would write instead, by the rewritten input.
fn sent_to(world: &World, path: &str) -> Option<String> {
    let call = tool(world, "Write", json!({"file_path": path, "content": "x"}));
    let said: Value = serde_json::from_str(&world.hook("claude PreToolUse", call).stdout).ok()?;
    Some(said["hookSpecificOutput"]["updatedInput"]["file_path"].as_str()?.to_owned())
}

#[test]
fn summaries_go_to_a_temporary_folder_and_overwrite_nothing() {
    let world = with(&["summaries-go-to", "--with", "folder=/tmp/stead-test-summaries-never-made/"]);
    let written = world.project().join("SUMMARY.md").display().to_string();
    assert_eq!(sent_to(&world, &written).as_deref(), Some("/tmp/stead-test-summaries-never-made/SUMMARY.md"));
    assert_eq!(sent_to(&world, "/tmp/stead-test-summaries-never-made/SUMMARY.md"), None, "it is there");

    let world = with(&["summaries-go-to", "--with", "folder=docs/summaries"]);
    world.write("project/docs/summaries/SUMMARY.md", "the first");
    world.write("project/docs/summaries/SUMMARY-2.md", "the second");
    let written = world.project().join("SUMMARY.md").display().to_string();
    assert!(sent_to(&world, &written).unwrap().ends_with("/docs/summaries/SUMMARY-3.md"));

    for folder in ["/etc/summaries", "~/summaries", "/tmp/../etc", "../elsewhere"] {
        let refused = marked().stead(&["guard", "enable", "summaries-go-to", "--with", &format!("folder={folder}")]);
        assert!(refused.code == 2 && refused.stderr.contains("these values would break"), "{folder}: {refused}");
    }
}

#[test]
fn a_filter_behind_redirected_errors_is_seen() {
    let world = with(&["logs-through-tools"]);
    world.write("project/build.log", "line\n".repeat(5_000));
    for command in ["cat build.log 2>/dev/null | head", "cat build.log 2>&1 | grep ERR", "cat build.log 2>err >out.txt"]
    {
        assert_eq!(asked(&world, command), None, "{command}");
    }
    for command in ["cat build.log 2>/dev/null", "cat build.log 2>&1 | sort"] {
        assert!(asked(&world, command).is_some(), "{command}");
    }
}

#[test]
fn a_tester_may_use_a_runner_that_nobody_knows() {
    let world = with(&["tester-must-test"]);
    let list = r#"{"features": [{"id": "login", "files": ["src/**"], "verifiers": ["echo all is well"]}]}"#;
    world.write("project/.agent/features/feature-list.json", list);
    world.write("project/src/main.rs", "fn main() {}\n");
    let own = |more: Value| {
        let mut own = json!({"agent_id": "a1", "agent_type": "tester"});
        own.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        own
    };
    let stop = || {
        world
            .hook("claude SubagentStop", payload(&world, "SubagentStop", own(json!({"stop_hook_active": false}))))
            .stdout
    };
    let held = stop();
    assert!(held.contains("`stead verify FEATURE`") && held.contains("block"), "{held}");
    let run =
        own(json!({"tool_name": "Bash", "tool_input": {"command": "stead verify login"}, "tool_use_id": "call-1"}));
    world.hook("claude PreToolUse", payload(&world, "PreToolUse", run));
    world.stead(&["verify", "login"]).ok();
    let let_go = stop();
    assert!(!let_go.contains("block"), "{let_go}");
}

#[test]
fn a_turn_is_summed_up_although_its_guard_was_promoted() {
    let world = marked();
    let guard = "id: infra\nmode: warn\nmatch: {writes: 'infra/**'}\nthen: deny\nsay: \"leave it\"\n";
    world.write("project/.agent/guards/infra.yaml", guard);
    world.hook("claude UserPromptSubmit", payload(&world, "UserPromptSubmit", json!({"prompt": "go"})));
    world.hook("claude PreToolUse", shell(&world, "touch infra/a"));
    world.stead(&["guard", "promote", "infra"]).ok();
    let said = world.hook("claude Stop", payload(&world, "Stop", json!({"stop_hook_active": false}))).stdout;
    assert!(said.contains("in this turn"), "{said}");
}
