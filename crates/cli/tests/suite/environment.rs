//! The environment of a hook weakens nothing: the person's folders are those that the project remembers, and a project
//! is found whatever a variable says.

use std::{fs, slice};

use serde_json::{Value, json};
use stead_client::Harness;
use stead_model::Base;
use stead_testkit::{Run, World, is_thorough};

use crate::client::denial;
use crate::world::{bare, by_person, denies, payload, shell, tool};

const OFF: &str = "[gate]\nself_protection = false\nguards = false\nstale_files = false\n[intents]\nmode = \"off\"\n\
    agents_may_add = true\n[layout]\nguards = \"elsewhere\"\nintents = \"elsewhere-too\"\n";

fn guard(id: &str, writes: &str) -> String {
    format!(
        "id: {id}\nmode: enforce\non: [before-tool]\nmatch: {{writes: ['{writes}']}}\nthen: deny\nsay: \"no, says {id}\"\n"
    )
}

/// A project with a guard and intents, whose person has settings and guards of their own; and a folder that is hostile
/// whatever a variable takes it for: a home, a folder for settings or state, a project, a folder of programs.
fn world() -> World {
    let world = bare();
    world.write("home/.config/stead/config.toml", "[intents]\nmode = \"enforce\"\n[gate]\nguards = true\n");
    world.write("home/.config/stead/guards/own.yaml", guard("own", "mine/**"));
    world.write("home/.config/stead/guards/private.yaml", guard("private", "~/private/**"));
    world.stead(&["context", "init"]).ok();
    world.stead(&["init", "--user", "--harness", "claude", "--yes"]).ok();
    world.write("project/.agent/guards/shared.yaml", guard("shared", "shared/**"));
    world.write("project/.agent/intents/active_intents.yaml", crate::intent::INTENTS);
    world.write("project/.agent/config.toml", "[intents]\nmode = \"off\"\n");
    for home in ["evil", "evil/.config", "evil/home/.config"] {
        world.write(format!("{home}/stead/config.toml"), OFF);
    }
    world.write("evil/.agent/config.toml", OFF);
    world.write("evil/.agent/context/root.json", world.read("project/.agent/context/root.json"));
    for state in ["evil/stead", "evil/.local/state/stead"] {
        for client in Harness::ALL {
            let evil = world.folder().join("evil").display().to_string();
            world.write(format!("{state}/sessions/{}/session-1", client.name()), evil);
        }
    }
    world.write("evil/stead-link", "");
    world.write("evil/script.sh", "exit 0\n");
    world
}

/// Calls that some rule denies, with words of its reason: one for each thing that the environment could take away.
fn denied(world: &World) -> Vec<(&'static str, String)> {
    let write = |path: &str| tool(world, "Write", json!({"file_path": world.folder().join(path), "content": "x"}));
    vec![
        ("is the project's guards", shell(world, "rm -rf .agent/guards")),
        ("no, says shared", write("project/shared/a")),
        ("no, says own", write("project/mine/a")),
        ("no, says private", write("home/private/a")),
        ("You must cite a valid active Intent ID", write("project/src/a.rs")),
        ("is Stead's user config", write("home/.config/stead/config.toml")),
        ("is Stead's user state", write("home/.local/state/stead/sessions/claude/session-1")),
        ("settings.json", shell(world, &format!("rm {}/.claude/settings.json", world.home().display()))),
        ("person-*", shell(world, "rm .agent/cache/person-*")),
    ]
}

/// Says whether a call is denied for this reason.
fn denies_by(rule: &str, run: &Run) -> bool {
    denial(run).is_some_and(|reason| reason.contains(rule))
}

/// Every variable that Stead, the shell around its line, git or the loader reads.
fn variables() -> Vec<String> {
    let mut names: Vec<String> = [
        "HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "PATH", "PWD",
        "OLDPWD", "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "BASH_ENV", "ENV", "NODE_OPTIONS", "TMPDIR", "TEMP",
        "TMP", "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM", "GIT_CEILING_DIRECTORIES", "GIT_OBJECT_DIRECTORY", "STEAD_AUTO_INIT", "STEAD_DOCTOR",
        "STEAD_RUN", "STEAD_STAGE", "STEAD_ITERATION", "STEAD_ROLE", "STEAD_LOOP", "STEAD_GUARD", "STEAD_VERIFYING",
        "LC_ALL", "TERM", "USER", "SHELL",
    ]
    .map(str::to_owned)
    .to_vec();
    for client in Harness::ALL {
        let facts = &client.client().facts;
        names.extend(facts.project_vars.iter().chain(facts.shell_vars).map(|name| (*name).to_owned()));
        names.extend(facts.settings.iter().filter_map(|file| match file.spot.base {
            Base::Var { name, .. } if !name.is_empty() => Some(name.to_owned()),
            _ => None,
        }));
    }
    names.sort();
    names.dedup();
    names
}

