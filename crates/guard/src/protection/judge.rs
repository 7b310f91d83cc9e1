//! The entry point of the pack: which events it judges, and the fast path for all others.

use std::borrow::Cow;
use std::path::Path;

use stead_model::{Action, Change, Detail, Effects, Event, EventKind, FileChange, ToolCall, Verdict};
use stead_shell::{Facts, Place, absolute, is_plain_input, plain_command};

use super::change;
use super::denial::Denial;
use super::effect::Bench;
use super::needle::Needles;
use super::policy::Policy;
use super::settings;
use super::shield::Shield;
use super::tree;

/// Judges whether an event would weaken Stead. The effects of the call are computed only if its literals do not decide.
pub fn judge<'e>(
    policy: &Policy<'_>,
    event: &Event<'_>,
    effects: &dyn Fn() -> &'e Effects,
    place: &Place<'_>,
    facts: &dyn Facts,
) -> Verdict {
    match event.kind {
        EventKind::BeforeTool | EventKind::PermissionRequest => {
            let denial = event.call.as_ref().and_then(|call| judge_call(policy, call, effects, place, facts));
            denial.map_or_else(Verdict::allow, |denial| denial.verdict())
        }
        EventKind::ConfigChange => {
            let others = match &event.detail {
                Detail::Config { path: Some(path), .. } => tree::of_written([path.as_ref()], place, facts),
                _ => Vec::new(),
            };
            let shield = Shield::raise(policy, &Place { others: &others, ..*place }, facts);
            settings::judge_config_change(&shield, event, place.cwd, facts).unwrap_or_else(Verdict::allow)
        }
        _ => Verdict::allow(),
    }
}

fn judge_call<'e>(
    policy: &Policy<'_>,
    call: &ToolCall<'_>,
    effects: &dyn Fn() -> &'e Effects,
    place: &Place<'_>,
    facts: &dyn Facts,
) -> Option<Denial> {
    match &call.action {
        Action::Read(_) | Action::Spawn { .. } | Action::Inert => return None,
        Action::Change(changes) => {
            let needles = Needles::read(policy.head());
            if !needles.is_empty() && changes.iter().all(|change| is_far(&needles, change, place, facts)) {
                return None;
            }
            let others = tree::of_changes(changes, place, facts);
            let place = &Place { others: &others, ..*place };
            return change::judge_changes(&Shield::raise(policy, place, facts), changes, place, facts);
        }
        Action::Run { command, dir } => {
            let folder = match dir {
                Some(dir) => Cow::Owned(absolute(dir, place.cwd, place.home().as_deref())),
                None => Cow::Borrowed(place.cwd),
            };
            if plain_command(command).is_some_and(|bare| policy.is_quiet(&bare, &folder, place)) {
                return None;
            }
        }
        Action::Mcp { tool, .. } if is_quiet_input(policy, tool, &call.input, place) => return None,
        Action::Other if is_quiet_input(policy, &call.tool, &call.input, place) => return None,
        Action::Mcp { .. } | Action::Other => {}
    }
    let effects = effects();
    let deep = !matches!(call.action, Action::Run { .. });
    let judge = || {
        let others = tree::of_effects(effects, place, facts);
        let place = &Place { others: &others, ..*place };
        let shield = Shield::raise(policy, place, facts);
        Bench { call, shield: &shield, place, facts }.judge(effects)
    };
    if policy.spares(effects, deep, place, facts) {
        debug_assert!(judge().is_none(), "a call was spared that is refused: {:?}", call.input);
        return None;
    }
    judge()
}

fn is_quiet_input(policy: &Policy<'_>, tool: &str, input: &str, place: &Place<'_>) -> bool {
    is_plain_input(tool, input) && policy.is_quiet(input, place.cwd, place)
}

/// Returns true if a change is certainly not near a protected path, at little cost.
fn is_far(needles: &Needles<'_>, file: &FileChange<'_>, place: &Place<'_>, facts: &dyn Facts) -> bool {
    // Only these can remove a folder with everything in it.
    if matches!(file.change, Change::Delete | Change::Rename { .. }) {
        return false;
    }
    let path = absolute(&file.path, place.cwd, place.home().as_deref());
    let is_far = |path: &Path| needles.is_far(path, place);
    let real = facts.real(&path);
    is_far(&path) && (real == path || is_far(&real))
}

#[cfg(test)]
mod tests {
    use stead_model::Level::{Allow, Deny};
    use stead_model::{Action, Event, EventKind, ToolCall};

    use crate::protection::testing::{World, expect};

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
