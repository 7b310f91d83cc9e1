use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::{CONFIG, CONFIG_LOCAL, ItemKind, Layout, Trust, TrustItem};

/// A project and a person with settings.
struct TestProject {
    folder: TempDir,
    env: HashMap<String, String>,
    flags: Vec<String>,
}

impl TestProject {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home").to_str().unwrap().to_owned();
        Self { folder, env: HashMap::from([("HOME".to_owned(), home)]), flags: Vec::new() }
    }

    fn path(&self, layer: Layer) -> PathBuf {
        self.folder.path().join(match layer {
            Layer::User => "home/.config/stead/config.toml",
            Layer::Local => CONFIG_LOCAL,
            _ => CONFIG,
        })
    }

    fn file(self, layer: Layer, text: impl AsRef<[u8]>) -> Self {
        let path = self.path(layer);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn env(mut self, name: &str, value: &str) -> Self {
        self.env.insert(name.to_owned(), value.to_owned());
        self
    }

    fn flag(mut self, flag: &str) -> Self {
        self.flags.push(flag.to_owned());
        self
    }

    fn load(&self) -> (Config, Vec<String>) {
        let env = |name: &str| self.env.get(name).map(OsString::from);
        let (config, problems) = Config::load(Some(self.folder.path()), &env, &self.flags);
        let folder = format!("{}/", self.folder.path().display());
        let tell = |problem: Problem| {
            let hint = problem.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            format!("{:?} {}{hint}", problem.severity, problem).replace(&folder, "")
        };
        (config, problems.into_iter().map(tell).collect())
    }

    /// Who set a value, and what.
    fn get(&self, key: &str) -> String {
        let (config, problems) = self.load();
        assert_eq!(problems, [] as [String; 0]);
        let entry = config.get(key).unwrap();
        let folder = format!("{}/", self.folder.path().display());
        format!("{} from {}", entry.value, entry.origin).replace(&folder, "")
    }
}

#[test]
fn defaults_fill_every_setting() {
    let parsed = parse::parse_file(&Origin::layer(Layer::Default), include_str!("defaults.toml"));
    assert_eq!(parsed.problems, []);
    let (words, others): (Vec<&Key>, Vec<&Key>) = KEYS.iter().partition(|key| key.kind == key::Kind::Words);
    assert_eq!(parsed.settings.len(), others.len());
    let config = Config::default();
    assert!(words.iter().all(|key| config.text(key.name).is_empty()));
    for room in Room::ALL {
        assert_eq!(config.text(room.key()), room.default_path());
    }
    assert_eq!(Layout::of(&config), Layout::default());
    assert!(config.bool("record.sessions") && config.bool("record.relevant_files"));
    assert!(config.bool("gate.self_protection") && !config.bool("auto_init"));
}

#[test]
fn the_strongest_layer_wins_and_says_so() {
    let text = |value: bool| format!("# first\n\n[record]\nsessions = {value}\n");
    let place = TestProject::new();
    assert_eq!(place.get("record.sessions"), "true from default");
    let place = place.file(Layer::User, text(false));
    assert_eq!(place.get("record.sessions"), "false from home/.config/stead/config.toml:4");
    let place = place.file(Layer::Project, "record.sessions = true");
    assert_eq!(place.get("record.sessions"), "true from .agent/config.toml:1");
    let place = place.file(Layer::Local, text(false));
    assert_eq!(place.get("record.sessions"), "false from .agent/config.local.toml:4");
    let place = place.env("STEAD_RECORD_SESSIONS", "true");
    assert_eq!(place.get("record.sessions"), "true from $STEAD_RECORD_SESSIONS");
    let place = place.flag("record.sessions=false");
    assert_eq!(place.get("record.sessions"), "false from --config");
    assert_eq!(place.get("record.relevant_files"), "true from default");
}

