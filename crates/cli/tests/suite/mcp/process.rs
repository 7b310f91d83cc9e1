//! The process ends with its client.

#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::json;
use stead_testkit::World;

use super::{OLD, hello, request};
use crate::world::{marked, payload};

/// How many clients die, and how many of them at a time.
const CLIENTS: usize = 500;
const AT_ONCE: usize = 20;

/// A client that has started the server and got its first answer. It can be killed without closing the server's input.
struct Doomed {
    client: Child,
    server: u32,
}

impl Doomed {
    fn start(world: &World) -> Self {
        let script = format!("exec 3<&0; {} mcp <&3 & echo $! >&2; wait", env!("CARGO_BIN_EXE_stead"));
        let mut command = world.command("sh", &world.project());
        command.args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut client = command.spawn().unwrap();
        writeln!(client.stdin.as_mut().unwrap(), "{}", hello()).unwrap();
        let (mut id, mut answer) = (String::new(), String::new());
        BufReader::new(client.stderr.as_mut().unwrap()).read_line(&mut id).unwrap();
        BufReader::new(client.stdout.as_mut().unwrap()).read_line(&mut answer).unwrap();
        assert!(answer.contains("protocolVersion"), "{answer}");
        let server = id.trim().parse().unwrap();
        Self { client, server }
    }
}

/// A verifier that the server runs for a client ends with the server.
#[test]
fn no_verifier_outlives_the_client() {
    let world = marked();
    world
        .stead(&["feature", "add", "login", "--title", "Sign in", "--verifier", "echo $$ > pid; sleep 300; true"])
        .ok();
    world.stead(&["feature", "report", "login", "--implemented"]).ok();
    let input = json!({"feature_id": "login", "outcome": "passed"});
    let own = json!({
        "tool_name": "mcp__stead__report_feature", "tool_input": input, "tool_use_id": "c1", "agent_id": "a1",
        "agent_type": "tester-agent",
    });
    world.hook("claude PreToolUse", payload(&world, "PreToolUse", own));
    let mut doomed = Doomed::start(&world);
    let call = request(OLD, 1, "tools/call", json!({"name": "report_feature", "arguments": input}));
    writeln!(doomed.client.stdin.as_mut().unwrap(), "{call}").unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    let verifier = loop {
        let written = if world.exists("project/pid") { world.read("project/pid") } else { String::new() };
        if let Ok(process) = written.trim().parse() {
            break process;
        }
        assert!(Instant::now() < deadline, "the verifier was not started");
        sleep(Duration::from_millis(50));
    };
    assert!(is_alive(verifier));
    doomed.client.kill().unwrap();
    doomed.client.wait().unwrap();
    while (is_alive(verifier) || is_alive(doomed.server)) && Instant::now() < deadline {
        sleep(Duration::from_millis(50));
    }
    assert!(!is_alive(verifier) && !is_alive(doomed.server));
    let state = world.stead(&["feature", "show", "login", "--json"]).json();
    assert_eq!(state["status"], "implemented", "a verifier that was interrupted proves nothing: {state}");
}

fn is_alive(process: u32) -> bool {
    let status = std::fs::read_to_string(Path::new("/proc").join(process.to_string()).join("stat"));
    status.is_ok_and(|status| !status.rsplit(") ").next().unwrap_or_default().starts_with('Z'))
}

#[test]
fn no_server_outlives_its_client() {
    let world = marked();
    let mut servers = Vec::new();
    let mut open = Vec::new();
    for round in 0..CLIENTS / AT_ONCE {
        let doomed: Vec<Doomed> = (0..AT_ONCE).map(|_| Doomed::start(&world)).collect();
        for mut one in doomed {
            one.client.kill().unwrap();
            one.client.wait().unwrap();
            servers.push(one.server);
            // In every other round the input stays open, as if another process had inherited it.
            if round % 2 == 0 {
                open.push(one.client.stdin.take());
            }
        }
    }
    let deadline = Instant::now() + Duration::from_secs(60);
    while servers.iter().any(|server| is_alive(*server)) && Instant::now() < deadline {
        sleep(Duration::from_millis(100));
    }
    servers.retain(|server| is_alive(*server));
    assert_eq!(servers, Vec::<u32>::new(), "these servers have no client");
    assert_eq!(open.len(), CLIENTS / 2 + AT_ONCE / 2);
}
