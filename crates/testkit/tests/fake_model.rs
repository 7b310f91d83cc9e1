//! The scripted model over raw sockets, as a client meets it.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use stead_testkit::fake_model::{Call, FakeModel, Meeting, Part, Role, Script, Turn};

fn exchange(model: &FakeModel, wire: &[u8]) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", model.port())).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(wire).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, body.to_owned())
}

fn post(model: &FakeModel, path: &str, body: &Value) -> (u16, String) {
    let body = body.to_string();
    let head = format!("POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n", body.len());
    exchange(model, format!("{head}{body}").as_bytes())
}

fn reply(model: &FakeModel, path: &str, body: Value) -> Value {
    let (status, text) = post(model, path, &body);
    assert_eq!(status, 200, "{text}");
    serde_json::from_str(&text).unwrap()
}

/// The data of every event in a stream, in order.
fn stream(model: &FakeModel, path: &str, body: Value) -> Vec<Value> {
    let (status, text) = post(model, path, &body);
    assert_eq!(status, 200, "{text}");
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap_or_else(|_| json!(data))).collect()
}

fn script() -> Script {
    Script::new([Turn::call(Call::shell("ls")), Turn::say("done")])
}

fn schema() -> Value {
    json!({"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]})
}

#[test]
fn anthropic_messages_are_spoken() {
    let model = FakeModel::start(script());
    let tools = json!([{"name": "Bash", "input_schema": schema()}]);
    let mut messages = json!([{"role": "user", "content": "go"}]);
    let ask = |messages: &Value| json!({"model": "m", "stream": true, "tools": tools, "messages": messages});
    let events = stream(&model, "/v1/messages?beta=true", ask(&messages));
    let kinds: Vec<_> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta",
            "message_stop"
        ]
    );
    assert_eq!(events[1]["content_block"]["name"], "Bash");
    assert_eq!(events[2]["delta"]["partial_json"], r#"{"command":"ls"}"#);
    assert_eq!(events[4]["delta"]["stop_reason"], "tool_use");
    messages.as_array_mut().unwrap().push(json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "t", "content": "a.txt"}]}));
    let mut plain = ask(&messages);
    plain["stream"] = json!(false);
    assert_eq!(reply(&model, "/v1/messages", plain)["content"][0]["text"], "done");
    let seen = model.log().seen("a.txt");
    assert_eq!((seen.len(), seen[0].request, seen[0].role), (1, 2, Role::Tool));
}

#[test]
fn openai_responses_are_spoken() {
    let patch = json!({"type": "custom", "name": "apply_patch"});
    let shell = json!({"type": "function", "name": "exec_command", "parameters":
        {"properties": {"cmd": {"type": "string"}}, "required": ["cmd"]}});
    let model = FakeModel::start(Script::new([
        Turn::call(Call::shell("ls")).and_call(Call::write("a", "b")),
        Turn::say("done"),
    ]));
    let ask = |text: &str| {
        let input = json!([{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}]);
        json!({"model": "m", "stream": true, "tools": [patch, shell], "input": input})
    };
    let events = stream(&model, "/v1/responses", ask("go"));
    let done: Vec<_> = events.iter().filter(|event| event["type"] == "response.output_item.done").collect();
    assert_eq!(done[0]["item"]["arguments"], r#"{"cmd":"ls"}"#);
    assert_eq!(done[1]["item"]["type"], "custom_tool_call");
    assert!(done[1]["item"]["input"].as_str().unwrap().contains("*** Add File: a\n+b\n"));
    assert_eq!(events.last().unwrap()["response"]["output"].as_array().unwrap().len(), 2);
    let mut plain = ask("go on");
    plain["stream"] = json!(false);
    assert_eq!(reply(&model, "/v1/responses", plain)["output"][0]["content"][0]["text"], "done");
}

#[test]
fn chat_completions_are_spoken() {
    let model = FakeModel::start(script());
    let tools = json!([{"type": "function", "function": {"name": "bash", "parameters": schema()}}]);
    let ask = |text: &str, stream: bool| {
        json!({"model": "m", "stream": stream, "tools": tools,
            "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": text}]})
    };
    let chunks = stream(&model, "/v1/chat/completions", ask("go", true));
    assert_eq!(chunks[1]["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"], r#"{"command":"ls"}"#);
    assert_eq!(chunks[2]["choices"][0]["finish_reason"], "tool_calls");
    assert_eq!(chunks.last().unwrap(), "[DONE]");
    let whole = reply(&model, "/v1/chat/completions", ask("go on", false));
    assert_eq!(whole["choices"][0]["message"]["content"], "done");
    assert_eq!(whole["choices"][0]["finish_reason"], "stop");
}

