//! The editor's side of the Agent Client Protocol, as far as a session needs it: JSON-RPC 2.0, one message per line, on
//! the program's standard input and output. It says yes to whatever the person is asked, so that only hooks deny calls.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ChildStdin;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::client::Launch;
use crate::ground::Ground;
use crate::process::{Ended, Process};

/// How long a program may take to answer.
const PATIENCE: Duration = Duration::from_secs(180);

/// How long it may take to end when the editor hangs up; editors end it then.
const FAREWELL: Duration = Duration::from_secs(10);

const LOOK: Duration = Duration::from_millis(20);

/// JSON-RPC's code for a method that the receiver does not have.
const NO_METHOD: i64 = -32601;

/// How an editor starts a client.
pub(crate) struct Acp {
    /// The npm package, with its version, that speaks the protocol for the client; `None` if the client does by itself.
    pub(crate) adapter: Option<&'static str>,
    pub(crate) launch: fn(&Ground) -> Result<Launch>,
}

/// A running agent program and the editor that drives it.
pub(crate) struct Editor {
    process: Process,
    stdin: ChildStdin,
    /// What the program writes; it goes to a file, as any program's output here.
    said: PathBuf,
    /// The bytes of it that were read.
    read: usize,
    asked: u64,
}

impl Editor {
    pub(crate) fn start(ground: &Ground, launch: Launch, name: &str) -> Result<Self> {
        let mut command = ground.world().command(&launch.program, &ground.project());
        command.args(launch.args).envs(launch.env);
        let (process, stdin) = Process::start_talking(&mut command, &ground.world().folder(), name)?;
        Ok(Self { said: process.stdout().to_owned(), process, stdin, read: 0, asked: 0 })
    }

    /// Introduces itself and begins a session, whose id it gives.
    pub(crate) fn begin(&mut self, project: &Path) -> Result<String> {
        let can = json!({"fs": {"readTextFile": true, "writeTextFile": true}, "terminal": false});
        let editor = json!({"name": "scenario", "title": "Scenario", "version": "1"});
        self.ask("initialize", &json!({"protocolVersion": 1, "clientCapabilities": can, "clientInfo": editor}))?;
        let session = self.ask("session/new", &json!({"cwd": project, "mcpServers": []}))?;
        Ok(session["sessionId"].as_str().context("the program gave its session no id")?.to_owned())
    }

    /// Sends what the person typed and waits for the end of the turn.
    pub(crate) fn prompt(&mut self, session: &str, text: &str) -> Result<()> {
        let prompt = json!([{"type": "text", "text": text}]);
        let ended = self.ask("session/prompt", &json!({"sessionId": session, "prompt": prompt}))?;
        match ended["stopReason"].as_str() {
            Some("end_turn") => Ok(()),
            _ => bail!("the turn ended with {ended}"),
        }
    }

    /// Hangs up.
    pub(crate) fn close(self) -> Result<Ended> {
        drop(self.stdin);
        self.process.finish(Instant::now() + FAREWELL)
    }

    /// Sends a request, and serves those of the program until it has answered.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let Some(message) = self.next_message() else {
                if !self.process.is_running()? {
                    bail!("the program ended before it answered `{method}`");
                }
                if Instant::now() >= deadline {
                    bail!("the program did not answer `{method}`");
                }
                thread::sleep(LOOK);
                continue;
            };
            match message["method"].as_str() {
                Some(asked) if !message["id"].is_null() => {
                    let answer = serve(asked, &message["params"]);
                    self.answer(&message["id"], answer)?;
                }
                // A notification; the program's output keeps it.
                Some(_) => {}
                None if message["id"] == id => match message.get("result") {
                    Some(result) => return Ok(result.clone()),
                    None => bail!("`{method}` failed: {}", message["error"]),
                },
                None => {}
            }
        }
    }

    fn answer(&mut self, id: &Value, answer: Result<Value>) -> Result<()> {
        match answer {
            Ok(result) => self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result})),
            Err(error) => {
                let error = json!({"code": NO_METHOD, "message": error.to_string()});
                self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        writeln!(self.stdin, "{message}").context("the program no longer listens")?;
        Ok(self.stdin.flush()?)
    }

    /// The next whole line that is JSON; programs may also write lines for people.
    fn next_message(&mut self) -> Option<Value> {
        let said = fs::read(&self.said).unwrap_or_default();
        loop {
            let rest = said.get(self.read..)?;
            let end = rest.iter().position(|byte| *byte == b'\n')?;
            self.read += end + 1;
            if let Ok(message) = serde_json::from_slice(&rest[..end]) {
                return Some(message);
            }
        }
    }
}

/// Does what the program asks of the editor.
fn serve(method: &str, params: &Value) -> Result<Value> {
    let path = || params["path"].as_str().context("no path");
    match method {
        "session/request_permission" => Ok(json!({"outcome": agreed(&params["options"])})),
        // A file that is not there is an empty buffer, as in the editor that the protocol comes from.
        "fs/read_text_file" => Ok(json!({"content": fs::read_to_string(path()?).unwrap_or_default()})),
        "fs/write_text_file" => {
            fs::write(path()?, params["content"].as_str().unwrap_or_default())?;
            Ok(json!({}))
        }
        _ => bail!("this editor has no `{method}`"),
    }
}

/// Yes, for this once if that is offered.
fn agreed(options: &Value) -> Value {
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let of_kind = |kind: &str| options.iter().find(|option| option["kind"] == kind);
    match of_kind("allow_once").or_else(|| of_kind("allow_always")) {
        Some(option) => json!({"outcome": "selected", "optionId": option["optionId"]}),
        None => json!({"outcome": "cancelled"}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_editor_agrees_for_once() {
        let option = |id: &str, kind: &str| json!({"optionId": id, "name": id, "kind": kind});
        let check = |options: &[Value], expected: Option<&str>| {
            let agreed = agreed(&json!(options));
            assert_eq!(agreed["optionId"].as_str(), expected, "{options:?}");
            assert_eq!(agreed["outcome"] == "selected", expected.is_some());
        };
        let (always, once) = (option("a", "allow_always"), option("o", "allow_once"));
        check(&[option("n", "reject_once"), always.clone(), once], Some("o"));
        check(&[option("n", "reject_once"), always], Some("a"));
        check(&[option("n", "reject_once")], None);
        check(&[], None);
    }

    #[test]
    fn the_editor_reads_and_writes_files_and_knows_its_limits() {
        let file = std::env::temp_dir().join(format!("stead-acp-{}", std::process::id()));
        serve("fs/write_text_file", &json!({"path": file, "content": "one\n"})).unwrap();
        assert_eq!(serve("fs/read_text_file", &json!({"path": file})).unwrap(), json!({"content": "one\n"}));
        fs::remove_file(&file).unwrap();
        assert_eq!(serve("fs/read_text_file", &json!({"path": file})).unwrap(), json!({"content": ""}));
        assert!(serve("fs/read_text_file", &json!({})).is_err());
        assert!(serve("terminal/create", &json!({})).is_err());
    }
}
