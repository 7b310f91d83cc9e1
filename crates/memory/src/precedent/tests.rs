use std::fs;
use std::path::Path;

use serde_json::json;
use stead_hook::Precedents;
use stead_store::Durability;
use tempfile::TempDir;

use super::*;
use crate::{
    Anchor, Mark, Outcome, Trace, TraceContext, TraceEvent, TraceId, TraceKind, TraceStatus, anchor, memory::PATIENCE,
};

struct World {
    dir: TempDir,
    memory: Memory,
}

impl World {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let memory = Memory::of("p", &dir.path().join("graph"), None, Some(dir.path().join("data")));
        fs::create_dir_all(dir.path().join("src")).unwrap();
        fs::write(dir.path().join("src/a.rs"), "fn a() {}\n").unwrap();
        Self { dir, memory }
    }

    fn refresh(&self) -> bool {
        let (root, graph) = (self.dir.path(), self.dir.path().join("graph"));
        PrecedentSources { memory: &self.memory, root, work: root, graph: &graph, home: None }.refresh().unwrap()
    }

    fn store(&self, trace: &Trace) {
        self.memory.book.append(trace, Durability::Quick, PATIENCE).unwrap();
    }

    fn ids(&self, key: &str) -> Vec<String> {
        self.refresh();
        let known = Precedents::read(self.dir.path());
        known.map(|known| known.under(key).into_iter().map(|one| one.id).collect()).unwrap_or_default()
    }

    #[track_caller]
    fn check(&self, key: &str, traces: &[&Trace]) {
        let expected: Vec<String> = traces.iter().map(|trace| trace.id.to_string()).collect();
        assert_eq!(self.ids(key), expected, "{key}");
    }
}

fn trace(kind: TraceKind, what: &str) -> Trace {
    Trace {
        v: 1,
        id: TraceId::random(),
        project: "p".into(),
        timestamp: "2026-11-17T09:00:00.000Z".into(),
        kind,
        event: TraceEvent {
            what_happened: what.into(),
            what_was_correct: "edit b.sql".into(),
            why: "generated".into(),
        },
        ..Trace::default()
    }
}

fn about(root: &Path, kind: TraceKind) -> Trace {
    Trace { anchors: vec![anchor(root, "src/a.rs", None).unwrap()], ..trace(kind, "edited src/a.rs") }
}

fn violation(path: &str, did: &str, outcome: Option<Outcome>) -> Trace {
    let mut trace = trace(TraceKind::Violation, &format!("`Edit`: write {path}"));
    trace.context.guard = Some("no-infra".into());
    trace.context.more.insert("did".into(), did.into());
    trace.effects = Some(json!({"v": 1, "coverage": "full", "list": [{"write": path, "how": "edit"}]}));
    trace.anchors = vec![Anchor { path: path.into(), ..Anchor::default() }];
    trace.outcome = outcome;
    trace
}

#[test]
fn a_violation_is_found_by_rule_and_kind_of_action() {
    let world = World::new();
    assert!(!world.refresh(), "nothing is on record");
    let old = Trace { timestamp: "2026-11-01T09:00:00.000Z".into(), ..violation("infra/a.tf", "denied", None) };
    let new = violation("infra/b.tf", "told", Some(Outcome::Complied));
    let shadow = violation("infra/a.tf", "recorded", None);
    let allowed = violation("infra/a.tf", "denied", Some(Outcome::Overridden));
    [&old, &new, &shadow, &allowed].into_iter().for_each(|trace| world.store(trace));
    world.check("rule:no-infra change infra/", &[&new, &old]);
    world.check("rule:no-infra change infra/a.tf", &[&old]);
    world.check("rule:other change infra/", &[]);
    world.check("rule:no-infra read infra/", &[]);
    world.check("path:infra/a.tf", &[]);
    let known = Precedents::read(world.dir.path()).unwrap();
    let line = known.under("rule:no-infra change infra/")[0].line("");
    assert!(line.ends_with("\"'Edit': write infra/b.tf\"; why: \"the agent then complied\""));
}

#[test]
fn only_what_holds_is_compiled() {
    let world = World::new();
    let root = world.dir.path();
    let good = about(root, TraceKind::Correction);
    let suspected = Trace { status: TraceStatus::Suspected, ..about(root, TraceKind::Correction) };
    let drifted = {
        let mut trace = about(root, TraceKind::Correction);
        trace.anchors[0].hash = Some("sha256:0".into());
        trace
    };
    let orphaned =
        Trace { anchors: vec![Anchor { path: "src/gone.rs".into(), ..Anchor::default() }], ..drifted.clone() };
    let orphaned = Trace { id: TraceId::random(), ..orphaned };
    let elsewhere = Trace { project: "q".into(), ..about(root, TraceKind::Correction) };
    let approval = about(root, TraceKind::Approval);
    for trace in [&good, &suspected, &drifted, &orphaned, &elsewhere, &approval] {
        world.store(trace);
    }
    world.check("path:src/a.rs", &[&good]);
    world.check("path:src/gone.rs", &[]);
    // A person stands behind it.
    let confirmed = Trace { status: TraceStatus::Confirmed, ..suspected };
    world.store(&confirmed);
    world.check("path:src/a.rs", &[&good, &confirmed]);
    let newer = Trace {
        supersedes: vec![good.id.clone()],
        timestamp: "2026-11-18T09:00:00.000Z".into(),
        ..about(root, TraceKind::Decision)
    };
    world.store(&newer);
    world.check("path:src/a.rs", &[&newer, &confirmed]);
    let traces = world.memory.traces().unwrap();
    let gone: Vec<_> = [&newer.id, &confirmed.id].iter().filter_map(|id| traces.get(id)).collect();
    world.memory.forget(&gone, &Mark::default()).unwrap();
    world.check("path:src/a.rs", &[&good]);
    fs::write(root.join("src/a.rs"), "fn other() {}\n").unwrap();
    world.store(&trace(TraceKind::Decision, "something else"));
    world.check("path:src/a.rs", &[]);
}

#[test]
fn a_reflection_is_found_by_feature_and_by_what_it_names() {
    let world = World::new();
    let mut reflection = trace(TraceKind::Reflection, "I assumed that `parse_date` keeps the time zone");
    reflection.context = TraceContext { feature: Some("dates".into()), ..TraceContext::default() };
    world.store(&reflection);
    world.check("feature:dates", &[&reflection]);
    world.check("word:parse_date", &[&reflection]);
    world.check("word:assumed", &[]);
    let decision = trace(TraceKind::Decision, "keep `parse_date` as it is");
    world.store(&decision);
    world.check("word:parse_date", &[&reflection]);
}

#[test]
fn what_the_person_promoted_describes_every_project() {
    let world = World::new();
    let universal = world.memory.universal.as_ref().unwrap();
    let trace = Trace {
        scope: Scope::Universal,
        project: "q".into(),
        ..trace(TraceKind::Correction, "wrote `schema_gen.rs` by hand")
    };
    universal.append(&trace, Durability::Quick, PATIENCE).unwrap();
    world.check("project:", &[&trace]);
    world.check("word:schema_gen.rs", &[&trace]);
}

#[test]
fn it_is_compiled_again_only_if_something_changed() {
    let world = World::new();
    world.store(&about(world.dir.path(), TraceKind::Correction));
    assert!(world.refresh() && !world.refresh());
    fs::write(Precedents::path(world.dir.path()), "stead-precedents\t1\ttorn").unwrap();
    assert!(world.refresh() && !world.refresh());
    world.store(&about(world.dir.path(), TraceKind::Correction));
    assert!(world.refresh());
}