#[test]
fn numbers_and_files_are_checked() {
    let place =
        TestProject::new().file(Layer::Project, "context.briefing_tokens = 0x10\ncontext.architecture = \"\"\n");
    assert_eq!(place.get("context.briefing_tokens"), "16 from .agent/config.toml:1");
    assert_eq!(place.get("context.architecture"), " from .agent/config.toml:2");
    assert_eq!(place.load().0.number("context.briefing_tokens"), 16);
    let place = place.flag("context.briefing_tokens=9").flag("context.role_skill=./a/{role}.md");
    assert_eq!(place.get("context.briefing_tokens"), "9 from --config");
    assert_eq!(place.get("context.role_skill"), "a/{role}.md from --config");
    for (text, expected) in [
        ("briefing_tokens = -1", "`context.briefing_tokens` cannot be `-1`: expected a number from 0 to 1000000"),
        (
            "briefing_tokens = 2000000",
            "`context.briefing_tokens` cannot be `2000000`: expected a number from 0 to 1000000",
        ),
        ("briefing_tokens = true", "`context.briefing_tokens` cannot be `true`: expected a number from 0 to 1000000"),
        ("role_skill = \"../x\"", "`context.role_skill` cannot be `../x`: it leaves the project through `..`"),
    ] {
        let (_, problems) = TestProject::new().file(Layer::Project, format!("[context]\n{text}\n")).load();
        assert_eq!(problems, [format!("Error .agent/config.toml:2: {expected}")]);
    }
}

#[track_caller]
fn check_problem(text: impl AsRef<[u8]>, expected: &str) {
    let place = TestProject::new().file(Layer::User, "record.sessions = false").file(Layer::Project, text);
    let (config, problems) = place.load();
    assert_eq!(problems, [expected]);
    assert!(!config.bool("record.sessions"), "the layer below still counts");
}

#[test]
fn wrong_values_and_names_are_pointed_at() {
    check_problem(
        "\n[record]\nsessions = 1\n",
        "Error .agent/config.toml:3: `record.sessions` cannot be `a value of type integer`: expected `true` or `false`",
    );
    check_problem(
        "record.sessions = \"true\"",
        "Error .agent/config.toml:1: `record.sessions` cannot be `true`: expected `true` or `false`",
    );
    check_problem(
        "[record.sessions]\na = 1",
        "Error .agent/config.toml:1: `record.sessions` cannot be `a value of type table`: expected `true` or `false`",
    );
    check_problem(
        "[record]\nsesions = true",
        "Warning .agent/config.toml:2: unknown setting `record.sesions` (did you mean `record.sessions`?)",
    );
    check_problem(
        "sessions = true",
        "Warning .agent/config.toml:1: unknown setting `sessions` (did you mean `record.sessions`?)",
    );
    check_problem(
        "[colour]\nlevel = 1",
        "Warning .agent/config.toml:2: unknown setting `colour.level` (`stead config list` shows all settings)",
    );
    check_problem(
        "# one\nrecord = true",
        "Warning .agent/config.toml:2: unknown setting `record` (did you mean `record.sessions`?)",
    );
    check_problem(
        "[layout]\n\ncache = \"../x\"",
        "Error .agent/config.toml:3: `layout.cache` cannot be `../x`: it leaves the project through `..`",
    );
    check_problem("[layout]\nroles = \"\"", "Error .agent/config.toml:2: `layout.roles` cannot be ``: it is empty");
    check_problem([0xff, 0xfe], "Error .agent/config.toml: the file is not UTF-8 text");
}

#[test]
fn a_broken_file_costs_only_its_layer() {
    let place = TestProject::new()
        .file(Layer::User, "auto_init = true")
        .file(Layer::Project, "auto_init = false\n[record\n")
        .file(Layer::Local, "record.sessions = false");
    let (config, problems) = place.load();
    assert_eq!(problems.len(), 1);
    assert!(problems[0].starts_with("Error .agent/config.toml:2: "), "{problems:?}");
    assert!(!problems[0].contains('\n'));
    assert!(config.bool("auto_init") && !config.bool("record.sessions"));
}

#[test]
fn a_folder_in_place_of_the_file_is_a_problem() {
    let place = TestProject::new();
    fs::create_dir_all(place.path(Layer::Project)).unwrap();
    let (config, problems) = place.load();
    assert_eq!(config, Config::default());
    assert!(problems[0].contains("is not a regular file"), "{problems:?}");
}

