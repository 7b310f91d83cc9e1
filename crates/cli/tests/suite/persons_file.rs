//! Settings in the person's home, to which clients and the person write at any time, in any window: what is no concern of
//! this project's hooks is never undone, and what is, returns alone.
#![cfg(unix)]

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};
use stead_client::Harness;
use stead_model::{Base, Shape};
use stead_testkit::{World, extent};

use crate::seal::log;
use crate::world::{bare, by_person, payload};

/// A project with Stead in all clients, and an open session.
fn world() -> World {
    let world = bare().with_stead_on_path();
    world.stead(&["init", "--all", "--yes", "--no-mcp"]).ok();
    world
}

fn start(world: &World) -> String {
    world.hook("claude SessionStart", payload(world, "SessionStart", json!({"source": "startup"}))).stdout
}

/// What the agent and the person are told after a call during which something happened.
fn during_a_call(world: &World, what: impl FnOnce()) -> String {
    let mut own = json!({"tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_use_id": "call-1"});
    world.hook("claude PreToolUse", payload(world, "PreToolUse", own.clone()));
    what();
    own["tool_response"] = json!({"stdout": "", "stderr": "", "interrupted": false});
    world.hook("claude PostToolUse", payload(world, "PostToolUse", own)).stdout
}

/// The settings files in the home of every client, one for each pattern.
fn files(world: &World) -> Vec<(Shape, PathBuf)> {
    let all = Harness::ALL.iter().flat_map(|harness| harness.client().facts.settings);
    let path = |base: Base<'_>, path: &str| {
        let folder = match base {
            Base::Project => return None,
            Base::Home => world.home(),
            Base::Var { fallback, .. } if fallback.starts_with('/') => return None,
            Base::Var { fallback, .. } => world.home().join(fallback),
        };
        Some(folder.join(path.trim_end_matches("/**").replace('*', "stead")))
    };
    let mut files: Vec<_> = all.filter_map(|file| Some((file.shape, path(file.spot.base, file.spot.path)?))).collect();
    files.sort_by(|one, other| one.1.cmp(&other.1));
    files.dedup_by(|one, other| one.1 == other.1);
    files.retain(|(shape, _)| *shape != Shape::Whole);
    files
}

/// What clients keep in such files about other folders, and what persons set there.
fn unrelated() -> impl Strategy<Value = Map<String, Value>> {
    let folder = prop::sample::select(vec!["/srv/other", "/home/dev/other", "/tmp/x y"]);
    let scalar = prop_oneof![
        any::<bool>().prop_map(Value::from),
        (0..1000_i64).prop_map(Value::from),
        "[a-z é\"\\\\]{0,8}".prop_map(Value::from),
    ];
    let trust = (folder.clone(), prop::sample::select(vec!["trust_level", "hasTrustDialogAccepted"]), scalar.clone())
        .prop_map(|(folder, key, value)| ("projects".to_owned(), json!({(folder): {(key): value}})));
    let trusted =
        (prop::sample::select(vec!["trustedFolders", "trusted_folders"]), prop::collection::vec(folder.clone(), 0..3))
            .prop_map(|(key, folders)| (key.to_owned(), json!(folders)));
    let hash = (folder, "[0-9a-f]{8}").prop_map(|(folder, hash)| {
        let key = format!("{folder}/.codex/hooks.json:stop:0:0");
        ("hooks".to_owned(), json!({"state": {(key): {"trusted_hash": hash}}}))
    });
    let other = ("x[a-z]{1,5}", prop_oneof![scalar.clone(), prop::collection::vec(scalar, 0..3).prop_map(Value::from)]);
    prop::collection::vec(prop_oneof![trust, trusted, hash, other], 0..5).prop_map(|all| all.into_iter().collect())
}

