use stead_model::EventKind;
use stead_yaml::{Entry, Tree, Value};

use super::reader::Reader;
use crate::example::{Example, ExampleCall, Scene};
use crate::exec::ExecAnswer;
use crate::guard::Guard;
use crate::guard_facts::{Caller, EvidenceState, FeatureState};

/// What an example may do.
const OPS: &[&str] =
    &["run", "write", "edit", "delete", "rename", "read", "mcp", "spawn", "tool", "stop", "prompt", "nothing"];
/// Its circumstances.
const AROUND: &[&str] = &[
    "content", "old", "new", "all", "to", "input", "on", "role", "harness", "cwd", "files", "lines", "has", "evidence",
    "features", "tests", "intent", "counters", "holds", "exec", "waiting", "absent",
];
/// The maximum number of examples.
const MOST: usize = 200;

impl Reader<'_> {
    /// Reads the examples of a guard.
    pub(super) fn examples(&mut self, node: &Tree, guard: &Guard) -> Vec<Example> {
        let mut list = Vec::new();
        for entry @ Entry { value, .. } in self.map(node, "tests").unwrap_or_default() {
            let must = match entry.key.as_str() {
                "must" => true,
                "must_not" => false,
                // Values for the parameters of a shipped guard.
                "with" => continue,
                _ => {
                    self.unknown(entry, "`tests`", &["must", "must_not"]);
                    continue;
                }
            };
            let Value::List(items) = &value.value else {
                self.fault(value.place, format!("`{}` is {}, not a list", entry.key, value.kind()), None);
                continue;
            };
            for item in items.iter().take(MOST) {
                list.extend(self.example(item, must, guard));
            }
        }
        list
    }

    fn example(&mut self, node: &Tree, must: bool, guard: &Guard) -> Option<Example> {
        let usual = guard.events.first().copied().unwrap_or(EventKind::BeforeTool);
        if let Some(command) = node.scalar() {
            let call = ExampleCall::Run(command.clone());
            return Some(Example {
                must,
                title: command,
                place: node.place,
                event: usual,
                call,
                scene: Scene::default(),
            });
        }
        let entries = self.map(node, "a test")?;
        let Some(op) = entries.iter().find(|entry| OPS.contains(&entry.key.as_str())) else {
            let hint = stead_model::expected_one_of(OPS.iter().copied());
            self.fault(node.place, "this test does nothing", Some(hint));
            return None;
        };
        let mut scene = Scene::default();
        let mut event = match op.key.as_str() {
            "stop" if !matches!(usual, EventKind::Stop | EventKind::SubagentStop) => EventKind::Stop,
            "prompt" => EventKind::Prompt,
            _ => usual,
        };
        let call = self.call(op, node)?;
        for entry @ Entry { value, .. } in entries {
            let name = entry.key.as_str();
            if OPS.contains(&name) {
                continue;
            }
            if name == "on" {
                let names: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
                event = self.word(value, "on", &names, EventKind::from_name)?;
            } else if !AROUND.contains(&name) {
                let known: Vec<&str> = OPS.iter().chain(AROUND).copied().collect();
                self.unknown(entry, "a test", &known);
            } else {
                self.around(&mut scene, entry, &call)?;
            }
        }
        let title = format!("{}: {}", op.key, op.value.scalar().unwrap_or_default());
        Some(Example { must, title, place: node.place, event, call, scene })
    }

    fn call(&mut self, op: &Entry, node: &Tree) -> Option<ExampleCall> {
        let told = &op.value;
        let text = |name: &str| node.get(name).and_then(Tree::scalar);
        Some(match op.key.as_str() {
            "run" => ExampleCall::Run(self.text(told, "run")?),
            "write" => ExampleCall::Write { path: self.text(told, "write")?, content: text("content") },
            "edit" => ExampleCall::Edit {
                path: self.text(told, "edit")?,
                old: text("old").unwrap_or_default(),
                new: text("new").unwrap_or_default(),
                all: node.get("all").is_some_and(|all| all.value == Value::Bool(true)),
            },
            "delete" => ExampleCall::Delete(self.text(told, "delete")?),
            "rename" => ExampleCall::Rename { from: self.text(told, "rename")?, to: text("to").unwrap_or_default() },
            "read" => ExampleCall::Read {
                path: self.text(told, "read")?,
                input: node.get("input").map(Tree::json).unwrap_or_default(),
            },
            "mcp" => ExampleCall::Mcp(self.text(told, "mcp")?),
            "spawn" => ExampleCall::Spawn(self.text(told, "spawn")?),
            "tool" => ExampleCall::Tool {
                name: self.text(told, "tool")?,
                input: node.get("input").map(Tree::json).unwrap_or_default(),
            },
            "stop" | "prompt" => ExampleCall::Said(told.scalar().unwrap_or_default()),
            _ => ExampleCall::Nothing,
        })
    }

    fn around(&mut self, scene: &mut Scene, entry: &Entry, call: &ExampleCall) -> Option<()> {
        let value = &entry.value;
        match entry.key.as_str() {
            "role" => {
                scene.caller = match self.text(value, "role")?.as_str() {
                    "main" => Caller::Main { role: None },
                    "sub" => Caller::Sub { role: None },
                    role => Caller::Sub { role: Some(role.to_owned()) },
                }
            }
            "harness" => scene.harness = self.text(value, "harness")?,
            "cwd" => scene.cwd = self.text(value, "cwd")?,
            "files" => {
                for file in self.map(value, "files")? {
                    scene.files.push((file.key.clone(), file.value.scalar().unwrap_or_default()));
                }
            }
            "lines" => match (&value.value, call) {
                (Value::Whole(lines), ExampleCall::Read { path, .. }) => {
                    scene.lines.push((path.clone(), u64::try_from(*lines).unwrap_or(0)));
                }
                _ => {
                    for Entry { key, value: lines, .. } in self.map(value, "lines")? {
                        let Value::Whole(lines) = lines.value else { continue };
                        scene.lines.push((key.clone(), u64::try_from(lines).unwrap_or(0)));
                    }
                }
            },
            "has" => scene.flags = self.texts(value, "has").into_iter().map(|(flag, _)| flag).collect(),
            "evidence" => self.standing(scene, value)?,
            "features" => {
                for Entry { key, value: state, .. } in self.map(value, "features")? {
                    let status = state.get("status").and_then(Tree::scalar).unwrap_or_default();
                    let tested = state.get("tested").is_some_and(|node| node.value == Value::Bool(true));
                    scene.features.push((key.clone(), FeatureState { status, tested }));
                }
            }
            "tests" => {
                let count = |name: &str| match value.get(name).map(|node| &node.value) {
                    Some(Value::Whole(number)) => u64::try_from(*number).unwrap_or(0),
                    _ => 0,
                };
                scene.tests.ran = count("ran");
                scene.tests.passed = count("passed");
            }
            "intent" => scene.intent = Some(self.text(value, "intent")?),
            "counters" => {
                for Entry { key, value: number, .. } in self.map(value, "counters")? {
                    let Value::Whole(number) = number.value else { continue };
                    scene.counters.push((key.clone(), u64::try_from(number).unwrap_or(0)));
                }
            }
            "holds" => scene.holds = self.count(value)?,
            "waiting" => scene.waiting = self.count(value)? as usize,
            "absent" => scene.absent = self.truth(value, "absent")?,
            "exec" => {
                let text = self.text(value, "exec")?;
                scene.exec = if text == "abstain" { ExecAnswer::Abstain } else { ExecAnswer::Deny { reason: text } };
            }
            _ => {}
        }
        Some(())
    }

    fn count(&mut self, node: &Tree) -> Option<u64> {
        match node.value {
            Value::Whole(number) => u64::try_from(number).ok(),
            _ => {
                self.fault(node.place, "expected a number", None);
                None
            }
        }
    }

    fn standing(&mut self, scene: &mut Scene, node: &Tree) -> Option<()> {
        let read = |reader: &mut Self, node: &Tree| {
            reader.word(node, "evidence", &["fresh", "stale", "none"], |word| match word {
                "fresh" => Some(EvidenceState::Fresh),
                "stale" => Some(EvidenceState::Stale { why: "Its files have changed since.".into() }),
                "none" => Some(EvidenceState::None { why: "No test run was observed.".into() }),
                _ => None,
            })
        };
        match &node.value {
            Value::Map(entries) => {
                for Entry { key, value: standing, .. } in entries {
                    let standing = read(self, standing)?;
                    scene.evidence.push((Some(key.clone()), standing));
                }
            }
            _ => {
                let standing = read(self, node)?;
                scene.evidence.push((None, standing));
            }
        }
        Some(())
    }
}
