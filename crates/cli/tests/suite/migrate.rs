use stead_testkit::{Finish, World};

use crate::world::{bare, by_person, marked};

const RALPH: &str = include_str!("../../../migrate/fixtures/ralph-loop.local.md");
const HUMANLAYER: &str = include_str!("../../../migrate/fixtures/humanlayer.md");
const CONTINUOUS: &str = include_str!("../../../migrate/fixtures/continuous-claude.yaml");
const ROLE: &str = include_str!("../../../migrate/fixtures/old-role.context.md");

/// A project in which several tools were at work before.
fn used() -> World {
    let world = bare();
    world.write("project/.claude/ralph-loop.local.md", RALPH);
    world.write("project/thoughts/shared/handoffs/ENG-411/2026-02-11_14-05-22_quota.md", HUMANLAYER);
    world.write("project/thoughts/shared/handoffs/quota/2026-02-12_09-30_quota.yaml", CONTINUOUS);
    world.write("project/thoughts/shared/handoffs/quota/broken.yaml", "goal: x\noops\n");
    world.write("project/thoughts/shared/handoffs/quota/codebase-map.md", "# Map\n\n## Crates\n- one\n");
    world.write("project/session/agents/billing-expert.context.md", ROLE);
    world.write("project/src/quota.rs", "// quota\n");
    world.stead(&["context", "init"]).ok();
    world
}

fn sources(world: &World) -> Vec<String> {
    let files = [
        ".claude/ralph-loop.local.md",
        "thoughts/shared/handoffs/ENG-411/2026-02-11_14-05-22_quota.md",
        "thoughts/shared/handoffs/quota/2026-02-12_09-30_quota.yaml",
        "thoughts/shared/handoffs/quota/broken.yaml",
    ];
    files.map(|file| world.read(format!("project/{file}"))).into()
}

#[test]
fn everything_is_carried_once_and_told_file_by_file() {
    let world = used();
    let before = sources(&world);
    let run = world.stead(&["migrate"]);
    assert_eq!(run.code, 1, "one file is broken: {run}");
    let said = &run.stdout;
    for line in [
        "imports  .claude/ralph-loop.local.md → loop .agent/context/loops/20260302T081500Z-make-every-test-in-tests-parser-pass.md\n",
        "           not imported: no limit: Stead's loop ends after 25 iterations\n",
        "imports  thoughts/shared/handoffs/ENG-411/2026-02-11_14-05-22_quota.md → packet .agent/context/packets/20260211T130522Z-monthly-quota-per-tenant.md\n",
        "           not imported: redacted secrets: 1\n",
        "REFUSED  thoughts/shared/handoffs/quota/broken.yaml: line 2: neither a key nor below one\n",
        "skips    thoughts/shared/handoffs/quota/codebase-map.md: not a handoff\n",
        "repairs  session/agents/billing-expert.context.md\n",
        "           repaired: ",
        "migrated: 4\n",
    ] {
        assert!(said.contains(line), "{line} in\n{run}");
    }
    assert_eq!(sources(&world), before);
    let packet = world.read("project/.agent/context/packets/20260211T130522Z-monthly-quota-per-tenant.md");
    assert!(packet.contains("\nimported_from: thoughts/shared/handoffs/ENG-411/2026-02-11_14-05-22_quota.md\n"));
    assert!(!packet.contains("sk-live-"), "{packet}");
    assert!(world.read("project/session/agents/billing-expert.context.md").starts_with("# Billing Expert — Session"));
    let again = world.stead(&["migrate"]);
    assert!(!again.stdout.contains("imports ") && !again.stdout.contains("repairs "), "{again}");
    assert!(again.stdout.contains("is packet `20260211T130522Z-monthly-quota-per-tenant`\n"), "{again}");
}

#[test]
fn what_was_carried_is_what_the_other_commands_read() {
    let world = used();
    world.stead(&["migrate", "loops", "handoffs"]);
    let loops = world.stead(&["loop", "list", "--json"]).json().to_string();
    assert!(
        loops.contains("20260302T081500Z-make-every-test-in-tests-parser-pass") && loops.contains("paused"),
        "{loops}"
    );
    let packets = world.stead(&["packet", "list", "--json"]).json().to_string();
    assert!(packets.contains("20260211T130522Z-monthly-quota-per-tenant"), "{packets}");
    let prompt = world.stead(&["pickup", "20260212T000000Z-refuse-requests-over-the-monthly-quota"]).ok();
    assert!(prompt.contains("Write the failing test for the last day of a month"), "{prompt}");
    assert!(prompt.contains("src/quota.rs"), "{prompt}");
}