/// A text of that shape with these members, and those that every client wants there.
fn text(shape: Shape, members: &Map<String, Value>) -> String {
    let mut members = members.clone();
    match shape {
        Shape::TomlGroups => return toml(&members),
        Shape::TomlList => {
            members.remove("hooks");
            return toml(&members);
        }
        Shape::Groups => {}
        Shape::Flat => {
            members.insert("version".to_owned(), json!(1));
            members.remove("hooks");
        }
        Shape::BareGroups => members.clear(),
        Shape::Whole => unreachable!("nobody else writes to it"),
    }
    serde_json::to_string_pretty(&members).unwrap()
}

fn toml(members: &Map<String, Value>) -> String {
    let mut plain = String::from("# mine\n");
    let mut tables = String::new();
    for (key, value) in members {
        let Some(inner) = value.as_object() else {
            plain.push_str(&format!("{key} = {value}\n"));
            continue;
        };
        for (name, value) in inner {
            let (name, entries) = match value.as_object().and_then(|value| value.iter().next()) {
                Some((state, entries)) if name == "state" => (format!("{name}.{}", json!(state)), entries),
                _ => (json!(name).to_string(), value),
            };
            tables.push_str(&format!("\n[{key}.{name}]\n"));
            for (key, value) in entries.as_object().into_iter().flatten() {
                tables.push_str(&format!("{key} = {value}\n"));
            }
        }
    }
    plain + &tables
}

/// Random changes of everything but this project's hooks, whole and torn, to files that were there or not: all survive.
#[test]
fn what_others_write_during_a_call_stays() {
    let world = world();
    let files = files(&world);
    assert!(files.len() > 8, "{files:?}");
    let change = (unrelated(), unrelated(), any::<bool>(), 0..4_usize);
    let cases = u32::try_from(extent(8, 64)).unwrap();
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let run = runner.run(&change, |(before, after, was_there, torn)| {
        for (shape, path) in &files {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match was_there {
                true => fs::write(path, text(*shape, &before)).unwrap(),
                false => drop(fs::remove_file(path)),
            }
        }
        start(&world);
        let write = |(shape, path): &(Shape, PathBuf)| {
            let mut new = text(*shape, &after).into_bytes();
            if torn == 0 {
                new.truncate(new.len() / 2);
            }
            fs::write(path, &new).unwrap();
            new
        };
        let mut written = Vec::new();
        let said = during_a_call(&world, || written = files.iter().map(write).collect());
        for ((_, path), expected) in files.iter().zip(&written) {
            let is = fs::read(path).ok();
            prop_assert_eq!(is.as_ref(), Some(expected), "{}\n{}", path.display(), said);
        }
        prop_assert!(!said.contains("weaken"), "{said}");
        Ok(())
    });
    if let Err(failure) = run {
        panic!("{failure}\n{:#?}", log(&world));
    }
    assert_eq!(world.stead(&["seal", "status", "--json"]).json()["pending"], json!([]));
}

fn trusted(world: &World, hash: &str) -> String {
    let hooks = world.project().join(".codex/hooks.json");
    format!("[hooks.state.\"{}:stop:0:0\"]\ntrusted_hash = \"sha256:{hash}\"\n", hooks.display())
}

const OTHERS: &str = "[hooks.state.\"/srv/other/.codex/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:9\"\n";

/// The client writes it when the person answers its question, in the file that was not there at `init`.
#[test]
fn trust_that_a_person_gives_is_no_damage() {
    let world = world();
    start(&world);
    let config = "home/.codex/config.toml";
    let said = during_a_call(&world, || drop(world.write(config, trusted(&world, "1"))));
    assert!(!said.contains("weakens"), "{said}");
    let more = format!("{}\n{OTHERS}\n[mcp_servers.x]\ncommand = \"x\"\n", trusted(&world, "1"));
    for text in [more.clone(), more.replace("sha256:1", "sha256:2"), format!("# mine\n{}", trusted(&world, "2"))] {
        let said = during_a_call(&world, || drop(world.write(config, &text)));
        assert!(!said.contains("weakens") && world.read(config) == text, "{said}");
    }
    assert_eq!(world.stead(&["seal", "status", "--json"]).json()["pending"], json!([]));
    assert_eq!(world.stead(&["seal", "log", "--json"]).json()["items"], json!([]));
}

