//! Compiles config, layout and the facts about clients to the policy text that a hook call reads.

use std::path::{Path, PathBuf};

use stead_client::Harness;
use stead_guard::protection::{OwnRoom, Rule, builtin_rules, program_rule, render_needles};
use stead_store::{Config, Entry, Layout, Marker, Room};

use crate::location::Env;

/// Changes whenever the built-in rules change, so that a policy compiled by another version is not used. A test prints
/// the new value.
pub(crate) const POLICY_STAMP: &str = "5-284a2c4d3d608ca";

/// Switches: the config key, and its name in the policy.
const SWITCHES: &[&str] = &[
    "record.sessions", "record.relevant_files", "record.prompts", "record.evidence", "record.ledger", "record.lessons",
    "gate.self_protection", "gate.guards", "auto_init",
];

/// Switches that apply once the project has intents, unless config sets them.
const ON_WITH_INTENTS: &[&str] = &["gate.stale_files"];

/// Compiles the policy of a project, or the policy outside of any.
pub(crate) fn compile(root: Option<&Path>, env: &Env) -> String {
    // The environment of one call must not affect later calls.
    let lasting = |name: &str| if name.starts_with("STEAD_") { None } else { env(name) };
    let (config, problems) = Config::load(root, &lasting, &[]);
    let mut text = String::new();
    // Each call reads these lines, so what is on has none.
    for key in SWITCHES.iter().filter(|key| !config.bool(key)) {
        text.push_str(&format!("switch\t{key}\toff\n"));
    }
    for key in ON_WITH_INTENTS {
        let state = match (config.bool(key), config.is_set(key)) {
            (false, _) => "off",
            (true, true) => "on",
            (true, false) => continue,
        };
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
    let rules = rules_text(&layout);
    // Config may let agents add intents; the command itself checks what they add.
    text.push_str(&if config.bool("intents.agents_may_add") {
        rules.replace(
            "verb	intent add
", "",
        )
    } else {
        rules
    });
    for (folder, name) in programs(root, env) {
        text.push_str(&program_rule(&folder, &name).render());
        text.push('\n');
    }
    // Last, because only few events ask for them.
    for entry in settings(&config).filter(|entry| !config.is_set(entry.key)) {
        text.push_str(&format!("default\t{}\t{}\n", entry.key, one_line(&entry.value)));
    }
    text
}

/// The folders and names of `stead`: this program's own, and those on PATH; as named and with links resolved (to
/// `stead-0.1`, say). One inside the project is a build, and is not protected.
fn programs(root: Option<&Path>, env: &Env) -> Vec<(String, String)> {
    const NAME: &str = "stead";
    let path = env("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(NAME)).filter(|program| program.is_file());
    let all = own_program().into_iter().chain(found);
    let all = all.flat_map(|program| program.canonicalize().into_iter().chain([program]));
    let real = root.and_then(|root| root.canonicalize().ok());
    let is_inside = |program: &Path| root.into_iter().chain(real.as_deref()).any(|root| program.starts_with(root));
    let mut places: Vec<(String, String)> = all
        .filter(|program| program.is_absolute() && !is_inside(program))
        .filter_map(|program| Some((program.parent()?.to_str()?.to_owned(), program.file_name()?.to_str()?.to_owned())))
        .filter(|(_, name)| name.starts_with(NAME))
        .collect();
    places.sort();
    places.dedup();
    places
}

/// The program that is running, with links resolved.
pub(crate) fn own_program() -> Option<PathBuf> {
    std::env::current_exe().ok()
}

/// Values that only some events need; the usual call skips these lines.
fn chosen(config: &Config, layout: &Layout) -> String {
    let mut text = String::new();
    for room in [Room::Roles, Room::Intents, Room::Runs, Room::Features, Room::Guards] {
        if layout.relative(room) != room.default_path() {
            text.push_str(&format!("room\t{}\t{}\n", room.name(), layout.relative(room)));
        }
    }
    for entry in settings(config).filter(|entry| config.is_set(entry.key)) {
        text.push_str(&format!("value\t{}\t{}\n", entry.key, one_line(&entry.value)));
    }
    text
}

/// The settings that hooks ask for, other than switches.
fn settings(config: &Config) -> impl Iterator<Item = &Entry> {
    let is_needed = |key: &str| ["context.", "intents.", "orchestrate."].iter().any(|start| key.starts_with(start));
    config.entries().iter().filter(move |entry| is_needed(entry.key))
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

    #[cfg(unix)]
    #[test]
    fn the_program_behind_a_link_is_protected() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().canonicalize().unwrap();
        std::fs::write(folder.join("stead-1.2"), "").unwrap();
        std::os::unix::fs::symlink("stead-1.2", folder.join("stead")).unwrap();
        let path = folder.clone();
        let found = programs(None, &move |name| (name == "PATH").then(|| path.clone().into_os_string()));
        for name in ["stead", "stead-1.2"] {
            assert!(found.contains(&(folder.display().to_string(), name.to_owned())), "{found:?}");
        }
    }

    #[test]
    fn a_moved_room_is_named_once() {
        let root = tempfile::tempdir().unwrap();
        let moved: String = Room::ALL.iter().map(|room| format!("{} = \"elsewhere/{0}\"\n", room.name())).collect();
        std::fs::create_dir(root.path().join(".agent")).unwrap();
        std::fs::write(root.path().join(".agent/config.toml"), format!("[layout]\n{moved}")).unwrap();
        let text = compile(Some(root.path()), &|_| None);
        let mut named: Vec<&str> = text.lines().filter(|line| line.starts_with("room\t")).collect();
        assert!(named.contains(&"room\tfeatures\telsewhere/features"), "{named:?}");
        let count = named.len();
        named.sort_unstable();
        named.dedup();
        assert_eq!(named.len(), count, "{named:?}");
    }

    #[test]
    fn the_stamp_follows_the_rules() {
        let hash = crate::policy::hash(rules_text(&Layout::default()).as_bytes());
        let stamp = format!("5-{hash:x}");
        assert!(stamp == POLICY_STAMP, "the built-in rules changed: set POLICY_STAMP to \"{stamp}\"");
    }
}
