//! Whose change it was, what a person can do about it, and what happens where the seal cannot be kept.
#![cfg(unix)]

use std::fs;

use serde_json::{Value, json};
use stead_testkit::World;

use crate::seal::{GUARD, WEAKEN, drive, guard_holds, log, opaque, own_files_hold, sh, world};
use crate::world::{by_person, denies, payload, shell, tool};

const PATH: &str = "project/.agent/guards/infra.yaml";

fn start(world: &World) -> String {
    world.hook("claude SessionStart", payload(world, "SessionStart", json!({"source": "startup"}))).stdout
}

fn end(world: &World) {
    world.hook("claude SessionEnd", payload(world, "SessionEnd", json!({"reason": "other"})));
}

fn outcomes(world: &World) -> Vec<String> {
    log(world).iter().map(|change| change["outcome"].as_str().unwrap().to_owned()).collect()
}

/// The id of the last change.
fn last(world: &World) -> String {
    log(world).last().unwrap()["id"].as_str().unwrap().to_owned()
}

/// Ends every call and the turn.
fn turn(world: &World) {
    world
        .hook("claude Stop", payload(world, "Stop", json!({"stop_hook_active": false, "last_assistant_message": "x"})));
}

#[test]
fn a_persons_edit_counts_if_no_session_is_open() {
    let world = world();
    end(&world);
    world.write(PATH, GUARD.replace("enforce", "off"));
    let said = start(&world);
    assert!(said.contains("was changed while no agent was at work, and applies"), "{said}");
    assert!(!guard_holds(&world));
    assert_eq!(outcomes(&world), ["taken-over"]);
    assert!(!start(&world).contains("no agent was at work"), "told once");
}

#[test]
fn an_edit_beside_the_calls_waits_for_the_person() {
    let world = world();
    turn(&world);
    world.write(PATH, GUARD.replace("enforce", "off"));
    assert!(guard_holds(&world), "before anybody looked");
    turn(&world);
    assert_eq!(outcomes(&world), ["in-force"]);
    assert!(guard_holds(&world));
    let status = world.stead(&["status"]).ok();
    assert!(status.contains("seal     still in force: .agent/guards/infra.yaml…; `stead seal diff "), "{status}");
    let id = last(&world);
    assert!(world.stead(&["seal", "diff", &id]).ok().contains("-mode: enforce\n+mode: off"));
    assert!(start(&world).contains(&format!("stead seal accept {id}")), "told at session start");
    // An agent cannot accept it, however it tries.
    assert!(denies(&world.hook("claude PreToolUse", shell(&world, &format!("stead seal accept {id}"))).stdout));
    let refused = world.stead(&["seal", "accept", &id]);
    assert!(refused.code == 1 && refused.stderr.contains("only a person may accept"), "{refused}");
    assert!(guard_holds(&world));
    by_person(&world, &["seal", "accept", &id]).ok();
    assert!(!guard_holds(&world));
    assert_eq!(outcomes(&world), ["accepted"]);
    assert!(by_person(&world, &["seal", "accept", &id]).stdout.contains("does not wait for anybody"));
}

#[test]
fn an_edit_during_a_call_is_kept_aside_and_can_be_had_back() {
    let world = world();
    turn(&world);
    world.hook("claude PreToolUse", shell(&world, "make test"));
    let edited = format!("# why\n{}", GUARD.replace("infra/**", "infra/prod/**"));
    world.write(PATH, &edited);
    let own = json!({"tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_use_id": "call-1", "tool_response": {}});
    let said = world.hook("claude PostToolUse", payload(&world, "PostToolUse", own)).stdout;
    assert!(said.contains("was put back") && said.contains("has other conditions"), "{said}");
    assert_eq!(world.read(PATH), GUARD);
    let change = log(&world).pop().unwrap();
    assert_eq!(world.read(format!("project/{}", change["displaced"].as_str().unwrap())), edited);
    assert_eq!(change["calls"][0]["session"], "session-1");
    assert_eq!(change["calls"][0]["tool"], "Bash");
    by_person(&world, &["seal", "accept", change["id"].as_str().unwrap()]).ok();
    assert_eq!(world.read(PATH), edited);
    turn(&world);
    assert_eq!(world.read(PATH), edited, "it stays");
}

#[test]
fn calls_of_two_sessions_are_both_named() {
    let world = world();
    turn(&world);
    let own = |session: &str| json!({"session_id": session, "tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": session});
    for session in ["session-1", "session-2"] {
        world.hook("claude PreToolUse", payload(&world, "PreToolUse", own(session)));
    }
    sh(&world, WEAKEN);
    let mut done = own("session-2");
    done["tool_response"] = json!({});
    world.hook("claude PostToolUse", payload(&world, "PostToolUse", done));
    let change = log(&world).pop().unwrap();
    let sessions: Vec<&str> =
        change["calls"].as_array().unwrap().iter().map(|call| call["session"].as_str().unwrap()).collect();
    assert_eq!(sessions, ["session-1", "session-2"]);
    assert!(guard_holds(&world));
}

