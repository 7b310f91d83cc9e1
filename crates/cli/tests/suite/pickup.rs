//! `stead pickup`: what a packet is worth after the world went on.

use serde_json::Value;
use stead_testkit::World;

use crate::world::{lines, marked, shell};

/// Four committed files and a packet that confirms them.
fn handed_over() -> (World, String) {
    let world = marked();
    for name in ["same", "changed", "moved", "gone"] {
        world.write(format!("project/src/{name}.rs"), format!("pub fn {name}() {{}}\n"));
    }
    commit(&world, "first");
    let confirm = [
        "--confirm", "src/same.rs", "--confirm", "src/changed.rs", "--confirm", "src/moved.rs", "--confirm",
        "src/gone.rs",
    ];
    let args = ["handoff", "go on", "--validator", "true", "--json"];
    let said = world.stead(&[&args[..], &confirm].concat()).json();
    (world, said["id"].as_str().unwrap().to_owned())
}

fn commit(world: &World, message: &str) {
    world.git(&["add", "-A"]).ok();
    world.git(&["commit", "-qm", message, "--allow-empty"]).ok();
}

fn pickup(world: &World, more: &[&str]) -> Value {
    world.stead(&[&["pickup", "latest", "--format", "json"], more].concat()).json()
}

fn states(said: &Value) -> Vec<String> {
    let files = said["files"].as_array().unwrap().iter();
    files
        .map(|file| {
            format!(
                "{} {}{}",
                file["path"].as_str().unwrap(),
                file["state"].as_str().unwrap(),
                file["moved_to"].as_str().map(|to| format!(" {to}")).unwrap_or_default()
            )
        })
        .collect()
}

fn factor(said: &Value, name: &str) -> String {
    let factor = said["factors"].as_array().unwrap().iter().find(|factor| factor["name"] == name).unwrap();
    format!("{}: {}", factor["staleness"].as_str().unwrap(), factor["detail"].as_str().unwrap())
}

#[test]
fn a_fresh_packet_is_read_and_not_touched() {
    let (world, id) = handed_over();
    let path = format!("project/.agent/context/packets/{id}.md");
    let before = world.read(&path);
    world.hook("claude PreToolUse", shell(&world, "stead pickup latest"));
    let run = world.stead(&["pickup", "latest"]).ok();
    assert!(run.starts_with(&format!("# Pickup: go on\n\nPacket `{id}` (draft).\nStaleness: fresh\n")), "{run}");
    assert!(
        run.contains("- `src/same.rs` same (confirmed)") && run.contains("## Next Prompt (Draft)\n\ngo on\n"),
        "{run}"
    );
    assert_eq!(world.read(&path), before);
    let log = lines(&world, "sessions.jsonl");
    let line = log.last().unwrap();
    assert_eq!((line["event"].as_str(), line["packet"].as_str()), (Some("pickup"), Some(id.as_str())));
    assert_eq!((line["session"].as_str(), line["staleness"].as_str()), (Some("session-1"), Some("fresh")));
    let schema = world.stead(&["schema", "session-log"]).json();
    assert!(jsonschema::draft202012::is_valid(&schema, line), "{line}");
}

#[test]
fn files_are_told_apart_after_rename_and_delete() {
    let (world, _) = handed_over();
    world.write("project/src/changed.rs", "pub fn other() {}\n");
    world.git(&["mv", "src/moved.rs", "src/elsewhere.rs"]).ok();
    world.git(&["rm", "-q", "src/gone.rs"]).ok();
    commit(&world, "second");
    let said = pickup(&world, &[]);
    assert_eq!(
        states(&said),
        ["src/same.rs same", "src/changed.rs changed", "src/moved.rs moved src/elsewhere.rs", "src/gone.rs gone"]
    );
    assert_eq!(factor(&said, "files"), "stale: 1 changed, 1 moved, 1 gone of 4");
    assert_eq!(factor(&said, "commits"), "aging: 1 commit since");
    assert_eq!(said["staleness"], "stale");
}

