//! The examples of a guard: calls that it must or must not match. They run in a small made-up project, so that the same
//! guard gives the same result everywhere.

mod scene;

use std::cell::LazyCell;

use stead_model::{Action, Agent, Change, Detail, Event, EventKind, FileChange, Replacement, ToolCall};
use stead_shell::{Place, effects};
use stead_yaml::Position;

use crate::asked::Asked;
use crate::compile::ProjectRooms;
use crate::guard::Guard;
use crate::guard_facts::Caller;
use crate::judge::would_act;
use crate::problem::Problem;
use crate::read::{Draft, read_source};
use crate::shipped::Shipped;
use crate::source::Source;

pub(crate) use scene::{HOME, ROOT, Scene};

/// One example.
#[derive(Clone, Debug)]
pub(crate) struct Example {
    pub(crate) must: bool,
    pub(crate) title: String,
    pub(crate) place: Position,
    pub(crate) event: EventKind,
    pub(crate) call: ExampleCall,
    pub(crate) scene: Scene,
}

#[derive(Clone, Debug)]
pub(crate) enum ExampleCall {
    Run(String),
    Write { path: String, content: Option<String> },
    Edit { path: String, old: String, new: String, all: bool },
    Delete(String),
    Rename { from: String, to: String },
    Read { path: String, input: serde_json::Value },
    Mcp(String),
    Spawn(String),
    Tool { name: String, input: serde_json::Value },
    Said(String),
    Nothing,
}

/// The result of one example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExampleResult {
    pub guard: String,
    /// From 1, in the guard's file.
    pub line: usize,
    pub title: String,
    /// The guard must match, or must not.
    pub must: bool,
    pub passed: bool,
    /// What matched and why; if nothing did, the effects of the call.
    pub detail: String,
}

/// Runs the examples of a guard file. A file that cannot be read has problems instead.
pub fn test(source: &Source, rooms: &ProjectRooms) -> Result<Vec<ExampleResult>, Vec<Problem>> {
    let (drafts, problems) = read_source(source, rooms);
    if drafts.is_empty() && !problems.is_empty() {
        return Err(problems);
    }
    Ok(drafts.iter().flat_map(|draft| run_own_or_used(draft, rooms)).collect())
}

/// A guard without examples that uses a shipped one has those of that guard, with their own values.
fn run_own_or_used(draft: &Draft, rooms: &ProjectRooms) -> Vec<ExampleResult> {
    let mut results = run_all(draft);
    results.extend(used(draft, rooms).iter().flat_map(run_all));
    for result in &mut results {
        result.guard.clone_from(&draft.guard.id);
    }
    results
}

/// The shipped guard whose examples count for a guard that has none.
fn used(draft: &Draft, rooms: &ProjectRooms) -> Vec<Draft> {
    let Some(name) = draft.definition.as_ref().or(draft.made_from.as_ref()).filter(|_| draft.examples.is_empty())
    else {
        return Vec::new();
    };
    let Some(base) = Shipped::named(name.split('.').next().unwrap_or(name)) else { return Vec::new() };
    let mut drafts = read_source(&base.source(), rooms).0;
    drafts.retain(|other| other.guard.id == *name);
    // A guard of a pack may itself use one of another pack.
    let (own, borrowed): (Vec<Draft>, Vec<Draft>) = drafts.into_iter().partition(|other| other.definition.is_none());
    own.into_iter().chain(borrowed.iter().flat_map(|other| used(other, rooms))).collect()
}

/// How many examples a guard has; one that uses a shipped guard has those of that guard.
pub(crate) fn count(draft: &Draft, rooms: &ProjectRooms) -> usize {
    draft.examples.len() + used(draft, rooms).iter().map(|other| other.examples.len()).sum::<usize>()
}

pub(crate) fn run_all(draft: &Draft) -> Vec<ExampleResult> {
    draft.examples.iter().map(|example| run(&draft.guard, example)).collect()
}

fn run(guard: &Guard, example: &Example) -> ExampleResult {
    let hit = example.with_asked(|asked| {
        guard.events.contains(&asked.event.kind).then(|| would_act(guard, asked, &example.scene)).flatten()
    });
    let detail = match &hit {
        Some(hit) if hit.part.is_empty() || hit.because.contains(&hit.part) => hit.because.clone(),
        Some(hit) => format!("{}, by `{}`", hit.because, hit.part),
        None => format!("no match; it {}", example.seen()),
    };
    let broken = hit.as_ref().is_some_and(|hit| hit.error.is_some());
    ExampleResult {
        guard: guard.id.clone(),
        line: example.place.line,
        title: example.title.clone(),
        must: example.must,
        passed: hit.is_some() == example.must && !broken,
        detail,
    }
}

