//! OpenAI Chat Completions, which several other clients speak too.

use serde_json::{Value, json};

use super::answer::{Answer, Input};
use super::api::{Asked, Offered, items};
use super::response::Response;

pub(super) fn asked(body: &Value) -> Asked {
    let offered = items(&body["tools"]).filter_map(|tool| {
        let function = &tool["function"];
        let schema = function.get("parameters").cloned().unwrap_or_else(|| json!({}));
        Some(Offered { name: function["name"].as_str()?.to_owned(), namespace: None, schema: Some(schema) })
    });
    let format = &body["response_format"];
    let wants_json = matches!(format["type"].as_str(), Some("json_schema" | "json_object"));
    Asked {
        offered: offered.collect(),
        schema: wants_json.then(|| format["json_schema"]["schema"].clone()),
        ..Asked::of_messages(&body["messages"], &["content"])
    }
}

pub(super) fn render(body: &Value, answer: &Answer) -> Response {
    let calls = calls(answer);
    let finish = if calls.is_empty() { "stop" } else { "tool_calls" };
    let usage = json!({"prompt_tokens": answer.input_tokens, "completion_tokens": Answer::OUTPUT_TOKENS,
        "total_tokens": answer.input_tokens + Answer::OUTPUT_TOKENS});
    let text = answer.spoken();
    if body["stream"] != true {
        let mut message = json!({"role": "assistant", "content": text});
        if !calls.is_empty() {
            message["tool_calls"] = json!(calls);
        }
        let choice = json!({"index": 0, "message": message, "finish_reason": finish});
        let mut whole = piece(body, answer, "chat.completion", json!([choice]));
        whole["usage"] = usage;
        return Response::json(&whole);
    }
    let chunk = |delta: Value, finish: Option<&str>| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        piece(body, answer, "chat.completion.chunk", json!([choice]))
    };
    let mut chunks = vec![chunk(json!({"role": "assistant", "content": text.unwrap_or_default()}), None)];
    for (index, call) in calls.iter().enumerate() {
        let mut call = call.clone();
        call["index"] = json!(index);
        chunks.push(chunk(json!({"tool_calls": [call]}), None));
    }
    let mut last = chunk(json!({}), Some(finish));
    last["usage"] = usage;
    chunks.push(last);
    let unnamed: Vec<_> = chunks.into_iter().map(|chunk| (None, chunk)).collect();
    Response::events(&unnamed).and_done()
}

fn piece(body: &Value, answer: &Answer, object: &str, choices: Value) -> Value {
    json!({"id": format!("chatcmpl-{}", answer.id), "object": object, "created": 1, "model": body["model"],
        "choices": choices})
}

fn calls(answer: &Answer) -> Vec<Value> {
    let calls = answer.calls.iter().enumerate().map(|(index, call)| {
        let arguments = match &call.input {
            Input::Object(value) => value.to_string(),
            Input::Text(text) => json!({"input": text}).to_string(),
        };
        let function = json!({"name": call.name, "arguments": arguments});
        json!({"id": answer.call_id(index), "type": "function", "function": function})
    });
    calls.collect()
}
