//! Stead in a throw-away project: a scripted agent session goes through the real hook of this program.

use clap::Args;
use serde_json::{Value, json};

use crate::cli::Exit;
use crate::error::CliError;
use crate::person::is_below_agent;
use crate::ui::Ui;

mod stage;

use stage::{CLIENT, Manner, Stage};

/// See Stead work, end to end, in a throw-away project
///
/// Creates a small git project in a temporary folder, sets Stead up in it, and lets a scripted agent session call this
/// program's hook, as an agent program would. It tells what the agent tried and what Stead answered; the answers are real.
/// Nothing outside the temporary folder is touched.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead demo\n  stead demo --verbose --keep")]
pub(crate) struct DemoArgs {
    /// Show every payload, reply and file
    #[arg(long, short)]
    verbose: bool,
    /// Keep the project and print its path
    #[arg(long)]
    keep: bool,
}

/// Two built-in stages: ideas, and one agent that reads all of them.
const PIPELINE: (&str, &str) = (
    ".agent/pipelines/brainstorm.yaml",
    "name: brainstorm
description: Collect ideas and pick from them
stages:
  - id: ideas
    template: idea-wizard
    max_iterations: 2
  - id: pick
    template: synthesize
    max_iterations: 1
    inputs: {from: ideas, select: all}
",
);

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

pub(crate) fn run(args: DemoArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let manner = if args.verbose { Manner::Verbose } else { Manner::Story };
    let mut stage = Stage::set(manner, ui)?;
    stage.play()?;
    if args.keep {
        stage.say(&format!("\nThe project is kept at {}", stage.project("")));
    } else {
        stage.clear();
    }
    let wrong = stage.wrong;
    if wrong.is_empty() {
        return Ok(Exit::Done);
    }
    for problem in wrong {
        ui.note(format!("error: {problem}"));
    }
    Ok(Exit::Failed)
}

