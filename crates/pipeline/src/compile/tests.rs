mod schema;

use std::fs;

use serde_json::Value as Json;
use tempfile::TempDir;

use super::*;
use crate::{OnLimit, Outcome, Select};
use stead_yaml::{Tree, Value, parse};

struct TestProject {
    folder: TempDir,
}

impl TestProject {
    fn new(files: &[(&str, &str)]) -> Self {
        let place = Self { folder: TempDir::new().unwrap() };
        for (name, text) in files {
            let path = place.folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        place
    }

    fn pipeline(text: &str) -> Self {
        Self::new(&[("pipelines/p.yaml", text)])
    }

    fn catalog(&self) -> Catalog {
        let root = self.folder.path();
        Catalog::new(root, root.join("stages"), root.join("pipelines"))
    }

    fn plan(&self, what: What<'_>, options: &CompileOptions) -> Plan {
        compile(&self.catalog(), what, options).unwrap_or_else(|error| panic!("{error}: {error:?}")).plan
    }
}

fn options() -> CompileOptions {
    CompileOptions {
        run: "night".into(),
        max: None,
        max_runtime_seconds: None,
        max_cost_usd: None,
        provider: None,
        model: None,
        intent: None,
        default_provider: Provider::Known("claude".into()),
        inputs: Vec::new(),
        now: "2026-11-15T20:00:00.000Z".into(),
        purpose: Purpose::Run,
    }
}

fn ids(plan: &Plan) -> Vec<&str> {
    plan.nodes.iter().map(|node| node.id.as_str()).collect()
}

#[track_caller]
fn check_schema(name: &str, value: &Json) {
    let schema: Json = serde_json::from_str(&stead_store::schema(name).unwrap().text()).unwrap();
    let validator = jsonschema::draft202012::options().should_validate_formats(true).build(&schema).unwrap();
    let errors: Vec<_> =
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{name}: {value:#}\n{errors:#?}");
}

fn as_json(tree: &Tree) -> Json {
    match &tree.value {
        Value::Null => Json::Null,
        Value::Bool(value) => (*value).into(),
        Value::Whole(value) => i64::try_from(*value).unwrap().into(),
        Value::Number(value) => (*value).into(),
        Value::Text(text) => text.as_str().into(),
        Value::List(items) => items.iter().map(as_json).collect(),
        Value::Map(entries) => entries.iter().map(|entry| (entry.key.clone(), as_json(&entry.value))).collect(),
    }
}

#[test]
fn a_stage_becomes_one_node() {
    let plan = TestProject::new(&[]).plan(What::Stage("improve-plan"), &options());
    let [node] = plan.nodes.as_slice() else { panic!("{plan:?}") };
    assert_eq!(
        (node.id.as_str(), node.dir.as_str(), node.template.as_str()),
        ("improve-plan", "stage-00-improve-plan", "improve-plan")
    );
    assert_eq!(node.output.as_deref(), Some("docs/plan-night.md"));
    assert_eq!(node.termination, Termination::Judgment { min_iterations: 2, consensus: 2 });
    assert_eq!(node.provider, Provider::Known("claude".into()));
    assert!(!node.explain_status && node.fixture_texts.iter().any(|(name, _)| name == "default.txt"));
    let names: Vec<&str> = plan.sources.iter().map(|source| source.path.as_str()).collect();
    assert_eq!(names, ["builtin:stages/improve-plan/stage.yaml", "builtin:stages/improve-plan/prompt.md"]);
    assert_eq!(plan.pipeline, None);
}

#[test]
fn the_runs_name_is_in_the_queue() {
    let plan = TestProject::new(&[]).plan(What::Stage("work"), &options());
    assert_eq!(plan.nodes[0].termination, Termination::Queue { command: "bd ready --label=loop/night --json".into() });
}

#[test]
fn a_list_is_a_chain() {
    let plan = TestProject::new(&[]).plan(What::Pipeline("ideas.yaml"), &options());
    assert_eq!(ids(&plan), ["ideas", "synthesize", "refine"]);
    assert_eq!(plan.nodes[0].needs, Vec::<String>::new());
    assert_eq!(plan.nodes[2].needs, ["synthesize"]);
    assert_eq!(plan.nodes[1].inputs, [Input { from: "ideas".into(), select: Select::All }]);
    assert_eq!(plan.nodes[0].guardrails.max_iterations, 5);
    assert_eq!(plan.nodes[2].dir, "stage-02-refine");
}

#[test]
fn needs_make_a_graph() {
    let place = TestProject::pipeline(
        "stages:
  - {id: last, template: refine, inputs: {from: b}, needs: [a]}
  - {id: a, template: elegance, on_limit: fail, guardrails: {max_cost_usd: 2}}
  - {id: b, template: synthesize, when: {stage: a, outcome: [done, limit]}}
",
    );
    let plan = place.plan(What::Pipeline("p"), &options());
    assert_eq!(ids(&plan), ["a", "b", "last"]);
    assert_eq!(plan.nodes[2].needs, ["a", "b"]);
    assert_eq!(plan.nodes[2].index, 0, "the place in the file");
    assert_eq!(plan.nodes[1].when.as_ref().unwrap().outcome, [Outcome::Done, Outcome::Limit]);
    assert_eq!(plan.nodes[0].guardrails.on_limit, OnLimit::Fail);
    assert_eq!(plan.nodes[0].guardrails.max_cost_usd, Some(2.0));
    assert_eq!(plan.nodes[0].guardrails.max_iterations, 12, "the template's");
}

#[test]
fn a_fan_out_becomes_branches() {
    let place = TestProject::pipeline(
        "max_parallel: 3
stages:
  - id: look
    prompt: Look at ${ITEM} in ${CTX}
    termination: {type: fixed}
    output: docs/${ITEM}.md
    parallel: {over: [Speed & care, speed care, 7], join: {quorum: 2}, max_parallel: 2, worktree: true}
  - id: judge
    template: elegance
    parallel: {providers: [codex, mock, {command: [./a.sh]}, codex], join: first}
  - {id: end, template: synthesize, inputs: [look, judge]}
",
    );
    let plan = place.plan(What::Pipeline("p"), &options());
    assert_eq!(
        ids(&plan),
        [
            "look.speed-care", "look.speed-care-2", "look.7", "judge.codex", "judge.mock", "judge.a-sh",
            "judge.codex-2", "end"
        ]
    );
    let first = &plan.nodes[0];
    assert_eq!(first.branch.as_ref().unwrap().item.as_deref(), Some("Speed & care"));
    assert_eq!((first.stage.as_str(), first.dir.as_str()), ("look", "stage-00-look.speed-care"));
    assert_eq!(first.output.as_deref(), Some("docs/speed-care.md"));
    assert_eq!((first.join, first.stage_parallel, first.worktree), (Some(Join::Quorum { count: 2 }), Some(2), true));
    assert!(first.explain_status && first.template.is_empty());
    assert_eq!(plan.nodes[3].provider, Provider::Known("codex".into()));
    assert_eq!(plan.nodes[5].provider, Provider::Command(vec!["./a.sh".into()]));
    assert_eq!(plan.nodes[7].needs, ["look", "judge"]);
    assert_eq!(plan.max_parallel, 3);
    let mocked = place.plan(What::Pipeline("p"), &CompileOptions { provider: Some(Provider::Mock), ..options() });
    assert!(mocked.nodes.iter().all(|node| node.provider == Provider::Mock));
    let gemini = Some(Provider::Known("gemini".into()));
    let other = place.plan(What::Pipeline("p"), &CompileOptions { provider: gemini.clone(), ..options() });
    assert_eq!(
        (&other.nodes[3].provider, Some(&other.nodes[7].provider)),
        (&Provider::Known("codex".into()), gemini.as_ref())
    );
    check_schema("plan", &serde_json::to_value(&plan).unwrap());
}

#[test]
fn the_command_line_comes_last() {
    let place = TestProject::new(&[]);
    let most = |max| CompileOptions { max: Some(max), ..options() };
    assert_eq!(place.plan(What::Stage("idea-wizard"), &most(9)).nodes[0].guardrails.max_iterations, 9);
    let counts = |plan: Plan| plan.nodes.iter().map(|node| node.guardrails.max_iterations).collect::<Vec<_>>();
    assert_eq!(counts(place.plan(What::Pipeline("ideas"), &options())), [5, 1, 10]);
    assert_eq!(counts(place.plan(What::Pipeline("ideas"), &most(3))), [3, 3, 3]);
    assert_eq!(counts(place.plan(What::Pipeline("ideas"), &most(70))), [70, 70, 70]);
    let model = place.plan(What::Stage("work"), &CompileOptions { model: Some("m".into()), ..options() });
    assert_eq!(model.nodes[0].model.as_deref(), Some("m"));
}

#[test]
fn a_rehearsal_touches_nothing() {
    let options = CompileOptions { purpose: Purpose::Rehearsal, ..options() };
    let place = TestProject::new(&[]);
    assert_eq!(place.plan(What::Stage("improve-plan"), &options).nodes[0].output, None);
    let work = place.plan(What::Stage("work"), &options).nodes.remove(0);
    assert!(matches!(work.termination, Termination::Queue { .. }), "{work:?}");
    assert_eq!((work.mock_queue, work.provider), (Some(1), Provider::Mock), "one item per fixture");
}

/// Both files of the seed's older form, as people still have them.
#[test]
fn the_older_form_runs_and_is_told() {
    let place = TestProject::new(&[
        ("stages/gen/loop.yaml", "name: gen\ncompletion: fixed-n\ndelay: 3\n"),
        ("stages/gen/prompt.md", "Run ${SESSION_NAME}.\n"),
        (
            "stages/syn/loop.yaml",
            "name: syn\ncompletion: plateau\nmin_iterations: 3\noutput_parse: \"plateau:PLATEAU\"\n",
        ),
        ("stages/syn/prompt.md", "Use ${INPUTS} and ${INPUTS.one} and ${INPUTS.later}. Say PLATEAU: true or false.\n"),
        (
            "pipelines/p.yaml",
            "stages:\n  - {name: one, loop: gen, runs: 5}\n  - {name: two, loop: syn}\n  - {name: later, loop: syn}\n",
        ),
    ]);
    let compiled = compile(&place.catalog(), What::Pipeline("p"), &options()).unwrap();
    let plan = compiled.plan;
    assert_eq!(ids(&plan), ["one", "two", "later"]);
    assert_eq!(plan.nodes[0].guardrails.max_iterations, 5);
    assert!(plan.nodes[0].explain_status && !plan.nodes[1].explain_status);
    assert_eq!(plan.nodes[1].output_parse.as_deref(), Some("plateau:PLATEAU"));
    assert_eq!(plan.nodes[1].termination, Termination::Judgment { min_iterations: 3, consensus: 2 });
    assert_eq!(plan.nodes[1].inputs, [Input { from: "one".into(), select: Select::All }]);
    assert_eq!(plan.nodes[2].inputs.len(), 2, "the stage before, and the one that is named");
    let told: Vec<String> = compiled.warnings.iter().map(Finding::brief).collect();
    assert!(told.iter().any(|line| line.starts_with("stages/syn/loop.yaml:2: `completion`")), "{told:#?}");
    assert!(told.iter().any(|line| line.starts_with("pipelines/p.yaml:2: `loop`")), "{told:#?}");
}

#[test]
fn an_agent_that_was_not_told_the_word_is_told_of_its_status() {
    let place = TestProject::new(&[
        ("stages/old/stage.yaml", "name: old\ncompletion: plateau\noutput_parse: \"plateau:PLATEAU\"\n"),
        ("stages/old/prompt.md", "Go.\n"),
    ]);
    let compiled = compile(&place.catalog(), What::Stage("old"), &options()).unwrap();
    assert!(compiled.plan.nodes[0].explain_status);
    let hint = |warnings: &[Finding]| {
        warnings.iter().find(|one| one.code == crate::lint::Code::L016).and_then(|one| one.hint.clone()).unwrap()
    };
    assert!(hint(&compiled.warnings).ends_with("an instruction is appended"));
    fs::write(place.folder.path().join("stages/old/prompt.md"), "Go, and say PLATEAU: true at the end.\n").unwrap();
    let compiled = compile(&place.catalog(), What::Stage("old"), &options()).unwrap();
    assert!(!compiled.plan.nodes[0].explain_status);
    assert!(hint(&compiled.warnings).ends_with("it is parsed from the agent's answer"));
}

#[test]
fn an_item_needs_a_list() {
    let stage = |output: &str, prompt: &str| {
        TestProject::new(&[
            ("stages/s/stage.yaml", &format!("name: s\ntermination: {{type: fixed}}\n{output}")),
            ("stages/s/prompt.md", &format!("${{CTX}} ${{STATUS}} {prompt}\n")),
            ("pipelines/p.yaml", "stages:\n  - id: a\n    template: s\n"),
            ("pipelines/f.yaml", "stages:\n  - id: a\n    template: s\n    parallel: {over: [x, y]}\n"),
        ])
    };
    let refused = |place: &TestProject, what: What<'_>| match compile(&place.catalog(), what, &options()) {
        Err(DefinitionError::Faulty { findings, .. } | DefinitionError::Alone { findings, .. }) => {
            findings.iter().map(Finding::brief).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    let named = stage("output: docs/${ITEM}.md\n", "");
    let why = "stages/s/stage.yaml:3: the output uses `${ITEM}`, but the stage runs on its own [P011]";
    assert_eq!(refused(&named, What::Stage("s")), [why]);
    assert_eq!(
        refused(&named, What::Pipeline("p")),
        ["pipelines/p.yaml:2: the output uses `${ITEM}`, but the stage has no `parallel.over` [P011]"]
    );
    assert_eq!(named.plan(What::Pipeline("f"), &options()).nodes[1].output.as_deref(), Some("docs/y.md"));
    let asked = stage("", "about ${ITEM}");
    let why = "stages/s/prompt.md:1: the prompt uses `${ITEM}`, but the stage runs on its own [P011]";
    assert_eq!(refused(&asked, What::Stage("s")), [why]);
    let error = compile(&asked.catalog(), What::Stage("s"), &options()).unwrap_err();
    assert_eq!(error.to_string(), "stage `s` cannot run on its own");
    assert!(error.hint().unwrap().contains("`parallel: {over: [..]}`"), "{error:?}");
}

#[test]
fn branches_are_named_after_their_items_or_numbered() {
    let plan = TestProject::pipeline(
        "stages:\n  - id: a\n    prompt: '${ITEM}'\n    termination: {type: fixed}\n    parallel: {over: [ä, 日本, über, '!?', item-1]}\n",
    )
    .plan(What::Pipeline("p"), &options());
    assert_eq!(ids(&plan), ["a.item-1", "a.item-2", "a.ber", "a.item-4", "a.item-1-2"]);
}

#[test]
fn what_cannot_run_is_refused_with_the_reasons() {
    let refuse = |what: What<'_>, options: &CompileOptions| {
        compile(&TestProject::new(&[]).catalog(), what, options).unwrap_err()
    };
    let error = refuse(What::Stage("worc"), &options());
    assert_eq!(
        (error.to_string().as_str(), error.hint().as_deref()),
        ("there is no stage `worc`", Some("did you mean `work`?"))
    );
    assert!(matches!(refuse(What::Pipeline("../x"), &options()), DefinitionError::UnknownPipeline { .. }));
    assert!(matches!(refuse(What::Stage("../work"), &options()), DefinitionError::UnknownStage { .. }));
    let named = |run: &str| CompileOptions { run: run.into(), ..options() };
    for run in ["", "..", "a/b", "a b"] {
        assert!(matches!(refuse(What::Stage("work"), &named(run)), DefinitionError::RunName { .. }), "{run}");
    }
    let inputs = CompileOptions { inputs: vec!["/nowhere/at/all".into()], ..options() };
    assert!(matches!(refuse(What::Stage("work"), &inputs), DefinitionError::Input { .. }));
    let place = TestProject::pipeline(
        "stages:\n  - {id: a, template: work, needs: [b]}\n  - {id: b, template: work, needs: [a]}\n",
    );
    let Err(DefinitionError::Faulty { findings, .. }) = compile(&place.catalog(), What::Pipeline("p"), &options())
    else {
        panic!("a circle ran")
    };
    assert!(findings[0].message.contains("a → b → a"), "{findings:?}");
}

#[test]
fn changed_sources_are_known() {
    let place = TestProject::new(&[
        ("stages/mine/stage.yaml", "name: mine\ntermination: {type: fixed}\n"),
        ("stages/mine/prompt.md", "x\n"),
    ]);
    let plan = place.plan(What::Stage("mine"), &options());
    assert_eq!(changed_sources(&place.catalog(), &plan), Vec::<String>::new());
    fs::write(place.folder.path().join("stages/mine/prompt.md"), "y\n").unwrap();
    assert_eq!(changed_sources(&place.catalog(), &plan), ["stages/mine/prompt.md"]);
    let builtin = place.plan(What::Pipeline("ideas"), &options());
    assert_eq!(changed_sources(&place.catalog(), &builtin), Vec::<String>::new());
}

#[test]
fn a_copy_works_and_only_its_prompt_need_change() {
    let place = TestProject::new(&[]);
    let catalog = place.catalog();
    catalog.new_stage("mine", Some("improve-plan")).unwrap();
    catalog.new_stage("fresh", None).unwrap();
    catalog.new_stage("work", Some("mine")).unwrap();
    catalog.new_pipeline("flow", None).unwrap();
    catalog.new_pipeline("ideas", Some("ideas")).unwrap();
    let findings = crate::lint::lint_all(&catalog).unwrap();
    assert!(findings.is_empty(), "{:#?}", findings.iter().map(Finding::brief).collect::<Vec<_>>());
    let prompt = place.folder.path().join("stages/mine/prompt.md");
    fs::write(&prompt, "Count the files.\n").unwrap();
    let node = place.plan(What::Stage("mine"), &options()).nodes.remove(0);
    assert!(node.explain_status && node.prompt == "Count the files.\n");
    assert_eq!(node.fixtures.as_deref(), place.folder.path().join("stages/mine/fixtures").to_str());
    assert!(matches!(catalog.new_stage("mine", None), Err(DefinitionError::Taken { .. })));
    assert!(matches!(catalog.new_pipeline("flow", None), Err(DefinitionError::Taken { .. })));
    assert!(matches!(catalog.new_stage("../x", None), Err(DefinitionError::Name { .. })));
    assert!(matches!(catalog.new_stage("x", Some("nothing")), Err(DefinitionError::UnknownStage { .. })));
}

#[test]
fn builtin_files_and_their_plans_fit_the_schemas() {
    let place = TestProject::new(&[]);
    let catalog = place.catalog();
    for (name, _) in catalog.stages() {
        let stage = catalog.stage(&name).unwrap();
        check_schema("stage", &as_json(&parse(&stage.manifest.text).unwrap()));
        check_schema("plan", &serde_json::to_value(place.plan(What::Stage(&name), &options())).unwrap());
    }
    for (name, _) in catalog.pipelines() {
        let pipeline = catalog.pipeline(&name).unwrap();
        check_schema("pipeline", &as_json(&parse(&pipeline.file.text).unwrap()));
        let plan = place.plan(What::Pipeline(&name), &options());
        let json = serde_json::to_value(&plan).unwrap();
        check_schema("plan", &json);
        assert_eq!(serde_json::from_value::<Plan>(json).unwrap(), plan);
    }
}

/// The schema and the linter agree on every example of the manual.
#[test]
fn the_schemas_agree_with_the_linter() {
    let page = include_str!("../../../../docs/lint.md");
    let mut seen = 0;
    for part in page.split("\nPasses:\n").skip(1) {
        let block = part.split("```").nth(1).unwrap();
        let (info, text) = block.split_once('\n').unwrap();
        let name = match info {
            "yaml stage.yaml" => "stage",
            "yaml pipeline.yaml" => "pipeline",
            _ => continue,
        };
        check_schema(name, &as_json(&parse(text).unwrap()));
        seen += 1;
    }
    assert!(seen > 15, "{seen}");
}
