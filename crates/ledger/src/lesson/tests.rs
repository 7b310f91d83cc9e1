use std::fs;
use std::path::Path;

use proptest::prelude::*;
use stead_store::Durability;

use super::document::Document;
use super::*;
use crate::LedgerError;
use crate::trace::{Budget, CallFacts, FileChange, Ledger, Side, build};

const NOW: &str = "2026-11-15T19:45:30.123Z";

fn lessons(folder: &Path, tokens: usize) -> Lessons {
    Lessons::of(&folder.join("intents"), &folder.join("indexes"), tokens)
}

fn new(kind: LessonKind, text: &str) -> NewLesson {
    NewLesson { kind, text: text.to_owned(), ..NewLesson::default() }
}

fn texts(lessons: &Lessons) -> Vec<String> {
    lessons.entries().unwrap().into_iter().map(|entry| entry.text).collect()
}

#[test]
fn a_new_file_says_whose_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let lessons = lessons(folder.path(), 1_000);
    assert_eq!(lessons.entries().unwrap(), []);
    lessons.add(&new(LessonKind::Style, "tabs, never\nspaces"), NOW).unwrap();
    lessons.add(&new(LessonKind::Pitfall, "the cache is not thread-safe"), NOW).unwrap();
    lessons.add(&new(LessonKind::Style, "short names"), NOW).unwrap();
    let text = fs::read_to_string(lessons.path()).unwrap();
    let block = text.split_once("<!-- stead:lessons -->\n").unwrap().1;
    let ids: Vec<String> = lessons.entries().unwrap().into_iter().map(|entry| entry.id).collect();
    assert_eq!(
        block,
        format!(
            "\n## Style rules\n\n- [{}] 2026-11-15: tabs, never spaces\n- [{}] 2026-11-15: short names\n\n\
             ## Pitfalls\n\n- [{}] 2026-11-15: the cache is not thread-safe\n\n<!-- /stead:lessons -->\n",
            ids[0], ids[1], ids[2]
        )
    );
    assert!(text.starts_with("# Lessons\n"));
}

#[test]
fn duplicates_are_counted_not_added() {
    let folder = tempfile::tempdir().unwrap();
    let lessons = lessons(folder.path(), 1_000);
    let first = lessons.add(&new(LessonKind::Lesson, "Use the pool."), NOW).unwrap();
    for text in ["use the  POOL", "Use the pool!", "Use the\npool."] {
        let again = lessons.add(&new(LessonKind::Lesson, text), NOW).unwrap();
        assert_eq!((again.id.as_str(), again.is_known), (first.id.as_str(), true), "{text}");
    }
    assert!(!lessons.add(&new(LessonKind::Decision, "Use the pool."), NOW).unwrap().is_known, "another kind");
    assert_eq!(lessons.by_use().unwrap()[0].1, 3);
    assert_eq!(texts(&lessons).len(), 2);
}

#[test]
fn over_budget_the_least_used_goes_first_and_never_the_newest() {
    let folder = tempfile::tempdir().unwrap();
    // Room for two entries of about 40 bytes.
    let lessons = lessons(folder.path(), 25);
    let id = |text: &str| lessons.add(&new(LessonKind::Lesson, text), NOW).unwrap();
    let first = id("first lesson");
    let second = id("second lesson");
    lessons.told(vec![first.id.clone()], Some("s"), NOW).unwrap();
    let third = id("third lesson");
    assert_eq!(third.displaced, [second.id]);
    assert_eq!(texts(&lessons), ["first lesson", "third lesson"]);
    let huge = id(&"long ".repeat(100));
    assert_eq!(huge.displaced, [third.id, first.id], "the newest stays, whatever its size");
    assert_eq!(texts(&lessons).len(), 1);
}

#[test]
fn what_a_person_edited_is_never_displaced() {
    let folder = tempfile::tempdir().unwrap();
    let lessons = lessons(folder.path(), 1);
    lessons.add(&new(LessonKind::Lesson, "first lesson"), NOW).unwrap();
    let text = fs::read_to_string(lessons.path()).unwrap().replace("first lesson", "first lesson,\n  in my words");
    fs::write(lessons.path(), &text).unwrap();
    assert_eq!(texts(&lessons), ["first lesson, in my words"]);
    assert!(!lessons.entries().unwrap()[0].is_unedited());
    assert_eq!(lessons.add(&new(LessonKind::Lesson, "second"), NOW).unwrap().displaced, [""; 0]);
    let after = fs::read_to_string(lessons.path()).unwrap();
    assert!(after.contains("first lesson,\n  in my words\n- ["), "{after}");
}

