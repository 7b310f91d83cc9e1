//! The generateContent interface and its stream.

use serde_json::{Value, json};

use super::answer::{Answer, Input};
use super::api::{Asked, Offered, items};
use super::response::Response;

pub(super) fn asked(body: &Value) -> Asked {
    let declared = items(&body["tools"]).flat_map(|tool| items(&tool["functionDeclarations"]));
    let offered = declared.filter_map(|function| {
        let schema = function.get("parametersJsonSchema").or_else(|| function.get("parameters"));
        let schema = schema.cloned().unwrap_or_else(|| json!({}));
        Some(Offered { name: function["name"].as_str()?.to_owned(), namespace: None, schema: Some(schema) })
    });
    let config = &body["generationConfig"];
    let schema = config.get("responseJsonSchema").or_else(|| config.get("responseSchema"));
    Asked {
        offered: offered.collect(),
        schema: (config["responseMimeType"] == "application/json").then(|| schema.cloned().unwrap_or_default()),
        ..Asked::of_messages(&body["contents"], &["parts"])
    }
}

pub(super) fn render(answer: &Answer) -> Response {
    Response::json(&whole(answer))
}

pub(super) fn render_stream(answer: &Answer) -> Response {
    Response::events(&[(None, whole(answer))])
}

fn whole(answer: &Answer) -> Value {
    let text = answer.spoken().map(|text| json!({"text": text}));
    let calls = answer.calls.iter().enumerate().map(|(index, call)| {
        let args = match &call.input {
            Input::Object(value) => value.clone(),
            Input::Text(text) => json!({"input": text}),
        };
        json!({"functionCall": {"id": answer.call_id(index), "name": call.name, "args": args}})
    });
    let parts: Vec<_> = text.into_iter().chain(calls).collect();
    let candidate = json!({"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0});
    let usage = json!({"promptTokenCount": answer.input_tokens, "candidatesTokenCount": Answer::OUTPUT_TOKENS,
        "totalTokenCount": answer.input_tokens + Answer::OUTPUT_TOKENS});
    json!({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted", "responseId": answer.id})
}