#[test]
fn stricter_and_equal_changes_are_sealed_silently() {
    let world = world();
    turn(&world);
    for (path, text) in [
        (PATH, format!("# a comment\n{GUARD}")),
        ("project/.agent/guards/more.yaml", GUARD.replace("infra", "secrets")),
        ("project/.agent/config.toml", "[context]\nbriefing_tokens = 900\n[gate]\nstale_files = true\n".to_owned()),
    ] {
        world.write(path, text);
        turn(&world);
        assert_eq!(log(&world), Vec::<Value>::new(), "{path}");
    }
    assert!(guard_holds(&world));
    // From now on the new text is what counts.
    drive(&world, &opaque("rm .agent/guards/more.yaml"));
    assert_eq!(outcomes(&world), ["put-back"]);
    assert!(world.exists("project/.agent/guards/more.yaml"));
}

#[test]
fn steads_own_commands_need_no_acceptance() {
    let world = world();
    turn(&world);
    by_person(&world, &["guard", "disable", "infra"]).ok();
    assert!(!guard_holds(&world), "at once");
    turn(&world);
    by_person(&world, &["config", "set", "gate.guards", "false"]).ok();
    by_person(&world, &["uninstall", "--yes"]).ok();
    turn(&world);
    assert_eq!(log(&world), Vec::<Value>::new());
    let settings = "project/.claude/settings.json";
    assert!(!world.exists(settings) || !world.read(settings).contains("stead hook"));
}

/// A text that Stead announced once, and perhaps never wrote, is no passport for whoever writes it later.
#[test]
fn an_announcement_lasts_as_long_as_a_write() {
    let weak = GUARD.replace("enforce", "off");
    let world = world();
    turn(&world);
    let dir = state_of(&world);
    let sum = world.sh(&format!("printf '%s' '{weak}' | sha256sum")).ok();
    let announce = |ago: u128| {
        let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_millis();
        let line = json!({"path": ".agent/guards/infra.yaml", "sha256": &sum[..64], "at": (now - ago) as u64});
        fs::write(format!("{dir}/announced.jsonl"), format!("{line}\n")).unwrap();
    };
    announce(120_000);
    world.write(PATH, &weak);
    assert!(guard_holds(&world));
    turn(&world);
    assert!(guard_holds(&world));
    assert_eq!(outcomes(&world), ["in-force"]);
    world.write(PATH, GUARD);
    turn(&world);
    announce(0);
    world.write(PATH, &weak);
    turn(&world);
    assert!(!guard_holds(&world));
    assert_eq!(outcomes(&world), ["in-force"]);
}

/// Where the seal of the project is kept.
fn state_of(world: &World) -> String {
    let dir = world.stead(&["seal", "status", "--json"]).json()["path"].as_str().unwrap().to_owned();
    dir.replace("$HOME", &world.home().display().to_string())
}

/// An agent in one project cannot have its change of the person's own files looked at in another.
#[test]
fn the_persons_files_are_held_whoever_looks() {
    let world = world();
    end(&world);
    world.write("home/.config/stead/guards/own.yaml", GUARD.replace("infra", "mine"));
    let holds = || {
        let path = world.project().join("mine/x");
        denies(
            &world.hook("claude PreToolUse", tool(&world, "Write", json!({"file_path": path, "content": "x"}))).stdout,
        )
    };
    start(&world);
    assert!(holds());
    let other = world.folder().join("other");
    fs::create_dir(&other).unwrap();
    world.stead_in(&other, &["context", "init"]).ok();
    std::thread::sleep(std::time::Duration::from_millis(50));
    let script = "sed -i s/enforce/off/ $HOME/.config/stead/guards/own.yaml; cd ../other && stead status";
    drive(&world, &opaque(script)).unwrap();
    assert!(holds());
    assert_eq!(outcomes(&world), ["in-force"]);
    // A person at their own terminal still decides.
    let id = last(&world);
    by_person(&world, &["seal", "accept", &id]).ok();
    assert!(!holds());
}

