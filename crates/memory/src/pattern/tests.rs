use std::path::Path;

use serde_json::{Value, json};
use stead_guard::Mode;

use super::*;
use crate::history::History;
use crate::{Trace, TraceContext, TraceEvent, TraceId, TraceKind, TraceStatus};

/// A project of which only the logs exist.
struct World {
    dir: tempfile::TempDir,
    traces: Vec<Trace>,
    known: PatternFacts,
}

impl World {
    fn new() -> Self {
        let mut known = PatternFacts { now: "2026-11-20T00:00:00.000Z".into(), ..PatternFacts::default() };
        known.modes = [("infra".into(), Mode::Shadow), ("strict".into(), Mode::Enforce)].into();
        Self { dir: tempfile::tempdir().unwrap(), traces: Vec::new(), known }
    }

    fn history(&self) -> History {
        History { indexes: self.dir.path().to_owned(), root: "/p".into(), home: Some("/home/ann".into()) }
    }

    fn append(&self, file: &str, line: &str) {
        use std::io::Write;
        let mut file = std::fs::File::options().create(true).append(true).open(self.dir.path().join(file)).unwrap();
        writeln!(file, "{line}").unwrap();
    }

    /// Records a call: session, call, tool, effects, and hits as `guard did`.
    fn call(&self, session: &str, call: &str, tool: &str, effects: &Value, hits: &[(&str, &str)]) {
        let stops = hits.iter().any(|(_, did)| *did == "denied");
        let hits: Vec<Value> =
            hits.iter().map(|(guard, did)| json!({"guard": guard, "would": "deny", "did": did})).collect();
        let mut line = json!({
            "v": 1, "ts": format!("2026-11-15T00:00:00.{call}Z"), "harness": "claude", "session": session,
            "event": "before-tool", "native": "PreToolUse", "tool": tool, "call": call, "action": "run",
            "verdict": if stops { "deny" } else { "allow" },
            "effects": {"v": 1, "coverage": "full", "list": effects},
        });
        if !hits.is_empty() {
            line["hits"] = json!(hits);
            line["id"] = json!(format!("v-{call}"));
        }
        self.append("sessions.jsonl", &line.to_string());
    }

    fn correction(&mut self, session: &str, call: Option<&str>, what: &str) -> TraceId {
        let id = TraceId::random();
        self.traces.push(Trace {
            id: id.clone(),
            timestamp: "2026-11-16T00:00:00.000Z".into(),
            kind: TraceKind::Correction,
            context: TraceContext {
                session: Some(session.into()),
                call: call.map(Into::into),
                ..TraceContext::default()
            },
            event: TraceEvent { what_happened: what.into(), ..TraceEvent::default() },
            ..Trace::default()
        });
        id
    }

    fn patterns(&self) -> Vec<Pattern> {
        extract_patterns(&self.history(), &self.traces, &self.known, &mut |_| {}).unwrap().patterns
    }

    /// The patterns as `kind guard verb about count/sessions proposes`.
    fn told(&self) -> Vec<String> {
        let one = |pattern: &Pattern| {
            let guard = pattern.guard.as_deref().unwrap_or("-");
            let verb = pattern.verb.map_or("-", Verb::name);
            let (kind, proposes) = (pattern.kind.name(), pattern.proposes.name());
            format!("{kind} {guard} {verb} {} {}/{} {proposes}", pattern.about, pattern.count, pattern.sessions)
        };
        self.patterns().iter().map(one).collect()
    }
}

fn writes(path: &str) -> Value {
    json!([{"write": path, "how": "edit", "part": path}])
}

#[test]
fn three_times_in_two_sessions_is_a_pattern() {
    let mut world = World::new();
    for (session, call, path) in [("a", "001", "infra/a.tf"), ("a", "002", "infra/b.tf"), ("a", "003", "infra/c.tf")] {
        world.call(session, call, "Bash", &writes(path), &[]);
        world.correction(session, Some(call), "wrong");
    }
    assert_eq!(world.told(), [] as [String; 0], "one session alone proposes nothing");
    world.call("b", "004", "Bash", &writes("infra/mod/d.tf"), &[]);
    let last = world.correction("b", Some("004"), "wrong");
    assert_eq!(world.told(), ["correction - change infra/ 4/2 guard"]);
    let pattern = world.patterns().remove(0);
    assert!(pattern.evidence.contains(&last.to_string()), "{pattern:?}");
    assert_eq!(pattern.id, world.patterns()[0].id);
    // A trace that was forgotten counts no more.
    let forgotten = Trace { status: TraceStatus::Forgotten, supersedes: vec![last], ..Trace::default() };
    world.traces.push(forgotten);
    assert_eq!(world.told(), [] as [String; 0]);
}

