//! What clients, disks and other people can do to a call. Each time: a correct reply for that client, nothing lost.

use std::io::{Read, Write};
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;
use stead_client::Harness;
use stead_model::{EventKind, Reply, Verdict};
use stead_testkit::{Finish, Run, World};

use crate::world::{denies, lines, marked, payload, shell, tool};

/// The client's own name for an event, if it has such an event that can be denied.
fn native(harness: Harness, kind: EventKind) -> Option<&'static str> {
    let events = harness.client().facts.events.iter();
    events.filter(|fact| fact.kind == kind).map(|fact| fact.native).next()
}

/// Says whether the run is shaped like the client's denial: same exit, same keys, only other words.
fn is_denial(harness: Harness, event: &str, run: &Run) -> bool {
    let client = harness.client();
    let Reply { stdout, exit, .. } = client.reply(&client.heard(event), &Verdict::deny("test", "words"));
    let keys = |text: &str| {
        let words = text.split('"').skip(1).step_by(2);
        words.filter(|word| word.chars().all(|c| c.is_ascii_alphabetic() || c == '_')).collect::<Vec<_>>().join(" ")
    };
    let expected = keys(&stdout);
    i32::from(exit) == run.code && (run.stdout.is_empty() == stdout.is_empty()) && {
        let said = keys(&run.stdout);
        expected.split(' ').filter(|word| *word != "words").all(|word| said.contains(word))
    }
}

