//! What stages do to each other: outputs, inputs, items.

use super::*;

/// The findings of a pipeline, each as a line, without those of the older form.
#[track_caller]
fn told(files: &[(&str, &str)], expected: &[(Severity, usize, &str)]) {
    let mut findings = lint_all(&TestProject::new(files).catalog()).unwrap();
    findings.retain(|finding| finding.severity != Severity::Deprecation);
    let found: Vec<(Severity, usize, &str)> =
        findings.iter().map(|one| (one.severity, one.line, one.message.as_str())).collect();
    assert_eq!(found, expected);
}

#[track_caller]
fn stages(lines: &[&str], expected: &[(usize, &str)]) {
    let stage = format!("{STAGE}output: docs/jd.md\n");
    let pipeline = format!("name: example\nstages:\n  - {}\n", lines.join("\n  - "));
    let expected: Vec<_> = expected.iter().map(|(line, message)| (Severity::Error, *line, *message)).collect();
    told(&[("stage.yaml", &stage), ("pipeline.yaml", &pipeline)], &expected);
}

#[test]
fn stages_that_may_run_at_once_write_to_files_of_their_own() {
    const Z: &str = "{id: z, template: example, output: z.md, needs: []}";
    const A: &str = "{id: a, template: example, needs: [z]}";
    const BOTH: &str = "`a` and `b` may run in parallel and both write `docs/jd.md`";
    stages(&[Z, A, "{id: b, template: example, needs: [z]}"], &[(5, BOTH)]);
    stages(&[Z, A, "{id: b, template: example, needs: [z], output: ./docs//jd.md}"], &[(5, BOTH)]);
    stages(&[Z, A, "{id: b, template: example, needs: [z], output: docs/b.md}"], &[]);
    stages(&[Z, A, "{id: b, template: example, needs: [z], output: internal.md}"], &[]);
    stages(&[Z, A, "{id: b, template: example, needs: [a]}"], &[]);
    let through = "{id: c, template: example, output: c.md, inputs: a}";
    stages(&[Z, A, through, "{id: b, template: example, needs: [c]}"], &[]);
    stages(&["{id: a, template: example}", "{id: b, template: example}"], &[]);
    let only = |outcome: &str, id: &str| {
        format!("{{id: {id}, template: example, needs: [z], when: {{stage: z, outcome: {outcome}}}}}")
    };
    stages(&[Z, &only("done", "a"), &only("limit", "b")], &[]);
    stages(&[Z, &only("done", "a"), &only("[limit, done]", "b")], &[(5, BOTH)]);
    let fan = "{id: f, prompt: '${ITEM}', termination: {type: fixed}, needs: [z], output: 'docs/${ITEM}.md'";
    stages(
        &[Z, A, &format!("{fan}, parallel: {{over: [x, jd]}}}}")],
        &[(5, "`a` and `f` may run in parallel and both write `docs/jd.md`")],
    );
    stages(&[Z, A, &format!("{fan}, parallel: {{over: [x, jd], worktree: true}}}}")], &[]);
}

#[test]
fn a_named_input_is_a_stage_that_ran_before() {
    let prompt = |text: &str| format!("${{CTX}} ${{STATUS}}\n{text}\n");
    let chain =
        "stages:\n  - {id: ideas, template: example}\n  - {id: b, prompt: '${CTX}', termination: {type: fixed}}\n";
    let errors = |text: &str, pipeline: &str, expected: &[(Severity, usize, &str)]| {
        told(&[("prompt.md", &prompt(text)), ("pipeline.yaml", pipeline)], expected);
    };
    errors("$${INPUTS.idaes}", chain, &[]);
    let none = "`${INPUTS.idaes}` names no stage of `pipelines/example.yaml`";
    errors("${INPUTS.idaes}", chain, &[(Severity::Error, 2, none)]);
    let empty = "`${INPUTS.b}` is empty: `ideas` has no input from `b`";
    errors("${INPUTS.b}", chain, &[(Severity::Warning, 2, empty)]);
    let inline = |rest: &str| {
        format!(
            "stages:\n  - {{id: ideas, template: example}}\n  - {{id: b, template: example, output: b.md}}\n  - id: c\n    prompt: |\n      x\n      ${{INPUTS.ideas}} ${{INPUTS.b}}\n    termination: {{type: fixed}}\n{rest}"
        )
    };
    errors("", &inline(""), &[]);
    errors("", &inline("    inputs: [ideas, b]\n"), &[]);
    let stated = "`${INPUTS.ideas}` is empty: `c` has no input from `ideas`";
    errors("", &inline("    inputs: b\n"), &[(Severity::Error, 7, stated)]);
    let place = TestProject::new(&[("prompt.md", &prompt("${INPUTS.idaes}")), ("pipeline.yaml", chain)]);
    let hints: Vec<_> = lint_all(&place.catalog()).unwrap().into_iter().filter(Finding::is_error).collect();
    assert_eq!(hints[0].hint.as_deref(), Some("did you mean `ideas`?"));
    assert!(!lint_stage(&place.catalog(), "example").unwrap().iter().any(Finding::is_error), "alone it is empty");
}

