//! What turns a client's hooks off, by the tables of all clients, through the hook of each of them.

use stead_client::{Harness, VARIABLES};
use stead_model::{Base, Spot};
use stead_testkit::World;

use crate::client::{By, CLIENTS, Client, denial, is_cut};
use crate::world::marked;

fn harness(client: &Client) -> Harness {
    Harness::from_name(client.name).unwrap()
}

fn asked(client: &Client, world: &World, command: &str) -> Option<String> {
    denial(&client.before(world, By::Main, &client.shell(command)))
}

#[track_caller]
fn stops(client: &Client, world: &World, command: &str) {
    let reason = asked(client, world, command).unwrap_or_else(|| panic!("{}: `{command}` passes", client.name));
    let says_how = is_cut(&reason) || reason.contains("Instead: ");
    assert!(reason.contains("Stead stopped ") && says_how, "{command}: {reason}");
}

#[track_caller]
fn passes(client: &Client, world: &World, command: &str) {
    assert_eq!(asked(client, world, command), None, "{}: {command}", client.name);
}

#[test]
fn a_command_that_turns_hooks_off_is_denied_and_its_twin_passes() {
    let mut rows = 0;
    for client in CLIENTS {
        let world = marked();
        for command in harness(client).client().facts.switches.commands {
            stops(client, &world, command.denied);
            passes(client, &world, command.passes);
            rows += 1;
        }
    }
    assert!(rows > 25, "{rows}");
}

#[test]
fn what_turns_one_client_off_is_denied_in_every_other_however_it_is_written() {
    let world = marked();
    let ways: [fn(&str) -> String; 9] = [
        |command| format!("cd src; {command} && echo ok"),
        |command| format!("bash -c {}", quoted(command)),
        |command| format!("timeout 60 nohup {command} > log.txt 2>&1 &"),
        |command| format!("X=$({command})"),
        |command| format!("eval {}", quoted(command)),
        |command| format!("/usr/local/bin/{command}"),
        |command| format!("python3 -c {}", quoted(&format!("import os; os.system({command:?})"))),
        |command| format!("C={}; $C", quoted(command)),
        |command| format!("if true; then {command}; fi | tee log.txt"),
    ];
    let commands = Harness::ALL.iter().flat_map(|harness| harness.client().facts.switches.commands);
    for (at, command) in commands.enumerate() {
        let client = &CLIENTS[at % CLIENTS.len()];
        for (number, way) in ways.iter().enumerate() {
            // A variable's value is not read for quotes.
            if number == 7 && command.denied.contains('\'') {
                continue;
            }
            stops(client, &world, &way(command.denied));
        }
        passes(client, &world, &format!("echo {}", quoted(command.denied)));
        passes(client, &world, &format!("git commit -m {}", quoted(command.denied)));
    }
}

#[test]
fn a_package_runs_its_client() {
    let world = marked();
    let claude = &CLIENTS[0];
    for harness in Harness::ALL {
        let switches = &harness.client().facts.switches;
        let Some(command) = switches.commands.first() else { continue };
        let words = command.denied.split_once(' ').unwrap().1;
        for package in switches.programs.iter().filter(|name| name.contains('/')) {
            for start in [
                format!("npx {package}"),
                format!("npx -y {package}@latest"),
                format!("bunx {package}"),
                format!("node ./node_modules/{package}/dist/cli.js"),
            ] {
                stops(claude, &world, &format!("{start} {words}"));
            }
        }
    }
    passes(claude, &world, "npx -y @openai/codex@latest exec hi");
}

#[test]
fn a_client_keeps_the_variables_that_decide_whether_stead_runs() {
    let world = marked();
    for client in CLIENTS {
        let facts = &harness(client).client().facts;
        let program = facts.program;
        for variable in VARIABLES.iter().chain(facts.switches.variables) {
            let name = variable.name.replace('*', "X");
            stops(client, &world, &format!("{name}=/tmp/x {program} -p hi"));
            stops(client, &world, &format!("export {name}=/tmp/x; {program} -p hi"));
            stops(client, &world, &format!("env {name}=/tmp/x stead status"));
        }
        for command in [
            "env -i PROGRAM -p hi",
            "env - PROGRAM -p hi",
            "env -u HOME PROGRAM -p hi",
            "unset PATH; PROGRAM -p hi",
            "env --ignore-environment A=1 PROGRAM -p hi",
            "sudo env HOME=/tmp/x PROGRAM -p hi",
            "env -i stead status",
            "HOME=$(mktemp -d) PROGRAM",
            "bash -c 'HOME=/x; export HOME; PROGRAM -p hi'",
        ] {
            stops(client, &world, &command.replace("PROGRAM", program));
        }
        for command in [
            "PROGRAM -p hi",
            "LANG=C PROGRAM -p hi",
            "env -u CLAUDECODE PROGRAM -p hi",
            "PATH=$PATH:/opt/x/bin PROGRAM -p hi",
            "HOME=/tmp/x make",
            "env -i ls",
            "LANG=C stead status",
            "HOME=$HOME PROGRAM -p hi",
            "stead status",
        ] {
            passes(client, &world, &command.replace("PROGRAM", program));
        }
    }
}

