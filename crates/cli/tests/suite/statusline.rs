//! The line for an agent program's window: what it says in each state, that nothing breaks it, and how it is installed.

use std::fs;

use serde_json::{Value, json};
use stead_client::Harness;
use stead_model::{Base, Syntax};
use stead_testkit::{Finish, Run, World};

use crate::intent::{FILE, INTENTS};
use crate::world::{bare, by_person, denies, marked, payload, shell, tool};

const CACHE: &str = "project/.agent/cache/statusline";
const LOG: &str = "project/.agent/context/indexes/sessions.jsonl";

/// A shadow guard.
const GUARD: &str =
    "id: infra\nmode: shadow\non: [before-tool]\nmatch: {writes: ['src/infra/**']}\nthen: deny\nsay: Ask first.\n";

fn call(world: &World, args: &[&str], input: &str) -> Run {
    let run = world.command(env!("CARGO_BIN_EXE_stead"), &world.project()).args(args).finish(world, input.as_bytes());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run}");
    run
}

/// The line of a session.
fn line(world: &World, session: &str) -> String {
    let input = json!({"session_id": session, "cwd": world.project(), "workspace": {"current_dir": world.project()}});
    call(world, &["statusline"], &input.to_string()).stdout
}

fn as_agent(world: &World, words: &[&str]) {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    world.hook("claude PreToolUse", shell(world, &format!("stead {}", quoted.join(" ")))).ok();
    world.stead(&words.iter().map(String::as_str).collect::<Vec<_>>()).ok();
}

fn after(world: &World, tool: &str, input: Value, response: Value) {
    let own = json!({"tool_name": tool, "tool_input": input, "tool_response": response, "tool_use_id": "c"});
    world.hook("claude PostToolUse", payload(world, "PostToolUse", own)).ok();
}

fn edit(world: &World) {
    let input = json!({"file_path": world.project().join("src/a.rs"), "content": "new"});
    world.hook("claude PreToolUse", tool(world, "Write", input.clone())).ok();
    after(world, "Write", input, json!({"type": "update"}));
}

fn test(world: &World) {
    let green = "running 1 test\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
    after(
        world,
        "Bash",
        json!({"command": "cargo test"}),
        json!({"stdout": green, "stderr": "", "interrupted": false}),
    );
}

#[test]
fn the_line_says_what_there_is_and_nothing_else() {
    let world = marked();
    assert_eq!(line(&world, "session-1"), "stead\n");
    world.write("project/src/a.rs", "old\n");
    world.write(FILE, INTENTS);
    world.write("project/.agent/guards/infra.yaml", GUARD);
    world.hook("claude SessionStart", payload(&world, "SessionStart", json!({"source": "startup"})));
    assert_eq!(line(&world, "session-1"), "stead\n");
    as_agent(&world, &["intent", "select", "INT-001"]);
    assert_eq!(line(&world, "session-1"), "stead · INT-001 Sign in\n");
    as_agent(&world, &["loop", "start", "Fix it.", "--max-iterations", "6"]);
    assert_eq!(line(&world, "session-1"), "stead · INT-001 Sign in · loop 1/6\n");
    for command in ["rm -rf .agent/guards", "touch src/infra/a", "touch src/infra/a"] {
        world.hook("claude PreToolUse", shell(&world, command));
    }
    let shown = "stead · INT-001 Sign in · loop 1/6 · 1 denied · 2 in shadow";
    assert_eq!(line(&world, "session-1"), format!("{shown}\n"));
    // Changes make tests stale, but only tests that ran.
    edit(&world);
    assert_eq!(line(&world, "session-1"), format!("{shown}\n"));
    test(&world);
    assert_eq!(line(&world, "session-1"), format!("{shown}\n"));
    edit(&world);
    assert_eq!(line(&world, "session-1"), format!("{shown} · changed since tests\n"));
    world.stead(&["intent", "request", "more", "--scope", "docs/**", "--intent", "INT-001"]).ok();
    let all = format!("{shown} · changed since tests · 1 waiting for you\n");
    assert_eq!(line(&world, "session-1"), all);
    // A session of another project, and no session at all.
    assert_eq!(line(&world, "elsewhere"), "stead · 1 waiting for you\n");
    assert_eq!(call(&world, &["statusline"], "").stdout, all);
    // It can be deleted, and is the same again.
    let _ = fs::remove_file(world.folder().join(CACHE));
    assert_eq!(line(&world, "session-1"), all);
    // A decision ends the waiting.
    by_person(&world, &["intent", "reject", "R-1"]).ok();
    assert_eq!(line(&world, "session-1"), format!("{shown} · changed since tests\n"));
}

