//! `stead role`: files, lifecycle, recovery.

use serde_json::{Value, json};
use stead_testkit::{Run, World};

use crate::world::{bare, marked, shell};

const TESTER: &str = "project/.agent/roles/tester.context.md";
const STATE: &str = "project/.agent/context/indexes/roles/tester.json";

/// A role file with nothing to complain about.
pub(crate) fn good(role: &str) -> String {
    format!(
        "# {role} — Session Context\n\n**Updated**: 2026-11-15\n**Role**: {role}\n**Pane**: 0.1\n\n\
         ## Recovery Steps\n1. Read this file\n\n## Completed Work\n1. began (DONE)\n\n\
         ## Pending\n- the second half\n\n## Key Files\n- `src/a.rs`\n"
    )
}

#[track_caller]
fn check(run: Run, code: i32, stdout: &str, stderr: &str) {
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (code, stdout, stderr), "{run}");
}

fn state(world: &World) -> String {
    let state: Value = serde_json::from_str(&world.read(STATE)).unwrap();
    state["state"].as_str().unwrap().to_owned()
}

#[test]
fn a_new_role_has_a_valid_file() {
    let world = marked();
    check(world.stead(&["role", "new", "code-reviewer"]), 0, ".agent/roles/code-reviewer.context.md\n", "");
    let valid = ".agent/roles/code-reviewer.context.md: valid\n";
    check(world.stead(&["role", "validate", "code-reviewer"]), 0, valid, "");
    check(world.stead(&["role", "validate", ".agent/roles/code-reviewer.context.md"]), 0, valid, "");
    check(world.stead(&["role", "validate", "--all"]), 0, valid, "");
    let before = world.read("project/.agent/roles/code-reviewer.context.md");
    let run = world.stead(&["role", "new", "code-reviewer"]);
    assert!(run.code == 1 && run.stderr.contains("already exists"), "{run}");
    assert_eq!(world.read("project/.agent/roles/code-reviewer.context.md"), before);
    let run = world.stead(&["role", "new", "code_reviewer"]);
    assert!(run.code == 1 && run.stderr.contains("would share the state file `code_reviewer`"), "{run}");
    let run = world.stead(&["role", "new", "../x"]);
    assert!(run.code == 2 && run.stderr.contains("invalid role name `../x`"), "{run}");
    assert!(world.stead(&["role", "schema"]).ok().contains("## Recovery Steps"));
    let run = bare().stead(&["role", "new", "x"]);
    assert!(run.code == 1 && run.stderr.contains("is not a project yet"), "{run}");
}

#[test]
fn findings_name_file_and_line() {
    let world = marked();
    world.write(
        TESTER,
        good("tester").replace("**Role**: tester\n", "Role: tester\n").replace("## Key Files", "## Files"),
    );
    check(
        world.stead(&["role", "validate", "tester"]),
        1,
        ".agent/roles/tester.context.md:4: error: the field must be written `**Role**: …`\n\
         .agent/roles/tester.context.md:17: warning: missing section `## Key Files`\n\
         .agent/roles/tester.context.md: invalid\n",
        "",
    );
    let said = world.stead(&["role", "validate", "--all", "--json"]);
    assert_eq!(said.code, 1);
    let said = said.json();
    assert_eq!((&said["valid"], &said["items"][0]["findings"][0]["rule"]), (&json!(false), &json!("field-form")));
    // Warnings alone are no failure.
    world.write(TESTER, good("tester").replace("## Key Files", "## Other"));
    assert_eq!(world.stead(&["role", "validate", "tester"]).code, 0);
    let run = world.stead(&["role", "validate", "testr"]);
    check(run, 1, "", "error: there is no role `testr`\nhint: did you mean `tester`?\n");
    let run = world.stead(&["role", "validate", "elsewhere/tester.context.md"]);
    check(run, 1, "", "error: there is no file `elsewhere/tester.context.md`\n");
}

#[test]
fn mending_is_said_and_done_once() {
    let world = marked();
    let broken = "\u{feff}# Tester - Context\r\n\r\nUpdated: 2026-01-01\r\n\r\n## Done\r\nmine \r\n\r\n## Notes\r\nkeep   this\r\n";
    world.write(TESTER, broken);
    let run = world.stead(&["role", "validate", "tester", "--fix"]);
    assert_eq!(run.code, 0, "{run}");
    assert!(run.stdout.contains("fixed: renamed `## Done` to `## Completed Work`"), "{run}");
    let text = world.read(TESTER);
    assert!(text.starts_with("\u{feff}# Tester — Session Context\r\n\r\n**Updated**: 2026-01-01\r\n"), "{text}");
    assert!(text.contains("## Completed Work\r\nmine \r\n\r\n## Notes\r\nkeep   this\r\n"), "{text}");
    let run = world.stead(&["role", "validate", "tester", "--fix"]);
    assert!(!run.stdout.contains("fixed"), "{run}");
    assert_eq!(world.read(TESTER), text);
}

