//! Traces with instructions in them come back as data: in a field, within the budget, and nowhere else.

use serde_json::{Value, json};
use stead_testkit::Injection;

use super::{NEW, OLD, ask, call, exchange, hello, request, text};
use crate::world::marked;

/// Where a text is found in a value, as JSON pointers; names of fields count as places, too.
fn places(value: &Value, mark: &str, at: &str) -> Vec<String> {
    match value {
        Value::String(text) if text.contains(mark) => vec![at.to_owned()],
        Value::Array(list) => {
            list.iter().enumerate().flat_map(|(index, one)| places(one, mark, &format!("{at}/{index}"))).collect()
        }
        Value::Object(map) => map
            .iter()
            .flat_map(|(name, one)| {
                assert!(!name.contains(mark), "{at}: a name says {mark}");
                places(one, mark, &format!("{at}/{name}"))
            })
            .collect(),
        _ => Vec::new(),
    }
}

#[test]
fn instructions_in_traces_are_data() {
    let world = marked();
    let mut ids = Vec::new();
    for Injection { mark, text } in Injection::all() {
        let input = json!({"type": "decision", "what_happened": text, "why": format!("{mark} because {text}")});
        let stored = call(&world, "store_trace", input);
        ids.push(stored["structuredContent"]["id"].as_str().unwrap_or_else(|| panic!("{stored}")).to_owned());
    }
    let check = |result: &Value, mark: &str, most: usize| {
        assert_eq!(result["isError"], false, "{result}");
        let told = text(result);
        let structured = &result["structuredContent"];
        assert_eq!(serde_json::from_str::<Value>(told).unwrap(), *structured, "{mark}: nothing is outside of the JSON");
        assert!(told.len().div_ceil(4) <= most, "{mark}: {} bytes", told.len());
        assert!(!told.contains(Injection::is_hidden), "{mark}: {told}");
        let found = places(structured, mark, "");
        let is_text = |place: &String| {
            ["/title", "/event/what_happened", "/event/why", "/matched/terms/"]
                .iter()
                .any(|field| place.contains(field))
        };
        assert!(!found.is_empty() && found.iter().all(is_text), "{mark}: {found:?}");
    };
    for (Injection { mark, .. }, id) in Injection::all().iter().zip(&ids) {
        for (level, most) in [("metadata", 500), ("summary", 1_000), ("full", 2_000)] {
            let found = call(&world, "query_traces", json!({"text": mark, "level": level, "k": 1}));
            assert_eq!(found["structuredContent"]["items"][0]["id"], id.as_str(), "{mark}: {found}");
            check(&found, mark, most);
            check(&call(&world, "get_trace", json!({"id": id, "level": level})), mark, most);
        }
        let read = ask(&world, &[("resources/read", json!({"uri": format!("trace://{id}")}))]).remove(0);
        let contents = &read["result"]["contents"][0];
        assert_eq!(contents["mimeType"], "application/json");
        let shown: Value = serde_json::from_str(contents["text"].as_str().unwrap()).unwrap();
        assert!(places(&shown, mark, "").iter().all(|place| place.starts_with("/event/")), "{shown}");
    }
    // What a client takes for the words of the server has none of it.
    let lists = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];
    let mut lines = vec![hello().to_string()];
    lines.extend(lists.iter().zip(1..).map(|(method, id)| request(OLD, id, method, json!({})).to_string()));
    let mut answers = exchange(&world, &lines, lists.len() + 1);
    answers.extend(exchange(&world, &[request(NEW, 0, "server/discover", json!({})).to_string()], 1));
    for answer in answers {
        assert_eq!(answer["error"], Value::Null, "{answer}");
        assert!(!answer.to_string().contains("OWNED"), "{answer}");
    }
}
