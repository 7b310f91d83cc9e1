//! `stead stage`, `stead pipeline`, `stead lint`, `stead dry-run`.

use serde_json::Value;
use stead_testkit::World;

use crate::world::{bare, marked};

fn check_schema(world: &World, name: &str, value: &Value) {
    let schema = world.stead(&["schema", name]).json();
    let validator = jsonschema::draft202012::options().should_validate_formats(true).build(&schema).unwrap();
    let errors: Vec<_> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}\n{value:#}");
}

/// Everything below the project, by name and content.
fn tree(world: &World) -> String {
    world.sh("find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0r sha1sum").ok()
}

#[test]
fn the_built_in_ones_are_listed_and_shown() {
    let world = bare();
    let list = world.stead(&["stage", "list"]).ok();
    for line in [
        "work          builtin   queue ",
        "idea-wizard   builtin   fixed ",
        "improve-plan  builtin   judgment  Improve",
    ] {
        assert!(list.contains(line), "{line} in\n{list}");
    }
    let json = world.stead(&["stage", "list", "--json"]).json();
    assert_eq!(json["items"].as_array().unwrap().len(), list.lines().count());
    assert_eq!(json["items"][0]["error_count"], 0);
    let pipelines = world.stead(&["pipeline", "list"]).ok();
    assert!(
        pipelines.contains("ideas        builtin   ") && pipelines.contains("ideas, synthesize, refine"),
        "{pipelines}"
    );
    let shown = world.stead(&["stage", "show", "work"]).ok();
    assert!(shown.starts_with("# --- builtin:stages/work/stage.yaml\nname: work\n"), "{shown}");
    assert!(shown.contains("\n# --- builtin:stages/work/prompt.md\n"), "{shown}");
    let json = world.stead(&["pipeline", "show", "full-refine.yaml", "--json"]).json();
    assert_eq!(json["stages"][1]["template"], "refine-beads");
    assert!(tree(&world).is_empty(), "nothing was written");
}

#[test]
fn an_unknown_name_suggests_the_nearest() {
    let world = bare();
    for (args, nearest) in [
        (["stage", "show", "elegence"].as_slice(), "elegance"),
        (&["pipeline", "show", "full-refin"], "full-refine"),
        (&["lint", "stage", "improveplan"], "improve-plan"),
        (&["dry-run", "pipeline", "idea", "r"], "ideas"),
        (&["dry-run", "stage", "work", "--provider", "claud"], "claude"),
    ] {
        let run = world.stead(args);
        assert_eq!(run.code, 2, "{run}");
        assert!(run.stderr.contains(&format!("hint: did you mean `{nearest}`?")), "{run}");
    }
    for (args, hint) in [
        (["dry-run", "pipeline", "work", "r"], "`work` is a stage: `stead run stage work <run>`"),
        (
            ["dry-run", "stage", "full-refine", "r"],
            "`full-refine` is a pipeline: `stead run pipeline full-refine <run>`",
        ),
    ] {
        let run = world.stead(&args);
        assert!(run.code == 2 && run.stderr.contains(&format!("hint: {hint}")), "{run}");
    }
    let run = world.stead(&["stage", "show", "../../etc"]);
    assert!(run.code == 2 && run.stderr.contains("`stead stage list`"), "{run}");
}

#[test]
fn a_copy_with_another_prompt_works() {
    let world = marked();
    let made = world.stead(&["stage", "new", "tidy", "--from", "elegance"]).ok();
    assert!(made.ends_with("wrote .agent/stages/tidy/stage.yaml\n"), "{made}");
    world.write("project/.agent/stages/tidy/prompt.md", "Tidy up.\n");
    world.stead(&["lint", "stage", "tidy"]).ok();
    assert!(world.stead(&["stage", "list"]).ok().contains("tidy          project   judgment"));
    let dry = world.stead(&["dry-run", "stage", "tidy", "night", "--provider", "mock"]).ok();
    assert!(dry.contains("  | Tidy up.\n") && dry.contains("night/stage-00-tidy/iterations/001/status.json"), "{dry}");
    world.write("project/.agent/stages/tidy/prompt.md", "Tidy up as ${CTX} says, write ${STATUS}.\n");
    let dry = world.stead(&["dry-run", "stage", "tidy", "--provider", "mock"]);
    assert!(dry.ok().contains("\n  prompt    1 line\n  | Tidy up as"));
    let again = world.stead(&["stage", "new", "tidy"]);
    assert!(again.code == 1 && again.stderr.contains("already exists"), "{again}");
}