#[test]
fn a_dry_run_changes_nothing() {
    let world = used();
    let run = world.stead(&["migrate", "--dry-run"]);
    assert!(run.stdout.contains("imports  .claude/ralph-loop.local.md"), "{run}");
    assert!(run.stderr.ends_with("dry run; nothing was changed\n"), "{run}");
    assert!(!world.sh("ls .agent/context/packets .agent/context/loops").stdout.contains(".md"));
    assert_eq!(world.read("project/session/agents/billing-expert.context.md"), ROLE);
}

#[test]
fn one_thing_at_a_time_and_as_json() {
    let world = used();
    let run = world.stead(&["migrate", "roles", "--json"]);
    let json = run.json();
    assert_eq!(json["files"].as_array().unwrap().len(), 1, "{run}");
    assert_eq!((&json["files"][0]["fate"], &json["files"][0]["applied"]), (&"mended".into(), &true.into()));
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let run = world.stead(&["migrate", "handofs"]);
    assert_eq!(run.code, 2, "{run}");
    assert!(run.stderr.contains("hint: did you mean `handoffs`?"), "{run}");
}

#[test]
fn older_commands_are_replaced_on_request_only_and_come_back() {
    let world = marked();
    let mine = "---\ndescription: my handoff\n---\nWrite HANDOFF.md\n";
    world.write("home/.factory/commands/handoff.md", mine);
    let said = world.stead(&["migrate"]).ok();
    assert_eq!(said, "kept     ~/.factory/commands/handoff.md (`--replace-old` replaces it by Stead's command)\n");
    assert_eq!(world.read("home/.factory/commands/handoff.md"), mine);
    let said = world.stead(&["migrate", "commands", "--replace-old"]).ok();
    assert!(said.contains("\n-Write HANDOFF.md\n") && said.ends_with("migrated: 1\n"), "{said}");
    let new = world.read("home/.factory/commands/handoff.md");
    assert!(
        new.contains(" handoff \"PURPOSE\" --document - <<'PACKET'") && new.contains("`/pickup` with this id"),
        "{new}"
    );
    assert!(!world.exists("home/.factory/commands/pickup.md"), "there was none to replace");
    let said = world.stead(&["migrate", "--replace-old"]).ok();
    assert_eq!(said, "current  ~/.factory/commands/handoff.md is Stead's command\n");
    by_person(&world, &["uninstall", "--yes", "--user"]).ok();
    assert_eq!(world.read("home/.factory/commands/handoff.md"), mine);
}