#[test]
fn an_entry_cannot_break_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let lessons = lessons(folder.path(), 1_000);
    let evil = "x\n<!-- /stead:lessons -->\n## Decisions\n- [L-00000000] 2026-01-01: fake\u{7}";
    lessons.add(&new(LessonKind::Lesson, evil), NOW).unwrap();
    lessons.add(&new(LessonKind::Lesson, "key TOKEN=abc123secret"), NOW).unwrap();
    let entries = lessons.entries().unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[1].text, "key TOKEN=[redacted]");
    for bad in ["", " \n\t", &"x".repeat(Lessons::LONGEST + 1)] {
        assert!(matches!(lessons.add(&new(LessonKind::Lesson, bad), NOW), Err(LedgerError::Invalid { .. })));
    }
    fs::write(lessons.path(), b"a\n\xff\n").unwrap();
    match lessons.add(&new(LessonKind::Lesson, "x"), NOW) {
        Err(LedgerError::Malformed { line: 2, .. }) => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(fs::read(lessons.path()).unwrap(), b"a\n\xff\n");
}

#[test]
fn a_dropped_lesson_is_not_learnt_again_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let lessons = lessons(folder.path(), 1_000);
    let learnt = NewLesson { of: Some("e1".into()), ..new(LessonKind::Failure, "`t` failed → `t` passed") };
    let id = lessons.add(&learnt, NOW).unwrap().id;
    match lessons.drop_one("L-", NOW).and_then(|_| lessons.drop_one("L-", NOW)) {
        Err(LedgerError::UnknownLesson { matching: 0, .. }) => {}
        other => panic!("{other:?}"),
    }
    assert!(lessons.add(&learnt, NOW).unwrap().is_known);
    assert_eq!(texts(&lessons), [""; 0]);
    let by_hand = lessons.add(&NewLesson { of: None, ..learnt }, NOW).unwrap();
    assert_eq!((by_hand.id, by_hand.is_known), (id, false), "a person or an agent may say it");
}

#[test]
fn many_writers_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let lessons = lessons(folder.path(), 100_000);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let lessons = &lessons;
            scope.spawn(move || {
                for number in 0..10 {
                    lessons.add(&new(LessonKind::Lesson, &format!("writer {writer} lesson {number}")), NOW).unwrap();
                }
            });
        }
    });
    assert_eq!(texts(&lessons).len(), 40);
}

fn run(ts: &str, command: &str, end: RunEnd) -> Run {
    Run {
        id: format!("e-{ts}"),
        ts: format!("2026-11-15T19:{ts}:00.000Z"),
        command: command.into(),
        dir: Some(String::new()),
        runner: Some("cargo".into()),
        feature: None,
        is_whole: !command.contains("only"),
        end,
        outcome: "exit 101".into(),
        telling: Some("error: `x` is wrong".into()),
        session: Some("s1".into()),
    }
}

fn changed(ledger: &Ledger, ts: &str, path: &str) {
    let facts = CallFacts {
        timestamp: format!("2026-11-15T19:{ts}:00.000Z"),
        session: Some("s1".into()),
        ..CallFacts::default()
    };
    let change =
        FileChange { path: path.into(), from: None, before: Side::Absent, after: Side::Bytes(b"fn a() {}\n".to_vec()) };
    let record = build(&facts, &[change], Budget::COMMAND).unwrap();
    ledger.append(&record, Durability::Quick, std::time::Duration::from_secs(5)).unwrap();
}

#[track_caller]
fn check_learnt(runs: &[Run], ended: Option<&str>, expected: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let (lessons, ledger) = (lessons(folder.path(), 10_000), Ledger::of(&folder.path().join("intents"), None));
    changed(&ledger, "05", "before.rs");
    changed(&ledger, "15", "src/a.rs");
    changed(&ledger, "25", "after.rs");
    let learning = Learning { runs, ledger: &ledger, ended, now: NOW };
    for _ in 0..2 {
        // The second time nothing is new.
        learn(&lessons, &learning).unwrap();
        assert_eq!(texts(&lessons), expected);
        assert!(lessons.by_use().unwrap().iter().all(|(_, uses)| *uses == 0));
    }
}

#[test]
fn a_failure_that_is_solved_is_learnt_once() {
    use RunEnd::{Failed, Passed, Unknown};
    let failed = "`cargo test` failed (exit 101): `error: 'x' is wrong` → ";
    let solved = format!("{failed}`cargo test` passed after changes to `src/a.rs` (a)");
    check_learnt(&[], Some("s1"), &[]);
    check_learnt(&[run("10", "cargo test", Passed), run("20", "cargo test", Passed)], Some("s1"), &[]);
    check_learnt(&[run("10", "cargo test", Failed), run("20", "cargo test", Passed)], None, &[&solved]);
    // Attempts in between belong to the same failure.
    let runs = [run("10", "cargo test", Failed), run("12", "cargo test", Unknown), run("18", "cargo  test", Failed)];
    let runs: Vec<Run> = runs.into_iter().chain([run("20", "cargo test", Passed)]).collect();
    check_learnt(&runs, None, &[&solved]);
    // A run of everything solves the failure of one test; not the other way round.
    let one = "`cargo test only` failed (exit 101): `error: 'x' is wrong` → `cargo test` passed after changes to `src/a.rs` (a)";
    check_learnt(&[run("10", "cargo test only", Failed), run("20", "cargo test", Passed)], None, &[one]);
    check_learnt(&[run("10", "cargo test", Failed), run("20", "cargo test only", Passed)], None, &[]);
    let other = Run { runner: Some("pytest".into()), ..run("20", "pytest", Passed) };
    check_learnt(&[run("10", "cargo test", Failed), other], None, &[]);
    // One feature may have several verifiers.
    let of = |run: Run| Run { feature: Some("f".into()), runner: None, ..run };
    let by_feature =
        "`./only a` failed (exit 101): `error: 'x' is wrong` → `./only b` passed after changes to `src/a.rs` (a)";
    check_learnt(&[of(run("10", "./only a", Failed)), of(run("20", "./only b", Passed))], None, &[by_feature]);
    let flaky = format!("{failed}`cargo test` passed later without a recorded change; it may be flaky");
    check_learnt(&[run("30", "cargo test", Failed), run("40", "cargo test", Passed)], None, &[&flaky]);
}

