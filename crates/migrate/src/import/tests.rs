use std::fs;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use stead_context::{Heading, LoopFile, LoopStatus, Packet, Starter, Status};

const RALPH: &str = include_str!("../../fixtures/ralph-loop.local.md");
const HUMANLAYER: &str = include_str!("../../fixtures/humanlayer.md");
const CONTINUOUS: &str = include_str!("../../fixtures/continuous-claude.yaml");
const ROLE: &str = include_str!("../../fixtures/old-role.context.md");
const NOW: &str = "2026-11-15T19:45:30.123Z";

/// A project with files in it.
fn project(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn look(folder: &TempDir) -> Vec<Import> {
    let root = folder.path();
    let (context, roles) = (root.join(".agent/context"), root.join(".agent/roles"));
    find_imports(&ImportPlaces { root, context: &context, roles: &roles }, &ImportKind::ALL, NOW)
}

/// Looks at one file of another tool.
#[track_caller]
fn one(path: &str, text: &str) -> Import {
    let folder = project(&[(path, text), ("src/quota.rs", ""), ("docs/quota.md", "")]);
    let mut imports = look(&folder);
    assert_eq!(imports.len(), 1, "{imports:?}");
    imports.remove(0)
}

#[track_caller]
fn text(import: &Import) -> &str {
    match &import.outcome {
        Outcome::New { text, .. } => text,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn refused(path: &str, content: &str, expected: &str) {
    match one(path, content).outcome {
        Outcome::Refused { why } => assert_eq!(why, expected),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_ralph_loop_becomes_a_paused_loop_of_nobody() {
    let import = one(ralph::STATE, RALPH);
    let Outcome::New { target, text } = &import.outcome else { panic!("{import:?}") };
    assert!(target.ends_with("loops/20260302T081500Z-make-every-test-in-tests-parser-pass.md"), "{target:?}");
    let file = LoopFile::parse(target, text.clone()).unwrap();
    assert_eq!((file.state.status, &file.state.lease), (LoopStatus::Paused, &None));
    assert_eq!((file.state.iteration, file.state.max_iterations), (7, 25));
    assert_eq!(
        (file.state.promises.as_slice(), file.state.started_by.clone()),
        (&["ALL GREEN".to_owned()][..], Starter::Person)
    );
    assert_eq!(file.prompt(), "Make every test in tests/parser pass.\n\n---\n\nDo not touch the lexer.");
    assert_eq!(import.left.len(), 3, "no limit, its session, at work: {:?}", import.left);
}

#[test]
fn a_broken_ralph_file_is_refused_by_line() {
    let check = |text: &str, expected: &str| refused(ralph::STATE, text, expected);
    check("go on\n", "line 1: the file does not start with `---`");
    check("---\niteration: 1\n", "line 3: the front matter that starts on line 1 is not closed by `---`");
    check("---\niteration: many\n---\ngo\n", "line 2: `iteration` is not an integer");
    check("---\niteration: 1\n---\n\n  \n", "line 4: there is no prompt below the front matter");
    check("---\nmax_iterations: -4\n---\ngo\n", "line 2: `max_iterations` is not an integer");
}

#[test]
fn a_humanlayer_handoff_becomes_a_packet() {
    let import = one("thoughts/shared/handoffs/ENG-411/2026-02-11_14-05-22_quota.md", HUMANLAYER);
    let packet = Packet::parse(text(&import)).unwrap();
    let section = |heading| packet.section(heading).unwrap_or_default().to_owned();
    assert_eq!((packet.purpose(), packet.status()), ("Monthly quota per tenant", Some(Status::Draft)));
    assert_eq!(packet.get("created_at"), Some("2026-02-11T13:05:22.000Z"), "as the head says, not the file name");
    assert_eq!((packet.get("git_branch"), packet.get("git_commit")), (Some("feature/quota"), Some("4be1f0c9d2")));
    assert_eq!(packet.suggested(), ["src/quota.rs", "docs/quota.md"]);
    assert!(section(Heading::Context).contains("The plan is in phase two of three."));
    assert!(section(Heading::Context).contains("### Task(s)\n\n- Phase one, counting: completed"));
    assert!(section(Heading::Plan).starts_with("1. Refuse in `src/quota.rs`"));
    assert!(section(Heading::NextPrompt).contains("Continue with: Monthly quota per tenant"));
    assert!(
        section(Heading::Notes).contains("## not a heading")
            && section(Heading::Notes).contains("- branch: feature/quota")
    );
    assert_eq!(packet.other_sections(), [("Rollout", "Behind the flag `quota_v2`, first for two tenants.")]);
    assert!(!packet.as_str().contains("sk-live-"));
    assert_eq!(import.left, ["files it names that are not in the project: `src/gone.rs`", "redacted secrets: 1"]);
}

#[test]
fn a_continuous_claude_handoff_becomes_a_packet() {
    let import = one("thoughts/shared/handoffs/quota/2026-02-12_09-30_quota.yaml", CONTINUOUS);
    let packet = Packet::parse(text(&import)).unwrap();
    let section = |heading| packet.section(heading).unwrap_or_default().to_owned();
    assert_eq!(packet.purpose(), "Refuse requests over the monthly quota");
    assert_eq!((packet.verify(), packet.validators().len()), (Some("cargo test -p billing quota"), 1));
    assert_eq!(packet.suggested(), ["src/quota.rs", "docs/quota.md"]);
    assert_eq!(section(Heading::NextPrompt), "Write the failing test for the last day of a month in src/quota.rs");
    assert_eq!(section(Heading::Plan), "- Refuse with status 429\n- Tell the tenant a day before");
    assert!(section(Heading::OpenQuestions).starts_with("- Does a refund lower the count?\n"));
    assert!(!section(Heading::OpenQuestions).contains("Blockers"), "there are none");
    assert!(section(Heading::Context).contains("- task: Counter per month\n  files: [src/quota.rs"));
    assert!(section(Heading::Notes).contains("### Failed\n\n- counting in the proxy"));
    assert_eq!(packet.other_sections(), [("mood", "hopeful")]);
    assert_eq!(import.left, ["files it names that are not in the project: `src/clock.rs`"]);
}

#[test]
fn what_is_no_handoff_is_told_from_what_is_broken() {
    let place = "thoughts/handoffs/s";
    for (name, text) in [("map.md", "# Map\n\n## Crates\none\n"), ("empty.md", ""), ("list.yaml", "mood: good\n")] {
        let outcome = one(&format!("{place}/{name}"), text).outcome;
        assert_eq!(outcome, Outcome::Foreign { why: "not a handoff" }, "{name}");
    }
    refused(
        &format!("{place}/a.md"),
        "---\ntopic: x\n",
        "line 3: the front matter that starts on line 1 is not closed by `---`",
    );
    refused(&format!("{place}/a.md"), "---\na: 1\na: 2\n---\n", "line 3: `a` appears twice");
    refused(&format!("{place}/a.yml"), "goal: x\noops\n", "line 2: neither a key nor below one");
    refused(&format!("{place}/a.yml"), "goal: x\ngoal: y\n", "line 2: `goal` appears twice");
    let folder = project(&[]);
    fs::create_dir_all(folder.path().join(place)).unwrap();
    fs::write(folder.path().join(place).join("a.md"), b"## Tasks\n\xff\n").unwrap();
    let imports = look(&folder);
    assert_eq!(imports[0].outcome, Outcome::Refused { why: "line 2: the bytes are not UTF-8 text".into() });
}

#[test]
fn line_ends_and_marks_of_other_systems_are_fine() {
    let windows = format!("\u{feff}{}", HUMANLAYER.replace('\n', "\r\n"));
    let (unix, windows) = (one("thoughts/handoffs/a.md", HUMANLAYER), one("thoughts/handoffs/a.md", &windows));
    assert_eq!(text(&unix), text(&windows));
}

#[test]
fn a_handoff_without_a_head_takes_its_title_and_name() {
    let import = one(".claude/handoffs/2026-02-03_fix.md", "# Handoff: fix add\n\nHello.\n\n## Next Steps\n- run it\n");
    let packet = Packet::parse(text(&import)).unwrap();
    assert_eq!((packet.purpose(), packet.get("created_at")), ("fix add", Some("2026-02-03T00:00:00.000Z")));
    assert_eq!(packet.section(Heading::Context), Some("Hello."));
    assert_eq!(packet.section(Heading::Plan), Some("- run it"));
}

#[test]
fn a_role_file_is_mended_where_it_is_used_and_copied_from_elsewhere() {
    let folder =
        project(&[(".agent/roles/billing-expert.context.md", ROLE), ("session/agents/tester.context.md", ROLE)]);
    let imports = look(&folder);
    assert_eq!(imports.len(), 2, "{imports:?}");
    let Outcome::Repaired { target, before, text } = &imports[0].outcome else { panic!("{imports:?}") };
    assert!(target.ends_with("roles/billing-expert.context.md") && before == ROLE);
    assert!(text.starts_with("# Billing Expert — Session Context\n"), "{text}");
    assert!(!imports[0].done.is_empty());
    assert!(
        matches!(&imports[1].outcome, Outcome::New { target, .. } if target.ends_with(".agent/roles/tester.context.md"))
    );
    for import in &imports {
        apply_import(import).unwrap();
    }
    assert_eq!(fs::read_to_string(folder.path().join("session/agents/tester.context.md")).unwrap(), ROLE);
    let fates: Vec<Outcome> = look(&folder).into_iter().map(|import| import.outcome).collect();
    assert_eq!(fates, [Outcome::Already { target: "tester".into() }]);
}

#[test]
fn a_second_run_carries_nothing_twice() {
    let handoff = "thoughts/shared/handoffs/a/x.md";
    let folder = project(&[(ralph::STATE, RALPH), (handoff, HUMANLAYER), ("thoughts/handoffs/b/y.md", HUMANLAYER)]);
    let first = look(&folder);
    assert_eq!(first.len(), 3);
    let targets: Vec<_> = first.iter().map(|import| apply_import(import).unwrap().unwrap()).collect();
    assert_ne!(targets[1], targets[2], "two handoffs of one moment and purpose");
    // The plugin counts on, and somebody writes into a handoff.
    fs::write(folder.path().join(ralph::STATE), RALPH.replace("iteration: 7", "iteration: 8")).unwrap();
    fs::write(folder.path().join(handoff), format!("{HUMANLAYER}more\n")).unwrap();
    let again = look(&folder);
    let id = |at: usize| targets[at].file_stem().unwrap().to_str().unwrap().to_owned();
    let fates: Vec<Outcome> = again.iter().map(|import| import.outcome.clone()).collect();
    let expected =
        [Outcome::Already { target: id(0) }, Outcome::Already { target: id(1) }, Outcome::Outdated { target: id(2) }];
    assert_eq!(fates, expected);
    for import in &again {
        assert_eq!(apply_import(import).unwrap(), None);
    }
    // Another loop of the plugin is another loop.
    fs::write(folder.path().join(ralph::STATE), RALPH.replace("2026-03-02", "2026-03-03")).unwrap();
    assert!(matches!(look(&folder)[0].outcome, Outcome::New { .. }));
}

#[test]
fn a_file_that_came_in_between_is_not_replaced() {
    let folder = project(&[(ralph::STATE, RALPH)]);
    let import = look(&folder).remove(0);
    let Outcome::New { target, .. } = &import.outcome else { panic!() };
    fs::create_dir_all(target.parent().unwrap()).unwrap();
    fs::write(target, "mine").unwrap();
    assert!(apply_import(&import).is_err());
    assert_eq!(fs::read_to_string(target).unwrap(), "mine");
}

proptest! {
    #[test]
    fn whatever_stands_in_a_handoff_a_packet_comes_out_or_a_reason(text in "(?s)(---\n|## Tasks\n|goal: |[a-z]{1,4}: |.){0,40}") {
        for read in [markdown_handoff::read(&text), yaml_handoff::read(&text)] {
            if let Ok(Some(draft)) = read {
                let (text, _) = draft.render("id", NOW, "a.md", "0");
                let packet = Packet::parse(text.clone());
                prop_assert!(packet.is_ok(), "{text}");
            }
        }
        let _ = ralph::read(&text);
    }
}
