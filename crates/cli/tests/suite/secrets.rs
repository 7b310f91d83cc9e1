//! No secret that people, agents, clients or programs bring ends up in a file of the project or of the person, nor in a
//! file's name: every kind in every place. `docs/secrets.md` has the table, with the number of kinds.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use stead_store::{Body, KEYS};
use stead_testkit::World;

use crate::world::{by_person, marked, payload, shell};

/// A kind of secret: as it is written, and the part that must not be kept.
struct Kind {
    name: String,
    text: String,
    core: String,
}

fn letters(seed: usize, length: usize, from: &[u8]) -> String {
    let mut state = (seed as u64 + 7).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(from[(state >> 33) as usize % from.len()])
    });
    next.take(length).collect()
}

const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// One of each kind; made here, so that no file of the repository contains one.
fn kinds() -> Vec<Kind> {
    let mut kinds: Vec<Kind> = Vec::new();
    for (seed, key) in KEYS.iter().enumerate() {
        if key.kind == "Header" || kinds.last().is_some_and(|last| last.name == key.kind) {
            continue;
        }
        let body = match key.body {
            Body::Hex => letters(seed, key.least.max(31), b"0123456789abcdef") + "7",
            Body::Upper => letters(seed, key.least, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
            _ => letters(seed, key.least.max(18), LETTERS) + "a7",
        };
        let tail = if key.prefix == "eyJ" { format!(".eyJ{body}.{body}") } else { String::new() };
        let text = format!("{}{body}{tail}", key.prefix);
        kinds.push(Kind { name: key.kind.to_owned(), core: body, text });
    }
    let mut add = |name: &str, write: &dyn Fn(&str) -> String, secret: &str| {
        kinds.push(Kind { name: name.to_owned(), text: write(secret), core: secret.to_owned() });
    };
    let word = |seed: usize| format!("pw{}x9", letters(seed, 9, b"abcdefghijkmnpqrstuvwz23456789"));
    add(
        "AWS secret key",
        &|it| format!("aws_secret_access_key = {it}"),
        &format!("/{}+{}", letters(1, 18, LETTERS), letters(2, 20, LETTERS)),
    );
    add(
        "AWS secret key with plus",
        &|it| format!("AWS_SECRET_ACCESS_KEY={it}"),
        &format!("+{}/{}", letters(3, 18, LETTERS), letters(4, 20, LETTERS)),
    );
    add("Azure SAS", &|it| format!("https://x.blob.core.windows.net/c?sv=1&sig={it}"), &letters(5, 40, LETTERS));
    add("address with password", &|it| format!("postgres://me:{it}@db/x"), &word(6));
    add("Sentry DSN", &|it| format!("https://{it}@o1.ingest.sentry.io/2"), &letters(7, 32, b"0123456789abcdef"));
    add("Authorization: Bearer", &|it| format!("curl -H 'Authorization: Bearer {it}' x"), &word(8));
    add("Authorization: Basic", &|it| format!("curl -H 'Authorization: Basic {it}' x"), &word(9));
    add("Authorization: Token", &|it| format!("curl -H 'Authorization: Token {it}' x"), &word(10));
    add("X-Api-Key", &|it| format!("curl -H 'X-Api-Key: {it}' x"), &word(11));
    add("Cookie", &|it| format!("curl -H 'Cookie: sid={it}' x"), &word(12));
    add("--password X", &|it| format!("tool --password {it} x"), &word(13));
    add("--password=X", &|it| format!("tool --password={it} x"), &word(14));
    add("--token X", &|it| format!("tool --token {it} x"), &word(15));
    add("curl -u a:b", &|it| format!("curl -u me:{it} x"), &word(16));
    add("mysql -pX", &|it| format!("mysql -uroot -p{it} db"), &word(17));
    add("sshpass -p X", &|it| format!("sshpass -p {it} ssh x"), &word(18));
    add("docker login -p X", &|it| format!("docker login -u me -p {it} host"), &word(19));
    add("PGPASSWORD=", &|it| format!("PGPASSWORD={it} psql"), &word(20));
    add(".env line", &|it| format!("API_TOKEN={it}"), &word(21));
    add("JSON field", &|it| format!("{{\"password\": \"{it}\"}}"), &word(22));
    add("JSON in JSON", &|it| format!("{{\\\"client_secret\\\": \\\"{it}\\\"}}"), &word(23));
    add("YAML field", &|it| format!("db_password: {it}"), &word(24));
    add("query parameter", &|it| format!("https://host/x?a=1&access_token={it}&b=2"), &word(25));
    add("bot token", &|it| format!("123456789:{it}"), &letters(26, 35, LETTERS));
    add(
        "private key",
        &|it| format!("-----BEGIN PRIVATE KEY-----\\n{it}\\n-----END PRIVATE KEY-----"),
        &letters(27, 64, LETTERS),
    );
    add("unnamed random string", &|it| format!("key {it}"), &letters(28, 44, LETTERS));
    kinds
}

/// Texts with a few secrets each: some places take only short ones.
fn texts(kinds: &[Kind]) -> Vec<String> {
    let all: Vec<&str> = kinds.iter().map(|kind| kind.text.as_str()).collect();
    all.chunks(8).map(|few| format!("please use {} to fix the tests", few.join(" ; then "))).collect()
}

/// Every file that Stead may have written, by path; names count too.
fn files(world: &World) -> Vec<(PathBuf, Vec<u8>)> {
    fn walk(dir: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            match fs::symlink_metadata(&path) {
                Ok(data) if data.is_dir() => {
                    found.push((path.clone(), Vec::new()));
                    walk(&path, found);
                }
                Ok(data) if data.is_file() => found.push((path.clone(), fs::read(&path).unwrap_or_default())),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    [world.project(), world.home()].iter().for_each(|dir| walk(dir, &mut found));
    found
}

/// Counts how often each kind is found after a place was given all of them.
struct Table<'k> {
    kinds: &'k [Kind],
    rows: BTreeMap<&'static str, Vec<String>>,
}

impl Table<'_> {
    fn look(&mut self, place: &'static str, world: &World) {
        let found = self.rows.entry(place).or_default();
        for (path, bytes) in files(world) {
            let name = path.to_string_lossy().to_lowercase();
            let text = String::from_utf8_lossy(&bytes);
            for kind in self.kinds {
                // A file's name is in lower case, and without most signs.
                let short: String =
                    kind.core.to_lowercase().chars().filter(char::is_ascii_alphanumeric).take(10).collect();
                if text.contains(&kind.core) || name.contains(&short) {
                    found.push(format!("{} in {}", kind.name, path.display()));
                }
            }
        }
    }

    #[track_caller]
    fn check(self) {
        let kept: Vec<_> = self.rows.iter().filter(|(_, found)| !found.is_empty()).collect();
        assert!(kept.is_empty(), "{kept:#?}");
        let page = include_str!("../../../../docs/secrets.md");
        assert!(page.contains(&format!("| {} | 0 |", self.kinds.len())), "{} kinds", self.kinds.len());
    }
}

#[test]
fn nothing_that_commands_are_given_is_kept() {
    let kinds = kinds();
    let world = marked();
    world.git(&["init", "-q"]).ok();
    world.write(
        "project/.agent/features/feature-list.json",
        r#"{"features": [{"id": "login", "verifiers": ["true"]}]}"#,
    );
    world.write(
        "project/.agent/intents/active_intents.yaml",
        "active_intents:\n- id: INT-1\n  name: x\n  status: PENDING\n  owned_scope: [src/**]\n",
    );
    world.stead(&["guard", "enable", "destructive"]).ok();
    let denied = world.hook("claude PreToolUse", shell(&world, "git reset --hard HEAD~1")).stdout;
    let at = denied.find("[v-").unwrap() + 1;
    let verdict = denied[at..at + denied[at..].find(']').unwrap()].to_owned();
    let mut table = Table { kinds: &kinds, rows: BTreeMap::new() };
    for text in texts(&kinds) {
        let text = text.as_str();
        let mut run = |place: &'static str, args: &[&str]| {
            let ran = world.stead(args);
            assert!(ran.code == 0, "{place}: {ran}");
            table.look(place, &world);
        };
        run("note", &["note", "decision", text]);
        run(
            "handoff",
            &["handoff", text, "--context", text, "--next-prompt", text, "--validator", &format!("run {text}")],
        );
        run("packet", &["packet", "activate", "latest"]);
        run("loop", &["loop", "start", text, "--promise", "DONE"]);
        run("lesson", &["lesson", "add", text]);
        run("intent request", &["intent", "request", text, "--scope", "src/**"]);
        run("appeal", &["appeal", &verdict, text]);
        run("memory", &["memory", "store", "--type", "decision", "--what", text]);
        run("feature", &["feature", "add", &format!("f{}", text.len()), "--title", text, "--verifier", "true"]);
        run("role", &["role", "new", &format!("r{}", text.len()), "--about", text]);
        assert!(world.stead(&["check", text]).code <= 1);
        for (place, option, name) in
            [("evidence --file", "--file", "a.txt"), ("evidence --output", "--output", "b.txt")]
        {
            world.write(format!("project/{name}"), format!("it works\n{text}\n{}", text.len()));
            let ran = world.stead(&["evidence", "add", "login", option, name, "--note", text]);
            assert!(ran.code == 0, "{ran}");
            fs::remove_file(world.project().join(name)).unwrap();
            table.look(place, &world);
        }
        by_person(&world, &["allow", &verdict, "--reason", text]).ok();
        table.look("allow", &world);
        let script = format!("cat <<'EOF'\n{text}\nEOF\nexit 3");
        let outside = world.folder().join("print.sh");
        fs::write(&outside, script).unwrap();
        world.stead(&["verify", "--", &format!("sh {}", outside.display())]);
        table.look("verify", &world);
    }
    table.check();
}