#[test]
fn no_variable_of_the_hook_weakens_a_rule() {
    let mut world = world();
    let settings = world.stead(&["config", "list", "--json"]).json();
    let evil = world.folder().join("evil").display().to_string();
    let hostile = [evil.clone(), format!("{evil}/missing"), format!("{evil}/script.sh"), String::new(), "x".to_owned()];
    let mut rows: Vec<(String, String)> = Vec::new();
    for name in variables() {
        rows.extend(hostile.iter().map(|value| (name.clone(), value.clone())));
    }
    for entry in settings["items"].as_array().unwrap() {
        let name = format!("STEAD_{}", entry["key"].as_str().unwrap().replace('.', "_").to_uppercase());
        let values: &[&str] = match &entry["value"] {
            Value::Bool(_) => &["false", "true"],
            Value::Number(_) => &["0"],
            _ => &["off", "effects", "elsewhere"],
        };
        rows.extend(values.iter().map(|value| (name.clone(), (*value).to_owned())));
    }
    let calls = denied(&world);
    for (rule, call) in &calls {
        assert!(denies_by(rule, &world.hook("claude PreToolUse", call)), "{rule} does not apply at all");
    }
    assert!(!denies(&world.hook("claude PreToolUse", shell(&world, "ls")).stdout));
    for (at, (name, value)) in rows.into_iter().enumerate() {
        let before = world.command("env", &world.project());
        let before = before
            .get_envs()
            .find(|(known, _)| *known == name.as_str())
            .and_then(|(_, value)| value.map(ToOwned::to_owned));
        world.set(&name, value.clone());
        // While a person waits, each row is tried with one of the calls, in turn.
        let tried = if is_thorough() { &calls[..] } else { slice::from_ref(&calls[at % calls.len()]) };
        for (rule, call) in tried {
            let run = world.hook("claude PreToolUse", call);
            assert!(denies_by(rule, &run), "{rule} with {name}={value}: {run}");
        }
        match before.and_then(|value| value.into_string().ok()) {
            Some(value) => world.set(&name, value),
            None => world.unset(&name),
        }
    }
}

/// Nor does one keep Stead from looking after a call.
#[cfg(unix)]
#[test]
fn no_variable_of_the_hook_keeps_the_look_away() {
    use crate::seal::{WEAKEN, guard_holds, sh};
    let mut world = crate::seal::world();
    let evil = world.folder().join("evil").display().to_string();
    fs::create_dir(&evil).unwrap();
    let own = std::process::id().to_string();
    for (name, value) in [
        ("STEAD_DOCTOR", "1"),
        ("STEAD_DOCTOR", &own),
        ("STEAD_VERIFYING", "1"),
        ("STEAD_RUN", "x"),
        ("HOME", &evil),
        ("XDG_STATE_HOME", &evil),
        ("XDG_CONFIG_HOME", &evil),
        ("CLAUDE_PROJECT_DIR", &evil),
        ("GIT_DIR", &evil),
        ("GIT_WORK_TREE", &evil),
        ("PATH", &evil),
        ("TMPDIR", "/missing"),
    ] {
        let call = json!({"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": name});
        world.hook("claude PreToolUse", payload(&world, "PreToolUse", call.clone()));
        sh(&world, WEAKEN);
        let mut done = call;
        done["tool_response"] = json!({});
        let before = world.command("env", &world.project());
        let before =
            before.get_envs().find(|(known, _)| *known == name).and_then(|(_, value)| value.map(ToOwned::to_owned));
        world.set(name, value);
        let said = world.hook("claude PostToolUse", payload(&world, "PostToolUse", done)).stdout;
        match before.and_then(|value| value.into_string().ok()) {
            Some(value) => world.set(name, value),
            None => world.unset(name),
        }
        assert!(said.contains("was put back"), "{name}={value}: {said}");
        assert!(guard_holds(&world) && world.read("project/.agent/guards/infra.yaml").contains("enforce"), "{name}");
    }
}

/// The same if nothing is set at all.
#[test]
fn no_missing_variable_weakens_a_rule() {
    let mut world = world();
    let calls = denied(&world);
    for name in ["HOME", "PATH", "LC_ALL", "TERM"] {
        world.unset(name);
        for (rule, call) in &calls {
            let run = world.hook("claude PreToolUse", call);
            assert!(denies_by(rule, &run), "{rule} without {name}: {run}");
        }
    }
}

