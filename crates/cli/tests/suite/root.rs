//! Which project a call belongs to.

use serde_json::json;

use crate::world::{denies, lines, marked, payload, shell};

#[test]
fn a_subfolder_belongs_to_the_project() {
    let world = marked();
    let own = json!({"cwd": world.project().join("deep/er"), "tool_name": "Bash", "tool_input": {"command": "true"}});
    world.hook("claude PreToolUse", payload(&world, "PreToolUse", own));
    assert_eq!(lines(&world, "sessions.jsonl").len(), 1);
}

/// The variable is pinned to where the session began; the payload's folder follows the agent.
#[test]
fn leaving_the_project_does_not_leave_its_gates() {
    let mut world = marked();
    let away = world.folder().join("elsewhere");
    std::fs::create_dir(&away).unwrap();
    let forbidden = format!("rm -rf '{}/.agent'", world.project().display());
    let own = json!({"cwd": away, "tool_name": "Bash", "tool_input": {"command": forbidden}});
    world.set("CLAUDE_PROJECT_DIR", world.project().display().to_string());
    let run = world.hook("claude PreToolUse", payload(&world, "PreToolUse", own));
    assert!(denies(&run.stdout), "{run}");
    assert_eq!(lines(&world, "sessions.jsonl").len(), 1);
}

/// Codex names no project folder, so the session's first one is remembered.
#[test]
fn a_session_keeps_its_project_where_the_client_does_not_name_it() {
    let world = marked();
    let away = world.folder().join("elsewhere");
    std::fs::create_dir(&away).unwrap();
    let start = json!({"turn_id": "t", "model": "m", "source": "startup"});
    world.hook("codex SessionStart", payload(&world, "SessionStart", start));
    let forbidden = format!("rm -rf '{}/.agent'", world.project().display());
    let moved = json!({"cwd": away, "turn_id": "t", "model": "m", "tool_name": "Bash",
        "tool_input": {"command": forbidden}});
    let run = world.hook("codex PreToolUse", payload(&world, "PreToolUse", moved.clone()));
    assert!(denies(&run.stdout), "{run}");
    assert_eq!(lines(&world, "sessions.jsonl").len(), 2);
    // Another session that begins there has nothing to do with this project.
    let mut other = moved;
    other["session_id"] = json!("session-2");
    other["tool_input"]["command"] = json!("ls");
    world.hook("codex PreToolUse", payload(&world, "PreToolUse", other));
    assert_eq!(lines(&world, "sessions.jsonl").len(), 2);
}

#[test]
fn a_worktree_without_a_marker_is_guarded_by_the_main_checkout() {
    let world = marked();
    world.git(&["add", "-A"]).ok();
    world.git(&["commit", "-qm", "first"]).ok();
    let tree = world.folder().join("tree");
    world.git(&["worktree", "add", "-q", tree.to_str().unwrap()]).ok();
    std::fs::remove_dir_all(tree.join(".agent")).unwrap();
    let forbidden = format!("rm -rf '{}/.agent'", world.project().display());
    let own = json!({"cwd": tree, "tool_name": "Bash", "tool_input": {"command": forbidden}});
    let run = world.hook("claude PreToolUse", payload(&world, "PreToolUse", own));
    assert!(denies(&run.stdout), "{run}");
    let run = world.hook("claude PreToolUse", shell(&world, "ls"));
    assert_eq!(run.to_string(), "exit 0");
    assert_eq!(lines(&world, "sessions.jsonl").len(), 2);
}
