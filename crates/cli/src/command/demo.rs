//! Stead in a throw-away project: a scripted agent session goes through the real hook of this program.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use serde_json::{Value, json};
use stead_client::Harness;

use crate::cli::Exit;
use crate::error::CliError;
use crate::ui::Ui;

/// See Stead work, end to end, in a throw-away project
///
/// Creates a small git project in a temporary folder, sets Stead up in it, and lets a scripted agent session call this
/// program's hook, as an agent program would. All input and output shown is real. Nothing outside the temporary folder
/// is touched.
#[derive(Args)]
#[command(after_help = "Example:\n  stead demo --keep")]
pub(crate) struct DemoArgs {
    /// Keep the project and print its path
    #[arg(long)]
    keep: bool,
}

/// The client that the scripted session imitates.
const CLIENT: Harness = Harness::DEFAULT;

/// How much of a diff is shown.
const SHOWN: usize = 14;

const SESSION: &str = "demo-session";

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

pub(crate) fn run(args: DemoArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let mut stage = Stage::set(ui)?;
    stage.play()?;
    let wrong = std::mem::take(&mut stage.wrong);
    let folder = stage.folder.clone();
    if args.keep {
        ui.line(format!("\nThe project is kept at {}", folder.join("project").display()));
    } else {
        let _ = fs::remove_dir_all(&folder);
    }
    if wrong.is_empty() {
        return Ok(Exit::Done);
    }
    for problem in wrong {
        ui.note(format!("error: {problem}"));
    }
    Ok(Exit::Failed)
}

/// The throw-away world and the narrator.
struct Stage<'a> {
    ui: &'a mut Ui,
    program: PathBuf,
    folder: PathBuf,
    step: usize,
    calls: usize,
    wrong: Vec<String>,
}

/// The answer of one hook call.
struct Answer {
    stdout: String,
    exit: i32,
}

impl Answer {
    fn is_denial(&self) -> bool {
        let said: Value = serde_json::from_str(&self.stdout).unwrap_or_default();
        said["hookSpecificOutput"]["permissionDecision"] == "deny"
    }
}

impl<'a> Stage<'a> {
    fn set(ui: &'a mut Ui) -> Result<Self, CliError> {
        let program = std::env::current_exe()
            .map_err(|source| CliError::internal("cannot tell which program this is").because(source))?;
        let folder = std::env::temp_dir().join(format!("stead-demo-{}", std::process::id()));
        let stage = Self { ui, program, folder, step: 0, calls: 0, wrong: Vec::new() };
        for dir in ["project/src", "home"] {
            let path = stage.folder.join(dir);
            fs::create_dir_all(&path)
                .map_err(|source| CliError::user(format!("cannot create `{}`", path.display())).because(source))?;
        }
        stage.write("src/lib.rs", "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n")?;
        Ok(stage)
    }