#[test]
fn lines_and_calls_at_once_lose_no_count() {
    const AT_ONCE: usize = 4;
    const EACH: usize = 6;
    let world = marked();
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                for _ in 0..EACH {
                    world.hook("claude PreToolUse", shell(&world, "rm -rf .agent/guards"));
                    // Long enough that the count is written down now and then.
                    let long = format!("echo {}", "word ".repeat(400));
                    world.hook("claude PreToolUse", shell(&world, &long));
                    line(&world, "session-1");
                }
            });
        }
    });
    let expected = format!("stead · {} denied\n", AT_ONCE * EACH);
    assert_eq!(line(&world, "session-1"), expected);
    fs::remove_file(world.folder().join(CACHE)).expect("the count was written down");
    assert_eq!(line(&world, "session-1"), expected);
}

#[test]
fn colours_are_for_programs_that_show_them() {
    let mut world = marked();
    world.hook("claude PreToolUse", shell(&world, "rm -rf .agent/guards"));
    let input = json!({"session_id": "session-1", "cwd": world.project()}).to_string();
    let shown = |world: &World, name: &str| call(world, &["statusline", name], &input).stdout;
    for harness in Harness::ALL {
        let colours = harness.client().facts.status_line.as_ref().is_some_and(|line| line.colours);
        let expected = match colours {
            true => "\u{1b}[2mstead\u{1b}[0m · \u{1b}[31m1 denied\u{1b}[0m\n",
            false => "stead · 1 denied\n",
        };
        assert_eq!(shown(&world, harness.name()), expected, "{harness}");
    }
    assert_eq!(shown(&world, "a-client-of-tomorrow"), "stead · 1 denied\n");
    world.set("NO_COLOR", "1");
    assert_eq!(shown(&world, "claude"), "stead · 1 denied\n");
}

#[test]
fn outside_a_project_nothing_is_said_and_nothing_written() {
    let world = bare();
    let input = json!({"session_id": "s", "cwd": world.project()}).to_string();
    assert_eq!(call(&world, &["statusline", "claude"], &input).stdout, "");
    assert!(!world.exists("project/.agent"));
    // The folder that the program names counts, then the one that it runs in.
    let marked = marked();
    let elsewhere = json!({"cwd": "/", "workspace": {"project_dir": marked.project(), "current_dir": "/"}}).to_string();
    let at_root = |input: &str| {
        marked
            .command(env!("CARGO_BIN_EXE_stead"), "/".as_ref())
            .arg("statusline")
            .finish(&marked, input.as_bytes())
            .ok()
    };
    assert_eq!(at_root(&elsewhere), "stead\n");
    assert_eq!(at_root("{}"), "");
    assert_eq!(marked.stead_in("/", &["-C", &marked.project().display().to_string(), "statusline"]).ok(), "stead\n");
}

#[test]
fn nothing_breaks_the_line() {
    let world = marked();
    world.hook("claude PreToolUse", shell(&world, "rm -rf .agent/guards"));
    let expected = "stead · 1 denied\n";
    assert_eq!(line(&world, "session-1"), expected);
    // So little is counted each time.
    assert!(!world.exists(CACHE));
    let own = world.read(LOG);
    world.write(LOG, format!("{}{own}", own.replace("session-1", "session-0").repeat(40)));
    assert_eq!(line(&world, "session-1"), expected);
    let cache = world.read(CACHE);
    for torn in ["", "nonsense", "stead-statusline\t1\n", &cache[..cache.len() / 2], &cache.replace("\t1\t", "\tx\t")] {
        world.write(CACHE, torn);
        assert_eq!(line(&world, "session-1"), expected, "{torn}");
        assert_eq!(world.read(CACHE), cache, "{torn}");
    }
    // A torn last line is read when it is whole.
    let log = world.read(LOG);
    let last = log.lines().last().unwrap().replace("session-1", "session-2");
    let (half, rest) = last.split_at(40);
    world.write(LOG, format!("{log}{half}"));
    assert_eq!(line(&world, "session-2"), "stead\n");
    world.write(LOG, format!("{log}{half}{rest}\n{{\"torn\n"));
    assert_eq!(line(&world, "session-2"), "stead · 1+ denied\n");
    // A log that was cut is counted from its start.
    world.write(LOG, &log);
    assert_eq!(line(&world, "session-1"), expected);
    assert_eq!(line(&world, "session-2"), "stead\n");
    for odd in ["{", "[]", "\u{0}", "{\"session_id\": 7}", "{\"session_id\": \"../../x\", \"cwd\": \"relative\"}"] {
        assert!(
            call(&world, &["statusline", "claude", "--new-flag"], odd).stdout.starts_with("\u{1b}[2mstead"),
            "{odd}"
        );
    }
    for broken in ["context/indexes/active-loop.json", "intents/active_intents.yaml", "cache/intents"] {
        world.write(format!("project/.agent/{broken}"), "{{{ nonsense");
        assert_eq!(line(&world, "session-1"), expected, "{broken}");
    }
    fs::remove_file(world.folder().join(LOG)).unwrap();
    fs::create_dir(world.folder().join(LOG)).unwrap();
    assert!(line(&world, "session-1").starts_with("stead"));
}

