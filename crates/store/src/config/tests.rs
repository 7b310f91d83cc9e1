use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::{CONFIG, CONFIG_LOCAL, Layout};

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
