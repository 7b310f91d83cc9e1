//! What a person is told: plain words, and a next step where there is one.

use super::*;

/// The first finding of a stage file: its code, message and hint.
#[track_caller]
fn first(files: &[(&str, &str)]) -> (Code, String, String) {
    let mut findings = TestProject::new(files).lint();
    assert!(!findings.is_empty(), "{files:?}");
    let finding = findings.remove(0);
    (finding.code, finding.message, finding.hint.unwrap_or_default())
}

#[track_caller]
fn stage(lines: &str, code: Code, message: &str, hint: &str) {
    let found = first(&[("stage.yaml", &format!("name: example\n{lines}\n"))]);
    assert_eq!((found.0, found.1.as_str(), found.2.as_str()), (code, message, hint), "{lines}");
}

#[track_caller]
fn step(keys: &str, code: Code, message: &str, hint: &str) {
    let found = first(&[("pipeline.yaml", &format!("name: example\nstages:\n  - {{id: a, {keys}}}\n"))]);
    assert_eq!((found.0, found.1.as_str(), found.2.as_str()), (code, message, hint), "{keys}");
}

#[test]
fn yaml_is_judged_in_plain_words() {
    stage("model: a\nmodel: b", Code::L001, "`model` is given twice", "remove one of them");
    stage("x-a: &x [*x]", Code::L001, "recursive alias", "write the values out");
    stage("? [a]\n: 1", Code::L001, "a key must be a plain string", "write `key: value`");
    let list = first(&[("stage.yaml", "- name: example\n")]);
    assert_eq!(list.2, "start with `name: <name>` and `termination: {type: ..}`");
}

#[test]
fn numbers_are_told_as_they_are_written() {
    let count = |written: &str, shown: &str, hint: &str| {
        let message = format!("`max_iterations` must be an integer from 1 to 100000000, not {shown}");
        stage(
            &format!("termination: {{type: fixed}}\nguardrails: {{max_iterations: {written}}}"),
            Code::L004,
            &message,
            hint,
        );
    };
    count("1e3", "`1e3`", "write it in digits: `1000`");
    count("5.0", "`5.0`", "write it in digits: `5`");
    count("1.50", "`1.50`", "");
    count("-03", "`-03`", "");
    count("\"5\"", "the string `5`", "write only the digits: `5`");
    count("'1_000'", "`1_000`", "write only the digits: `1000`");
    count("0", "`0`", "");
    count("many", "`many`", "");
}

#[test]
fn a_key_at_the_wrong_place_is_sent_home() {
    const FIXED: &str = "termination: {type: fixed}";
    stage(
        "termination: {type: fixed, max_iterations: 3}",
        Code::L003,
        "unknown key `max_iterations`",
        "it belongs below `guardrails`",
    );
    stage(
        &format!("{FIXED}\nmax_cost_usd: 3"),
        Code::L003,
        "unknown key `max_cost_usd`",
        "it belongs below `guardrails`",
    );
    stage(&format!("{FIXED}\nconsensus: 3"), Code::L003, "unknown key `consensus`", "it belongs below `termination`");
    stage(
        &format!("{FIXED}\nworktree: true"),
        Code::L003,
        "unknown key `worktree`",
        "it belongs below `parallel` of a stage in a pipeline",
    );
    for (key, home) in [("min_iterations: 2", "termination"), ("worktree: true", "parallel"), ("from: b", "inputs")] {
        let name = key.split(':').next().unwrap();
        step(
            &format!("template: example, {key}"),
            Code::P006,
            &format!("unknown key `{name}`"),
            &format!("it belongs below `{home}`"),
        );
    }
}

#[test]
fn deprecated_terminations_name_their_replacement() {
    for (old, now) in [("plateau", "judgment"), ("beads-empty", "queue"), ("fixed-n", "fixed")] {
        stage(
            &format!("termination: {{type: {old}}}"),
            Code::L005,
            &format!("unknown termination `{old}`"),
            &format!("it is now called `{now}`"),
        );
        let hint = format!("write `termination: {{type: {now}}}`, or run `stead migrate pipelines`");
        step(&format!("prompt: x, completion: {old}"), Code::P012, "`completion` is deprecated", &hint);
    }
}