#[test]
fn odd_variables_and_flags_are_problems() {
    let place = TestProject::new()
        .env("STEAD_AUTO_INIT", "yes")
        .env("STEAD_LAYOUT_CACHE", "/tmp")
        .flag("record.sessions")
        .flag("record.sesions=true")
        .flag("gate.self_protection=");
    let (config, problems) = place.load();
    assert_eq!(
        problems,
        [
            "Error $STEAD_AUTO_INIT: `auto_init` cannot be `yes`: expected `true` or `false`",
            "Error $STEAD_LAYOUT_CACHE: `layout.cache` cannot be `/tmp`: it must be relative to the project root",
            "Error --config: `record.sessions` has no `=` (write it as `record.sessions=false`)",
            "Error --config: unknown setting `record.sesions` (did you mean `record.sessions`?)",
            "Error --config: `gate.self_protection` cannot be ``: expected `true` or `false`",
        ]
    );
    assert_eq!(config, Config::default());
}

#[test]
fn rooms_do_not_share_a_folder() {
    let place = TestProject::new().file(Layer::Project, "[layout]\nroles = \"x\"\nstages = \"./x/\"\ncache = \"x\"\n");
    let (config, problems) = place.load();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(
        problems.iter().all(
            |problem| problem.contains("it overlaps `") && problem.contains("(give each room a folder of its own)")
        )
    );
    let layout = Layout::of(&config);
    let mut places: Vec<_> = Room::ALL.iter().map(|room| layout.relative(*room)).collect();
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), Room::ALL.len());

    assert_eq!(
        TestProject::new().file(Layer::Project, "layout.roles = \".agent/context/roles\"").load().1,
        [] as [String; 0]
    );
}

#[test]
fn deleting_the_cache_deletes_nothing_else() {
    for text in [
        "layout.cache = \"a\"\nlayout.graph = \"a/b\"",
        "layout.cache = \".agent/context/indexes\"",
        "layout.context = \"notes\"\nlayout.cache = \".agent/context\"",
    ] {
        let (config, problems) = TestProject::new().file(Layer::Project, text).load();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(config.text("layout.cache"), ".agent/cache", "{text}");
    }
    let (config, problems) = TestProject::new().file(Layer::Project, "layout.graph = \".agent/cache/graph\"").load();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(config.text("layout.graph"), ".agent/graph");
}

#[track_caller]
fn check_set(before: Option<&str>, key: &str, value: &str, after: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(".agent/config.toml");
    if let Some(text) = before {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let edited = set_value(&path, key, value).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), after);
    assert_eq!(edited == Edited::Unchanged, before == Some(after));
    assert_eq!(set_value(&path, key, value).unwrap(), Edited::Unchanged);
}

#[test]
fn setting_keeps_the_rest_of_the_file() {
    check_set(None, "record.sessions", "false", "[record]\nsessions = false\n");
    check_set(None, "auto_init", "true", "auto_init = true\n");
    check_set(Some("# head\n"), "record.sessions", "false", "# head\n\n[record]\nsessions = false\n");
    check_set(Some("# head\n"), "auto_init", "true", "# head\n\nauto_init = true\n");
    check_set(
        Some("[record]\nsessions = true   # why\n\n# tail\n"),
        "record.sessions",
        "false",
        "[record]\nsessions = false   # why\n\n# tail\n",
    );
    check_set(
        Some("# a\n[record] # b\n# c\nsessions = true\n"),
        "record.relevant_files",
        "false",
        "# a\n[record] # b\n# c\nsessions = true\nrelevant_files = false\n",
    );
    check_set(
        Some("[record]\nsessions = true\n# end\n"),
        "gate.self_protection",
        "true",
        "[record]\nsessions = true\n# end\n\n[gate]\nself_protection = true\n",
    );
    check_set(Some("record.sessions = true\n"), "record.sessions", "false", "record.sessions = false\n");
    check_set(Some("record = { sessions = true }\n"), "record.sessions", "false", "record = { sessions = false }\n");
    check_set(Some("layout.roles = 'a b'\n"), "layout.roles", "./a b/", "layout.roles = 'a b'\n");
    check_set(Some("[x]\nodd = 1\n"), "auto_init", "true", "auto_init = true\n[x]\nodd = 1\n");
}

