//! What the gate says about a command, by its effects.

use stead_client::Harness;
use stead_hook::{Examined, examine};
use stead_model::{Action, Event, EventKind, ToolCall};
use stead_testkit::World;

use crate::intent::FILE;
use crate::world::marked;

const INTENTS: &str = "active_intents:\n  - id: INT-001\n    status: IN_PROGRESS\n    owned_scope: [\"src/**\", \
    \"docs/*.md\", \"Makefile\"]\n    commands: [\"terraform plan-special\"]\n";

fn project() -> World {
    let world = marked();
    world.write(FILE, INTENTS);
    for file in ["src/a.rs", "src/b.rs", "src/deep/er/a.rs", "docs/a.md", "README.md", "lib/a.rs", "lib/script.sh"] {
        world.write(format!("project/{file}"), "old\n");
    }
    world.git(&["init", "-q"]).ok();
    // The home that the project remembers lies in the folder for temporary files.
    world.sh("rm .agent/cache/person-*").ok();
    world
}

fn judge(world: &World, action: Action<'_>, intent: Option<&str>) -> Examined {
    // Not the world's own home, which lies in the folder for temporary files.
    let env = move |name: &str| match name {
        "HOME" => Some("/home/ann".into()),
        "PATH" => std::env::var_os("PATH"),
        _ => None,
    };
    let native = Harness::ALL[0].client().facts.events.iter().find(|fact| fact.kind == EventKind::BeforeTool);
    let mut event = Event::new(EventKind::BeforeTool, native.map_or("", |fact| fact.native));
    let mut input = serde_json::json!({});
    if let Some(intent) = intent {
        input["intent_id"] = intent.into();
    }
    let tool = if matches!(action, Action::Run { .. }) { "Bash" } else { "Write" };
    event.call = Some(ToolCall { tool: tool.into(), id: None, action, input: input.to_string().into() });
    let root = world.project();
    examine(&root, &root, &env, Harness::ALL[0], &event, None)
}

/// `free`, `allowed`, `denied` or `unknown`.
fn answer(world: &World, command: &str) -> (&'static str, String) {
    let run = |intent| judge(world, Action::Run { command: command.into(), dir: None }, intent);
    match (run(None).intents, run(Some("INT-001")).intents) {
        (None, _) => ("free", String::new()),
        (_, None) => ("allowed", String::new()),
        (_, Some(said)) if said.text.starts_with("Scope Violation: INT-001 is not authorized to edit ") => {
            ("denied", said.text)
        }
        (_, Some(said)) if said.text.contains("it is not known what this changes") => ("unknown", said.text),
        (_, Some(said)) => ("odd", said.text),
    }
}

fn rows() -> Vec<(&'static str, &'static str)> {
    let table = include_str!("intent_scope.txt");
    table.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t')).collect()
}

#[test]
fn commands_are_judged_by_their_effects() {
    let world = project();
    let rows = rows();
    assert!(rows.len() >= 200, "{}", rows.len());
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(expected, command)| {
            let (found, said) = answer(&world, command);
            (found != *expected).then(|| format!("{command}\n  expected {expected}, found {found} {said}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn wrapping_a_command_never_frees_it() {
    let world = project();
    let wraps: [fn(&str) -> String; 6] = [
        |command| format!("({command}\n)"),
        |command| format!("{{ {command}\n}}"),
        |command| format!("if true; then\n{command}\nfi"),
        |command| format!("true && \\\n{command}"),
        |command| format!("bash -c {}", quoted(command)),
        |command| format!("sudo sh -c {}", quoted(command)),
    ];
    for (expected, command) in rows().into_iter().filter(|(expected, _)| matches!(*expected, "denied" | "unknown")) {
        // A document that is not there cannot be put into brackets.
        if command.contains("<<'EOF'") || command.ends_with('&') {
            continue;
        }
        for wrap in wraps {
            let wrapped = wrap(command);
            let (found, _) = answer(&world, &wrapped);
            assert!(matches!(found, "denied" | "unknown"), "{wrapped}: {found}, bare: {expected}");
        }
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[test]
fn a_path_outside_the_scope_is_denied_by_any_tool() {
    use stead_model::{Change, FileChange};
    let world = project();
    std::os::unix::fs::symlink("../lib", world.project().join("src/link")).unwrap();
    std::os::unix::fs::symlink("README.md", world.project().join("src.md")).unwrap();
    let outside =
        ["README.md", "lib/x", "src/../lib/x", "src/link/x", "./README.md", "src.md", "docs/deep/a.md", "/etc/hosts"];
    for path in outside {
        let changes: [fn(&str) -> Change<'static>; 4] = [
            |_| Change::Write { content: Some("x".into()) },
            |_| Change::Edit(Vec::new()),
            |_| Change::Delete,
            |_| Change::Rename { to: "src/moved".into() },
        ];
        for change in changes {
            let file = FileChange { path: path.into(), change: change(path) };
            let said = judge(&world, Action::Change(vec![file]), Some("INT-001")).intents;
            assert!(said.is_some_and(|said| said.text.starts_with("Scope Violation")), "{path}");
        }
        for command in [format!("touch {path}"), format!("cp src/a.rs {path}"), format!("echo x >> {path}")] {
            assert_eq!(answer(&world, &command).0, "denied", "{command}");
        }
    }
    // The message names the resolved path, the first in byte order.
    let said =
        judge(&world, Action::Run { command: "touch src/link/z lib/b README.md".into(), dir: None }, Some("INT-001"));
    let text = said.intents.unwrap().text;
    assert!(text.starts_with("Scope Violation: INT-001 is not authorized to edit README.md. "), "{text}");
    assert!(text.contains("\nNor: lib/b, lib/z."), "{text}");
}
