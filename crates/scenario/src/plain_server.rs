//! An MCP server that says nothing about what its tool does, so that a client which asks about tools asks about this one.

use anyhow::Result;
use serde_json::{Value, json};

use crate::client::node;
use crate::ground::Ground;

pub(crate) const NAME: &str = "plain";
pub(crate) const TOOL: &str = "note";
/// What the tool answers.
pub(crate) const ANSWER: &str = "the plain tool was called";

const FILE: &str = "plain-server.mjs";

const SERVER: &str = r#"import { createInterface } from "node:readline";
const results = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "plain", version: "1" },
  }),
  "tools/list": () => ({
    tools: [{ name: "note", description: "Takes a note.", inputSchema: { type: "object", properties: {} } }],
  }),
  "tools/call": () => ({ content: [{ type: "text", text: "the plain tool was called" }] }),
  ping: () => ({}),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = results[method];
  const told = answer ? { result: answer(params) } : { error: { code: -32601, message: "unknown" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...told }));
}
"#;

/// Puts the server beside the project; clients that ask are then started with it.
pub(crate) fn put(ground: &Ground) -> Result<()> {
    Ok(std::fs::write(ground.world().folder().join(FILE), SERVER)?)
}

/// The program and its script as JSON texts, if the server was put there.
pub(crate) fn command(ground: &Ground) -> Option<[Value; 2]> {
    let script = ground.world().folder().join(FILE);
    script.is_file().then(|| [node(), script].map(|path| json!(path.display().to_string())))
}
