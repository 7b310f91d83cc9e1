//! The schemas and the linter say the same.

use super::*;
use crate::lint::{lint_pipeline, lint_stage};

fn fits(name: &str, text: &str) -> bool {
    let schema: Json = serde_json::from_str(&stead_store::schema(name).unwrap().text()).unwrap();
    let validator = jsonschema::draft202012::options().build(&schema).unwrap();
    validator.is_valid(&as_json(&parse(text).unwrap()))
}

#[track_caller]
fn check(lines: &str, expected: bool) {
    let stage = format!("name: s\n{lines}\n");
    let place = TestProject::new(&[
        ("stages/s/stage.yaml", stage.as_str()),
        ("stages/s/prompt.md", "${CTX} ${STATUS}\n"),
        ("stages/t/stage.yaml", "name: t\ntermination: {type: fixed}\n"),
        ("stages/t/prompt.md", "${CTX} ${STATUS} ${ITEM}\n"),
    ]);
    let findings = lint_stage(&place.catalog(), "s").unwrap();
    let lint = !findings.iter().any(Finding::is_error);
    assert_eq!((lint, fits("stage", &stage)), (expected, expected), "{lines}: {findings:?}");
}

#[track_caller]
fn check_step(keys: &str, expected: bool) {
    let pipeline =
        format!("name: p\nstages:\n  - {{id: a, template: improve-plan, output: a.md}}\n  - {{id: b, {keys}}}\n");
    let place = TestProject::pipeline(&pipeline);
    let findings = lint_pipeline(&place.catalog(), "p").unwrap();
    let lint = !findings.iter().any(Finding::is_error);
    assert_eq!((lint, fits("pipeline", &pipeline)), (expected, expected), "{keys}: {findings:?}");
}

#[test]
fn a_stage_is_judged_alike() {
    let fixed = |line: &str, expected| check(&format!("termination: {{type: fixed}}\n{line}"), expected);
    fixed("provider: {command: []}", false);
    fixed("provider: {command: [a], x-y: 1}", true);
    fixed("provider: {command: a}", true);
    fixed("provider: {command: [a, 5]}", true);
    fixed("provider: 5", false);
    fixed("model: 5", true);
    fixed("model: '  '", false);
    fixed("model: [a]", false);
    fixed("description: true", true);
    fixed("verify: []", true);
    fixed("verify: [cargo test, 5]", true);
    fixed("verify: ['']", false);
    fixed("output: internal", true);
    fixed("output: 5", true);
    fixed("guardrails:", true);
    fixed("guardrails: []", false);
    fixed("guardrails: {max_iterations: '5'}", false);
    fixed("x-mine: {a: [1]}", true);
    for (lines, expected) in [
        ("termination: {type: promise, promise: []}", false),
        ("termination: {type: promise, promise: DONE}", true),
        ("termination: {type: promise, promises: [DONE, 5]}", true),
        ("termination: {type: promise}", false),
        ("termination: {type: queue, command: ''}", false),
        ("termination: {type: queue, command: ls, x-a: 1}", true),
        ("termination: {type: fixed, max_iterations: 3}", false),
        ("termination: {type: plateau}", false),
        ("termination:", false),
    ] {
        check(lines, expected);
    }
}

#[test]
fn a_stage_of_a_pipeline_is_judged_alike() {
    for (keys, expected) in [
        ("template: work", true),
        ("template: work, model: 5, guardrails: ", true),
        ("template: work, inputs: {from: a, x-why: b}", true),
        ("template: work, inputs: [a]", true),
        ("template: work, inputs: 5", false),
        ("template: work, inputs: ", false),
        ("template: work, when: {stage: a, outcome: done, x-why: b}", true),
        ("template: work, when: {stage: a, outcome: []}", false),
        ("template: work, when: ", false),
        ("template: work, parallel: ", false),
        ("template: work, parallel: {providers: [mock, {command: []}]}", false),
        ("prompt: '${ITEM}', termination: {type: fixed}, parallel: {over: [a, 5, true]}", true),
        ("prompt: '${ITEM}', termination: {type: fixed}, parallel: {over: ['']}", false),
        ("prompt: '${ITEM}', termination: {type: fixed}, parallel: {over: [a, b], join: quorum}", false),
        ("prompt: '${ITEM}', termination: {type: fixed}, parallel: {over: [a, b], join: {quorum: 2}}", true),
    ] {
        check_step(keys, expected);
    }
}
