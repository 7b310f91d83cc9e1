//! Starts a registered MCP server the way its client does, and asks it for its tools.

use std::process::Command;

use serde_json::{Value, json};
use stead_client::Harness;

use crate::Site;
use crate::proof::{dress, run};

/// The last revision of the protocol in which a client introduces itself first; every client speaks it.
const REVISION: &str = "2025-11-25";

/// Returns how many tools the server lists.
pub(crate) fn prove_server(site: &Site<'_>, harness: Harness, words: &[String]) -> Result<usize, String> {
    let Some((program, arguments)) = words.split_first() else { return Err("no command is registered".to_owned()) };
    let program = match program.contains(['/', '\\']) {
        true => program.into(),
        false => site.find_program(program).ok_or_else(|| format!("`{program}` is not on PATH"))?,
    };
    let mut command = Command::new(program);
    command.args(arguments);
    dress(&mut command, site, harness);
    let hello = json!({"protocolVersion": REVISION, "capabilities": {}, "clientInfo": {"name": "stead doctor", "version": "1"}});
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
    ];
    let input: String = messages.iter().map(|message| format!("{message}\n")).collect();
    let reply = run(&mut command, input.into_bytes())?;
    let answers = reply.stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let list = answers.into_iter().find(|answer| answer["id"] == 2);
    let tools = list.as_ref().and_then(|answer| answer["result"]["tools"].as_array());
    tools.map(Vec::len).filter(|count| *count > 0).ok_or_else(|| {
        let said = reply.stderr.lines().next().unwrap_or("no output");
        format!("it lists no tools: {said}")
    })
}
