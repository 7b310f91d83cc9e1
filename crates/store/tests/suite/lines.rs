use std::io::Cursor;
use std::path::Path;

use proptest::prelude::*;
use stead_store::{LINE_LIMIT, Line, Lines, Tail};

/// Reads the bytes from both ends and checks that both saw the same.
#[track_caller]
fn read(bytes: &[u8]) -> (Vec<Line>, u64) {
    let name = Path::new("log");
    let mut lines = Lines::new(bytes, name);
    let whole: Vec<_> = lines.by_ref().map(Result::unwrap).collect();
    let mut tail = Tail::new(Cursor::new(bytes), name).unwrap();
    let mut backwards: Vec<_> = tail.by_ref().map(Result::unwrap).collect();
    backwards.reverse();
    assert_eq!(whole, backwards);
    assert_eq!(lines.skipped(), tail.skipped());
    for line in &whole {
        let at = line.offset as usize;
        let from_there = bytes[at..].trim_ascii_start();
        assert!(from_there.starts_with(line.text.as_bytes()), "the offset points elsewhere");
    }
    (whole, lines.skipped())
}

#[track_caller]
fn check(text: &str, expected: &[&str], skipped: u64) {
    let (lines, counted) = read(text.as_bytes());
    assert_eq!(lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), expected, "{text:?}");
    assert_eq!(counted, skipped, "{text:?}");
}

#[test]
fn whole_lines_are_given_and_others_counted() {
    check("", &[], 0);
    check("\n\n", &[], 0);
    check("{}", &["{}"], 0);
    check("{}\n", &["{}"], 0);
    check("{\"a\":1}\r\n{\"b\":2}\r\n", &["{\"a\":1}", "{\"b\":2}"], 0);
    check("{\"a\":1}\n{\"b\":", &["{\"a\":1}"], 1);
    check("{\"a\":\n{\"b\":2}\n", &["{\"b\":2}"], 1);
    check("{\"a\":{\"b\":1}\n{}", &["{}"], 1);
    check("1\n[]\n\"x\"\nnull\n{}", &["{}"], 4);
    check("{}{}\n", &[], 1);
    check("\0\0\0\n{}\n", &["{}"], 1);
    check("  {} \n", &["{}"], 0);
}

#[test]
fn lines_beyond_the_limit_are_counted_once() {
    let fits = format!("{{\"p\":\"{}\"}}", "x".repeat(LINE_LIMIT - 8));
    assert_eq!(fits.len(), LINE_LIMIT);
    let long = format!("{{\"p\":\"{}\"}}", "x".repeat(LINE_LIMIT - 7));
    let huge = format!("{{\"p\":\"{}\"}}", "x".repeat(3 * LINE_LIMIT));
    let blank = " ".repeat(LINE_LIMIT + 50_000);
    check(&format!("{{}}\n{fits}\n{long}\n{huge}\n{blank}\n{{}}\n"), &["{}", &fits, "{}"], 3);
    check(&huge, &[], 1);
}

#[test]
fn nesting_does_not_exhaust_the_stack() {
    let deep = format!("{}{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
    let (_, skipped) = read(format!("{deep}\n{{}}").as_bytes());
    assert_eq!(skipped, 1);
}

#[test]
fn the_tail_reads_only_what_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let file = std::fs::File::create(&path).unwrap();
    // A terabyte that nobody could read in time, with one line at its end.
    file.set_len(1 << 40).unwrap();
    stead_store::append_line(&path, "{\"last\":1}", stead_store::Durability::Quick, std::time::Duration::from_secs(10))
        .unwrap();
    let newest = Tail::open(&path).unwrap().next().unwrap().unwrap();
    assert_eq!(newest, Line { text: "{\"last\":1}".into(), offset: (1 << 40) + 1 });
}

#[test]
fn a_log_that_is_not_there_has_no_lines() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(Lines::open(&folder.path().join("log")).unwrap().count(), 0);
    assert_eq!(Tail::open(&folder.path().join("log")).unwrap().count(), 0);
    assert!(Tail::open(folder.path()).is_err());
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..80),
        "[{}\":,\\[\\] \r\na-z0-9é]{0,40}".prop_map(String::into_bytes),
        (0..40_000_usize).prop_map(|pad| format!("{{\"pad\":\"{}\"}}", "x".repeat(pad)).into_bytes()),
        Just(b"\n".to_vec()),
        Just(b"{}\n".to_vec()),
    ]
}

proptest! {
    #[test]
    fn both_ends_agree_on_any_bytes(pieces in proptest::collection::vec(piece(), 0..12)) {
        read(&pieces.concat());
    }

    #[test]
    fn appended_lines_come_back_whatever_was_there(
        before in piece(),
        values in proptest::collection::vec("\\PC{0,30}", 1..5),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, &before).unwrap();
        let old = read(&before).0.len();
        for value in &values {
            let line = serde_json::json!({ "value": value }).to_string();
            // A child that another test is about to start may hold the lock for a moment.
            let patience = std::time::Duration::from_secs(10);
            let line = stead_store::Redacted::json(line);
            stead_store::append_line(&path, line, stead_store::Durability::Quick, patience).unwrap();
        }
        let bytes = std::fs::read(&path).unwrap();
        prop_assert!(bytes.starts_with(&before));
        let lines = read(&bytes).0;
        let new: Vec<String> = lines[old..]
            .iter()
            .map(|line| serde_json::from_str::<serde_json::Value>(&line.text).unwrap()["value"].as_str().unwrap().to_owned())
            .collect();
        prop_assert_eq!(new, values);
    }
}
