//! The scenes that only `--verbose` shows.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::LIST;
use super::stage::Stage;
use crate::error::CliError;

/// What a person wants to be done, and where.
const INTENTS: (&str, &str) = (
    ".agent/intents/active_intents.yaml",
    "active_intents:
  - id: INT-001
    name: Subtraction
    status: PENDING
    owned_scope: [\"src/**\"]
    constraints: [No new dependencies]
",
);

impl Stage<'_> {
    pub(super) fn more(&mut self) -> Result<(), CliError> {
        self.tampering()?;
        self.intents()?;
        self.orchestrator()?;
        self.keeps_working()?;
        self.records()
    }

    /// Between sessions: the later scenes are not about intents. Clearly after the former session, since times of files are
    /// coarse.
    pub(super) fn no_more_intents(&self) -> Result<(), CliError> {
        thread::sleep(Duration::from_millis(50));
        self.write(".agent/config.local.toml", "[intents]\nmode = \"off\"\n")
    }

    /// What no reader of commands can see is put back afterwards.
    fn tampering(&mut self) -> Result<(), CliError> {
        self.scene("The agent unpacks an archive; its command does not say what is in it");
        self.write("backup/.agent/config.toml", "[gate]\nguards = false\n")?;
        let packed = self.command("tar").args(["-cf", "backup.tar", "-C", "backup", "."]).output();
        if !packed.is_ok_and(|output| output.status.success()) {
            self.say("  (`tar` is missing here)");
            return Ok(());
        }
        let told = self.shell("tar -xf backup.tar")?;
        self.expect(told.stdout.contains("was put back"), "the gate that the archive switched off was not put back");
        self.show(".agent/config.toml", "Settings")?;
        let log = self.stead(&["seal", "log"])?;
        self.expect(log.contains("put back"), "what was put back is not in the log");
        Ok(())
    }

    fn intents(&mut self) -> Result<(), CliError> {
        self.scene("A person defines an intent; from now on every change needs one");
        self.write(INTENTS.0, INTENTS.1)?;
        self.show(INTENTS.0, "")?;
        let new = "a + b\n}\n\npub fn sub(a: i32, b: i32) -> i32 {\n    a - b\n}";
        let denied = self.edit("src/lib.rs", "a + b\n}", new)?;
        self.expect(denied.is_denial(), "a change without an intent was not denied");
        self.agent_runs(&["intent", "select", "INT-001"])?;
        let allowed = self.edit("src/lib.rs", "a + b\n}", new)?;
        self.expect(!allowed.is_denial(), "a change inside the scope was denied");
        let denied = self.tool("Bash", json!({"command": "echo 'sub() subtracts' > notes.txt"}))?;
        self.expect(denied.is_denial(), "a change outside the scope was not denied");
        let said = self.stead(&["why", "src/lib.rs:5"])?;
        self.expect(said.contains("INT-001"), "`stead why` does not name the intent");
        Ok(())
    }

    fn orchestrator(&mut self) -> Result<(), CliError> {
        self.scene("The person turns the orchestrator on: it knows what is next");
        let config = (".agent/config.local.toml", "[orchestrate]\nin_session = true\n");
        let mut features: Value = serde_json::from_str(&self.read(LIST)?).unwrap_or_default();
        if let Some(features) = features["features"].as_array_mut() {
            features.push(
                json!({"id": "sub", "title": "sub() subtracts", "files": ["src/**"], "verifiers": ["sh check.sh"]}),
            );
        }
        self.write(LIST, &format!("{features:#}\n"))?;
        self.write(config.0, config.1)?;
        self.show(config.0, "")?;
        let held = self.stop("All done.")?;
        self.expect(held.stdout.contains("implement_feature"), "the agent was not told what is next");
        self.agent_runs(&["feature", "claim", "sub"])?;
        self.agent_runs(&["feature", "report", "sub", "--implemented"])?;
        let held = self.stop("All done.")?;
        self.expect(held.stdout.contains("validate_feature"), "nobody was sent to test");
        self.stead(&["feature", "graph"])?;
        self.write(config.0, "[orchestrate]\nin_session = false\n")?;
        Ok(())
    }

    fn keeps_working(&mut self) -> Result<(), CliError> {
        self.scene("A loop keeps the agent working until it keeps its promise");
        let start = ["loop", "start", "Prove that add() adds", "--promise", "DONE", "--max-iterations", "3"];
        self.agent_runs(&start)?;
        let held = self.stop("It should work now.")?;
        self.expect(held.stdout.contains("block"), "the loop did not block the stop");
        let kept = self.stop("The test passes. <promise>DONE</promise>")?;
        self.expect(!kept.stdout.contains("block"), "the kept promise did not end the loop");
        self.stead(&["loop", "log"]).map(drop)
    }

    fn records(&mut self) -> Result<(), CliError> {
        self.scene("What Stead recorded");
        self.show(".agent/context/indexes/relevant-files.jsonl", "src/lib.rs")?;
        self.show(".agent/context/indexes/sessions.jsonl", "\"deny\"")
    }
}