    fn play(&mut self) -> Result<(), CliError> {
        self.scene("A throw-away git project gets Stead");
        let git = self.command("git").args(["init", "-q", "-b", "main"]).output();
        if !git.is_ok_and(|output| output.status.success()) {
            return Err(CliError::user("cannot run `git init`").hinted("install git; the demo makes a git project"));
        }
        self.stead(&["init", "--harness", CLIENT.name(), "--yes"])?;

        self.scene("An agent session starts and calls the hook for the first time");
        self.hook("SessionStart", json!({"source": "startup"}))?;
        self.hook("UserPromptSubmit", json!({"prompt": "add() subtracts. Fix it."}))?;

        self.scene("The agent tries to remove the gates");
        let settings = CLIENT.client().facts.install.project.unwrap_or_default();
        let sed = json!({"command": format!("sed -i /stead/d {settings}"), "description": "tidy up the settings"});
        let denied = self.tool("Bash", sed)?;
        self.expect(denied.is_denial(), "the shell command against the hook lines was not denied");
        let config = self.project(".agent/config.toml");
        let write = json!({"file_path": config, "content": "[gate]\nself_protection = false\n"});
        let denied = self.tool("Write", write)?;
        self.expect(denied.is_denial(), "the edit of Stead's own config was not denied");

        self.scene("Reading is allowed, and so is the work it was asked to do");
        let read = self.tool("Bash", json!({"command": "cat .agent/config.toml | head -3"}))?;
        self.expect(!read.is_denial(), "a harmless command was denied");
        let source = self.project("src/lib.rs");
        let edit = json!({"file_path": source, "old_string": "a - b", "new_string": "a + b", "replace_all": false});
        let allowed = self.tool("Edit", edit.clone())?;
        let id = self.last_call();
        self.expect(!allowed.is_denial(), "the edit of the project's own code was denied");
        self.write("src/lib.rs", "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n")?;
        let done = json!({"tool_name": "Edit", "tool_input": edit, "tool_use_id": id, "tool_response": {}});
        self.hook("PostToolUse", done)?;

        self.evidence()?;

        self.scene("A loop keeps the agent working until it keeps its promise");
        let start = ["loop", "start", "Prove that add() adds", "--promise", "DONE", "--max-iterations", "3"];
        self.agent_runs(&start)?;
        let held = self.stop("It should work now.")?;
        self.expect(held.stdout.contains("block"), "the loop did not block the stop");
        let kept = self.stop("The test passes. <promise>DONE</promise>")?;
        self.expect(!kept.stdout.contains("block"), "the kept promise did not end the loop");
        self.stead(&["loop", "log"])?;

        self.scene("The agent hands over; the next session picks up");
        self.agent_runs(&["note", "decision", "add() stays total: it wraps on overflow"])?;
        self.agent_runs(&["handoff", "Give sub() the same care", "--next-prompt", "Look at sub() in src/lib.rs."])?;
        self.hook("SessionEnd", json!({"reason": "other"}))?;
        self.stead(&["pickup", "latest"])?;

        self.scene("A pipeline runs agents headless, stage by stage (here with canned answers)");
        self.write(PIPELINE.0, PIPELINE.1)?;
        self.show(PIPELINE.0, "")?;
        self.stead(&["run", "pipeline", "brainstorm", "monday", "--provider", "mock"])?;
        self.stead(&["tail", "monday", "--stage", "ideas", "-n", "3"])?;
        self.show(".agent/runs/monday/stage-01-pick/iterations/001/status.json", "decision")?;

        self.scene("What Stead recorded");
        self.show(".agent/context/indexes/relevant-files.jsonl", "src/lib.rs")?;
        self.show(".agent/context/indexes/sessions.jsonl", "\"deny\"")?;
        let calls = self.calls;
        self.ui.line(format!("\n{calls} hook calls, each a real process of this program. Try `stead init` in yours."));
        Ok(())
    }

    fn evidence(&mut self) -> Result<(), CliError> {
        self.scene("The agent claims that it is tested; Stead asks for evidence");
        let feature = json!({"id": "add", "title": "add() adds", "files": ["src/**"],
            "verifiers": ["sh check.sh"], "status": "in-progress", "tested": false});
        let list = format!("{:#}\n", json!({"features": [feature]}));
        fs::create_dir_all(self.project(".agent/features"))
            .map_err(|source| CliError::user("could not create the folder of features").because(source))?;
        self.write(".agent/features/feature-list.json", &list)?;
        self.write("check.sh", "grep -q 'a + b' src/lib.rs && echo '1 test passed'\n")?;
        let path = self.project(".agent/features/feature-list.json");
        let claim = json!({"file_path": path, "old_string": "\"tested\": false", "new_string": "\"tested\": true"});
        let denied = self.tool("Edit", claim.clone())?;
        self.expect(denied.is_denial(), "a claim without evidence was not denied");
        let sed =
            json!({"command": "sed -i 's/\"tested\": false/\"tested\": true/' .agent/features/feature-list.json"});
        let denied = self.tool("Bash", sed)?;
        self.expect(denied.is_denial(), "the same claim through the shell was not denied");
        self.agent_runs(&["verify", "add"])?;
        let allowed = self.tool("Edit", claim)?;
        self.expect(!allowed.is_denial(), "the proven claim was denied");
        self.write(".agent/features/feature-list.json", &list.replace("\"tested\": false", "\"tested\": true"))
    }

    fn scene(&mut self, title: &str) {
        self.step += 1;
        let step = self.step;
        self.ui.line(format!("\n{step}. {title}"));
    }

    fn expect(&mut self, holds: bool, otherwise: &str) {
        if !holds {
            self.wrong.push(otherwise.to_owned());
        }
    }

    fn tool(&mut self, tool: &str, input: Value) -> Result<Answer, CliError> {
        let id = format!("call-{}", self.calls + 1);
        self.hook("PreToolUse", json!({"tool_name": tool, "tool_input": input, "tool_use_id": id}))
    }

    /// Lets the agent run one of Stead's own commands: the hook sees it first and records the session.
    fn agent_runs(&mut self, words: &[&str]) -> Result<(), CliError> {
        let quoted: Vec<String> = words
            .iter()
            .map(|word| if word.contains(' ') { format!("\"{word}\"") } else { (*word).to_owned() })
            .collect();
        let seen = self.tool("Bash", json!({"command": format!("stead {}", quoted.join(" "))}))?;
        self.expect(!seen.is_denial(), &format!("`stead {}` was denied", words[0]));
        self.stead(words)
    }

