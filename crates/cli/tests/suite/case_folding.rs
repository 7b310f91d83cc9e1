//! A file system in which `.Claude/Settings.json` is `.claude/settings.json`: what is protected and sealed there is so under
//! every spelling, and nothing is sealed twice.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use stead_testkit::{again_in_small_mount, skip};

use crate::seal::GUARD;
use crate::world::{bare, denies, payload};

/// The folder of a case-insensitive file system, in the second run of the test.
const FOLDER: &str = "STEAD_TEST_FOLDED";

const NAME: &str = "case_folding::no_spelling_passes_where_case_does_not_count";

/// Returns true if a folder is on a file system in which case does not count.
fn is_folded(folder: &Path) -> bool {
    let probe = folder.join("stead-probe");
    fs::write(&probe, "").unwrap();
    let is_folded = folder.join("STEAD-PROBE").exists();
    fs::remove_file(probe).unwrap();
    is_folded
}

#[test]
fn no_spelling_passes_where_case_does_not_count() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        let root = PathBuf::from(folder).join("work");
        fs::create_dir_all(&root).unwrap();
        // On Linux, a folder says whether case counts in it.
        let _ = std::process::Command::new("chattr").arg("+F").arg(&root).status();
        return match is_folded(&root) {
            true => check(&root),
            false => panic!("case counts in {}", root.display()),
        };
    }
    let world = bare();
    if is_folded(&world.folder()) {
        return check(&world.folder());
    }
    let own = std::process::Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "-o", "casefold", "none", "/mnt"])
        .output();
    match own.is_ok_and(|output| output.status.success()) {
        true => again_in_small_mount(NAME, "casefold", FOLDER),
        false => skip("there is no case-insensitive file system here"),
    }
}

fn check(folder: &Path) {
    let world = bare();
    let root = folder.join("Project");
    fs::create_dir(&root).unwrap();
    world.stead_in(&root, &["init", "--harness", "claude", "--yes", "--no-mcp"]).ok();
    fs::create_dir_all(root.join(".agent/guards")).unwrap();
    fs::write(root.join(".agent/guards/infra.yaml"), GUARD).unwrap();
    let other = folder.join("PROJECT");
    let hook = |event: &str, cwd: &Path, own: Value| {
        let mut all = own;
        all["cwd"] = json!(cwd);
        world.hook(&format!("claude {event}"), payload(&world, event, all)).stdout
    };
    let call = |cwd: &Path, tool: &str, input: Value| {
        hook("PreToolUse", cwd, json!({"tool_name": tool, "tool_input": input, "tool_use_id": "c"}))
    };
    hook("SessionStart", &root, json!({"source": "startup"}));
    for cwd in [&root, &other] {
        for command in [
            "rm .AGENT/Guards/Infra.yaml",
            "echo '{}' > .Claude/Settings.json",
            "rm -rf .Agent",
            "sed -i s/enforce/off/ .agent/GUARDS/INFRA.YAML",
        ] {
            assert!(denies(&call(cwd, "Bash", json!({"command": command}))), "{command}");
        }
        for path in [".CLAUDE/settings.JSON", "Infra/x.tf", ".Agent/config.TOML"] {
            let input = json!({"file_path": other.join(path), "content": "{}"});
            assert!(denies(&call(cwd, "Write", input)), "{path}");
        }
        assert!(!denies(&call(cwd, "Bash", json!({"command": "ls src"}))));
    }
    // The look under another spelling is a look at the same seal.
    std::thread::sleep(std::time::Duration::from_millis(50));
    for cwd in [&other, &root] {
        call(cwd, "Bash", json!({"command": "make test"}));
        fs::rename(root.join(".agent/guards/infra.yaml"), root.join(".agent/guards/INFRA.yaml")).unwrap();
        fs::write(root.join(".agent/guards/Infra.yaml"), GUARD.replace("enforce", "off")).unwrap();
        let own = json!({"tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_use_id": "c", "tool_response": {}});
        assert!(hook("PostToolUse", cwd, own).contains("was put back"));
        assert!(fs::read_to_string(root.join(".agent/guards/infra.yaml")).unwrap().contains("enforce"));
        assert!(denies(&call(cwd, "Write", json!({"file_path": root.join("infra/x"), "content": "x"}))));
    }
    let projects = world.home().join(".local/state/stead/projects");
    let checkouts = fs::read_dir(projects).unwrap().flatten().flat_map(|project| fs::read_dir(project.path()).unwrap());
    assert_eq!(checkouts.count(), 1, "one checkout has one seal");
}