#[test]
fn nothing_that_an_agent_of_a_run_prints_is_kept() {
    let kinds = kinds();
    let world = marked();
    let texts = texts(&kinds);
    fs::write(world.folder().join("secrets.txt"), texts.join("\n")).unwrap();
    // In pieces, so that the engine reads parts of secrets.
    let script = "while IFS= read -r line; do rest=$line; while [ -n \"$rest\" ]; do printf '%s' \"$(printf '%s' \"$rest\" | cut -c1-37)\"; \
        rest=$(printf '%s' \"$rest\" | cut -c38-); done; echo; done < ../secrets.txt; cat ../secrets.txt >&2; cat ../secrets.txt >> \"$STEAD_OUTPUT\"; \
        cat ../secrets.txt >> \"$STEAD_PROGRESS\"\n\
        printf '{\"decision\":\"stop\",\"reason\":\"%s\",\"summary\":\"done\"}' \"$(head -c 60 ../secrets.txt)\" > \"$STEAD_STATUS\"\n";
    let text = "name: chore\ndescription: A test\ntermination:\n  type: fixed\nguardrails:\n  max_iterations: 1\nprovider:\n  command: [\"sh\", \"chore.sh\"]\n";
    world.write("project/.agent/stages/chore/stage.yaml", text);
    world.write(
        "project/.agent/stages/chore/prompt.md",
        "Read ${CTX}, note in ${PROGRESS}, write ${OUTPUT} and ${STATUS}.\n",
    );
    world.write("project/chore.sh", script);
    by_person(&world, &["trust", "--yes"]);
    let ran = world.stead(&["run", "stage", "chore", "first"]);
    let log = world.sh("cat .agent/runs/first/*/iterations/*/agent.log").stdout;
    assert!(log.contains("to fix the tests") && log.contains("[redacted]"), "{ran}\n{log}");
    let mut table = Table { kinds: &kinds, rows: BTreeMap::new() };
    table.look("run", &world);
    table.check();
}

