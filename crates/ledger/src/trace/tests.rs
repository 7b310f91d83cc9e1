use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};
use stead_store::Durability;

use super::*;
use crate::MutationClaim;

const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5);

fn facts() -> CallFacts {
    CallFacts {
        timestamp: "2026-11-15T19:45:30.123Z".into(),
        revision: Some("3f786850e387550fdab836ed7e6dc881de23001b".into()),
        contributor: ContributorKind::Ai,
        model: Some("anthropic/claude".into()),
        session: Some("s-1".into()),
        harness: Some("agent".into()),
        intent: Some("INT-001".into()),
        claim: Some(MutationClaim::Evolution),
        call: Some("call-1".into()),
        tool: Some("Edit".into()),
        ..CallFacts::default()
    }
}

fn change(path: &str, before: Option<&str>, after: Option<&str>) -> FileChange {
    let side = |text: Option<&str>| text.map_or(Side::Absent, |text| Side::Bytes(text.into()));
    FileChange { path: path.into(), from: None, before: side(before), after: side(after) }
}

fn record(changes: &[FileChange]) -> Record {
    build(&facts(), changes, Budget::COMMAND).unwrap()
}

fn ranges(record: &Record) -> Vec<(u64, u64)> {
    let talks = record.files.iter().flat_map(|file| &file.conversations);
    talks.flat_map(|talk| &talk.ranges).map(|range| (range.start_line, range.end_line)).collect()
}

/// Agent Trace 0.1.0, as its authors publish it.
fn validator() -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(&stead_store::schema("agent-trace").unwrap().text()).unwrap();
    jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
}

#[track_caller]
fn check_valid(value: &Value) {
    let problems: Vec<String> = validator().iter_errors(value).map(|error| error.to_string()).collect();
    assert_eq!(problems, [""; 0], "{value:#}");
}

#[track_caller]
fn check_ranges(before: &str, after: &str, expected: &[(u64, u64)]) {
    let found = build(&facts(), &[change("a.txt", Some(before), Some(after))], Budget::COMMAND);
    assert_eq!(found.as_ref().map(ranges).unwrap_or_default(), expected, "{before:?} {after:?}");
}

#[test]
fn a_record_is_valid_agent_trace() {
    let mut gone = change("c.bin", None, None);
    gone.before = Side::Unknown { hash: None };
    let mut renamed = change("new name.txt", Some("x\n"), Some("x\n"));
    renamed.from = Some("old.txt".into());
    let changes =
        [change("a.rs", Some("fn a() {}\n"), Some("fn b() {}\n")), change("b", None, Some("")), gone, renamed];
    let record = record(&changes);
    let value = serde_json::to_value(&record).unwrap();
    check_valid(&value);
    let note = &value["metadata"]["dev.stead"];
    let ops: Vec<&str> = note["files"].as_array().unwrap().iter().map(|file| file["op"].as_str().unwrap()).collect();
    assert_eq!(ops, ["modify", "add", "delete", "rename"]);
    assert_eq!(value["files"][0]["conversations"][0]["related"][0]["url"], "intent:INT-001");
    assert_eq!(note["files"][3]["from"], "old.txt");
    assert_eq!(note["claim"], "INTENT_EVOLUTION");
    let read = Record::parse(&value.to_string()).unwrap();
    assert_eq!(read, record);
    assert_eq!(
        (read.intent(), read.session(), read.contributor()),
        (Some("INT-001"), Some("s-1"), ContributorKind::Ai)
    );
}

#[test]
fn the_schema_refuses_the_older_dialect() {
    let valid = serde_json::to_value(record(&[change("a", None, Some("x"))])).unwrap();
    let check = |pointer: &str, value: Value| {
        let mut broken = valid.clone();
        *broken.pointer_mut(pointer).unwrap() = value;
        assert!(!validator().is_valid(&broken), "{pointer}");
    };
    check("/version", json!("1.0"));
    check("/id", json!("not a uuid"));
    check("/timestamp", json!("yesterday"));
    check("/files", json!({}));
    check("/vcs", json!({"revision_id": "x"}));
    check("/files/0", json!({"relative_path": "a", "conversations": []}));
    check("/files/0/conversations/0/contributor/type", json!("AI"));
    check("/files/0/conversations/0/ranges/0/start_line", json!(0));
    check("/files/0/conversations/0/related/0", json!({"type": "specification", "value": "REQ-1"}));
    check("/files/0/conversations/0/related/0/url", json!("INT 1"));
    check("/files/0/conversations/0/contributor/model_id", json!("x".repeat(251)));
}

#[test]
fn a_range_has_only_lines_that_differ() {
    check_ranges("a\nb\nc\n", "a\nx\nc\n", &[(2, 2)]);
    check_ranges("a\nb\nc\n", "a\nc\n", &[]);
    check_ranges("a\nb\nc\nd\n", "x\nb\nc\ny\n", &[(1, 1), (4, 4)]);
    check_ranges("", "a\nb", &[(1, 2)]);
    check_ranges("a\r\nb\r\n", "a\nb\nc\n", &[(3, 3)]);
    check_ranges("a", "a\n", &[]);
    check_ranges("a\n", "a\n\n\n", &[(2, 3)]);
}