/// A variable of the client that names another project: the rules of both count. One that names none does not count.
#[test]
fn the_project_variable_leads_no_call_out_of_its_project() {
    let clients = Harness::ALL.into_iter().filter(|client| !client.client().facts.project_vars.is_empty());
    for client in clients {
        for variable in client.client().facts.project_vars {
            let mut world = world();
            let call = json!({"cwd": world.project(), "session_id": "session-9", "tool_name": "Bash",
                "tool_input": {"command": "rm -rf .agent/guards; touch shared/a"}});
            for named in ["evil", "nowhere", "home", "project/sub"] {
                world.set(variable, world.folder().join(named).display().to_string());
                let run = world.hook("claude PreToolUse", payload(&world, "PreToolUse", call.clone()));
                assert!(denies(&run.stdout), "{variable}={named}: {run}");
            }
        }
    }
}

/// A session that began in its project keeps it, also when the agent goes where another project is.
#[test]
fn a_session_in_another_project_keeps_the_rules_of_its_own_only() {
    let mut world = world();
    world.write("other/.agent/context/root.json", world.read("project/.agent/context/root.json"));
    world.write("other/.agent/guards/there.yaml", guard("there", "there/**"));
    world.set("CLAUDE_PROJECT_DIR", world.project().display().to_string());
    let away = |command: &str| {
        let call =
            json!({"cwd": world.folder().join("other"), "tool_name": "Bash", "tool_input": {"command": command}});
        denial(&world.hook("claude PreToolUse", payload(&world, "PreToolUse", call)))
    };
    let said = away("cat there/a; touch there/a").unwrap();
    assert!(said.contains("no, says there"), "unknown where it began, so both count: {said}");
    world.hook("claude SessionStart", payload(&world, "SessionStart", json!({"source": "startup"})));
    let said = away("touch there/a").unwrap_or_default();
    assert!(!said.contains("no, says there"), "{said}");
    let mine = format!("touch {}/mine/a", world.project().display());
    assert!(away(&mine).is_some());
}

/// A forged state folder does not lead a remembered session elsewhere, and the true one is still found.
#[test]
fn the_remembered_project_is_the_persons() {
    let mut world = world();
    fs::create_dir(world.folder().join("away")).unwrap();
    let start = json!({"turn_id": "t", "model": "m", "source": "startup"});
    world.hook("codex SessionStart", payload(&world, "SessionStart", start));
    let forbidden = format!("rm -rf '{}/.agent/guards'", world.project().display());
    let calls = [world.project(), world.folder().join("away")].map(|cwd| {
        let own = json!({"cwd": cwd, "turn_id": "t", "model": "m", "tool_name": "Bash", "tool_input": {"command": forbidden}});
        payload(&world, "PreToolUse", own)
    });
    for call in &calls {
        assert!(denies(&world.hook("codex PreToolUse", call).stdout), "{call}");
    }
    for (name, value) in
        [("XDG_STATE_HOME", "evil"), ("HOME", "evil"), ("HOME", "nowhere"), ("XDG_STATE_HOME", "nowhere")]
    {
        let home = world.home().display().to_string();
        world.set(name, world.folder().join(value).display().to_string());
        for call in &calls {
            let run = world.hook("codex PreToolUse", call);
            assert!(denies(&run.stdout), "{name}={value}: {call}: {run}");
        }
        match name {
            "HOME" => world.set("HOME", home),
            other => world.unset(other),
        }
    }
    assert!(!world.exists("nowhere"), "nothing is written where the environment points");
}

fn record(world: &World) -> String {
    let cache = world.project().join(".agent/cache");
    let entries = fs::read_dir(cache).unwrap().flatten();
    let mut names = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("person-"));
    names.next().map(|entry| fs::read_to_string(entry.path()).unwrap()).unwrap_or_default()
}

#[test]
fn the_record_follows_the_person_and_no_agent() {
    let mut world = bare();
    world.set("CLAUDECODE", "1");
    world.stead(&["init", "--no-hooks", "--yes"]).ok();
    assert!(!world.exists("project/.agent/cache"), "an agent sets up a project, and is no person");
    world.unset("CLAUDECODE");
    world.stead(&["init", "--no-hooks", "--yes"]).ok();
    let first = record(&world);
    assert!(first.contains(&format!("\nHOME\t{}\n", world.home().display())), "{first}");
    let home = world.home().display().to_string();
    let moved = world.folder().join("moved");
    fs::create_dir(&moved).unwrap();
    world.set("HOME", moved.display().to_string());
    let silent = |run: Run| run.ok();
    silent(world.stead(&["init", "--no-hooks", "--yes"]));
    world.stead(&["status"]).ok();
    assert_eq!(record(&world), first, "a script changes nothing");
    by_person(&world, &["status"]);
    let second = record(&world);
    assert!(second.contains("/moved\n") && !second.contains(&format!("HOME\t{home}\n")), "{second}");
    let ignored = world.git(&["check-ignore", ".agent/cache/person-0"]);
    assert_eq!(ignored.code, 0, "{ignored}");
}