/// Every client × every unreadable payload: closed before a tool, open after it.
#[test]
fn an_unreadable_call_is_denied_before_a_tool_and_passes_elsewhere() {
    let bad: [(&str, Vec<u8>); 5] = [
        ("empty", Vec::new()),
        ("truncated", br#"{"session_id":"s","tool_name":"Bash","tool_inp"#.to_vec()),
        ("binary", (0..=255).cycle().take(4000).collect()),
        ("not an object", b"[1,2,3]".to_vec()),
        ("nul bytes", vec![0; 512]),
    ];
    let world = marked();
    for harness in Harness::ALL {
        let before = native(harness, EventKind::BeforeTool).unwrap();
        for (name, payload) in &bad {
            let run = world.hook(&format!("{harness} {before}"), payload);
            assert!(is_denial(harness, before, &run), "{harness} {name}: {run}");
            if let Some(after) = native(harness, EventKind::AfterTool) {
                let run = world.hook(&format!("{harness} {after}"), payload);
                let client = harness.client();
                let quiet = client.reply(&client.heard(after), &Verdict::allow());
                assert_eq!((run.code, run.stdout, run.stderr), (0, quiet.stdout, quiet.stderr), "{harness} {name}");
            }
        }
    }
}

#[test]
fn deep_nesting_is_judged_like_anything_else() {
    let world = marked();
    for (leaf, denied) in [("x", false), (".agent/config.toml", true)] {
        let input = format!("{}\"{leaf}\"{}", "[".repeat(100_000), "]".repeat(100_000));
        let run = world.hook("claude PreToolUse", format!(r#"{{"tool_name":"Frobnicate","tool_input":{input}}}"#));
        assert_eq!((run.code, denies(&run.stdout)), (0, denied), "{leaf}");
    }
}

#[test]
fn fifty_megabytes_are_refused_before_a_tool_and_ignored_elsewhere() {
    let world = marked();
    let huge = shell(&world, &format!("echo {}", "x".repeat(50 * 1024 * 1024)));
    let run = world.hook("claude PreToolUse", &huge);
    assert!(denies(&run.stdout), "{}", run.code);
    assert!(run.stdout.contains("16 MB"));
    assert_eq!(world.hook("claude Stop", &huge).to_string(), "exit 0");
}

#[test]
fn ten_megabytes_are_read_and_judged() {
    let world = marked();
    let padding = "x".repeat(10 * 1024 * 1024);
    let run = world.hook("claude PreToolUse", shell(&world, &format!("rm -rf .agent # {padding}")));
    assert!(denies(&run.stdout), "{}", run.code);
    let content = json!({"file_path": "big.txt", "content": padding});
    assert_eq!(world.hook("claude PreToolUse", tool(&world, "Write", content)).to_string(), "exit 0");
}

#[test]
fn wrappings_of_the_payload_do_not_matter() {
    let world = marked();
    let plain = shell(&world, "rm -rf .agent");
    let pretty = serde_json::to_string_pretty(&serde_json::from_str::<serde_json::Value>(&plain).unwrap()).unwrap();
    for (name, payload) in [
        ("byte order mark", format!("\u{feff}{plain}")),
        ("CRLF", pretty.replace('\n', "\r\n")),
        ("garbage behind", format!("{plain}\n{{\"second\":1}} and words")),
        ("blanks before", format!("\n\n   {plain}")),
        ("raw control characters", plain.replace("rm -rf", "rm \t-rf")),
    ] {
        let run = world.hook("claude PreToolUse", payload);
        assert!(denies(&run.stdout), "{name}: {run}");
    }
    let (before, behind) = plain.split_once("-rf").unwrap();
    let bytes = [before.as_bytes(), b"\xff -rf", behind.as_bytes()].concat();
    assert!(denies(&world.hook("claude PreToolUse", bytes).stdout));
}

/// The writer keeps the pipe open; the answer must come all the same.
#[test]
fn a_missing_end_of_input_is_not_waited_for() {
    let world = marked();
    for (payload, code) in [(shell(&world, "rm -rf .agent"), 0), (r#"{"tool_name":"Ba"#.to_owned(), 0)] {
        let mut child = world
            .command(env!("CARGO_BIN_EXE_stead"), &world.project())
            .args(["hook", "claude", "PreToolUse"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut open = child.stdin.take().unwrap();
        open.write_all(payload.as_bytes()).unwrap();
        let mut said = String::new();
        child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(denies(&said), "{said}");
        assert_eq!(child.wait().unwrap().code(), Some(code));
        drop(open);
    }
}

/// Some clients write the line end on its own, a moment after the value.
#[test]
fn a_late_line_end_still_finds_a_reader() {
    let world = marked();
    let mut child = world
        .command(env!("CARGO_BIN_EXE_stead"), &world.project())
        .args(["hook", "claude", "PreToolUse"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(shell(&world, "rm -rf .agent").as_bytes()).unwrap();
    // The answer is out, and the process still listens.
    let mut first = [0; 1];
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    stdin.write_all(b"\n").unwrap();
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn odd_ids_never_become_file_names() {
    let world = marked();
    for id in ["../../../escape", "a/b", "nul\u{0}byte", "", ".hidden", &"x".repeat(4000)] {
        let own = json!({"session_id": id, "source": "startup"});
        assert_eq!(
            world.hook("claude SessionStart", payload(&world, "SessionStart", own.clone())).to_string(),
            "exit 0"
        );
        assert_eq!(world.hook("codex SessionStart", payload(&world, "SessionStart", own)).to_string(), "exit 0");
    }
    assert_eq!(lines(&world, "sessions.jsonl").len(), 12);
    let states = std::fs::read_dir(world.project().join(".agent/context/indexes/sessions")).unwrap();
    assert_eq!(states.count(), 0);
    assert!(!world.exists("escape"));
}

#[test]
fn paths_cannot_sneak_past() {
    let world = marked();
    let project = world.project();
    std::os::unix::fs::symlink(project.join(".agent"), project.join("innocent")).unwrap();
    std::os::unix::fs::symlink(project.join(".agent/config.toml"), project.join("notes.txt")).unwrap();
    for path in [
        ".agent/config.toml", "src/../.agent/config.toml", "./.agent//./config.toml", "innocent/config.toml",
        "notes.txt", "innocent/guards/new.yaml", ".AGENT/config.toml",
    ] {
        let run = world.hook("claude PreToolUse", tool(&world, "Write", json!({"file_path": path, "content": ""})));
        assert!(denies(&run.stdout), "{path}: {run}");
    }
    let outside = tool(&world, "Write", json!({"file_path": "/tmp/elsewhere/.agent-notes", "content": ""}));
    assert_eq!(world.hook("claude PreToolUse", outside).to_string(), "exit 0");
}

#[test]
fn a_broken_marker_is_guarded_but_not_written_to() {
    let world = marked();
    for marker in ["{ not json", r#"{"schema": 999, "project_id": "x", "created_at": "y"}"#, ""] {
        world.write("project/.agent/context/root.json", marker);
        let before = world.read("project/.agent/context/indexes/sessions.jsonl");
        assert!(denies(&world.hook("claude PreToolUse", shell(&world, "rm -rf .agent")).stdout), "{marker}");
        assert_eq!(world.hook("claude PreToolUse", shell(&world, "ls")).to_string(), "exit 0", "{marker}");
        let start = world.hook("claude SessionStart", payload(&world, "SessionStart", json!({})));
        assert!(start.stdout.contains("stead doctor"), "{marker}: {start}");
        assert_eq!(world.read("project/.agent/context/indexes/sessions.jsonl"), before, "{marker}");
        assert_eq!(world.read("project/.agent/context/root.json"), marker);
    }
}

#[test]
fn a_broken_config_falls_back_to_the_safe_defaults() {
    let world = marked();
    world.write("project/.agent/config.toml", "[gate\nself_protection = false");
    assert!(denies(&world.hook("claude PreToolUse", shell(&world, "rm -rf .agent")).stdout));
    assert_eq!(world.hook("claude PreToolUse", shell(&world, "ls")).to_string(), "exit 0");
    let start = world.hook("claude SessionStart", payload(&world, "SessionStart", json!({})));
    assert!(start.stdout.contains("config.toml"), "{start}");
}

/// Runs hook calls in a mount namespace prepared by `prepare`; root's own rights would prove nothing about modes.
fn hook_in_namespace(world: &World, prepare: &str, line: &str, payload: &str) -> Option<Run> {
    world.sh_with_own_mounts(&format!("{prepare}\nexec \"$STEAD\" hook {line}"), payload.as_bytes())
}

#[test]
fn a_read_only_project_is_guarded_and_left_alone() {
    let world = marked();
    let before = world.read("project/.agent/context/indexes/sessions.jsonl");
    let readonly = "mount --bind . . && mount -o remount,bind,ro . && cd \"$PWD\" && ! touch probe 2>/dev/null";
    let Some(run) = hook_in_namespace(&world, readonly, "claude PreToolUse", &shell(&world, "ls")) else { return };
    assert_eq!(run.to_string(), "exit 0");
    let Some(run) = hook_in_namespace(&world, readonly, "claude PreToolUse", &shell(&world, "rm -rf .agent")) else {
        return;
    };
    assert!(denies(&run.stdout), "{run}");
    assert_eq!(world.read("project/.agent/context/indexes/sessions.jsonl"), before);
    assert!(world.read("home/.local/state/stead/notes.jsonl").contains("sessions.jsonl"));
}

#[test]
fn a_full_disk_loses_nothing() {
    let world = marked();
    let full = "mount -t tmpfs -o size=64k tmpfs .agent/context/indexes && mkdir .agent/context/indexes/sessions \
        && printf '%4085s{\"kept\":1}\\n' '' > .agent/context/indexes/sessions.jsonl \
        && (dd if=/dev/zero of=.agent/context/indexes/fill bs=1k count=100 2>/dev/null || true)";
    let own = json!({"source": "startup"});
    let start = payload(&world, "SessionStart", own);
    let script = format!(
        "{full}\nprintf '%s' '{start}' | \"$STEAD\" hook claude SessionStart\n\
        printf '%s' '{}' | \"$STEAD\" hook claude PreToolUse\ncat .agent/context/indexes/sessions.jsonl; ls .agent/context/indexes/sessions",
        shell(&world, "rm -rf .agent")
    );
    let Some(run) = world.sh_with_own_mounts(&script, b"") else { return };
    let (reply, rest) = run.stdout.split_once("{\"kept\":1}\n").unwrap_or_else(|| panic!("{run}"));
    assert!(denies(reply.trim()), "{run}");
    assert_eq!(rest, "", "something was left behind: {run}");
}

#[test]
fn a_project_of_somebody_else_is_guarded_and_left_alone() {
    // In a user namespace, one's own files stay one's own.
    if !std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0) {
        return stead_testkit::skip("only root can be somebody else");
    }
    let world = marked();
    let before = world.read("project/.agent/context/indexes/sessions.jsonl");
    let script = "exec \"$STEAD\" hook claude PreToolUse";
    let program = world.folder().join("stead");
    std::fs::copy(env!("CARGO_BIN_EXE_stead"), &program).unwrap();
    let mut open = std::fs::metadata(world.folder()).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut open, 0o755);
    std::fs::set_permissions(world.folder(), open).unwrap();
    for (command, denied) in [("ls", false), ("rm -rf .agent", true)] {
        let mut child = world.command("setpriv", &world.project());
        let run = child
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .args(["sh", "-ec", script])
            .env("STEAD", &program)
            .finish(&world, shell(&world, command).as_bytes());
        assert_eq!((run.code, denies(&run.stdout)), (0, denied), "{run}");
    }
    assert_eq!(world.read("project/.agent/context/indexes/sessions.jsonl"), before);
}

#[test]
fn a_pipe_in_place_of_the_log_does_not_stop_the_answer() {
    let world = marked();
    let log = world.project().join(".agent/context/indexes/sessions.jsonl");
    std::fs::remove_file(&log).unwrap();
    world.sh("mkfifo .agent/context/indexes/sessions.jsonl").ok();
    assert_eq!(world.hook("claude PreToolUse", shell(&world, "ls")).to_string(), "exit 0");
    assert!(denies(&world.hook("claude PreToolUse", shell(&world, "rm -rf .agent")).stdout));
}

#[test]
fn a_log_that_somebody_keeps_locked_does_not_stop_the_answer() {
    let world = marked();
    let log = std::fs::File::open(world.project().join(".agent/context/indexes/sessions.jsonl")).unwrap();
    log.lock().unwrap();
    assert_eq!(world.hook("claude PreToolUse", shell(&world, "ls")).to_string(), "exit 0");
    std::thread::sleep(Duration::from_millis(10));
    drop(log);
    world.hook("claude PreToolUse", shell(&world, "ls"));
    assert_eq!(lines(&world, "sessions.jsonl").len(), 1);
}