#[test]
fn incidents_are_grouped_by_what_they_touch() {
    let check = |effects: [Value; 3], expected: &[&str]| {
        let mut world = World::new();
        for (at, effects) in effects.iter().enumerate() {
            let (session, call) = (format!("s{at}"), format!("00{at}"));
            world.call(&session, &call, "Bash", effects, &[]);
            world.correction(&session, Some(&call), "wrong");
        }
        assert_eq!(world.told(), expected, "{effects:?}");
    };
    let run = |words: &[&str]| json!([{"run": words, "part": words.join(" ")}]);
    check(
        [run(&["npm", "publish"]), run(&["/usr/bin/npm", "publish", "--tag", "x"]), run(&["npm", "publish", "-f"])],
        &["correction - run npm publish 3/3 guard"],
    );
    check(
        [run(&["npm", "publish"]), run(&["npm", "install"]), run(&["npm", "ci"])],
        &["correction - run npm 3/3 guard"],
    );
    check([run(&["a"]), run(&["b"]), run(&["c"])], &[]);
    check(
        [writes("Cargo.lock"), writes("Cargo.lock"), writes("Cargo.lock")],
        &["correction - change Cargo.lock 3/3 guard"],
    );
    check([writes("a/x.snap"), writes("b/y.snap"), writes("z.snap")], &["correction - change *.snap 3/3 guard"]);
    check([writes("a/x.rs"), writes("b/y.py"), writes("z.go")], &[]);
    check([writes("/tmp/a"), writes("/tmp/b"), writes("/dev/null")], &[]);
    let outside = |name: &str| writes(&format!("/home/ann/.ssh/{name}"));
    check([outside("a"), outside("b"), outside("c")], &["correction - change ~/.ssh/ 3/3 guard"]);
    let reads = |program: &str| json!([{"run": [program, ".env"], "part": program}, {"read": "conf/.env"}]);
    check([reads("cat"), reads("head"), reads("tail")], &["correction - read conf/ 3/3 guard"]);
    let git = |words: &str| json!([{"run": ["git", words], "part": words}, {"git": "push", "kind": "force-push"}]);
    check([git("push -f"), git("push --force"), git("push +x")], &["correction - git force-push 3/3 guard"]);
    let host = |program: &str| json!([{"network": program, "host": "x.invalid", "part": program}]);
    check([host("curl"), host("wget"), host("http")], &["correction - network x.invalid 3/3 guard"]);
}

#[test]
fn an_inner_folder_is_preferred_to_an_outer_one() {
    let mut world = World::new();
    for (at, path) in ["src/gen/a.rs", "src/gen/b.rs", "src/gen/c.rs", "src/x.rs"].iter().enumerate() {
        let (session, call) = (format!("s{at}"), format!("00{at}"));
        world.call(&session, &call, "Edit", &writes(path), &[]);
        world.correction(&session, Some(&call), "wrong");
    }
    assert_eq!(world.told(), ["correction - change src/gen/ 3/3 guard"]);
}

#[test]
fn a_guard_that_matches_often_proposes_its_next_mode() {
    let world = World::new();
    for (at, session) in ["a", "a", "b"].iter().enumerate() {
        let call = format!("00{at}");
        world.call(session, &call, "Bash", &writes("infra/a.tf"), &[("infra", "recorded"), ("strict", "denied")]);
    }
    assert_eq!(
        world.told(),
        ["guard infra change infra/ 3/2 mode", "guard strict change infra/ 3/2 lesson"],
        "there is no stronger mode than enforce"
    );
    // What a person allowed or called wrong is no mistake.
    world.append(
        "overrides.jsonl",
        r#"{"v":1,"ts":"t","verdict":"v-000","guard":"strict","about":"x","until":"u","reason":"r"}"#,
    );
    assert_eq!(world.told(), [] as [String; 0]);
}

#[test]
fn an_upheld_appeal_counts_and_an_agents_does_not() {
    let world = World::new();
    for (at, session) in ["a", "a", "b"].iter().enumerate() {
        world.call(session, &format!("00{at}"), "Bash", &writes("infra/a.tf"), &[("infra", "recorded")]);
    }
    let appeal = |by: &str, upheld: bool| json!({"v": 1, "ts": "t", "verdict": "v-001", "guards": ["infra"], "by": by, "text": "x", "upheld": upheld});
    world.append("appeals.jsonl", &appeal("agent", true).to_string());
    world.append("appeals.jsonl", &appeal("person", false).to_string());
    assert_eq!(world.told().len(), 1);
    world.append("appeals.jsonl", &appeal("person", true).to_string());
    assert_eq!(world.told().len(), 0);
}

