//! The commands a person types in a client: their files come and go with the lines, byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use stead_client::Harness;
use stead_testkit::World;

use crate::world::{bare, by_person};

const NAMES: [&str; 6] = ["context", "handoff", "pickup", "packet", "loop", "intent"];

/// Everything in the project and at home, without Stead's own and git's.
pub(crate) fn everything(world: &World) -> BTreeMap<String, Vec<u8>> {
    fn walk(base: &Path, dir: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(dir).unwrap().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(base).unwrap().display().to_string();
            if ["project/.git", "project/.agent", "home/.local"].contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                walk(base, &path, found);
                found.insert(name + "/", Vec::new());
            } else {
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(&world.folder(), &world.folder(), &mut found);
    found
}

fn commands(world: &World) -> Vec<String> {
    let is_command = |name: &String| name.contains("/stead/") || name.contains("/stead-");
    everything(world).into_keys().filter(|name| is_command(name) && !name.ends_with('/')).collect()
}

/// Where the loop command of a client lies, and how its text takes what a person wrote behind it.
fn place(harness: Harness) -> (&'static str, &'static str, &'static str) {
    const BEHIND: &str = "(the text after the command)";
    const SKILL: &str = ".agents/skills/stead-loop/SKILL.md";
    match harness {
        Harness::Claude => (".claude/commands/stead/loop.md", ".claude/commands/stead/loop.md", "$ARGUMENTS"),
        Harness::Gemini => (".gemini/commands/stead/loop.toml", ".gemini/commands/stead/loop.toml", "{{args}}"),
        Harness::Qwen => (".qwen/commands/stead/loop.md", ".qwen/commands/stead/loop.md", "{{args}}"),
        Harness::OpenCode => {
            (".opencode/command/stead-loop.md", ".config/opencode/command/stead-loop.md", "$ARGUMENTS")
        }
        Harness::Droid => (".factory/commands/stead-loop.md", ".factory/commands/stead-loop.md", "$ARGUMENTS"),
        Harness::Cursor => (".cursor/commands/stead-loop.md", ".cursor/commands/stead-loop.md", BEHIND),
        Harness::Kilo => (".kilo/command/stead-loop.md", ".config/kilo/command/stead-loop.md", "$ARGUMENTS"),
        Harness::Grok => (".grok/commands/stead-loop.md", ".grok/commands/stead-loop.md", "$ARGUMENTS"),
        Harness::Codex | Harness::Copilot | Harness::Kimi | Harness::Pi => (SKILL, SKILL, BEHIND),
    }
}

#[test]
fn every_client_gets_its_commands_and_is_left_as_it_was() {
    for harness in Harness::ALL {
        let (project, home, arguments) = place(harness);
        for (reach, path) in [("", format!("project/{project}")), ("--user", format!("home/{home}"))] {
            let world = bare();
            let before = everything(&world);
            let with = |words: &[&'static str]| {
                let args: Vec<&str> =
                    words.iter().copied().chain([reach].into_iter().filter(|r| !r.is_empty())).collect();
                world.stead(&args)
            };
            with(&["init", "--harness", harness.name()]).ok();
            assert_eq!(commands(&world).len(), NAMES.len(), "{harness} {reach}");
            let text = world.read(&path);
            assert!(text.contains(" loop` with the person's input: ") && text.contains(arguments), "{text}");
            let program = if reach.is_empty() { "`stead loop`" } else { env!("CARGO_BIN_EXE_stead") };
            assert!(text.contains(program), "{harness} {reach}: {text}");
            let there = everything(&world);
            let again = with(&["init", "--harness", harness.name()]).ok();
            assert!(again.contains("nothing to change") && !again.contains("+++"), "{again}");
            assert_eq!(everything(&world), there, "{harness} {reach}");
            by_person(&world, &["uninstall", "--yes", reach][..if reach.is_empty() { 2 } else { 3 }]).ok();
            assert_eq!(everything(&world), before, "{harness} {reach}");
        }
    }
}

#[test]
fn all_clients_together_need_one_copy_of_each_skill() {
    let world = bare();
    let before = everything(&world);
    world.stead(&["init", "--all"]).ok();
    assert_eq!(commands(&world).len(), 9 * NAMES.len());
    by_person(&world, &["uninstall", "--yes"]).ok();
    assert_eq!(everything(&world), before);
}

#[test]
fn heads_are_what_the_client_reads() {
    let world = bare();
    world.stead(&["init", "--all"]).ok();
    let claude = world.read("project/.claude/commands/stead/pickup.md");
    assert!(claude.starts_with("---\ndescription: ") && claude.contains("\nargument-hint: \"[id] "), "{claude}");
    assert!(claude.contains("\nallowed-tools: Bash(stead pickup:*), Bash(stead packet list:*)\n"), "{claude}");
    let skill = world.read("project/.agents/skills/stead-pickup/SKILL.md");
    assert!(skill.starts_with("---\nname: stead-pickup\ndescription: Continue "), "{skill}");
    assert!(!world.read("project/.cursor/commands/stead-pickup.md").contains("---"), "no head there");
    assert!(world.read("project/.gemini/commands/stead/pickup.toml").starts_with("description = \""));
    assert!(world.read("project/.opencode/command/stead-handoff.md").contains("`/stead-pickup` with this id"));
}

#[test]
fn a_file_of_the_same_name_is_reported_and_left_alone() {
    let world = bare();
    world.write("project/.claude/commands/stead/loop.md", "mine\n");
    let run = world.stead(&["init", "--harness", "claude"]);
    assert_eq!(run.code, 0, "{run}");
    let told = "warning: `.claude/commands/stead/loop.md` was skipped: another file with this name exists\n";
    assert!(run.stderr.contains(told), "{run}");
    assert_eq!(commands(&world).len(), NAMES.len());
    by_person(&world, &["uninstall", "--yes"]).ok();
    assert_eq!(commands(&world), ["project/.claude/commands/stead/loop.md"]);
    assert_eq!(world.read("project/.claude/commands/stead/loop.md"), "mine\n");
}

#[test]
fn what_a_person_changed_is_theirs() {
    let world = bare();
    let path = "project/.claude/commands/stead/packet.md";
    world.stead(&["init", "--harness", "claude"]).ok();
    let changed = world.read(path).replace("Show the output", "Sing the output");
    world.write(path, &changed);
    for run in [world.stead(&["init", "--harness", "claude"]), by_person(&world, &["uninstall", "--yes"])] {
        assert_eq!(run.code, 0, "{run}");
        assert!(run.to_string().contains("`.claude/commands/stead/packet.md` was skipped: it was changed"), "{run}");
        assert_eq!(world.read(path), changed);
    }
    assert_eq!(commands(&world), [path]);
}

#[test]
fn an_older_text_of_ours_is_renewed_and_still_goes() {
    let world = bare();
    world.stead(&["init", "--user", "--harness", "claude"]).ok();
    let older = world.read("home/.claude/commands/stead/loop.md");
    by_person(&world, &["uninstall", "--yes", "--user"]).ok();
    let before = everything(&world);
    let path = "project/.claude/commands/stead/loop.md";
    world.write(path, &older);
    world.stead(&["init", "--harness", "claude"]).ok();
    assert_ne!(world.read(path), older);
    by_person(&world, &["uninstall", "--yes"]).ok();
    let mut left = everything(&world);
    // The folder was there before us.
    left.retain(|name, _| !name.starts_with("project/.claude"));
    assert_eq!(left, before);
    assert!(!world.exists(path));
}

#[test]
fn a_shared_skill_stays_while_another_client_uses_it() {
    let world = bare();
    let before = everything(&world);
    world.stead(&["init", "--harness", "codex,copilot"]).ok();
    by_person(&world, &["uninstall", "--yes", "--harness", "codex"]).ok();
    assert_eq!(commands(&world).len(), NAMES.len());
    by_person(&world, &["uninstall", "--yes", "--harness", "copilot"]).ok();
    assert_eq!(everything(&world), before);
}

#[test]
fn a_teammate_without_a_record_can_take_them_out() {
    let world = bare();
    world.stead(&["init", "--harness", "claude,codex,gemini"]).ok();
    fs::remove_file(world.folder().join("project/.agent/context/indexes/install.json")).unwrap();
    // A checkout may turn line ends.
    let path = "project/.gemini/commands/stead/loop.toml";
    world.write(path, world.read(path).replace('\n', "\r\n"));
    by_person(&world, &["uninstall", "--yes"]).ok();
    assert_eq!(commands(&world), [] as [String; 0]);
    assert!(!world.exists("project/.claude/commands/stead") && !world.exists("project/.agents/skills/stead-loop"));
}

#[test]
fn they_can_be_left_out() {
    let world = bare();
    world.stead(&["init", "--harness", "claude", "--no-commands"]).ok();
    assert_eq!(commands(&world), [] as [String; 0]);
    let run = world.stead(&["init", "--harness", "claude", "--local"]);
    assert!(run.stderr.contains("Claude Code: commands cannot be installed for this checkout only"), "{run}");
    assert_eq!(commands(&world), [] as [String; 0]);
}

#[test]
fn doctor_counts_them() {
    let world = bare().with_stead_on_path();
    world.stead(&["init", "--harness", "claude"]).ok();
    let said = world.stead(&["doctor"]).ok();
    assert!(said.contains("  commands  6/6 present for this project (`/stead:handoff` …)\n"), "{said}");
    world.write("project/.claude/commands/stead/loop.md", "mine\n");
    fs::remove_file(world.folder().join("project/.claude/commands/stead/pickup.md")).unwrap();
    let path = "project/.claude/commands/stead/packet.md";
    world.write(path, world.read(path) + "more\n");
    let json = world.stead(&["doctor", "--json"]).json();
    let report = &json["harnesses"][0]["commands"][0];
    assert_eq!((report["found"].as_u64(), report["expected"].as_u64()), (Some(4), Some(6)));
    assert_eq!(report["missing"], serde_json::json!(["pickup"]));
    assert_eq!(report["differing"], serde_json::json!(["packet"]));
    assert_eq!(report["foreign"], serde_json::json!(["loop"]));
    assert_eq!(json["sound"], true);
}