#[test]
fn a_project_stage_takes_the_place_of_a_built_in_one() {
    let world = marked();
    let run = world.stead(&["stage", "new", "work"]);
    assert!(run.stderr.contains("overrides the built-in stage `work`"), "{run}");
    world.stead(&["pipeline", "new", "ideas", "--from", "full-refine"]).ok();
    assert!(world.stead(&["stage", "list"]).ok().contains("work          override"));
    assert_eq!(world.stead(&["pipeline", "show", "ideas", "--json"]).json()["stages"][0]["id"], "plan");
    assert_eq!(world.stead(&["lint", "--v3"]).ok(), "no findings\n");
}

#[test]
fn new_ones_need_a_project_and_a_plain_name() {
    let world = bare();
    let run = world.stead(&["stage", "new", "mine"]);
    assert!(run.code == 1 && run.stderr.contains("is not a project yet\nhint: run `stead init` first\n"), "{run}");
    let world = marked();
    for name in ["../x", "a/b", "a b", "", ".hidden"] {
        let run = world.stead(&["stage", "new", name]);
        assert!(run.code == 2 && run.stderr.contains("hint: use letters"), "{name}: {run}");
        assert_eq!(world.stead(&["pipeline", "new", name]).code, 2, "{name}");
    }
    assert!(!world.exists("project/.agent/stages") && !world.exists("project/.agent/pipelines"));
}

#[test]
fn findings_are_shown_like_a_compilers() {
    let world = marked();
    world.write(
        "project/.agent/stages/mine/stage.yaml",
        "name: mine\ntermination:\n  type: jugdment\nmax_failures: 3\n",
    );
    world.write("project/.agent/stages/mine/prompt.md", "Read ${CTX}, write ${STATUS}.\n");
    let run = world.stead(&["lint"]);
    assert_eq!(run.code, 1, "{run}");
    let expected = "\
error[L005]: unknown termination `jugdment`
 --> .agent/stages/mine/stage.yaml:3:9
  |
3 |   type: jugdment
  |         ^^^^^^^^
  |
  = help: did you mean `judgment`?

warning[L007]: `max_failures` has no effect: a failure is never retried
 --> .agent/stages/mine/stage.yaml:4:1
  |
4 | max_failures: 3
  | ^^^^^^^^^^^^
  |
  = help: remove it; continue a failed run with `--resume`

1 error, 1 warning
";
    assert_eq!(run.stdout, expected);
    let json = world.stead(&["lint", "--json"]).json();
    assert_eq!(
        (&json["items"][0]["code"], &json["items"][0]["line"], &json["items"][1]["severity"]),
        (&"L005".into(), &3.into(), &"deprecation".into())
    );
    let sarif = world.stead(&["lint", "stage", "mine", "--sarif", "--v3"]).json();
    assert_eq!(sarif["runs"][0]["results"][1]["level"], "error");
    let refused = world.stead(&["dry-run", "stage", "mine"]);
    assert!(refused.code == 1 && refused.stderr.contains("error[L005]") && refused.stdout.is_empty(), "{refused}");
}

#[test]
fn the_older_form_is_a_warning_until_v3() {
    let world = marked();
    world.write("project/.agent/stages/old/loop.yaml", "name: old\ncompletion: plateau\n");
    world.write("project/.agent/stages/old/prompt.md", "Do ${SESSION}.\n");
    let run = world.stead(&["lint", "stage", "old"]);
    assert_eq!(run.code, 0, "{run}");
    assert!(run.stdout.contains("old/loop.yaml:2:1\n") && run.stdout.contains("old/prompt.md:1:4\n"), "{run}");
    assert_eq!(world.stead(&["lint", "stage", "old", "--v3"]).code, 1);
    let dry = world.stead(&["dry-run", "stage", "old", "night"]);
    assert!(dry.stdout.contains("  | Do night.\n") && dry.stdout.contains("Write this JSON to `$PROJECT"), "{dry}");
    assert!(dry.stderr.contains("L014") && dry.stderr.contains("L010"), "{dry}");
}

