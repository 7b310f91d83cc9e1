//! The server over HTTP: only for this machine, and only with the token.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value, json};
use stead_testkit::World;

use super::{NEW, request};
use crate::world::marked;

struct Server {
    child: Child,
    host: String,
    token: String,
}

impl Server {
    fn start(world: &World) -> Self {
        let mut command = world.command(env!("CARGO_BIN_EXE_stead"), &world.project());
        let mut child = command.args(["mcp", "--http"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines().map(Result::unwrap);
        let address = lines.next().unwrap();
        let host = address.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap().to_owned();
        let token = lines.next().unwrap().strip_prefix("Authorization: Bearer ").unwrap().to_owned();
        Self { child, host, token }
    }

    /// Posts a request for the tools, and returns the status and the body.
    fn post(&self, path: &str, headers: &[(&str, &str)]) -> (u16, String) {
        let body = request(NEW, 1, "tools/list", json!({})).to_string();
        let mut head = format!("POST {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        let usual = [
            ("Host", self.host.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", NEW),
            ("Mcp-Method", "tools/list"),
        ];
        let is_given = |name: &str| headers.iter().any(|(given, _)| *given == name);
        for (name, value) in usual.iter().filter(|(name, _)| !is_given(name)).chain(headers) {
            head += &format!("{name}: {value}\r\n");
        }
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer.split_once("\r\n\r\n").unwrap_or_default().1.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn only_the_token_opens_it() {
    let world = marked();
    let server = Server::start(&world);
    let bearer = format!("Bearer {}", server.token);
    let with_token = ("Authorization", bearer.as_str());
    let (status, body) = server.post("/mcp", &[with_token]);
    assert_eq!(status, 200, "{body}");
    let start = body.find('{').unwrap();
    let end = body.rfind('}').unwrap();
    let answer: Value = serde_json::from_str(&body[start..=end]).unwrap();
    assert!(answer["result"]["tools"].is_array(), "{answer}");
    assert_eq!(server.post(&format!("/mcp/{}", server.token), &[]).0, 200);
    for (path, headers, expected) in [
        ("/mcp", vec![], 401),
        ("/mcp", vec![("Authorization", "Bearer wrong")], 401),
        ("/mcp/wrong", vec![], 401),
        ("/", vec![with_token], 404),
        // A page of another site whose name was pointed to this machine.
        ("/mcp", vec![with_token, ("Host", "evil.example:80")], 403),
        ("/mcp", vec![with_token, ("Origin", "https://evil.example")], 403),
        ("/mcp", vec![with_token, ("Origin", "http://localhost:3000")], 200),
    ] {
        assert_eq!(server.post(path, &headers).0, expected, "{path} {headers:?}");
    }
}

#[test]
fn it_listens_on_this_machine_only() {
    let world = marked();
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
        let run = world.stead(&["mcp", "--http", address]);
        assert!(run.code == 2 && run.stderr.contains("can be reached from other machines"), "{address}: {run}");
    }
    world.write("project/token", "short\n");
    let run = world.stead(&["mcp", "--http", "--token-file", "token"]);
    assert!(run.code == 1 && run.stderr.contains("the token is too short"), "{run}");
}
