use stead_code::{Budget, Language, file_hash, nodes};

use super::*;
use crate::{Anchor, TraceStatus};

fn tombstone(of: &Trace) -> Trace {
    Trace { status: TraceStatus::Forgotten, supersedes: vec![of.id.clone()], ..about("", 0) }
}

fn replacing(old: &Trace, text: &str) -> Trace {
    Trace { supersedes: vec![old.id.clone()], ..about(text, 1) }
}

/// Checks before and after the traces were indexed, all at once and one by one.
fn in_each_state(logs: &[(&str, Trace)], check: impl Fn(&World)) {
    let together = World::new();
    let apart = World::new();
    for (file, trace) in logs {
        together.add_to(file, std::slice::from_ref(trace));
        apart.add_to(file, std::slice::from_ref(trace));
        apart.search().update();
    }
    check(&together);
    together.search().update();
    check(&together);
    check(&apart);
}

#[test]
fn replaced_traces_come_last_and_say_so() {
    let old = about("use pnpm to install packages, always pnpm", 9);
    let new = replacing(&old, "packages: use npm");
    let (old_id, new_id) = (old.id.to_string(), new.id.to_string());
    in_each_state(&[("traces.jsonl", old), ("traces.jsonl", new)], |world| {
        let items = world.ask(&full("always install packages pnpm")).items;
        assert_eq!([&items[0]["id"], &items[1]["id"]], [&new_id, &old_id]);
        assert_eq!((&items[0]["superseded_by"], &items[1]["superseded_by"]), (&Value::Null, &new_id.as_str().into()));
    });
}

#[test]
fn forgotten_traces_are_never_told() {
    let old = about("the password is in the vault", 9);
    let new = replacing(&old, "the password moved to the keychain");
    let id = old.id.clone();
    let forgotten = tombstone(&new);
    in_each_state(&[("traces.jsonl", old.clone()), ("traces.jsonl", new), ("traces.jsonl", forgotten)], |world| {
        assert_eq!(world.find("password"), ["the password is in the vault"]);
        assert_eq!(world.ask(&full("password")).items[0]["superseded_by"], Value::Null);
        assert!(world.search().get(&id, Level::Summary, None, NOW).is_some());
    });
    let forgotten = tombstone(&old);
    in_each_state(&[("traces.jsonl", old), ("traces.jsonl", forgotten)], |world| {
        assert!(world.find("password").is_empty() && world.find("").is_empty());
        assert_eq!(world.search().get(&id, Level::Full, None, NOW), None);
    });
}

#[test]
fn others_replace_and_forget_only_their_own() {
    let own = about("our rule about tabs", 9);
    let theirs = about("their rule about tabs", 8);
    let logs = [
        ("traces.jsonl", own.clone()),
        ("peers/ann.jsonl", theirs.clone()),
        ("peers/ann.jsonl", tombstone(&own)),
        ("peers/bob.jsonl", replacing(&theirs, "bob about spaces")),
        ("peers/bob.jsonl", Trace { event: TraceEvent::default(), ..own.clone() }),
    ];
    in_each_state(&logs, |world| {
        let items = world.ask(&full("rule tabs")).items;
        assert_eq!(items.len(), 2, "{items:?}");
        assert!(items.iter().all(|item| item["superseded_by"].is_null()));
        assert!(items.iter().any(|item| item["foreign"] == "ann"));
    });
    in_each_state(&[("peers/ann.jsonl", theirs.clone()), ("traces.jsonl", tombstone(&theirs))], |world| {
        assert!(world.find("tabs").is_empty());
    });
}

#[test]
fn the_last_line_of_an_id_and_the_newest_of_a_topic_count() {
    let first = Trace { status: TraceStatus::Suspected, ..about("prefer small commits", 9) };
    let confirmed = Trace { status: TraceStatus::Confirmed, ..first.clone() };
    in_each_state(&[("traces.jsonl", first), ("traces.jsonl", confirmed)], |world| {
        let items = world.ask(&full("commits")).items;
        assert_eq!((items.len(), &items[0]["status"]), (1, &"confirmed".into()));
    });
    let topic = |text: &str, hours: usize| Trace { topic: Some("style".to_owned()), ..about(text, hours) };
    let [a, b, c] = [topic("style tabs", 9), topic("style spaces", 8), topic("style none", 7)];
    let (b_id, gone) = (b.id.to_string(), tombstone(&c));
    in_each_state(&[("traces.jsonl", b), ("traces.jsonl", a), ("traces.jsonl", c), ("traces.jsonl", gone)], |world| {
        let items = world.ask(&full("style tabs")).items;
        let superseded: Vec<&Value> = items.iter().map(|item| &item["superseded_by"]).collect();
        assert_eq!(superseded, [&Value::Null, &b_id.as_str().into()]);
    });
}

#[test]
fn a_trace_in_two_states_or_two_books_is_told_once() {
    let old = about("keep the wire format until June", 9);
    let confirmed = Trace { status: TraceStatus::Confirmed, ..old.clone() };
    for logs in [
        [("traces.jsonl", old.clone()), ("traces.jsonl", confirmed)],
        [("traces.jsonl", old.clone()), ("../../data/traces.jsonl", old)],
    ] {
        in_each_state(&logs, |world| {
            assert_eq!(world.find("wire format"), ["keep the wire format until June"]);
            assert_eq!(world.find(""), ["keep the wire format until June"]);
        });
    }
}

#[test]
fn freshness_follows_hashes() {
    let code = "fn kept(a: u32) -> u32 {\n    a + 1\n}\n\nfn other() {}\n";
    let world = World::new();
    let path = world.dir.path().join("lib.rs");
    fs::write(&path, code).expect("the file is written");
    let kept = nodes(Language::Rust, code, &Budget::default()).expect("it parses").remove(0);
    let file =
        Anchor { path: "lib.rs".into(), hash: Some(file_hash(code.as_bytes()).to_string()), ..Anchor::default() };
    let node =
        Anchor { node: Some(kept.name.clone()), node_hash: kept.normal.map(|hash| hash.to_string()), ..file.clone() };
    let bare = Anchor { path: "lib.rs".into(), ..Anchor::default() };
    let outside = Anchor { path: "../lib.rs".into(), ..file.clone() };
    let with = |name: &str, anchors: Vec<Anchor>| Trace { anchors, ..about(name, 1) };
    world.add(&[
        with("whole file", vec![file.clone()]),
        with("one node", vec![node.clone()]),
        with("path only", vec![bare]),
        with("outside", vec![outside]),
        with("both", vec![node, file]),
    ]);
    let check = |expected: [&str; 5]| {
        for (name, expected) in ["whole file", "one node", "path only", "outside", "both"].into_iter().zip(expected) {
            let items = world.ask(&full(name)).items;
            assert_eq!(items[0]["freshness"], expected, "{name}");
        }
    };
    check(["fresh", "fresh", "unanchored", "unanchored", "fresh"]);
    fs::write(&path, "// moved\nfn other() {}\n\nfn kept(value: u32) -> u32 { value + 1 }\n").expect("it is written");
    check(["drifted", "fresh", "unanchored", "unanchored", "drifted"]);
    fs::write(&path, "fn kept(a: u32) -> u32 { a + 2 }\n").expect("it is written");
    check(["drifted", "drifted", "unanchored", "unanchored", "drifted"]);
    fs::write(&path, "fn another() {}\n").expect("it is written");
    check(["drifted", "orphaned", "unanchored", "unanchored", "orphaned"]);
    fs::remove_file(&path).expect("it is removed");
    check(["orphaned", "orphaned", "orphaned", "unanchored", "orphaned"]);
}