impl Example {
    /// Builds the event and judges it.
    pub(crate) fn with_asked<T>(&self, ask: impl FnOnce(&Asked<'_>) -> T) -> T {
        let cwd = self.scene.cwd();
        let mut event = Event::new(self.event, "Example");
        event.session = Some("example".into());
        event.cwd = Some(cwd.as_str().into());
        event.call = self.tool_call();
        if let Caller::Sub { role } = &self.scene.caller {
            event.agent = Some(Agent { id: Some("sub".into()), role: role.as_deref().map(Into::into) });
        }
        if let ExampleCall::Said(text) = &self.call {
            event.detail = match self.event {
                EventKind::Prompt => Detail::Prompt { text: text.as_str().into(), author: stead_model::Author::Person },
                EventKind::Notification => Detail::Notice { text: Some(text.as_str().into()) },
                _ => Detail::Stop { message: Some(text.as_str().into()), again: false, waiting: self.scene.waiting },
            };
        }
        let env = |name: &str| (name == "HOME").then(|| HOME.into());
        let place = Place { root: Some(ROOT.as_ref()), tree: None, others: &[], cwd: cwd.as_ref(), env: &env };
        let read = || event.call.as_ref().map(|call| effects(call, &place, &self.scene)).unwrap_or_default();
        ask(&Asked {
            event: &event,
            harness: &self.scene.harness,
            root: ROOT,
            home: Some(HOME),
            can_rewrite: true,
            hides_typing: false,
            effects: &LazyCell::new(read),
        })
    }

    fn seen(&self) -> String {
        self.with_asked(|asked| {
            let effects = asked.effects.effects();
            let ops: Vec<String> =
                effects.list.iter().take(6).map(|effect| crate::evaluate::told(&effect.op)).collect();
            match ops.is_empty() {
                true => format!("has no known effect (coverage {})", effects.coverage.name()),
                false => format!("{} (coverage {})", ops.join(", "), effects.coverage.name()),
            }
        })
    }

    fn tool_call(&self) -> Option<ToolCall<'_>> {
        let call = |tool: &'static str, action, input: serde_json::Value| ToolCall {
            tool: tool.into(),
            id: None,
            action,
            input: input.to_string().into(),
        };
        let change = |path: &String, change| Action::Change(vec![FileChange { path: path.clone().into(), change }]);
        Some(match &self.call {
            ExampleCall::Run(command) => call(
                "Bash",
                Action::Run { command: command.as_str().into(), dir: None },
                serde_json::json!({"command": command}),
            ),
            ExampleCall::Write { path, content } => call(
                "Write",
                change(path, Change::Write { content: Some(content.clone().unwrap_or_default().into()) }),
                serde_json::json!({"file_path": path, "content": content.clone().unwrap_or_default()}),
            ),
            ExampleCall::Edit { path, old, new, all } => {
                let replacement = Replacement { old: old.clone().into(), new: new.clone().into(), all: *all };
                call(
                    "Edit",
                    change(path, Change::Edit(vec![replacement])),
                    serde_json::json!({"file_path": path, "old_string": old, "new_string": new, "replace_all": all}),
                )
            }
            ExampleCall::Delete(path) => {
                call("Delete", change(path, Change::Delete), serde_json::json!({"path": path}))
            }
            ExampleCall::Rename { from, to } => call(
                "Rename",
                change(from, Change::Rename { to: to.clone().into() }),
                serde_json::json!({"path": from, "to": to}),
            ),
            ExampleCall::Read { path, input } => {
                let mut whole = serde_json::json!({"file_path": path});
                if let (Some(whole), Some(more)) = (whole.as_object_mut(), input.as_object()) {
                    whole.extend(more.clone());
                }
                call("Read", Action::Read(vec![path.as_str().into()]), whole)
            }
            ExampleCall::Mcp(name) => {
                let (server, tool) = name.split_once('/').unwrap_or((name, ""));
                let action = Action::Mcp { server: server.into(), tool: tool.into() };
                call("mcp", action, serde_json::json!({}))
            }
            ExampleCall::Spawn(role) => {
                let action = Action::Spawn { role: Some(role.as_str().into()), task: None };
                call("Task", action, serde_json::json!({"subagent_type": role}))
            }
            ExampleCall::Tool { name, input } => ToolCall {
                tool: name.as_str().into(),
                id: None,
                action: Action::Other,
                input: if input.is_null() { "{}".into() } else { input.to_string().into() },
            },
            ExampleCall::Said(_) | ExampleCall::Nothing => return None,
        })
    }
}