#[test]
fn unsetting_takes_only_the_value() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    assert_eq!(unset_value(&path, "auto_init").unwrap(), Edited::Unchanged);
    assert!(!path.exists());
    fs::write(&path, "# top\nauto_init = true\n\n[record]\n# why\nsessions = false\nrelevant_files = false\n").unwrap();
    assert_eq!(unset_value(&path, "record.sessions").unwrap(), Edited::Changed);
    assert_eq!(unset_value(&path, "record.sessions").unwrap(), Edited::Unchanged);
    assert_eq!(unset_value(&path, "gate.self_protection").unwrap(), Edited::Unchanged);
    assert_eq!(fs::read_to_string(&path).unwrap(), "# top\nauto_init = true\n\n[record]\nrelevant_files = false\n");
}

#[test]
fn a_bad_edit_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    for (text, key, value, expected) in [
        ("", "record.sesions", "true", "unknown setting `record.sesions`"),
        ("", "record.sessions", "yes", "`record.sessions` cannot be `yes`: expected `true` or `false`"),
        ("", "layout.cache", "/x", "`layout.cache` cannot be `/x`"),
        ("\n[record\n", "record.sessions", "true", ":2: "),
        ("record = 1\n", "record.sessions", "true", "`record.sessions` needs a table, but `"),
    ] {
        fs::write(&path, text).unwrap();
        let error = set_value(&path, key, value).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

proptest! {
    #[test]
    fn any_text_loads_somehow(text in "\\PC*|[\\[\\]a-z_.=\"#{}, \n0-9]{0,60}") {
        let parsed = parse::parse_file(&Origin::layer(Layer::Project), &text);
        let lines = text.lines().count().max(1) + 1;
        prop_assert!(parsed.problems.iter().all(|problem| problem.origin.line.is_some_and(|line| line <= lines)));
        prop_assert!(parsed.problems.iter().all(|problem| !problem.to_string().contains('\n')));
    }
}

/// Every setting that restricts agents, and its values from loose to strict.
fn gates() -> Vec<(&'static str, Vec<String>)> {
    let values = |key: &Key| {
        let names: Vec<String> = match key.kind {
            key::Kind::Choice { names, .. } => names.iter().map(|name| (*name).to_owned()).collect(),
            _ => vec!["false".to_owned(), "true".to_owned()],
        };
        let mut ranked: Vec<(usize, String)> =
            names.into_iter().filter_map(|name| Some((key.strictness(&key.read(&name).ok()?)?, name))).collect();
        ranked.sort();
        ranked.into_iter().map(|(_, name)| name).collect::<Vec<_>>()
    };
    let all = KEYS.iter().map(|key| (key.name, values(key)));
    all.filter(|(_, values)| !values.is_empty()).collect()
}

fn toml(key: &str, value: &str) -> String {
    let (section, name) = key.split_once('.').unwrap();
    let quoted = if matches!(value, "true" | "false") { value.to_owned() } else { format!("\"{value}\"") };
    format!("[{section}]\n{name} = {quoted}\n")
}

impl TestProject {
    /// With a marker, so that what the person trusts can be looked up.
    fn marked(self) -> Self {
        let path = crate::Marker::path(self.folder.path());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, crate::Marker::create("2026-01-01T00:00:00Z").render()).unwrap();
        self
    }

    fn value(&self, key: &str) -> String {
        self.load().0.get(key).unwrap().value.to_string()
    }
}

#[test]
fn the_gates_are_known() {
    let expected = [
        "gate.self_protection", "gate.guards", "gate.stale_files", "intents.mode", "intents.shell",
        "intents.agents_may_add", "context.hold_stops",
    ];
    assert_eq!(gates().iter().map(|(key, _)| *key).collect::<Vec<_>>(), expected);
    let is_gate = |key: &&str| key.starts_with("gate.");
    assert!(KEYS.iter().map(|key| key.name).filter(is_gate).all(|key| expected.contains(&key)));
}

/// Over all gates, all values and all layers: nothing loosens what the person set, and what is stricter counts.
#[test]
fn no_layer_loosens_what_the_person_set() {
    for (key, values) in gates() {
        let variable = format!("STEAD_{}", key.replace('.', "_").to_uppercase());
        for (own, mine) in values.iter().enumerate() {
            for (other, theirs) in values.iter().enumerate() {
                let person = || TestProject::new().marked().file(Layer::User, toml(key, mine));
                let worlds = [
                    ("project", person().file(Layer::Project, toml(key, theirs))),
                    ("local", person().file(Layer::Local, toml(key, theirs))),
                    ("environment", person().env(&variable, theirs)),
                    ("command line", person().flag(&format!("{key}={theirs}"))),
                ];
                for (layer, world) in worlds {
                    let expected = &values[own.max(other)];
                    assert_eq!(world.value(key), *expected, "{key}: {mine}, then {theirs} by the {layer}");
                    let (config, problems) = world.load();
                    assert_eq!(config.get(key).unwrap().not_taken.len(), usize::from(other < own), "{key} {layer}");
                    assert!(problems.is_empty(), "{problems:?}");
                }
            }
        }
    }
}