/// Strings of a payload that people, agents and tools wrote.
const SPOKEN: &[&str] = &[
    "prompt", "command", "content", "text", "message", "new_string", "old_string", "output", "stdout", "stderr",
    "result", "error", "last_assistant_message", "description", "query", "reason", "llmContent", "returnDisplay",
    "cmd", "instructions", "summary", "tool_output", "prompt_response", "userPrompt", "response", "title", "diff",
    "newText", "initialPrompt", "errorMessage",
];

fn speak(value: &mut Value, text: &str, roots: (&str, &str)) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                match value {
                    Value::String(said) if SPOKEN.contains(&name.as_str()) => *said = format!("{said} {text}"),
                    value => speak(value, text, roots),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| speak(value, text, roots)),
        Value::String(said) if !roots.0.is_empty() => *said = said.replace(roots.0, roots.1),
        _ => {}
    }
}

#[test]
fn nothing_that_clients_report_is_kept() {
    let kinds = kinds();
    let texts = texts(&kinds);
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../client/fixtures");
    let mut table = Table { kinds: &kinds, rows: BTreeMap::new() };
    let mut clients: Vec<PathBuf> =
        fs::read_dir(&fixtures).unwrap().flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    clients.sort();
    let mut told = 0;
    for client in clients {
        let world = marked();
        world.stead(&["guard", "enable", "destructive"]).ok();
        let name = client.file_name().unwrap().to_str().unwrap().to_owned();
        let mut payloads: Vec<PathBuf> = fs::read_dir(&client).unwrap().flatten().map(|entry| entry.path()).collect();
        payloads.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
        payloads.sort();
        for (index, file) in payloads.iter().enumerate() {
            let Ok(mut payload) = serde_json::from_str::<Value>(&fs::read_to_string(file).unwrap()) else { continue };
            let root = payload["cwd"].as_str().unwrap_or_default().to_owned();
            let ours = world.project().to_string_lossy().into_owned();
            speak(&mut payload, &texts[index % texts.len()], (&root, &ours));
            let event = file.file_stem().unwrap().to_string_lossy().split('.').next().unwrap().to_owned();
            world.hook(&format!("{name} {event}"), payload.to_string());
            told += 1;
        }
        table.look("hooks of all clients", &world);
    }
    assert!(told > 100, "{told}");
    table.check();
}