#[test]
fn an_empty_section_says_nothing() {
    check(&[("stage.yaml", &format!("{STAGE}guardrails:\n  # max_iterations: 3\n"))], &[]);
    stage("termination:", Code::L005, "`termination` has no `type`", "add `type: judgment|queue|fixed|promise`");
}

#[test]
fn a_file_that_cannot_be_read_has_a_fitting_hint() {
    let hint = |file: &str, bytes: Option<&[u8]>| {
        let place = TestProject::new(&[]);
        let path = place.folder.path().join("stages/example").join(file);
        fs::remove_file(&path).unwrap();
        match bytes {
            Some(bytes) => fs::write(&path, bytes).unwrap(),
            None => fs::create_dir(&path).unwrap(),
        }
        place.lint().remove(0).hint.unwrap_or_default()
    };
    let utf16: Vec<u8> = "name: é".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let large = vec![b'a'; 5 * 1024 * 1024];
    for file in ["prompt.md", "stage.yaml"] {
        assert_eq!(hint(file, Some(&utf16)), "save it as UTF-8", "{file}");
        assert!(hint(file, Some(&large)).starts_with("make it shorter"), "{file}");
        assert_eq!(hint(file, None), "replace it with a text file", "{file}");
    }
    assert_eq!(hint("prompt.md", Some(b" \n")), "write what the agent should do");
}

#[test]
fn what_is_wrong_in_a_pipeline_has_a_next_step() {
    let hint = |keys: &str| first(&[("pipeline.yaml", &format!("stages:\n  - {{id: a, {keys}}}\n"))]).2;
    assert_eq!(hint("template: example, inputs: {select: all}"), "add `from: <id>`");
    assert_eq!(hint("template: example, when: {stage: a}"), "write `when: {stage: <id>, outcome: done}`");
    assert_eq!(hint("template: example, parallel: {over: []}"), "add at least one");
    assert_eq!(hint("template: example, parallel: {over: [a, b], worktree: yes}"), "write `true`");
    assert_eq!(hint("template: example, guardrails: 5"), "write its keys below it, one per line");
    assert_eq!(hint("template: full-refine"), "it is a pipeline; a template must be a stage");
    assert_eq!(first(&[("pipeline.yaml", "stages: [a]\n")]).2, "write `- {id: <name>, template: <stage>}`");
    assert_eq!(first(&[("pipeline.yaml", "stages: [{id: a b}]\n")]).2, "use letters, digits, `-` and `_`");
    assert_eq!(first(&[("pipeline.yaml", "[]\n")]).2, "start with `name: <name>` and `stages:`");
}

#[test]
fn a_pipeline_of_two_endings_is_told() {
    let place = TestProject::new(&[("pipeline.yaml", "stages: [{id: a, template: example}]\n")]);
    place.write("pipelines/example.yml", "stages: [{id: b, template: example}]\n");
    let told: Vec<(Severity, String)> = place.lint().iter().map(|one| (one.severity, one.brief())).collect();
    let expected = "pipelines/example.yml:1: `example.yml` has no effect beside `example.yaml` [P002]";
    assert_eq!(told, [(Severity::Warning, expected.to_owned())]);
}

#[test]
fn a_branch_is_told_its_item() {
    let keys = "template: example, parallel: {over: [x, y]}";
    let message = "the prompt does not use `${ITEM}`, so no branch sees its item";
    step(keys, Code::P011, message, "use `${ITEM}` in the prompt");
    let pipeline = format!("name: example\nstages:\n  - {{id: a, {keys}}}\n");
    check(&[("prompt.md", "${CTX} ${STATUS} ${ITEM}"), ("pipeline.yaml", &pipeline)], &[]);
    check(&[("pipeline.yaml", &pipeline.replace("over: [x, y]", "providers: [mock, claude]"))], &[]);
}
