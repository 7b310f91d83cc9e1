//! Anthropic Messages.

use serde_json::{Value, json};

use super::answer::{Answer, Input};
use super::api::{Asked, Offered, items};
use super::response::Response;

pub(super) fn asked(body: &Value) -> Asked {
    let offered = items(&body["tools"]).filter_map(|tool| {
        let schema = tool.get("input_schema").cloned().unwrap_or_else(|| json!({}));
        Some(Offered { name: tool["name"].as_str()?.to_owned(), namespace: None, schema: Some(schema) })
    });
    let format = &body["output_config"]["format"];
    Asked {
        offered: offered.collect(),
        schema: (format["type"] == "json_schema").then(|| format["schema"].clone()),
        ..Asked::of_messages(&body["messages"], &["content"])
    }
}

pub(super) fn render(body: &Value, answer: &Answer) -> Response {
    let blocks = blocks(answer);
    let reason = if answer.calls.is_empty() { "end_turn" } else { "tool_use" };
    let usage = json!({"input_tokens": answer.input_tokens, "output_tokens": Answer::OUTPUT_TOKENS,
        "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0});
    let mut message = json!({"id": format!("msg_{}", answer.id), "type": "message", "role": "assistant",
        "model": body["model"], "content": blocks, "stop_reason": reason, "stop_sequence": null, "usage": usage});
    if body["stream"] != true {
        return Response::json(&message);
    }
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    let mut events = vec![json!({"type": "message_start", "message": message})];
    for (index, block) in blocks.iter().enumerate() {
        let (start, delta) = opened(block);
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let delta = json!({"stop_reason": reason, "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": delta, "usage": usage}));
    events.push(json!({"type": "message_stop"}));
    let named: Vec<_> = events.iter().map(|event| (event["type"].as_str(), event.clone())).collect();
    Response::events(&named)
}

fn blocks(answer: &Answer) -> Vec<Value> {
    let text = answer.spoken().map(|text| json!({"type": "text", "text": text}));
    let calls = answer.calls.iter().enumerate().map(|(index, call)| {
        let input = match &call.input {
            Input::Object(value) => value.clone(),
            Input::Text(text) => json!({"input": text}),
        };
        json!({"type": "tool_use", "id": format!("toolu_{}", answer.call_id(index)), "name": call.name, "input": input})
    });
    text.into_iter().chain(calls).collect()
}

/// A block as a stream opens it, and the piece that fills it.
fn opened(block: &Value) -> (Value, Value) {
    let mut start = block.clone();
    if block["type"] == "text" {
        start["text"] = json!("");
        (start, json!({"type": "text_delta", "text": block["text"]}))
    } else {
        start["input"] = json!({});
        (start, json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}))
    }
}
