use std::fs;

use proptest::prelude::*;
use stead_store::Durability;

use super::*;
use crate::trace::{
    Contributor, ContributorKind, Conversation, FileNote, FileOp, FileTrace, LineRange, Metadata, MutationClass,
    NodeNote, Record, SteadNote,
};

const INTENTS: &str = "active_intents:
  - id: INT-2
    name: Billing
    status: IN_PROGRESS
    owned_scope: [\"src/billing/**\"]
    constraints: [amounts are integers]
  - id: INT-1
    name: Sign in
    status: IN_PROGRESS
    owned_scope: [src/login.rs, docs/plan.md]
";

const INVOICE: &str = "pub struct Invoice {
    lines: Vec<u64>,
}

impl Invoice {
    pub fn total(&self) -> u64 {
        self.lines.iter().sum()
    }
}
";

struct Scene {
    folder: tempfile::TempDir,
    ledger: Ledger,
    map: IntentMap,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let room = folder.path().join("intents");
        fs::create_dir_all(&room).unwrap();
        fs::write(room.join("active_intents.yaml"), INTENTS).unwrap();
        let map = IntentMap::of(&room, &folder.path().join("cache"), &folder.path().join("root"));
        let scene = Self { ledger: Ledger::of(&room, None), folder, map };
        scene.write("src/billing/invoice.rs", INVOICE);
        scene
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join("root").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn page(&self) -> String {
        fs::read_to_string(self.map.path()).unwrap()
    }

    fn update(&self) -> Updated {
        self.map.update(&self.ledger, MapBudget::COMMAND).unwrap()
    }

    /// Appends a line: an intent, a class, a file, and the functions that changed.
    fn change(&self, number: u64, intent: &str, class: MutationClass, path: &str, names: &[&str]) -> FileNote {
        let nodes = names.iter().map(|name| NodeNote {
            lang: "rust".into(),
            kind: "method".into(),
            name: (*name).to_owned(),
            start: 6,
            end: 8,
            normal: Some(format!("n-{name}")),
            ..NodeNote::default()
        });
        let note = FileNote { path: path.into(), op: FileOp::Modify, nodes: nodes.collect(), ..FileNote::default() };
        self.append(number, intent, class, note.clone());
        note
    }

    fn append(&self, number: u64, intent: &str, class: MutationClass, note: FileNote) {
        let contributor = Contributor { kind: ContributorKind::Ai, model_id: None };
        let range = LineRange { start_line: 6, end_line: 6, ..LineRange::default() };
        let talk = Conversation { contributor: Some(contributor), ranges: vec![range], ..Conversation::default() };
        let stead = SteadNote {
            v: 1,
            session: Some("s1".into()),
            intent: (!intent.is_empty()).then(|| intent.to_owned()),
            class,
            files: vec![note.clone()],
            ..SteadNote::default()
        };
        let mut record = Record::default();
        Record::VERSION.clone_into(&mut record.version);
        record.id = format!("00000000-0000-4000-8000-{number:012}");
        record.timestamp = format!("2026-11-15T19:{number:02}:30.000Z");
        record.files = vec![FileTrace { path: note.path, conversations: vec![talk] }];
        record.metadata = Metadata { stead: Some(stead) };
        self.ledger.append(&record, Durability::Quick, Duration::from_secs(5)).unwrap();
    }

    fn find(&self, question: &str) -> Vec<Answer> {
        let prompts = [PromptText {
            session: "s1".into(),
            ts: "2026-11-15T19:00:00.000Z".into(),
            text: "Customers must get a VAT receipt".into(),
        }];
        self.map.find(&self.ledger, &Asked { question, prompts: &prompts, most: 10 }).unwrap()
    }
}

fn evolved(scene: &Scene) {
    scene.change(1, "INT-2", MutationClass::Evolution, "src/billing/invoice.rs", &["Invoice::total"]);
}

#[test]
fn a_page_lists_intents_files_and_nodes() {
    let scene = Scene::new();
    assert_eq!(scene.update(), Updated::Unchanged);
    assert!(!scene.map.path().exists(), "nothing is known yet");
    evolved(&scene);
    assert_eq!(scene.update(), Updated::Written);
    let page = scene.page();
    let expected = "## INT-2 Billing\n\n<!-- notes INT-2 -->\n<!-- /notes -->\n\n- `src/billing/invoice.rs`\n  - \
                    method `Invoice::total`, lines 6-8\n\n## Notes\n\n<!-- notes -->\n<!-- /notes -->\n";
    assert!(page.ends_with(expected), "{page}");
    assert_eq!(scene.update(), Updated::Unchanged);
    // Without the state the same page is made again.
    fs::remove_dir_all(scene.folder.path().join("cache")).unwrap();
    assert_eq!(scene.update(), Updated::Unchanged);
    assert_eq!(scene.page(), page);
}

