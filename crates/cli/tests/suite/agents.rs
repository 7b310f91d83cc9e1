//! The agents that come with Stead: every client gets them in its own format, and is left as it was.

use std::fs;

use serde_json::json;
use stead_client::Harness;

use crate::commands::everything;
use crate::world::{bare, by_person, marked};

/// Where the tester of a client lies, in a project and at home, and how the file starts.
fn place(harness: Harness) -> (&'static str, &'static str, &'static str) {
    const MARKDOWN: &str = "---\nname: tester-agent\ndescription: Tests one ";
    match harness {
        Harness::Claude => (".claude/agents/tester-agent.md", ".claude/agents/tester-agent.md", MARKDOWN),
        Harness::Codex => (
            ".codex/agents/tester-agent.toml",
            ".codex/agents/tester-agent.toml",
            "name = \"tester-agent\"\ndescription = \"Tests one ",
        ),
        Harness::Gemini => (".gemini/agents/tester-agent.md", ".gemini/agents/tester-agent.md", MARKDOWN),
        Harness::Qwen => (".qwen/agents/tester-agent.md", ".qwen/agents/tester-agent.md", MARKDOWN),
        Harness::OpenCode => (".opencode/agent/tester-agent.md", ".config/opencode/agent/tester-agent.md", MARKDOWN),
        Harness::Copilot => (".github/agents/tester-agent.agent.md", ".copilot/agents/tester-agent.agent.md", MARKDOWN),
        Harness::Kimi => (".kimi-code/agents/tester-agent.md", ".kimi-code/agents/tester-agent.md", MARKDOWN),
        Harness::Droid => (".factory/droids/tester-agent.md", ".factory/droids/tester-agent.md", MARKDOWN),
        Harness::Cursor => (".cursor/agents/tester-agent.md", ".cursor/agents/tester-agent.md", MARKDOWN),
        Harness::Pi => (".pi/agents/tester-agent.md", ".pi/agent/agents/tester-agent.md", MARKDOWN),
        Harness::Kilo => (".kilo/agent/tester-agent.md", ".config/kilo/agent/tester-agent.md", MARKDOWN),
        Harness::Grok => (".grok/agents/tester-agent.md", ".grok/agents/tester-agent.md", MARKDOWN),
    }
}

#[test]
fn every_client_gets_them_in_its_format_and_is_left_as_it_was() {
    for harness in Harness::ALL {
        let (project, home, start) = place(harness);
        for (reach, path) in [("", format!("project/{project}")), ("--user", format!("home/{home}"))] {
            let world = bare();
            let before = everything(&world);
            let args: Vec<&str> = ["init", "--agents", "--harness", harness.name(), reach]
                .into_iter()
                .filter(|word| !word.is_empty())
                .collect();
            let said = world.stead(&args).ok();
            let text = world.read(&path);
            assert!(text.starts_with(start), "{harness} {reach}: {text}");
            assert!(said.contains("+# Tester agent\n"), "{harness}: the diff shows it: {said}");
            assert!(said.contains("orchestrate` to use them\n"), "{harness}: {said}");
            let there = everything(&world);
            for name in ["initializer-agent", "coding-agent", "project-initialization/SKILL.md", "orchestrate"] {
                assert!(there.keys().any(|path| path.contains(name)), "{harness} {reach}: {name}");
            }
            let again = world.stead(&args).ok();
            assert!(again.contains("nothing to change") && !again.contains("+++"), "{again}");
            assert_eq!(everything(&world), there, "{harness} {reach}");
            by_person(&world, &["uninstall", "--yes", reach][..if reach.is_empty() { 2 } else { 3 }]).ok();
            assert_eq!(everything(&world), before, "{harness} {reach}");
        }
    }
}

#[test]
fn they_come_only_on_request() {
    let world = bare();
    world.stead(&["init", "--all"]).ok();
    assert!(!everything(&world).keys().any(|path| path.contains("tester-agent") || path.contains("orchestrate")));
    let run = world.stead(&["init", "--harness", "claude", "--agents", "--local"]);
    assert!(run.stderr.contains("Claude Code: agents cannot be installed for this checkout only"), "{run}");
}

#[test]
fn a_definition_of_the_persons_is_theirs() {
    let world = bare();
    world.write("project/.claude/agents/coding-agent.md", "mine\n");
    let run = world.stead(&["init", "--harness", "claude", "--agents"]);
    let told = "warning: `.claude/agents/coding-agent.md` was skipped: another file with this name exists\n";
    assert!(run.stderr.contains(told), "{run}");
    let path = "project/.claude/agents/tester-agent.md";
    let changed = world.read(path).replace("## Tests", "## My tests");
    world.write(path, &changed);
    for run in [world.stead(&["init", "--harness", "claude", "--agents"]), by_person(&world, &["uninstall", "--yes"])] {
        assert_eq!(run.code, 0, "{run}");
        assert!(run.to_string().contains("`.claude/agents/tester-agent.md` was skipped: it was changed"), "{run}");
        assert_eq!(world.read(path), changed);
        assert_eq!(world.read("project/.claude/agents/coding-agent.md"), "mine\n");
    }
    assert!(!world.exists("project/.claude/agents/initializer-agent.md"));
}

