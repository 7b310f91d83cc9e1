use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::{Value, json};
use stead_model::rfc3339;
use tempfile::TempDir;

use super::*;
use crate::{Mark, TraceKind, TraceStatus};

const NOW: i64 = 1_794_900_000_000;

/// A project whose logs are written by hand.
struct Ground {
    dir: TempDir,
    memory: Memory,
}

impl Ground {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let memory = Memory::of("p", &dir.path().join("graph"), None, Some(dir.path().join("data")));
        for folder in ["context/indexes", "context/packets", "features", "intents"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        Self { dir, memory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn append(&self, name: &str, line: &Value) {
        let old = fs::read_to_string(self.path(name)).unwrap_or_default();
        fs::write(self.path(name), format!("{old}{line}\n")).unwrap();
    }

    fn at(&self, now: i64) -> Captured {
        self.try_at(now).unwrap()
    }

    fn try_at(&self, now: i64) -> Result<Captured, MemoryError> {
        let at = |name: &str| self.path(name);
        let (context, features, intents) = (at("context"), at("features"), at("intents"));
        let root = Path::new("/p").to_owned();
        Capture { memory: &self.memory, root, context, features, intents, cache: at("cache"), now }.run()
    }

    fn run(&self) -> Captured {
        self.at(NOW)
    }

    fn traces(&self) -> Vec<Trace> {
        self.memory.traces().unwrap().iter().map(|known| known.trace.clone()).collect()
    }

    fn kinds(&self) -> Vec<&'static str> {
        self.traces().iter().map(|trace| trace.kind.name()).collect()
    }
}

fn ts(second: i64) -> String {
    rfc3339(NOW - 3_600_000 + second * 1000)
}

/// A line of the session log.
fn line(second: i64, event: &str, more: Value) -> Value {
    let mut line = json!({"v": 1, "ts": ts(second), "harness": "claude", "session": "s1", "event": event,
        "native": event, "verdict": "allow"});
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line
}

fn effects(list: Value) -> Value {
    json!({"v": 1, "coverage": "full", "list": list})
}

fn deny(second: i64) -> Value {
    let hit = json!({"guard": "no-delete", "mode": "enforce", "would": "deny", "did": "denied", "part": "rm -rf build",
        "say": "use `make clean`"});
    line(
        second,
        "before-tool",
        json!({"tool": "Bash", "call": format!("c{second}"), "verdict": "deny", "action": "run",
        "id": format!("v-aaaaaa{second:02}"), "reason": "it would delete `build`", "hits": [hit],
        "effects": effects(json!([{"run": ["rm", "-rf", "build"], "part": "rm -rf build"},
            {"delete": {"path": "build", "tree": true}}]))}),
    )
}

fn call(second: i64, tool: &str, list: Value) -> Value {
    line(
        second,
        "before-tool",
        json!({"tool": tool, "call": format!("c{second}"), "action": "run",
        "effects": effects(list)}),
    )
}

fn edit(second: i64, path: &str) -> Value {
    line(
        second,
        "before-tool",
        json!({"tool": "Edit", "call": format!("c{second}"), "action": "change",
        "paths": [path]}),
    )
}

#[track_caller]
fn check_outcome(after: &[Value], expected: Option<Outcome>) {
    let ground = Ground::new();
    ground.append("context/indexes/sessions.jsonl", &deny(1));
    after.iter().for_each(|line| ground.append("context/indexes/sessions.jsonl", line));
    ground.run();
    let traces = ground.traces();
    let [trace] = traces.as_slice() else { panic!("{traces:?}") };
    assert_eq!((trace.kind, trace.outcome), (TraceKind::Violation, expected));
}

#[test]
fn what_the_agent_did_next() {
    let stop = || line(9, "stop", json!({}));
    check_outcome(&[], None);
    check_outcome(&[stop()], Some(Outcome::GaveUp));
    check_outcome(
        &[deny(2), stop()].map(|mut line| {
            // A second denial is a trace of its own; here only what follows matters.
            line.as_object_mut().unwrap().remove("hits");
            line["verdict"] = json!("allow");
            line
        }),
        Some(Outcome::Complied),
    );
    let clean = call(3, "Bash", json!([{"run": ["make", "clean"]}]));
    check_outcome(std::slice::from_ref(&clean), None);
    check_outcome(&[clean.clone(), stop()], Some(Outcome::Complied));
    let round = call(4, "Bash", json!([{"run": ["python3", "-c", "…"]}, {"delete": {"path": "build", "tree": true}}]));
    check_outcome(std::slice::from_ref(&round), Some(Outcome::WentRound));
    check_outcome(&[clean.clone(), stop(), round.clone()], Some(Outcome::WentRound));
    let inside = call(4, "Bash", json!([{"delete": "build/x.o"}]));
    check_outcome(&[inside, stop()], Some(Outcome::WentRound));
    let moved = call(4, "Bash", json!([{"rename": "build", "to": "/tmp/b"}]));
    check_outcome(&[moved, stop()], Some(Outcome::WentRound));
    let other = call(4, "Bash", json!([{"delete": "builder"}, {"write": "build/x", "how": "replace"}]));
    check_outcome(&[other, stop()], Some(Outcome::Complied));
    // Somebody else's call says nothing.
    let mut stranger = round;
    stranger["session"] = json!("s2");
    check_outcome(&[stranger, stop()], Some(Outcome::GaveUp));
}

#[test]
fn a_shadow_hit_is_a_violation_without_an_outcome() {
    let ground = Ground::new();
    let hit =
        |guard: &str, did: &str, would: &str| json!({"guard": guard, "mode": "shadow", "would": would, "did": did});
    let hits = json!([
        hit("a", "recorded", "deny"),
        hit("b", "recorded", "warn"),
        hit("c", "recorded", "inject"),
        hit("d", "allowed", "allow"),
        hit("e", "told", "warn")
    ]);
    ground.append(
        "context/indexes/sessions.jsonl",
        &line(
            1,
            "before-tool",
            json!({"tool": "Edit", "action": "change", "paths": ["/p/src/a.rs"], "id": "v-bbbbbbbb", "hits": hits}),
        ),
    );
    ground.append("context/indexes/sessions.jsonl", &edit(2, "/p/src/b.rs"));
    ground.append("context/indexes/sessions.jsonl", &line(3, "stop", json!({})));
    assert_eq!(ground.run(), Captured { added: 3, updated: 0 });
    let guards: Vec<_> =
        ground.traces().iter().map(|trace| (trace.context.guard.clone().unwrap(), trace.outcome)).collect();
    assert_eq!(guards, [("a".into(), None), ("b".into(), None), ("e".into(), Some(Outcome::Complied))]);
    let trace = &ground.traces()[0];
    assert_eq!(trace.anchors[0].path, "src/a.rs");
    assert_eq!(trace.context.verdict.as_deref(), Some("v-bbbbbbbb"));
}

#[test]
fn appeals_and_overrides_settle_a_violation() {
    let ground = Ground::new();
    ground.append("context/indexes/sessions.jsonl", &deny(1));
    ground.append("context/indexes/sessions.jsonl", &line(2, "stop", json!({})));
    ground.run();
    assert_eq!(ground.traces()[0].outcome, Some(Outcome::GaveUp));
    ground.append(
        "context/indexes/appeals.jsonl",
        &json!({"v": 1, "ts": ts(3), "verdict": "v-aaaaaa01",
        "guards": ["no-delete"], "by": "agent", "text": "it is a cache"}),
    );
    assert_eq!(ground.run(), Captured { added: 0, updated: 1 });
    assert_eq!(ground.traces()[0].outcome, Some(Outcome::Appealed));
    ground.append(
        "context/indexes/overrides.jsonl",
        &json!({"v": 1, "ts": ts(4), "verdict": "v-aaaaaa01",
        "guard": "no-delete", "about": "x", "part": "rm -rf build", "until": ts(600), "reason": "only once"}),
    );
    assert_eq!(ground.run(), Captured { added: 1, updated: 1 });
    assert_eq!(ground.kinds(), ["violation", "approval"]);
    assert_eq!(ground.traces()[0].outcome, Some(Outcome::Overridden));
    assert_eq!(ground.traces()[1].event.why, "only once");
    assert_eq!(ground.run(), Captured::default());
}

#[test]
fn a_guard_that_asks_and_a_person_who_agrees() {
    let ground = Ground::new();
    let mut asked = deny(1);
    asked["verdict"] = json!("ask");
    asked["hits"][0]["did"] = json!("asked");
    ground.append("context/indexes/sessions.jsonl", &asked);
    assert_eq!(ground.run().added, 1);
    ground.append("context/indexes/sessions.jsonl", &line(2, "after-tool", json!({"tool": "Bash", "call": "c1"})));
    assert_eq!(ground.run(), Captured { added: 1, updated: 1 });
    assert_eq!(ground.kinds(), ["violation", "approval"]);
    assert_eq!(ground.run(), Captured::default());
}

#[test]
fn a_prompt_that_takes_back_is_suspected() {
    let check = |text: &str, author: &str, before: &[Value], expected: usize| {
        let ground = Ground::new();
        before.iter().for_each(|line| ground.append("context/indexes/sessions.jsonl", line));
        ground.append("context/indexes/sessions.jsonl", &line(8, "prompt", json!({})));
        ground.append(
            "context/indexes/prompts.jsonl",
            &json!({"v": 1, "ts": ts(8), "harness": "claude", "session": "s1",
            "author": author, "text": text}),
        );
        ground.run();
        let traces = ground.traces();
        assert_eq!(traces.len(), expected, "{text}: {traces:?}");
        assert!(
            traces.iter().all(|trace| trace.status == TraceStatus::Suspected && trace.kind == TraceKind::Correction)
        );
        traces.first().cloned()
    };
    let changed = [edit(1, "/p/src/a.rs"), line(2, "stop", json!({}))];
    let trace = check("no, use b.rs", "person", &changed, 1).unwrap();
    assert_eq!((trace.event.what_was_correct.as_str(), trace.anchors[0].path.as_str()), ("no, use b.rs", "src/a.rs"));
    check("now add tests", "person", &changed, 0);
    check("yes", "unknown", &changed, 0);
    check("no, use b.rs", "machine", &changed, 0);
    // Nothing was done that could be taken back.
    check("no, use b.rs", "person", &[line(2, "stop", json!({}))], 0);
    let asked_again = [edit(1, "/p/src/a.rs"), line(3, "prompt", json!({})), line(4, "stop", json!({}))];
    check("no, use b.rs", "person", &asked_again, 0);
    let read = call(1, "Read", json!([{"read": "src/a.rs"}]));
    check("no, use b.rs", "person", &[read], 0);
}

#[test]
fn an_interrupted_call_is_suspected() {
    let ground = Ground::new();
    ground
        .append("context/indexes/sessions.jsonl", &call(1, "Bash", json!([{"delete": {"path": "src", "tree": true}}])));
    ground.append(
        "context/indexes/sessions.jsonl",
        &line(2, "tool-failed", json!({"tool": "Bash", "call": "c1", "interrupted": true})),
    );
    ground.append("context/indexes/sessions.jsonl", &line(3, "tool-failed", json!({"tool": "Bash", "call": "c1"})));
    ground.run();
    let traces = ground.traces();
    assert_eq!(traces.len(), 1);
    assert_eq!(
        (traces[0].status, traces[0].event.why.as_str()),
        (TraceStatus::Suspected, "the person interrupted the call")
    );
}

/// A line of the ledger.
fn changed(second: i64, kind: &str, session: Option<&str>, before: Option<&str>, after: Option<&str>) -> Value {
    json!({"version": "0.1.0", "id": format!("id-{second}"), "timestamp": ts(second),
        "files": [{"path": "src/a.rs", "conversations": [{"contributor": {"type": kind}, "ranges": []}]}],
        "metadata": {"dev.stead": {"v": 1, "session": session, "harness": "claude", "class": "UNKNOWN", "phase": "final",
            "files": [{"path": "src/a.rs", "op": "modify", "before": before, "after": after}]}}})
}

#[test]
fn a_revert_is_suspected_if_a_person_wanted_it() {
    let check = |lines: &[Value], prompt: Option<i64>, expected: usize| {
        let ground = Ground::new();
        fs::write(ground.path("intents/agent_trace.head"), "").unwrap();
        lines.iter().for_each(|line| ground.append("intents/agent_trace.jsonl", line));
        if let Some(second) = prompt {
            ground.append(
                "context/indexes/prompts.jsonl",
                &json!({"v": 1, "ts": ts(second), "harness": "claude",
                "session": "s1", "author": "person", "text": "put the old one in"}),
            );
        }
        ground.run();
        assert_eq!(ground.traces().len(), expected, "{lines:?}");
        fs::remove_dir_all(ground.path("cache")).unwrap();
        assert_eq!(ground.run(), Captured::default());
    };
    let first = changed(1, "ai", Some("s1"), Some("h0"), Some("h1"));
    check(&[first.clone(), changed(5, "human", None, Some("h1"), Some("h0"))], None, 1);
    check(&[first.clone(), changed(5, "human", None, Some("h1"), Some("h2"))], None, 0);
    check(&[first.clone(), changed(5, "ai", Some("s1"), Some("h1"), Some("h0"))], None, 0);
    check(&[first.clone(), changed(5, "ai", Some("s1"), Some("h1"), Some("h0"))], Some(3), 1);
    check(&[first.clone(), changed(5, "ai", Some("s2"), Some("h1"), Some("h0"))], Some(3), 0);
    // Several steps back.
    let second = changed(2, "ai", Some("s1"), Some("h1"), Some("h2"));
    check(&[first.clone(), second, changed(5, "human", None, Some("h2"), Some("h0"))], None, 1);
    // A person's own change taken back by that person is nobody's correction.
    check(
        &[changed(1, "human", None, Some("h0"), Some("h1")), changed(5, "human", None, Some("h1"), Some("h0"))],
        None,
        0,
    );
    check(&[first, changed(100_000, "human", None, Some("h1"), Some("h0"))], None, 0);
}

#[test]
fn reflections_notes_packets_failures_and_intents() {
    let ground = Ground::new();
    let said = |step: &str, text: &str| json!({"v": 1, "ts": ts(1), "step": step, "text": text, "feature": "login"});
    ground.append("features/reflections.jsonl", &said("failed", "`parse_date` drops the offset"));
    ground.run();
    ground.append("features/reflections.jsonl", &said("prevent", "compare in UTC in tests/date.rs"));
    assert_eq!(ground.run(), Captured { added: 0, updated: 1 });
    let trace = ground.traces().remove(0);
    assert_eq!(
        (trace.kind, trace.event.what_was_correct.as_str()),
        (TraceKind::Reflection, "compare in UTC in tests/date.rs")
    );
    let note = |kind: &str, text: &str| json!({"v": 1, "ts": ts(2), "kind": kind, "text": text, "session": "s1"});
    for (kind, text) in [
        ("decision", "Keep the old API"),
        ("question", "drop v1?"),
        ("failed", "caching made it slower"),
        ("decision", "all tests passed"),
    ] {
        ground.append("context/indexes/notes.jsonl", &note(kind, text));
    }
    assert_eq!(ground.run().added, 2);
    let packet = "---\nschema: stead.packet/1\ncreated_at: 2026-11-17T09:00:00.000Z\n---\n# Handoff\n\n## Decisions\n\n- keep the old API.\n- Two parsers are one\n  too many for `x_y`\n\n## Plan\n\n- not a decision\n";
    fs::write(ground.path("context/packets/20261117T090000Z-x.md"), packet).unwrap();
    assert_eq!(ground.run().added, 1, "the note's decision is known");
    assert_eq!(ground.traces().last().unwrap().event.what_happened, "Two parsers are one too many for `x_y`");
    fs::write(ground.path("features/feature-list.json"),
        json!({"features": [{"id": "login", "attempts": 1, "last_failure": {"at": ts(3), "summary": "401"}}, {"id": "b"}]}).to_string()).unwrap();
    assert_eq!(ground.run().added, 1);
    let intents =
        "active_intents:\n  - id: INT-1\n    name: sign in\n    status: IN_PROGRESS\n    owned_scope: [src/auth/**]\n";
    fs::write(ground.path("intents/active_intents.yaml"), intents).unwrap();
    assert_eq!(ground.run().added, 1);
    fs::write(ground.path("intents/active_intents.yaml"), intents.replace("[src/auth/**]", "[src/auth/**, docs/**]"))
        .unwrap();
    assert_eq!(ground.run().added, 1, "a wider scope is a new decision");
    let request = |state: &str| json!({"v": 1, "ts": ts(4), "id": "R-1", "state": state, "text": "docs too", "intent": "INT-1", "session": "s1"});
    ground.append("intents/requests.jsonl", &request("open"));
    assert_eq!(ground.run().added, 0);
    ground.append("intents/requests.jsonl", &request("confirmed"));
    assert_eq!(ground.run().added, 1);
    assert_eq!(ground.traces().last().unwrap().kind, TraceKind::Approval);
    let before = fs::read(ground.memory.book.path()).unwrap();
    fs::remove_dir_all(ground.path("cache")).unwrap();
    assert_eq!(ground.run(), Captured::default(), "a lost cursor captures nothing twice");
    assert_eq!(fs::read(ground.memory.book.path()).unwrap(), before);
    assert!(ground.memory.book.verify().unwrap().flaws.is_empty());
}

#[test]
fn what_was_forgotten_is_not_captured_again() {
    let ground = Ground::new();
    ground.append("context/indexes/sessions.jsonl", &deny(1));
    ground.run();
    let traces = ground.memory.traces().unwrap();
    let known: Vec<_> = traces.iter().collect();
    ground.memory.forget(&known, &Mark::default()).unwrap();
    ground.append("context/indexes/sessions.jsonl", &line(2, "stop", json!({})));
    assert_eq!(ground.run(), Captured::default());
    fs::remove_dir_all(ground.path("cache")).unwrap();
    assert_eq!(ground.run(), Captured::default());
    assert!(ground.traces().is_empty());
}

#[test]
fn torn_foreign_and_shortened_logs() {
    let ground = Ground::new();
    let log = ground.path("context/indexes/sessions.jsonl");
    fs::write(&log, format!("\u{0}not json\n[1]\n{{\"event\":7}}\n{}\n{{\"ts\":\"torn", deny(1))).unwrap();
    assert_eq!(ground.run().added, 1);
    // The torn line is finished by the next writer, which ends it first.
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, format!("{text}\n{}\n", deny(2))).unwrap();
    assert_eq!(ground.run().added, 1);
    // A person trimmed the log.
    fs::write(&log, format!("{}\n", deny(3))).unwrap();
    assert_eq!(ground.run().added, 1);
    fs::write(ground.path("cache/traces.captured"), "{\"v\":1,\"book\":\"x\"").unwrap();
    assert_eq!(ground.run(), Captured::default());
    // A torn line in the book, as a killed process leaves it.
    let book = ground.memory.book.path();
    let text = fs::read_to_string(book).unwrap();
    fs::write(book, format!("{text}{{\"v\":1,\"id\":\"")).unwrap();
    ground.append("context/indexes/sessions.jsonl", &deny(4));
    assert_eq!(ground.run().added, 1);
    assert_eq!(ground.traces().len(), 4);
}

