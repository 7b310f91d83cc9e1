//! `stead schema`.

use crate::world::{bare, lines, marked, payload};

#[test]
fn formats_are_listed_and_printed() {
    let world = bare();
    let list = world.stead(&["schema", "--json"]).json();
    let text = world.stead(&["schema"]).ok();
    for format in list["items"].as_array().unwrap() {
        let name = format["name"].as_str().unwrap();
        assert!(text.contains(name), "{text}");
        assert_eq!(world.stead(&["schema", name]).json()["$schema"], "https://json-schema.org/draft/2020-12/schema");
    }
}

#[test]
fn an_unknown_format_is_a_usage_error() {
    let run = bare().stead(&["schema", "sesion"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert_eq!(run.stderr, "error: unknown schema `sesion`\nhint: did you mean `session`?\n");
}

/// What the hook really writes, against the schema that is printed.
#[test]
fn what_the_hook_writes_fits_its_schema() {
    let world = marked();
    let own =
        |name: &str, value: serde_json::Value| world.hook(&format!("claude {name}"), payload(&world, name, value));
    own("SessionStart", serde_json::json!({"source": "startup"}));
    let call = serde_json::json!({"tool_name": "Write", "tool_use_id": "call-1",
        "tool_input": {"file_path": world.project().join("a.txt"), "content": "x"}, "tool_response": {}});
    own("PreToolUse", call.clone());
    own("PostToolUse", call);
    own("Stop", serde_json::json!({}));
    let check = |name: &str, value: &serde_json::Value| {
        let schema = world.stead(&["schema", name]).json();
        let validator = jsonschema::draft202012::options().should_validate_formats(true).build(&schema).unwrap();
        let errors: Vec<_> = validator.iter_errors(value).map(|error| error.to_string()).collect();
        assert_eq!(errors, [] as [String; 0], "{name}: {value}");
    };
    let log = lines(&world, "sessions.jsonl");
    assert_eq!(log.len(), 4);
    log.iter().for_each(|line| check("session-log", line));
    let files = lines(&world, "relevant-files.jsonl");
    assert_eq!(files.len(), 1);
    files.iter().for_each(|line| check("relevant-file", line));
    world.stead(&["lesson", "add", "x"]).ok();
    let lessons = lines(&world, "lessons.jsonl");
    assert_eq!(lessons.len(), 1);
    lessons.iter().for_each(|line| check("lesson-log", line));
    let session = world.read("project/.agent/context/indexes/sessions/session-1.json");
    check("session", &serde_json::from_str(&session).unwrap());
}