#[test]
fn only_the_end_of_a_long_log_is_read() {
    let world = marked();
    world.hook("claude PreToolUse", shell(&world, "rm -rf .agent/guards"));
    let log = world.read(LOG);
    let denied = log.lines().last().unwrap();
    let other = denied.replace("session-1", "session-0");
    // Far more than a call reads, with a session that starts at the end.
    let start = other.replace("session-0", "session-9").replace("\"before-tool\"", "\"session-start\"");
    let own = other.replace("session-0", "session-9");
    let text = format!("{denied}\n{}{start}\n{own}\n", format!("{other}\n").repeat(4_000));
    world.write(LOG, &text);
    let read = |field: usize| world.read(CACHE).lines().nth(1).unwrap().split('\t').nth(field).unwrap().to_owned();
    assert_eq!(line(&world, "session-9"), "stead · 1 denied\n");
    assert_eq!(read(1), text.len().to_string());
    // What is too far back is not counted, and a count that may be larger says so.
    assert_eq!(line(&world, "session-1"), "stead\n");
    assert!(line(&world, "session-0").contains("+ denied"), "{}", line(&world, "session-0"));
    // From now on, only what is appended is read: what was counted may be overwritten.
    world.write(LOG, format!("{}\n{own}\n", "x".repeat(text.len() - 1)));
    assert_eq!(line(&world, "session-9"), "stead · 2 denied\n");
}

#[test]
fn hostile_text_does_not_reach_the_terminal() {
    let world = marked();
    let name = format!("evil\u{1b}[2J\u{202e}\u{7}\u{9b}31m {}", "and on ".repeat(20));
    let selection = format!("-\t{name}\t2026-11-18T09:00:00.000Z\t-\n");
    world.write("project/.agent/context/indexes/sessions/session-1.intent", selection);
    let said = line(&world, "session-1");
    assert!(said.starts_with("stead · evil\\u{1b}[2J\\u{202e}\\u{7}\\u{9b}31m and on"), "{said}");
    assert!(said.ends_with("…\n") && said.chars().count() < 100, "{said}");
    assert!(!said.trim_end().contains(|c: char| c.is_control() || c == '\u{202e}'), "{said}");
}

/// The settings files of a client's status line: below the world's folder, and the flags that write it.
fn settings(harness: Harness) -> Vec<(String, &'static [&'static str])> {
    let line = harness.client().facts.status_line.as_ref().unwrap();
    let user = match line.user.base {
        Base::Var { fallback, .. } if !fallback.is_empty() => format!("home/{fallback}/{}", line.user.path),
        _ => format!("home/{}", line.user.path),
    };
    let project = line.project.map(|path| (format!("project/{path}"), &[][..]));
    let local = line.local.map(|path| (format!("project/{path}"), &["--local"][..]));
    project.into_iter().chain(local).chain([(user, &["--user"][..])]).collect()
}

fn shown_by() -> impl Iterator<Item = Harness> {
    Harness::ALL.into_iter().filter(|harness| harness.client().facts.status_line.is_some())
}

