//! Decoders meet arbitrary input: no panic, no error for any JSON object, an error for everything else.

use proptest::prelude::*;
use serde_json::{Map, Value};
use stead_client::Harness;

use crate::fixture::Fixture;

fn decode_all(payload: &str, named: Option<&str>) -> Vec<bool> {
    Harness::ALL.into_iter().map(|harness| harness.client().decode(payload, named).is_ok()).collect()
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        prop::sample::select(vec![
            "PreToolUse", "Stop", "Bash", "Write", "apply_patch", "{\"path\":\"x\"}", "*** Add File: "
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((key(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    let known = vec![
        "hook_event_name", "session_id", "sessionId", "tool_name", "toolName", "tool_input", "toolArgs", "prompt",
        "event", "input", "output", "properties", "type", "args", "parts", "agent_id", "file_path", "command", "edits",
        "workspace_roots", "status", "loop_count", "error", "tool_response", "mcp_context",
    ];
    prop_oneof![prop::sample::select(known).prop_map(str::to_owned), any::<String>()]
}

/// Puts something else in a place of the document that `pick` chooses.
fn swap(document: &mut Value, pick: &mut usize, with: &Value) {
    if *pick == 0 {
        *document = with.clone();
        return;
    }
    *pick -= 1;
    let inner: Vec<&mut Value> = match document {
        Value::Array(list) => list.iter_mut().collect(),
        Value::Object(map) => map.iter_mut().map(|(_, value)| value).collect(),
        _ => Vec::new(),
    };
    for value in inner {
        swap(value, pick, with);
        if *pick == 0 {
            *pick = usize::MAX;
            return;
        }
        if *pick > usize::MAX / 2 {
            return;
        }
    }
}

proptest! {
    #[test]
    fn arbitrary_text(text in any::<String>(), named in prop::option::of(any::<String>())) {
        let is_object = serde_json::from_str::<Map<String, Value>>(&text).is_ok();
        for ok in decode_all(&text, named.as_deref()) {
            prop_assert_eq!(ok, is_object);
        }
    }

    #[test]
    fn arbitrary_json(value in json(), named in prop::option::of(key())) {
        let text = value.to_string();
        for ok in decode_all(&text, named.as_deref()) {
            prop_assert_eq!(ok, value.is_object());
        }
    }

    #[test]
    fn arbitrary_objects(members in prop::collection::vec((key(), json()), 0..8), named in prop::option::of(key())) {
        // Written out by hand, so that keys may repeat.
        let members: Vec<_> = members.iter().map(|(key, value)| format!("{}:{value}", Value::from(key.as_str()))).collect();
        let text = format!("{{{}}}", members.join(","));
        prop_assert!(decode_all(&text, named.as_deref()).into_iter().all(|ok| ok), "{}", text);
    }

    #[test]
    fn fixtures_with_something_else_inside(pick in 1..60usize, with in json(), fixture in 0..200usize) {
        let all = fixtures();
        let fixture = &all[fixture % all.len()];
        let mut document: Value = serde_json::from_str(&fixture.payload).unwrap();
        swap(&mut document, &mut { pick }, &with);
        if document.is_object() {
            prop_assert!(decode_all(&document.to_string(), Some(&fixture.named)).into_iter().all(|ok| ok));
        }
    }

    #[test]
    fn fixtures_cut_short(fixture in 0..200usize, part in 0.0..1.0f64) {
        let all = fixtures();
        let fixture = &all[fixture % all.len()];
        let payload = fixture.payload.trim_end();
        let mut end = (payload.len() as f64 * part) as usize;
        while !payload.is_char_boundary(end) {
            end -= 1;
        }
        prop_assert!(decode_all(&payload[..end], Some(&fixture.named)).into_iter().all(|ok| !ok));
    }

    #[test]
    fn fixtures_with_a_byte_changed(fixture in 0..200usize, at in any::<prop::sample::Index>(), byte in 0x20..0x7fu8) {
        let all = fixtures();
        let fixture = &all[fixture % all.len()];
        let mut bytes = fixture.payload.clone().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(text) = String::from_utf8(bytes) {
            let is_object = serde_json::from_str::<Map<String, Value>>(&text).is_ok();
            for ok in decode_all(&text, Some(&fixture.named)) {
                prop_assert!(ok || !is_object, "{}", text);
            }
        }
    }
}

fn fixtures() -> &'static [Fixture] {
    static ALL: std::sync::OnceLock<Vec<Fixture>> = std::sync::OnceLock::new();
    ALL.get_or_init(Fixture::all)
}

#[test]
fn every_recorded_tool_event_has_a_call() {
    for fixture in fixtures() {
        let event = fixture.harness.client().decode(&fixture.payload, Some(&fixture.named)).unwrap();
        let is_call = matches!(
            event.kind,
            stead_model::EventKind::BeforeTool
                | stead_model::EventKind::AfterTool
                | stead_model::EventKind::ToolFailed
                | stead_model::EventKind::PermissionRequest
        );
        assert_eq!(event.call.is_some(), is_call, "{}", fixture.file);
    }
}

#[test]
fn the_model_is_read_where_a_payload_names_it() {
    let mut named = 0;
    for fixture in fixtures() {
        let wire: Value = serde_json::from_str(&fixture.payload).unwrap();
        let parts = [&wire["model"]["providerID"], &wire["model"]["modelID"]].map(Value::as_str);
        let joined = parts[0].zip(parts[1]).map(|(provider, model)| format!("{provider}/{model}"));
        let expected = joined.as_deref().or(wire["model"].as_str().filter(|model| *model != "auto"));
        let event = fixture.harness.client().decode(&fixture.payload, Some(&fixture.named)).unwrap();
        assert_eq!(event.model.as_deref(), expected, "{}", fixture.file);
        named += usize::from(expected.is_some());
    }
    assert!(named > 20, "{named}");
    let both = r#"{"input":{"tool":"bash"},"output":{},"model":{"providerID":"p","modelID":"m"}}"#;
    let opencode = Harness::from_name("opencode").unwrap().client();
    assert_eq!(opencode.decode(both, Some("tool.execute.after")).unwrap().model.as_deref(), Some("p/m"));
}
