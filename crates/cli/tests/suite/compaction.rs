//! Manual and automatic compaction of a session with a role, and the briefing at arrival, with recorded payloads.

use serde_json::{Value, json};
use stead_testkit::{Run, World};

use crate::role::good;
use crate::world::{lines, marked, payload};

const TESTER: &str = "project/.agent/roles/tester.context.md";

/// A payload as the client sent it, moved into this world.
macro_rules! recorded {
    ($world:expr, $name:literal) => {
        include_str!(concat!("../../../client/fixtures/", $name, ".json"))
            .replace("/home/dev/project", $world.project().to_str().unwrap())
    };
}

/// A project with a valid role file, in which agents are started as `tester`.
fn world() -> World {
    let mut world = marked();
    world.set("STEAD_ROLE", "tester");
    world.write(TESTER, good("tester"));
    world
}

fn state(world: &World) -> Value {
    serde_json::from_str(&world.read("project/.agent/context/indexes/roles/tester.json")).unwrap()
}

fn state_name(world: &World) -> String {
    state(world)["state"].as_str().unwrap().to_owned()
}

/// The session of a payload edits a file.
fn edit(world: &World, session: &str) {
    let own = json!({"session_id": session, "tool_name": "Write", "tool_use_id": "c", "tool_response": {},
        "tool_input": {"file_path": world.project().join("src/a.rs"), "content": "x"}});
    // A role file of the same millisecond counts as newer.
    std::thread::sleep(std::time::Duration::from_millis(5));
    world.hook("claude PostToolUse", payload(world, "PostToolUse", own));
}

