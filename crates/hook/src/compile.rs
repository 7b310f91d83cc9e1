//! Compiles config, layout and the facts about clients to the policy text that a hook call reads.

use std::path::Path;

use stead_client::Harness;
use stead_guard::protection::{OwnRoom, Rule, builtin_rules, program_rule, render_needles};
use stead_store::{Config, Layout, Marker, Room};

use crate::location::Env;

/// Changes whenever the built-in rules change, so that a policy compiled by another version is not used. A test prints
/// the new value.
pub(crate) const POLICY_STAMP: &str = "2-78425995314b251e";

/// Switches: the config key, and its name in the policy.
const SWITCHES: &[&str] = &[
    "record.sessions", "record.relevant_files", "record.prompts", "record.evidence", "record.ledger",
    "gate.self_protection", "gate.guards", "auto_init",
];

/// Compiles the policy of a project, or the policy outside of any.
pub(crate) fn compile(root: Option<&Path>, env: &Env) -> String {
    // The environment of one call must not affect later calls.
    let lasting = |name: &str| if name.starts_with("STEAD_") { None } else { env(name) };
    let (config, problems) = Config::load(root, &lasting, &[]);
    let mut text = String::new();
    for key in SWITCHES {
        let state = if config.bool(key) { "on" } else { "off" };
        text.push_str(&format!("switch\t{key}\t{state}\n"));
    }
    if let Some(root) = root
        && let Err(error) = Marker::read(root)
    {
        // Not written to, but still protected.
        text.push_str(&format!("note\tmarker\t{}\n", one_line(&error)));
    }
    if let Some(problem) = problems.first() {
        text.push_str(&format!("note\tconfig\t{}\n", one_line(problem)));
    }
    let layout = Layout::of(&config);
    text.push_str(&format!("room\t{}\t{}\n", Room::Context.name(), layout.relative(Room::Context)));
    text.push_str(&chosen(&config, &layout));
    text.push_str(&rules_text(&layout));
    for folder in programs(root, env) {
        text.push_str(&program_rule(&folder).render());
        text.push('\n');
    }
    text
}

/// The folders that contain `stead`: this program's own, and those on PATH; as named and with links resolved. One
/// inside the project is a build, and is not protected.
fn programs(root: Option<&Path>, env: &Env) -> Vec<String> {
    const NAME: &str = "stead";
    let path = env("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(NAME)).filter(|program| program.is_file());
    let named = std::env::current_exe().into_iter().chain(found);
    let all = named.flat_map(|program| program.canonicalize().into_iter().chain([program]));
    let real = root.and_then(|root| root.canonicalize().ok());
    let is_inside = |program: &Path| root.into_iter().chain(real.as_deref()).any(|root| program.starts_with(root));
    let mut folders: Vec<String> = all
        .filter(|program| program.is_absolute() && program.file_name().is_some_and(|name| name == NAME))
        .filter(|program| !is_inside(program))
        .filter_map(|program| program.parent()?.to_str().map(str::to_owned))
        .collect();
    folders.sort();
    folders.dedup();
    folders
}

/// Values that only some events need; the usual call skips these lines.
fn chosen(config: &Config, layout: &Layout) -> String {
    let mut text = String::new();
    for room in [Room::Roles, Room::Features, Room::Guards] {
        if layout.relative(room) != room.default_path() {
            text.push_str(&format!("room\t{}\t{}\n", room.name(), layout.relative(room)));
        }
    }
    if layout.relative(Room::Features) != Room::Features.default_path() {
        text.push_str(&format!("room\t{}\t{}\n", Room::Features.name(), layout.relative(Room::Features)));
    }
    for entry in config.entries().iter().filter(|entry| entry.key.starts_with("context.") && config.is_set(entry.key)) {
        text.push_str(&format!("value\t{}\t{}\n", entry.key, one_line(&entry.value)));
    }
    text
}

/// The gate knows only rooms that contain Stead's own files.
fn store_room(room: OwnRoom) -> Room {
    match room {
        OwnRoom::Context => Room::Context,
        OwnRoom::Intents => Room::Intents,
        OwnRoom::Runs => Room::Runs,
        OwnRoom::Features => Room::Features,
        OwnRoom::Guards => Room::Guards,
        OwnRoom::Graph => Room::Graph,
        OwnRoom::Cache => Room::Cache,
    }
}

fn one_line(text: &dyn std::fmt::Display) -> String {
    text.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Formats the built-in rules for a layout: first the literals that a call is searched for, then the rules.
pub fn rules_text(layout: &Layout) -> String {
    let mut rules = builtin_rules(&|room| layout.relative(store_room(room)).to_owned());
    for harness in Harness::ALL {
        let facts = &harness.client().facts;
        for file in facts.settings {
            rules.push(Rule::Settings {
                base: file.spot.base,
                path: file.spot.path.into(),
                client: facts.title.into(),
                shape: file.shape,
                watch: file.watch.into(),
            });
        }
    }
    let mut text = render_needles(&rules);
    for rule in rules {
        text.push_str(&rule.render());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stamp_follows_the_rules() {
        let hash = crate::policy::hash(rules_text(&Layout::default()).as_bytes());
        let stamp = format!("2-{hash:x}");
        assert!(stamp == POLICY_STAMP, "the built-in rules changed: set POLICY_STAMP to \"{stamp}\"");
    }
}