#[test]
fn gemini_is_spoken() {
    let model = FakeModel::start(script());
    let tools = json!([{"functionDeclarations": [{"name": "run_shell_command", "parametersJsonSchema": schema()}]}]);
    let ask = |text: &str| json!({"tools": tools, "contents": [{"role": "user", "parts": [{"text": text}]}]});
    let events = stream(&model, "/v1beta/models/g:streamGenerateContent?alt=sse", ask("go"));
    let call = &events[0]["candidates"][0]["content"]["parts"][0]["functionCall"];
    assert_eq!((&call["name"], &call["args"]), (&json!("run_shell_command"), &json!({"command": "ls"})));
    let whole = reply(&model, "/v1beta/models/g:generateContent", ask("go on"));
    assert_eq!(whole["candidates"][0]["content"]["parts"][0]["text"], "done");
    let counted = reply(&model, "/v1beta/models/g:countTokens", ask("go"));
    assert!(counted["totalTokens"].as_u64().unwrap() > 0);
}

#[test]
fn side_requests_use_up_no_turn() {
    let model = FakeModel::start(script());
    let title = json!({"messages": [{"role": "user", "content": "a title, please"}]});
    assert!(reply(&model, "/v1/messages", title.clone())["content"][0]["text"].is_string());
    assert!(reply(&model, "/v1/messages/count_tokens", title)["input_tokens"].is_u64());
    let routed = json!({"contents": [], "generationConfig": {"responseMimeType": "application/json",
        "responseJsonSchema": {"type": "object", "required": ["next_speaker"],
            "properties": {"next_speaker": {"enum": ["model", "user"]}}}}});
    let routed = reply(&model, "/v1beta/models/g:generateContent", routed);
    assert_eq!(routed["candidates"][0]["content"]["parts"][0]["text"], r#"{"next_speaker":"user"}"#);
    let tools = json!([{"name": "Bash", "input_schema": schema()}]);
    let compaction = json!({"tools": tools, "messages": [{"role": "user", "content":
        "CONTEXT CHECKPOINT COMPACTION: write a summary"}]});
    assert!(reply(&model, "/v1/messages", compaction)["content"][0]["text"].as_str().unwrap().contains("summary"));
    assert!(model.log().turns("").is_empty());
}

#[test]
fn a_request_sent_again_gets_the_same_turn() {
    let model = FakeModel::start(script());
    let ask = |text: &str| json!({"tools": [{"name": "Bash", "input_schema": schema()}], "messages": [{"role": "user", "content": text}]});
    for _ in 0..2 {
        assert_eq!(reply(&model, "/v1/messages", ask("go"))["stop_reason"], "tool_use");
    }
    assert_eq!(reply(&model, "/v1/messages", ask("go on"))["content"][0]["text"], "done");
    assert_eq!(reply(&model, "/v1/messages", ask("and on"))["content"][0]["text"], "The script is over.");
}

#[test]
fn lanes_are_told_apart_and_can_meet() {
    let meeting = Meeting::of(2, Duration::from_secs(20));
    let script = Script::default()
        .lane("SESSION-A", [Turn::say("to a").meeting(&meeting)])
        .lane("SESSION-B", [Turn::say("to b").meeting(&meeting)]);
    let model = FakeModel::start(script);
    let ask = |text: &str| {
        let messages = json!([{"role": "user", "content": [{"type": "text", "text": text}]}]);
        let body = json!({"tools": [{"name": "Bash", "input_schema": schema()}], "messages": messages});
        reply(&model, "/v1/messages", body)["content"][0]["text"].clone()
    };
    let (a, b) = std::thread::scope(|scope| {
        let a = scope.spawn(|| ask("go SESSION-A"));
        let b = scope.spawn(|| ask("go SESSION-B"));
        (a.join().unwrap(), b.join().unwrap())
    });
    assert_eq!((a, b), (json!("to a"), json!("to b")));
    assert!(meeting.took_place());
    assert_eq!(model.log().turns("SESSION-A").len(), 1);
    assert!(model.log().problems().is_empty());
}

#[test]
fn a_renamed_tool_is_named() {
    let model = FakeModel::start(script());
    let body = json!({"tools": [{"name": "Terminal", "input_schema": schema()}], "messages": [
        {"role": "user", "content": "go"}]});
    reply(&model, "/v1/messages", body);
    assert_eq!(model.log().problems(), ["request 1: no tool for `shell` is offered; there are: Terminal"]);
}

#[test]
fn unknown_addresses_and_bad_bodies_are_told_and_logged() {
    let model = FakeModel::start(script());
    assert_eq!(post(&model, "/v1/embeddings", &json!({"x": 1})).0, 404);
    assert_eq!(exchange(&model, b"GET /nothing HTTP/1.1\r\n\r\n").0, 404);
    assert_eq!(exchange(&model, b"POST /v1/messages HTTP/1.1\r\nContent-Length: 4\r\n\r\n\x00\x01zz").0, 400);
    assert_eq!(exchange(&model, b"nonsense\r\n\r\n").0, 400);
    assert_eq!(exchange(&model, b"GET /v1/models HTTP/1.1\r\n\r\n").0, 200);
    let log = model.log();
    let parts: Vec<_> = log.exchanges().iter().map(|one| (one.path.as_str(), &one.part)).collect();
    assert_eq!(
        parts,
        [
            ("/v1/embeddings", &Part::Unknown),
            ("/nothing", &Part::Unknown),
            ("/v1/messages", &Part::Side),
            ("/v1/models", &Part::Side)
        ]
    );
    assert!(log.problems()[0].contains("is not JSON"));
}