fn context(run: &Run) -> String {
    run.json()["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

const CLAUDE: &str = "00000000-0000-0000-0000-000000000001";

#[test]
fn a_saved_role_passes_and_comes_back() {
    let world = world();
    let manual = world.hook("claude PreCompact", recorded!(world, "claude/PreCompact.manual"));
    assert_eq!(manual.to_string(), "exit 0");
    assert_eq!(state_name(&world), "compacting");
    assert!(state(&world)["saved_at"].is_string());
    assert_eq!(world.hook("claude PostCompact", recorded!(world, "claude/PostCompact.manual")).to_string(), "exit 0");
    assert_eq!(state_name(&world), "recovering");
    let said = context(&world.hook("claude SessionStart", recorded!(world, "claude/SessionStart.compact")));
    assert!(said.starts_with("Recovery of the role `tester`."), "{said}");
    assert!(said.contains(&good("tester")), "{said}");
    assert!(said.contains("Recovery complete: the role `tester` is active."), "{said}");
    assert!(!said.contains("Note:"), "{said}");
    assert_eq!(state_name(&world), "active");
}

#[test]
fn a_manual_compaction_of_an_unsaved_role_is_held_once() {
    let world = world();
    let manual = recorded!(world, "claude/PreCompact.manual");
    let check_held = |why: &str| {
        let said = world.hook("claude PreCompact", &manual).json();
        assert_eq!(said["decision"], "block");
        let reason = said["reason"].as_str().unwrap();
        assert!(reason.contains(why), "{reason}");
        assert!(reason.contains("stead role lifecycle save tester"), "{reason}");
        assert_eq!(world.hook("claude PreCompact", &manual).to_string(), "exit 0", "the second attempt passes");
        assert_eq!(state_name(&world), "compacting");
    };
    edit(&world, CLAUDE);
    check_held("is older than the last edit of this session");
    world.write(TESTER, "# no role file\n");
    check_held("is not valid: line 1: the title");
    std::fs::remove_file(world.folder().join(TESTER)).unwrap();
    check_held("run `stead role new tester`");
    let said = context(&world.hook("claude SessionStart", recorded!(world, "claude/SessionStart.compact")));
    assert!(said.contains("before the compaction the role file is missing"), "{said}");
    assert_eq!(state_name(&world), "active");
}

#[test]
fn saving_after_a_hold_lets_the_compaction_pass_as_saved() {
    let world = world();
    let manual = recorded!(world, "claude/PreCompact.manual");
    edit(&world, CLAUDE);
    assert_eq!(world.hook("claude PreCompact", &manual).json()["decision"], "block");
    assert_eq!(state_name(&world), "active");
    world.stead(&["role", "lifecycle", "save", "tester"]).ok();
    assert_eq!(world.hook("claude PreCompact", &manual).to_string(), "exit 0");
    assert!(state(&world).get("unsaved").is_none());
    // The next unsaved work is held again.
    edit(&world, CLAUDE);
    assert_eq!(world.hook("claude PreCompact", &manual).json()["decision"], "block");
}

#[test]
fn two_sessions_of_one_role_are_each_held_once() {
    let world = world();
    world.write(TESTER, "# broken\n");
    let manual = recorded!(world, "claude/PreCompact.manual");
    let other = manual.replace(CLAUDE, "another-session");
    let held = |payload: &str| world.hook("claude PreCompact", payload).stdout.contains("block");
    assert!(held(&manual) && held(&other));
    assert!(!held(&manual) && !held(&other));
}

#[test]
fn a_sub_agent_s_compaction_is_its_own() {
    let world = world();
    world.write(TESTER, "# broken\n");
    let own = recorded!(world, "claude/PreCompact.manual").replacen('{', r#"{"agent_id": "a1","#, 1);
    assert_eq!(world.hook("claude PreCompact", own).to_string(), "exit 0");
    assert!(!world.exists("project/.agent/context/indexes/roles/tester.json"));
}

#[test]
fn another_session_s_work_does_not_make_a_role_file_old() {
    let world = world();
    edit(&world, "somebody-else");
    assert_eq!(world.hook("claude PreCompact", recorded!(world, "claude/PreCompact.manual")).to_string(), "exit 0");
    assert!(state(&world).get("unsaved").is_none());
}

#[test]
fn an_automatic_compaction_is_never_held() {
    let world = world();
    edit(&world, CLAUDE);
    for _ in 0..2 {
        let run = world.hook("claude PreCompact", recorded!(world, "claude/PreCompact.auto"));
        assert_eq!(run.to_string(), "exit 0");
    }
    assert_eq!(state_name(&world), "compacting");
    let said = context(&world.hook("claude SessionStart", recorded!(world, "claude/SessionStart.compact")));
    assert!(said.contains("Note: before the compaction the role file is older than the last edit"), "{said}");
}

#[test]
fn codex_is_never_held_and_recovers_at_its_compact_start() {
    let world = world();
    world.write(TESTER, "# broken\n");
    assert_eq!(world.hook("codex PreCompact", recorded!(world, "codex/PreCompact.auto")).to_string(), "exit 0");
    let manual = recorded!(world, "codex/PreCompact.auto").replace(r#""trigger": "auto""#, r#""trigger": "manual""#);
    assert_eq!(world.hook("codex PreCompact", manual).to_string(), "exit 0");
    assert_eq!(state_name(&world), "compacting");
    assert_eq!(world.hook("codex PostCompact", recorded!(world, "codex/PostCompact.auto")).to_string(), "exit 0");
    assert_eq!(state_name(&world), "recovering");
    let said = context(&world.hook("codex SessionStart", recorded!(world, "codex/SessionStart.compact")));
    assert!(said.contains("# broken"), "{said}");
    assert_eq!(state_name(&world), "active");
}

/// Qwen cannot be held, but what it is told steers the summary.
#[test]
fn qwen_is_told_what_the_summary_must_keep() {
    let world = world();
    let compact = recorded!(world, "qwen/PreCompact");
    assert_eq!(world.hook("qwen PreCompact", &compact).to_string(), "exit 0\n--- stdout\n{}");
    world.write(TESTER, "# broken\n");
    let said = context(&world.hook("qwen PreCompact", &compact));
    assert!(said.contains("Keep in the summary"), "{said}");
    assert_eq!(state_name(&world), "compacting");
}

/// A compaction at Droid makes a new session that names the old one.
#[test]
fn a_role_follows_into_the_session_after_a_compaction() {
    let mut world = world();
    world.unset("STEAD_ROLE");
    let old = "project/.agent/context/indexes/sessions/1a1b0a52-9f0e-4a53-8c1c-7b1f4c6d8e00.json";
    let kept = json!({"schema": 1, "harness": "droid", "session": "1a1b0a52-9f0e-4a53-8c1c-7b1f4c6d8e00",
        "root": world.project(), "cwd": world.project(), "role": "tester",
        "started_at": "2026-01-01T00:00:00.000Z", "last_seen": "2026-01-01T00:00:00.000Z"});
    world.write(old, kept.to_string());
    let said = context(&world.hook("droid SessionStart", recorded!(world, "droid/documented/SessionStart.compact")));
    assert!(said.starts_with("Recovery of the role `tester`."), "{said}");
    let new = world.read("project/.agent/context/indexes/sessions/2f6c0a52-9f0e-4a53-8c1c-7b1f4c6d8e01.json");
    assert!(new.contains(r#""role":"tester""#), "{new}");
}

#[test]
fn a_session_without_a_role_hears_nothing() {
    let mut world = world();
    world.unset("STEAD_ROLE");
    world.write(TESTER, "# broken\n");
    for (line, text) in [
        ("claude PreCompact", recorded!(world, "claude/PreCompact.manual")),
        ("claude PreCompact", recorded!(world, "claude/PreCompact.auto")),
        ("claude PostCompact", recorded!(world, "claude/PostCompact.manual")),
        ("claude SessionStart", recorded!(world, "claude/SessionStart.compact")),
        ("claude SessionStart", recorded!(world, "claude/SessionStart.startup")),
        ("claude UserPromptSubmit", recorded!(world, "claude/UserPromptSubmit")),
        ("codex PreCompact", recorded!(world, "codex/PreCompact.auto")),
    ] {
        assert_eq!(world.hook(line, text).to_string(), "exit 0", "{line}");
    }
    assert!(!world.exists("project/.agent/context/indexes/roles/tester.json"));
}

#[test]
fn an_older_tool_s_variable_names_the_role_too() {
    let mut world = world();
    world.unset("STEAD_ROLE");
    world.set("HIVEMIND_ROLE", "tester");
    world.hook("claude PreCompact", recorded!(world, "claude/PreCompact.manual"));
    assert_eq!(state_name(&world), "compacting");
}

#[test]
fn the_hold_has_a_switch_that_only_files_turn() {
    let mut world = world();
    world.write(TESTER, "# broken\n");
    let manual = recorded!(world, "claude/PreCompact.manual");
    world.set("STEAD_CONTEXT_HOLD_COMPACTION", "false");
    assert_eq!(world.hook("claude PreCompact", &manual).json()["decision"], "block");
    world.hook("claude PreCompact", &manual);
    world.write("project/.agent/config.toml", "[context]\nhold_compaction = false\n");
    for _ in 0..2 {
        assert_eq!(world.hook("claude PreCompact", &manual).to_string(), "exit 0");
    }
}

/// Not remembering a hold would repeat it for ever, so what cannot be written is not held.
#[test]
fn without_room_for_the_mark_nothing_is_held() {
    let world = world();
    world.write(TESTER, "# broken\n");
    let folder = world.folder().join("project/.agent/context/indexes/roles");
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::write(&folder, "in the way").unwrap();
    for _ in 0..2 {
        let run = world.hook("claude PreCompact", recorded!(world, "claude/PreCompact.manual"));
        assert_eq!(run.to_string(), "exit 0");
    }
    assert!(world.read("home/.local/state/stead/notes.jsonl").contains("roles"));
}

#[test]
fn a_large_role_file_is_cut_for_the_client_and_its_place_is_said() {
    let world = world();
    world.write(TESTER, good("tester") + &"- one more thing to remember\n".repeat(2_000));
    let said = context(&world.hook("claude SessionStart", recorded!(world, "claude/SessionStart.compact")));
    assert!(said.len() <= 8_000, "{}", said.len());
    assert!(said.contains("… (cut here; read the rest of `.agent/roles/tester.context.md`)"), "{said}");
    assert!(said.contains("is active."), "{said}");
    world.write(TESTER, vec![b'x'; 10 * 1024 * 1024]);
    let said = context(&world.hook("claude SessionStart", recorded!(world, "claude/SessionStart.compact")));
    assert!(said.contains("the role file could not be read"), "{said}");
}

/// A compaction that told nobody it was over: the next prompt brings the role back.
#[test]
fn a_prompt_recovers_what_no_other_event_did() {
    let world = world();
    let prompt = recorded!(world, "claude/UserPromptSubmit");
    assert_eq!(world.hook("claude UserPromptSubmit", &prompt).to_string(), "exit 0");
    world.hook("claude PreCompact", recorded!(world, "claude/PreCompact.manual"));
    let said = context(&world.hook("claude UserPromptSubmit", &prompt));
    assert!(said.starts_with("Recovery of the role `tester`."), "{said}");
    assert_eq!(world.hook("claude UserPromptSubmit", &prompt).to_string(), "exit 0");
}

#[test]
fn an_arriving_session_is_briefed() {
    let world = world();
    let start = recorded!(world, "claude/SessionStart.startup");
    let said = context(&world.hook("claude SessionStart", &start));
    assert!(said.contains("Your role is `tester`; its context is in `.agent/roles/tester.context.md`."), "{said}");
    assert!(said.contains("Pending:\n- the second half"), "{said}");
    world.write(TESTER, good("tester").replace("- the second half", &"- one of very many things\n".repeat(500)));
    let said = context(&world.hook("claude SessionStart", &start));
    assert!(said.len() <= 6_000 && said.len() > 5_000, "{}", said.len());
    world.write("project/.agent/config.toml", "[context]\nbriefing_tokens = 100\n");
    let said = context(&world.hook("claude SessionStart", &start));
    assert!(said.len() <= 400 && said.contains("`stead role recover tester` shows all of it"), "{said}");
    world.write("project/.agent/config.toml", "[context]\nbriefing_tokens = 0\n");
    assert_eq!(world.hook("claude SessionStart", &start).to_string(), "exit 0");
}

/// The packets of a world, as text.
fn packets(world: &World) -> Vec<String> {
    let mut paths: Vec<_> = std::fs::read_dir(world.folder().join("project/.agent/context/packets"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn an_automatic_compaction_leaves_a_snapshot() {
    let world = world();
    world.write("project/.gitignore", "ignored.txt\n");
    world.write("project/src/a.rs", "x\n");
    world.write("project/ignored.txt", "x\n");
    world.git(&["add", "src", ".gitignore"]);
    world.git(&["commit", "-q", "-m", "first"]);
    edit(&world, CLAUDE);
    let ignored = json!({"session_id": CLAUDE, "tool_name": "Write", "tool_use_id": "c", "tool_response": {},
        "tool_input": {"file_path": world.project().join("ignored.txt"), "content": "x"}});
    world.hook("claude PostToolUse", payload(&world, "PostToolUse", ignored));
    let run = world.hook("claude PreCompact", recorded!(world, "claude/PreCompact.auto"));
    assert_eq!(run.to_string(), "exit 0");
    let [packet] = &packets(&world)[..] else { panic!("{:?}", packets(&world)) };
    for part in [
        "status: draft",
        "purpose: Continue as tester after a compaction",
        "source: claude",
        &format!("session_id: {CLAUDE}"),
        "git_branch: main",
        "relevant_files_suggested: [\"src/a.rs\"]",
        "without a model. The role file `.agent/roles/tester.context.md` is older than the last edit of this session (`ignored.txt`)",
        "## Next Prompt (Draft)",
    ] {
        assert!(packet.contains(part), "{part}\n{packet}");
    }
    let id = state(&world)["snapshot"].as_str().unwrap().to_owned();
    let said = context(&world.hook("claude SessionStart", recorded!(world, "claude/SessionStart.compact")));
    assert!(said.contains(&format!("`stead pickup {id}`")), "{said}");
    assert_eq!(world.stead(&["packet", "lint", &id]).code, 0);
    // The next one takes its place.
    world.hook("claude PreCompact", recorded!(world, "claude/PreCompact.auto"));
    let newest = state(&world)["snapshot"].as_str().unwrap().to_owned();
    for packet in packets(&world) {
        let status = if packet.contains(&format!("id: {newest}\n")) { "status: draft" } else { "status: done" };
        assert!(packet.contains(status), "{packet}");
    }
    assert!(newest != id && packets(&world).len() == 2);
    // A prepared one needs none.
    world.write(TESTER, good("tester"));
    world.hook("claude PreCompact", recorded!(world, "claude/PreCompact.manual"));
    assert_eq!(packets(&world).len(), 2);
    assert!(state(&world).get("snapshot").is_none());
}

#[test]
fn a_manual_compaction_that_goes_ahead_unsaved_leaves_a_snapshot_too() {
    let world = world();
    world.write(TESTER, "# broken\n");
    world.hook("claude PreCompact", recorded!(world, "claude/PreCompact.manual"));
    assert_eq!(packets(&world).len(), 0);
    world.hook("claude PreCompact", recorded!(world, "claude/PreCompact.manual"));
    assert_eq!(packets(&world).len(), 1);
}

#[test]
fn a_briefing_tells_what_there_is() {
    let mut world = world();
    world.unset("STEAD_ROLE");
    let start = recorded!(world, "claude/SessionStart.startup");
    assert_eq!(world.hook("claude SessionStart", &start).to_string(), "exit 0");
    world.stead(&["note", "decision", "tabs it is"]).ok();
    world.stead(&["handoff", "finish the parser"]).ok();
    let said = context(&world.hook("claude SessionStart", &start));
    assert!(said.contains("- decision: tabs it is"), "{said}");
    assert!(!said.contains("finish the parser"), "a draft is nobody's task yet: {said}");
    world.stead(&["packet", "activate", "latest"]).ok();
    let said = context(&world.hook("claude SessionStart", &start));
    assert!(said.contains("## Active packet\n"), "{said}");
    assert!(said.contains("finish the parser"), "{said}");
    let packet = said.find("## Active packet").unwrap();
    assert!(packet < said.find("## Notes").unwrap(), "{said}");
}

#[test]
fn a_session_hears_of_its_own_loop_only() {
    let mut world = world().with_stead_on_path();
    world.unset("STEAD_ROLE");
    let own = json!({"session_id": CLAUDE, "tool_name": "Bash", "tool_use_id": "c",
        "tool_input": {"command": "stead loop start 'make it green'"}});
    world.hook("claude PreToolUse", payload(&world, "PreToolUse", own));
    world.stead(&["loop", "start", "make it green"]).ok();
    let start = recorded!(world, "claude/SessionStart.resume");
    let said = context(&world.hook("claude SessionStart", &start));
    assert!(said.contains("iteration 1 of 25:\nmake it green"), "{said}");
    let other = start.replace(CLAUDE, "another-session");
    assert_eq!(world.hook("claude SessionStart", other).to_string(), "exit 0");
}

/// Kimi reports the end of a compaction but accepts no text then.
#[test]
fn a_client_that_takes_nothing_after_a_compaction_recovers_at_the_next_prompt() {
    let world = world();
    let prompt = recorded!(world, "kimi/UserPromptSubmit");
    let event = |name: &str| {
        let mut event: Value = serde_json::from_str(&prompt).unwrap();
        event["hook_event_name"] = json!(name);
        event["trigger"] = json!("manual");
        event.as_object_mut().unwrap().remove("prompt");
        world.hook(&format!("kimi {name}"), event.to_string())
    };
    assert_eq!(event("PreCompact").to_string(), "exit 0");
    assert_eq!(event("PostCompact").to_string(), "exit 0");
    assert_eq!(state_name(&world), "recovering");
    let said = world.hook("kimi UserPromptSubmit", &prompt).stdout;
    assert!(said.starts_with("Recovery of the role `tester`."), "{said}");
    assert_eq!(state_name(&world), "active");
    // A late word about the same compaction changes nothing.
    event("PostCompact");
    assert_eq!(state_name(&world), "active");
}

/// Kimi takes no text when a session starts, so the first prompt brings it.
#[test]
fn a_client_that_takes_nothing_at_the_start_is_briefed_at_the_first_prompt() {
    let world = world();
    let prompt = recorded!(world, "kimi/UserPromptSubmit");
    assert_eq!(world.hook("kimi SessionStart", recorded!(world, "kimi/SessionStart")).to_string(), "exit 0");
    let said = world.hook("kimi UserPromptSubmit", &prompt).stdout;
    assert!(said.contains("Your role is `tester`"), "{said}");
    assert_eq!(world.hook("kimi UserPromptSubmit", &prompt).to_string(), "exit 0");
    assert!(!lines(&world, "sessions.jsonl").is_empty());
}
