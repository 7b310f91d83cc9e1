//! OpenAI Responses.

use serde_json::{Value, json};

use super::answer::{Answer, Input, NativeCall};
use super::api::{Asked, Offered, items};
use super::response::Response;
use super::tool::FIND;

pub(super) fn asked(body: &Value) -> Asked {
    let mut offered = Vec::new();
    // Later tools arrive as an item of the conversation.
    let brings_tools = |item: &&Value| matches!(item["type"].as_str(), Some("additional_tools" | "tool_search_output"));
    let added = items(&body["input"]).filter(brings_tools);
    for tool in items(&body["tools"]).chain(added.flat_map(|item| items(&item["tools"]))) {
        if tool["type"] == "namespace" {
            let inner = items(&tool["tools"]).filter_map(|inner| offer(inner, tool["name"].as_str()));
            offered.extend(inner);
        } else {
            offered.extend(offer(tool, None));
        }
    }
    let format = &body["text"]["format"];
    let input = match &body["input"] {
        Value::String(text) => json!([{"role": "user", "content": text}]),
        input => input.clone(),
    };
    Asked {
        offered,
        schema: (format["type"] == "json_schema").then(|| format["schema"].clone()),
        ..Asked::of_messages(&input, &["content"])
    }
}

fn offer(tool: &Value, namespace: Option<&str>) -> Option<Offered> {
    let schema = match tool["type"].as_str() {
        Some("custom") => None,
        _ => Some(tool.get("parameters").cloned().unwrap_or_else(|| json!({}))),
    };
    Some(Offered { name: tool["name"].as_str()?.to_owned(), namespace: namespace.map(str::to_owned), schema })
}

pub(super) fn render(body: &Value, answer: &Answer) -> Response {
    let output = output(answer);
    let usage = json!({"input_tokens": answer.input_tokens, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": Answer::OUTPUT_TOKENS, "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": answer.input_tokens + Answer::OUTPUT_TOKENS});
    let whole = json!({"id": format!("resp_{}", answer.id), "object": "response", "created_at": 1,
        "status": "completed", "model": body["model"], "output": output, "error": null, "usage": usage});
    if body["stream"] != true {
        return Response::json(&whole);
    }
    let mut begun = whole.clone();
    begun["status"] = json!("in_progress");
    begun["output"] = json!([]);
    begun["usage"] = Value::Null;
    let mut events = vec![json!({"type": "response.created", "response": begun})];
    for (index, item) in output.iter().enumerate() {
        let mut opened = item.clone();
        opened["status"] = json!("in_progress");
        if item["type"] == "message" {
            opened["content"] = json!([]);
        }
        events.push(json!({"type": "response.output_item.added", "output_index": index, "item": opened}));
        if item["type"] == "message" {
            events.push(json!({"type": "response.output_text.delta", "item_id": item["id"], "output_index": index,
                "content_index": 0, "delta": item["content"][0]["text"]}));
        }
        events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
    }
    events.push(json!({"type": "response.completed", "response": whole}));
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = json!(number);
    }
    let named: Vec<_> = events.iter().map(|event| (event["type"].as_str(), event.clone())).collect();
    Response::events(&named)
}

fn output(answer: &Answer) -> Vec<Value> {
    let text = answer.spoken().map(|text| {
        let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
        json!({"type": "message", "id": format!("msg_{}", answer.id), "role": "assistant", "status": "completed",
            "content": content})
    });
    let calls = answer.calls.iter().enumerate().map(|(index, call)| item(call, &answer.call_id(index)));
    text.into_iter().chain(calls).collect()
}

fn item(call: &NativeCall, id: &str) -> Value {
    let mut item = json!({"id": format!("fc_{id}"), "call_id": id, "name": call.name, "status": "completed"});
    match &call.input {
        Input::Object(value) if call.name == FIND => {
            item["type"] = json!("tool_search_call");
            item["execution"] = json!("client");
            item["arguments"] = value.clone();
        }
        Input::Object(value) => {
            item["type"] = json!("function_call");
            item["arguments"] = json!(value.to_string());
        }
        Input::Text(text) => {
            item["type"] = json!("custom_tool_call");
            item["input"] = json!(text);
        }
    }
    if let Some(namespace) = &call.namespace {
        item["namespace"] = json!(namespace);
    }
    item
}