    fn stop(&mut self, message: &str) -> Result<Answer, CliError> {
        self.hook("Stop", json!({"stop_hook_active": false, "last_assistant_message": message}))
    }

    fn last_call(&self) -> String {
        format!("call-{}", self.calls)
    }

    /// Calls the hook with a payload in the client's format and shows both sides.
    fn hook(&mut self, event: &str, own: Value) -> Result<Answer, CliError> {
        self.calls += 1;
        let mut payload = json!({"session_id": SESSION, "cwd": self.project(""), "hook_event_name": event});
        if let (Some(payload), Value::Object(own)) = (payload.as_object_mut(), own.clone()) {
            payload.extend(own);
        }
        let program = self.program.clone();
        let failed = |source| CliError::internal("cannot run this program again").because(source);
        let mut child = self
            .command(&program)
            .args(["hook", CLIENT.name(), event])
            .envs(CLIENT.client().facts.project_vars.iter().map(|name| (*name, self.project(""))))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        if let Some(mut stdin) = child.stdin.take() {
            let _ = stdin.write_all(payload.to_string().as_bytes());
        }
        let output = child.wait_with_output().map_err(failed)?;
        let answer = Answer {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            exit: output.status.code().unwrap_or(-1),
        };
        self.block(&format!("  {CLIENT} > {event} "), &own.to_string());
        let said = if answer.stdout.is_empty() { "(no output: allowed)" } else { answer.stdout.trim_end() };
        self.block(&format!("  stead < exit {} ", answer.exit), said);
        Ok(answer)
    }

    fn stead(&mut self, args: &[&str]) -> Result<(), CliError> {
        let program = self.program.clone();
        let output = self
            .command(&program)
            .args(args)
            .output()
            .map_err(|source| CliError::internal("cannot run this program again").because(source))?;
        self.ui.line(format!("  $ stead {}", args.join(" ")));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let is_diff = |line: &&str| args[0] == "init" && line.starts_with(['+', '-', '@']);
        let (diff, rest): (Vec<&str>, Vec<&str>) = text.lines().partition(is_diff);
        for line in diff.iter().take(SHOWN) {
            self.ui.line(format!("    {line}"));
        }
        if diff.len() > SHOWN {
            self.ui.line(format!("    … and {} more such lines", diff.len() - SHOWN));
        }
        for line in rest {
            self.block("    ", line);
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        self.expect(output.status.success(), &format!("`stead {}` failed: {said}", args.join(" ")));
        Ok(())
    }

    /// Shows the lines of a file that contain a word.
    fn show(&mut self, path: &str, word: &str) -> Result<(), CliError> {
        let file = self.folder.join("project").join(path);
        let text = fs::read_to_string(&file)
            .map_err(|source| CliError::user(format!("cannot read `{}`", file.display())).because(source))?;
        self.ui.line(format!("  {path}:"));
        let lines: Vec<&str> = text.lines().filter(|line| line.contains(word)).collect();
        for line in &lines {
            self.block("    ", line);
        }
        self.expect(!lines.is_empty(), &format!("`{path}` has no line with {word}"));
        Ok(())
    }

    /// Prints a text after a label, wrapped at 80 columns and indented.
    fn block(&mut self, label: &str, text: &str) {
        let text = text.replace(&self.project(""), "$PROJECT");
        let mut line = label.to_owned();
        for word in text.split_inclusive([' ', ',']) {
            if line.chars().count() + word.trim_end().chars().count() > 80 && line.trim() != "" {
                self.ui.line(line.trim_end());
                line = "      ".to_owned();
            }
            line.push_str(word);
        }
        self.ui.line(line.trim_end());
    }

    fn project(&self, path: &str) -> String {
        let folder = self.folder.join("project");
        if path.is_empty() { folder.display().to_string() } else { folder.join(path).display().to_string() }
    }

    fn write(&self, path: &str, text: &str) -> Result<(), CliError> {
        let file = self.folder.join("project").join(path);
        let made = file.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| fs::write(&file, text))
            .map_err(|source| CliError::user(format!("cannot write `{}`", file.display())).because(source))
    }

    /// A command in the throw-away project, with its own home folder.
    fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.current_dir(self.folder.join("project")).env("HOME", self.folder.join("home"));
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            let is_own = ["XDG_", "STEAD_"].iter().any(|prefix| name.starts_with(prefix));
            if is_own || Harness::session_vars().any(|of_client| of_client == name) {
                command.env_remove(name);
            }
        }
        command
    }
}