#[test]
fn a_killed_capture_leaves_no_duplicates() {
    let ground = Ground::new();
    for second in 1..6 {
        ground.append("context/indexes/sessions.jsonl", &deny(second));
    }
    ground.run();
    let cursor = ground.path("cache/traces.captured");
    let old = fs::read(&cursor).unwrap();
    ground.append("context/indexes/sessions.jsonl", &deny(7));
    ground.append("context/indexes/sessions.jsonl", &deny(8));
    ground.run();
    // Killed after the lines and before the cursor: the old cursor is still there.
    fs::write(&cursor, old).unwrap();
    assert_eq!(ground.run(), Captured::default());
    assert_eq!(ground.traces().len(), 7);
}

#[test]
fn many_capturers_at_once() {
    let ground = Ground::new();
    for second in 1..40 {
        ground.append("context/indexes/sessions.jsonl", &deny(second));
    }
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| ground.run());
        }
    });
    ground.run();
    assert_eq!(ground.traces().len(), 39);
    assert_eq!(fs::read_to_string(ground.memory.book.path()).unwrap().lines().count(), 39);
    assert!(ground.memory.book.verify().unwrap().flaws.is_empty());
}

#[test]
#[cfg(unix)]
fn a_book_that_cannot_be_written_loses_nothing() {
    let ground = Ground::new();
    ground.append("context/indexes/sessions.jsonl", &deny(1));
    fs::write(ground.path("graph"), "a file in the way").unwrap();
    assert!(ground.try_at(NOW).is_err());
    fs::remove_file(ground.path("graph")).unwrap();
    assert_eq!(ground.run().added, 1);
}