#[test]
fn what_was_denied_and_then_done_otherwise_is_a_route() {
    let world = World::new();
    for (at, session) in ["a", "b", "c"].iter().enumerate() {
        let deleted = json!([{"run": ["rm", "db/x.sql"], "part": "rm"}, {"delete": "db/x.sql"}]);
        world.call(session, &format!("0{at}0"), "Bash", &deleted, &[("strict", "denied")]);
        let emptied = json!([{"run": ["truncate", "db/x.sql"], "part": "t"}, {"write": "db/x.sql", "how": "edit"}]);
        world.call(session, &format!("0{at}1"), "Bash", &emptied, &[]);
    }
    let told = world.told();
    assert!(told.contains(&"route strict change db/ 3/3 guard".to_owned()), "{told:?}");
    let world = World::new();
    for (at, session) in ["a", "b", "c"].iter().enumerate() {
        world.call(session, &format!("0{at}0"), "Edit", &writes("db/x.sql"), &[("strict", "denied")]);
        // The same way, later: a rule that was met meanwhile.
        world.call(session, &format!("0{at}1"), "Edit", &writes("db/x.sql"), &[]);
        world.call(session, &format!("0{at}2"), "Bash", &writes("other/x.sql"), &[]);
    }
    assert!(!world.told().iter().any(|told| told.starts_with("route")), "{:?}", world.told());
}

#[test]
fn texts_are_a_pattern_where_no_effect_is_known() {
    let mut world = World::new();
    for (session, file) in [("a", "a.rs"), ("b", "b.rs"), ("b", "c.rs")] {
        world.correction(session, None, &format!("added a comment to `{file}` that repeats the code"));
    }
    assert_eq!(world.told(), ["text - - added a comment to <*> that repeats the code 3/2 lesson"]);
}

#[test]
fn a_correction_finds_its_call_by_the_file() {
    let mut world = World::new();
    for (at, session) in ["a", "b", "c"].iter().enumerate() {
        world.call(session, &format!("0{at}0"), "Bash", &writes("infra/a.tf"), &[]);
        world.call(session, &format!("0{at}1"), "Bash", &writes("docs/a.md"), &[]);
        world.correction(session, None, "wrong");
        let anchor = crate::Anchor { path: "infra/a.tf".into(), ..crate::Anchor::default() };
        world.traces.last_mut().unwrap().anchors = vec![anchor];
    }
    assert_eq!(world.told(), ["correction - change infra/ 3/3 guard"]);
}

#[test]
fn torn_old_and_foreign_lines_are_skipped() {
    let mut world = World::new();
    world.append("sessions.jsonl", r#"{"v":1,"ts":"2026-11-15","harness":"claude","event":"before-tool","ver"#);
    world.append("sessions.jsonl", r#"{"ts":"t","event":"before-tool","verdict":"deny","effects":["write a"],"hits":[{"guard":"x","would":"deny","did":"denied"}]}"#);
    world.append("sessions.jsonl", "[1, 2]\n\u{feff}\nnull");
    for (session, call) in [("a", "001"), ("a", "002"), ("b", "003")] {
        world.call(session, call, "Bash", &writes("infra/a.tf"), &[("gone", "recorded"), ("x", "of-tomorrow")]);
        world.correction(session, Some(call), "wrong");
    }
    assert_eq!(
        world.told(),
        ["correction - change infra/ 3/2 guard", "guard gone change infra/ 3/2 lesson"],
        "a guard that exists no more has no next mode"
    );
}

#[test]
fn the_book_grows_only_by_news() {
    let mut world = World::new();
    for (session, call) in [("a", "001"), ("a", "002"), ("b", "003")] {
        world.call(session, call, "Bash", &writes("infra/a.tf"), &[]);
        world.correction(session, Some(call), "wrong");
    }
    let book = PatternBook::of(&world.dir.path().join("graph"));
    assert_eq!(book.update(&world.patterns()).unwrap(), 1);
    assert_eq!(book.update(&world.patterns()).unwrap(), 0);
    world.call("c", "004", "Bash", &writes("infra/a.tf"), &[]);
    world.correction("c", Some("004"), "wrong");
    assert_eq!(book.update(&world.patterns()).unwrap(), 1);
    assert_eq!(book.read().unwrap().values().next().unwrap().count, 4);
    assert!(Path::new(&world.dir.path().join("graph/.gitignore")).exists());
}