#[test]
fn a_bound_is_said_once() {
    let pipeline = |keys: &str| format!("stages:\n  - id: a\n    template: example\n{keys}");
    for keys in [
        "    max_iterations: 3\n    guardrails: {max_iterations: 4}\n",
        "    on_limit: fail\n    guardrails: {on_limit: continue}\n",
    ] {
        let findings = TestProject::new(&[("pipeline.yaml", &pipeline(keys))]).lint();
        let [finding] = &findings[..] else { panic!("{findings:#?}") };
        assert_eq!((finding.code, finding.line, finding.severity), (Code::P007, 4, Severity::Error), "{keys}");
        assert!(finding.message.ends_with("is set twice: here and below `guardrails`"), "{}", finding.message);
    }
    check(&[("pipeline.yaml", &pipeline("    max_iterations: 3\n    guardrails: {max_cost_usd: 4}\n"))], &[]);
    check(
        &[("pipeline.yaml", &pipeline("    guardrails: {max_iterations: 4}\n    runs: 3\n"))],
        &[(Code::P012, 5, "`runs` has no effect beside `guardrails`")],
    );
}

#[test]
fn the_same_item_twice_is_told() {
    let over = |items: &str| {
        format!(
            "stages:\n  - id: a\n    prompt: '${{ITEM}}'\n    termination: {{type: fixed}}\n    parallel:\n      over: {items}\n"
        )
    };
    told(&[("pipeline.yaml", &over("[x, y, x]"))], &[(Severity::Warning, 6, "item 3 of `over` repeats item 1")]);
    told(&[("pipeline.yaml", &over("[x, X, 'x ']"))], &[]);
}

#[test]
fn case_does_not_count_in_ids() {
    let pipeline =
        |id: &str| format!("stages:\n  - {{id: ideas, template: example}}\n  - {{id: {id}, template: example}}\n");
    told(&[("pipeline.yaml", &pipeline("Ideas"))], &[(Severity::Error, 3, "`Ideas` and `ideas` differ only in case")]);
    told(&[("pipeline.yaml", &pipeline("ideas"))], &[(Severity::Error, 3, "duplicate stage id `ideas`")]);
}

#[test]
fn a_quorum_is_a_number() {
    let join = |join: &str| {
        let pipeline = format!(
            "stages:\n  - id: a\n    prompt: '${{ITEM}}'\n    termination: {{type: fixed}}\n    parallel: {{over: [x, y], join: {join}}}\n"
        );
        let finding = TestProject::new(&[("pipeline.yaml", &pipeline)]).lint().remove(0);
        (finding.message, finding.hint.unwrap_or_default())
    };
    assert_eq!(
        join("quorum"),
        (
            "`join` must be all, first or `{quorum: n}`, not `quorum`".to_owned(),
            "write `join: {quorum: n}`, with the number of branches that must succeed".to_owned()
        )
    );
    assert_eq!(join("frist").1, "did you mean `first`?");
}

#[test]
fn the_manuals_pipeline_is_in_order() {
    let page = include_str!("../../../../../docs/formats/pipeline.yaml.md");
    let text = page.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    check(&[("pipeline.yaml", &text.replace("name: review", "name: example"))], &[]);
}