#[test]
fn nothing_changed_is_no_record() {
    assert_eq!(build(&facts(), &[], Budget::COMMAND), None);
    assert_eq!(build(&facts(), &[change("a", Some("x"), Some("x")), change("b", None, None)], Budget::COMMAND), None);
}

#[test]
fn what_cannot_be_compared_is_provisional_or_only_hashed() {
    let phase = |before: Side, after: Side| {
        let change = FileChange { path: "a".into(), before, after, from: None };
        let record = build(&facts(), &[change], Budget::COMMAND).unwrap();
        (record.stead().unwrap().phase, ranges(&record).len())
    };
    let text = || Side::Bytes("a\n".into());
    let known = || Side::Unknown { hash: Some(stead_code::file_hash(b"b").to_string()) };
    assert_eq!(phase(known(), text()), (Phase::Provisional, 0));
    assert_eq!(phase(Side::Unseen, text()), (Phase::Provisional, 0));
    assert_eq!(phase(text(), known()), (Phase::Provisional, 0));
    assert_eq!(phase(known(), Side::Absent), (Phase::Final, 0));
    assert_eq!(phase(Side::Bytes(vec![0xff, 0]), text()), (Phase::Final, 0));
    assert_eq!(phase(text(), Side::Bytes(vec![0xff, 0])), (Phase::Final, 0));
    let big = "line\n".repeat(10);
    let small = Budget { bytes: 10, ..Budget::COMMAND };
    let record = build(&facts(), &[change("a", None, Some(&big))], small).unwrap();
    assert_eq!(record.stead().unwrap().phase, Phase::Provisional);
}

#[test]
fn a_line_of_the_ledger_is_never_too_long() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = Ledger::of(folder.path(), None);
    let huge: String = (0..100_000).map(|n| format!("line {n}\n")).collect();
    let odd: String = (0..100_000).map(|n| if n % 9 == 0 { "x\n".into() } else { format!("line {n}\n") }).collect();
    let many: Vec<FileChange> = (0..4_000).map(|n| change(&format!("folder/file-{n}.rs"), None, Some("x\n"))).collect();
    let cases = [vec![change("a", None, Some(&huge))], vec![change("a", Some(&huge), Some(&odd))], many];
    for changes in cases {
        ledger.append(&record(&changes), Durability::Quick, PATIENCE).unwrap();
    }
    assert_eq!(ledger.verify().unwrap().flaws, []);
    let last = Ledger::read_back(&ledger.sources()[0]).unwrap().next().unwrap().unwrap().record;
    assert_eq!(last.files.len() as u64 + last.stead().unwrap().more, 4_000);
}

/// What a program that follows the older text writes.
fn older() -> Value {
    json!({
        "id": "b3c6f6f0-0000-4000-8000-000000000001",
        "timestamp": "2026-02-16T12:00:00Z",
        "vcs": {"revision_id": "abc"},
        "intent_id": "REQ-001",
        "mutation_class": "AST_REFACTOR",
        "files": [{"relative_path": "src/a.ts", "conversations": [{
            "url": "session_log_id",
            "contributor": {"entity_type": "AI", "model_identifier": "claude-3-5-sonnet"},
            "ranges": [{"start_line": 15, "end_line": 45, "content_hash": "sha256:a8f5"}],
            "related": [{"type": "specification", "value": "REQ-001"}]
        }]}]
    })
}

#[test]
fn both_dialects_are_read() {
    let mut text = older();
    let read = Record::parse(&text.to_string()).unwrap();
    assert_eq!(
        (read.intent(), read.class(), read.contributor()),
        (Some("REQ-001"), MutationClass::Refactor, ContributorKind::Ai)
    );
    assert_eq!(read.paths().collect::<Vec<_>>(), ["src/a.ts"]);
    assert_eq!(read.vcs.as_ref().unwrap().revision, "abc");
    let exported = export(&read, Dialect::AgentTrace);
    check_valid(&exported);
    let again = Record::parse(&exported.to_string()).unwrap();
    assert_eq!((again.intent(), again.class()), (read.intent(), read.class()));
    text.as_object_mut().unwrap().remove("intent_id");
    assert_eq!(Record::parse(&text.to_string()).unwrap().intent(), Some("REQ-001"));
    for foreign in [
        r#"["","x","y",null,null,[]]"#,
        "{}",
        "{\"id\":1}",
        "[]",
        "{\"id\":\"x\",\"timestamp\":\"t\",\"files\":3}",
        "not json",
    ] {
        assert_eq!(Record::parse(foreign), None, "{foreign}");
    }
}