/// A home that several machines share, or that was copied, has a seal whose inodes and times say nothing here.
#[test]
fn a_seal_of_another_machine_says_that_it_cannot_look() {
    let world = world();
    turn(&world);
    let index = format!("{}/seal", state_of(&world));
    let make_foreign = || {
        let text = fs::read_to_string(&index).unwrap();
        let line = text.lines().find(|line| line.starts_with("{\"machine\":")).unwrap().to_owned();
        fs::write(&index, text.replace(&line, "{\"machine\":\"0123456789abcdef\"}")).unwrap();
    };
    make_foreign();
    world.sh("cp .agent/context/indexes/sessions.jsonl x && mv x .agent/context/indexes/sessions.jsonl").ok();
    world.write(PATH, GUARD.replace("enforce", "off"));
    assert!(guard_holds(&world), "what was sealed is in force");
    let run = world.stead(&["status"]);
    assert!(run.code == 0 && run.stderr.contains("another machine wrote it"), "{run}");
    assert!(guard_holds(&world) && own_files_hold(&world));
    // Between sessions, what is here counts.
    world.write(PATH, GUARD);
    end(&world);
    make_foreign();
    let run = world.stead(&["status"]);
    assert!(!run.stderr.contains("cannot be checked"), "{run}");
    assert!(!log(&world).iter().any(|change| change["outcome"] == "lost"), "{:?}", log(&world));
    start(&world);
    assert!(guard_holds(&world));
    drive(&world, &opaque(WEAKEN)).unwrap();
    assert!(guard_holds(&world) && world.read(PATH).contains("enforce"));
}

#[test]
fn gates_work_if_the_state_folder_is_full_or_cannot_be_written() {
    let world = world();
    turn(&world);
    let write = json!({"file_path": world.project().join("infra/x"), "content": "x"});
    let before = tool(&world, "Write", write);
    let after = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "c", "tool_response": {}});
    let after = payload(&world, "PostToolUse", after);
    for options in ["ro", "size=8k"] {
        let script = format!(
            "mount -t tmpfs -o {options} none $HOME/.local/state\nread -r before; read -r after\n\
             echo \"$before\" | $STEAD hook claude PreToolUse; echo\n\
             echo \"$after\" | $STEAD hook claude PostToolUse; echo \"after: $?\"\n$STEAD status"
        );
        let Some(run) = world.sh_with_own_mounts(&script, format!("{before}\n{after}\n").as_bytes()) else { return };
        let said = run.stdout.lines().next().unwrap_or_default();
        assert!(denies(said) && said.contains("infra is reviewed"), "{options}: {run}");
        assert!(
            run.stdout.contains("after: 0") && run.stderr.contains("the seal cannot be checked"),
            "{options}: {run}"
        );
    }
}

#[test]
fn gates_work_where_no_seal_can_be_kept() {
    let mut world = world();
    turn(&world);
    let state = world.home().join(".local/state/stead");
    fs::remove_dir_all(state.join("projects")).unwrap();
    fs::write(state.join("projects"), "a file").unwrap();
    fs::write(state.join("seal"), "")
        .or_else(|_| fs::remove_dir_all(state.join("seal")).and_then(|()| fs::write(state.join("seal"), "")))
        .unwrap();
    assert!(guard_holds(&world) && own_files_hold(&world));
    drive(&world, "make test");
    let run = world.stead(&["status"]);
    assert!(run.code == 0 && run.stderr.contains("the seal cannot be checked"), "{run}");
    world.unset("HOME");
    assert!(guard_holds(&world) && own_files_hold(&world));
    // The project remembers the person's folders.
    let run = world.stead(&["seal", "status"]);
    assert!(run.code == 0 && run.stderr.contains("the seal cannot be checked"), "{run}");
    world.sh("rm .agent/cache/person-*").ok();
    assert!(guard_holds(&world) && own_files_hold(&world));
    let run = world.stead(&["seal", "status"]);
    assert!(run.code == 1 && run.stderr.contains("set HOME or XDG_STATE_HOME"), "{run}");
}

#[test]
fn a_moved_project_keeps_its_seal() {
    let world = world();
    turn(&world);
    end(&world);
    world.sh("cd .. && mv project other && mv other renamed").ok();
    fs::create_dir_all(world.project()).unwrap();
    let moved = world.folder().join("renamed");
    let own = |event: &str, own: Value| {
        let mut all = own;
        all["cwd"] = json!(moved);
        all["session_id"] = json!("session-9");
        world.hook(&format!("claude {event}"), payload(&world, event, all)).stdout
    };
    own("SessionStart", json!({"source": "startup"}));
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "c"});
    own("PreToolUse", call.clone());
    fs::remove_file(moved.join(".agent/guards/infra.yaml")).unwrap();
    let mut done = call;
    done["tool_response"] = json!({});
    assert!(own("PostToolUse", done).contains("was put back"));
    assert_eq!(fs::read_to_string(moved.join(".agent/guards/infra.yaml")).unwrap(), GUARD);
}

#[test]
fn other_branches_leave_the_tree_clean_and_the_gates_on() {
    let world = world();
    for branch in ["weak", "bare", "main", "bare", "weak", "main"] {
        assert!(drive(&world, &format!("git checkout -q {branch}")).is_some());
        assert_eq!(world.sh("git status --porcelain").ok(), "", "{branch}");
        assert_eq!(world.sh("git rev-parse --abbrev-ref HEAD").ok().trim(), branch);
        assert!(guard_holds(&world) && own_files_hold(&world), "{branch}");
    }
    let waits = world.stead(&["seal", "status", "--json"]).json()["pending"].clone();
    assert_eq!(waits, json!([]), "back on the branch nothing waits");
}

