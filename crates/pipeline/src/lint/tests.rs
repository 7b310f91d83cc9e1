use std::fs;

use tempfile::TempDir;

use super::*;
use crate::Catalog;

mod fixture;
mod messages;
mod together;

const PAGE: &str = include_str!("../../../../docs/lint.md");
const PROMPT: &str = "Read `${CTX}`, do the work, write `${STATUS}`.\n";
const STAGE: &str = "name: example\ntermination:\n  type: fixed\n";

/// A project with a stage `example` and perhaps a pipeline `example`.
struct TestProject {
    folder: TempDir,
}

impl TestProject {
    fn new(files: &[(&str, &str)]) -> Self {
        let place = Self { folder: TempDir::new().unwrap() };
        place.write("stages/example/stage.yaml", STAGE);
        place.write("stages/example/prompt.md", PROMPT);
        for (name, text) in files {
            match *name {
                "pipeline.yaml" => place.write("pipelines/example.yaml", text),
                name => place.write(&format!("stages/example/{name}"), text),
            }
        }
        place
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn catalog(&self) -> Catalog {
        let root = self.folder.path();
        Catalog::new(root, root.join("stages"), root.join("pipelines"))
    }

    /// Everything, as with `--v3`.
    fn lint(&self) -> Vec<Finding> {
        let mut findings = lint_all(&self.catalog()).unwrap();
        strict(&mut findings);
        findings
    }
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[(Code, usize, &str)]) {
    let findings = TestProject::new(files).lint();
    let told: Vec<String> = findings.iter().map(Finding::brief).collect();
    assert_eq!(findings.len(), expected.len(), "{told:#?}");
    for (finding, (code, line, message)) in findings.iter().zip(expected) {
        assert_eq!((finding.code, finding.line), (*code, *line), "{told:#?}");
        assert!(finding.message.contains(message), "{message} in {told:#?}");
    }
}

/// The examples of one section of the page: whether they fail, and their files.
fn examples(section: &str) -> Vec<(bool, Vec<(String, String)>)> {
    let mut found: Vec<(bool, Vec<(String, String)>)> = Vec::new();
    let mut lines = section.lines();
    while let Some(line) = lines.next() {
        match line {
            "Fails:" => found.push((true, Vec::new())),
            "Passes:" => found.push((false, Vec::new())),
            line => {
                let Some(info) = line.strip_prefix("```") else { continue };
                let (_, name) = info.split_once(' ').unwrap();
                let text: String =
                    lines.by_ref().take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect();
                found.last_mut().unwrap().1.push((name.to_owned(), text));
            }
        }
    }
    found
}

#[test]
fn every_code_is_documented_with_examples_that_hold() {
    for code in Code::ALL {
        let (_, rest) = PAGE.split_once(&format!("\n## {code}\n")).unwrap_or_else(|| panic!("{code} has no section"));
        let section = rest.split("\n## ").next().unwrap();
        assert!(
            PAGE.contains(&format!("| [{code}](#{}) | {} |", code.to_string().to_lowercase(), code.title())),
            "{code}"
        );
        let examples = examples(section);
        assert_eq!(examples.iter().map(|(fails, _)| *fails).collect::<Vec<_>>(), [true, false], "{code}");
        for (fails, files) in examples {
            assert!(!files.is_empty(), "{code}");
            let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
            let findings = TestProject::new(&files).lint();
            let told: Vec<String> = findings.iter().map(Finding::brief).collect();
            match fails {
                true => {
                    assert!(findings.iter().any(|finding| finding.code == code), "{code} is not found in {told:#?}")
                }
                false => assert!(findings.is_empty(), "{code} passes with {told:#?}"),
            }
        }
    }
}

#[test]
fn severities_are_as_documented() {
    for code in Code::ALL {
        let row = PAGE.lines().find(|line| line.starts_with(&format!("| [{code}]"))).unwrap();
        let severity = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        let (_, rest) = PAGE.split_once(&format!("\n## {code}\n")).unwrap();
        let (_, files) = examples(rest.split("\n## ").next().unwrap()).swap_remove(0);
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let findings = lint_all(&TestProject::new(&files).catalog()).unwrap();
        let of_code: Vec<&str> =
            findings.iter().filter(|finding| finding.code == code).map(|finding| finding.severity.name()).collect();
        assert!(of_code.contains(&severity), "{code}: {of_code:?}, not {severity}");
    }
}

#[test]
fn builtin_stages_and_pipelines_are_in_order() {
    let folder = TempDir::new().unwrap();
    let catalog = Catalog::new(folder.path(), folder.path().join("stages"), folder.path().join("pipelines"));
    let findings = lint_all(&catalog).unwrap();
    assert!(findings.is_empty(), "{:#?}", findings.iter().map(Finding::brief).collect::<Vec<_>>());
    assert_eq!((catalog.stages().len(), catalog.pipelines().len()), (7, 3));
}

#[test]
fn many_faults_are_told_at_once_each_with_its_place() {
    check(
        &[(
            "stage.yaml",
            "name: example\n\ntermination:\n  type: fixed\n  concensus: 2\nguardrails:\n  max_iterations: -1\n  max_cost_usd: free\nprovider: [x]\noutput: /etc/passwd\nmodel: {}\n",
        )],
        &[
            (Code::L003, 5, "unknown key `concensus`"),
            (Code::L004, 7, "an integer from 1"),
            (Code::L004, 8, "an amount above 0, not `free`"),
            (Code::L004, 9, "must be a name or a `command`, not a list"),
            (Code::L011, 10, "must be relative"),
            (Code::L004, 11, "`model` must be a string, not a mapping"),
        ],
    );
}

#[test]
fn numbers_are_numbers() {
    for bad in ["1.5", "'5'", "five", "0", "-3", "1e3", "[]", "999999999999999999999999", ".nan", "true", ""] {
        let stage = format!("{STAGE}guardrails:\n  max_iterations: {bad}\n");
        let findings = TestProject::new(&[("stage.yaml", &stage)]).lint();
        assert!(findings.iter().all(|finding| finding.line == 5 && finding.is_error()), "{bad}: {findings:?}");
        assert_eq!(findings.len(), 1, "{bad}: {findings:?}");
    }
}

#[test]
fn what_stands_there_instead_is_said() {
    let told = |line: &str, message: &str| {
        check(&[("stage.yaml", &format!("{STAGE}{line}\n"))], &[(Code::L004, 4, message)]);
    };
    told("guardrails: {max_iterations: \"5\"}", "an integer from 1 to 100000000, not the string `5`");
    told("guardrails: {max_iterations: 0}", "not `0`");
    told("output: \"\"", "`output` must be a string, not an empty string");
    told("model: \"  \"", "`model` must be a string, not an empty string");
    told("verify: [a, {k: v}]", "item 2 of `verify` must be a string, not a mapping");
    told("verify: [a, \"\", b]", "item 2 of `verify` must be a string, not an empty string");
    let pipeline =
        |over: &str| format!("stages:\n  - id: a\n    template: example\n    parallel:\n      over:\n{over}");
    check(
        &[("pipeline.yaml", &pipeline("        - x\n        - k: v\n        - []\n"))],
        &[
            (Code::P007, 7, "item 2 of `over` must be a string, not a mapping"),
            (Code::P007, 8, "item 3 of `over` must be a string, not a list"),
        ],
    );
}

#[test]
fn a_mistyped_variable_has_a_nearest_one() {
    let hint = |name: &str| {
        let prompt = format!("${{CTX}} ${{STATUS}} ${{{name}}}");
        TestProject::new(&[("prompt.md", &prompt)]).lint().remove(0).hint.unwrap_or_default()
    };
    assert_eq!(hint("PROGRES"), "did you mean `${PROGRESS}`?");
    assert_eq!(hint("STATSU"), "did you mean `${STATUS}`?");
    assert_eq!(hint("HOME"), "write `$${HOME}` for the text itself");
}

#[test]
fn references_are_followed() {
    let stages = |rest: &str| format!("name: example\nstages:\n  - id: a\n    template: example\n{rest}");
    let pipeline = |rest: &str, expected: &[(Code, usize, &str)]| check(&[("pipeline.yaml", &stages(rest))], expected);
    pipeline("  - id: b\n    template: exampel\n", &[(Code::P005, 6, "no stage `exampel`")]);
    pipeline("  - id: b\n    template: example\n    inputs: {from: c}\n", &[(Code::P008, 7, "no stage `c`")]);
    pipeline("  - id: b\n    template: example\n    inputs: {from: b}\n", &[(Code::P008, 7, "has not run")]);
    pipeline("  - id: b\n    template: example\n    needs: [b]\n", &[(Code::P010, 5, "b → b")]);
    pipeline("  - id: b\n    template: example\n    needs: c\n", &[(Code::P009, 7, "no stage `c`")]);
    pipeline("  - id: a.b\n    template: example\n", &[(Code::P004, 5, "contains '.'")]);
    pipeline("  - template: example\n", &[(Code::P004, 5, "has no `id`")]);
    pipeline("  - example\n", &[(Code::P007, 5, "must be a mapping, not a string")]);
    pipeline("  - id: b\n    prompt: hi\n", &[(Code::L005, 5, "no `termination`")]);
    pipeline(
        "  - id: b\n    prompt: |\n      one ${OLD}\n      ${SESSION}\n    termination: {type: fixed}\n",
        &[(Code::L009, 7, "`${OLD}`"), (Code::L010, 8, "`${SESSION}`")],
    );
    pipeline(
        "  - id: b\n    template: example\n    when: {stage: a, outcome: [done, limt]}\n",
        &[(Code::P007, 7, "`limt`")],
    );
    pipeline("  - id: b\n    template: example\n    parallel: {over: []}\n", &[(Code::P011, 7, "branches, not 0")]);
}

const JUDGED: &str = "name: example\ntermination:\n  type: judgment\n  min_iterations: 4\n";

/// The findings of a stage that is judged, in a pipeline with one step.
#[track_caller]
fn fewer(step: &str, severity: Severity, line: usize, message: &str) {
    let pipeline = format!("name: example\nstages:\n  - id: a\n    template: example\n{step}");
    let findings = TestProject::new(&[("stage.yaml", JUDGED), ("pipeline.yaml", &pipeline)]).lint();
    let [finding] = findings.iter().filter(|finding| finding.code == Code::L006).collect::<Vec<_>>()[..] else {
        panic!("{findings:#?}");
    };
    assert_eq!((finding.severity, finding.line, finding.message.as_str()), (severity, line, message), "{step}");
}

#[test]
fn a_pipeline_may_ask_for_fewer_iterations_than_its_stage_needs() {
    fewer("    runs: 1\n", Severity::Warning, 5, "`min_iterations` is 4, but the maximum is 1 iteration");
    fewer("    max_iterations: 3\n", Severity::Warning, 5, "`min_iterations` is 4, but the maximum is 3 iterations");
    fewer(
        "    model: x\n    guardrails:\n      max_iterations: 3\n",
        Severity::Warning,
        7,
        "`min_iterations` is 4, but the maximum is 3 iterations",
    );
    fewer(
        "    completion: plateau\n    runs: 1\n",
        Severity::Warning,
        6,
        "`consensus` is 2, but the maximum is 1 iteration",
    );
    fewer(
        "    termination: {type: judgment, consensus: 9}\n    max_iterations: 3\n",
        Severity::Error,
        6,
        "`consensus` is 9, but the maximum is 3 iterations",
    );
    fewer(
        "    termination: {type: judgment, consensus: 99}\n",
        Severity::Error,
        5,
        "`consensus` is 99, but the maximum is 50 iterations",
    );
}

#[test]
fn a_stage_that_cannot_end_is_told_where_it_says_so() {
    let max = |text: &str, line, message| check(&[("stage.yaml", text)], &[(Code::L006, line, message)]);
    max(&format!("{JUDGED}guardrails:\n  max_iterations: 3\n"), 6, "the maximum is 3");
    max("name: example\ntermination:\n  type: judgment\n  consensus: 60\n", 4, "`consensus` is 60");
    check(
        &[("stage.yaml", "name: example\nmax_iterations: 1\ncompletion: plateau\n")],
        &[
            (Code::L014, 3, "`completion`"),
            (Code::L014, 2, "`max_iterations`"),
            (Code::L006, 2, "the maximum is 1 iteration"),
        ],
    );
}

/// What a stage file says about judgment: the fewest iterations, and the most.
#[track_caller]
fn counts(text: &str, expected: (u32, u32), told: &[(usize, &str)]) {
    let place = TestProject::new(&[("stage.yaml", text)]);
    let stage = place.catalog().stage("example").unwrap();
    let Some(crate::Termination::Judgment { min_iterations, .. }) = stage.termination else {
        panic!("{text}: {:?}", stage.termination)
    };
    assert_eq!((min_iterations, stage.max_iterations), expected, "{text}");
    let findings: Vec<(usize, &str)> =
        stage.findings.iter().map(|finding| (finding.line, finding.message.as_str())).collect();
    assert_eq!(findings, told, "{text}");
}

#[test]
fn counts_at_the_top_have_effect_unless_the_blocks_say_otherwise() {
    const MIN: &str = "`min_iterations` is deprecated: it belongs below `termination`";
    const MAX: &str = "`max_iterations` is deprecated: it belongs below `guardrails`";
    counts("name: example\nmin_iterations: 4\ntermination: {type: judgment}\n", (4, 50), &[(2, MIN)]);
    counts("name: example\ntermination:\n  type: judgment\n  consensus: 3\nmin_iterations: 4\n", (4, 50), &[(5, MIN)]);
    counts(
        "name: example\ntermination: {type: judgment, min_iterations: 5}\nmin_iterations: 4\n",
        (5, 50),
        &[(3, "`min_iterations` is deprecated: it has no effect because `termination` sets its own")],
    );
    counts("name: example\nmax_iterations: 9\ntermination: {type: judgment}\n", (2, 9), &[(2, MAX)]);
    for text in [
        "name: example\nmax_iterations: 9\ntermination: {type: judgment}\nguardrails: {max_iterations: 8}\n",
        "name: example\nguardrails: {max_iterations: 8}\ntermination: {type: judgment}\nmax_iterations: 9\n",
    ] {
        let place = TestProject::new(&[("stage.yaml", text)]);
        assert_eq!(place.catalog().stage("example").unwrap().max_iterations, 8, "{text}");
    }
    check(
        &[("stage.yaml", "name: example\ntermination: {type: fixed}\nmin_iterations: 4\n")],
        &[(Code::L014, 3, "it has no effect on this type of termination")],
    );
    check(
        &[("stage.yaml", "name: example\ntermination: {type: fixed}\ncompletion: plateau\n")],
        &[(Code::L014, 3, "`completion` has no effect beside `termination`")],
    );
}

#[test]
fn a_fault_in_a_template_is_told_once() {
    let findings = TestProject::new(&[
        ("stage.yaml", "name: example\ntermination: {type: fixd}\n"),
        ("pipeline.yaml", "stages:\n  - id: a\n    template: example\n  - id: b\n    template: example\n"),
    ])
    .lint();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].hint.as_deref(), Some("did you mean `fixed`?"));
}