/// The environment loosens neither a default nor what a project made stricter.
#[test]
fn the_environment_loosens_nothing() {
    for (key, values) in gates() {
        let variable = format!("STEAD_{}", key.replace('.', "_").to_uppercase());
        let default = TestProject::new().value(key);
        let at = |value: &str| values.iter().position(|known| known == value).unwrap();
        for loose in &values {
            let world = TestProject::new().env(&variable, loose);
            assert_eq!(world.value(key), values[at(loose).max(at(&default))], "{key}={loose}");
            let strictest = values.last().unwrap();
            let world = TestProject::new().file(Layer::Project, toml(key, strictest)).env(&variable, loose);
            assert_eq!(world.value(key), *strictest, "{key}={loose}");
        }
    }
}

#[test]
fn a_project_loosens_a_default_only_if_it_is_trusted() {
    let project = || TestProject::new().marked().file(Layer::Project, toml("gate.guards", "false"));
    // The home of these tests lies in the project, where nothing could be kept.
    let world = project();
    assert_eq!(world.value("gate.guards"), "true", "nobody can have trusted it");
    assert!(world.load().0.depends_on_trust());
    let home = tempfile::tempdir().unwrap();
    let world = project().env("HOME", home.path().to_str().unwrap());
    let env = |name: &str| (name == "HOME").then(|| OsString::from(home.path()));
    assert_eq!(world.value("gate.guards"), "true");
    let entry = world.load().0.get("gate.guards").unwrap().clone();
    assert_eq!(entry.not_taken[0].because, Because::Untrusted);
    let accept = || {
        let text = fs::read(world.path(Layer::Project)).unwrap();
        let item = TrustItem::file(ItemKind::Config, CONFIG, text);
        Trust::of(world.folder.path(), &env).accept(&[item], "now").unwrap();
    };
    accept();
    assert_eq!(world.value("gate.guards"), "false");
    fs::write(world.path(Layer::Project), toml("gate.guards", "false") + "# changed\n").unwrap();
    assert_eq!(world.value("gate.guards"), "true");
    accept();
    assert_eq!(world.value("gate.guards"), "false");
    Trust::of(world.folder.path(), &env).revoke(&[], "now").unwrap();
    assert_eq!(world.value("gate.guards"), "true");
}

/// Another home in the environment than the one this person is known by: gates by the stricter, the rest by the known.
#[cfg(unix)]
#[test]
fn another_home_adds_gates_and_nothing_else() {
    let homes = tempfile::tempdir().unwrap();
    let at = |name: &str| homes.path().join(name).to_str().unwrap().to_owned();
    let set = |name: &str, text: &str| {
        let folder = homes.path().join(name).join(".config/stead");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("config.toml"), text).unwrap();
    };
    set("ann", "[gate]\nguards = true\nself_protection = false\n[context]\nbriefing_tokens = 7\n");
    set(
        "evil",
        "[gate]\nguards = false\nself_protection = true\n[context]\nbriefing_tokens = 9\n[layout]\nguards = \"x\"\n",
    );
    let world = TestProject::new().marked().env("HOME", &at("ann"));
    let env = |name: &str| world.env.get(name).map(OsString::from);
    crate::Person::of_env(world.folder.path(), &env).unwrap().keep(world.folder.path()).unwrap();
    let world = world.env("HOME", &at("evil"));
    assert_eq!(world.value("gate.guards"), "true");
    assert_eq!(world.value("gate.self_protection"), "true");
    assert_eq!(world.value("context.briefing_tokens"), "7");
    assert_eq!(world.value("layout.guards"), ".agent/guards");
    // And what the other home made stricter, the project does not loosen.
    let world = world.file(Layer::Project, toml("gate.self_protection", "false"));
    assert_eq!(world.value("gate.self_protection"), "true");
}
