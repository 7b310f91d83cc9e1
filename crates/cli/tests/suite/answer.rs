//! What commands print with `--json`: after every run in the suite, standard output and standard error are compared with the
//! schemas that they name.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::{LazyLock, Mutex};

use jsonschema::Validator;
use serde_json::Value;
use stead_testkit::{Run, World};

/// The schemas that were asked for, by the id that answers name.
static SCHEMAS: LazyLock<Mutex<BTreeMap<String, Validator>>> = LazyLock::new(Mutex::default);

/// The schemas of what was printed in this process.
pub(crate) fn printed() -> BTreeSet<String> {
    SCHEMAS.lock().unwrap().keys().cloned().collect()
}

/// Compares what `stead` printed with its schemas, if it was asked for JSON.
pub(crate) fn check(world: &World, args: &[String], run: &Run) {
    let own: Vec<&str> = args.iter().map(String::as_str).take_while(|word| *word != "--").collect();
    // A hook has a dialect of its own, and a schema is printed as it is.
    if !own.contains(&"--json") || ["hook", "schema"].contains(&own[0]) {
        return;
    }
    if !run.stdout.is_empty() {
        let answer = run.json();
        let keys = answer.as_object().map(|members| members.keys().next().cloned());
        assert_eq!(keys, Some(Some("schema".to_owned())), "the first member is not the schema: {run}");
        compare(world, &answer);
    }
    for line in run.stderr.lines() {
        let said: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} on stderr: {run}"));
        assert!(["stead.error/1", "stead.message/1"].contains(&said["schema"].as_str().unwrap()), "{run}");
        compare(world, &said);
    }
}

/// Compares an answer with its schema.
pub(crate) fn compare(world: &World, answer: &Value) {
    let id = answer["schema"].as_str().unwrap();
    let mut schemas = SCHEMAS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let validator = schemas.entry(id.to_owned()).or_insert_with(|| {
        let name = id.strip_prefix("stead.").and_then(|id| id.strip_suffix("/1")).unwrap();
        let printed = Command::new(world.program()).args(["schema", name]).env_clear().output().unwrap();
        let schema = serde_json::from_slice(&printed.stdout).unwrap();
        jsonschema::draft202012::options().should_validate_formats(true).build(&schema).unwrap()
    });
    let wrong: Vec<String> =
        validator.iter_errors(answer).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(wrong.is_empty(), "{id}:\n{}\n{answer:#}", wrong.join("\n"));
}
