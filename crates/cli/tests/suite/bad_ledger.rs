//! Ledgers, intents and files that nobody would write by hand. Each time: an answer, in bounded memory, nothing lost.

use std::fs;
use std::io::Write;

use serde_json::{Value, json};
use stead_testkit::{Finish, extent};

use crate::intent::{FILE, INTENTS};
use crate::trace::{Call, LEDGER, files, ledger, note, shell, stop, tick};
use crate::world::{marked, payload, tool};

const HEAD: &str = "project/.agent/intents/agent_trace.head";

fn record(number: usize, intent: &str) -> Value {
    let hashes: String = (0..100).map(|line| format!("{:011}", number * 100 + line)).collect();
    json!({
        "version": "0.1.0", "id": format!("00000000-0000-4000-8000-{number:012}"), "timestamp": "2026-11-15T20:00:00.000Z",
        "files": [{"path": format!("src/f{}.rs", number % 500), "conversations": [{"contributor": {"type": "ai"},
            "ranges": [{"start_line": 1, "end_line": 100}]}]}],
        "metadata": {"dev.stead": {"v": 1, "session": format!("s{}", number % 50), "intent": intent, "class": "UNKNOWN",
            "phase": "final", "files": [{"path": format!("src/f{}.rs", number % 500), "op": "modify", "lines": hashes}]}},
    })
}

#[test]
fn a_ledger_of_a_hundred_megabytes_is_read_in_bounded_memory() {
    let wanted = extent(25, 100) * 1024 * 1024;
    let world = marked();
    world.write(FILE, INTENTS);
    world.write("project/src/a.rs", "fn a() {}\n");
    world.write(HEAD, "");
    let mut log = std::io::BufWriter::new(fs::File::create(world.folder().join(LEDGER)).unwrap());
    let template = record(0, "@intent").to_string().replace("000000000000\"", "@number\"") + "\n";
    let (mut size, mut number) = (0, 0_usize);
    while size < wanted {
        let intent = if number % 10_000 == 7 { "INT-001" } else { "INT-009" };
        let line = template.replace("@number", &format!("{number:012}")).replace("@intent", intent);
        log.write_all(line.as_bytes()).unwrap();
        (size, number) = (size + line.len() as u64, number + 1);
    }
    log.into_inner().unwrap();
    let run = |words: &str| {
        let program = env!("CARGO_BIN_EXE_stead");
        // A third of a gigabyte of address space, the program itself included.
        let line = format!("ulimit -v 350000; exec {program} {words}");
        world.command("sh", &world.project()).args(["-c", &line]).finish(&world, b"")
    };
    assert_eq!(run("trace log --limit 3 --json").json()["items"].as_array().unwrap().len(), 3);
    assert_eq!(
        run("trace log --intent INT-001 --json").json()["items"].as_array().unwrap().len(),
        (number - 7).div_ceil(10_000)
    );
    assert_eq!(run("trace stats --json").json()["change_count"], number);
    assert!(run("trace show 00000000-0000-4000-8000-000000000042").ok().contains("modify src/f0.rs 1-100"));
    assert_eq!(run("trace verify").code, 1, "none of it is a chain");
    assert!(run("trace export | tail -n 1").ok().contains("src/f"));
    assert!(run("intent history INT-001 --json").json()["items"].is_array());
    assert_eq!(run("why src/a.rs:1 --json").json()["class"], "unknown");
}

/// Lines that other programs may leave in a ledger.
fn foreign() -> Vec<Vec<u8>> {
    let far = u64::MAX;
    let mut odd = record(1, "INT-001");
    odd["id"] = json!("00000000-0000-4000-8000-aaaaaaaaaaaa");
    odd["files"][0]["conversations"][0]["ranges"] =
        json!([{"start_line": far, "end_line": 0}, {"start_line": 0, "end_line": far}]);
    odd["metadata"]["dev.stead"]["files"][0]["nodes"] = json!([{"lang": "rust", "kind": "function", "name": "a",
        "start": far, "end": 0, "raw": "x", "normal": "y"}]);
    odd["metadata"]["dev.stead"]["files"][0]["lines"] = json!("not a multiple of eleven é");
    let mut other = odd.clone();
    other["metadata"]["dev.stead"]["seq"] = json!(far);
    vec![
        odd.to_string().into_bytes(),
        other.to_string().into_bytes(),
        b"{\"torn\":".to_vec(),
        b"\xef\xbb\xbf{}".to_vec(),
        b"\xff\xfe\x00".to_vec(),
        b"[1,2]".to_vec(),
        b"null".to_vec(),
        vec![0; 100],
        vec![b'x'; 2 * 1024 * 1024],
        "[".repeat(200_000).into_bytes(),
        format!("{{\"id\":\"a\",\"timestamp\":\"b\",\"files\":{}{}}}", "[".repeat(5_000), "]".repeat(5_000))
            .into_bytes(),
        br#"{"id":"a","timestamp":"b","files":[{"path":"../../etc/passwd","conversations":[]}]}"#.to_vec(),
        br#"{"id":"c","timestamp":"","files":null,"metadata":3}"#.to_vec(),
        br#"{"id":"d","id":"e","timestamp":"2026","files":[{"path":7}]}"#.to_vec(),
    ]
}