#[test]
fn nothing_of_a_session_is_kept() {
    let kinds = kinds();
    let world = marked();
    world.stead(&["guard", "enable", "destructive"]).ok();
    let mut table = Table { kinds: &kinds, rows: BTreeMap::new() };
    for text in texts(&kinds) {
        let mut hook = |place: &'static str, event: &str, own: Value| {
            world.hook(&format!("claude {event}"), payload(&world, event, own));
            table.look(place, &world);
        };
        hook("prompt", "UserPromptSubmit", json!({"prompt": text}));
        let input = json!({"command": format!("echo '{text}'")});
        hook("tool input", "PreToolUse", json!({"tool_name": "Bash", "tool_input": input, "tool_use_id": "c1"}));
        let response = json!({"stdout": text, "stderr": text, "interrupted": false});
        hook(
            "tool output",
            "PostToolUse",
            json!({"tool_name": "Bash", "tool_input": input, "tool_response": response, "tool_use_id": "c1"}),
        );
        hook(
            "failed tool",
            "PostToolUseFailure",
            json!({"tool_name": "Bash", "tool_input": input, "error": text, "tool_use_id": "c1"}),
        );
        let denied = json!({"command": format!("git reset --hard '{text}'")});
        hook("denied call", "PreToolUse", json!({"tool_name": "Bash", "tool_input": denied, "tool_use_id": "c2"}));
        let name = world.project().join(format!("src/{}.txt", kinds[0].text));
        let write = json!({"file_path": name, "content": text});
        hook(
            "file and its name",
            "PreToolUse",
            json!({"tool_name": "Write", "tool_input": write, "tool_use_id": "c3"}),
        );
        hook(
            "file and its name",
            "PostToolUse",
            json!({"tool_name": "Write", "tool_input": write, "tool_response": {}, "tool_use_id": "c3"}),
        );
        hook(
            "tampering",
            "PreToolUse",
            json!({"tool_name": "Bash", "tool_input": {"command": format!("rm -rf .agent # {text}")}, "tool_use_id": "c4"}),
        );
        hook("stop", "Stop", json!({"last_assistant_message": text, "stop_hook_active": false}));
        hook(
            "sub-agent",
            "SubagentStop",
            json!({"agent_id": "a1", "agent_type": "x", "last_assistant_message": text, "stop_hook_active": false}),
        );
        hook("compaction", "PreCompact", json!({"trigger": "auto", "custom_instructions": text}));
    }
    table.check();
}

