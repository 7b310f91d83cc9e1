use std::fs;

use super::*;
use crate::LedgerError;

const FILE: &str = "# what we work on\nactive_intents:\n  # the first\n  - id: \"INT-001\" # ours\n    name: Sign in\n    \
    status: PENDING # soon\n    owned_scope:\n      - src/auth/** # all of it\n      - 'docs/auth.md'\n    \
    constraints: [no new tables, {guard: no-main}]\n    acceptance_criteria:\n      - fast\n      - text: tested\n        \
    verify: cargo test\n\n  - id: INT-002\n    name: Billing\n# the end\n";

#[track_caller]
fn file(text: &str) -> IntentFile {
    let room = tempfile::tempdir().unwrap();
    fs::write(room.path().join(INTENTS), text).unwrap();
    IntentFile::read(room.path()).unwrap()
}

#[test]
fn a_file_is_read() {
    let file = file(FILE);
    let first = file.find("INT-001").unwrap();
    assert_eq!((first.name.as_str(), first.status, first.line), ("Sign in", Status::Pending, 4));
    assert_eq!(first.owned_scope, ["src/auth/**", "docs/auth.md"]);
    assert_eq!(first.constraints, [Constraint::Text("no new tables".into()), Constraint::Guard("no-main".into())]);
    assert_eq!(first.acceptance_criteria[1].proof, Some(Proof::Verify("cargo test".into())));
    assert_eq!(file.find("INT-002").unwrap().status, Status::Pending);
    match file.find("int-001") {
        Err(LedgerError::UnknownIntent { known, nearest, .. }) => {
            assert_eq!(known, ["INT-001", "INT-002"]);
            assert_eq!(nearest.as_deref(), Some("INT-001"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn faults_name_their_line() {
    let check = |text: &str, line: usize, message: &str| {
        let fault = IntentFile::parse(text).expect_err(text);
        assert!(fault.line == line && fault.message.contains(message), "{text:?}: {fault:?}");
    };
    check("", 0, "it is empty");
    check("# nothing\n", 0, "it is empty");
    check("active_intents:\n", 1, "`active_intents` is empty");
    check("- id: a\n", 1, "without the key `active_intents`");
    check("active_intents: 5\n", 1, "`active_intents` is a number");
    check("active_intents: []\nmore: 1\n", 2, "unknown key `more`");
    check("\u{feff}active_intents: []\n", 1, "byte order mark");
    check("active_intents:\n\t- id: a\n", 2, "a tab");
    check("active_intents:\n  - id: a\n  - id: b\n  - id: a\n", 4, "id `a` is used twice; first in line 2");
    check("active_intents:\n  - id: 1\n", 2, "`id` is a number");
    check("active_intents:\n  - id: a\n    status: DONE\n", 3, "unknown status `DONE`");
    check("active_intents:\n  - id: a\n    status: in_progress\n", 3, "unknown status");
    check("active_intents:\n  - name: a\n", 2, "has no `id`");
    check("active_intents:\n  - a\n", 2, "is a string");
    check("active_intents:\n  - id: a/../b\n", 2, "invalid id");
    check("active_intents:\n  - id: a\n    owned_scope: src\n", 3, "`owned_scope` is a string");
    check("active_intents:\n  - id: a\n    owned_scope:\n      - ok\n      - ../x\n", 5, "contains `..`");
    check("active_intents:\n  - id: a\n    owned_scopes: [x]\n", 3, "unknown key `owned_scopes`");
    check("active_intents:\n  - id: a\n    exclusive: yes\n", 3, "`exclusive` is a string");
    check("active_intents:\n  - id: a\n    approval: maybe\n", 3, "unknown approval");
    check("active_intents:\n  - id: a\n    id: b\n", 3, "given twice");
    check("active_intents:\n  - &x {id: a}\n  - *x\n", 2, "an anchor or an alias");
    check("active_intents: [\n", 1, "unclosed bracket");
    check(&format!("active_intents:\n  - id: a\n    owned_scope: ['{}']\n", "a*".repeat(400)), 3, "longer than");
    assert!(IntentFile::parse("active_intents: []\n").unwrap().0.is_empty());
    assert!(IntentFile::parse("active_intents:\n  - id: a\n    ticket: X-1\n").is_ok(), "fields of other tools");
}

#[test]
fn edits_keep_comments_and_order() {
    let file = file(FILE);
    let text = file.with_status("INT-001", Status::InProgress).unwrap().unwrap();
    assert_eq!(text, FILE.replace("status: PENDING # soon", "status: IN_PROGRESS # soon"));
    assert_eq!(file.with_status("INT-001", Status::Pending).unwrap(), None);
    let text = file.with_status("INT-002", Status::Completed).unwrap().unwrap();
    assert_eq!(text, FILE.replace("- id: INT-002\n", "- id: INT-002\n    status: COMPLETED\n"));
    let text = file.with_scope("INT-001", &["src/lib.rs".into(), "src/auth/**".into()]).unwrap().unwrap();
    assert_eq!(text, FILE.replace("'docs/auth.md'\n", "'docs/auth.md'\n      - \"src/lib.rs\"\n"));
    let text = file.with_scope("INT-002", &["src/b/**".into()]).unwrap().unwrap();
    assert_eq!(text, FILE.replace("INT-002\n", "INT-002\n    owned_scope:\n      - \"src/b/**\"\n"));
    assert_eq!(file.with_scope("INT-001", &["src/auth/**".into()]).unwrap(), None);
    assert!(matches!(file.with_scope("INT-001", &["a\\b".into()]), Err(LedgerError::Invalid { .. })));
    let new = NewIntent { id: "INT-003".into(), name: "x: y".into(), scope: vec!["a".into()], ..NewIntent::default() };
    let text = file.with_intent(&new).unwrap();
    let added = "    name: Billing\n  - id: \"INT-003\"\n    name: \"x: y\"\n    status: PENDING\n    owned_scope:\n      - \"a\"\n";
    assert_eq!(text, FILE.replace("    name: Billing\n", added));
    assert!(matches!(
        file.with_intent(&NewIntent { id: "INT-001".into(), ..new }),
        Err(LedgerError::KnownIntent { .. })
    ));
}

#[test]
fn every_layout_of_a_file_can_be_edited_or_is_refused() {
    let layouts = [
        "active_intents: []\n",
        "active_intents:\n- id: a\n  owned_scope: []\n",
        "active_intents:\n- id: a\n  owned_scope:\n  - x\n",
        "active_intents: [{id: a, status: 'PENDING', owned_scope: [x]}, {id: b}]\n",
        "active_intents:\r\n  - id: a\r\n    status: \"PENDING\"\r\n    name: |\r\n      two\r\n      lines\r\n",
        "active_intents:\n  - id: a\n    owned_scope: [\n      x,\n      y\n    ]\n    name: n",
        "active_intents:\n    -   id: a\n        name: >-\n          folded\n          text\n    -   id: b\n",
        "active_intents:\n  - id: a\n    owned_scope:\n",
        "---\nactive_intents:\n  - id: a\n    name: 'it''s # not a comment'\n...\n",
    ];
    for text in layouts {
        let file = file(text);
        let new =
            NewIntent {
                id: "NEW".into(), name: "n\"'#\\ü".into(), scope: vec!["s/**".into()], ..NewIntent::default()
            };
        let check = |edited: Result<Option<String>, LedgerError>| match edited {
            Ok(Some(after)) => assert!(IntentFile::parse(&after).is_ok(), "{text:?}\n{after}"),
            Ok(None) => {}
            Err(LedgerError::Uneditable { .. }) => {}
            Err(other) => panic!("{text:?}: {other}"),
        };
        check(file.with_intent(&new).map(Some));
        for intent in &file.intents {
            check(file.with_status(&intent.id, Status::InProgress));
            check(file.with_scope(&intent.id, &["new/**".into()]));
        }
    }
    // The usual ones are not refused.
    for text in &layouts[..8] {
        let file = file(text);
        assert!(file.with_intent(&NewIntent { id: "NEW".into(), ..NewIntent::default() }).is_ok(), "{text}");
        if file.intents.iter().any(|intent| intent.id == "a") {
            assert!(file.with_status("a", Status::InProgress).is_ok(), "{text}");
            let widened = file.with_scope("a", &["new/**".into()]);
            assert!(widened.is_ok(), "{text}: {widened:?}");
        }
    }
}

#[test]
fn sixteen_writers_lose_nothing() {
    let room = tempfile::tempdir().unwrap();
    IntentFile::add(room.path(), &NewIntent { id: "first".into(), ..NewIntent::default() }).unwrap();
    std::thread::scope(|scope| {
        for number in 0..16 {
            let room = room.path();
            scope.spawn(move || {
                let new = NewIntent { id: format!("I{number}"), ..NewIntent::default() };
                IntentFile::add(room, &new).unwrap();
            });
        }
    });
    assert_eq!(IntentFile::read(room.path()).unwrap().intents.len(), 17);
}

#[test]
fn the_compiled_text_follows_its_sources() {
    let world = tempfile::tempdir().unwrap();
    let (room, cache) = (world.path().join("room"), world.path().join("cache/intents"));
    fs::create_dir(&room).unwrap();
    let load = || Compiled::load(&cache, &room);
    assert!(load().head().is_missing());
    fs::write(room.join(INTENTS), FILE).unwrap();
    fs::write(room.join(IGNORE), "*.lock\nintent: INT-002\n").unwrap();
    for _ in 0..2 {
        let compiled = load();
        assert_eq!(compiled.head().broken(), None);
        let ids: Vec<_> = compiled.head().intents().collect();
        assert_eq!(ids, [("INT-001", Status::Pending), ("INT-002", Status::Pending)]);
        let first = compiled.find("INT-001").unwrap();
        assert_eq!(first.scope().collect::<Vec<_>>(), ["src/auth/**", "docs/auth.md"]);
        assert_eq!((first.name(), first.guards().collect::<Vec<_>>()), ("Sign in", vec!["no-main"]));
        assert!(compiled.find("int-001").is_none() && compiled.head().bars("INT-002"));
        let lock = Reach { path: "", inside: Some("a/b.lock"), tree: false, open: false };
        assert!(compiled.head().frees(&lock));
        std::thread::sleep(std::time::Duration::from_millis(60));
    }
    fs::write(room.join(INTENTS), "active_intents: {}\n").unwrap();
    assert_eq!(load().head().broken(), Some("`active_intents.yaml` line 1: `active_intents` is a mapping"));
    fs::write(room.join(INTENTS), FILE).unwrap();
    fs::write(room.join(IGNORE), "../x\n").unwrap();
    assert!(load().head().broken().unwrap().starts_with("`.intentignore` line 1: "));
    // A torn or foreign cache is not used.
    fs::write(room.join(IGNORE), "").unwrap();
    load();
    let text = fs::read(&cache).unwrap();
    for end in [0, 10, 60, text.len() - 1] {
        fs::write(&cache, &text[..end]).unwrap();
        assert!(load().find("INT-001").is_some(), "{end}");
    }
}