#[test]
fn foreign_lines_disturb_no_question() {
    let world = marked();
    world.write(FILE, INTENTS);
    world.write("project/.agent/context/indexes/sessions/session-1.intent", "-\tINT-001\t2026-11-15T20:00:00Z\t-\n");
    world.write("project/src/old.rs", "");
    shell(&world, "c1", "printf 'fn a() {}\\nfn agent_wrote() {}\\n' > src/a.rs");
    world.stead(&["trace", "log"]).ok();
    let own = world.read(LEDGER);
    let mut text = Vec::new();
    for line in foreign() {
        text.extend(line);
        text.push(b'\n');
    }
    world.write("project/.agent/intents/peers/odd.jsonl", &text);
    let torn = b"{\"version\":\"0.1.0\",\"id\":\"to";
    fs::write(world.folder().join(LEDGER), [&text, own.as_bytes(), &text, torn].concat()).unwrap();
    for words in [
        "trace log", "trace log --json", "trace stats", "trace export", "trace export --format trp1",
        "trace show 00000000", "intent history INT-001", "why src/a.rs:2", "blame src/a.rs", "where-is agent_wrote",
        "trace verify",
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let run = world.stead(&words);
        assert!(run.code <= 1 && !run.stderr.contains("panicked"), "{words:?}: {run}");
    }
    assert_eq!(world.stead(&["why", "src/a.rs:2", "--json"]).json()["class"], "agent");
    // The next change is recorded all the same, on a line of its own.
    shell(&world, "c2", "printf 'fn a() {}\\n' > src/a.rs");
    world.stead(&["trace", "log"]).ok();
    let text = fs::read(world.folder().join(LEDGER)).unwrap();
    let last =
        String::from_utf8_lossy(text.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap()).into_owned();
    assert_eq!(note(&serde_json::from_str(&last).unwrap())["call"], "c2");
}

#[test]
fn pattern_bombs_are_answered_in_time() {
    let name = "a".repeat(200);
    let bombs = [
        "*a".repeat(400) + "b",
        "**/".repeat(400) + "b",
        "**/a*".repeat(200) + "/b",
        "[a-z]*".repeat(300) + "b",
        "?".repeat(4_000),
        "{a,b}".repeat(500),
    ];
    for bomb in bombs {
        let world = marked();
        let scope: Vec<&String> = std::iter::repeat_n(&bomb, 50).collect();
        world.write(FILE, INTENTS.replace("[\"src/**\"]", &json!(scope).to_string()));
        world.write("project/.agent/intents/.intentignore", format!("{bomb}\n").repeat(50));
        world
            .write("project/.agent/context/indexes/sessions/session-1.intent", "-\tINT-001\t2026-11-15T20:00:00Z\t-\n");
        let path = world.project().join(format!("{}/{name}.rs", [name.as_str(); 5].join("/")));
        let run = world.hook("claude PreToolUse", tool(&world, "Write", json!({"file_path": path, "content": "x"})));
        let is_judged = ["Scope Violation", "You must cite a valid active Intent ID"]
            .iter()
            .any(|words| run.stdout.contains(words));
        assert!(is_judged, "{}: {run}", &bomb[..20.min(bomb.len())]);
    }
}

#[test]
fn odd_sources_are_recorded_by_their_lines() {
    let world = marked();
    let minified = format!("var a=0;{}\n", "function f(){return a}".repeat(40_000));
    let deep = format!("fn f() {{ {}1{} }}\n", "(".repeat(9_000), ")".repeat(9_000));
    let sources = [
        ("min.js", minified.as_str(), true),
        ("broken.rs", "fn (((\nlet = }\n\u{0}\n", false),
        ("broken.py", "def f(:\n\treturn\n  x\n", true),
        ("deep.rs", &deep, true),
        ("no_end.ts", "const a = 1", true),
        ("crlf.go", "package a\r\nfunc f() {}\r\n", true),
        ("lone.c", "\r\r\r", true),
    ];
    for (name, text, _) in sources {
        let file = world.project().join(name);
        let call = Call::begin(&world, name, "Write", json!({"file_path": file, "content": "?"}));
        world.write(format!("project/{name}"), text);
        call.end(json!({"type": "create", "originalFile": null}));
    }
    // What is too much for the hook is finished by the next command.
    world.stead(&["trace", "log"]).ok();
    let lines = ledger(&world);
    for (name, _, is_text) in sources {
        let own: Vec<&Value> = lines.iter().filter(|line| note(line)["call"] == name).collect();
        let last = own.last().unwrap_or_else(|| panic!("{name} is not recorded"));
        assert_eq!((&note(last)["phase"], files(last)[0].contains('-')), (&json!("final"), is_text), "{name}: {last}");
    }
}

