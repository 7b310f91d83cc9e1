//! The MCP server on the wire: the real binary, as a client starts it.

mod http;
mod memory;
mod poison;
mod process;
mod registration;
mod session;

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::{Value, json};
use stead_testkit::World;

use crate::intent::project;
use crate::world::{bare, marked};

/// The revisions of the protocol that are in use.
const OLD: &str = "2025-11-25";
const NEW: &str = "2026-07-28";

/// A request in the form of a revision. Since the new one, every request introduces the client.
fn request(revision: &str, id: u64, method: &str, mut params: Value) -> Value {
    if revision == NEW {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": NEW,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn hello() -> Value {
    let params = json!({"protocolVersion": OLD, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    request(OLD, 0, "initialize", params)
}

/// Sends the lines, waits for so many answers, and returns them by their ids. Then the input ends, and so does the server.
fn exchange(world: &World, lines: &[String], expected: usize) -> Vec<Value> {
    let mut command = world.command(env!("CARGO_BIN_EXE_stead"), &world.project());
    command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut server = command.spawn().unwrap();
    let (mut stdin, input) = (server.stdin.take().unwrap(), lines.join("\n") + "\n");
    let writer = std::thread::spawn(move || {
        stdin.write_all(input.as_bytes()).unwrap();
        stdin
    });
    let mut output = BufReader::new(server.stdout.take().unwrap()).lines().map(Result::unwrap);
    let read = |line: String| serde_json::from_str(&world.normalise(&line)).unwrap();
    let mut answers: Vec<Value> = output.by_ref().take(expected).map(read).collect();
    drop(writer.join().unwrap());
    assert_eq!(output.next(), None, "after {answers:?}");
    let ended = server.wait_with_output().unwrap();
    assert!(ended.status.success() && ended.stderr.is_empty(), "{ended:?}");
    answers.sort_by_key(|answer| answer["id"].as_u64());
    answers
}

/// Makes requests as a client of the older revision.
fn ask(world: &World, requests: &[(&str, Value)]) -> Vec<Value> {
    let mut lines =
        vec![hello().to_string(), json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string()];
    let numbered = requests.iter().zip(1..).map(|((method, params), id)| request(OLD, id, method, params.clone()));
    lines.extend(numbered.map(|request| request.to_string()));
    let mut answers = exchange(world, &lines, requests.len() + 1);
    assert_eq!(answers.len(), requests.len() + 1, "{answers:?}");
    answers.remove(0);
    answers
}

/// Calls one tool and returns its result.
fn call(world: &World, tool: &str, input: Value) -> Value {
    ask(world, &[("tools/call", json!({"name": tool, "arguments": input}))]).remove(0)["result"].take()
}

/// The text of a result.
fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

/// The schemas of the answers, by tool.
fn output_schema(world: &World, tool: &str) -> Value {
    let list = ask(world, &[("tools/list", json!({}))]).remove(0);
    let tools = list["result"]["tools"].as_array().unwrap().clone();
    tools.into_iter().find(|one| one["name"] == tool).unwrap()["outputSchema"].take()
}

/// A project with something for each tool.
fn full() -> World {
    let world = project();
    world.write("project/server.log", "started\nERROR: disk full\n");
    world.stead(&["feature", "add", "login", "--title", "Sign in"]).ok();
    world
}

#[test]
fn both_revisions_of_the_protocol_are_spoken() {
    let world = full();
    let call = json!({"name": "check_action", "arguments": {"command": "rm -rf .agent"}});
    let wrong = json!({"name": "why_line", "arguments": {"file": "src/a.rs"}});
    let requests = [
        ("tools/list", json!({})),
        ("tools/call", call),
        ("tools/call", wrong),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "intent://INT-002"})),
        ("prompts/list", json!({})),
        ("tools/call", json!({"name": "no_such_tool"})),
    ];
    let shown = |mut answers: Vec<Value>| {
        for answer in &mut answers {
            // The intents of the project are traces as well, under ids of their own in every world.
            if let Some(resources) = answer["result"].get_mut("resources").and_then(Value::as_array_mut) {
                resources.retain(|one| !one["uri"].as_str().unwrap().starts_with("trace://"));
            }
        }
        answers.iter().map(|answer| format!("{answer}\n")).collect::<String>()
    };
    let mut lines = vec![hello().to_string()];
    let old = requests.iter().zip(1..).map(|((method, params), id)| request(OLD, id, method, params.clone()));
    lines.extend(old.map(|request| request.to_string()));
    insta::assert_snapshot!("wire-2025-11-25", shown(exchange(&world, &lines, requests.len() + 1)));
    let mut lines = vec![request(NEW, 0, "server/discover", json!({})).to_string()];
    let new = requests.iter().zip(1..).map(|((method, params), id)| request(NEW, id, method, params.clone()));
    lines.extend(new.map(|request| request.to_string()));
    insta::assert_snapshot!("wire-2026-07-28", shown(exchange(&world, &lines, requests.len() + 1)));
}