#[test]
fn it_comes_and_goes_byte_for_byte_in_every_client() {
    for harness in shown_by() {
        let is_toml = harness.client().facts.status_line.as_ref().unwrap().syntax == Syntax::Toml;
        let mine = if is_toml {
            "# mine\n[editor]\ncommand = \"vi\"\n"
        } else {
            "{\r\n  // mine\r\n  \"a\": {\"b\": 1},\r\n}"
        };
        let more = if is_toml { "\n[later]\nx = 1\n" } else { "\r\n// later\r\n" };
        for (path, flags) in settings(harness) {
            let world = bare().with_stead_on_path();
            world.write(&path, mine);
            let install = [&["init", "--yes", "--statusline", "--harness", harness.name()], flags].concat();
            world.stead(&install).ok();
            let with = world.read(&path);
            assert!(with.contains("statusline ") && with.contains("mine"), "{harness} {path}: {with}");
            let again = world.stead(&install).ok();
            assert!(again.contains("nothing to change"), "{harness} {path}: {again}");
            let reports = world.stead(&["doctor", "--json"]).json();
            let report = reports["harnesses"].as_array().unwrap().iter().find(|one| one["harness"] == harness.name());
            let report = report.unwrap_or_else(|| panic!("{harness}: {reports}"));
            assert_eq!(report["status_line"]["shows"], "stead", "{harness} {path}");
            // Hooks are found beside it, where the client has a file for them.
            let missing = report["installs"][0]["missing"].clone();
            assert!(missing == json!([]) || flags == ["--local"], "{harness} {path}: {missing}");
            let back: Vec<&str> = ["uninstall", "--yes"]
                .into_iter()
                .chain(flags.iter().copied().filter(|flag| *flag == "--user"))
                .collect();
            by_person(&world, &back).ok();
            assert_eq!(world.read(&path), mine, "{harness} {path}");
            // What somebody added meanwhile stays.
            world.stead(&install).ok();
            world.write(&path, world.read(&path) + more);
            by_person(&world, &back).ok();
            let left = world.read(&path);
            assert_eq!(left, format!("{mine}{more}"), "{harness} {path}");
        }
    }
}

#[test]
fn a_line_of_ones_own_stays() {
    let world = bare().with_stead_on_path();
    let mine = "{\"statusLine\": {\"type\": \"command\", \"command\": \"~/mine.sh\"}}\n";
    world.write("home/.claude/settings.json", mine);
    // Not in the project either, where it would replace the person's.
    let run = world.stead(&["init", "--harness", "claude,codex", "--statusline"]);
    assert!(!world.read("project/.claude/settings.json").contains("statusline"), "{run}");
    insta::assert_snapshot!("statusline-own", run.stderr);
    world.stead(&["init", "--user", "--harness", "claude", "--statusline"]).ok();
    assert!(world.read("home/.claude/settings.json").contains("~/mine.sh"));
    let json = world.stead(&["doctor", "--json"]).json();
    assert_eq!(json["harnesses"][0]["status_line"]["shows"], "other", "{json}");
    // Some programs create their file with more in it than this.
    let run = world.stead(&["init", "--user", "--harness", "cursor", "--statusline"]);
    assert!(run.stderr.contains("start the program once") && !world.exists("home/.cursor/cli-config.json"), "{run}");
}

#[test]
fn for_one_person_it_is_in_the_local_settings() {
    let world = bare().with_stead_on_path();
    world.write("project/a", "");
    world.git(&["add", "-A"]).ok();
    world.git(&["commit", "-qm", "first"]).ok();
    world.stead(&["init", "--personal", "--harness", "claude", "--statusline"]).ok();
    assert!(world.read("project/.claude/settings.local.json").contains("/stead statusline claude"));
    assert_eq!(world.git(&["status", "--porcelain", "--untracked-files=all"]).ok(), "");
}

#[test]
fn an_agent_may_change_the_line_but_not_the_hooks_beside_it() {
    let world = bare().with_stead_on_path();
    world.stead(&["init", "--harness", "claude", "--statusline"]).ok();
    let path = world.project().join(".claude/settings.json");
    let edit = |old: &str, new: &str| {
        let input = json!({"file_path": path, "old_string": old, "new_string": new});
        denies(&world.hook("claude PreToolUse", tool(&world, "Edit", input)).stdout)
    };
    assert!(!edit("exec stead statusline claude", "exec date"));
    assert!(edit("exec stead hook claude PreToolUse", "exec date"));
    // Without the hooks, the line alone is no installation.
    let text = world.read("project/.claude/settings.json");
    let mut value: Value = serde_json::from_str(&text).unwrap();
    value.as_object_mut().unwrap().remove("hooks");
    world.write("project/.claude/settings.json", value.to_string());
    let json = world.stead(&["doctor", "--json"]).json();
    assert_eq!(json["harnesses"][0]["installs"], json!([]), "{json}");
}