#[test]
fn yaml_bombs_and_rubbish_end_in_a_finding() {
    let world = marked();
    let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for n in 1..20 {
        bomb.push_str(&format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 9].join(",")));
    }
    for (name, text) in [
        ("bomb", bomb.into_bytes()),
        ("deep", b"[".repeat(200_000)),
        ("large", b"a: 1\n".repeat(100_000)),
        ("bytes", b"\xff\xfe\x00".to_vec()),
        ("twice", b"stages: []\nstages: []\n".to_vec()),
        ("list", b"- a\n".to_vec()),
        ("none", Vec::new()),
    ] {
        world.write(format!("project/.agent/pipelines/{name}.yaml"), text);
        let run = world.stead(&["lint", "pipeline", name]);
        assert!(run.code == 1 && run.stdout.starts_with("error[P001]: "), "{name}: {run}");
        let run = world.stead(&["dry-run", "pipeline", name]);
        assert!(run.code == 1 && run.stderr.contains("hint: `stead lint pipeline"), "{name}: {run}");
    }
}

#[test]
fn a_dry_run_shows_everything_and_writes_nothing() {
    let world = marked();
    world.write("project/notes.md", "notes\n");
    world.write(
        "project/.agent/pipelines/review.yaml",
        "name: review
max_parallel: 2
stages:
  - id: look
    prompt: Look at ${ITEM} as ${CTX} says.
    termination: {type: fixed}
    max_iterations: 2
    output: docs/${SESSION}-${ITEM}.md
    provider: {command: [./agent.sh, --quick]}
    verify: [\"true\"]
    parallel: {over: [Speed, Words], join: {quorum: 1}, worktree: true}
  - id: gather
    template: synthesize
    needs: [look]
    inputs: {from: look, select: all}
  - id: more
    template: refine
    inputs: gather
    when: {stage: gather, outcome: [done, limit]}
",
    );
    let before = tree(&world);
    let run = world.stead(&["dry-run", "pipeline", "review", "night", "--input", "notes.md", "--max", "7"]);
    assert_eq!(run.code, 1, "it cannot work here: {run}");
    for part in ["there is no program `$PROJECT/agent.sh`", "worktrees need a git repository", "`claude`"] {
        assert!(run.stderr.contains(part), "{part}: {run}");
    }
    let said = run.stdout.clone();
    for part in [
        "pipeline `review` as run `night`: 2 in parallel, after a failure what runs finishes\n",
        "look.speed  (inline)  7 times\n  join      any one branch, each in its own worktree\n  item      Speed\n  time      no limit in total, no limit per iteration\n  cost      no limit\n  at limit  the run continues\n  at quota  the run ends and can be resumed\n  agent     ./agent.sh --quick\n",
        "  context   .agent/runs/night/stage-00-look.words/iterations/001/context.json\n",
        "  output    docs/night-words.md\n",
        "  verify    true (if it fails, the stage is unverified)\n",
        "  | Look at Words as $PROJECT/.agent/runs/night/stage-00-look.words/iterations/001/context.json says.\n",
        "gather  synthesize  7 times\n  after     look\n",
        "  input     notes.md (--input)\n",
        "  input     .agent/runs/night/stage-00-look.speed/iterations/*/output.md (look)\n",
        "  input     .agent/runs/night/stage-01-gather/iterations/<last>/output.md (gather)\n",
        "more  refine  until 2 in a row decide to stop, 2 to 7 times\n  after     gather\n  when      gather ended as done or limit\n",
    ] {
        assert!(said.contains(part), "{part}\nin\n{run}");
    }
    let json = world.stead(&["dry-run", "pipeline", "review", "night", "--provider", "mock", "--json"]).json();
    check_schema(&world, "plan", &json["plan"]);
    assert_eq!(json["plan"]["nodes"].as_array().unwrap().len(), 4);
    assert_eq!(json["first"][0]["argv"][0], "mock");
    assert!(json["first"][3]["prompt"].as_str().unwrap().contains("stage-02-more/output.md"));
    assert_eq!(tree(&world), before);
    assert!(!world.exists("project/.agent/runs"));
    let missing = world.stead(&["dry-run", "stage", "work", "--input", "none.md"]);
    assert!(missing.code == 2 && missing.stderr.contains("none.md` is not a file"), "{missing}");
}
