use std::fs;

use serde_json::{Value, json};
use stead_pipeline::{Branch, Input, Outcome, RunEvent, RunStatus, Select, When};

use super::world::{World, chain, node, plan};

#[test]
fn inputs_are_real_paths_in_numeric_order() {
    let world = World::new();
    let mut all = node("b", 1, "say stop");
    all.inputs = vec![Input { from: "a".into(), select: Select::All }];
    let mut latest = node("c", 2, "echo c$STEAD_ITERATION > \"$STEAD_OUTPUT\"; say stop");
    latest.inputs =
        vec![Input { from: "a".into(), select: Select::Latest }, Input { from: "b".into(), select: Select::Latest }];
    let first = node("a", 12, "echo a$STEAD_ITERATION > \"$STEAD_OUTPUT\"; say continue");
    let mut plan = chain(vec![first, all, latest]);
    plan.initial_inputs = vec!["/given".into()];
    assert_eq!(world.start(&plan).unwrap().status, RunStatus::Done);

    let context = world.json("stage-01-b/iterations/001/context.json");
    let outputs = context["inputs"]["from_stage"]["a"].as_array().unwrap();
    let read: Vec<String> = outputs.iter().map(|path| fs::read_to_string(path.as_str().unwrap()).unwrap()).collect();
    assert_eq!(read, (1..=12).map(|n| format!("a{n}\n")).collect::<Vec<_>>());

    let context = world.json("stage-02-c/iterations/002/context.json");
    let from = |stage: &str| context["inputs"]["from_stage"][stage].clone();
    assert_eq!(from("a"), json!([world.path("stage-00-a/iterations/012/output.md")]));
    // `b` wrote no output: what it said is kept, which is nothing.
    assert_eq!(
        (from("b"), world.read("stage-01-b/iterations/001/output.md")),
        (json!([world.path("stage-01-b/iterations/001/output.md")]), String::new())
    );
    assert_eq!(context["inputs"]["initial"], json!(["/given"]));
    assert_eq!(
        context["inputs"]["from_previous_iterations"],
        json!([world.path("stage-02-c/iterations/001/output.md")])
    );
    assert_eq!(context["stage_count"], 3);
    assert_eq!((&context["session"], &context["pipeline"]), (&json!("night"), &json!("test")));
}

#[test]
fn only_the_last_outputs_are_listed() {
    let world = World::new();
    world.start(&chain(vec![node("a", 23, "say continue")])).unwrap();
    let inputs = &world.json("stage-00-a/iterations/023/context.json")["inputs"];
    let listed = inputs["from_previous_iterations"].as_array().unwrap();
    assert_eq!((listed.len(), &inputs["previous_iteration_count"]), (20, &json!(22)));
    assert!(listed[0].as_str().unwrap().ends_with("iterations/003/output.md"));
    assert!(listed[19].as_str().unwrap().ends_with("iterations/022/output.md"));
    let dir = inputs["previous_iterations_dir"].as_str().unwrap();
    assert_eq!(fs::read_dir(dir).unwrap().count(), 23);
}

/// Agents can remove what others left; whoever comes next is given what is there.
#[test]
fn outputs_that_are_gone_are_left_out_and_named_once() {
    let world = World::new();
    let first = node("a", 4, "test $STEAD_ITERATION != 3 || rm -r runs/night/stage-00-a/iterations/001; say continue");
    let mut second = node("b", 2, "say stop");
    second.inputs = vec![Input { from: "a".into(), select: Select::All }];
    assert_eq!(world.start(&chain(vec![first, second])).unwrap().status, RunStatus::Done);
    let listed = |path: &str, field: &str| {
        let inputs = world.json(path)["inputs"].clone();
        let paths = if field == "a" { inputs["from_stage"]["a"].clone() } else { inputs[field].clone() };
        let paths: Vec<String> = serde_json::from_value(paths).unwrap();
        assert!(paths.iter().all(|path| std::path::Path::new(path).is_file()), "{paths:?}");
        paths.len()
    };
    assert_eq!(listed("stage-00-a/iterations/004/context.json", "from_previous_iterations"), 2);
    assert_eq!(world.json("stage-00-a/iterations/004/context.json")["inputs"]["previous_iteration_count"], 3);
    assert_eq!(listed("stage-01-b/iterations/002/context.json", "a"), 3);
    let warnings = world.warnings();
    assert_eq!(warnings, ["the output of iteration 1 of `a` is missing"; 2], "once by each stage");
}