#[test]
fn findings_are_shown_with_their_line() {
    let findings = TestProject::new(&[("stage.yaml", "name: example\ntermination:\n  type: jugdment\n")]).lint();
    let expected = "\
error[L005]: unknown termination `jugdment`
 --> stages/example/stage.yaml:3:9
  |
3 |   type: jugdment
  |         ^^^^^^^^
  |
  = help: did you mean `judgment`?";
    assert_eq!(render(&findings[0]), expected);
    let missing = TestProject::new(&[]);
    fs::remove_file(missing.folder.path().join("stages/example/prompt.md")).unwrap();
    let shown = render(&missing.lint()[0]);
    assert!(
        shown.starts_with("error[L008]: there is no such file\n") && shown.contains("stages/example/prompt.md"),
        "{shown}"
    );
}

#[test]
fn what_is_said_again_of_a_file_is_told_once() {
    let findings =
        TestProject::new(&[("prompt.md", "${CTX} ${STATUS}\n${SESSION} ${SESSION}\n${INDEX}\n${SESSION}\n")]).lint();
    assert_eq!(findings.len(), 4);
    assert_eq!(
        brief(&findings),
        [
            "stages/example/prompt.md:2: `${SESSION}` is deprecated [L010] (also in line 4)",
            "stages/example/prompt.md:3: `${INDEX}` is deprecated [L010]"
        ]
    );
}