#[test]
fn the_older_dialect_is_written_as_it_is_read() {
    let own = record(&[change("a.rs", Some("a\n"), Some("b\n"))]);
    let value = export(&own, Dialect::Trp1);
    let again = Record::parse(&value.to_string()).unwrap();
    assert_eq!((again.intent(), again.class(), again.contributor()), (own.intent(), own.class(), own.contributor()));
    assert_eq!((&again.id, again.paths().next()), (&own.id, own.paths().next()));
    assert_eq!(ranges(&again), ranges(&own));
    let talk = &value["files"][0]["conversations"][0];
    assert_eq!(talk["contributor"], json!({"entity_type": "AI", "model_identifier": "anthropic/claude"}));
    assert_eq!(talk["related"], json!([{"type": "specification", "value": "INT-001"}]));
    assert_eq!(value["vcs"]["revision_id"], own.vcs.as_ref().unwrap().revision);
    assert_eq!(value["mutation_class"], own.class().name());
}

#[test]
fn ledgers_of_others_are_read_beside_ours() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let line = format!("{}\n", older());
    write("agent_trace.jsonl", &format!("{line}{{\"foreign\":1}}\n{{torn"));
    write("peers/bob.jsonl", &line);
    write("peers/ann.jsonl", &line.repeat(2));
    write("peers/readme.md", "no ledger");
    let ledger = Ledger::of(folder.path(), None);
    assert_eq!(ledger.path().file_name().unwrap(), Path::new(Ledger::OTHER_FILE));
    ledger.append(&record(&[change("a", None, Some("x"))]), Durability::Quick, PATIENCE).unwrap();
    // The answer stays the same once there is a chain.
    let ledger = Ledger::of(folder.path(), None);
    let counts: Vec<(Option<String>, usize)> = ledger
        .sources()
        .into_iter()
        .map(|source| (source.peer.clone(), Ledger::read(&source).unwrap().count()))
        .collect();
    let named = |name: &str| Some(name.to_owned());
    assert_eq!(counts, [(None, 1), (named("agent_trace"), 1), (named("ann"), 2), (named("bob"), 1)]);
    assert_eq!(std::fs::read_to_string(folder.path().join("agent_trace.jsonl")).unwrap().lines().count(), 3);
}

#[test]
fn an_empty_folder_gets_the_usual_name() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("deep/intents");
    for _ in 0..2 {
        let ledger = Ledger::of(&dir, Some(&folder.path().join("state")));
        assert_eq!(ledger.path(), dir.join(Ledger::FILE));
        ledger.append(&record(&[change("a", None, Some("x"))]), Durability::Quick, PATIENCE).unwrap();
    }
    assert_eq!(Ledger::of(&dir, Some(&folder.path().join("state"))).verify().unwrap().lines, 2);
}

proptest! {
    #[test]
    fn any_change_gives_a_valid_record(path in "\\PC{0,20}", intent in "\\PC{0,20}", before in "[ab\r\n]{0,20}", after in "[abc\r\n]{0,20}") {
        let facts = CallFacts { intent: Some(intent), ..facts() };
        if let Some(record) = build(&facts, &[change(&path, Some(&before), Some(&after))], Budget::COMMAND) {
            let value = serde_json::to_value(&record).unwrap();
            prop_assert!(validator().is_valid(&value), "{}", value);
            let new: Vec<&str> = after.lines().collect();
            let note = &record.stead().unwrap().files[0];
            let mut hashes = String::new();
            for range in &record.files[0].conversations[0].ranges {
                let own = &new[range.start_line as usize - 1..range.end_line as usize];
                prop_assert_eq!(range.content_hash.clone().unwrap(), stead_code::file_hash((own.join("\n") + "\n").as_bytes()).to_string());
                own.iter().for_each(|line| hashes.push_str(&stead_code::line_hash(line).to_string()));
            }
            prop_assert_eq!(&note.lines, &hashes);
        }
    }

    #[test]
    fn removed_and_repeated_lines_are_counted_over_whole_files(
        old in prop::collection::vec(0..5_usize, 0..12), new in prop::collection::vec(0..5_usize, 0..12)
    ) {
        const TEXTS: [&str; 5] = ["alpha beta", "  gamma delta", "gamma delta", "}", "epsilon zeta"];
        let text = |lines: &[usize]| lines.iter().map(|at| format!("{}\n", TEXTS[*at])).collect::<String>();
        let change = change("a.txt", Some(&text(&old)), Some(&text(&new)));
        if let Some(record) = build(&facts(), &[change], Budget::COMMAND) {
            let note = &record.stead().unwrap().files[0];
            let hashes = |mut all: Vec<String>| { all.sort(); all.concat() };
            let (mut gone, mut several) = (Vec::new(), Vec::new());
            for known in ["alpha beta", "gamma delta", "epsilon zeta"] {
                let count = |lines: &[usize]| lines.iter().filter(|at| TEXTS[**at].trim() == known).count();
                let (old, new) = (count(&old), count(&new));
                gone.extend(std::iter::repeat_n(stead_code::line_hash(known).to_string(), old.saturating_sub(new)));
                several.extend((old > new && old > 1).then(|| stead_code::line_hash(known).to_string()));
            }
            prop_assert_eq!(&note.gone, &hashes(gone));
            prop_assert!(several.iter().all(|hash| note.again.contains(hash) || note.kept.contains(hash)));
        }
    }

    #[test]
    fn any_text_can_be_parsed(text in "\\PC*") {
        let _ = Record::parse(&text);
    }
}
