use serde_json::json;

use super::*;

#[track_caller]
fn document(text: &str) -> Document {
    Document::parse(text.as_bytes().to_vec(), Path::new("list")).unwrap()
}

fn members(value: Value) -> Members {
    value
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| (name.clone(), Some(value.clone()).filter(|v| !v.is_null())))
        .collect()
}

#[track_caller]
fn check(text: &str, id: &str, set: Value, expected: &str) {
    let mut document = document(text);
    document.edit(&[], &[(id.to_owned(), members(set))]).unwrap();
    assert_eq!(document.text, expected, "{text}");
}

#[test]
fn a_change_touches_nothing_else() {
    let text = "{ \"v\": 1e5,\n\t\"features\" : [\n\t\t{\"id\":\"a\",  \"x\": [1,2] },\n\t\t{\"id\": 7, \"status\": \"pending\"}\n\t]}";
    check(text, "a", json!({"priority": 3}), &text.replace("[1,2]", "[1,2],  \"priority\":3"));
    check(
        text,
        "7",
        json!({"status": "blocked", "ui": true}),
        &text.replace("\"pending\"", "\"blocked\", \"ui\": true"),
    );
    check(text, "7", json!({"status": null}), &text.replace(", \"status\": \"pending\"", ""));
    check(text, "a", json!({"nothing": null}), text);
}

#[test]
fn members_are_removed_wherever_they_are() {
    let text = r#"[{"a": 1, "id": "x", "b": 2, "c": 3}]"#;
    check(text, "x", json!({"a": null}), r#"[{"id": "x", "b": 2, "c": 3}]"#);
    check(text, "x", json!({"b": null}), r#"[{"a": 1, "id": "x", "c": 3}]"#);
    check(text, "x", json!({"c": null}), r#"[{"a": 1, "id": "x", "b": 2}]"#);
    check(text, "x", json!({"b": null, "c": null}), r#"[{"a": 1, "id": "x"}]"#);
    check(text, "x", json!({"a": null, "b": null, "c": null, "d": 4}), r#"[{"id": "x", "d": 4}]"#);
}

#[test]
fn indentation_and_line_ends_are_kept() {
    let text = "{\r\n    \"features\": [\r\n        {\r\n            \"id\": \"a\"\r\n        }\r\n    ]\r\n}\r\n";
    let set = json!({"needs_human": {"question": "q"}});
    let added = "\"a\",\r\n            \"needs_human\": {\r\n                \"question\": \"q\"\r\n            }\r\n";
    check(text, "a", set, &text.replace("\"a\"\r\n", added));
}

#[test]
fn entries_are_added_in_the_style_of_the_others() {
    let add = |text: &str| {
        let mut document = document(text);
        let entry = json!({"id": "n", "files": ["x"]});
        document.edit(&[entry.as_object().unwrap().clone()], &[]).unwrap();
        document.text
    };
    assert_eq!(add("[]"), "[\n  {\n    \"id\": \"n\",\n    \"files\": [\n      \"x\"\n    ]\n  }\n]");
    assert_eq!(add(r#"[{"id":"a"}]"#), r#"[{"id":"a"}, {"id":"n","files":["x"]}]"#);
    assert_eq!(
        add("{\"features\": [\n {\"id\": \"a\"}\n]}\n"),
        "{\"features\": [\n {\"id\": \"a\"},\n {\"id\": \"n\", \"files\": [\"x\"]}\n]}\n"
    );
    let empty = String::from_utf8(Document::empty(Path::new("list")).bytes()).unwrap();
    let grown = add(&empty);
    assert!(
        grown.ends_with(
            "\"features\": [\n    {\n      \"id\": \"n\",\n      \"files\": [\n        \"x\"\n      ]\n    }\n  ]\n}\n"
        ),
        "{grown}"
    );
}

#[test]
fn a_byte_order_mark_stays() {
    let mut document = document("\u{feff}[{\"id\":\"a\"}]");
    document.edit(&[], &[("a".into(), members(json!({"title": "t"})))]).unwrap();
    assert_eq!(String::from_utf8(document.bytes()).unwrap(), "\u{feff}[{\"id\":\"a\", \"title\":\"t\"}]");
}

#[test]
fn an_edit_cannot_make_a_feature_tested() {
    let mut document = document(r#"[{"id":"a"}]"#);
    for set in [json!({"tested": true}), json!({"status": "tested"}), json!({"status": " tested "})] {
        let edit = document.edit(&[], &[("a".into(), members(set.clone()))]);
        assert!(matches!(edit, Err(FeatureError::Refused { .. })), "{set}");
        let mut entry = set.as_object().unwrap().clone();
        entry.insert("id".into(), json!("b"));
        assert!(matches!(document.edit(&[entry], &[]), Err(FeatureError::Refused { .. })), "{set}");
    }
    assert_eq!(document.text, r#"[{"id":"a"}]"#);
}

#[test]
fn an_edit_that_would_break_the_list_is_refused() {
    let mut document = document(r#"[{"id":"a"},{"id":"b","depends_on":["a"]}]"#);
    let before = document.clone();
    assert!(document.edit(&[], &[("a".into(), members(json!({"depends_on": ["b"]})))]).is_err());
    assert!(document.edit(&[], &[("a".into(), members(json!({"priority": "high"})))]).is_err());
    assert!(document.edit(&[], &[("x".into(), Vec::new())]).is_err());
    assert!(document.edit(&[json!({"id": "a"}).as_object().unwrap().clone()], &[]).is_err());
    assert!(document.edit(&[json!({"id": "../a"}).as_object().unwrap().clone()], &[]).is_err());
    assert_eq!(document, before);
}