#[test]
fn without_a_project_or_without_anything_it_says_so() {
    let run = bare().stead(&["migrate"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("there is no project here") && run.stderr.contains("hint: run `stead init`"), "{run}");
    assert_eq!(marked().stead(&["migrate"]).ok(), "nothing to migrate\n");
}

const OLD_STAGE: &str = "# Ours since 2024.
name: improve-plan
completion: plateau # until it is flat
min_iterations: 3
output_parse: \"plateau:PLATEAU reasoning:REASONING\"
";

/// A project of the older form, in the places where it had them.
fn older() -> World {
    let world = bare();
    world.write("project/scripts/loops/improve-plan/loop.yaml", OLD_STAGE);
    world.write(
        "project/scripts/loops/improve-plan/prompt.md",
        "# Plan of ${SESSION_NAME}\n\nNotes: ${PROGRESS_FILE}\n",
    );
    world.write("project/scripts/loops/gather/loop.yaml", "name: gather\ncompletion: fixed-n\n");
    world.write("project/scripts/loops/gather/prompt.md", "Join ${INPUTS.plan}.\n");
    world.write(
        "project/scripts/pipelines/flow.yaml",
        "# The flow.\nstages:\n  - name: plan # first\n    loop: improve-plan\n    runs: 5\n  - name: join\n    loop: gather\n",
    );
    world.stead(&["context", "init"]).ok();
    world
}

#[test]
fn older_stages_and_pipelines_are_rewritten_in_place() {
    let world = older();
    assert_eq!(world.stead(&["lint", "--v3"]).code, 1);
    let dry = world.stead(&["migrate", "pipelines", "--dry-run"]).ok();
    assert!(
        dry.contains("-completion: plateau # until it is flat\n") && dry.contains("+  min_iterations: 3\n"),
        "{dry}"
    );
    for line in [
        "writes   scripts/loops/improve-plan/stage.yaml\n",
        "deletes  scripts/loops/improve-plan/loop.yaml\n",
        "rewrites scripts/loops/improve-plan/prompt.md\n",
    ] {
        assert!(dry.contains(line), "{line} in\n{dry}");
    }
    assert!(world.exists("project/scripts/loops/improve-plan/loop.yaml"), "a dry run");
    let run = world.stead(&["migrate", "pipelines"]);
    assert!(run.code == 0 && run.stdout.contains("it may still ask for PLATEAU, REASONING"), "{run}");
    assert!(!world.exists("project/scripts/loops/improve-plan/loop.yaml"));
    assert_eq!(
        world.read("project/scripts/loops/improve-plan/stage.yaml"),
        "# Ours since 2024.\nname: improve-plan\ntermination:\n  type: judgment # until it is flat\n  min_iterations: 3\n"
    );
    assert_eq!(
        world.read("project/scripts/pipelines/flow.yaml"),
        "# The flow.\nstages:\n  - id: plan # first\n    template: improve-plan\n    max_iterations: 5\n  - id: join\n    template: gather\n    inputs:\n      from: plan\n      select: all\n"
    );
    assert_eq!(world.stead(&["lint", "--v3"]).ok(), "no findings\n");
    assert_eq!(world.stead(&["migrate", "pipelines"]).ok(), "nothing to migrate\n");
}

#[test]
fn a_stage_that_cannot_be_rewritten_is_named_and_left() {
    let world = older();
    let odd = "{\n  name: odd,\n  delay: 3, # slowly\n  completion: plateau\n}\n";
    world.write("project/scripts/loops/odd/loop.yaml", odd);
    world.write("project/scripts/loops/odd/prompt.md", "${CTX} ${STATUS}\n");
    let run = world.stead(&["migrate", "pipelines", "--json"]);
    assert_eq!(run.code, 1, "{run}");
    let refused = &run.json()["pipelines"]["refused"];
    assert_eq!(refused[0]["path"], "scripts/loops/odd/loop.yaml", "{run}");
    assert!(refused[0]["why"].as_str().unwrap().starts_with("line 3: the comment is between"), "{run}");
    assert_eq!(world.read("project/scripts/loops/odd/loop.yaml"), odd);
}

#[test]
fn braces_and_texts_of_several_lines_are_rewritten_too() {
    let world = older();
    world.write("project/scripts/loops/odd/loop.yaml", "{name: odd, completion: plateau, min_iterations: 3}\n");
    world.write("project/scripts/loops/odd/prompt.md", "${CTX} ${STATUS}\n");
    world.write(
        "project/scripts/loops/words/loop.yaml",
        "name: words\noutput_parse: |\n  plateau:PLATEAU\n  reasoning:REASONING\ncompletion: plateau # flat\n",
    );
    world.write("project/scripts/loops/words/prompt.md", "${CTX} ${STATUS}\n");
    world.stead(&["migrate", "pipelines"]).ok();
    assert_eq!(
        world.read("project/scripts/loops/odd/stage.yaml"),
        "{name: odd, termination: {type: judgment, min_iterations: 3}}\n"
    );
    assert_eq!(
        world.read("project/scripts/loops/words/stage.yaml"),
        "name: words\ntermination:\n  type: judgment # flat\n"
    );
    assert_eq!(world.stead(&["lint", "--v3"]).ok(), "no findings\n");
}

#[test]
fn an_answer_on_a_pipe_counts() {
    let world = older();
    let migrate = |input: &str| {
        let mut command = world.command(env!("CARGO_BIN_EXE_stead"), &world.project());
        command.args(["migrate", "pipelines"]).finish(&world, input.as_bytes())
    };
    for no in ["n\n", "no", "\n"] {
        let run = migrate(no);
        assert!(run.code == 1 && run.stderr.contains("nothing was changed"), "{no:?}: {run}");
        assert!(run.stderr.contains("hint: add `-y`"), "{run}");
        assert!(world.exists("project/scripts/loops/improve-plan/loop.yaml"), "{no:?}");
    }
    migrate("y\n").ok();
    assert!(!world.exists("project/scripts/loops/improve-plan/loop.yaml"));
}

#[test]
fn folders_that_came_later_are_named() {
    let world = marked();
    world.write("project/scripts/loops/old/loop.yaml", "name: old\ncompletion: plateau\n");
    world.write("project/scripts/loops/old/prompt.md", "Go.\n");
    let run = world.stead(&["migrate", "pipelines"]);
    assert!(run.stderr.contains("`scripts/loops` holds `old`, but Stead looks for stages in `.agent/stages`"), "{run}");
    assert!(run.stderr.contains("hint: run `stead config set layout.stages scripts/loops`"), "{run}");
    world.stead(&["config", "set", "layout.stages", "scripts/loops"]).ok();
    let run = world.stead(&["migrate", "pipelines"]);
    assert!(run.stdout.contains("writes   scripts/loops/old/stage.yaml") && !run.stderr.contains("hint"), "{run}");
}
