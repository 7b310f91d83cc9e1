//! The gate's door: which events concern it, and the short way for the many that do not.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use stead_model::{Action, Change, Event, EventKind, FileChange, ToolCall, Verdict};

use crate::change;
use crate::denial::Denial;
use crate::facts::Facts;
use crate::input;
use crate::path::absolute;
use crate::place::Place;
use crate::policy::Policy;
use crate::settings;
use crate::shell;
use crate::shield::Shield;

/// Judges whether an event would weaken Stead.
pub fn judge(policy: &Policy<'_>, event: &Event<'_>, place: &Place<'_>, facts: &dyn Facts) -> Verdict {
    match event.kind {
        EventKind::BeforeTool | EventKind::PermissionRequest => match &event.call {
            Some(call) => judge_call(policy, call, place, facts).map_or_else(Verdict::allow, |denial| denial.verdict()),
            None => Verdict::allow(),
        },
        EventKind::ConfigChange => {
            let shield = Shield::raise(policy, place, facts);
            settings::judge_config_change(&shield, event, place.cwd, facts).unwrap_or_else(Verdict::allow)
        }
        _ => Verdict::allow(),
    }
}

fn judge_call(policy: &Policy<'_>, call: &ToolCall<'_>, place: &Place<'_>, facts: &dyn Facts) -> Option<Denial> {
    let cwd = place.cwd.to_string_lossy();
    match &call.action {
        Action::Read(_) | Action::Spawn { .. } | Action::Inert => None,
        Action::Change(changes) => {
            if changes.iter().all(|change| is_far(policy, change, &cwd, place, facts)) {
                return None;
            }
            change::judge_changes(&Shield::raise(policy, place, facts), changes, place.cwd, facts)
        }
        Action::Run { command, dir } => {
            let folder = match dir {
                Some(dir) => Cow::Owned(absolute(dir, place.cwd, place.home().as_deref())),
                None => Cow::Borrowed(place.cwd),
            };
            judge_command(policy, command, &folder, place, facts)
        }
        Action::Mcp { tool, .. } => judge_input(policy, tool, &call.input, place, facts),
        Action::Other => judge_input(policy, &call.tool, &call.input, place, facts),
    }
}

/// Judges one shell command as if run in `folder`.
fn judge_command(
    policy: &Policy<'_>,
    command: &str,
    folder: &Path,
    place: &Place<'_>,
    facts: &dyn Facts,
) -> Option<Denial> {
    if shell::plain(command).is_some_and(|bare| policy.is_quiet(&[&bare, &folder.to_string_lossy()])) {
        return None;
    }
    shell::judge(&Shield::raise(policy, place, facts), command, folder, place, facts)
}

fn judge_input(policy: &Policy<'_>, tool: &str, input: &str, place: &Place<'_>, facts: &dyn Facts) -> Option<Denial> {
    let quiet = policy.is_quiet(&[input, &place.cwd.to_string_lossy()]);
    if quiet && input::is_plain(tool, input) {
        return None;
    }
    input::judge(&Shield::raise(policy, place, facts), tool, input, quiet, place, facts)
}

/// Says at little cost that a change is nowhere near a protected path.
fn is_far(policy: &Policy<'_>, file: &FileChange<'_>, cwd: &str, place: &Place<'_>, facts: &dyn Facts) -> bool {
    // Only these can take a folder away with all that is in it.
    if matches!(file.change, Change::Delete | Change::Rename { .. }) {
        return false;
    }
    let path: PathBuf = absolute(&file.path, place.cwd, place.home().as_deref());
    policy.is_quiet(&[&file.path, cwd]) && policy.is_quiet(&[&facts.real(&path).to_string_lossy()])
}

#[cfg(test)]
mod tests {
    use stead_model::Level::{Allow, Deny};
    use stead_model::{Action, Event, EventKind, ToolCall};

    use crate::testing::{World, expect};

    fn call(action: Action<'_>) -> ToolCall<'_> {
        ToolCall { tool: "Tool".into(), id: None, action, input: r#"{"path":".agent/config.toml"}"#.into() }
    }

    #[test]
    fn only_what_lies_ahead_is_judged() {
        for kind in EventKind::ALL {
            let mut event = Event::new(kind, "Native");
            event.call = Some(call(Action::Run { command: "rm -rf .agent".into(), dir: None }));
            let judged = matches!(kind, EventKind::BeforeTool | EventKind::PermissionRequest);
            expect(&World::new().judge(&event), if judged { Deny } else { Allow }, kind.name());
        }
    }

    #[test]
    fn reading_and_spawning_pass() {
        let path = ".agent/config.toml";
        let task = Action::Spawn { role: None, task: Some("rm -rf .agent".into()) };
        for action in [Action::Read(vec![path.into()]), task, Action::Inert] {
            expect(&World::new().before(call(action)), Allow, "reading");
        }
    }

    #[test]
    fn a_command_runs_where_the_call_says() {
        let run = |dir: &'static str| Action::Run { command: "rm config.toml".into(), dir: Some(dir.into()) };
        expect(&World::new().before(call(run(".agent"))), Deny, ".agent");
        expect(&World::new().before(call(run("/home/ann/proj/.agent"))), Deny, "absolute");
        expect(&World::new().before(call(run("src"))), Allow, "src");
    }
}