#[test]
fn what_nobody_reads_is_found() {
    let place = TestProject::new(&[("loop.yaml", "name: example\ncompletion: plateau\n")]);
    fs::create_dir_all(place.folder.path().join("stages/empty")).unwrap();
    place.write("stages/notes.md", "not a folder\n");
    let findings = place.lint();
    let told: Vec<(Severity, String)> = findings.iter().map(|one| (one.severity, one.brief())).collect();
    let warning = |text: &str| (Severity::Warning, text.to_owned());
    assert_eq!(
        told,
        [
            warning("stages/example/loop.yaml:1: `loop.yaml` has no effect beside `stage.yaml` [L014]"),
            warning("stages/empty:1: not a stage: the folder has neither `stage.yaml` nor `prompt.md` [L001]"),
        ]
    );
}

#[test]
fn sarif_names_rules_and_places() {
    let findings = TestProject::new(&[("prompt.md", "${CTX} ${STATUS}\n  ${NOPE}\n")]).lint();
    let log = sarif(&findings, "0.0.1");
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let result = &run["results"][0];
    assert_eq!(result["ruleId"], "L009");
    let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(run["tool"]["driver"]["rules"][index]["id"], "L009");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "stages/example/prompt.md");
    assert_eq!(place["region"]["startLine"], 2);
    assert_eq!(place["region"]["startColumn"], 3);
    assert_eq!(place["region"]["endColumn"], 10);
    assert_eq!(as_json(&findings)[0]["column"], 3);
}

#[test]
fn odd_files_are_findings_not_failures() {
    let place = TestProject::new(&[]);
    let root = place.folder.path();
    fs::create_dir_all(root.join("stages/dir/stage.yaml")).unwrap();
    fs::create_dir_all(root.join("pipelines")).unwrap();
    fs::write(root.join("pipelines/bytes.yaml"), b"name: \xff\n").unwrap();
    fs::write(root.join("pipelines/empty.yaml"), "").unwrap();
    fs::create_dir_all(root.join("stages/bad name")).unwrap();
    fs::write(root.join("stages/bad name/stage.yaml"), STAGE).unwrap();
    let told: Vec<String> =
        place.lint().iter().map(|finding| format!("{} {}", finding.code, finding.file.name)).collect();
    for expected in [
        "L001 stages/dir/stage.yaml",
        "L008 stages/dir/prompt.md",
        "P001 pipelines/bytes.yaml",
        "P001 pipelines/empty.yaml",
        "L002 stages/bad name/stage.yaml",
    ] {
        assert!(told.iter().any(|told| told == expected), "{expected} in {told:#?}");
    }
}