impl Stage<'_> {
    fn play(&mut self) -> Result<(), CliError> {
        self.scene("A throw-away git project gets Stead");
        let git = self.command("git").args(["init", "-q", "-b", "main"]).output();
        if !git.is_ok_and(|output| output.status.success()) {
            return Err(CliError::user("cannot run `git init`").hinted("install git; the demo makes a git project"));
        }
        self.stead(&["init", "--harness", CLIENT.name(), "--yes"])?;
        self.tell("you", &format!("stead init --harness {}", CLIENT.name()));
        self.tell("Stead", "Hooks, commands and the folder .agent/ are in place.");

        self.side_scene("An agent session starts and calls the hook for the first time");
        self.hook("SessionStart", json!({"source": "startup"}))?;
        self.hook("UserPromptSubmit", json!({"prompt": "add() subtracts. Fix it."}))?;

        self.scene("The agent tries to remove the gates");
        let settings = CLIENT.client().facts.install.project.unwrap_or_default();
        let sed = json!({"command": format!("sed -i /stead/d {settings}"), "description": "tidy up the settings"});
        let tried = sed["command"].as_str().unwrap_or_default().to_owned();
        let denied = self.tool("Bash", sed)?;
        self.tell_try(&tried, &denied);
        self.expect(denied.is_denial(), "the shell command against the hook lines was not denied");
        let config = self.project(".agent/config.toml");
        let write = json!({"file_path": config, "content": "[gate]\nself_protection = false\n"});
        let denied = self.tool("Write", write)?;
        self.tell_try("writes `self_protection = false` to .agent/config.toml", &denied);
        self.expect(denied.is_denial(), "the edit of Stead's own config was not denied");

        self.scene("Reading is allowed, and so is the work it was asked to do");
        let read = self.tool("Bash", json!({"command": "cat .agent/config.toml | head -3"}))?;
        self.expect(!read.is_denial(), "a harmless command was denied");
        let allowed = self.edit("src/lib.rs", "a - b", "a + b")?;
        self.tell_try("edits src/lib.rs: `a - b` becomes `a + b`", &allowed);
        self.expect(!allowed.is_denial(), "the edit of the project's own code was denied");

        self.tampering()?;
        self.evidence()?;
        self.intents()?;
        self.orchestrator()?;

        self.scene("A loop keeps the agent working until it keeps its promise");
        let start = ["loop", "start", "Prove that add() adds", "--promise", "DONE", "--max-iterations", "3"];
        self.agent_runs(&start)?;
        let held = self.stop("It should work now.")?;
        self.tell_try("\"It should work now.\" and wants to stop", &held);
        self.expect(held.stdout.contains("block"), "the loop did not block the stop");
        let kept = self.stop("The test passes. <promise>DONE</promise>")?;
        self.tell_try("\"The test passes. DONE\" and wants to stop", &kept);
        self.expect(!kept.stdout.contains("block"), "the kept promise did not end the loop");
        self.stead(&["loop", "log"])?;

        self.scene("The agent hands over; the next session picks up");
        self.agent_runs(&["note", "decision", "add() stays total: it wraps on overflow"])?;
        self.agent_runs(&["handoff", "Give sub() the same care", "--next-prompt", "Look at sub() in src/lib.rs."])?;
        self.hook("SessionEnd", json!({"reason": "other"}))?;
        let prompt = self.stead(&["pickup", "latest"])?;
        self.tell("agent", "stead handoff \"Give sub() the same care\"");
        self.tell("Stead", &format!("A prompt of {} lines waits for `stead pickup`.", prompt.lines().count()));

        self.scene("A pipeline runs agents headless, stage by stage (here with canned answers)");
        self.write(PIPELINE.0, PIPELINE.1)?;
        self.show(PIPELINE.0, "")?;
        let ran = self.stead(&["run", "pipeline", "brainstorm", "monday", "--provider", "mock"])?;
        self.tell("you", "stead run pipeline brainstorm monday");
        let end = ran.lines().rev().find(|line| line.contains("monday")).unwrap_or_default();
        // Without how long it took.
        self.tell("Stead", &format!("{}.", end.rsplit_once(", ").map_or(end, |(end, _)| end).replace(" (", ", ")));
        self.stead(&["tail", "monday", "--stage", "ideas", "-n", "3"])?;
        self.show(".agent/runs/monday/stage-01-pick/iterations/001/status.json", "decision")?;

        self.side_scene("What Stead recorded");
        self.show(".agent/context/indexes/relevant-files.jsonl", "src/lib.rs")?;
        self.show(".agent/context/indexes/sessions.jsonl", "\"deny\"")?;
        self.memory()?;
        let calls = self.calls;
        self.say(&format!("{calls} real hook calls; `--verbose` shows them. Try `stead init` in your project."));
        Ok(())
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
        self.tell_try("tar -xf backup.tar", &told);
        self.expect(told.stdout.contains("was put back"), "the gate that the archive switched off was not put back");
        self.show(".agent/config.toml", "Settings")?;
        let log = self.stead(&["seal", "log"])?;
        self.expect(log.contains("put back"), "what was put back is not in the log");
        Ok(())
    }

    fn evidence(&mut self) -> Result<(), CliError> {
        self.scene("The agent claims that it is tested; Stead asks for evidence");
        let feature = json!({"id": "add", "title": "add() adds", "files": ["src/**"],
            "verifiers": ["sh check.sh"], "tested": false});
        let list = format!("{:#}\n", json!({"features": [feature]}));
        self.write(".agent/features/feature-list.json", &list)?;
        self.write("check.sh", "grep -q 'a + b' src/lib.rs && echo '1 test passed'\n")?;
        let claim = [".agent/features/feature-list.json", "\"tested\": false", "\"tested\": true"];
        let denied = self.edit(claim[0], claim[1], claim[2])?;
        self.tell_try("writes `\"tested\": true` into the feature list", &denied);
        self.expect(denied.is_denial(), "a claim without evidence was not denied");
        let sed =
            json!({"command": "sed -i 's/\"tested\": false/\"tested\": true/' .agent/features/feature-list.json"});
        let denied = self.tool("Bash", sed)?;
        self.expect(denied.is_denial(), "the same claim through the shell was not denied");
        self.agent_runs(&["verify", "add"])?;
        let allowed = self.edit(claim[0], claim[1], claim[2])?;
        self.tell_try("runs `stead verify add`, then writes it again", &allowed);
        self.expect(!allowed.is_denial(), "the proven claim was denied");
        Ok(())
    }

    fn intents(&mut self) -> Result<(), CliError> {
        self.scene("A person defines an intent; from now on every change needs one");
        self.write(INTENTS.0, INTENTS.1)?;
        self.show(INTENTS.0, "")?;
        let new = "a + b\n}\n\npub fn sub(a: i32, b: i32) -> i32 {\n    a - b\n}";
        let denied = self.edit("src/lib.rs", "a + b\n}", new)?;
        self.tell_try("adds sub() to src/lib.rs", &denied);
        self.expect(denied.is_denial(), "a change without an intent was not denied");
        self.agent_runs(&["intent", "select", "INT-001"])?;
        let allowed = self.edit("src/lib.rs", "a + b\n}", new)?;
        self.expect(!allowed.is_denial(), "a change inside the scope was denied");
        let denied = self.tool("Bash", json!({"command": "echo 'sub() subtracts' > notes.txt"}))?;
        self.tell_try("selects INT-001, adds sub(), then writes notes.txt", &denied);
        self.expect(denied.is_denial(), "a change outside the scope was not denied");
        let said = self.stead(&["why", "src/lib.rs:5"])?;
        self.expect(said.contains("INT-001"), "`stead why` does not name the intent");
        Ok(())
    }

    fn orchestrator(&mut self) -> Result<(), CliError> {
        self.scene("The person turns the orchestrator on: it knows what is next");
        let config = (".agent/config.local.toml", "[orchestrate]\nin_session = true\n");
        let list = ".agent/features/feature-list.json";
        let mut features: Value = serde_json::from_str(&self.read(list)?).unwrap_or_default();
        if let Some(features) = features["features"].as_array_mut() {
            features.push(
                json!({"id": "sub", "title": "sub() subtracts", "files": ["src/**"], "verifiers": ["sh check.sh"]}),
            );
        }
        self.write(list, &format!("{features:#}\n"))?;
        self.write(config.0, config.1)?;
        self.show(config.0, "")?;
        let held = self.stop("All done.")?;
        self.tell_try("\"All done.\" and wants to stop", &held);
        self.expect(held.stdout.contains("implement_feature"), "the agent was not told what is next");
        self.agent_runs(&["feature", "claim", "sub"])?;
        self.agent_runs(&["feature", "report", "sub", "--implemented"])?;
        let held = self.stop("All done.")?;
        self.expect(held.stdout.contains("validate_feature"), "nobody was sent to test");
        self.stead(&["feature", "graph"])?;
        self.write(config.0, "[orchestrate]\nin_session = false\n")?;
        Ok(())
    }

    /// From three corrections to a guard that stops the fourth attempt.
    fn memory(&mut self) -> Result<(), CliError> {
        self.scene("Three times in two sessions the person takes the same kind of change back");
        self.write(".agent/config.local.toml", "[intents]\nmode = \"off\"\n")?;
        for file in ["main", "old"] {
            self.write(&format!("infra/{file}.tf"), "size = \"small\"\n")?;
        }
        let attempts = [
            ("demo-tuesday", "sed -i s/small/large/ infra/main.tf"),
            ("demo-tuesday", "cd infra && rm old.tf"),
            ("demo-wednesday", "echo 'size = 3' | tee infra/new.tf"),
        ];
        for (session, command) in attempts {
            self.session = session;
            self.hook("SessionStart", json!({"source": "startup"}))?;
            self.shell(command)?;
            self.tell("agent", command);
            let no = json!({"prompt": "No, undo that. Changes of infra need a ticket."});
            self.hook("UserPromptSubmit", no)?;
        }

        self.tell("you", "No, undo that. Changes of infra need a ticket.");

        self.scene("Stead sees the pattern and drafts a guard, tested against all recorded calls");
        self.stead(&["memory", "patterns"])?;
        let found = self.ask(&["memory", "patterns", "--json"])?;
        let items = found["items"].as_array().into_iter().flatten();
        let Some(pattern) = items.filter(|item| item["kind"] == "correction").find_map(|item| item["id"].as_str())
        else {
            self.expect(false, "no pattern was found");
            return Ok(());
        };
        let drafted = self.ask(&["memory", "propose", pattern, "--json"])?;
        let guard = drafted["id"].as_str().unwrap_or_default();
        self.stead(&["memory", "propose", pattern])?;
        self.tell("Stead", &format!("Proposes the guard `{guard}`."));
        if is_below_agent() {
            self.say("   An agent runs this demo. To accept a guard is a person's, so it ends here.");
            return Ok(());
        }
        self.stead(&["guard", "accept", pattern])?;

        self.scene("It only watches until the person promotes it; then it stops a new spelling");
        self.session = "demo-thursday";
        let attempt = "python3 -c \"open('infra/other.tf', 'w').write('size = 4')\"";
        let watched = self.tool("Bash", json!({"command": attempt}))?;
        self.tell_try(attempt, &watched);
        self.expect(!watched.is_denial(), "a guard in shadow mode denied a call");
        self.stead(&["guard", "review", guard])?;
        for _ in ["warn", "enforce"] {
            self.stead(&["guard", "promote", guard])?;
        }
        let denied = self.tool("Bash", json!({"command": attempt}))?;
        self.tell("you", &format!("stead guard promote {guard}   (twice)"));
        self.tell_try("the same again", &denied);
        self.expect(denied.is_denial(), "the fourth attempt was not denied");
        Ok(())
    }
}