#[test]
fn branches_get_their_items_and_give_their_outputs() {
    let world = World::new();
    let branch = |name: &str, item: &str| {
        let mut node = node(&format!("a.{name}"), 1, "cat > \"$STEAD_OUTPUT\"; say stop");
        node.branch = Some(Branch { name: name.into(), item: Some(item.into()) });
        node.prompt = "about ${ITEM}".into();
        node
    };
    let mut join = node("b", 1, "say stop");
    join.needs = vec!["a".into()];
    join.inputs = vec![Input { from: "a".into(), select: Select::Latest }];
    world.start(&plan(vec![branch("x", "one"), branch("y", "two"), join])).unwrap();
    let context = world.json("stage-00-b/iterations/001/context.json");
    let read = |path: &Value| fs::read_to_string(path.as_str().unwrap()).unwrap();
    let got: Vec<String> = context["inputs"]["from_stage"]["a"].as_array().unwrap().iter().map(read).collect();
    assert_eq!(got, ["about one", "about two"]);
    let context = world.json("stage-00-a.y/iterations/001/context.json");
    assert_eq!(context["branch"], json!({"name": "y", "item": "two"}));
    assert_eq!(context["stage_count"], 2);
}

#[test]
fn a_tracked_output_is_written_in_the_project_and_kept_each_time() {
    let world = World::new();
    let mut stage = node(
        "a",
        2,
        "echo v$STEAD_ITERATION > docs/plan.md; test \"$STEAD_OUTPUT\" = \"$PWD/docs/plan.md\" && say stop",
    );
    stage.output = Some("docs/plan.md".into());
    assert_eq!(world.start(&chain(vec![stage])).unwrap().status, RunStatus::Done);
    assert_eq!(fs::read_to_string(world.root.join("docs/plan.md")).unwrap(), "v2\n");
    assert_eq!(world.read("stage-00-a/iterations/001/output.md"), "v1\n");
    assert_eq!(world.read("stage-00-a/iterations/002/output.md"), "v2\n");
}

#[test]
fn what_was_verified_is_in_the_next_context() {
    let world = World::new();
    let mut stage = node("a", 2, "touch done-$STEAD_ITERATION; say continue");
    stage.verify = vec!["test -e done-2 || { echo no two >&2; exit 3; }".into(), "echo fine".into()];
    world.start(&chain(vec![stage])).unwrap();
    assert_eq!(world.json("stage-00-a/iterations/001/context.json")["verification"], json!([]));
    let told = world.json("stage-00-a/iterations/002/context.json")["verification"].clone();
    assert_eq!((&told[0]["green"], &told[0]["exit"], &told[0]["tail"]), (&json!(false), &json!(3), &json!("no two\n")));
    assert_eq!((&told[1]["green"], &told[1]["exit"], &told[1]["tail"]), (&json!(true), &json!(0), &json!("fine\n")));
    assert_eq!(world.json("stage-00-a/iterations/002/verify.json")[0]["green"], true);
}

#[test]
fn what_was_verified_survives_a_resume() {
    let world = World::new();
    let mut stage = node("a", 2, "test $STEAD_ITERATION = 1 -o -e go || exit 1; say continue");
    stage.verify = vec!["exit 4".into()];
    world.start(&chain(vec![stage])).unwrap();
    fs::write(world.root.join("go"), "").unwrap();
    assert_eq!(world.resume().unwrap().status, RunStatus::Unverified);
    let context = world.json("stage-00-a/iterations/002/context.json");
    assert_eq!(context["verification"][0]["exit"], 4);
    assert_eq!(context["previous_summary"], "a 1");
}

#[test]
fn an_input_that_was_skipped_is_told() {
    let world = World::new();
    let mut maybe = node("b", 1, "say stop");
    maybe.when = Some(When { stage: "a".into(), outcome: vec![Outcome::Limit] });
    let mut last = node("c", 1, "cat; say stop");
    last.prompt = "<${INPUTS.b}|${INPUTS.nobody}>".into();
    last.inputs =
        vec![Input { from: "a".into(), select: Select::Latest }, Input { from: "b".into(), select: Select::Latest }];
    assert_eq!(world.start(&chain(vec![node("a", 1, "say stop"), maybe, last])).unwrap().status, RunStatus::Done);
    let warned: Vec<String> = world
        .events()
        .into_iter()
        .filter_map(|event| match event {
            RunEvent::Warning { node, message } => Some(format!("{}: {message}", node.unwrap_or_default())),
            _ => None,
        })
        .collect();
    assert_eq!(
        warned,
        [
            "c: its input `b` was skipped, so that input is empty",
            "c: prompt line 1: `${INPUTS.nobody}` does not name an input of this stage and is replaced by nothing"
        ]
    );
    assert_eq!(world.read("stage-02-c/iterations/001/output.md").lines().next(), Some("<|>"));
}
