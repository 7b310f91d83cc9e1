use std::path::Path;

use super::*;
use crate::{Document, Status};

fn list(text: &str) -> Document {
    Document::parse(text.as_bytes().to_vec(), Path::new("list")).unwrap()
}

/// Imports into an empty list, and checks `id status title` of each.
#[track_caller]
fn check(text: &str, form: Form, expected: &[&str]) -> Document {
    let imported = import(text, None).unwrap();
    assert_eq!(imported.form, form, "{text}");
    assert_eq!(import(text, Some(form)).unwrap(), imported);
    let mut document = Document::empty(Path::new("list"));
    merge(&mut document, &imported).unwrap();
    let seen: Vec<String> = document
        .list()
        .unwrap()
        .features
        .iter()
        .map(|one| format!("{} {} {}", one.id, one.state(), one.title))
        .collect();
    assert_eq!(seen, expected, "{text}");
    // The same again changes nothing.
    let before = document.clone();
    let again = merge(&mut document, &imported).unwrap();
    assert_eq!((again.added.len(), again.updated.len(), again.unchanged), (0, 0, expected.len()), "{again:?}");
    assert_eq!(document, before);
    document
}

const ANTHROPIC: &str = r#"[
  {"category": "functional", "description": "New chat button creates a chat", "steps": ["Click", "Look"], "passes": false},
  {"category": "style", "description": "日本語", "steps": [], "passes": true}
]"#;

#[test]
fn features_without_ids() {
    let document = check(
        ANTHROPIC,
        Form::Anthropic,
        &["new-chat-button-creates-a-chat pending New chat button creates a chat", "f-ee9ee2b5 implemented 日本語"],
    );
    let feature = document.feature("new-chat-button-creates-a-chat").unwrap();
    assert_eq!((feature.steps.len(), feature.category.as_str(), feature.tested), (2, "functional", false));
}

#[test]
fn stories_of_a_requirements_document() {
    let text = r#"{"project": "x", "branchName": "ralph/x", "userStories": [
        {"id": "US-001", "title": "Add a field", "description": "As a user", "acceptanceCriteria": ["a", "b"], "priority": 1, "passes": true, "notes": ""},
        {"id": "US-002", "title": "Show it", "acceptanceCriteria": ["c"], "priority": 2, "passes": false}]}"#;
    let document = check(text, Form::Prd, &["US-001 implemented Add a field", "US-002 pending Show it"]);
    let story = document.feature("US-001").unwrap();
    assert_eq!(
        (story.steps, story.priority, story.description.as_str()),
        (vec!["a".into(), "b".into()], Some(1), "As a user")
    );
}

#[test]
fn issues() {
    let issues = [
        r#"{"id":"bd-1","title":"First","status":"closed","priority":0,"issue_type":"task","labels":["api"]}"#,
        r#"{"id":"bd-2","title":"Second","status":"in_progress","priority":2,"issue_type":"bug","dependencies":[{"issue_id":"bd-2","depends_on_id":"bd-1","type":"blocks"},{"issue_id":"bd-2","depends_on_id":"bd-9","type":"parent-child"}]}"#,
    ];
    let expected = ["bd-1 implemented First", "bd-2 pending Second"];
    let document = check(&format!("[{}]", issues.join(",")), Form::Beads, &expected);
    check(&issues.join("\n"), Form::Beads, &expected);
    assert_eq!(document.feature("bd-2").unwrap().depends_on, ["bd-1"]);
}

#[test]
fn check_boxes() {
    let text = "# Plan\n\nText\n\n## API\n- [ ] **F-1**: Sign in\n  - [x] form\n  - [ ] check\n- [x] Sign out\n```\n- [ ] not this\n```\n\n## Web\n1. [ ] F-2 - Show `it`\n* [X] Search\n- [link](x)\n";
    let document = check(
        text,
        Form::Markdown,
        &["F-1 pending Sign in", "sign-out implemented Sign out", "F-2 pending Show it", "search implemented Search"],
    );
    let first = document.feature("F-1").unwrap();
    assert_eq!((first.steps, first.category.as_str()), (vec!["form".into(), "check".into()], "API"));
}

#[test]
fn tasks_of_a_specification() {
    let text = "## Phase 1: Setup\n- [x] T001 Create the project\n- [ ] T002 [P] [US1] Model in src/user.py (depends on T001)\n";
    let document = check(
        text,
        Form::SpecKit,
        &["T001 implemented Create the project", "T002 pending Model in src/user.py (depends on T001)"],
    );
    let task = document.feature("T002").unwrap();
    assert_eq!((task.labels, task.depends_on), (vec!["P".into(), "US1".into()], vec!["T001".into()]));
}

#[test]
fn our_own_list_comes_back_untested() {
    let text = r#"{"schema": "stead.feature-list/1", "features": [{"id": "a", "title": "A", "verifiers": ["x"], "status": "tested", "tested": true}]}"#;
    let document = check(text, Form::Stead, &["a implemented A"]);
    assert_eq!(document.feature("a").unwrap().verifiers, ["x"]);
}

#[test]
fn a_second_import_updates_and_never_untests() {
    let mut document = list(
        r#"[{"id":"US-1","title":"old","status":"tested","tested":true,"attempts":3,"mine":1},{"id":"US-2","status":"blocked"}]"#,
    );
    let text = r#"{"userStories": [{"id":"US-1","title":"new","passes":false},{"id":"US-2","title":"t","passes":true},{"id":"US-3","title":"x"}]}"#;
    let merged = merge(&mut document, &import(text, None).unwrap()).unwrap();
    assert_eq!((merged.added, merged.updated), (vec!["US-3".to_owned()], vec!["US-1".to_owned(), "US-2".to_owned()]));
    let first = document.feature("US-1").unwrap();
    assert_eq!(
        (first.state(), first.title.as_str(), first.attempts, first.other["mine"] == 1),
        (Status::Tested, "new", 3, true)
    );
    assert_eq!(document.feature("US-2").unwrap().state(), Status::Blocked);
}

#[test]
fn texts_with_the_same_id_stay_apart() {
    let text = "- [ ] Do it!\n- [ ] Do it?\n- [ ] Do it?\n";
    let imported = import(text, None).unwrap();
    assert_eq!(imported.notes.len(), 1);
    let mut document = list(r#"[{"id": "do-it"}]"#);
    let merged = merge(&mut document, &imported).unwrap();
    assert_eq!(merged.added, ["do-it-2", "do-it-2-2"]);
    let again = merge(&mut document, &imported).unwrap();
    assert_eq!((again.added.len(), again.unchanged), (0, 2));
}

#[test]
fn what_is_no_list_is_refused() {
    for text in ["", "words", "{}", "[]", "[1]", "{\"userStories\": [{}]}", "3", "{torn"] {
        assert!(import(text, None).is_err(), "{text}");
    }
    assert!(import("words", Some(Form::Markdown)).is_err());
    let lost = import(r#"[{"id":"a","title":"A","issue_type":"x","dependencies":["zz"]}]"#, None).unwrap();
    let merged = merge(&mut Document::empty(Path::new("l")), &lost).unwrap();
    assert!(merged.notes[0].contains("`zz`"), "{:?}", merged.notes);
}