#[test]
fn lines_follow_the_file_and_the_diff_is_small() {
    let scene = Scene::new();
    evolved(&scene);
    scene.update();
    let before = scene.page();
    scene.write("src/billing/invoice.rs", &format!("// new\n\n{INVOICE}"));
    scene.change(2, "INT-2", MutationClass::Evolution, "src/billing/invoice.rs", &["Invoice::total"]);
    assert_eq!(scene.update(), Updated::Written);
    let after = scene.page();
    let changed: Vec<(&str, &str)> = before.lines().zip(after.lines()).filter(|(a, b)| a != b).collect();
    assert_eq!(changed, [("  - method `Invoice::total`, lines 6-8", "  - method `Invoice::total`, lines 8-10")]);
}

#[test]
fn a_refactoring_gives_an_intent_nothing_new() {
    let scene = Scene::new();
    evolved(&scene);
    scene.update();
    let page = scene.page();
    scene.change(2, "INT-1", MutationClass::Refactor, "src/billing/invoice.rs", &["Invoice"]);
    scene.change(3, "", MutationClass::Evolution, "src/billing/invoice.rs", &["Invoice"]);
    assert_eq!(scene.update(), Updated::Unchanged);
    assert_eq!(scene.page(), page);
    // What is moved is followed by its syntax; a renamed file by its name.
    scene.write("src/billing/sum.rs", INVOICE);
    let mut moved = scene.change(4, "INT-1", MutationClass::Refactor, "src/billing/sum.rs", &["Invoice::total"]);
    scene.update();
    assert!(scene.page().contains("- `src/billing/sum.rs`\n  - method `Invoice::total`, lines 6-8\n"));
    moved.from = Some("src/billing/invoice.rs".into());
    moved.path = "src/billing/bill.rs".into();
    moved.op = FileOp::Rename;
    moved.nodes.clear();
    scene.write("src/billing/bill.rs", INVOICE);
    scene.append(5, "INT-1", MutationClass::Refactor, moved);
    scene.update();
    let page = scene.page();
    assert!(
        page.contains("- `src/billing/bill.rs`\n  - method `Invoice::total`") && !page.contains("invoice.rs"),
        "{page}"
    );
    assert!(!page.contains("INT-1"), "{page}");
}

#[test]
fn a_files_order_and_a_deleted_file() {
    let scene = Scene::new();
    scene.write("src/login.rs", "fn login() {}\n");
    scene.write("notes.txt", "x\n");
    scene.change(1, "INT-1", MutationClass::Evolution, "src/login.rs", &["login"]);
    scene.change(2, "GONE-9", MutationClass::Unknown, "notes.txt", &[]);
    scene.change(3, "INT-2", MutationClass::Evolution, "src/billing/invoice.rs", &["Invoice::total"]);
    scene.change(4, "INT-2", MutationClass::Unknown, "../outside.txt", &[]);
    scene.update();
    let page = scene.page();
    let heads: Vec<&str> = page.lines().filter(|line| line.starts_with("## ")).collect();
    assert_eq!(heads, ["## INT-2 Billing", "## INT-1 Sign in", "## GONE-9", "## Notes"], "as in the intents file");
    assert!(!page.contains("outside"));
    fs::remove_file(scene.folder.path().join("root/src/login.rs")).unwrap();
    scene.change(5, "INT-2", MutationClass::Evolution, "src/billing/invoice.rs", &["Invoice"]);
    scene.update();
    assert!(!scene.page().contains("login.rs"));
}

#[test]
fn a_small_budget_leaves_the_rest_to_the_next_command() {
    let scene = Scene::new();
    evolved(&scene);
    evolved(&scene);
    let none = MapBudget { lines: 1, time: Duration::ZERO };
    assert_eq!(scene.map.update(&scene.ledger, none).unwrap(), Updated::Later);
    assert!(!scene.map.path().exists());
    let no_time = MapBudget { time: Duration::ZERO, ..MapBudget::COMMAND };
    assert_eq!(scene.map.update(&scene.ledger, no_time).unwrap(), Updated::Later);
    assert_eq!(scene.update(), Updated::Written);
    assert!(scene.page().contains("Invoice::total"));
}

#[test]
fn a_replaced_ledger_is_read_again() {
    let scene = Scene::new();
    evolved(&scene);
    scene.update();
    for name in ["agent_trace.jsonl", "agent_trace.head"] {
        fs::remove_file(scene.folder.path().join("intents").join(name)).unwrap();
    }
    scene.write("src/login.rs", "fn login() {}\n");
    scene.change(7, "INT-1", MutationClass::Evolution, "src/login.rs", &["login"]);
    scene.update();
    let page = scene.page();
    assert!(page.contains("## INT-1 Sign in") && !page.contains("invoice.rs"), "{page}");
}