#[test]
fn files_that_decide_whether_hooks_run_stay() {
    for client in CLIENTS {
        let world = marked();
        for file in harness(client).client().facts.switches.files {
            let path = place(&world, file.spot);
            for command in ["echo '{}' > 'PATH'", "rm -rf 'PATH'", "cp x.json 'PATH'"] {
                stops(client, &world, &command.replace("PATH", &path));
            }
            let written = client.before(&world, By::Main, &client.write(&path, "{}\n"));
            assert!(denial(&written).is_some(), "{}: {path}", client.name);
            passes(client, &world, &format!("cat '{path}'"));
        }
    }
}

/// A file that a spot means.
fn place(world: &World, spot: Spot<'_>) -> String {
    let folder = match spot.base {
        Base::Project => world.project(),
        Base::Home => world.home(),
        Base::Var { fallback, .. } => world.home().join(fallback),
    };
    let path = spot.path.replace("*/**", ".json").replace("**", "other.js").replace('*', "x");
    folder.join(path.replace("/.json", "/x.json")).display().to_string()
}

#[test]
fn a_settings_file_sets_no_variable_that_decides_whether_stead_runs() {
    let own = Harness::ALL.iter().flat_map(|harness| harness.client().facts.switches.variables);
    let names: Vec<String> = VARIABLES.iter().chain(own).map(|variable| variable.name.replace('*', "X")).collect();
    let world = marked();
    let mut files = 0;
    for client in CLIENTS {
        for file in harness(client).client().facts.settings {
            let Some(pointer) = file.watch.split_whitespace().find_map(|clause| clause.strip_prefix("env:/")) else {
                continue;
            };
            let path = place(&world, file.spot);
            files += 1;
            let text = |name: &str| match path.ends_with("toml") {
                true => format!("[{}]\n{name} = \"/tmp/x\"\n", pointer.replace('/', ".")),
                false => format!("{{\"version\": 1, \"hooks\": {{}}, \"{pointer}\": {{\"{name}\": \"/tmp/x\"}}}}\n"),
            };
            for name in &names {
                let run = client.before(&world, By::Main, &client.write(&path, &text(name)));
                let reason = denial(&run).unwrap_or_else(|| panic!("{} sets `{name}` in {path}: {run}", client.name));
                assert!(reason.contains(&format!("/{name}`")), "{reason}");
            }
            let run = client.before(&world, By::Main, &client.write(&path, &text("EDITOR")));
            assert_eq!(denial(&run), None, "{}: {path}", client.name);
        }
    }
    assert!(files >= 8, "{files}");
}

#[test]
fn a_switch_in_a_settings_file_is_denied() {
    let world = marked();
    let mut rows = 0;
    for client in CLIENTS {
        for file in harness(client).client().facts.settings {
            let path = place(&world, file.spot);
            let off = file.watch.split_whitespace().filter_map(|clause| clause.strip_prefix("off:/")?.split_once('='));
            for (pointer, value) in off {
                let keys: Vec<String> = pointer.split('/').map(|key| key.replace('*', "x")).collect();
                let value = if matches!(value, "true" | "false") { value.to_owned() } else { format!("\"{value}\"") };
                let text = match path.ends_with("toml") {
                    true => format!("{} = {value}\n", keys.join(".")),
                    false => {
                        let open: String = keys.iter().map(|key| format!("{{\"{key}\":")).collect();
                        format!("{open}{value}{}\n", "}".repeat(keys.len()))
                    }
                };
                let run = client.before(&world, By::Main, &client.write(&path, &text));
                assert!(denial(&run).is_some(), "{}: {path}: {text}", client.name);
                rows += 1;
            }
        }
    }
    assert!(rows > 25, "{rows}");
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