#[test]
fn a_file_of_a_hundred_megabytes_is_recorded_without_its_text() {
    let world = marked();
    let file = world.project().join("big.txt");
    let call = Call::begin(&world, "c1", "Write", json!({"file_path": file, "content": "?"}));
    fs::File::create(&file).unwrap().set_len(100 * 1024 * 1024).unwrap();
    call.end(json!({"type": "create", "originalFile": null}));
    world.stead(&["trace", "log"]).ok();
    let last = ledger(&world).pop().unwrap();
    assert_eq!((files(&last), &note(&last)["phase"]), (vec!["add big.txt".to_owned()], &json!("final")));
}

/// A change that a call names and one that only git shows, in every kind of checkout.
#[test]
fn every_kind_of_checkout_has_a_ledger() {
    const COMMIT: &str = "git -c user.name=x -c user.email=x@y commit -q --allow-empty -m x";
    let origin = format!("git init -q ../origin && cd ../origin && {COMMIT} && {COMMIT}");
    let kinds = [
        ("no git", "true".to_owned(), false, false),
        ("no commits", "git init -q".to_owned(), false, true),
        ("a commit", format!("git init -q && git add a.txt && {COMMIT}"), true, true),
        (
            "shallow",
            format!("{origin} && git clone -q --depth 1 file://$PWD ../shallow && mv ../shallow/.git ../project/"),
            true,
            true,
        ),
        (
            "a work tree of a bare repository",
            format!(
                "{origin} && git clone -q --bare . ../bare && cd ../bare && git worktree add -q ../tree && mv ../tree/.git \
                 ../project/ && git worktree repair ../project"
            ),
            true,
            true,
        ),
        (
            "a submodule",
            format!(
                "{origin} && git init -q .. && cd .. && rm -rf project.kept && mv project project.kept && git -c \
                 protocol.file.allow=always submodule --quiet add ./origin project && cp -r project.kept/. project/"
            ),
            true,
            true,
        ),
    ];
    for (name, prepare, has_commit, has_git) in kinds {
        let world = marked();
        world.write("project/a.txt", "a\n");
        fs::remove_dir_all(world.project().join(".git")).unwrap();
        world.sh(&prepare).ok();
        tick();
        shell(&world, "c1", "echo 'words of the agent' > b.txt");
        let call = Call::begin(&world, "c2", "Bash", json!({"command": "frobnicate"}));
        tick();
        world.write("project/found.txt", "x\n");
        tick();
        call.end(json!({"stdout": ""}));
        stop(&world);
        let lines = ledger(&world);
        let by = |call: &str| lines.iter().filter(|line| note(line)["call"] == call).count();
        assert_eq!((by("c1"), by("c2")), (1, usize::from(has_git)), "{name}: {lines:#?}");
        assert_eq!(lines[0].get("vcs").is_some(), has_commit, "{name}");
        let said = world.stead(&["why", "b.txt:1", "--json"]).json();
        assert_eq!(said["class"], "agent", "{name}: {said}");
        assert_eq!(world.stead(&["trace", "verify", "--json"]).json()["ok"], true, "{name}");
    }
}

#[test]
fn names_that_differ_only_in_case_are_different_files() {
    let world = marked();
    world.write(FILE, INTENTS.replace("src/**", "src/a.rs"));
    world.write("project/.agent/context/indexes/sessions/session-1.intent", "-\tINT-001\t2026-11-15T20:00:00Z\t-\n");
    for (path, passes) in [("src/a.rs", true), ("src/A.rs", false), ("SRC/a.rs", false)] {
        let call = tool(&world, "Write", json!({"file_path": world.project().join(path), "content": "x"}));
        let run = world.hook("claude PreToolUse", call);
        assert_eq!(!run.stdout.contains("Scope Violation"), passes, "{path}: {run}");
    }
    world.write(FILE, INTENTS.replace("src/**", "**"));
    for (id, name) in [("c1", "a.txt"), ("c2", "A.txt")] {
        shell(&world, id, &format!("echo {id} > {name}"));
    }
    let all: Vec<String> = ledger(&world).iter().flat_map(files).collect();
    assert_eq!(all, ["add a.txt 1-1", "add A.txt 1-1"]);
    world.hook("claude Stop", payload(&world, "Stop", json!({}))).ok();
}