#[test]
fn a_file_that_is_no_text_is_refused_if_it_contains_a_secret() {
    let world = marked();
    world.write("project/.agent/features/feature-list.json", r#"{"features": [{"id": "login"}]}"#);
    let secret = &kinds()[3].text;
    world.write("project/shot.png", [b"\x89PNG\r\n\x1a\n\xff\xfe ", secret.as_bytes(), b" \xff"].concat());
    let run = world.stead(&["evidence", "add", "login", "--file", "shot.png"]);
    assert!(run.code == 1 && run.stderr.contains("contains a secret and is no text"), "{run}");
    assert!(!world.exists("project/.agent/features/evidence/login/files"));
}

#[test]
fn records_are_private_and_shared_files_are_not() {
    let world = marked();
    world.git(&["init", "-q"]).ok();
    world.stead(&["note", "decision", "x"]).ok();
    world.stead(&["handoff", "go on"]).ok();
    world.stead(&["loop", "start", "x", "--promise", "DONE"]).ok();
    world.stead(&["memory", "store", "--type", "decision", "--what", "never push on friday"]).ok();
    world.stead(&["lesson", "add", "never push on friday"]).ok();
    world.stead(&["memory", "query", "friday"]).ok();
    world.hook("claude UserPromptSubmit", payload(&world, "UserPromptSubmit", json!({"prompt": "x"})));
    world.hook("claude PreToolUse", shell(&world, "ls"));
    let ignored = world.git(&["ls-files", "--others", "--ignored", "--exclude-standard", ".agent"]).ok();
    let mut seen = 0;
    for path in ignored.lines().map(|line| world.project().join(line)) {
        let mode = fs::metadata(&path).unwrap().mode() & 0o777;
        assert_eq!(mode & 0o077, 0, "{} is {mode:o}", path.display());
        let dir = path.parent().unwrap();
        let inside_tracked =
            [".agent", ".agent/features", ".agent/intents"].iter().any(|name| dir == world.project().join(name));
        let mode = fs::metadata(dir).unwrap().mode() & 0o777;
        assert!(inside_tracked || mode & 0o077 == 0, "{} is {mode:o}", dir.display());
        seen += 1;
    }
    assert!(seen > 8, "{ignored}");
    for name in [".agent/config.toml", ".agent/context/root.json", ".agent/.gitignore"] {
        let mode = fs::metadata(world.project().join(name)).unwrap().mode() & 0o777;
        assert_eq!(mode & 0o044, 0o044, "{name} is {mode:o}");
    }
    let state = world.home().join(".local/state/stead");
    for (path, _) in files(&world).iter().filter(|(path, _)| path.starts_with(&state)) {
        let mode = fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!(mode & 0o077, 0, "{} is {mode:o}", path.display());
    }
}

#[test]
fn packets_stay_in_the_checkout_until_one_is_shared() {
    let world = marked();
    world.git(&["init", "-q"]).ok();
    let place = world.project().join("src/a.rs");
    let context = format!("see {} and {}/.config/x", place.display(), world.home().display());
    world.stead(&["handoff", "go on", "--context", &context]).ok();
    world.stead(&["loop", "start", "x", "--promise", "DONE"]).ok();
    let untracked = || world.git(&["status", "--porcelain", "--untracked-files=all"]).ok();
    assert!(!untracked().contains("packets/") && !untracked().contains("loops/"), "{}", untracked());
    let text = world.sh("cat .agent/context/packets/*.md").ok();
    assert!(text.contains("see src/a.rs and ~/.config/x") && !text.contains(world.home().to_str().unwrap()), "{text}");
    assert!(!text.contains("transcript_path"), "{text}");
    let said = world.stead(&["packet", "share", "latest"]).ok();
    assert!(said.starts_with("staged .agent/context/packets/") && said.ends_with("commit it to share it\n"), "{said}");
    assert!(untracked().contains("A  .agent/context/packets/"), "{}", untracked());
    // A packet that somebody edited may have a secret.
    let id = said.split('/').next_back().unwrap().split('.').next().unwrap().to_owned();
    let file = world.project().join(format!(".agent/context/packets/{id}.md"));
    fs::write(&file, format!("{text}\npassword: \"{}\"\n", "hunter22x")).unwrap();
    let refused = world.stead(&["packet", "share", "latest"]);
    assert!(refused.code == 1 && refused.stderr.contains("has a secret in line"), "{refused}");
    world.write("project/.agent/config.toml", "[context]\nshare = true\n");
    world.stead(&["handoff", "go on again"]).ok();
    assert!(untracked().contains("?? .agent/context/packets/"), "{}", untracked());
}

#[test]
fn sharing_outside_of_git_says_so() {
    let world = marked();
    fs::remove_dir_all(world.project().join(".git")).unwrap();
    world.stead(&["handoff", "go on"]).ok();
    let run = world.stead(&["packet", "share", "latest"]);
    assert!(run.code == 1 && run.stderr.contains("not a git repository") && run.stderr.contains("hint: "), "{run}");
}

#[test]
fn the_verify_command_of_a_loop_has_no_secret() {
    let world = marked();
    let run = world.stead(&["loop", "start", "x", "--promise", "DONE", "--verify", "curl -u me:hunter22 http://x"]);
    assert!(run.code != 0 && run.stderr.contains("`--verify` contains a secret"), "{run}");
}

#[test]
fn nothing_that_is_printed_or_injected_hides_or_controls() {
    let world = marked();
    let evil = "a\u{1b}[2J\u{1b}]8;;http://x\u{7}b\u{9b}1m\u{202e}c\u{200b}d\u{8}";
    let is_hidden = |c: char| c.is_control() && !matches!(c, '\n' | '\t') || matches!(c, '\u{200b}' | '\u{202e}');
    let check = |place: &str, text: &str| assert!(!text.contains(is_hidden), "{place}: {text:?}");
    world.write(format!("project/{}", "evil\u{1b}[2J\u{202e}.txt"), "x");
    world.stead(&["handoff", "go on", "--context", evil, "--next-prompt", evil]).ok();
    world.stead(&["note", "decision", evil]).ok();
    for args in [
        &["packet", "show", "latest"][..],
        &["packet", "list"],
        &["pickup"],
        &["status"],
        &["packet", "show", "latest", "--json"],
    ] {
        let run = world.stead(args);
        check(&format!("{args:?}"), &run.stdout);
        check(&format!("{args:?}"), &run.stderr);
    }
    let shown = world.stead(&["packet", "show", "latest"]).ok();
    assert!(shown.contains("\\u{1b}[2J") && shown.contains("\\u{202e}"), "{shown}");
    let name = format!("Tool{evil}");
    for (tool, input) in
        [("Bash", json!({"command": format!("git reset --hard '{evil}'")})), (name.as_str(), json!({"x": evil}))]
    {
        world.stead(&["guard", "enable", "destructive"]);
        let own = json!({"tool_name": tool, "tool_input": input, "tool_use_id": "c"});
        let said = world.hook("claude PreToolUse", payload(&world, "PreToolUse", own));
        let reply: Value = serde_json::from_str(&said.stdout).unwrap_or_default();
        check("reason", reply["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default());
        check("stderr", &said.stderr);
    }
    let start = world.hook("claude SessionStart", payload(&world, "SessionStart", json!({"source": "startup"})));
    let reply: Value = serde_json::from_str(&start.stdout).unwrap_or_default();
    check("briefing", reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default());
    for args in [&["log"][..], &["status"], &["explain", "latest"]] {
        check(&format!("{args:?}"), &world.stead(args).stdout);
    }
}