#[test]
fn a_teammate_without_a_record_can_take_them_out() {
    let world = bare();
    world.stead(&["init", "--harness", "codex,copilot", "--agents"]).ok();
    fs::remove_file(world.folder().join("project/.agent/context/indexes/install.json")).unwrap();
    by_person(&world, &["uninstall", "--yes", "--harness", "codex"]).ok();
    // The other client reads the same skills.
    assert!(world.exists("project/.agents/skills/browser-testing/SKILL.md"));
    assert!(!world.exists("project/.codex/agents/tester-agent.toml"));
    by_person(&world, &["uninstall", "--yes"]).ok();
    assert!(!world.exists("project/.agents/skills/browser-testing"));
    assert!(!world.exists("project/.github/agents/tester-agent.agent.md"));
}

const RULES: &str = "---\nname: x\ndescription: never read\n---\n# X\n- NEVER edit infra/\n- Do not use git push --force\n- \
                     Never run `terraform apply`\n- NEVER set tested to true without evidence\n- ALWAYS be kind\n";

#[test]
fn rules_in_definitions_are_listed_with_the_guard_that_holds_them() {
    let world = marked();
    world.write("project/.claude/agents/x.md", RULES);
    world.write(
        "project/.codex/agents/y.toml",
        "name = \"y\"\ndeveloper_instructions = \"\"\"\nYou must wait.\n\"\"\"\n",
    );
    world.write("project/.agent/guards/infra.yaml", "id: infra\nmode: warn\nmatch: {writes: \"infra/**\"}\nsay: no\n");
    let json = world.stead(&["agents", "lint", "--json"]).json();
    let rules = json["items"].as_array().unwrap();
    assert_eq!(rules.len(), 6, "{json}");
    assert_eq!((&rules[0]["path"], &rules[0]["line"]), (&json!(".claude/agents/x.md"), &json!(6)));
    assert_eq!(rules[0]["held_by"], json!([{"guard": "infra", "mode": "warn"}]));
    assert_eq!(rules[1]["enable"], "destructive");
    assert_eq!(rules[3]["held_by"][0]["guard"], "tested-needs-evidence", "it applies by default: {json}");
    assert_eq!((&rules[4]["held_by"], &rules[4]["draft"]), (&json!([]), &json!(null)));
    assert_eq!((&rules[5]["path"], &rules[5]["line"]), (&json!(".codex/agents/y.toml"), &json!(3)));
    let draft = &rules[2]["draft"];
    assert_eq!(draft["id"], "no-terraform-apply");
    world.write("project/.agent/guards/no-terraform-apply.yaml", draft["text"].as_str().unwrap());
    let linted = world.stead(&["guard", "lint", "no-terraform-apply"]).ok();
    assert!(linted.ends_with("1 file checked, 0 findings\n"), "{linted}");
    let said = world.stead(&["agents", "lint"]).ok();
    assert!(
        said.contains(
            ".claude/agents/x.md:8\n  Never run `terraform apply`\n  held by `no-terraform-apply` (shadow)\n"
        ),
        "{said}"
    );
    assert!(said.contains("  no guard; `stead guard enable destructive` adds one\n"), "{said}");
    assert!(said.ends_with("2 definitions, 6 rules, 3 without a guard\n"), "{said}");
}

#[test]
fn our_definitions_have_no_rules_and_are_short() {
    let world = marked();
    world.stead(&["init", "--all", "--agents"]).ok();
    let json = world.stead(&["agents", "lint", "--json"]).json();
    assert_eq!((json["definition_count"].as_u64(), &json["items"]), (Some(36), &json!([])));
    let json = world.stead(&["agents", "size", "--json"]).json();
    let sizes = json["items"].as_array().unwrap();
    assert_eq!(sizes.len(), 36);
    for size in sizes {
        assert!(size["line_count"].as_u64().unwrap() < 100 && size["token_count"].as_u64().unwrap() < 800, "{size}");
    }
    let path = "project/.claude/agents/tester-agent.md";
    let tokens = world.read(path).len().div_ceil(4);
    let said = world.stead(&["agents", "size"]).ok();
    assert!(
        said.contains(&format!(
            "{tokens:>7}  {:>5}  .claude/agents/tester-agent.md\n",
            world.read(path).lines().count()
        )),
        "{said}"
    );
    assert!(said.starts_with(" tokens  lines  definition\n"), "{said}");
}

#[test]
fn without_definitions_there_is_nothing_to_say() {
    let world = marked();
    assert_eq!(world.stead(&["agents", "size"]).ok(), "0 definitions, 0 tokens\n");
    assert_eq!(world.stead(&["agents", "lint"]).ok(), "0 definitions, 0 rules, 0 without a guard\n");
}