#[test]
fn one_bad_file_does_not_hide_the_others() {
    let world = marked();
    world.write("project/.agent/roles/a.context.md", good("a"));
    world.write("project/.agent/roles/b.context.md", vec![b'x'; 10 * 1024 * 1024]);
    world.write("project/.agent/roles/c.context.md", b"# C\n\xff");
    let run = world.stead(&["role", "validate", "--all"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("a.context.md: valid\n"), "{run}");
    assert!(run.stdout.contains("b.context.md: error: could not read"), "{run}");
    assert!(run.stdout.contains("more than 1048576 bytes"), "{run}");
    assert!(run.stdout.contains("line 2: the bytes are not UTF-8 text"), "{run}");
    let list = world.stead(&["role", "list", "--json"]).json();
    assert_eq!((list["items"][0]["valid"].as_bool(), list["items"][1]["valid"].as_bool()), (Some(true), Some(false)));
}

#[test]
fn files_of_an_older_tool_stay_where_they_are() {
    let world = bare();
    world.write("project/session/agents/tester.context.md", good("tester"));
    world.stead(&["context", "init"]).ok();
    check(world.stead(&["role", "validate", "--all"]), 0, "session/agents/tester.context.md: valid\n", "");
    assert!(world.stead(&["role", "recover", "tester"]).ok().contains("----- session/agents/tester.context.md -----"));
}

#[test]
fn a_lifecycle_goes_round() {
    let world = marked();
    world.write(TESTER, good("tester"));
    let lifecycle = |verb: &str| world.stead(&["role", "lifecycle", verb, "tester"]);
    let run = lifecycle("status");
    assert!(run.code == 1 && run.stderr.contains("has not started"), "{run}");
    check(lifecycle("init"), 0, "tester: active\n", "");
    check(lifecycle("init"), 0, "tester: already active; nothing to do\n", "");
    check(
        lifecycle("recover"),
        1,
        "",
        "error: role `tester` is active and cannot become recovering\nhint: from active it can become saving\n",
    );
    check(lifecycle("save"), 0, "tester: saved\n", "");
    check(lifecycle("save"), 0, "tester: saved\n", "");
    check(lifecycle("pre-compact"), 0, "tester: saved, compacting\n", "");
    check(
        lifecycle("save"),
        1,
        "",
        "error: role `tester` is compacting and cannot become saving\nhint: from compacting it can become recovering\n",
    );
    assert_eq!(lifecycle("pre-compact").code, 1);
    check(lifecycle("recover"), 0, "tester: active\n", "");
    check(lifecycle("pre-compact"), 0, "tester: saved, compacting\n", "");
    assert!(lifecycle("status").ok().starts_with("tester  compacting  since "));
    let all = world.stead(&["role", "lifecycle", "status", "--json"]).json();
    assert_eq!(
        (all["items"][0]["role"].as_str(), all["items"][0]["state"].as_str()),
        (Some("tester"), Some("compacting"))
    );
    let schema = world.stead(&["schema", "role-state"]).json();
    let validator = jsonschema::draft202012::options().should_validate_formats(true).build(&schema).unwrap();
    let written: Value = serde_json::from_str(&world.read(STATE)).unwrap();
    assert_eq!(validator.iter_errors(&written).map(|error| error.to_string()).collect::<Vec<_>>(), [] as [String; 0]);
}

#[test]
fn an_invalid_file_is_not_saved() {
    let world = marked();
    world.write(TESTER, "# nothing\n");
    for verb in ["save", "pre-compact"] {
        let run = world.stead(&["role", "lifecycle", verb, "tester"]);
        assert_eq!(run.code, 1, "{run}");
        assert!(run.stderr.contains("`.agent/roles/tester.context.md` is not valid: line 1: the title"), "{run}");
    }
    assert_eq!(state(&world), "active");
    let run = world.stead(&["role", "lifecycle", "save", "nobody"]);
    assert!(run.code == 1 && run.stderr.contains("hint: create it with `stead role new nobody`"), "{run}");
}

#[test]
fn two_roles_do_not_share_a_state() {
    let world = marked();
    world.stead(&["role", "lifecycle", "init", "a-b"]).ok();
    for args in [["lifecycle", "init", "a_b"], ["lifecycle", "save", "a_b"], ["lifecycle", "status", "a_b"]] {
        let run = world.stead(&[&["role"][..], &args].concat());
        assert!(run.code == 1 && run.stderr.contains("the roles `a_b` and `a-b`"), "{run}");
    }
}

#[test]
fn the_state_of_an_older_tool_is_taken_over() {
    let mut world = marked();
    world.write(TESTER, good("tester"));
    let old = "declare -xag tester_STATES='([4]=\"started\" [11]=\"active\" [12]=\"saving\" [13]=\"saved\"\n\
               [14]=\"compacting\" [15]=\"recovering\" [16]=\"napping\")'\ntester_STATE_ID=14\ntester_CUSTOM_SCRIPT=context\n";
    let path = world.write("home/config/stateMachines/tester.states.env", old);
    world.set("CONFIG_PATH", world.home().join("config").to_str().unwrap());
    check(
        world.stead(&["role", "lifecycle", "init", "tester"]),
        0,
        "tester: compacting\n",
        "note: the state of `tester` was imported from `$HOME/config/stateMachines/tester.states.env`\n\
         note: not imported: the checks in its script `context`\n\
         note: not imported: its state `napping`, which Stead does not have\n",
    );
    check(world.stead(&["role", "lifecycle", "recover", "tester"]), 0, "tester: active\n", "");
    assert_eq!(std::fs::read_to_string(path).unwrap(), old);
}

#[test]
fn recovery_works_from_any_state_and_none() {
    let world = marked();
    world.write(TESTER, good("tester"));
    world.write("project/ARCHITECTURE.md", "# A\n");
    let check_recovery = |from: &str| {
        let said = world.stead(&["role", "recover", "tester"]).ok();
        assert!(said.contains("2. Read the skill document: .claude/agents/tester/SKILL.md (missing)\n"), "{said}");
        assert!(said.contains("3. Read the architecture document: ARCHITECTURE.md\n"), "{said}");
        assert!(said.contains(&good("tester")), "{said}");
        assert!(said.ends_with("Recovery complete: the role `tester` is active.\n"), "{said}");
        assert_eq!(state(&world), "active", "from {from}");
    };
    check_recovery("none");
    for from in ["active", "saving", "saved", "compacting", "recovering"] {
        let file = json!({"schema": 1, "role": "tester", "state": from, "since": "2026-01-01T00:00:00.000Z"});
        world.write(STATE, file.to_string());
        check_recovery(from);
    }
    world.write(STATE, "{torn");
    let run = world.stead(&["role", "lifecycle", "save", "tester"]);
    assert!(run.code == 1 && run.stderr.contains("tester.json` is corrupt: line 1"), "{run}");
    check_recovery("damage");
    let later = r#"{"schema":2,"shape":"unknown"}"#;
    world.write(STATE, later);
    assert_eq!(world.stead(&["role", "recover", "tester"]).code, 1);
    assert_eq!(world.read(STATE), later);
}

#[test]
fn documents_are_configured() {
    let world = marked();
    world.write(TESTER, good("tester"));
    world.write("project/.agent/config.toml", "[context]\nrole_skill = \"skills/{role}.md\"\narchitecture = \"\"\n");
    let said = world.stead(&["role", "recover", "tester", "--json"]).json();
    assert_eq!(said["documents"], json!([{"name": "skill", "path": "skills/tester.md", "exists": false}]));
}

#[test]
fn a_role_is_named_by_argument_session_or_environment() {
    let mut world = marked().with_stead_on_path();
    for role in ["tester", "writer", "reader", "boss"] {
        world.write(format!("project/.agent/roles/{role}.context.md"), good(role));
    }
    let recovered = |world: &World, args: &[&str]| {
        let said = world.stead(&[&["role", "recover", "--json"], args].concat());
        said.json()["role"].as_str().unwrap().to_owned()
    };
    let run = world.stead(&["role", "recover"]);
    assert!(run.code == 2 && run.stderr.contains("no role given"), "{run}");
    world.set("HIVEMIND_ROLE", "reader");
    assert_eq!(recovered(&world, &[]), "reader");
    world.set("STEAD_ROLE", "writer");
    assert_eq!(recovered(&world, &[]), "writer");
    // The hook sees the command pass in a session, and the command finds that session.
    world.hook("claude PreToolUse", shell(&world, "stead role use tester"));
    check(world.stead(&["role", "use", "tester"]), 0, "session session-1 of claude now has the role `tester`\n", "");
    world.hook("claude PreToolUse", shell(&world, "stead role recover --json"));
    assert_eq!(recovered(&world, &[]), "tester");
    assert_eq!(recovered(&world, &["boss"]), "boss");
    let session: Value =
        serde_json::from_str(&world.read("project/.agent/context/indexes/sessions/session-1.json")).unwrap();
    assert_eq!(session["role"], "tester");
}

#[test]
fn a_command_outside_of_any_session_registers_nothing() {
    let world = marked();
    let run = world.stead(&["role", "use", "tester"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("not attached to a session: no hook saw this command"), "{run}");
}

/// The old file stays whole when there is no room for the new one.
#[test]
fn a_full_disk_leaves_the_old_files() {
    let mut world = marked();
    world.set("STEAD", env!("CARGO_BIN_EXE_stead"));
    let script = "mkdir -p .agent/roles && mount -t tmpfs -o size=64k tmpfs .agent/roles \
        && { printf '# Tester Context\\n\\n'; head -c 20000 /dev/zero | tr '\\0' x; } > .agent/roles/tester.context.md \
        && cp .agent/roles/tester.context.md \"$HOME/before\" \
        && { head -c 200000 /dev/zero > .agent/roles/filler || true; } 2>/dev/null \
        && { \"$STEAD\" role validate tester --fix; echo code $?; } \
        && cmp .agent/roles/tester.context.md \"$HOME/before\" && rm \"$HOME/before\" && ls -A .agent/roles";
    let Some(run) = world.sh_with_own_mounts(script, b"") else { return };
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(run.stdout, "code 1\nfiller\ntester.context.md\n", "{run}");
    assert!(run.stderr.contains("hint: free some space"), "{run}");
}

/// Runs a command as a session's agent does: the hook sees it pass.
fn by_session(world: &World, session: &str, words: &[&str]) -> Run {
    let own = json!({"session_id": session, "tool_name": "Bash", "tool_use_id": "c",
        "tool_input": {"command": format!("stead {}", words.join(" "))}});
    world.hook("claude PreToolUse", crate::world::payload(world, "PreToolUse", own));
    world.stead(words)
}

#[test]
fn a_role_file_that_lags_behind_the_work_is_not_saved() {
    let world = marked();
    world.write(TESTER, good("tester"));
    by_session(&world, "s1", &["role", "use", "tester"]).ok();
    std::thread::sleep(std::time::Duration::from_millis(20));
    let edit = json!({"session_id": "s1", "tool_name": "Edit", "tool_use_id": "c", "tool_response": {},
        "tool_input": {"file_path": "src/a.rs", "old_string": "a", "new_string": "b"}});
    world.hook("claude PostToolUse", crate::world::payload(&world, "PostToolUse", edit));
    let words = ["role", "lifecycle", "save", "tester"];
    for run in [by_session(&world, "s1", &words), world.stead(&words)] {
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{run}");
        assert!(run.stderr.contains("is older than the last edit of this session (`src/a.rs`)"), "{run}");
        assert!(run.stderr.contains("hint: bring it up to date"), "{run}");
    }
    assert_eq!(state(&world), "active");
    assert_eq!(by_session(&world, "s1", &["role", "lifecycle", "pre-compact", "tester"]).code, 1);
    std::thread::sleep(std::time::Duration::from_millis(20));
    world.write(TESTER, good("tester"));
    check(by_session(&world, "s1", &words), 0, "tester: saved\n", "");
}

#[test]
fn two_sessions_in_one_role_are_told() {
    let mut world = marked();
    world.write(TESTER, good("tester"));
    let first = by_session(&world, "s1", &["role", "use", "tester"]);
    assert_eq!(first.stderr, "", "{first}");
    let second = by_session(&world, "s2", &["role", "use", "tester"]);
    assert!(second.code == 0 && second.stderr.contains("is also the role of session `s1` of claude"), "{second}");
    let ask = |world: &World, session: &str| {
        let own = json!({"session_id": session, "prompt": "go on"});
        world.hook("claude UserPromptSubmit", crate::world::payload(world, "UserPromptSubmit", own)).stdout
    };
    assert!(ask(&world, "s1").contains("is also the role of session `s2` of claude"));
    assert!(!ask(&world, "s1").contains("is also the role") && !ask(&world, "s2").contains("is also the role"));
    // A session that has the role from its environment is told when it starts.
    world.set("STEAD_ROLE", "tester");
    let own = json!({"session_id": "s3", "source": "startup"});
    let start = world.hook("claude SessionStart", crate::world::payload(&world, "SessionStart", own));
    assert!(start.stdout.contains("session `s1` of claude and session `s2` of claude"), "{start}");
    for session in ["s1", "s2", "s3"] {
        let own = json!({"session_id": session, "reason": "other"});
        world.hook("claude SessionEnd", crate::world::payload(&world, "SessionEnd", own));
    }
    let written: Value = serde_json::from_str(&world.read(STATE)).unwrap();
    assert!(written.get("members").is_none(), "{written}");
}