#[test]
fn a_file_that_moved_without_git_knowing_is_found() {
    let (world, _) = handed_over();
    world.sh("mv src/moved.rs src/untracked.rs").ok();
    let said = pickup(&world, &[]);
    assert!(states(&said).contains(&"src/moved.rs moved src/untracked.rs".to_owned()), "{said}");
}

#[test]
fn a_copy_that_is_listed_too_is_not_where_a_file_moved_to() {
    let world = marked();
    for name in ["one", "two"] {
        world.write(format!("project/{name}.rs"), "pub fn same() {}\n");
    }
    for name in ["empty.py", "other.py"] {
        world.write(format!("project/{name}"), "");
    }
    commit(&world, "first");
    let confirm = ["--confirm", "one.rs", "--confirm", "two.rs", "--confirm", "empty.py"];
    world.stead(&[&["handoff", "go on"], &confirm[..]].concat()).ok();
    world.sh("rm two.rs empty.py").ok();
    assert_eq!(states(&pickup(&world, &[])), ["one.rs same", "two.rs gone", "empty.py gone"]);
}

#[test]
fn a_rebase_is_a_divergence_and_another_branch_is_named() {
    let (world, _) = handed_over();
    world.git(&["commit", "-q", "--amend", "-m", "rewritten", "--allow-empty"]).ok();
    let said = pickup(&world, &[]);
    assert!(factor(&said, "branch").starts_with("stale: history was rewritten"), "{said}");
    assert_eq!(said["staleness"], "stale");
    world.git(&["checkout", "-q", "-b", "other"]).ok();
    let said = pickup(&world, &[]);
    assert!(
        factor(&said, "branch").starts_with("stale: now on `other`, written on `main`, and the branches have diverged"),
        "{said}"
    );
    let run = world.stead(&["pickup", "latest"]).ok();
    assert!(run.contains("Check its claims against the files"), "{run}");
}

#[test]
fn a_real_rebase_onto_another_line_is_seen() {
    let world = marked();
    world.write("project/a.rs", "a\n");
    commit(&world, "base");
    world.git(&["checkout", "-q", "-b", "work"]).ok();
    world.write("project/b.rs", "b\n");
    commit(&world, "work");
    world.stead(&["handoff", "go on", "--confirm", "b.rs"]).ok();
    world.git(&["checkout", "-q", "main"]).ok();
    world.write("project/c.rs", "c\n");
    world.git(&["add", "c.rs"]).ok();
    world.git(&["commit", "-qm", "main"]).ok();
    world.git(&["checkout", "-q", "work"]).ok();
    world.git(&["rebase", "-q", "main"]).ok();
    let said = pickup(&world, &[]);
    assert_eq!(states(&said), ["b.rs same"]);
    assert!(factor(&said, "branch").contains("history was rewritten"), "{said}");
    assert_eq!(factor(&said, "commits"), "aging: 2 commits since");
}

#[test]
fn old_packets_and_odd_commits_are_stale() {
    let (world, id) = handed_over();
    let path = format!("project/.agent/context/packets/{id}.md");
    let text = world.read(&path);
    let set = |key: &str, value: &str| {
        let line = text.lines().find(|line| line.starts_with(&format!("{key}: "))).unwrap();
        world.write(&path, text.replacen(line, &format!("{key}: {value}"), 1));
    };
    // Whoever activates it or confirms a file makes it no younger.
    set("updated_at", "2020-01-01T00:00:00Z");
    assert_eq!(pickup(&world, &[])["staleness"], "fresh");
    set("created_at", "2020-01-01T00:00:00Z");
    assert_eq!(pickup(&world, &[])["staleness"], "very-stale");
    set("created_at", "2999-01-01T00:00:00Z");
    assert_eq!(factor(&pickup(&world, &[]), "age"), "fresh: unknown: it was written in the future");
    set("git_commit", "0123456789012345678901234567890123456789");
    assert!(factor(&pickup(&world, &[]), "branch").ends_with("is not in this repository"));
    set("git_commit", "--output=pwned");
    assert!(factor(&pickup(&world, &[]), "branch").ends_with("is not in this repository"));
    assert!(!world.exists("project/pwned"));
}