#[test]
fn notes_are_kept_and_a_foreign_page_becomes_one() {
    let scene = Scene::new();
    let foreign = "# Our map\r\n\r\nBilling is in `src/billing`.\r\nno line end";
    fs::write(scene.map.path(), foreign).unwrap();
    evolved(&scene);
    scene.update();
    let page = scene.page();
    assert!(page.contains(&format!("<!-- notes -->\r\n{foreign}\n<!-- /notes -->\r\n")), "{page}");
    let noted = page.replace("<!-- notes INT-2 -->\r\n", "<!-- notes INT-2 -->\r\n  Ask Ann \t\nabout `VAT`.\r\n\r\n");
    fs::write(scene.map.path(), &noted).unwrap();
    scene.change(2, "INT-2", MutationClass::Evolution, "src/billing/invoice.rs", &["Invoice"]);
    scene.update();
    let page = scene.page();
    assert!(page.contains("-->\r\n  Ask Ann \t\nabout `VAT`.\r\n\r\n<!-- /notes -->\r\n"), "{page:?}");
    // The intent is removed; its notes are not.
    fs::write(scene.folder.path().join("intents/active_intents.yaml"), "active_intents: []\n").unwrap();
    scene.change(3, "", MutationClass::Evolution, "src/billing/invoice.rs", &["Invoice"]);
    scene.update();
    assert!(scene.page().contains("## INT-2\r\n\r\n<!-- notes INT-2 -->\r\n  Ask Ann"), "{}", scene.page());
    assert_eq!(scene.find("ann")[0].why[0].what.name(), "note");
}

#[test]
fn a_page_that_is_no_text_stays_as_it_is() {
    let scene = Scene::new();
    fs::write(scene.map.path(), b"notes \xff\n").unwrap();
    evolved(&scene);
    let error = scene.map.update(&scene.ledger, MapBudget::COMMAND).unwrap_err();
    assert!(error.to_string().ends_with("it is not UTF-8 after 6 bytes"), "{error}");
    assert_eq!(fs::read(scene.map.path()).unwrap(), b"notes \xff\n");
}

#[track_caller]
fn check_first(scene: &Scene, question: &str, expected: &str) {
    let found = scene.find(question);
    let shown = |answer: &Answer| {
        let line = answer.line.map(|line| format!(":{line}")).unwrap_or_default();
        let why: Vec<&str> = answer.why.iter().map(|reason| reason.what.name()).collect();
        format!("{}{line} {} {}", answer.path, answer.name.as_deref().unwrap_or("-"), why.join(","))
    };
    assert_eq!(found.first().map(shown).as_deref(), Some(expected), "{question}: {found:#?}");
}

#[test]
fn questions_are_answered_with_a_place_and_a_reason() {
    let scene = Scene::new();
    scene.write("src/login.rs", "fn check_password() {}\n\nfn sessionToken() {}\n");
    scene.write("billing.sql", "select 1;\n");
    evolved(&scene);
    scene.change(2, "INT-1", MutationClass::Evolution, "src/login.rs", &["check_password", "sessionToken"]);
    scene.change(3, "", MutationClass::Unknown, "billing.sql", &[]);
    check_first(&scene, "billing logic", "src/billing/invoice.rs:6 Invoice::total intent,path");
    check_first(&scene, "where is the invoice total computed?", "src/billing/invoice.rs:6 Invoice::total name,path");
    check_first(&scene, "session token", "src/login.rs:3 sessionToken name");
    check_first(&scene, "passwords", "src/login.rs:1 check_password name");
    check_first(&scene, "integer amounts", "src/billing/invoice.rs:6 Invoice::total constraint");
    check_first(&scene, "VAT receipts", "src/billing/invoice.rs:6 Invoice::total prompt");
    check_first(&scene, "sql", "billing.sql:1 - path");
    check_first(&scene, "INT-1", "src/login.rs:1 check_password intent");
    check_first(&scene, "plan", "docs/plan.md - path");
    for nothing in
        ["kubernetes", "receipt printer queue dispatcher", "", "?", "the of", "xyzzy billing kubernetes helm chart"]
    {
        assert_eq!(scene.find(nothing), [], "{nothing}");
    }
    // The same question has the same answers.
    assert_eq!(scene.find("billing"), scene.find("billing"));
}

proptest! {
    #[test]
    fn notes_survive_any_number_of_renderings(notes in "(?s)([ab#` \\-]|\r?\n){0,60}", is_general in any::<bool>()) {
        prop_assume!(!notes.contains("<!--"));
        let id = if is_general { "" } else { "X" };
        let notes = format!("{notes}\n");
        let state = MapState::read(Path::new("/none"));
        let page = format!("# Intent map\n<!-- notes {id} -->\n{notes}<!-- /notes -->\n");
        let once = page::render(&state, &[], Some(&page));
        let twice = page::render(&state, &[], Some(&once));
        prop_assert_eq!(&once, &twice);
        let read = page::notes(&twice);
        let kept = if is_general { read.general } else { read.of_intents.get("X").cloned().unwrap_or_default() };
        prop_assert_eq!(kept, notes);
    }
}
