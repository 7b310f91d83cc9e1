//! `stead init` registers the server in each client's own way, `doctor` starts it, and `uninstall` takes it out again.

use serde_json::{Value, json};

use crate::world::{bare, by_person};

#[test]
fn the_server_is_registered_proven_and_removed() {
    let world = bare().with_stead_on_path();
    world.write("project/.mcp.json", "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"} // mine\n  }\n}\n");
    let before = world.read("project/.mcp.json");
    world.stead(&["init", "--all", "--yes"]).ok();
    let entry = json!({"command": "stead", "args": ["mcp"]});
    let read = |path: &str| -> Value { serde_json::from_str(&world.read(path)).unwrap() };
    let claude = world.read("project/.mcp.json");
    assert!(claude.contains("// mine") && claude.contains("\"stead\": {"), "{claude}");
    assert_eq!(read("project/.gemini/settings.json")["mcpServers"]["stead"], entry);
    assert_eq!(read("project/.qwen/settings.json")["mcpServers"]["stead"], entry);
    assert_eq!(read("project/.cursor/mcp.json")["mcpServers"]["stead"], entry);
    assert_eq!(read("project/.factory/mcp.json")["mcpServers"]["stead"]["type"], "stdio");
    assert_eq!(read("project/.github/mcp.json")["mcpServers"]["stead"]["tools"], json!(["*"]));
    assert_eq!(read("project/opencode.json")["mcp"]["stead"]["command"], json!(["stead", "mcp"]));
    let codex = world.read("project/.codex/config.toml");
    assert!(codex.contains("[mcp_servers.stead]\ncommand = \"stead\"\nargs = [\"mcp\"]\n"), "{codex}");
    assert!(!world.exists("project/.kimi-code"), "its hooks are the user's, so is its server");
    let again = world.stead(&["init", "--all", "--yes"]).ok();
    assert!(again.contains("nothing to change"), "{again}");
    let found = world.stead(&["doctor", "--json"]).json();
    let checks: Vec<&Value> =
        found["checks"].as_array().unwrap().iter().filter(|check| check["name"] == "mcp").collect();
    assert_eq!(checks.len(), 11, "{checks:?}");
    assert!(checks.iter().all(|check| check["status"] == "good"), "{checks:?}");
    by_person(&world, &["uninstall", "--yes"]).ok();
    assert_eq!(world.read("project/.mcp.json"), before);
    for path in [".cursor", ".factory", ".gemini", ".codex/config.toml", "opencode.json", ".github/mcp.json"] {
        assert!(!world.exists(format!("project/{path}")), "{path}");
    }
}

#[test]
fn a_changed_file_loses_only_our_entry() {
    let world = bare().with_stead_on_path();
    let names = ["--harness", "cursor,codex,claude", "--yes"];
    world.stead(&[&["init"][..], &names].concat()).ok();
    let added =
        world.read("project/.cursor/mcp.json").replace("\"mcpServers\": {", "\"mcpServers\": {\n    \"own\": {},");
    world.write("project/.cursor/mcp.json", added);
    let codex = world.read("project/.codex/config.toml") + "\n[mcp_servers.own]\ncommand = \"y\"\n";
    world.write("project/.codex/config.toml", codex);
    by_person(&world, &["uninstall", "--yes"]).ok();
    let cursor = world.read("project/.cursor/mcp.json");
    assert!(cursor.contains("\"own\": {}") && !cursor.contains("stead"), "{cursor}");
    assert_eq!(world.read("project/.codex/config.toml"), "\n[mcp_servers.own]\ncommand = \"y\"\n");
    assert!(!world.exists("project/.mcp.json"));
}

#[test]
fn it_can_be_left_out_and_a_broken_one_is_reported() {
    let world = bare().with_stead_on_path();
    world.stead(&["init", "--harness", "claude", "--no-mcp", "--yes"]).ok();
    assert!(!world.exists("project/.mcp.json"));
    world.write("project/.mcp.json", r#"{"mcpServers": {"stead": {"command": "no-such-program", "args": ["mcp"]}}}"#);
    let run = world.stead(&["doctor", "--json"]);
    assert!(run.code == 1 && run.stdout.contains("`no-such-program` is not on PATH"), "{run}");
    world.write("project/.mcp.json", r#"{"mcpServers": {"stead": {"command": "/bin/echo", "args": ["hi"]}}}"#);
    let run = world.stead(&["doctor", "--json"]);
    assert!(run.code == 1 && run.stdout.contains("it lists no tools"), "{run}");
    world.stead(&["init", "--harness", "claude", "--yes"]).ok();
    assert!(world.read("project/.mcp.json").contains("\"command\": \"stead\""));
    let user = world.stead(&["init", "--harness", "claude", "--user", "--yes"]);
    assert!(
        user.stderr.contains("the MCP server is not registered") && user.stderr.contains("claude mcp add"),
        "{user}"
    );
}
