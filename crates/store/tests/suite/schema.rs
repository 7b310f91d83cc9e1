use std::ffi::OsString;
use std::fs;

use serde_json::{Value, json};
use stead_store::{Config, MARKER, SCHEMAS, StoreError, init, schema};

#[track_caller]
fn check(name: &str, value: &Value, valid: bool) {
    let schema: Value = serde_json::from_str(&schema(name).unwrap().text()).unwrap();
    let validator = jsonschema::draft202012::options().should_validate_formats(true).build(&schema).unwrap();
    let errors: Vec<_> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    assert_eq!(errors.is_empty(), valid, "{name}: {value}: {errors:?}");
}

fn from_toml(text: &str) -> Value {
    serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap()
}

#[test]
fn every_schema_is_one() {
    for schema in SCHEMAS {
        let value: Value = serde_json::from_str(&schema.text()).unwrap();
        jsonschema::draft202012::meta::validate(&value).unwrap();
        assert_eq!(value["$schema"], "https://json-schema.org/draft/2020-12/schema", "{}", schema.name);
        assert!(schema.text().ends_with("}\n"));
    }
    assert!(SCHEMAS.is_sorted_by_key(|schema| schema.name));
}

#[test]
fn every_schema_file_can_be_printed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schema");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap().replace(".json", ""))
        .collect();
    files.sort();
    assert_eq!(files, SCHEMAS.iter().map(|schema| schema.name).collect::<Vec<_>>());
}

#[test]
fn an_unknown_name_lists_the_known_ones() {
    let error = schema("sesion").unwrap_err();
    assert!(matches!(error, StoreError::UnknownSchema { nearest: Some("session"), .. }), "{error:?}");
    assert!(error.to_string().contains("`session`, `session-log`"), "{error}");
}

#[test]
fn what_init_writes_fits() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".orchestration")).unwrap();
    init(folder.path(), &|_| None::<OsString>, "2026-11-15T20:00:00.000Z").unwrap();
    let read = |path: &str| fs::read_to_string(folder.path().join(path)).unwrap();
    check("root", &serde_json::from_str(&read(MARKER)).unwrap(), true);
    check("active-loop", &serde_json::from_str(&read(".agent/context/indexes/active-loop.json")).unwrap(), true);
    let config = from_toml(&read(".agent/config.toml"));
    assert_eq!(config["layout"]["intents"], ".orchestration");
    check("config", &config, true);
}

#[test]
fn the_defaults_and_the_schema_know_the_same_settings() {
    let schema: Value = serde_json::from_str(&schema("config").unwrap().text()).unwrap();
    for entry in Config::default().entries() {
        let pointer = match entry.key.starts_with("provider.") {
            true => "/properties/provider/additionalProperties/properties/args".to_owned(),
            false => format!("/properties/{}", entry.key.replace('.', "/properties/")),
        };
        let known = schema.pointer(&pointer).unwrap_or_else(|| panic!("no {pointer}"));
        assert_eq!(known["default"], serde_json::to_value(&entry.value).unwrap(), "{}", entry.key);
    }
    let count: usize = schema["properties"]
        .as_object()
        .unwrap()
        .values()
        .map(|section| match section["propertyNames"]["enum"].as_array() {
            Some(clients) => clients.len(),
            None => section["properties"].as_object().map_or(1, serde_json::Map::len),
        })
        .sum();
    assert_eq!(count, Config::default().entries().len());
}

#[test]
fn schemas_refuse_what_is_wrong() {
    check("root", &json!({"schema": 2, "project_id": "x", "created_at": "now"}), false);
    check("active-loop", &json!({"active_loop_id": 5}), false);
    check("active-loop", &json!({"active_loop_id": "fix-tests", "later": true}), true);
    check("config", &json!({"record": {"sessions": "yes"}}), false);
    check("config", &json!({"recrod": {}}), false);
    check("config", &json!({"provider": {"codex": {"args": "--fast"}}}), true);
    check("config", &json!({"provider": {"codecs": {"args": "--fast"}}}), false);
    for bad in ["/etc", "../x", "a/..", "~/x", "", "a\\b"] {
        check("config", &json!({"layout": {"cache": bad}}), false);
    }
    check("config", &json!({"layout": {"cache": "..x/y"}}), true);
    let line = json!({
        "v": 1, "ts": "2026-11-15T20:00:00.000Z", "harness": "claude", "session": "s", "event": "before-tool",
        "native": "PreToolUse", "tool": "Edit", "call": "t1", "action": "change", "paths": ["src/a.rs"],
        "verdict": "deny", "reason": "no"
    });
    check("session-log", &line, true);
    let mut odd = line.clone();
    odd["verdict"] = json!("maybe");
    check("session-log", &odd, false);
    let file = json!({
        "v": 1, "timestamp": "2026-11-15T20:00:00.000Z", "file_path": "src/a.rs", "source": "tool",
        "confidence": 0.9, "session": "s", "harness": "claude", "action": "edit"
    });
    check("relevant-file", &file, true);
    let mut odd = file.clone();
    odd["confidence"] = json!(1.5);
    check("relevant-file", &odd, false);
    let session = json!({
        "schema": 1, "harness": "codex", "session": "s", "root": "/p", "cwd": "/p/src",
        "started_at": "2026-11-15T20:00:00.000Z", "last_seen": "2026-11-15T20:00:01.000Z"
    });
    check("session", &session, true);
    let mut odd = session.clone();
    odd.as_object_mut().unwrap().remove("root");
    check("session", &odd, false);
}

#[test]
fn guard_files_fit() {
    let whole = json!({
        "id": "infra-is-reviewed", "mode": "shadow", "on": ["before-tool"],
        "match": {"writes": ["infra/**/*.tf", "!infra/sandbox/**"], "fields": {"/a/*/b": true}, "lines": ">1000"},
        "unless": {"session": {"has": "plan-approved"}, "any": [{"evidence": "fresh"}, {"not": {"runs": "make"}}]},
        "then": "deny", "on_error": "closed", "say": "ask first",
        "tests": {"must": ["rm infra/main.tf", {"write": "infra/main.tf"}], "must_not": ["ls infra"]},
    });
    check("guard", &whole, true);
    check("guard", &json!({"use": "destructive"}), true);
    check("guard", &json!({"id": "p", "guards": [{"id": "a", "match": {"git": "push"}}]}), true);
    check("guard", &json!({"id": "a", "match": {"writes": "x"}}), false);
    check("guard", &json!({"id": "a", "say": "no", "match": {"wrtes": "x"}}), false);
    check("guard", &json!({"id": "a/b", "say": "no"}), false);
    check("guard", &json!({"id": "a", "say": "no", "mode": "on"}), false);
    check("guard", &json!({"id": "a", "say": "no", "match": {"lines": "many"}}), false);
}