#[test]
fn the_list_of_tools_leaves_room_for_work() {
    let list = ask(&marked(), &[("tools/list", json!({}))]).remove(0);
    let tokens = list["result"].to_string().len().div_ceil(4);
    assert!(tokens <= 2_500, "{tokens} tokens for {} tools", list["result"]["tools"].as_array().unwrap().len());
}

/// One row: a tool, an input that works, one that is wrong, and one that names something unknown.
struct Row {
    tool: &'static str,
    works: Value,
    wrong: (Value, &'static str),
    unknown: Option<(Value, &'static str)>,
    needs_project: bool,
}

fn rows() -> Vec<Row> {
    let row = |tool, works, wrong, unknown, needs_project| Row { tool, works, wrong, unknown, needs_project };
    vec![
        row("check_action", json!({"command": "ls"}), (json!({}), "nothing to check"), None, false),
        row(
            "next_feature",
            json!({}),
            (json!({"only": "login"}), "`only` must be a list of strings"),
            Some((json!({"only": ["logon"]}), "login")),
            true,
        ),
        row(
            "report_feature",
            json!({"feature_id": "login", "outcome": "implemented", "files": ["src/a.rs"]}),
            (json!({"feature_id": "login", "outcome": "done"}), "must be one of implemented, passed, failed"),
            Some((json!({"feature_id": "logon", "outcome": "implemented"}), "login")),
            true,
        ),
        row(
            "record_lesson",
            json!({"text": "the cache is not thread-safe", "kind": "pitfall"}),
            (json!({"text": ["a"]}), "`text` must be a string"),
            None,
            true,
        ),
        row(
            "store_trace",
            json!({"type": "decision", "what_happened": "keep the v1 API", "why": "two clients need it"}),
            (json!({"type": "decision"}), "`what_happened` is missing"),
            Some((
                json!({"type": "decision", "what_happened": "keep the v2 API", "supersedes": ["zz"]}),
                "there is no trace",
            )),
            true,
        ),
        row(
            "query_traces",
            json!({"text": "api", "type": "decision", "level": "metadata"}),
            (json!({"k": 0}), "`k` must be a whole number from 1 to 100"),
            Some((json!({"file": "../elsewhere"}), "is outside the project")),
            true,
        ),
        row("extract_patterns", json!({}), (json!({"x": 1}), "unknown field `x`; expected none\nhint: "), None, true),
        row("where_is", json!({"question": "sign in"}), (json!({"query": "x"}), "unknown field `query`"), None, true),
        row(
            "why_line",
            json!({"file": "src/a.rs", "line": 1}),
            (json!({"file": "src/a.rs", "line": 0}), "whole number from 1"),
            Some((json!({"file": "src/b.rs", "line": 1}), "cannot read `src/b.rs`")),
            true,
        ),
        row(
            "read_log",
            json!({"file": "server.log", "max_tokens": 200}),
            (json!({"file": "server.log", "max_tokens": 1}), "from 50 to 100000"),
            Some((json!({"file": "no.log"}), "could not read `no.log`")),
            false,
        ),
    ]
}

#[test]
fn every_tool_answers_in_every_situation() {
    let (world, elsewhere) = (full(), bare());
    for Row { tool, works, wrong, unknown, needs_project } in rows() {
        let result = call(&world, tool, works.clone());
        assert_eq!(result["isError"], false, "{tool}: {result}");
        let schema = output_schema(&world, tool);
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(validator.is_valid(&result["structuredContent"]), "{tool}: {result}");
        for (input, expected) in [Some(wrong), unknown].into_iter().flatten() {
            let result = call(&world, tool, input);
            assert_eq!(result["isError"], true, "{tool}: {result}");
            assert!(text(&result).contains(expected) && text(&result).starts_with("error: "), "{tool}: {result}");
            assert_eq!(text(&result).matches("\nhint: ").count(), 1, "{tool}: {result}");
        }
        if needs_project {
            let result = call(&elsewhere, tool, works);
            assert!(text(&result).contains("is not a project yet\nhint: run `stead init` first"), "{tool}: {result}");
        }
    }
    assert!(text(&call(&world, "read_log", json!({"file": "server.log"}))).contains("ERROR: disk full"));
}

#[test]
fn resources_and_prompts_are_those_of_the_commands() {
    let world = full();
    world.stead(&["handoff", "finish the parser"]).ok();
    let packet = world.stead(&["packet", "list", "--json"]).json()["items"][0]["id"].as_str().unwrap().to_owned();
    let answers = ask(
        &world,
        &[
            ("resources/list", json!({})),
            ("resources/read", json!({"uri": format!("packet://{packet}")})),
            ("resources/read", json!({"uri": "packet://nothing"})),
            ("resources/read", json!({"uri": "file:///etc/passwd"})),
            ("prompts/get", json!({"name": "pickup"})),
            ("prompts/get", json!({"name": "pickup", "arguments": {"packet": "--help"}})),
            ("prompts/get", json!({"name": "handoff", "arguments": {"purpose": "ship it"}})),
            ("prompts/get", json!({"name": "nothing"})),
        ],
    );
    let uris = answers[0]["result"]["resources"].as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap());
    // What happened in the project is a trace, too; see `memory`.
    let uris: Vec<&str> = uris.filter(|uri| !uri.starts_with("trace://")).collect();
    assert_eq!(uris, [&format!("packet://{packet}"), "intent://INT-001", "intent://INT-002", "intent://INT-003"]);
    let shown = world.stead(&["packet", "show", &packet]).ok();
    assert_eq!(answers[1]["result"]["contents"][0]["text"], shown);
    assert_eq!(answers[2]["error"]["code"], -32002, "{}", answers[2]);
    assert!(answers[3]["error"]["message"].as_str().unwrap().contains("packet://ID or intent://ID or trace://ID"));
    let prompt =
        |answer: &Value| answer["result"]["messages"][0]["content"]["text"].as_str().unwrap_or_default().to_owned();
    assert!(prompt(&answers[4]).contains("finish the parser"), "{}", answers[4]);
    assert!(answers[5]["error"]["message"].as_str().unwrap().contains("there is no packet `--help`"), "{}", answers[5]);
    assert!(prompt(&answers[6]).starts_with("Hand this work over. Its purpose: ship it"), "{}", answers[6]);
    assert!(answers[7]["error"]["message"].as_str().unwrap().contains("unknown prompt `nothing`"));
}

#[test]
fn bad_input_disturbs_nothing_else() {
    let world = full();
    let huge = "x".repeat(20 * 1024 * 1024);
    let long = json!({"name": "record_lesson", "arguments": {"text": "y".repeat(200 * 1024)}});
    let lines = [
        hello().to_string(),
        "garbage".to_owned(),
        "{\"jsonrpc\": \"2.0\"".to_owned(),
        "[]".to_owned(),
        "\u{0}\u{feff}".to_owned(),
        request(OLD, 1, "tools/call", json!({"name": "record_lesson", "arguments": {"text": huge}})).to_string(),
        request(OLD, 2, "tools/call", long).to_string(),
        request(OLD, 3, "tools/call", json!({"name": "where_is", "arguments": {"question": "-C / --json"}}))
            .to_string(),
        request(OLD, 4, "no/such/method", json!({})).to_string(),
        request(OLD, 5, "tools/call", json!({"arguments": 5})).to_string(),
        request(OLD, 6, "tools/list", json!({})).to_string(),
    ];
    let answers = exchange(&world, &lines, 7);
    let of = |id: u64| answers.iter().find(|answer| answer["id"] == id).cloned().unwrap_or_default();
    assert_eq!(of(1), Value::Null, "a message of more than 16 MB is dropped");
    assert_eq!(of(2)["result"]["isError"], true, "{}", of(2));
    assert_eq!(of(3)["result"]["isError"], false, "{}", of(3));
    assert_eq!(of(4)["error"]["code"], -32601, "{}", of(4));
    assert!(of(6)["result"]["tools"].is_array(), "{}", of(6));
}

#[test]
fn calls_at_the_same_time_are_all_answered() {
    let world = full();
    let lesson = |number: usize| json!({"name": "record_lesson", "arguments": {"text": format!("lesson {number} of many, about topic {number}")}});
    let requests: Vec<(&str, Value)> = (0..40).map(|number| ("tools/call", lesson(number))).collect();
    let answers = ask(&world, &requests);
    assert!(answers.iter().all(|answer| answer["result"]["isError"] == false), "{answers:?}");
    let listed = world.stead(&["lesson", "list", "--json"]).json();
    assert_eq!(listed["items"].as_array().unwrap().len(), 40);
}