#[test]
fn validators_are_run_when_asked() {
    let world = marked();
    world.stead(&["handoff", "one", "--validator", "echo fine", "--validator", "echo broken; exit 3"]).ok();
    let run = world.stead(&["pickup", "latest", "--verify"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(
        run.stdout
            .ends_with("## Verification\n\n- `echo fine` passed\n- `echo broken; exit 3` failed: exit 3\n  > broken\n"),
        "{run}"
    );
    world.stead(&["handoff", "two", "--validator", "sleep 60"]).ok();
    let run = world.stead(&["pickup", "two", "--verify", "--timeout", "1", "--json"]);
    assert_eq!((run.code, &run.json()["verification"][0]["end"]), (1, &Value::from("timed out")));
    world.stead(&["handoff", "three", "--validator", "true"]).ok();
    assert_eq!(world.stead(&["pickup", "three", "--verify"]).code, 0);
}

#[test]
fn a_huge_packet_fits_the_budget() {
    let (world, id) = handed_over();
    let path = format!("project/.agent/context/packets/{id}.md");
    let text = world.read(&path).replacen("## Notes\n", &format!("## Notes\n{}", "many notes\n".repeat(1_000_000)), 1);
    world.write(&path, &text);
    let run = world.stead(&["pickup", &id, "--max-tokens", "300"]).ok();
    assert!(run.len() <= 1_200, "{}", run.len());
    assert!(run.contains("## Intent") && run.contains("## Next Prompt (Draft)\n\ngo on"), "{run}");
    assert!(run.contains("Omitted to fit the budget:"), "{run}");
    world.stead(&["packet", "activate", &id]).ok();
    assert!(world.read(&path).contains("\nstatus: active\n"));
    assert_eq!(world.stead(&["pickup", &id, "--max-tokens", "3"]).code, 2);
}

#[test]
fn a_rescan_adds_what_was_touched_since() {
    let (world, _) = handed_over();
    world.write("project/later.rs", "x\n");
    let own = serde_json::json!({"tool_name": "Read", "tool_input": {"file_path": "later.rs"}, "tool_use_id": "c"});
    world.hook("claude PostToolUse", crate::world::payload(&world, "PostToolUse", own));
    assert!(!states(&pickup(&world, &[])).contains(&"later.rs new".to_owned()));
    assert!(states(&pickup(&world, &["--hydrate"])).contains(&"later.rs new".to_owned()));
}

#[test]
fn packets_without_git_are_picked_up_too() {
    let world = marked();
    world.write("project/a.rs", "a\n");
    world.stead(&["handoff", "x", "--confirm", "a.rs"]).ok();
    std::fs::remove_dir_all(world.project().join(".git")).unwrap();
    std::fs::remove_file(world.project().join("a.rs")).unwrap();
    assert_eq!(states(&pickup(&world, &[])), ["a.rs gone"]);
    let said = world.stead(&["handoff", "y", "--json"]).json();
    assert_eq!(said["confirmed"], serde_json::json!([]));
}

#[test]
fn a_new_session_is_told_of_a_fresh_draft() {
    let (world, id) = handed_over();
    let start = |session: &str| {
        let own = serde_json::json!({"session_id": session, "source": "startup"});
        world.hook("claude SessionStart", crate::world::payload(&world, "SessionStart", own)).stdout
    };
    let said = start("s9");
    assert!(said.contains("Draft packet") && said.contains(&format!("stead pickup {id}")), "{said}");
    let path = format!("project/.agent/context/packets/{id}.md");
    let text = world.read(&path);
    world.write(&path, text.replacen("status: draft", "status: draft\nsession_id: s9", 1));
    assert!(!start("s9").contains("Draft packet"), "a session knows its own");
    world.write(&path, text.replacen("created_at: 2", "created_at: 1", 1));
    assert!(!start("s9").contains("Draft packet"), "an old one is no news");
    world.write(&path, text.replacen("status: draft", "status: draft\nkind: snapshot", 1));
    assert!(!start("s9").contains("Draft packet"), "nobody handed a snapshot over");
}