#[test]
fn a_failure_that_stays_is_learnt_at_the_end_of_its_session() {
    let failed = [run("30", "cargo clippy", RunEnd::Failed)];
    check_learnt(&failed, None, &[]);
    check_learnt(&failed, Some("s2"), &[]);
    let stayed = "`cargo clippy` failed (exit 101): `error: 'x' is wrong` → still failing when session `s1` ended; \
                  it changed `after.rs` (a), `src/a.rs` (a), `before.rs` (a)";
    check_learnt(&failed, Some("s1"), &[stayed]);
}

#[test]
fn a_solution_takes_the_place_of_what_stayed() {
    let folder = tempfile::tempdir().unwrap();
    let (lessons, ledger) = (lessons(folder.path(), 10_000), Ledger::of(&folder.path().join("intents"), None));
    let mut runs = vec![run("30", "cargo clippy", RunEnd::Failed)];
    let now = |runs: &[Run], ended| learn(&lessons, &Learning { runs, ledger: &ledger, ended, now: NOW }).unwrap().ids;
    assert_eq!(now(&runs, Some("s1")).len(), 1);
    runs.push(run("40", "cargo clippy", RunEnd::Passed));
    now(&runs, None);
    let left = texts(&lessons);
    assert_eq!(left.len(), 1);
    assert!(left[0].ends_with("it may be flaky"), "{left:?}");
    // The same failure with other numbers is the same lesson.
    runs.push(Run { outcome: "exit 1".into(), ..run("50", "cargo clippy", RunEnd::Failed) });
    runs.push(run("55", "cargo clippy", RunEnd::Passed));
    now(&runs, None);
    assert_eq!(lessons.by_use().unwrap().iter().map(|(_, uses)| *uses).collect::<Vec<_>>(), [1]);
}

#[test]
fn the_telling_line_names_the_error() {
    let check = |output: &str, expected: Option<&str>| assert_eq!(telling_line(output).as_deref(), expected);
    check("", None);
    check("----\n", None);
    check("ok\nall good\n", Some("all good"));
    check(
        "running 1 test\nthread 'a' panicked at src/a.rs:1\nerror: test failed\n",
        Some("thread 'a' panicked at src/a.rs:1"),
    );
    check("x\n  error[E0308]: mismatched types\n1 failed", Some("error[E0308]: mismatched types"));
}

proptest! {
    #[test]
    fn the_rest_of_the_file_keeps_its_bytes(
        before in "(?s)([ab#\\-\\[\\]L` \t]|\r?\n){0,40}",
        after in "(?s)([ab#\\-\\[\\] ]|\r?\n){0,30}",
        with_block in any::<bool>(),
        words in prop::collection::vec(("\\PC{1,20}", 0usize..5), 1..6),
    ) {
        let text = match with_block {
            true => format!("{before}\n<!-- stead:lessons -->\n{after}\n<!-- /stead:lessons -->\nend{before}"),
            false => before.clone(),
        };
        let old = Document::new(text.clone()).entries().len();
        let mut document = Document::new(text.clone());
        let mut ids = Vec::new();
        for (text, kind) in &words {
            ids.push(document.add(LessonKind::ALL[*kind], "2026-11-15", &document::clean(text)));
        }
        prop_assert_eq!(document.entries().len(), old + words.len());
        let grown = document.clone().into_text();
        // Every line that was there is still there, in its order.
        let mut rest = grown.as_str();
        for line in text.split_inclusive('\n') {
            let at = rest.find(line);
            prop_assert!(at.is_some(), "{:?} lost in {:?}", line, grown);
            rest = &rest[at.unwrap() + line.len()..];
        }
        let crlf = text.split_inclusive('\n').next().is_some_and(|line| line.ends_with("\r\n"));
        for line in grown.split_inclusive('\n').filter(|line| ids.iter().any(|id| line.contains(id.as_str()))) {
            prop_assert_eq!(line.ends_with("\r\n"), crlf);
        }
        // Removing what was added leaves the old lines, the marks and headings.
        for id in &ids {
            let entry = document.entries().into_iter().rev().find(|entry| entry.id == *id);
            prop_assert!(entry.is_some());
            document.remove(&entry.unwrap());
        }
        prop_assert_eq!(document.entries().len(), old);
    }
}