/// A record that came with a repository is not believed.
#[test]
fn a_committed_record_does_not_count() {
    let world = world();
    let own = record(&world);
    let cache = world.project().join(".agent/cache");
    let name = fs::read_dir(&cache).unwrap().flatten().map(|entry| entry.file_name().into_string().unwrap());
    let name = name.into_iter().find(|name| name.starts_with("person-")).unwrap();
    let forged = own.replace(&world.home().display().to_string(), &world.project().join("home").display().to_string());
    world.write("project/home/.config/stead/config.toml", OFF);
    fs::remove_file(cache.join(&name)).unwrap();
    world.write(format!("project/.agent/cache/{name}"), forged);
    for (rule, call) in denied(&world) {
        let run = world.hook("claude PreToolUse", &call);
        assert!(denies_by(rule, &run), "{rule}: {run}");
    }
}

/// A cache that somebody edits, copies or replaces is compiled again.
#[test]
fn a_tampered_cache_is_not_believed() {
    let world = world();
    let calls = denied(&world);
    let all = |why: &str| {
        for (rule, call) in &calls {
            let run = world.hook("claude PreToolUse", call);
            assert!(denies_by(rule, &run), "{rule} after {why}: {run}");
        }
    };
    type Edit = fn(&str) -> String;
    let edits: [(&str, &str, Edit); 4] = [
        ("policy", "switching gates off", |text| {
            let (head, rest) = text.split_once("room\t").unwrap();
            format!(
                "{head}switch\tgate.self_protection\toff\nswitch\tgate.guards\toff\nvalue\tintents.mode\toff\nroom\t{rest}"
            )
        }),
        ("policy", "removing the rules", |text| {
            text.lines().filter(|line| !line.starts_with("own\t")).map(|line| format!("{line}\n")).collect()
        }),
        ("guards", "loosening guards", |text| text.replace("enforce", "shadow ")),
        ("intents", "claiming that there are none", |text| text.replace("\nwhole\n", "\nfree\t**\nwhole\n")),
    ];
    for (cache, why, edit) in edits {
        let path = world.project().join(".agent/cache").join(cache);
        // Twice: the first compilation may be too close to the change of its sources to last.
        for _ in 0..2 {
            all(why);
            std::thread::sleep(std::time::Duration::from_millis(250));
        }
        let text = fs::read_to_string(&path).unwrap();
        let edited = edit(&text);
        assert_ne!(text, edited, "{why}");
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, &edited).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
        all(why);
        assert_ne!(fs::read_to_string(&path).unwrap(), edited, "{why}");
    }
}

/// A damaged marker stops recording, not judging, and everybody is told.
#[test]
fn a_damaged_marker_keeps_every_rule() {
    let conflict = "<<<<<<< HEAD\n{\"schema\": 1}\n=======\n{}\n>>>>>>> other\n";
    for damage in [conflict, "", "{\"schema\": 99}", "{\"schema\": 1}", "[]", "\u{0}\u{1}"] {
        let world = world();
        world.write("project/.agent/context/root.json", damage);
        for (rule, call) in denied(&world) {
            let run = world.hook("claude PreToolUse", &call);
            let said = denial(&run).unwrap_or_else(|| panic!("{rule} with {damage:?}: {run}"));
            assert!(said.contains("root.json"), "{rule}: {said}");
        }
        let run = world.hook("claude SessionStart", payload(&world, "SessionStart", json!({"source": "startup"})));
        assert!(run.stdout.contains("root.json"), "{run}");
        for args in [&["status"][..], &["doctor", "--all"]] {
            let run = world.stead(args);
            assert!(format!("{}{}", run.stdout, run.stderr).contains("root.json"), "{args:?}: {run}");
        }
        assert!(world.stead(&["status", "--json"]).json()["marker_problem"].is_string());
    }
}

/// Guards that cannot be listed are not guards that do not exist.
#[test]
fn guards_that_cannot_be_listed_stop_every_change() {
    let world = world();
    assert_eq!(denial(&world.hook("claude PreToolUse", shell(&world, "ls"))), None);
    fs::rename(world.project().join(".agent/guards"), world.folder().join("kept")).unwrap();
    world.write("project/.agent/guards", "");
    let said = denial(&world.hook("claude PreToolUse", shell(&world, "ls"))).unwrap();
    assert!(said.contains("`$PROJECT/.agent/guards` cannot be listed"), "{said}");
    fs::remove_file(world.project().join(".agent/guards")).unwrap();
    assert_eq!(denial(&world.hook("claude PreToolUse", shell(&world, "ls"))), None);
}