/// Bisection goes through commits in which Stead's folder is weaker, gone, or new.
#[test]
fn a_bisection_leaves_every_step_clean() {
    let world = world();
    sh(
        &world,
        "git checkout -q -b all; for n in 1 2 3; do git commit -q --allow-empty -m $n; done; git merge -q --no-ff -m m weak; git \
         commit -q --allow-empty -m 4; git rm -rq .agent .claude; git commit -qm 5; git commit -q --allow-empty -m 6; git \
         checkout -q main -- .agent .claude; git commit -qm 7; git commit -q --allow-empty -m 8; git checkout -q main",
    );
    start(&world);
    let mut steps = 0;
    drive(&world, "git bisect start all main").unwrap();
    loop {
        assert_eq!(world.sh("git status --porcelain").ok(), "", "{steps}");
        assert!(guard_holds(&world) && own_files_hold(&world), "{steps}");
        let verdict = if steps % 2 == 0 { "git bisect good" } else { "git bisect bad" };
        if world.sh("git bisect log").ok().contains("first bad commit") || steps > 9 {
            break;
        }
        assert!(drive(&world, verdict).is_some());
        steps += 1;
    }
    assert!((2..9).contains(&steps), "{steps}");
    drive(&world, "git bisect reset").unwrap();
    assert_eq!(world.sh("git status --porcelain").ok(), "");
    assert!(guard_holds(&world));
}

#[test]
fn settings_keep_the_rest_of_a_change() {
    let world = world();
    drive(&world, &opaque("echo '{\"theme\": \"light\", \"disableAllHooks\": true}' > .claude/settings.json"));
    let settings = world.read("project/.claude/settings.json");
    assert!(
        settings.contains("\"theme\": \"light\"") && settings.contains("stead hook claude PreToolUse"),
        "{settings}"
    );
    assert!(!settings.contains("disableAllHooks"), "{settings}");
    // Twice, to see that the result is sealed.
    turn(&world);
    assert_eq!(outcomes(&world), ["put-back"]);
}

#[test]
fn a_claim_that_git_brought_does_not_count() {
    let world = world();
    sh(
        &world,
        "git checkout -q -b claim && sed -i 's/\"tested\": false/\"tested\": true/' .agent/features/feature-list.json && git \
         commit -qam claim && git checkout -q main",
    );
    assert!(drive(&world, "git merge -q claim").is_some());
    assert_eq!(outcomes(&world), ["in-force"]);
    let list = world.stead(&["feature", "list", "--json"]).ok();
    assert!(!list.contains("\"tested\": true"), "{list}");
}

/// A session that starts did nothing yet, although it is noted as open before the person's own files are looked at.
#[test]
fn what_a_person_changed_before_a_session_is_not_its_doing() {
    let world = world();
    let trust = |is_trusted: bool| {
        let project = world.project().display().to_string();
        let projects = json!({(project): {"hasTrustDialogAccepted": is_trusted}});
        world.write("home/.claude.json", json!({ "projects": projects }).to_string());
    };
    trust(false);
    start(&world);
    end(&world);
    for _ in 0..2 {
        std::thread::sleep(std::time::Duration::from_millis(60));
        trust(true);
        assert!(!start(&world).contains("weakens"));
        assert_eq!(world.stead(&["seal", "status", "--json"]).json()["pending"], json!([]));
        end(&world);
        trust(false);
    }
}

/// Containers often lack an id of the machine, or have an empty one.
#[test]
fn a_machine_without_an_id_gets_one_that_stays() {
    let world = world();
    let folder = state_of(&world);
    fs::remove_file(format!("{folder}/seal")).unwrap();
    let call = payload(&world, "SessionStart", json!({"source": "startup"}));
    let script = format!(
        "for id in /etc/machine-id /var/lib/dbus/machine-id /etc/hostid; do
             [ ! -e $id ] || mount --bind /dev/null $id
         done
         cat > \"$HOME/call\"
         for round in 1 2; do
             \"$STEAD\" hook claude SessionStart < \"$HOME/call\" > \"$HOME/said\"
             grep -o '^{{\"machine\":\"[0-9a-f]*\"' '{folder}/seal'
             touch .agent/config.toml
         done
         cat '{folder}/machine'"
    );
    let Some(run) = world.sh_with_own_mounts(&script, call.as_bytes()) else { return };
    let said = run.ok();
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines.len() == 3 && lines[0] == lines[1] && lines[2].len() == 32, "{said}");
}