/// Lines of a log in the order of time; no verdict has the id of another one.
fn any_lines() -> impl Strategy<Value = Vec<Value>> {
    prop::collection::vec(0_u8..7, 0..25).prop_map(|kinds| {
        let line_of = |(second, kind): (i64, u8)| match kind {
            0 => deny(second),
            1 => edit(second, "/p/a.rs"),
            2 => edit(second, "/p/b.rs"),
            3 => call(second, "Bash", json!([{"delete": {"path": "build", "tree": true}}])),
            4 => line(second, "stop", json!({})),
            5 => line(second, "prompt", json!({})),
            _ => line(second, "session-end", json!({})),
        };
        (0..).zip(kinds).map(line_of).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// However often it runs in between, the traces are the same in the end.
    #[test]
    fn capturing_in_steps_is_capturing_at_once(lines in any_lines(), step in 1_usize..6) {
        let (once, steps) = (Ground::new(), Ground::new());
        for (at, line) in lines.iter().enumerate() {
            once.append("context/indexes/sessions.jsonl", line);
            steps.append("context/indexes/sessions.jsonl", line);
            if at % step == 0 {
                steps.run();
            }
        }
        once.run();
        steps.run();
        let shown = |ground: &Ground| {
            let mut all: Vec<_> = ground.traces().iter().map(|trace| (trace.id.to_string(), trace.outcome.map(Outcome::name))).collect();
            all.sort();
            all
        };
        prop_assert_eq!(shown(&once), shown(&steps));
        prop_assert_eq!(steps.run(), Captured::default());
    }
}