/// A call that takes it away gets the rest of what it wrote.
#[test]
fn trust_that_a_call_takes_away_returns_alone() {
    let world = world();
    let config = "home/.codex/config.toml";
    let server = "[mcp_servers.x]\ncommand = \"x\"\n";
    world.write(config, trusted(&world, "1"));
    start(&world);
    let said = during_a_call(&world, || drop(world.write(config, format!("{OTHERS}\n{server}"))));
    assert!(said.contains("The rest of the change stays") && said.contains("trusted_hash"), "{said}");
    let is = world.read(config);
    assert!([trusted(&world, "1").as_str(), OTHERS, server].iter().all(|part| is.contains(part)), "{is}");
    let change = log(&world).pop().unwrap();
    assert_eq!((&change["outcome"], &change["displaced"]), (&json!("put-back"), &Value::Null), "{change}");
    let refused = by_person(&world, &["seal", "accept", change["id"].as_str().unwrap()]);
    assert!(refused.code == 1 && refused.stdout.contains("change it there yourself"), "{refused}");
    assert_eq!(world.read(config), is);

    let claude = |here: bool, there: bool| {
        let folder = world.project().display().to_string();
        let accepted = |is: bool| json!({"hasTrustDialogAccepted": is});
        json!({"numStartups": 7, "projects": {(folder): accepted(here), "/srv/other": accepted(there)}}).to_string()
    };
    let copilot = |folders: &[&str]| json!({ "trustedFolders": folders }).to_string();
    let own = world.project().display().to_string();
    world.write("home/.claude.json", claude(true, false));
    world.write("home/.copilot/config.json", copilot(&["/a", &own]));
    start(&world);
    during_a_call(&world, || {
        world.write("home/.claude.json", claude(false, true));
        world.write("home/.copilot/config.json", copilot(&["/b"]));
    });
    assert_eq!(world.read("home/.claude.json"), claude(true, true));
    let folders: Value = serde_json::from_str(&world.read("home/.copilot/config.json")).unwrap();
    assert_eq!(folders, json!({"trustedFolders": ["/b", own]}));
}

/// A file of a client may be large, and a file with our lines may be broken or gone: no older text takes its place.
#[test]
fn a_file_that_cannot_be_mended_is_left_and_told() {
    let world = world();
    let history = |text: &str| json!({"history": [text.repeat(300_000)]}).to_string();
    world.write("home/.claude.json", history("a"));
    world.stead(&["init", "--user", "--harness", "claude", "--yes", "--no-mcp"]).ok();
    let settings = "home/.claude/settings.json";
    let ours = world.read(settings);
    let mut theirs: Value = serde_json::from_str(&ours).unwrap();
    theirs["model"] = json!("x");
    world.write(settings, theirs.to_string());
    start(&world);
    let said = during_a_call(&world, || {
        world.write("home/.claude.json", history("b"));
        world.write(settings, "{\"model\": ");
    });
    assert!(world.read("home/.claude.json") == history("b") && !said.contains(".claude.json"), "{said}");
    assert_eq!(world.read(settings), "{\"model\": ");
    assert!(said.contains("it no longer parses") && said.contains("It was not put back"), "{said}");
    // The client's next write mends it.
    world.write(settings, theirs.to_string());
    during_a_call(&world, || {});
    assert_eq!(world.stead(&["seal", "status", "--json"]).json()["pending"], json!([]));
    // Without the file, the lines return in a new one.
    during_a_call(&world, || fs::remove_file(world.folder().join(settings)).unwrap());
    let is: Value = serde_json::from_str(&world.read(settings)).unwrap();
    assert_eq!((&is["hooks"], &is["model"]), (&theirs["hooks"], &Value::Null));
}
